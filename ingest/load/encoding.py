"""Bytes to text: which encoding a file is in, and whether it is text at all."""

import codecs
import re
from dataclasses import dataclass

from dynagrag.core.errors import LoadError
from dynagrag.core.text import plural

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office (.doc, .xls)"),
    (b"\x89PNG\r\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg audio"),
    (b"fLaC", "FLAC audio"),
    (b"RIFF", "RIFF audio or video"),
    (b"\x1aE\xdf\xa3", "Matroska video"),
    (b"\x1f\x8b\x08", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x7fELF", "program"),
    (b"SQLite format 3\x00", "SQLite database"),
)
_SAMPLE = 65_536
_SURE, _LIKELY, _NOISE = 0.1, 0.07, 0.03
"""chardet's confidence from which on it is right; below which a few Western letters are likelier;
and below which a file of many such bytes is no text (docs/decisions/0042-transcript-forms.md).
"""
_MANY = 200
_CHAT = (b"@UTF8", b"@Begin", b"@Font", b"@Window")
"""The beginnings of CHAT, which has its times between two NAKs (0x15)."""
_CONTROL_BYTES = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b") + b"\x7f"
_MAX_CONTROL_SHARE = 0.02
# A sign that has no place between two letters: where there are many, the text is in another 8-bit
# code than cp1252.
_SIGN_IN_WORD = re.compile(
    r"(?<=[^\W\d_])[\u00a1-\u00b4\u00b6-\u00b8\u00bb-\u00bf\u00d7\u00f7"
    r"\u0192\u02c6\u02dc\u2020-\u2039\u20ac](?=[^\W\d_])"
)
_HIGH_RUN = re.compile("[\u00c0-\u00ff]{3,}")
"""Western words have one or two such letters in a row; Cyrillic and Greek ones look like nothing
else in cp1252.
"""
_CP1252_HOLES = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_ISO_2022 = re.compile(rb"\x1b(?:\$[@AB]|\$\([CDOPQ]|\$\)[ACG]|\([IJ])")
"""The beginning of a run of Japanese, Korean or Chinese in 7-bit text; a terminal's own sequences
begin with other signs.
"""
_JAPANESE = ("iso-2022-jp", "iso-2022-jp-ext", "iso-2022-jp-2", "iso-2022-jp-2004")
_SHIFTS = re.compile("[\x0e\x0f\x1b]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text without its byte order mark, the encoding it was read by, and notes for its
    user.
    """

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def binary_kind(head: bytes) -> str | None:
    """The kind of binary file that begins like this (`PNG image`, `binary`); None for text in any
    encoding.
    """
    for magic, kind in _MAGIC:
        # An ID3 or a BZh may begin a text too: the sign of a binary is what follows.
        if head.startswith(magic) and (
            len(magic) > 4 or magic[:2] in {b"PK", b"\x89P"} or _has_controls(head)
        ):
            return kind
    if head[4:8] == b"ftyp":
        return "MP4 audio or video"
    if b"%PDF-" in head[:1024]:
        return "PDF"
    is_text = _bom(head) or _utf16_by_zeros(head) or not _has_controls(head)
    return None if is_text else "binary"


def decode(data: bytes) -> Decoded:
    """Text of a file that is not known to be a PDF or DOCX.

    UTF-8 and UTF-16 with or without a byte order mark, UTF-32 with one, ISO-2022 (JP, KR), and what
    chardet makes of the rest.

    Raises:
        LoadError: A binary file, or an encoding that is not recognised.
    """
    head = data[:_SAMPLE]
    if data.isascii() and _ISO_2022.search(data):
        return _by_escapes(data)
    kind = binary_kind(head)
    if kind is not None:
        raise LoadError(_binary_reason(kind))
    bom = _bom(head)
    if bom is not None:
        return _by_name(data[len(bom[0]) :], bom[1], has_bom=True)
    wide = _utf16_by_zeros(head)
    if wide is not None:
        return _by_name(data, wide, has_bom=False)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as err:
        # UTF-8 with a few broken bytes, such as a file that was cut inside a character.
        text = data.decode("utf-8", "replace")
        num_bad = text.count("\ufffd")
        if _count_wide(text) - num_bad < 10 * num_bad:
            return _by_statistics(data, err.start)
        note = f"{plural(num_bad, 'byte sequence')} not UTF-8, replaced by U+FFFD"
        return Decoded(text, "utf-8", (note,))


def _binary_reason(kind: str) -> str:
    if "audio" in kind or "video" in kind:
        return f"is {kind}, not a transcript; transcribe it first and give the transcript"
    if "image" in kind:
        return f"is a {kind}, not text; give a transcript or document"
    if kind == "old Office (.doc, .xls)":
        return "is an old Office file; save it as DOCX, PDF or text"
    if "archive" in kind:
        return f"is a {kind}; unpack it first"
    return "is a binary file, not text" if kind == "binary" else f"is a {kind}, not text"


def _bom(head: bytes) -> tuple[bytes, str] | None:
    return next(((bom, name) for bom, name in _BOMS if head.startswith(bom)), None)


def _has_controls(head: bytes) -> bool:
    if head.removeprefix(b"\xef\xbb\xbf").startswith(_CHAT):
        head = head.replace(b"\x15", b"")
    num_controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    return num_controls > _MAX_CONTROL_SHARE * len(head)


def _utf16_by_zeros(head: bytes) -> str | None:
    """UTF-16 without a mark: the zero bytes of its spaces, digits and Latin letters are all on one
    side of the pairs.
    """
    even, odd = head[0::2].count(0), head[1::2].count(0)
    num_pairs = len(head) // 2
    least = 0.2 if _is_utf8(head) else 0.02  # a stray NUL in UTF-8 is no UTF-16
    if (
        num_pairs < 2
        or max(even, odd) < least * num_pairs
        or min(even, odd) > 0.05 * max(even, odd)
    ):
        return None
    name = "utf-16-le" if odd > even else "utf-16-be"
    text = head[: 2 * num_pairs].decode(name, "replace")
    num_odd = sum(ch == "\ufffd" or not (ch.isprintable() or ch.isspace()) for ch in text)
    return name if num_odd <= 0.02 * len(text) + 1 else None


def _is_utf8(head: bytes) -> bool:
    """Whether it is valid UTF-8, but for a character cut off at the end."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _by_name(data: bytes, name: str, *, has_bom: bool) -> Decoded:
    text = data.decode(name, "replace")
    num_bad = text.count("\ufffd")
    notes = (
        []
        if name == "utf-8"
        else [f"read as {name.upper()}" + ("" if has_bom else " (it has no byte order mark)")]
    )
    if num_bad:
        notes.append(f"{plural(num_bad, 'broken character')} replaced by U+FFFD")
    return Decoded(text.removeprefix("\ufeff"), name, tuple(notes))


def _by_escapes(data: bytes) -> Decoded:
    """7-bit text that changes its character set by escape sequences: as UTF-8 it would be valid,
    and nonsense.
    """
    decoded = []
    for name in ("iso-2022-kr",) if b"\x1b$)C" in data else _JAPANESE:
        text = data.decode(name, "replace")
        num_bad = text.count("\ufffd")
        if not _SHIFTS.search(text) and 10 * num_bad <= _count_wide(text):
            decoded.append((num_bad, name, text))
        if not num_bad:
            break
    if decoded:
        num_bad, name, text = min(decoded, key=lambda found: found[0])
        notes: tuple[str, ...] = (f"read as {name.upper()}, by its escape sequences",)
        if num_bad:
            notes = (*notes, f"{plural(num_bad, 'broken character')} replaced by U+FFFD")
        return Decoded(text, name, notes)
    raise LoadError(
        "is in an ISO-2022 encoding (Japanese, Korean or Chinese) that cannot be read here; save it"
        " as UTF-8"
    )


def _count_wide(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _by_statistics(data: bytes, first_bad: int) -> Decoded:
    """Text in one of the encodings of a language, as chardet tells it from pairs of bytes.

    Where it isn't sure, encodings of the web alone are asked: short texts fit some DOS or Mac
    encoding by chance. Raises LoadError where nothing fits.
    """
    import chardet

    start = max(0, first_bad - _SAMPLE // 4)
    sample = data[start : start + _SAMPLE]
    found = chardet.detect(sample)
    if found["confidence"] < _SURE:
        found = chardet.detect(sample, encoding_era=chardet.EncodingEra.MODERN_WEB)
    encoding = found["encoding"]
    if found["confidence"] < _LIKELY and _is_western(sample):
        encoding = "cp1252"
    elif found["confidence"] < _NOISE and sum(byte > 0x7F for byte in sample) > _MANY:
        encoding = None
    if encoding is None:
        raise LoadError("is in an encoding that is not recognised; save it as UTF-8")
    try:
        name = codecs.lookup(encoding).name
        text = data.decode(name, "replace")
    except LookupError as err:
        raise LoadError(
            f"seems to be in {encoding}, which cannot be read here; save it as UTF-8"
        ) from err
    if name == "cp1252" and not re.search(rb"[\x80-\x9f]", data):
        name = "latin-1"
    num_bad = text.count("\ufffd")
    notes = [f"read as {name} by its byte statistics; save it as UTF-8 if letters look wrong"]
    if num_bad:
        notes.append(f"{plural(num_bad, 'broken character')} replaced by U+FFFD")
    return Decoded(text, name, tuple(notes))


def _is_western(sample: bytes) -> bool:
    """Whether it can be Latin-1 or cp1252, the likeliest for a few letters that say little."""
    if _CP1252_HOLES.search(sample):
        return False
    text = sample.decode("cp1252")
    num_odd = len(_SIGN_IN_WORD.findall(text)) + len("".join(_HIGH_RUN.findall(text)))
    return num_odd <= 0.1 * sum(byte > 0x7F for byte in sample)
