"""Who may import whom, as the architecture says; and that each module says what it is for."""

from __future__ import annotations

import ast
import keyword
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "harness"
BASE = {"compiled", "errors", "making", "records", "seeding"}
LOWER = BASE | {"rules", "protocols", "referee", "play"}

MAY_IMPORT: dict[str, set[str]] = {
    **{name: BASE - {"records"} for name in BASE},
    "config": BASE | {"config"},
    "rules": BASE | {"rules"},
    "protocols": BASE | {"protocols"},
    "store": BASE | {"store"},
    "stats": BASE | {"stats"},
    "referee": BASE | {"rules", "protocols", "referee"},
    "play": BASE | {"protocols", "referee", "play"},
    "plan": BASE | {"config", "plan"},
    "gates": BASE | {"stats", "config", "gates"},
    "report": BASE | {"stats", "gates", "report"},
    "run": LOWER | {"config", "plan", "store", "stats", "gates", "report", "run"},
    "testing": LOWER | {"config", "plan", "store", "stats", "gates", "report", "run", "testing"},
    "cli": LOWER | {"config", "plan", "store", "stats", "gates", "report", "run", "testing", "cli"},
    "__main__": {"cli"},
}
ONLY_FOR_WORKERS = LOWER
PURE = ("rules", "plan", "stats", "gates", "run/scheduler.py", "run/health.py")
IMPURE_MODULES = {"os", "time", "subprocess", "socket", "io", "shutil", "tempfile", "threading"}
ONE_HOME: dict[str, str | tuple[str, ...]] = {
    "pydantic": "config",
    "subprocess": ("protocols/process.py", "protocols/warm.py", "protocols/whole.py"),
    "cozy_chess": "rules",
    "yaml": ("config", "store"),
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def imports(path: Path) -> list[tuple[str, int]]:
    """Give every imported module's dotted name with its line, lazy imports included."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            found.append((node.module or "", node.lineno))
    return found


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_follow_the_layers(path: Path) -> None:
    part = name_of(path).split("/")[0].removesuffix(".py")
    if part == "__init__":
        return
    allowed = MAY_IMPORT[part] if name_of(path) != "run/worker.py" else ONLY_FOR_WORKERS
    for module, line in imports(path):
        if module == "harness" or module.startswith("harness."):
            target = module.split(".")[1] if "." in module else ""
            assert target in allowed, f"{path}:{line}: {part} may not import {module}"
        elif part in BASE:
            top = module.split(".")[0]
            assert top in sys.stdlib_module_names, f"{path}:{line}: {part} is standard library only, not {module}"


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_libraries_have_one_home(path: Path) -> None:
    for module, line in imports(path):
        home = ONE_HOME.get(module.split(".")[0])
        if home is not None:
            homes = (home,) if isinstance(home, str) else home
            assert name_of(path).startswith(homes), f"{path}:{line}: {module} belongs in {' or '.join(homes)} alone"
        assert module.split(".")[0] != "chess", f"{path}:{line}: python-chess is GPL: a test oracle, never in harness/"


@pytest.mark.parametrize("path", [p for p in modules() if name_of(p).startswith(PURE)], ids=name_of)
def test_pure_parts_do_no_io_and_read_no_clock(path: Path) -> None:
    for module, line in imports(path):
        assert module.split(".")[0] not in IMPURE_MODULES, f"{path}:{line}: {name_of(path)} is pure, not {module}"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert all(a.name != "random" for a in node.names), f"{path}:{node.lineno}: only seeded `Random` objects"
        elif isinstance(node, ast.ImportFrom) and node.module == "random":
            assert [a.name for a in node.names] == ["Random"], f"{path}:{node.lineno}: only seeded `Random` objects"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input"}, (
                f"{path}:{node.lineno}: {node.func.id}() in a pure part"
            )


@pytest.mark.parametrize("path", [p for p in modules() if p.name != "__init__.py"], ids=name_of)
def test_modules_say_what_they_are_for_and_stay_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring, f"{path} has no docstring"
    n_lines = text.count("\n")
    assert n_lines <= 500 or "lines long because" in docstring, f"{path} has {n_lines} lines and no reason at its top"
    assert path.stem not in {"utils", "helpers", "manager", "common"}


LIGHT = {
    "harness.cli.main": {"pydantic", "rich", "numpy", "scipy", "yaml", "msgspec", "psutil", "multiprocessing"},
    "harness.plan.plan": {"pydantic", "numpy", "rich"},
    "harness.run.worker": {"pydantic", "numpy", "scipy", "rich", "yaml", "msgspec", "harness.store", "harness.config"},
    "harness.run.flow": {"numpy", "scipy"},
    "harness.rules.registry": {"cozy_chess"},
}


@pytest.mark.parametrize("module", LIGHT)
def test_imports_stay_light(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, cwd=ROOT
    )
    loaded = set(done.stdout.split())
    assert not loaded & LIGHT[module]


def test_no_verb_without_its_file() -> None:
    from harness.cli.main import VERBS

    for verb in VERBS:
        name = f"{verb}_" if keyword.iskeyword(verb) else verb
        assert (PACKAGE / "cli" / f"{name}.py").exists()
