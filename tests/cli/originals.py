#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Looks for everything that identifies a host in an anonymised snapshot of it.

usage: originals.py TREE FOLDER [WORD...]

Collects every GUID, GID, MAC and IP address, name and serial number in the files of TREE, and the
WORDs, and prints each that is still in FOLDER, in any form: with and without colons, after 0x, in
upper case, as bytes in either order, also within recordings. The last line is `N originals`.
"""

import glob
import ipaddress
import os
import re
import sys

ADDRESS = re.compile(
    rb"(?<![0-9A-Za-z:])(?:(?:[0-9a-f]{2}:){19}[0-9a-f]{2}|(?:[0-9a-f]{4}:){7}[0-9a-f]{4}"
    rb"|(?:[0-9a-f]{4}:){3}[0-9a-f]{4}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2})(?![0-9A-Za-z:])"
)
SERIAL = re.compile(rb"(?i)\bserial(?: number)?: *(\w*[0-9]\w*)")
RECORDINGS = ("netlink/answers", "verbs/answers")
HOST = re.compile(r"(?!mlx|hfi|qib|rxe|siw|cxgb|irdma|smi|bnxt)[a-z]+-?[a-z]*[0-9]+$")
WELL_KNOWN = re.compile(r"^(?:f|0|fe80)*0*1?$|^ff|^01")


def contents(top, below=""):
    for entry in os.scandir(os.path.join(top, below)):
        name = os.path.join(below, entry.name)
        yield name.encode("utf-8", "surrogateescape")
        if entry.is_symlink():
            yield os.fsencode(os.readlink(entry.path))
        elif entry.is_dir():
            yield from contents(top, name)
        elif entry.is_file():
            with open(entry.path, "rb", buffering=0) as file:
                data = file.read()
            yield data
            if name.endswith(RECORDINGS):
                yield recorded(data)


def recorded(data):
    """The payloads of a recording, as bytes: every line ends with one, except the last line of a
    group."""
    words = [line.split()[-1] for line in data.splitlines()[1:]]
    return b"\0\0\0".join(bytes.fromhex(word.decode()) for word in words if word not in (b"end", b"-"))


def forms(digits):
    """All ways to write an address, which is given as hexadecimal digits."""
    raw = bytes.fromhex(digits)
    yield digits
    for size in (2, 4):
        yield ":".join(digits[i : i + size] for i in range(0, len(digits), size))
    if len(raw) == 16:
        yield str(ipaddress.IPv6Address(raw))
        if raw[:12] == bytes(10) + b"\xff\xff":
            yield str(ipaddress.IPv4Address(raw[12:]))
    if len(raw) == 6:
        eui = bytes([raw[0] ^ 2]) + raw[1:3] + b"\xff\xfe" + raw[3:]
        yield eui.hex()
        yield ":".join(eui.hex()[i : i + 4] for i in range(0, 16, 4))


def raw_address(word):
    """The bytes of an address that was given as a word, or None if it is something else."""
    if re.fullmatch(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|(?:[0-9a-f]{4}:){3}[0-9a-f]{4}", word):
        return bytes.fromhex(word.replace(":", ""))
    try:
        return ipaddress.ip_address(word).packed
    except ValueError:
        return None


def originals(tree, words):
    texts, binary, saved = set(words), set(), b"\0\0\0".join(contents(tree))
    texts.update(match.group(1).decode() for match in SERIAL.finditer(saved))
    for raw in map(raw_address, words):
        if raw and len(raw.strip(b"\0")) > 3:
            binary.update((raw, raw[::-1]))
    for match in ADDRESS.finditer(saved):
        digits = match.group(0).decode().replace(":", "")
        parts = [digits]
        if len(digits) == 40:
            parts = [digits[8:], digits[24:]]
        elif len(digits) == 32 and digits[16:].strip("0") and digits[22:26] == "fffe":
            parts.append(digits[16:])
        for part in parts:
            if WELL_KNOWN.match(part) or part.startswith("0" * 16 + "0000ffff00"):
                continue
            texts.update(forms(part))
            raw = bytes.fromhex(part)
            if len(raw.strip(b"\0")) > 3:
                binary.update((raw, raw[::-1]))
    return texts, binary


def described(tree):
    """The names of hosts in the node descriptions."""
    words = set()
    for path in glob.glob(os.path.join(tree, "sys/class/infiniband/*/node_desc")):
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                words.update(word for word in re.split(r"[ \t\n]+", file.read()) if HOST.match(word))
    return sorted(words)


def left(tree, folder, words):
    """What is left of the originals, and their number."""
    found = []
    texts, binary = originals(tree, words)
    haystack = b"\0\0\0".join(contents(folder))
    lower = haystack.lower()
    for text in sorted(texts):
        word = text.lower().encode()
        pattern = rb"(?<![0-9a-z])" + re.escape(word) + rb"(?![0-9a-z])"
        if word in lower and (len(text) > 11 or re.search(pattern, lower)):
            found.append("left: " + text)
    found += ["left: bytes " + raw.hex() for raw in binary if raw in haystack]
    return found, len(texts)


def main():
    found, count = left(sys.argv[1], sys.argv[2], sys.argv[3:])
    print("".join(line + "\n" for line in found) + "%d originals" % count)


if __name__ == "__main__":
    main()
