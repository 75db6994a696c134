"""Tables and PGN files of other programs: what their columns and tags mean, and what is refused."""

from pathlib import Path

import pytest

from harness.errors import ResultsError
from harness.store.pgn_tags import read_pgn
from harness.store.tables import CountRow, GameRow, TableNotes, Unit, read_table


def table(tmp_path: Path, text: str, name: str = "t.csv") -> tuple[list[GameRow | CountRow], TableNotes]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    notes = TableNotes()
    return list(read_table(path, notes)), notes


def test_games_with_results(tmp_path: Path) -> None:
    rows, notes = table(
        tmp_path,
        "\ufeffRound;White;Black;Result;Map\n1;ann;bob;1-0;m1\n\n1;bob;ann;1/2-1/2;m1\n2;ann;bob;*;m2\n2;bob;ann;0-1;m2\n",
    )
    assert rows == [
        GameRow("m1", ("ann", "bob"), (1.0, 0.0)),
        GameRow("m1", ("bob", "ann"), (0.5, 0.5)),
        GameRow("m2", ("bob", "ann"), (0.0, 1.0)),
    ]
    assert notes == TableNotes(Unit.COLUMN, 1)


def test_games_with_scores_and_no_map_stand_alone(tmp_path: Path) -> None:
    rows, notes = table(tmp_path, 'first,second,score\nann,"bob, jr",0.75\nann,"bob, jr",1\n')
    assert rows == [
        GameRow("line 2", ("ann", "bob, jr"), (0.75, 0.25)),
        GameRow("line 3", ("ann", "bob, jr"), (1.0, 0.0)),
    ]
    assert notes.unit is Unit.GAME


def test_counted_lines(tmp_path: Path) -> None:
    rows, notes = table(tmp_path, "first\tsecond\tw\td\tl\nann\tbob\t10\t5\t3\n", "t.tsv")
    assert rows == [CountRow("line 2", "ann", "bob", 10.0, 5.0, 3.0)]
    assert notes.unit is Unit.NONE
    rows, notes = table(tmp_path, "seed,first,second,wins,draws,losses\n7,ann,bob,1,0,1\n")
    assert rows == [CountRow("7", "ann", "bob", 1.0, 0.0, 1.0)]
    assert notes.unit is Unit.COLUMN


def test_fields_of_several_seats(tmp_path: Path) -> None:
    rows, _ = table(tmp_path, "map,bot1,score1,bot2,score2,bot3,score3\nx,a,9,b,2,c,2\ny,a,3,b,8,,\nz,a,0.5,b,0.5,,\n")
    assert rows == [
        GameRow("x", ("a", "b", "c"), (9.0, 2.0, 2.0)),
        GameRow("y", ("a", "b"), (0.0, 1.0)),
        GameRow("z", ("a", "b"), (0.5, 0.5)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,elo\na,1500\n", "header does not say who played"),
        ("", "an empty file"),
        ("first,second,result\na,b,win\n", r"t\.csv:2"),
        ("first,second,result\na,,1-0\n", "a name"),
        ("first,second,score\na,b,1\na,b,2\n", r"t\.csv:3"),
        ("first,second,score\na,b,x\n", "a number"),
        ("first,second,wins,draws,losses\na,b,1,-1,0\n", "0 or more"),
        ("first,second,wins,draws,losses\na,b,1\n", "column 'draws'"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ResultsError, match=message):
        table(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot read this table"):
        list(read_table(tmp_path / "none.csv"))
    with pytest.raises(ResultsError, match="cannot read this PGN file"):
        list(read_pgn(tmp_path / "none.pgn"))


PGN = """\
[Event "test"]
[Site "?"]
[Round "3.1"]
[White "Fast \\"the\\" one"]
[Black "slow"]
[Result "1-0"]

1. e4 { [%clk 0:01] a comment
that goes on

[%eval 0.3] after an empty line } e5 2. Nf3 1-0

[Event "test"]
[Round "3.2"]
[White "slow"]
[Black "Fast \\"the\\" one"]
[Result "1/2-1/2"]
[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]

1/2-1/2
[Event "test"]
[Round "-"]
[White "slow"]
[Black "other"]
[Result "*"]

*

[Event "test"]
[Round "-"]
[White "slow"]
[Black "other"]
[Result "0-1"]
"""


def pgn(tmp_path: Path, unit: Unit | None = None) -> tuple[list[GameRow], TableNotes]:
    path = tmp_path / "games.pgn"
    path.write_text(PGN, encoding="utf-8")
    notes = TableNotes()
    return list(read_pgn(path, notes, unit=unit)), notes


def test_pgn_tags(tmp_path: Path) -> None:
    rows, notes = pgn(tmp_path)
    fast = 'Fast "the" one'
    assert [(row.names, row.scores) for row in rows] == [
        ((fast, "slow"), (1.0, 0.0)),
        (("slow", fast), (0.5, 0.5)),
        (("slow", "other"), (0.0, 1.0)),
    ]
    assert notes.n_unfinished == 1
    assert rows[1].map_key == "8/8/8/8/8/8/8/K1k5 w - - 0 1"
    assert rows[0].map_key == f"test\n3\n{fast}\nslow"
    assert rows[2].map_key == "game 4"


def test_what_counts_as_one_map_in_pgn(tmp_path: Path) -> None:
    keys = {unit: [row.map_key for row in pgn(tmp_path, unit)[0]] for unit in (Unit.FEN, Unit.ROUND, Unit.GAME)}
    assert keys[Unit.FEN] == ["game 1", "8/8/8/8/8/8/8/K1k5 w - - 0 1", "game 4"]
    assert keys[Unit.ROUND] == ["test\n3", "test\n3", "game 4"]
    assert keys[Unit.GAME] == ["game 1", "game 2", "game 4"]
    assert pgn(tmp_path, Unit.GAME)[1].unit is Unit.GAME


def test_games_without_players_or_result_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n[White "a"]\n[Result "2-0"]\n\n2-0\n')
    with pytest.raises(ResultsError, match=r"bad\.pgn:7"):
        list(read_pgn(path))
    path.write_bytes(b'[White "M\xfcller"]\n[Black "b"]\n[Result "1-0"]\n')
    assert next(iter(read_pgn(path))).names == ("M\ufffdller", "b")
