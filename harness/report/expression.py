"""The small language of `--where`: comparisons of keys with numbers and text, `and`, `or`, `not`, `in`, parentheses.

    cells > 20 and (opponent in ('hugger', 'random') or not seat == 0)

Pure: text to a tree, a tree and a lookup to True, False or None (unknown). Never runs anything of the text. A key that
a game does not have makes a comparison unknown, and what is unknown is not kept, negated or not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from harness.records import Scalar

MAX_TEXT = 2_000
MAX_DEPTH = 40

Values = tuple[Scalar, ...]
"""What a key is in one game: nothing, one value, or several (the opponents at a table of four)."""

Lookup = Callable[[str], Values]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
    |(?P<quoted>`[^`]+`)
    |(?P<text>'[^']*'|"[^"]*")
    |(?P<sign>==|!=|<=|>=|<|>|\(|\)|,)
    )""",
    re.VERBOSE | re.ASCII,
)
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class ExpressionError(ValueError):
    """The text is no expression: what is wrong, and where in it."""

    def __init__(
        self,
        what: str,
        text: str,
        at: int,
        length: int = 1,
        next_step: str | None = None,
        *,
        allowed: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.text = text
        self.at = at
        self.length = max(1, length)
        self.next_step = next_step
        self.allowed = allowed

    def pointed(self, indent: int = 0) -> str:
        """Give the text, and below it a mark under the place; the second line is indented for `indent` columns."""
        return f"{self.text}\n{' ' * (indent + self.at)}{'^' * self.length}"


@dataclass(frozen=True, slots=True)
class Key:
    """A key, with its place in the text."""

    name: str
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, text, true or false."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Compare:
    """Two operands and how they are compared."""

    left: Key | Literal
    sign: str
    right: Key | Literal


@dataclass(frozen=True, slots=True)
class Among:
    """A key and the values that it may have."""

    key: Key
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Both:
    """All of several (`and`), or at least one (`or`)."""

    parts: tuple[Node, ...]
    is_and: bool


Node = Compare | Among | Not | Both


@dataclass(frozen=True, slots=True)
class Expression:
    """A text that was read: its tree and its keys in the order in which they stand."""

    text: str
    root: Node
    keys: tuple[Key, ...]

    def holds(self, lookup: Lookup) -> bool | None:
        """Say whether it holds for one game; None if a key that matters is not there."""
        return _holds(self.root, lookup)


@dataclass(slots=True)
class _Reader:
    text: str
    tokens: list[tuple[str, str, int]]
    at: int = 0
    depth: int = 0
    keys: list[Key] = field(default_factory=list)

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.at]

    def take(self) -> tuple[str, str, int]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def is_word(self, *words: str) -> bool:
        kind, text, _ = self.peek()
        return kind == "word" and text in words

    def error(self, what: str, next_step: str | None = None) -> ExpressionError:
        _, text, at = self.peek()
        return ExpressionError(what, self.text, at, len(text), next_step)


_WORDS = ("and", "or", "not", "in", "true", "false")
_EXAMPLE = "for example: cells > 20 and opponent == 'hugger'"


def parse(text: str) -> Expression:
    """Read an expression. Raises ExpressionError, which says where."""
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"longer than {MAX_TEXT} characters", text[:40] + "…", 0)
    reader = _Reader(text, list(_tokens(text)))
    if reader.peek()[0] == "end":
        raise reader.error("nothing to look for", _EXAMPLE)
    root = _either(reader)
    if reader.peek()[0] != "end":
        raise reader.error("the expression could end here", "join comparisons with `and` or `or`")
    return Expression(text, root, tuple(reader.keys))


def parse_key(text: str) -> Key:
    """Read a key that stands alone, as in `--by` and `--columns`. Raises ExpressionError."""
    reader = _Reader(text, list(_tokens(text)))
    key = _operand(reader)
    if not isinstance(key, Key) or reader.peek()[0] != "end":
        raise ExpressionError("one key is wanted here", text, 0, len(text), "write a key such as: cells")
    return key


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise _unreadable(text, start)
        kind = str(found.lastgroup)
        yield kind, found[kind], found.start(kind)
        at = found.end()
    yield "end", "", len(text)


def _unreadable(text: str, at: int) -> ExpressionError:
    char = text[at]
    if char in "'\"`":
        return ExpressionError(f"the quote {char} is not closed", text, at, len(text) - at, f"add a {char}")
    if char == "=":
        return ExpressionError("a comparison has two signs", text, at, 1, "write == for equal")
    if char in "&|!":
        words = {"&": "and", "|": "or", "!": "not"}
        return ExpressionError(f"{char} has no meaning here", text, at, 1, f"write `{words[char]}`")
    step = "keys with other letters go in `back quotes`"
    if char in "+-*/%^":
        step = "there is no arithmetic: compare a key with a number or text"
    return ExpressionError(f"{char!r} has no meaning here", text, at, 1, step)


def _either(reader: _Reader) -> Node:
    parts = [_every(reader)]
    while reader.is_word("or"):
        reader.take()
        parts.append(_every(reader))
    return parts[0] if len(parts) == 1 else Both(tuple(parts), is_and=False)


def _every(reader: _Reader) -> Node:
    parts = [_negation(reader)]
    while reader.is_word("and"):
        reader.take()
        parts.append(_negation(reader))
    return parts[0] if len(parts) == 1 else Both(tuple(parts), is_and=True)


def _negation(reader: _Reader) -> Node:
    reader.depth += 1
    if reader.depth > MAX_DEPTH:
        raise reader.error(f"nested deeper than {MAX_DEPTH}")
    try:
        if reader.is_word("not"):
            reader.take()
            return Not(_negation(reader))
        if reader.peek()[1] == "(":
            opening = reader.take()
            inner = _either(reader)
            if reader.peek()[1] != ")":
                raise ExpressionError("this parenthesis is not closed", reader.text, opening[2], 1, "add a )")
            reader.take()
            return inner
        return _comparison(reader)
    finally:
        reader.depth -= 1


def _comparison(reader: _Reader) -> Node:
    left = _operand(reader)
    if reader.is_word("in", "not"):
        return _membership(reader, left)
    parts: list[Node] = []
    while reader.peek()[1] in _COMPARISONS and reader.peek()[0] == "sign":
        sign = reader.take()[1]
        right = _operand(reader)
        parts.append(Compare(left, sign, right))
        left = right
    if not parts:
        raise reader.error("a comparison is wanted here", "compare with one of " + " ".join(_COMPARISONS) + ", or `in`")
    return parts[0] if len(parts) == 1 else Both(tuple(parts), is_and=True)


def _membership(reader: _Reader, left: Key | Literal) -> Node:
    is_negated = reader.is_word("not")
    if is_negated:
        reader.take()
    if not reader.is_word("in"):
        raise reader.error("`not` stands before a comparison, or in `not in`")
    _, _, at = reader.take()
    if not isinstance(left, Key):
        raise ExpressionError("a key stands before `in`", reader.text, at, 2, "for example: seat in (0, 1)")
    if reader.peek()[1] != "(":
        raise reader.error("a list in parentheses is wanted here", "for example: seat in (0, 1)")
    reader.take()
    values: list[Scalar] = []
    while True:
        value = _operand(reader)
        if isinstance(value, Key):
            raise ExpressionError(
                "a list holds numbers and text", reader.text, value.at, value.length, f"in quotes: '{value.name}'"
            )
        values.append(value.value)
        if reader.peek()[1] not in {",", ")"}:
            raise reader.error("a comma or ) is wanted here")
        if reader.take()[1] == ")":
            break
    found = Among(left, tuple(values))
    return Not(found) if is_negated else found


def _operand(reader: _Reader) -> Key | Literal:
    kind, text, at = reader.peek()
    if kind == "number":
        reader.take()
        number = float(text)
        if not math.isfinite(number):
            raise ExpressionError("a number that is too large", reader.text, at, len(text))
        return Literal(int(text) if re.fullmatch(r"[+-]?\d+", text) else number)
    if kind == "text":
        reader.take()
        return Literal(text[1:-1])
    if kind == "word" and text in {"true", "false"}:
        reader.take()
        return Literal(text == "true")
    if kind == "quoted" or (kind == "word" and text not in _WORDS):
        reader.take()
        key = Key(text.strip("`"), at, len(text))
        reader.keys.append(key)
        return key
    wanted = "a key, a number or text is wanted here"
    raise reader.error(wanted if kind != "end" else "the expression ends where a key or a value is wanted", _EXAMPLE)


# ---------------------------------------------------------------------------------------------- evaluation


def _holds(node: Node, lookup: Lookup) -> bool | None:
    match node:
        case Compare():
            return _compare(_values(node.left, lookup), node.sign, _values(node.right, lookup))
        case Among():
            found = lookup(node.key.name)
            return any(_is_equal(value, wanted) for value in found for wanted in node.values) if found else None
        case Not():
            inner = _holds(node.inner, lookup)
            return None if inner is None else not inner
        case Both():
            results = [_holds(part, lookup) for part in node.parts]
            if (not node.is_and) in results:
                return not node.is_and
            return None if None in results else node.is_and


def _values(operand: Key | Literal, lookup: Lookup) -> Values:
    return lookup(operand.name) if isinstance(operand, Key) else (operand.value,)


def _compare(left: Values, sign: str, right: Values) -> bool | None:
    """Compare what two operands may be: it holds if it does for some of them, and `!=` if `==` does for none."""
    if not left or not right:
        return None
    if sign in {"==", "!="}:
        is_equal = any(_is_equal(one, two) for one in left for two in right)
        return is_equal if sign == "==" else not is_equal
    results = [_is_in_order(one, sign, two) for one in left for two in right]
    return True if True in results else None if None in results else False


def _is_equal(one: Scalar, two: Scalar) -> bool:
    return isinstance(one, str) == isinstance(two, str) and one == two


def _is_in_order(one: Scalar, sign: str, two: Scalar) -> bool | None:
    """Compare two numbers or two texts; a number and a text have no order."""
    if isinstance(one, str) and isinstance(two, str):
        return {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[sign]
    if isinstance(one, int | float) and isinstance(two, int | float):
        return {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[sign]
    return None
