#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes subnet management attributes, so that tables have other values than their defaults.

A client of the simulator like any other, based on libibmad: reads lines `ROUTE ATTRIBUTE MODIFIER
HEX` (a directed route, numbers, the 64 bytes) and prints those that were refused.
"""

import ctypes
import sys

CLASSES = (ctypes.c_int * 2)(1, 0x81)  # subnet management, by LID and by directed route
BY_ROUTE = 1  # enum MAD_DEST of infiniband/mad.h: IB_DEST_DRPATH
PORTID_BYTES = 512  # more than an ib_portid_t has


def main():
    mad = ctypes.CDLL('libibmad.so.5')
    mad.mad_rpc_open_port.restype = ctypes.c_void_p
    mad.smp_set_via.restype = ctypes.c_void_p
    port = mad.mad_rpc_open_port(None, 0, CLASSES, 2)
    if not port:
        sys.exit('no port')
    port = ctypes.c_void_p(port)
    failed = 0
    for line in sys.stdin:
        route, attribute, modifier, data = line.split()
        portid = ctypes.create_string_buffer(PORTID_BYTES)
        buffer = ctypes.create_string_buffer(bytes.fromhex(data).ljust(64, b'\0'), 256)
        if mad.ib_resolve_portid_str_via(portid, route.encode(), BY_ROUTE, None, port):
            sys.exit('no route ' + route)
        if not mad.smp_set_via(buffer, portid, int(attribute, 0), int(modifier, 0), 1000, port):
            print(' '.join((route, attribute, modifier)))
            failed += 1
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
