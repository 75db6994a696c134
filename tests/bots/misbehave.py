"""A bot that plays well but for one fault: a real program for tests, for every protocol there is.

    misbehave.py --protocol NAME --fault NAME [--at PLY] [--path PATH ...] [--port N] [--tag TEXT]

NAME of a protocol is codingame, uci, json, gomocup, gtp or xboard. It plays light cycles (codingame), shuffles its
knights (uci), takes the first free cell (gomocup) or the first legal action (json), and does NAME at its own ply PLY,
counted from 0; faults of the start happen at the start, and faults of style (`EVERY_PLY`) from that ply on. `--one-in
N` with several names in `--fault` (comma between) picks one of them in one of N games, by HARNESS_BOT_SEED and, in a
program that is kept, the number of the game; `picked_fault` says which.

It is long because it is one program with a grammar for each protocol, so that a fault is the same under all of them.

Nothing here goes on for ever or takes all of anything: bombs have a last generation, floods a last byte.
The tag is on the command line of everything it starts, so that a test can find what is left.
"""

# pathlib would double the time to start
# ruff: noqa: PTH100, PTH105, PTH118, PTH123, PTH202, PTH208, FURB122

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONG_S = 120.0
PROBE_EXIT = 7  # a probe that could do what it must not be able to do


class Lines:
    """Light cycles in the contest's lines: goes to the first free cell."""

    STEPS = {"UP": (0, -1), "RIGHT": (1, 0), "DOWN": (0, 1), "LEFT": (-1, 0)}  # noqa: RUF012

    def __init__(self) -> None:
        self.free = {(x, y) for x in range(30) for y in range(20)}
        self.head = (0, 0)
        self.ply = 0
        self.game = 1

    def handshake(self, fault: str) -> None:
        if fault == "wrong-handshake":
            say(b"hello, I am a bot\n")

    def read(self) -> bool:
        line = hear()
        if line.startswith(b"board"):
            _, width, height, _, n_obstacles = line.split()
            self.free = {(x, y) for x in range(int(width)) for y in range(int(height))}
            for _ in range(int(n_obstacles)):
                self.free.discard(numbers(hear()))
            line = hear()
        if not line:
            return False
        n_players, me = numbers(line)
        for player in range(n_players):
            tail_x, tail_y, x, y = numbers(hear())
            self.free -= {(tail_x, tail_y), (x, y)}
            if player == me:
                self.head = (x, y)
        return True

    def answer(self) -> bytes:
        x, y = self.head
        for name, (dx, dy) in self.STEPS.items():
            if (x + dx, y + dy) in self.free:
                return name.encode() + b"\n"
        return b"UP\n"

    def noise(self) -> bytes:
        return b"still thinking\n"

    def illegal(self) -> bytes:
        return b"SIDEWAYS\n"


class Uci:
    """Chess over UCI: knights out and back, which is legal as long as the other does the same."""

    MOVES = (("g1f3", "f3g1"), ("g8f6", "f6g8"))

    def __init__(self) -> None:
        self.n_moves = 0
        self.ply = 0
        self.game = 0

    def handshake(self, fault: str) -> None:
        if fault == "hang-before-handshake":
            time.sleep(LONG_S)
        while (line := hear().strip()) != b"uci":
            if not line:
                sys.exit(0)
        say(b"hello\n" if fault == "wrong-handshake" else b"id name Misbehave\noption name Hash type spin\nuciok\n")

    def read(self) -> bool:
        while line := hear():
            words = line.split()
            if words[:1] == [b"ucinewgame"]:
                self.ply = 0
                self.game += 1
            elif words[:1] == [b"isready"]:
                say(b"readyok\n")
            elif words[:1] == [b"position"]:
                self.n_moves = len(words) - 3 if b"moves" in words else 0
            elif words[:1] == [b"go"]:
                return True
            elif words[:1] == [b"quit"]:
                return False
        return False

    def answer(self) -> bytes:
        move = self.MOVES[self.n_moves % 2][self.n_moves // 2 % 2]
        return b"bestmove " + move.encode() + b"\n"

    def noise(self) -> bytes:
        return b"info depth 1 score cp 0 nodes 1 string still thinking\n"

    def illegal(self) -> bytes:
        return b"bestmove e1e5\n"


class Json:
    """Any game in JSON lines: takes the first of what is legal."""

    def __init__(self) -> None:
        self.legal: list[str] = []
        self.ply = 0
        self.game = 0

    def handshake(self, fault: str) -> None:
        if fault == "hang-before-handshake":
            time.sleep(LONG_S)
        if not hear():
            sys.exit(0)
        say(b"hello\n" if fault == "wrong-handshake" else b'{"type":"hello","protocol":1,"keeps_alive":true}\n')

    def read(self) -> bool:
        import json  # the other protocols need none

        while line := hear():
            message = json.loads(line)
            if message["type"] == "game":
                self.ply = 0
                self.game += 1
                say(b'{"type":"ready"}\n')
            elif message["type"] == "turn":
                self.legal = message["state"]["legal"]
                return True
            elif message["type"] == "quit":
                return False
        return False

    def answer(self) -> bytes:
        return b'{"action":"%b"}\n' % self.legal[0].encode()

    def noise(self) -> bytes:
        return b"still thinking\n"

    def illegal(self) -> bytes:
        return b'{"action":"SIDEWAYS"}\n'


class Gomocup:
    """Gomoku by Gomocup's protocol: takes the first free cell, row by row."""

    def __init__(self) -> None:
        self.side = 0
        self.taken: set[str] = set()
        self.last = "99,99"
        self.ply = 0
        self.game = 0

    def handshake(self, fault: str) -> None:
        if fault == "hang-before-handshake":
            time.sleep(LONG_S)
        if fault == "wrong-handshake":
            say(b"ERROR no board\n")

    def read(self) -> bool:
        while line := hear().strip().decode():
            command, _, rest = line.partition(" ")
            if command in {"START", "RESTART"}:
                self.side = int(rest or self.side)
                self.taken = set()
                self.ply = 0
                self.game += 1
                say(b"OK\n")
            elif command == "ABOUT":
                say(b'name="Misbehave"\n')
            elif command == "TURN":
                self.take(rest)
                return True
            elif command == "BEGIN":
                return True
            elif command == "BOARD":
                while (line := hear().strip().decode()) != "DONE":
                    self.take(line.rpartition(",")[0])
                return True
            elif command == "END":
                return False
        return False

    def take(self, cell: str) -> None:
        self.last = cell
        self.taken.add(cell)

    def answer(self) -> bytes:
        cells = [f"{x},{y}" for y in range(self.side) for x in range(self.side)]
        free = next(cell for cell in cells if cell not in self.taken)
        self.taken.add(free)
        return free.encode() + b"\n"

    def noise(self) -> bytes:
        return b"MESSAGE depth 1 ev 0 still thinking\n"

    def illegal(self) -> bytes:
        return self.last.encode() + b"\n"


class Gtp:
    """Go over GTP: takes the first free point, column by column; never captures, for it fills a column first."""

    LETTERS = "ABCDEFGHJ"

    def __init__(self) -> None:
        self.side = 9
        self.taken: set[str] = set()
        self.last = "I5"
        self.ply = 0
        self.game = 0

    def handshake(self, fault: str) -> None:
        if fault == "hang-before-handshake":
            time.sleep(LONG_S)
        if fault == "wrong-handshake":
            say(b"hello, I am a bot\n")
            hear()

    def read(self) -> bool:
        known = b"name version list_commands boardsize clear_board komi play genmove quit"
        while line := hear():
            words = line.decode().split()
            if words[0] == "genmove":
                return True
            if words[0] == "quit":
                return False
            if words[0] == "boardsize":
                self.side = int(words[1])
                self.ply = 0
                self.game += 1
            elif words[0] == "clear_board":
                self.taken = set()
            elif words[0] == "play":
                self.last = words[2]
                self.taken.add(self.last)
            say(
                b"= " + {"list_commands": known.replace(b" ", b"\n"), "name": b"Misbehave"}.get(words[0], b"") + b"\n\n"
            )
        return False

    def answer(self) -> bytes:
        points = [f"{letter}{row + 1}" for letter in self.LETTERS[: self.side] for row in range(self.side)]
        free = next((point for point in points[: -self.side] if point not in self.taken), "pass")
        self.taken.add(free)
        return b"= " + free.encode() + b"\n\n"

    def noise(self) -> bytes:
        return b"# still thinking\n"

    def illegal(self) -> bytes:
        return b"= Z99\n\n"


class Xboard:
    """Chess over xboard's protocol: knights out and back."""

    def __init__(self) -> None:
        self.n_moves = 0
        self.is_forced = False
        self.ply = 0
        self.game = 0

    def handshake(self, fault: str) -> None:
        if fault == "hang-before-handshake":
            time.sleep(LONG_S)
        while (line := hear()) and not line.startswith(b"protover"):
            pass
        if fault != "wrong-handshake":
            say(b'feature ping=1 setboard=1 usermove=1 myname="Misbehave" done=1\n')
        else:
            say(b"hello\n")

    def read(self) -> bool:
        while line := hear():
            word, _, rest = line.strip().partition(b" ")
            if word == b"new":
                self.n_moves = self.ply = 0
                self.game += 1
                self.is_forced = False
            elif word == b"ping":
                say(b"pong " + rest + b"\n")
            elif word == b"force":
                self.is_forced = True
            elif word == b"go":
                self.is_forced = False
                return True
            elif word == b"usermove":
                self.n_moves += 1
                if not self.is_forced:
                    return True
            elif word == b"quit":
                return False
        return False

    def answer(self) -> bytes:
        move = Uci.MOVES[self.n_moves % 2][self.n_moves // 2 % 2]
        self.n_moves += 1
        return b"move " + move.encode() + b"\n"

    def noise(self) -> bytes:
        return b"1 0 0 1 still thinking\n"

    def illegal(self) -> bytes:
        return b"move e1e5\n"


Bot = Lines | Uci | Json | Gomocup | Gtp | Xboard
PROTOCOLS: "dict[str, Callable[[], Bot]]" = {
    "codingame": Lines,
    "uci": Uci,
    "json": Json,
    "gomocup": Gomocup,
    "gtp": Gtp,
    "xboard": Xboard,
}


def hear() -> bytes:
    return sys.stdin.buffer.readline()


def say(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def numbers(line: bytes) -> tuple[int, ...]:
    return tuple(int(word) for word in line.split())


# ------------------------------------------------------------------------------- what it says, and when


def silent(bot: Bot, answer: bytes) -> None:
    time.sleep(LONG_S)


def late(bot: Bot, answer: bytes) -> None:
    time.sleep(OPTIONS.late_s)
    say(answer)


def spin(bot: Bot, answer: bytes) -> None:
    """Think for ever, on the core."""
    end = time.monotonic() + LONG_S
    while time.monotonic() < end:
        pass


def twice(bot: Bot, answer: bytes) -> None:
    say(answer * 2)


def ahead(bot: Bot, answer: bytes) -> None:
    """Answer for later plies in advance."""
    say(answer * 20)


def no_newline_exit(bot: Bot, answer: bytes) -> None:
    say(answer.rstrip())
    os._exit(0)


def answer_then_exit(bot: Bot, answer: bytes) -> None:
    say(answer)
    os._exit(0)


def bytewise(bot: Bot, answer: bytes) -> None:
    for byte in answer:
        say(bytes([byte]))
        time.sleep(0.0005)


def crlf(bot: Bot, answer: bytes) -> None:
    say(answer.replace(b"\n", b"\r\n"))


def huge_line(bot: Bot, answer: bytes) -> None:
    for _ in range(100):
        say(b"x" * 1_000_000)
    say(answer)


def chatter(bot: Bot, answer: bytes) -> None:
    """Talk without end and never answer, at a pace that comes to no limit but time."""
    end = time.monotonic() + LONG_S
    while time.monotonic() < end:
        say(bot.noise())
        time.sleep(0.001)


def flood(bot: Bot, answer: bytes) -> None:
    """Talk as fast as the pipe takes it, 300 MB, and never answer."""
    for _ in range(300):
        say(bot.noise() * (1_000_000 // len(bot.noise())))
    time.sleep(LONG_S)


def stderr_flood(bot: Bot, answer: bytes) -> None:
    line = b"a line of standard error, one of very many\n"
    for _ in range(16):
        os.write(2, line * 1500)
    os.write(2, b"the last line\n")
    say(answer)


def illegal(bot: Bot, answer: bytes) -> None:
    say(bot.illegal())


def not_utf8(bot: Bot, answer: bytes) -> None:
    say(answer.replace(b"\n", b"\xff\xfe\xc3\n"))


def nul_bytes(bot: Bot, answer: bytes) -> None:
    say(answer.replace(b"\n", b"\0\0\n"))


def empty(bot: Bot, answer: bytes) -> None:
    say(b"bestmove \n" if isinstance(bot, Uci) else b"\n")


# ------------------------------------------------------------------------------------ how it leaves


def exit_zero(bot: Bot, answer: bytes) -> None:
    os._exit(0)


def exit_three(bot: Bot, answer: bytes) -> None:
    os.write(2, b"it is all over\n")
    os._exit(3)


def raise_error(bot: Bot, answer: bytes) -> None:
    raise ValueError("a bug in this bot")


def close_stdin(bot: Bot, answer: bytes) -> None:
    os.close(0)
    say(answer)
    time.sleep(LONG_S)


def close_stdout(bot: Bot, answer: bytes) -> None:
    os.close(1)
    time.sleep(LONG_S)


def close_stderr(bot: Bot, answer: bytes) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)  # so that the interpreter itself does not stumble at its end
    os.close(null)
    say(answer)


def stop_self(bot: Bot, answer: bytes) -> None:
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)
    say(answer)


def ignore_signals() -> None:
    import signal

    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)


def ignore_term(bot: Bot, answer: bytes) -> None:
    ignore_signals()
    time.sleep(LONG_S)


def ignore_quit(bot: Bot, answer: bytes) -> None:
    """Play on, but never end by itself."""
    ignore_signals()
    say(answer)
    global hear  # noqa: PLW0603

    def deaf() -> bytes:
        line = sys.stdin.buffer.readline()
        if line.strip() in {b"", b"quit", b'{"type":"quit"}', b"END"}:
            time.sleep(LONG_S)
        return line

    hear = deaf


# ------------------------------------------------------------------------------------ what it starts


def start(*, session: bool = False, twice: bool = False, bare: bool = False, loud: bool = True) -> None:
    """Start a child that lives on: in its own session, orphaned, without its environment, holding the pipes or not."""
    if os.fork():
        return
    if session:
        os.setsid()
    if twice and os.fork():
        os._exit(0)
    if not loud:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
    if bare:
        os.execve(sys.executable, [sys.executable, "-c", f"import time; time.sleep({LONG_S})", OPTIONS.tag], {})
    ignore_signals()
    time.sleep(LONG_S)
    os._exit(0)


def daemon_holds_pipe(bot: Bot, answer: bytes) -> None:
    start(session=True, twice=True)
    os._exit(0)


def leave_children(bot: Bot, answer: bytes) -> None:
    """Play on with a child, a session of its own, a daemon and a daemon without environment in the background."""
    start()
    start(session=True, loud=False)
    start(session=True, twice=True, loud=False)
    start(session=True, twice=True, bare=True, loud=False)
    say(answer)


def burn_in_background(bot: Bot, answer: bytes) -> None:
    """Play on, with a child that takes the core while the opponent thinks."""
    if not os.fork():
        os.setsid()
        spin(bot, answer)
        os._exit(0)
    say(answer)


def fork_bomb(bot: Bot, answer: bytes) -> None:
    for _ in range(10):
        os.fork()
    time.sleep(LONG_S)


def memory_bomb(bot: Bot, answer: bytes) -> None:
    blocks = [b"x" * 16_000_000 for _ in range(60)]
    time.sleep(LONG_S)
    say(answer + bytes(len(blocks)))


# --------------------------------------------------------------------------------- whom it would harm


def kill_parent(bot: Bot, answer: bytes) -> None:
    os.kill(os.getppid(), 9)
    say(answer)


def stop_parent(bot: Bot, answer: bytes) -> None:
    os.kill(os.getppid(), 19)
    say(answer)


def kill_group(bot: Bot, answer: bytes) -> None:
    os.kill(0, 9)


def write_everywhere(bot: Bot, answer: bytes) -> None:
    """Write a file into its own folder and into every folder of `--path`; a probe."""
    probe([folder for folder in (".", *OPTIONS.paths) if can(touch, folder)], answer)


def read_others(bot: Bot, answer: bytes) -> None:
    """Read what `--path` names (the opponent, results, ledgers), and look for other people's processes; a probe."""
    seen = [path for path in OPTIONS.paths if can(os.stat, path)]
    mine = {os.getpid(), os.getppid(), 1}
    seen += [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in mine]
    probe(seen, answer)


def open_sockets(bot: Bot, answer: bytes) -> None:
    """Talk to `--port` of this machine, and to the abstract socket of that name; a probe."""
    import socket

    def tcp() -> None:
        socket.create_connection(("127.0.0.1", OPTIONS.port), 1).close()

    def abstract() -> None:
        with socket.socket(socket.AF_UNIX) as file:
            file.connect(f"\0harness-test-{OPTIONS.port}")

    probe([name for name, attempt in (("tcp", tcp), ("unix", abstract)) if can(attempt)], answer)


def reach_others(bot: Bot, answer: bytes) -> None:
    """Signal 0 to every process that can be named, whoever's it is; a probe."""

    def is_there(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except PermissionError:
            return True
        except OSError:
            return False
        return True

    others = {*range(2, 5_000), os.getppid()} - {os.getpid(), 1}
    probe([pid for pid in others if is_there(pid)][:5], answer)


def fill_disk(bot: Bot, answer: bytes) -> None:
    """Write up to 200 MB into one file of its own folder, then of /tmp."""
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    sizes = []
    for folder in (*OPTIONS.paths, "/tmp"):
        try:
            with open(os.path.join(folder, f"fill-{OPTIONS.tag}"), "wb", buffering=0) as file:
                for _ in range(200):
                    file.write(b"x" * 1_000_000)
        except OSError:
            pass
        try:
            sizes.append(os.path.getsize(os.path.join(folder, f"fill-{OPTIONS.tag}")))
        except OSError:
            sizes.append(0)
    if max(sizes) > 100_000_000:
        os._exit(PROBE_EXIT)
    say(answer)


def change_self(bot: Bot, answer: bytes) -> None:
    """Write another program in place of its own; a probe."""
    path = os.path.abspath(sys.argv[0])
    probe([path] if can(replace_file, path) else [], answer)


def can(attempt: "Callable[..., object]", *arguments: object) -> bool:
    try:
        attempt(*arguments)
    except OSError:
        return False
    return True


def touch(folder: str) -> None:
    path = os.path.join(folder, f"was-here-{OPTIONS.tag}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def replace_file(path: str) -> None:
    with open(f"{path}.new", "w") as file:
        file.write("raise SystemExit(9)\n")
    os.replace(f"{path}.new", path)


def probe(done: "Sequence[object]", answer: bytes) -> None:
    """End with PROBE_EXIT if anything could be done; play on if not."""
    if done:
        os.write(2, f"could: {done[:20]}\n".encode())
        os._exit(PROBE_EXIT)
    say(answer)


AT_PLY = {
    name.__name__.replace("_", "-"): name
    for name in (
        silent,
        late,
        spin,
        twice,
        ahead,
        no_newline_exit,
        answer_then_exit,
        bytewise,
        crlf,
        huge_line,
        chatter,
        flood,
        stderr_flood,
        illegal,
        not_utf8,
        nul_bytes,
        empty,
        exit_zero,
        exit_three,
        raise_error,
        close_stdin,
        close_stdout,
        close_stderr,
        stop_self,
        ignore_term,
        ignore_quit,
        daemon_holds_pipe,
        leave_children,
        burn_in_background,
        fork_bomb,
        memory_bomb,
        kill_parent,
        stop_parent,
        kill_group,
        write_everywhere,
        read_others,
        open_sockets,
        reach_others,
        fill_disk,
        change_self,
    )
}
EVERY_PLY = ("bytewise", "crlf", "stderr-flood")
AT_START = ("none", "exit-at-once", "slow-start", "hang-before-handshake", "wrong-handshake")


class OPTIONS:
    protocol = "codingame"
    fault = "none"
    at = 1
    one_in = 1
    late_s = 0.4
    port = 0
    tag = "untagged"
    paths: list[str] = []  # noqa: RUF012


def read_options(words: list[str]) -> None:
    """Read the command line; argparse alone would double the time to start."""
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name == "--path":
            OPTIONS.paths.append(value)
            continue
        key = name.removeprefix("--").replace("-", "_")
        setattr(OPTIONS, key, type(getattr(OPTIONS, key))(value))


def picked_fault(faults: str, one_in: int, seed: int) -> str:
    """Say which fault a seed's game has: one of `faults` in one of `one_in` games, else `none`."""
    state = seed * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
    names = faults.split(",")
    return names[(state >> 40) % len(names)] if (state >> 20) % one_in == 0 else "none"


def main() -> None:
    read_options(sys.argv[1:])
    seed = int(os.environ.get("HARNESS_BOT_SEED", "0"))
    fault = picked_fault(OPTIONS.fault, OPTIONS.one_in, seed)
    if fault == "exit-at-once":
        os.write(2, b"cannot find my net\n")
        sys.exit(5)
    if fault == "slow-start":
        time.sleep(0.4)
    bot: Bot = PROTOCOLS[OPTIONS.protocol]()
    bot.handshake(fault)
    while bot.read():
        answer, ply = bot.answer(), bot.ply
        if bot.game > 1:
            fault = picked_fault(OPTIONS.fault, OPTIONS.one_in, seed + bot.game - 1)
        bot.ply += 1
        if ply == OPTIONS.at and fault.startswith("signal-"):
            os.kill(os.getpid(), int(fault[7:]))
        elif fault in AT_PLY and (ply == OPTIONS.at or (ply > OPTIONS.at and fault in EVERY_PLY)):
            AT_PLY[fault](bot, answer)
        else:
            say(answer)


if __name__ == "__main__":
    main()
