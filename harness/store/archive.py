"""Frozen bots: content-addressed copies of a bot's folder or program, playable whatever happens to its source.

`ADDRESS/files/…` are the copies, `ADDRESS/bot.json` says how they are started. An address is the hash of both. An entry
appears whole or not at all, and is never changed. What the copies need besides (an interpreter, shared libraries) is
named in `bot.json` and not copied. Knows nothing of configs: what to copy is the caller's to say.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import msgspec

from harness.errors import ResultsError
from harness.records import BotSpec
from harness.store.journal import storage_error

SCHEMA = 1
HOME = "{frozen}"
"""Stands in a frozen bot's paths for the folder of its copies."""

_PIECE = 1 << 20
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class FrozenFile(msgspec.Struct, frozen=True):
    """One copy: where it lies under `files/`, the hash of its content, whether it may be executed."""

    path: str
    digest: str
    is_program: bool


class FrozenBot(msgspec.Struct, frozen=True, kw_only=True):
    """What `bot.json` says. `spec` has HOME in place of the copies' folder and no environment.

    `env` is as written: `${NAME}` is filled when the bot is thawed, so that no secret is frozen. `outside` are programs
    that the bot needs and that were not copied, with the hash of what they were.
    """

    schema: int
    spec: BotSpec
    env: tuple[tuple[str, str], ...]
    files: tuple[FrozenFile, ...]
    outside: tuple[tuple[str, str], ...] = ()


_decoder = msgspec.json.Decoder(FrozenBot)


def freeze(
    archive: Path,
    spec: BotSpec,
    copies: Mapping[str, Path],
    *,
    moved: Mapping[str, str],
    env: tuple[tuple[str, str], ...] = (),
    outside: tuple[str, ...] = (),
) -> str:
    """Copy a bot into the archive and give its address; nothing happens if it is there already.

    `copies` maps paths under `files/` to the files to copy. `moved` maps absolute paths to paths under `files/`: where
    the spec's command, cwd, python, protocol or readable begin with one, they will begin with the copy's. Safe to
    repeat after a crash. Raises ResultsError for a file that cannot be read, StorageError for an archive that cannot be
    written.
    """
    files = tuple(FrozenFile(name, _hash(path), os.access(path, os.X_OK)) for name, path in sorted(copies.items()))
    frozen = FrozenBot(
        schema=SCHEMA,
        spec=_moved(replace(spec, env=()), moved),
        env=env,
        files=files,
        outside=tuple((path, _hash(Path(path))) for path in outside),
    )
    raw = msgspec.json.format(msgspec.json.encode(frozen), indent=1)
    address = blake2b(raw, digest_size=16).hexdigest()
    if (archive / address).exists():
        read_frozen(archive, address)
        return address
    temporary = archive / f".{address}.{os.getpid()}"
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        for file in files:
            target = temporary / "files" / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(copies[file.path], target)
            target.chmod(0o755 if file.is_program else 0o644)
            _sync(target)
        (temporary / "files").mkdir(parents=True, exist_ok=True)
        (temporary / "bot.json").write_bytes(raw)
        _sync(temporary / "bot.json")
        with contextlib.suppress(FileExistsError):
            _rename(temporary, archive / address)
        _sync(archive)
    except OSError as error:
        raise storage_error(archive, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    read_frozen(archive, address)  # a source that changed while it was copied is found here
    return address


def read_frozen(archive: Path, address: str) -> FrozenBot:
    """Read an entry and check every byte of it. Raises ResultsError if it is missing or altered."""
    folder = archive / address
    try:
        raw = (folder / "bot.json").read_bytes()
    except OSError as error:
        raise ResultsError(
            "this frozen bot is not in the archive",
            where=str(folder),
            got=os.strerror(error.errno or 0),
            next_step="restore the archive from a copy, or set another champion",
        ) from error
    try:
        frozen = _decoder.decode(raw)
    except ValueError as error:
        raise _altered(folder / "bot.json", str(error)) from error
    if blake2b(raw, digest_size=16).hexdigest() != address:
        raise _altered(folder / "bot.json", "its hash is not its address")
    for file in frozen.files:
        path = folder / "files" / file.path
        if not path.is_file() or _hash(path) != file.digest:
            raise _altered(path, "its content is not what was frozen" if path.is_file() else "it is missing")
    return frozen


def thaw(archive: Path, address: str, name: str) -> BotSpec:
    """Give a frozen bot as a bot of this name that can be played. Raises ResultsError if it cannot be, and why."""
    frozen = read_frozen(archive, address)
    for program, _ in frozen.outside:
        if not Path(program).exists():
            raise ResultsError(
                "a frozen bot needs a program that is not on this machine",
                where=str(archive / address),
                got=program,
                next_step="install it; interpreters are not frozen",
            )
    home = str((archive / address / "files").resolve())
    return replace(_moved(frozen.spec, {HOME: ""}, home), name=name, env=_filled(frozen, archive / address))


def _filled(frozen: FrozenBot, where: Path) -> tuple[tuple[str, str], ...]:
    for _, text in frozen.env:
        for variable in _VARIABLE.findall(text):
            if variable not in os.environ:
                raise ResultsError(
                    f"a frozen bot needs the environment variable {variable}, which is not set",
                    where=str(where),
                    next_step=f"export {variable}=… before you start the harness",
                )
    return tuple((name, _VARIABLE.sub(lambda match: os.environ[match[1]], text)) for name, text in frozen.env)


def _moved(spec: BotSpec, moved: Mapping[str, str], home: str = HOME) -> BotSpec:
    """Replace the beginnings of a spec's paths, the longest that fits."""

    def move(path: str) -> str:
        for old in sorted(moved, key=len, reverse=True):
            if path == old or path.startswith(f"{old}/"):
                inside = "/".join(part for part in (moved[old], path[len(old) :].lstrip("/")) if part)
                return f"{home}/{inside}" if inside else home
        return path

    def move_own(path: str) -> str:
        file, _, name = path.rpartition(":")
        return f"{move(file)}:{name}" if file else path

    return replace(
        spec,
        command=tuple(move(word) for word in spec.command),
        cwd=move(spec.cwd),
        python=None if spec.python is None else move_own(spec.python),
        protocol=move_own(spec.protocol),
        readable=tuple(move(path) for path in spec.readable),
    )


def _hash(path: Path) -> str:
    digest = blake2b(digest_size=16)
    try:
        with path.open("rb", buffering=0) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        raise ResultsError(
            "this file of a bot cannot be read", where=str(path), got=os.strerror(error.errno or 0)
        ) from error
    return digest.hexdigest()


def _altered(path: Path, why: str) -> ResultsError:
    return ResultsError(
        "a frozen bot was altered",
        where=str(path),
        got=why,
        next_step="restore the archive from a copy, or set another champion",
    )


def _rename(source: Path, target: Path) -> None:
    """Put a finished entry in its place; one that another process put there in the meantime stays."""
    try:
        source.rename(target)
    except OSError:
        if not target.exists():
            raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
