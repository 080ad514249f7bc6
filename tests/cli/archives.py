#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Archives that rdmactl snapshot did not write, one per name, written to DIR/NAME.tar or .tar.gz.

usage: archives.py DIR

All but `good` and `plain` must be refused. Prints `NAME WORDS` for each: WORDS must be in the
message.
"""

import gzip
import io
import os
import sys
import tarfile

TOP = "rdmactl-snapshot"


def entry(name, kind=tarfile.REGTYPE, link="", data=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    return info, data


def device(name):
    info, data = entry(name, tarfile.CHRTYPE)
    info.devmajor, info.devminor = 10, 130
    return info, data


ROOT = "/".join((TOP, "root"))
GOOD = [
    entry(TOP + "/manifest.json", data=b"{}\n"),
    entry(ROOT + "/sys/class/infiniband", tarfile.DIRTYPE),
]
FILE = ROOT + "/sys/"
CASES = {
    "climbs": (entry(ROOT + "/sys/../../../../evil", data=b"x"), "climbs out"),
    "absolute": (entry("/tmp/rdmactl-evil", data=b"x"), "absolute path"),
    "outside": (entry("evil", data=b"x"), "not in the folder"),
    "top": (entry(ROOT + "/home/evil", data=b"x"), "no snapshot has"),
    "beside": (entry(TOP + "/evil", data=b"x"), "no snapshot has"),
    "script": (entry(TOP + "/netlink", data=b"x"), "no snapshot has"),
    "link-out": (entry(FILE + "l", tarfile.SYMTYPE, "../../../evil"), "leads out of the tree"),
    "link-absolute": (entry(FILE + "l", tarfile.SYMTYPE, "/etc/passwd"), "absolute path"),
    "link-empty": (entry(FILE + "l", tarfile.SYMTYPE, ""), "link to nothing"),
    "link-in-netlink": (entry(TOP + "/netlink/answers", tarfile.SYMTYPE, "x"), "no snapshot has"),
    "hard-link": (entry(FILE + "h", tarfile.LNKTYPE, TOP + "/manifest.json"), "hard link"),
    "device": (device(FILE + "d"), "neither file"),
    "fifo": (entry(FILE + "f", tarfile.FIFOTYPE), "neither file"),
    "twice": (entry(TOP + "/manifest.json", data=b"again"), "appears twice"),
    "below-file": (entry(TOP + "/manifest.json/x", data=b"x"), "no snapshot has"),
    "long-name": (entry(FILE + "n" * 300, data=b"x"), "255 bytes"),
    "long-path": (entry(FILE + "/".join(["n" * 100] * 12), data=b"x"), "1024 bytes"),
    "deep": (entry(FILE + "/".join(["n"] * 60), data=b"x"), "48 folders deep"),
}


def write(path, entries):
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data))


def through_link():
    """A member that would be written through a link, and one whose parent is a link."""
    return [
        entry(FILE + "a", tarfile.SYMTYPE, "class"),
        entry(FILE + "a/evil", data=b"x"),
    ]


def bomb(path):
    """A member with 65 MiB of zeros, which gzip makes small."""
    info, _ = entry(FILE + "big")
    info.size = 65 << 20
    with gzip.open(path, "wb", 1) as file:
        for one, data in GOOD:
            file.write(one.tobuf(tarfile.GNU_FORMAT) + data.ljust(-(-len(data) // 512) * 512, b"\0"))
        file.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(65):
            file.write(bytes(1 << 20))


def bombs(path):
    """Each is small enough, but together they have 520 MiB; the zeros are compressed only once."""
    zeros = gzip.compress(bytes(40 << 20), 1)
    with open(path, "wb") as file:
        for number in range(13):
            info, _ = entry("%sbig%d" % (FILE, number))
            info.size = 40 << 20
            file.write(gzip.compress(info.tobuf(tarfile.GNU_FORMAT)) + zeros)


def main():
    place = sys.argv[1]
    write(os.path.join(place, "good.tar"), GOOD)
    for name, (one, words) in CASES.items():
        write(os.path.join(place, name + ".tar"), [*GOOD, one])
        print(name + ".tar", words)
    write(os.path.join(place, "through-link.tar"), GOOD + through_link())
    print("through-link.tar appears twice")
    write(os.path.join(place, "no-root.tar"), GOOD[:1])
    print("no-root.tar not a snapshot")
    write(os.path.join(place, "empty.tar"), [])
    print("empty.tar empty")
    bomb(os.path.join(place, "bomb.tar.gz"))
    print("bomb.tar.gz larger than 64 MiB")
    bombs(os.path.join(place, "bombs.tar.gz"))
    print("bombs.tar.gz larger than 512 MiB")


main()
