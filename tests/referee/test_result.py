"""What a referee prints, read: scores with noise around them, JSON of two kinds, and everything that is no result."""

from __future__ import annotations

import re
from typing import Any

import pytest

from harness.records import RefereeMode, RefereeSpec, ResultForm, ResultSpec, ScoreOrder
from harness.referee.points import points
from harness.referee.result import Reported, ResultProblem, grammar_of

NOISE = "League level: 4.\nWARNING: sun.reflect.Reflection.getCallerClass is not supported.\n3\nplayers loaded\n"


def read(output: str, code: int = 0, *, mode: str = "brutal", n_seats: int = 2, **result: Any) -> Reported:
    spec = RefereeSpec(RefereeMode(mode), n_seats, ("x",), result=ResultSpec(**result))
    return grammar_of(spec)(output, code)


def problem(output: str, code: int = 0, **keys: Any) -> str:
    with pytest.raises(ResultProblem) as caught:
        read(output, code, **keys)
    return str(caught.value)


# ---------------------------------------------------------------------------------------- lines


def test_scores_and_pairs_as_the_sdk_prints_them() -> None:
    reported = read("7\n1\nseed=-4430215380743402492\n\nlevel=wood 2\n\n")
    assert list(reported.values) == [7, 1]
    assert reported.data == (("seed", -4430215380743402492), ("level", "wood 2"))
    assert reported.echo == "-4430215380743402492"


@pytest.mark.parametrize("before", ["", NOISE, "12\n" + NOISE, "a=1\n\n"])
@pytest.mark.parametrize("scores", [(7, 1), (-1, 12), (0, 0), (1.5, -2.25), (3, 4, 5, 6)])
def test_noise_before_scores_is_no_score(before: str, scores: tuple[float, ...]) -> None:
    output = before + "".join(f"{score}\r\n" for score in scores) + "seed=5\n"
    assert read(output, n_seats=len(scores)).values == scores


def test_noise_after_scores_is_no_matter_if_nothing_else_looks_like_them() -> None:
    assert list(read("hello\n1\n0\nseed=5\nclosing the viewer\n").values) == [1, 0]
    assert "not clear" in problem("12 bots\n7\nx\n1\n0\nseed=5\nclosing the viewer\n")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "said nothing"),
        ("\n\n", "said nothing"),
        ("hello\nseed=5\n", "no scores"),
        ("1\nseed=5\n", "1 scores for 2 seats"),
        ("1\n0\n3\nseed=5\n", "3 scores for 2 seats"),
        ("1\nnull\nseed=5\n", "seat 1 is null"),
        ("null\nnull\n", "seat 0 is null"),
        ("nan\n1\n", "1 scores for 2 seats"),
    ],
)
def test_what_is_no_result(output: str, words: str) -> None:
    assert words in problem(output)


def test_an_exit_code_is_no_result_whatever_was_said() -> None:
    assert problem("", 1) == "it ended with exit code 1 and said nothing"
    assert problem("1\n0\n", 3) == "it ended with exit code 3"
    assert problem("1\n0\n", -11) == "it was killed by signal 11"


# ----------------------------------------------------------------------------------------- JSON


def test_psyleague_s_json() -> None:
    text = '{"ranks":[1,0],"errors":[0,1],"test_data":{"seed":12,"n":[1]},"player_data":[{"t":0.5},{}]}'
    reported = read(f"some noise\n{text}\n", mode="psyleague")
    assert list(reported.values) == [1, 0]
    assert reported.failed == (1,)
    assert reported.data == (("seed", 12),)
    assert reported.seat_data == ((("t", 0.5),), ())
    assert reported.echo == "12"


def test_a_list_of_psyleague_s_results_is_averaged() -> None:
    reported = read('[{"ranks":[0,1]},{"ranks":[0,0]}]', mode="psyleague")
    assert [list(each) for each in reported.games] == [[0, 1], [0, 0]]
    assert list(reported.values) == [0, 0.5]


HALITE = """{"error_logs":{},"execution_time":812,"map_generator":"fractal","map_height":32,"map_seed":77,
"map_width":32,"terminated":{"0":false,"1":true},"stats":{"0":{"rank":1,"score":5120},"1":{"rank":2,"score":5120}}}"""


def test_halite_s_json() -> None:
    reported = read(HALITE, mode="halite")
    assert list(reported.values) == [5120, 5120]
    assert list(reported.places or ()) == [1, 2]
    assert reported.failed == (1,)
    assert reported.echo == "77"
    assert ("map_width", 32) in reported.data


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "said nothing"),
        ("Traceback (most recent call last):\n", "no JSON object"),
        ('{"ranks":[0,1]', "no JSON object"),
        ('{"ranks":[0,NaN]}', "no JSON object"),
        ("[]", "list of results is empty"),
        ('{"scores":[0,1]}', "no `ranks`"),
        ('{"ranks":[0]}', "1 numbers for 2 seats"),
        ('{"ranks":[0,null]}', "null for a seat"),
        ('{"ranks":[0,"1"]}', "no number"),
        ('{"ranks":[0,true]}', "no number"),
        ('{"ranks":{"a":1}}', "`ranks` is no list"),
        ('{"ranks":[0,1],"errors":[0]}', "`errors` has not something for each of 2 seats"),
    ],
)
def test_what_is_no_psyleague_result(output: str, words: str) -> None:
    assert words in problem(output, mode="psyleague")


def test_what_is_no_halite_result() -> None:
    assert "no `stats`" in problem("{}", mode="halite")
    assert "1 players for 2 seats" in problem('{"stats":{"0":{"rank":1}}}', mode="halite")
    assert "no `rank`" in problem('{"stats":{"0":{},"1":{}}}', mode="halite")
    assert "keys with values" in problem('{"stats":[1,2]}', mode="halite")


# ------------------------------------------------------------------------------------- templates


def test_a_path_into_json() -> None:
    document = '{"a":{"1":{"s":3},"0":{"s":4},"10":{"s":5}},"list":[[1,2,3]],"seed":9}'
    keys: dict[str, Any] = {"mode": "template", "n_seats": 3, "form": ResultForm.JSON}
    assert list(read(document, pattern="a.*.s", **keys).values) == [4, 3, 5]
    assert list(read(document, pattern="list.0", **keys).values) == [1, 2, 3]
    reported = read(document, pattern="list.*.*", echo="seed", **keys)
    assert (reported.values, reported.echo, reported.data) == ((1, 2, 3), "9", (("seed", 9),))
    assert "nothing at 'nothing.here'" in problem(document, pattern="nothing.here", **keys)
    assert "keys with values" in problem(document, pattern="a", **keys)


def test_a_regular_expression() -> None:
    keys: dict[str, Any] = {"mode": "template", "form": ResultForm.REGEX}
    text = "score 1: 5\nscore 2: -3\nFinal 5 to -3 (map 77)\n"
    assert list(read(text, pattern=r"^Final (-?\d+) to (-?\d+)", **keys).values) == [5, -3]
    reported = read(text, pattern=r"score \d: (-?\d+)", echo=r"map (\d+)", **keys)
    assert (reported.values, reported.echo) == ((5, -3), "77")
    assert "nothing that it said" in problem(text, pattern="x(.)(.)", **keys)
    assert "2 numbers for 3 seats" in problem(text, n_seats=3, pattern=r"score \d: (-?\d+)", **keys)
    assert "no number: 'to'" in problem(text, pattern=r"(to) (-3)", **keys)


def test_an_exit_code() -> None:
    codes = ((10, (1.0, 0.0)), (0, (1.0, 1.0)))
    keys: dict[str, Any] = {"mode": "template", "form": ResultForm.EXIT_CODE, "codes": codes}
    assert list(read("seed=4\n", 10, **keys).values) == [1, 0]
    assert read("seed=4\n", 10, **keys).echo == "4"
    assert "exit code 3, which `result.exit_code` does not name" in problem("", 3, **keys)
    assert "a signal, 9" in problem("", -9, **keys)


# ---------------------------------------------------------------------------------------- points


def test_points() -> None:
    high, low = ScoreOrder.HIGHER_IS_BETTER, ScoreOrder.RANKS
    assert list(points((7, 1), high)) == [1, 0]
    assert list(points((7, 1), low)) == [0, 1]
    assert list(points((3, 3), high)) == [0.5, 0.5]
    assert list(points((5, 5, 1), high)) == [0.75, 0.75, 0]
    assert list(points((9, 5, 1), high, [0])) == [0, 1, 0.5]
    assert list(points((-1, -1), high, [0, 1])) == [0.5, 0.5]
    assert list(points((4,), high)) == [1]
    assert list(points((4,), high, [0])) == [0]
    for n in range(2, 9):
        assert sum(points(tuple(range(n)), low)) == pytest.approx(n / 2)


def test_numbers_are_read_whole_or_not_at_all() -> None:
    assert re.search("1 scores", problem("1e5x\n1\n"))
    assert list(read("1e3\n.5\n").values) == [1000, 0.5]
