"""Pieces of memory, each kept once: the levels of a game share most of their tables, and agents some of their arrays.

Tables of records compress badly as they lie: what is alike stands a whole record apart. So the bytes of a table are
put in planes (all first bytes of its records, all second bytes ...), each byte as the difference from the one before,
wherever that makes it smaller (the "shuffle" and "delta" filters of array stores such as HDF5). It halves the images.
"""

from __future__ import annotations

import zlib

import numpy as np

_RAW_DEFLATE = -15


class Pieces:
    """Bytes that are named by number; the same bytes have the same number.

    >>> pieces = Pieces()
    >>> pieces.add(b"one"), pieces.add(b"two"), pieces.add(b"one")
    (0, 1, 0)
    >>> pieces.sizes, bytes(pieces.data)
    ([[3, 0], [3, 0]], b'onetwo')

    Args:
        planes: tables are put in planes where that compresses better, which takes longer than all else of a page.

    Attributes:
        sizes: of each piece its bytes, and the bytes of a record where it is in planes (else 0).
        data: the pieces, one after the other.
    """

    def __init__(self, *, planes: bool = True) -> None:
        self.planes = planes
        self.data = bytearray()
        self.sizes: list[list[int]] = []
        self._numbers: dict[bytes, int] = {}

    def __repr__(self) -> str:
        return f"<{len(self.sizes)} pieces, {len(self.data)} bytes>"

    def add(self, content: bytes, record: int = 0) -> int:
        """Return the number of a piece, which is kept if it is new.

        Args:
            content: its bytes.
            record: bytes of a record, for tables that may be put in planes.
        """
        number = self._numbers.setdefault(content, len(self.sizes))
        if number == len(self.sizes):
            record = record if self.planes else 0
            kept = in_planes(content, record) if record else content
            if record and len(deflated(kept)) >= len(deflated(content)):
                kept, record = content, 0
            self.sizes.append([len(content), record])
            self.data += kept
        return number


def in_planes(content: bytes, record: int) -> bytes:
    r"""Return the bytes of a table plane by plane, as differences; what is left behind the last record stays behind.

    >>> in_planes(bytes([1, 9, 2, 9, 3, 9, 7]), 2)
    b'\x01\x01\x01\t\x00\x00\x07'
    """
    count = len(content) // record
    planes = np.frombuffer(content, np.uint8, count * record).reshape(count, record).T.copy()
    planes[:, 1:] -= planes[:, :-1].copy()
    return planes.tobytes() + content[count * record :]


def deflated(data: bytes) -> bytes:
    """Compress bytes as ``DecompressionStream("deflate-raw")`` of browsers reads them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE, 9)
    return packer.compress(data) + packer.flush()
