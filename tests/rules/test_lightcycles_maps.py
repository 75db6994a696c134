"""Maps of light cycles: same seed, same map; mirrored as promised; connected, with room at every start."""

from __future__ import annotations

import itertools

import pytest

from harness.rules.base import ParamError
from harness.rules.lightcycles_map import MIN_START_DISTANCE, ArenaMap, Cell, Flood, MapShape, build_map

SHAPES = [
    MapShape(width, height, players, mirrored, 0)
    for width, height in [(5, 5), (6, 5), (5, 7), (8, 8), (9, 6), (30, 20)]
    for players in (2, 3, 4)
    for mirrored in (False, True)
    if not (mirrored and players == 3)
]


def with_obstacles(shape: MapShape, n: int) -> MapShape:
    return MapShape(shape.width, shape.height, shape.players, shape.mirrored, n)


def show(shape: MapShape) -> str:
    return f"{shape.width}x{shape.height}-{shape.players}{'-mirrored' if shape.mirrored else ''}"


def reachable(shape: MapShape, arena: ArenaMap) -> set[Cell]:
    blocked = set(arena.obstacles)
    reached, edge = {arena.starts[0]}, [arena.starts[0]]
    while edge:
        x, y = edge.pop()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= cell[0] < shape.width and 0 <= cell[1] < shape.height
            if inside and cell not in blocked and cell not in reached:
                reached.add(cell)
                edge.append(cell)
    return reached


@pytest.mark.parametrize("shape", SHAPES, ids=show)
def test_every_map_keeps_the_promises(shape: MapShape) -> None:
    for n_obstacles in {0, shape.max_obstacles}:
        full = with_obstacles(shape, n_obstacles)
        for seed in range(15 if shape.width < 30 else 3):
            arena = build_map(full, seed)
            assert len(arena.starts) == full.players
            assert len(set(arena.obstacles)) == n_obstacles
            assert list(arena.obstacles) == sorted(arena.obstacles, key=lambda cell: cell[::-1])
            cells = {*arena.starts, *arena.obstacles}
            assert len(cells) == full.players + n_obstacles, "no cell is used twice"
            assert all(0 <= x < full.width and 0 <= y < full.height for x, y in cells)
            for (ax, ay), (bx, by) in itertools.combinations(arena.starts, 2):
                assert abs(ax - bx) + abs(ay - by) >= MIN_START_DISTANCE
            for (ax, ay), (bx, by) in itertools.product(arena.starts, arena.obstacles):
                assert abs(ax - bx) + abs(ay - by) > 1, "no start is beside an obstacle"
            assert len(reachable(full, arena)) == full.width * full.height - n_obstacles, "all hangs together"


def turned(cell: Cell, shape: MapShape) -> Cell:
    return shape.width - 1 - cell[0], shape.height - 1 - cell[1]


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape.mirrored], ids=show)
def test_mirrored_maps_look_the_same_turned_by_180_degrees(shape: MapShape) -> None:
    for seed in range(5):
        arena = build_map(with_obstacles(shape, shape.max_obstacles), seed)
        assert {turned(cell, shape) for cell in arena.starts} == set(arena.starts)
        assert {turned(cell, shape) for cell in arena.obstacles} == set(arena.obstacles)


def test_two_players_start_opposite_each_other() -> None:
    shape = MapShape(30, 20, 2, mirrored=True, obstacles=0)
    for seed in range(20):
        first, second = build_map(shape, seed).starts
        assert second == turned(first, shape)


def test_four_players_on_a_square_board_start_a_quarter_turn_apart() -> None:
    shape = MapShape(9, 9, 4, mirrored=True, obstacles=8)
    arena = build_map(shape, 5)
    quarter = {cell: (shape.width - 1 - cell[1], cell[0]) for cell in (*arena.starts, *arena.obstacles)}
    assert [quarter[cell] for cell in arena.starts] == [*arena.starts[1:], arena.starts[0]]
    assert {quarter[cell] for cell in arena.obstacles} == set(arena.obstacles)


def test_four_players_on_another_board_start_reflected_in_both_axes() -> None:
    shape = MapShape(12, 8, 4, mirrored=True, obstacles=8)
    arena = build_map(shape, 5)
    (x, y), *others = arena.starts
    assert others == [(11 - x, 7 - y), (11 - x, y), (x, 7 - y)]
    assert {(11 - x, y) for x, y in arena.obstacles} == set(arena.obstacles)


def test_random_starts_are_not_mirrored() -> None:
    shape = MapShape(30, 20, 2, mirrored=False, obstacles=0)
    pairs = [build_map(shape, seed).starts for seed in range(50)]
    assert sum(second == turned(first, shape) for first, second in pairs) <= 1


def test_same_seed_same_map_for_ever() -> None:
    """Pinned: a change of maps makes every old record unrepeatable."""
    assert build_map(MapShape(30, 20, 2, mirrored=False, obstacles=0), 1000017) == ArenaMap(
        starts=((26, 3), (11, 2)), obstacles=()
    )
    assert build_map(MapShape(9, 7, 2, mirrored=True, obstacles=6), 3) == ArenaMap(
        starts=((8, 0), (0, 6)), obstacles=((2, 1), (1, 2), (8, 2), (0, 4), (7, 4), (6, 5))
    )


def test_seeds_give_different_maps() -> None:
    shape = MapShape(30, 20, 2, mirrored=False, obstacles=0)
    assert len({build_map(shape, seed).starts for seed in range(1000)}) > 990


def test_starts_fall_everywhere() -> None:
    shape = MapShape(6, 5, 2, mirrored=False, obstacles=0)
    assert len({start for seed in range(300) for start in build_map(shape, seed).starts}) == 30


def test_no_room_is_an_error_and_no_endless_search() -> None:
    with pytest.raises(ParamError, match="obstacles: got 30, allowed: fewer"):
        build_map(MapShape(6, 6, 2, mirrored=True, obstacles=30), 1)


def test_flood_sees_a_cut() -> None:
    board = Flood(4, 3)
    assert board.is_connected([(1, 0), (1, 1)], (0, 0))
    assert not board.is_connected([(1, 0), (1, 1), (1, 2)], (0, 0))
    assert not board.is_connected([(2, 0), (3, 1)], (0, 0)), "the corner (3, 0) is cut off"
    assert not board.is_connected([(2, 0), (3, 1)], (3, 0)), "and so is the rest, seen from the corner"
    assert board.is_connected([(2, 0), (3, 1), (3, 0)], (0, 0)), "a blocked corner need not be reached"
