#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes black images for the command-line tests: make_png.py FILE DOTS [FILE DOTS]..., each 16 by 16 pixels,
the first DOTS of them white. It does not use our PNG code, which the tests test."""

import struct
import sys
import zlib


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(dots, size=16):
    rows = b""
    for y in range(size):
        rows += b"\0"
        for x in range(size):
            level = 255 if y * size + x < dots else 0
            rows += bytes((level, level, level, 255))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


arguments = sys.argv[1:]
for name, dots in zip(arguments[::2], arguments[1::2]):
    with open(name, "wb") as file:
        file.write(png(int(dots)))
