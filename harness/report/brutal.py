"""What cg-brutaltester prints of games: the line of each, and the table "row beat column x % of games". Pure.

Percentages are of all games so far, draws left out, with two decimals rounded half up as Java does it.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from harness.records import GameRecord, MapRecord

_TIE = 1e-9
_CENT = Decimal("0.01")


class WinTable:
    """Counts who beat whom, game by game. Players are numbered as in the lineup."""

    def __init__(self, n_players: int) -> None:
        self.n_players = n_players
        self.n_games = 0
        self.n_draws = [[0] * n_players for _ in range(n_players)]
        self.n_faults = [0] * n_players
        self._beat = [[0] * n_players for _ in range(n_players)]

    def add(self, game: GameRecord) -> None:
        """Count a game."""
        seats = _seats(game)
        self.n_games += 1
        for one in range(self.n_players):
            for other in range(one + 1, self.n_players):
                lead = game.scores[seats[one]] - game.scores[seats[other]]
                if lead > _TIE:
                    self._beat[one][other] += 1
                elif lead < -_TIE:
                    self._beat[other][one] += 1
                else:
                    self.n_draws[one][other] += 1
                    self.n_draws[other][one] += 1
        for fault in game.faults:
            self.n_faults[game.seating[fault.seat]] += 1

    def shares(self) -> str:
        """Give each player's share of opponents beaten, as at the end of a game's line: ` 52.00% 31.00%`."""
        return "".join(f" {_percent(sum(row), self.n_games * (self.n_players - 1))}" for row in self._beat)

    def render(self) -> str:
        """Give the table that cg-brutaltester ends with."""
        rule = "+----------" * (self.n_players + 1) + "+"
        heads = "".join(f" Player {number + 1} |" for number in range(self.n_players))
        lines = [rule, f"| Results  |{heads}", rule]
        for one, row in enumerate(self._beat):
            cells = ["" if one == other else _percent(n, self.n_games) for other, n in enumerate(row)]
            lines += [f"| Player {one + 1} |" + "".join(f" {cell:<9}|" for cell in cells), rule]
        return "\n".join(lines)

    def render_rest(self) -> list[str]:
        """Give what that table leaves out: draws and errors."""
        draws = []
        for one in range(self.n_players):
            for other in range(one + 1, self.n_players):
                n = self.n_draws[one][other]
                draws.append(f"p{one + 1} - p{other + 1}: {n} ({_percent(n, self.n_games)})")
        errors = [f"p{number + 1}: {n}" for number, n in enumerate(self.n_faults)]
        return [f"Draws   {', '.join(draws)}", f"Errors  {', '.join(errors)}"]


def places(game: GameRecord) -> str:
    """Give the players of an old-mode game by place, as `###End` does: `0 12 3`, those that tie in one word."""
    groups: dict[float, str] = {}
    for seat, player in enumerate(game.seating):
        share = round(game.scores[seat], 9)
        groups[share] = groups.get(share, "") + str(player)
    return " ".join("".join(sorted(groups[share])) for share in sorted(groups, reverse=True))


def game_number(record: MapRecord, game: int) -> int:
    """Number a game as cg-brutaltester does: from 1, map after map."""
    return record.job * len(record.games) + game + 1


def _seats(game: GameRecord) -> list[int]:
    """Give the seat of each player."""
    seats = [0] * len(game.seating)
    for seat, player in enumerate(game.seating):
        seats[player] = seat
    return seats


def _percent(part: int, whole: int) -> str:
    share = Decimal(100 * part) / Decimal(whole) if whole else Decimal(0)
    return f"{share.quantize(_CENT, ROUND_HALF_UP)}%"
