import pytest

from harness.config.settings import Seats
from harness.plan.seatings import MAX_GAMES_A_MAP, SeatsError, build_seatings


def test_two_seats_are_the_same_in_all_three() -> None:
    assert {build_seatings(option, 2) for option in Seats} == {((0, 1), (1, 0))}


def test_one_seat_is_one_game() -> None:
    assert build_seatings(Seats.ROTATIONS, 1) == ((0,),)
    assert build_seatings(Seats.PERMUTATIONS, 1) == ((0,),)


@pytest.mark.parametrize("n_seats", [2, 3, 4, 8])
def test_rotations_put_everyone_in_every_seat_once(n_seats: int) -> None:
    seatings = build_seatings(Seats.ROTATIONS, n_seats)
    assert len(seatings) == n_seats
    assert seatings[0] == tuple(range(n_seats))
    for seat in range(n_seats):
        assert sorted(seating[seat] for seating in seatings) == list(range(n_seats))


@pytest.mark.parametrize(("n_seats", "n_games"), [(3, 6), (4, 24), (6, MAX_GAMES_A_MAP)])
def test_permutations_are_all_orders_once(n_seats: int, n_games: int) -> None:
    seatings = build_seatings(Seats.PERMUTATIONS, n_seats)
    assert len(set(seatings)) == len(seatings) == n_games
    assert all(sorted(seating) == list(range(n_seats)) for seating in seatings)


@pytest.mark.parametrize(("option", "n_seats"), [(Seats.BOTH, 1), (Seats.BOTH, 3), (Seats.PERMUTATIONS, 7)])
def test_options_that_do_not_fit(option: Seats, n_seats: int) -> None:
    with pytest.raises(SeatsError) as caught:
        build_seatings(option, n_seats)
    assert str(n_seats) in caught.value.what
    assert "rotations" in caught.value.next_step
