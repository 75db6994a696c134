"""Champions on the command line: frozen from a config, shown, gone back on."""

from harness.store.archive import thaw
from harness.store.champions import Champions
from tests.cli.bench import Bench


def test_a_life_of_champions(bench: Bench) -> None:
    missing = bench("champion", "show", "main")
    assert missing.code == 2
    assert "harness champion set main CONFIG BOT" in missing.err
    assert bench("champion", "set", "main", "duel.yaml", "cand", "--note", "the first").code == 0
    assert bench("champion", "set", "main", "duel.yaml", "flood").code == 0
    (shown,) = bench("champion", "show", "main", "--json").data
    assert (shown["bot"], shown["kind"], shown["number"]) == ("flood", "set", 1)
    assert len(shown["fingerprint"]) == 32
    assert bench("champion", "rollback", "main").code == 0
    lines = bench("champion", "history", "main").out.splitlines()
    assert "set: cand, frozen as" in lines[0]
    assert lines[0].endswith("(the first)")
    assert "rolled back: cand, as of #0" in lines[2]
    assert len(lines) == 3


def test_freezing_alone(bench: Bench) -> None:
    first = bench("champion", "freeze", "duel.yaml", "cand", "--json").data
    assert bench("champion", "freeze", "duel.yaml", "cand", "--json").data == first
    archive = Champions(bench.folder / "results" / "champions").archive
    assert thaw(archive, first["address"], "old").fingerprint == first["fingerprint"]
    assert first["address"] in bench("champion", "freeze", "duel.yaml", "cand").out


def test_an_unknown_bot_is_said(bench: Bench) -> None:
    done = bench("champion", "freeze", "duel.yaml", "nobody")
    assert done.code == 2
    assert "there is no bot 'nobody' to freeze" in done.err
    assert bench("champion", "set", "../x", "duel.yaml", "cand").code == 2
