"""`harness size`: the whole answer, its words and its JSON."""

import json
from collections.abc import Callable

import pytest

from harness.cli import main
from harness.cli.size import lines
from harness.errors import ExitCode
from harness.stats.arguments import StatsInputError
from harness.stats.size import SizeQuestion, answer
from tests.stats.vectors import vector


def test_the_published_numbers_for_five_points() -> None:
    got = answer(SizeQuestion(gain_score=0.05))
    assert got.duel.n == vector("sample_size_0.05_duel").expected["games"]
    needs = {version.correlation: version.games.n for version in got.versions}
    assert needs == {
        0.0: vector("sample_size_0.05_rho0").expected["games"],
        0.5: vector("sample_size_0.05_rho0.5").expected["games"],
    }
    assert got.maps.n == 393
    assert dict(got.power_curve)[393] == pytest.approx(0.8, abs=0.001)


def test_the_three_units_are_one_gain() -> None:
    by_score = answer(SizeQuestion(gain_score=0.03, draw_share=0.4))
    by_elo = answer(SizeQuestion(gain_elo=by_score.gain_elo, draw_share=0.4))
    by_nelo = answer(SizeQuestion(gain_nelo=by_score.gain_nelo, draw_share=0.4))
    assert by_elo.gain_score == pytest.approx(0.03)
    assert by_nelo.gain_score == pytest.approx(0.03)
    assert by_elo.maps == by_nelo.maps == by_score.maps


def test_a_sequential_test_of_ten_nelo_takes_about_6_500_games() -> None:
    got = answer(SizeQuestion(gain_nelo=10, draw_share=0.4))
    nothing, half, all_of_it = got.sequential
    assert nothing.plan.expected_games == pytest.approx(6500, rel=0.02)
    assert all_of_it.plan.expected_games == pytest.approx(6500, rel=0.02)
    assert half.plan.expected_games > nothing.plan.expected_games
    assert nothing.plan.pass_probability < 0.05
    assert all_of_it.plan.pass_probability > 0.95


def test_a_measured_spread_replaces_the_assumed_one() -> None:
    got = answer(SizeQuestion(gain_score=0.02, map_sd=0.2, correlation=0.3, n_maps=100))
    assert got.is_sd_measured
    assert got.map_sd == 0.2
    assert got.maps.n == 785
    assert len(got.versions) == 1
    assert got.given is not None
    assert got.given.smallest_gain_score == pytest.approx(2.8015852 * 0.2 / 10)


def test_words_and_json_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["size", "--gain", "0.05", "--maps", "400"]) == ExitCode.DONE
    text = capsys.readouterr().out
    assert "785 independent games" in text
    assert "393 maps in 2 seatings" in text
    assert "400 maps" in text
    assert main.main(["size", "--elo", "5", "--json"]) == ExitCode.DONE
    found = json.loads(capsys.readouterr().out)
    assert found["gain_elo"] == pytest.approx(5)
    assert found["duel"]["unit"] == "games"


def test_words_for_questions_at_the_edge() -> None:
    text = "\n".join(lines(answer(SizeQuestion(gain_nelo=300, map_sd=0.01, correlation=1.0, n_maps=1))))
    assert "as measured" in text
    assert "a single game" in text
    assert "nan" not in text
    assert "inf" not in text
    small = "\n".join(lines(answer(SizeQuestion(gain_score=0.01, n_maps=1))))
    assert "no gain at all" in small


def test_a_missing_or_doubled_unit_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["size"]) == ExitCode.USAGE
    assert "exactly one unit" in capsys.readouterr().err
    assert main.main(["size", "--gain", "0.05", "--elo", "5"]) == ExitCode.USAGE
    assert "gain_score 0.05, gain_elo 5.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: answer(SizeQuestion(gain_score=0.5)), "gain_score is 0.5"),
        (lambda: answer(SizeQuestion(gain_elo=-5.0)), "gain_elo is -5.0"),
        (lambda: answer(SizeQuestion(gain_nelo=9000.0)), "gain_nelo is 9000.0"),
        (lambda: answer(SizeQuestion(gain_score=0.1, draw_share=1.0)), "all drawn"),
        (lambda: answer(SizeQuestion(gain_score=0.1, map_sd=0.0)), "map_sd is 0.0"),
        (lambda: answer(SizeQuestion(gain_score=0.1, n_maps=0)), "n_maps is 0"),
        (lambda: answer(SizeQuestion(gain_score=0.1, power=1.0)), "power is 1.0"),
        (lambda: answer(SizeQuestion(gain_score=0.1, correlation=2.0)), "correlation is 2.0"),
    ],
)
def test_questions_that_no_play_can_answer_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()
