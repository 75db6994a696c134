"""Referees of other kinds than brutaltester's, which play nothing: the bot that is called `best` wins.

other_modes.py KIND SEED CMD CMD, or as Halite III's environment and with an exit code: other_modes.py KIND … -s SEED
"""

import json
import sys


def main() -> int:
    kind, *words = sys.argv[1:]
    if kind == "halite":
        assert "--results-as-json" in words
        seed = int(words[words.index("-s") + 1])
        players = words[words.index("-s") + 2 :]
    elif kind == "code":
        *players, last = words
        seed = int(last.removeprefix("--seed="))
    else:
        seed, players = int(words[0]), words[1:]
    winner = 0 if "best" in players[0] else 1
    loser = 1 - winner
    match kind:
        case "psyleague":
            data = [{"turns": 1}, {"turns": 2}]
            test = {"seed": seed, "kind": "none"}
            print(json.dumps({"ranks": [winner, loser], "errors": [0, 0], "test_data": test, "player_data": data}))
            print()
        case "halite":
            stats = {str(winner): {"rank": 1, "score": 5120}, str(loser): {"rank": 2, "score": 17}}
            print(json.dumps({"stats": stats, "map_seed": seed, "map_width": 32, "terminated": {}}))
        case "json":
            print("loading\n" + json.dumps({"scores": {winner: 9, loser: 2}, "options": {"seed": seed}}, indent=1))
        case "regex":
            scores = (1, 20) if winner == 0 else (20, 1)
            print(f"map {seed}: {scores[0]} beats {scores[1]}")
            print(f"seed={seed}")
        case "lines":
            print(*((3, -1) if winner == 0 else (-1, 3)), f"seed={seed}", sep="\n")
        case "code":
            return 10 + winner
    return 0


if __name__ == "__main__":
    sys.exit(main())
