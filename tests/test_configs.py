"""Every file in configs/ and seeds/ is one that a user can run as it stands."""

from pathlib import Path

import pytest

from harness.config.fingerprint import bot_fingerprint, config_fingerprint
from harness.config.load import load_config
from harness.plan.plan import build_plan
from harness.referee.builtin import build_referee, check_fit
from harness.store.ledger import read_ledger

ROOT = Path(__file__).parents[1]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
LEDGERS = sorted((ROOT / "seeds").glob("*.yaml"))


def test_the_shipped_ones_are_there() -> None:
    assert {path.stem for path in CONFIGS} >= {"chess", "lightcycles-4p", "mirror-trap", "quickstart"}
    assert {path.stem for path in LEDGERS} >= {"chess", "lightcycles"}


@pytest.mark.engines
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_config(path: Path) -> None:
    config = load_config(path)
    if config.referee is None:
        referee = build_referee(config.rules)
        check_fit(referee, config.bots)
        n_seats = referee.n_seats
    else:
        n_seats = config.referee.spec.n_seats
    assert config.maps.ledger is not None
    ledger = read_ledger(config.maps.ledger)
    plan = build_plan(
        config,
        ledger,
        n_seats=n_seats,
        run=config.name,
        run_key=config_fingerprint(config, ledger).digest,
    )
    assert len(plan) > 0
    assert len({bot_fingerprint(bot, config.source(bot.name)).digest for bot in config.bots}) >= 2
    assert config.results == ROOT / "results"


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: path.stem)
def test_ledger(path: Path) -> None:
    ledger = read_ledger(path)
    assert ledger.name == path.stem
    for _, seeds in ledger.ranges:
        assert seeds.size >= 50


def test_no_two_splits_of_the_chess_ledger_share_an_opening() -> None:
    ledger = read_ledger(ROOT / "seeds" / "chess.yaml")
    book = (ROOT / "configs" / "openings.epd").read_text(encoding="utf-8")
    n_openings = len({tuple(line.split()[:4]) for line in book.splitlines() if line.strip()})
    first = min(seeds.first for _, seeds in ledger.ranges)
    last = max(seeds.last for _, seeds in ledger.ranges)
    assert last - first + 1 <= n_openings, "seeds a book's length apart are the same opening"
