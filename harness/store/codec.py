"""Records to JSON lines and back, typed. The one place that knows the wire format (docs/record-format.md)."""

from __future__ import annotations

import msgspec

from harness.records import SCHEMA, MapRecord, Transcript

_encoder = msgspec.json.Encoder()
_record_decoder = msgspec.json.Decoder(MapRecord)
_transcript_decoder = msgspec.json.Decoder(Transcript)


def encode_line(record: MapRecord | Transcript) -> bytes:
    """Give one record as one line of JSON, newline included.

    JSON holds no lone surrogates, and an in-process bot's words may: they are written as escapes.
    """
    try:
        return _encoder.encode(record) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(record))) + b"\n"


def decode_record(line: bytes) -> MapRecord:
    """Read one line of maps.jsonl. Raises ValueError saying what is wrong."""
    record = _record_decoder.decode(line)
    if record.schema != SCHEMA:
        raise ValueError(f"schema {record.schema}; this version reads schema {SCHEMA}")
    return record


def decode_transcript(line: bytes) -> Transcript:
    """Read one line of a transcript file. Raises ValueError saying what is wrong."""
    return _transcript_decoder.decode(line)


def _without_surrogates(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {key: _without_surrogates(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_surrogates(item) for item in value]
    return value
