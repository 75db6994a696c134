import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.protocols.uci_info import Info, all_last_scored, last_scored, parse_info, pgn_comment

STOCKFISH = (
    "info depth 12 seldepth 17 multipv 1 score cp 31 nodes 20345 nps 812000 hashfull 9 time 25 pv e2e4 e7e5 g1f3"
)


def test_a_full_line_is_read() -> None:
    assert parse_info(STOCKFISH) == Info(depth=12, seldepth=17, multipv=1, score_cp=31, nodes=20345, time_ms=25)


def test_the_word_info_may_be_missing() -> None:
    assert parse_info(STOCKFISH.removeprefix("info ")) == parse_info(STOCKFISH)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Info()),
        ("info", Info()),
        ("score mate -3 depth 20", Info(mate=-3, depth=20)),
        ("score mate 0", Info(mate=0)),
        ("score cp -12 upperbound depth 3", Info(score_cp=-12, bound="upper", depth=3)),
        ("score lowerbound cp 5", Info(bound="lower")),
        ("depth 9 score cp 40 lowerbound nodes 7", Info(depth=9, score_cp=40, bound="lower", nodes=7)),
        ("score cp 20 wdl 300 600 100 depth 4", Info(score_cp=20, depth=4)),
        ("score cp 10 score mate 2", Info(mate=2)),
        ("score mate 2 score cp 10", Info(score_cp=10)),
        ("score cp 10 lowerbound score cp 11", Info(score_cp=11)),
        ("score cp +7", Info(score_cp=7)),
        ("score cp", Info()),
        ("score", Info()),
        ("score cp mate 3", Info()),
        ("score cp 0.31 depth 5", Info(depth=5)),
        ("score 31 depth 5", Info(depth=5)),
        ("depth depth 6", Info(depth=6)),
        ("depth", Info()),
        ("depth - time 3", Info(time_ms=3)),
        ("depth 6 string depth 99 score cp 1", Info(depth=6)),
        ("pv e2e4 e7e5 depth 8 score cp 3", Info(depth=8, score_cp=3)),
        ("currmove e2e4 currmovenumber 3 depth 2", Info(depth=2)),
        ("depth 1" + "0" * 5000 + " nodes 4", Info(nodes=4)),
        ("depth ٣ nodes ² time 1", Info(time_ms=1)),
        ("  depth\t7 \r\n", Info(depth=7)),
    ],
)
def test_odd_lines_give_what_is_readable(text: str, expected: Info) -> None:
    assert parse_info(text) == expected


WORDS = [
    "info",
    "depth",
    "score",
    "cp",
    "mate",
    "lowerbound",
    "string",
    "pv",
    "nodes",
    "time",
    "-",
    "+",
    "12",
    "-3",
    "x",
]


@given(st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(WORDS), st.text()), max_size=30).map(" ".join)))
def test_no_text_raises(text: str) -> None:
    info = parse_info(text)
    assert info.mate is None or info.score_cp is None
    assert pgn_comment(info, 0.5).endswith("0.500s")


@given(
    depth=st.integers(0, 250),
    cp=st.integers(-30000, 30000),
    nodes=st.integers(0, 2**63 - 1),
    time_ms=st.integers(0, 10**9),
)
def test_what_an_engine_writes_comes_back(depth: int, cp: int, nodes: int, time_ms: int) -> None:
    info = parse_info(f"info depth {depth} score cp {cp} nodes {nodes} time {time_ms} pv e2e4")
    assert info == Info(depth=depth, score_cp=cp, nodes=nodes, time_ms=time_ms)


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        (Info(score_cp=31, depth=12), "+0.31/12 0.010s"),
        (Info(score_cp=-1234, depth=1), "-12.34/1 0.010s"),
        (Info(score_cp=0), "+0.00 0.010s"),
        (Info(mate=3, depth=20), "+M3/20 0.010s"),
        (Info(mate=-2, depth=20), "-M2/20 0.010s"),
        (Info(mate=0), "-M0 0.010s"),
        (Info(depth=3), "0.010s"),
        (Info(), "0.010s"),
    ],
)
def test_pgn_comment(info: Info, expected: str) -> None:
    assert pgn_comment(info, 0.0101) == expected


SAID = st.lists(
    st.sampled_from(
        [
            b"info depth 1 score cp 10",
            b"info depth 1 score cp 10\r",
            b"info string nothing",
            b"info currmove e2e4",
            b"a score of its own",
            b" score ",
            b"info score cp 1 pv" + b" e2e4" * 60,
            b"",
        ]
    ),
    max_size=3,
).map(lambda lines: b"".join(line + b"\n" for line in lines))


@given(st.lists(SAID, max_size=6))
def test_a_whole_game_is_looked_through_as_ply_by_ply(said: list[bytes]) -> None:
    each = tuple(last_scored(ply).decode() for ply in said)
    assert all_last_scored(said) == (each if any(said) else ())


def test_the_last_scored_line_is_found() -> None:
    said = b"info depth 1 score cp 10\ninfo depth 2 score cp 25 pv d2d4\r\ninfo string near\ninfo depth 3 score cp"
    assert last_scored(said) == b"depth 2 score cp 25 pv d2d4"
    assert all_last_scored([b"info depth 1 score cp 10\n"] * 2) == ("depth 1 score cp 10",) * 2
