"""Records to JSON lines and back, typed. The one place that knows the wire format (docs/record-format.md)."""

from __future__ import annotations

import msgspec

from harness.records import MapRecord, Transcript

_encoder = msgspec.json.Encoder()
_record_decoder = msgspec.json.Decoder(MapRecord)
_transcript_decoder = msgspec.json.Decoder(Transcript)


def encode_line(record: MapRecord | Transcript) -> bytes:
    """Give one record as one line of JSON, newline included."""
    return _encoder.encode(record) + b"\n"


def decode_record(line: bytes) -> MapRecord:
    """Read one line of maps.jsonl. Raises ValueError saying what is wrong."""
    return _record_decoder.decode(line)


def decode_transcript(line: bytes) -> Transcript:
    """Read one line of a transcript file. Raises ValueError saying what is wrong."""
    return _transcript_decoder.decode(line)
