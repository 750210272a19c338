"""lz-string's compressToBase64 and decompressFromBase64, the coding of f-puzzles' and SudokuPad's links.

LZ78 over UTF-16 code units, in codes as wide as the dictionary is large, least significant bit first. Codes 0 and 1 are
followed by a new unit of 8 or 16 bits, 2 ends the text, each other code is a unit or string of the dictionary. Six
bits, most significant first, make a character of base64. The package `lzstring` (last release in 2018) does the same
without a bound on what comes out.
"""

import string

from nonocensus.scrapers.formats.parsing import FormatError

ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
BITS = {character: f"{value:06b}" for value, character in enumerate(ALPHABET)}
CHARACTERS = {bits: character for character, bits in BITS.items()}

BYTE, WORD, END, FIRST = range(4)
"""Codes of a new unit of 8 or 16 bits, of the end, and the first one of the dictionary."""

UTF_16 = "utf-16-le"

MAX_LENGTH = 1 << 20
"""Maximum length of a text in UTF-16 code units, and of its base64 in characters."""


def compress(text: str) -> str:
    """Return a text as lz-string's base64."""
    bits: list[str] = []
    codes: dict[str, int] = {}
    unwritten: set[str] = set()  # units that the reader's dictionary lacks
    size = FIRST - 1  # of the reader's dictionary, which is one string behind

    def write(value: int, width: int) -> None:
        bits.append(f"{value:0{width}b}"[::-1])

    def write_code(known: str) -> None:
        nonlocal size
        if known in unwritten:
            width = 8 if ord(known) < 1 << 8 else 16
            write(BYTE if width == 8 else WORD, size.bit_length())
            write(ord(known), width)
            unwritten.remove(known)
            size += 1
        else:
            write(codes[known], size.bit_length())
        size += 1

    known = ""
    for unit in map(chr, memoryview(text.encode(UTF_16, "surrogatepass")).cast("H")):
        if unit not in codes:
            codes[unit] = FIRST + len(codes)
            unwritten.add(unit)
        if known + unit in codes:
            known += unit
        else:
            write_code(known)
            codes[known + unit] = FIRST + len(codes)
            known = unit
    if known:
        write_code(known)
    write(END, size.bit_length())
    whole = "".join(bits)
    whole += "0" * (6 - len(whole) % 6)
    encoded = "".join(CHARACTERS[whole[k : k + 6]] for k in range(0, len(whole), 6))
    return encoded + "=" * (-len(encoded) % 4)


def decompress(encoded: str) -> str:
    """Return the text of lz-string's base64. Raises FormatError for what `compress` does not return."""
    if len(encoded) > MAX_LENGTH:
        raise FormatError(f"its data has more than {MAX_LENGTH:,} characters")
    try:
        bits = "".join(map(BITS.__getitem__, encoded.rstrip("=")))
    except KeyError as error:
        raise FormatError(f"its data is not base64: it has a {error.args[0]!r}") from None
    place = 0

    def read(width: int) -> int:
        nonlocal place
        place += width
        if place > len(bits):
            raise FormatError("its data is damaged: it ends too early")
        return int(bits[place - width : place][::-1], 2)

    known = [""] * FIRST
    text, last = list[str](), ""
    length = 0
    while (code := read(len(known).bit_length())) != END:
        if code < FIRST:
            known.append(chr(read(8 if code == BYTE else 16)))
            code = len(known) - 1
        if code > len(known) or (code == len(known) and not last):
            raise FormatError("its data is damaged: it has an unknown code")
        found = known[code] if code < len(known) else last + last[0]
        if last:
            known.append(last + found[0])
        length += len(found)
        if length > MAX_LENGTH:
            raise FormatError(f"its data holds more than {MAX_LENGTH:,} characters")
        text.append(found)
        last = found
    try:
        return "".join(text).encode(UTF_16, "surrogatepass").decode(UTF_16)
    except UnicodeDecodeError:
        raise FormatError("its data is damaged: it is not text") from None
