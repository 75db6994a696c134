"""Rules and protocols that do not go together are refused with those that do."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ConfigError
from harness.records import BotSpec, RulesSpec
from harness.referee.builtin import build_referee, check_fit
from harness.rules.base import ParamError

GOMOKU = RulesSpec("gomoku")


def test_a_protocol_made_for_another_game_is_refused() -> None:
    for rules, protocol in ((GOMOKU, "uci"), (RulesSpec("chess"), "gomocup")):
        with pytest.raises(
            ConfigError, match=f"bot 'bot' speaks {protocol}, which does not fit {rules.name}"
        ) as caught:
            check_fit(build_referee(rules), [BotSpec("bot", protocol, ("bot",))])
        assert f"protocol {protocol} is made for" in str(caught.value)


def test_a_form_that_the_rules_lack_is_refused_with_the_protocols_that_fit() -> None:
    with pytest.raises(ConfigError, match="needs the form 'lines'") as caught:
        check_fit(build_referee(GOMOKU), [BotSpec("bot", "codingame", ("bot",))])
    assert "gomoku offers moves, state (protocols: gomocup, json, python)" in str(caught.value)


def test_the_place_in_the_config_is_told() -> None:
    with pytest.raises(ConfigError) as caught:
        check_fit(build_referee(GOMOKU), [BotSpec("bot", "uci", ("bot",))], lambda bot: f"a.yaml:{len(bot)}")
    assert caught.value.where == "a.yaml:3"


@pytest.mark.parametrize(("rules", "name"), [("chess", "none.epd"), ("gomoku", "none.txt")])
def test_a_file_that_is_not_there_is_an_error_of_the_key_that_names_it(rules: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(ParamError, match="No such file") as caught:
        build_referee(RulesSpec(rules, (("openings", name),), str(tmp_path)))
    assert caught.value.key == "openings"


def test_a_misspelt_name_is_told_the_nearest() -> None:
    with pytest.raises(ParamError, match="there are no rules of this name") as caught:
        build_referee(RulesSpec("gomokku"))
    assert caught.value.next_step == "did you mean `gomoku`?"


def test_what_fits_is_let_be() -> None:
    bots = [BotSpec("a", "gomocup", ("a",)), BotSpec("b", "json", ("b",)), BotSpec("c", "python", python="c:make")]
    check_fit(build_referee(GOMOKU), bots)
