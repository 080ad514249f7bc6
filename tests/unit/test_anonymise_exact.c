/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What exactly anonymising turns addresses, words, names, texts and files into under one key,
 * according to another implementation: archives under one key agree, even across versions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "route_text.h"
#include "snapshot/anonymise/anonymise.h"

/* Before and after, in hexadecimal. */

static const char *const macs[][2] = {
	{"0c42a1a1b2c0", "0c42a16c6ca0"}, {"0c42a1a1b2cf", "0c42a16c6caf"},
	{"000000000001", "0000008f8b81"}, {"020000000000", "0200008f8b80"},
	{"ffffffffffff", "ffffffffffff"}, {"01005e000001", "01005e000001"},
	{"000000000000", "000000000000"}, {"fe0000fffff0", "fe00008cce90"},
	{"3333ffa1b2c0", "3333ff6c6ca0"},
};

static const char *const guids[][2] = {
	{"0000000000000000", "0000000000000000"}, {"0c42a1fffea1b2c0", "0c42a1fffe6c6ca0"},
	{"0c42a10300a1b2c0", "0c42a103006c6ca0"}, {"0c42a10200a1b2c1", "0c42a102006c6ca1"},
	{"0c42a10000a1b2c2", "0c42a100006c6ca2"}, {"0c42a1ffffa1b2c3", "0c42a1ffff6c6ca3"},
	{"0011750101a1b2c4", "00117501016c6ca4"}, {"0011750102a1b2c5", "00117501026c6ca5"},
	{"0c42a1a1b2c00000", "0c42a16c6ca00000"}, {"043f721122300000", "043f72b706200000"},
	{"043f721122310000", "b3de7d05c754d420"}, {"0c42a1a1b2c00001", "7b1c7ed0309a3e61"},
	{"0c42a10301a1b2c0", "2594cb6ef1e9fed0"}, {"0c42a10103a1b2c0", "551203001a18d200"},
	{"1122334455667788", "88e165377dd1f718"}, {"1122334455667789", "88e165377dd1f719"},
	{"0000000000000001", "00000000008f8b81"},
};

static const char *const ipv4s[][2] = {
	{"00000000", "00000000"}, {"00ffffff", "00ffffff"}, {"01020304", "4f031a46"},
	{"08080808", "9c53990c"}, {"09ffffff", "ad3bc52e"}, {"0a010203", "0af22612"},
	{"0affffff", "0a307c35"}, {"0b000000", "295d1d1e"}, {"7effffff", "375b79e5"},
	{"7f000001", "7f000001"}, {"7fffffff", "7fffffff"}, {"80000001", "a5981a2a"},
	{"a8010203", "707a0944"}, {"a9fdffff", "a9fd1f3a"}, {"a9fe0102", "a9fed71e"},
	{"a9ff0000", "a9ff3ab7"}, {"ac0fffff", "ac007803"}, {"ac100001", "ac1e9048"},
	{"ac1fffff", "ac1481ea"}, {"ac200000", "ac3c45ee"}, {"c0a7ffff", "c0a2fe42"},
	{"c0a80001", "c0a8fbce"}, {"c0a8ffff", "c0a830fe"}, {"c0a90000", "c0a9bad1"},
	{"c6336401", "1a28d921"}, {"dfffffff", "86da8644"}, {"e0000001", "e0000001"},
	{"ffffffff", "ffffffff"},
};

static const char *const gids[][2] = {
	{"00000000000000000000000000000000", "00000000000000000000000000000000"},
	{"ff12401b000000000000000000000001", "ff12401b000000000000000000000001"},
	{"ff0200000000000000000001ffa1b2c0", "ff0200000000000000000001ff6c6ca0"},
	{"fe800000000000000000000000000001", "fe800000000000000000000000000001"},
	{"00000000000000000000ffff0a010203", "00000000000000000000ffff0af22612"},
	{"00000000000000000000fffe0a010203", "000000000000000089a095e880520123"},
	{"00000000000000000001ffff0a010203", "0000000000000000240580f50c55d433"},
	{"0c42a1a1b2c000000000000000000000", "0c42a16c6ca000000000000000000000"},
	{"0c42a1a1b2c100000000000000000000", "0c3bfc46071500000000000000000000"},
	{"0c42a1a1b2c000000000000000000001", "0c44a9d6faef00000000000000000001"},
	{"0c42a1a1b2c001000000000000000000", "0c44a9d6faef01000000000000000000"},
	{"fe800000000000000e42a1fffea1b2c0", "fe800000000000000e42a1fffe6c6ca0"},
	{"fe8000000000000000000000000000ff", "fe8000000000000000000000000000ff"},
	{"fe80000000000000000000000000ffff", "fe80000000000000000000000000ffff"},
	{"fe80000000000000000000000001ffff", "fe800000000000000000000000c248df"},
	{"fe800000000000010c42a10300a1b2c0", "fe800000000000010c42a103006c6ca0"},
	{"fe800000000001000c42a10300a1b2c0", "fe80f33d9e2dcdf80c42a103006c6ca0"},
	{"fec00000000000171122334455667788", "fec000000000001788e165377dd1f718"},
	{"20010db8000100020000000000000001", "20010db88f7b00020000000000000001"},
	{"26001412000000071122334455667788", "20010db8d13c000788e165377dd1f718"},
	{"3fff0000000000000000000000000000", "20010db8191600000000000000000000"},
	{"40000000000000000000000000000001", "407e4c8503c100000000000000000001"},
	{"1fff0000000000000000000000000001", "1fe4424ebe2600000000000000000001"},
	{"fd001234567800090c42a10300a1b2c0", "fd262f3f176600090c42a103006c6ca0"},
	{"00000000000000010c42a10300a1b2c0", "00bac69fca7900010c42a103006c6ca0"},
};

/* Digits become digits, and letters become letters of the same kind. */
static const char *const words[][2] = {
	{"MT1843X01234-z", "HV0312A96363-e"},
	{"abcdefgxyz ABCDEFGXYZ 0123456789", "befdfenwvq FBFEUKSXCI 4187745727"},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ddcefefffbfccfabddcbadfebadcafafd"},
	{"Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9", "I9P3D8R6C0X9F7N6L2I4S6I8D7L7M5J1Q3"},
	{"", ""},
	{"9", "4"},
};

/* Texts after the learning, and whether four numbers with dots between them are an address. */
static const struct {
	const char *before, *after;
	bool ipv4;
} texts[] = {
	{"a 0c42:a103:00a1:b2c0.", "a 0c42:a103:006c:6ca0.", false},
	{"=0c42:a103:00a1:b2c0,0c:42:a1:a1:b2:c0", "=0c42:a103:006c:6ca0,0c:42:a1:6c:6c:a0", false},
	{"0x0c42a10300a1b2c0", "0x0c42a103006c6ca0", false},
	{"0C42A10300A1B2C0", "0C42A103006C6CA0", false},
	{"0x0c42A10300a1b2c0 ", "0x0C42A103006C6CA0 ", false},
	{"0C:42:a1:a1:b2:c9", "0C:42:A1:6C:6C:A9", false},
	{"enx0c42a1a1b2c5 enx0c42a10300a1b2c7", "enx0c42a16c6ca5 enx0c42a103006c6ca7", false},
	{"rocex0c42a1a1b2c5 rocex0c42a10300a1b2c7", "rocex0c42a16c6ca5 rocex0c42a103006c6ca7",
	 false},
	{"ibx0c42a1a1b2c5 ibx0c42a10300a1b2c7", "ibx0c42a16c6ca5 ibx0c42a103006c6ca7", false},
	{"ibpx0c42a1a1b2c5 ibpx0c42a10300a1b2c7", "ibpx0c42a16c6ca5 ibpx0c42a103006c6ca7", false},
	{"iwx0c42a1a1b2c5 iwx0c42a10300a1b2c7", "iwx0c42a16c6ca5 iwx0c42a103006c6ca7", false},
	{"opax0c42a1a1b2c5 opax0c42a10300a1b2c7", "opax0c42a16c6ca5 opax0c42a103006c6ca7", false},
	{"enx0C42A1A1B2C5", "enx0C42A16C6CA5", false},
	{"enx0c42a1a1b2c", "enx0c42a1a1b2c", false},
	{"enx0c42a1a1b2c0d", "enx0c42a1a1b2c0d", false},
	{"enx0c42a1a1b2c0g", "enx0c42a1a1b2c0g", false},
	{"enx0c42a1a1b2c0: renamed", "enx0c42a16c6ca0: renamed", false},
	{"infiniband rocex0c42a10300a1b2c7: up", "infiniband rocex0c42a103006c6ca7: up", false},
	{"from 0c:42:a1:a1:b2:c9: up", "from 0c:42:a1:6c:6c:a9: up", false},
	{"0c:42:a1:a1:b2:c9:eth0 fe80::e42:a1ff:fea1:b2c0:",
	 "0c:42:a1:6c:6c:a9:eth0 "
	 "fe80::e42:a1ff:fe6c:6ca0:",
	 false},
	{"mac:0c:42:a1:a1:b2:c9, gid:fe80:0000:0000:0000:0e42:a1ff:fea1:b2c0 "
	 "my_addr:fe80::e42:a1ff:fea1:b2c0",
	 "mac:0c:42:a1:6c:6c:a9, gid:fe80:0000:0000:0000:0e42:a1ff:fe6c:6ca0 "
	 "my_addr:fe80::e42:a1ff:fe6c:6ca0",
	 false},
	{"0xc42a1a1b2c0 0xc42a10300a1b2c0 0xC42A10300A1B2C0 0xc42a10300a1b2c1",
	 "0xc42a16c6ca0 0xc42a103006c6ca0 0xC42A103006C6CA0 0xc42a10300a1b2c1", false},
	{"traddr=nn-0x20000c42a1a1b2c0:pn-0x10000c42a1a1b2c0,host_traddr=nn-0x1:pn-0x2",
	 "traddr=nn-0xc29e5a4989381520:pn-0xdf59794bb3f7c1c0,host_traddr=nn-0x1:pn-0x2", false},
	{"ff12601bffff000000000001ffa1b2c0 ff02::1:ffa1:b2c0 ff02::1:ff 33:33:00:a1:b2:c0",
	 "ff12601bffff000000000001ff6c6ca0 ff02::1:ff6c:6ca0 ff02::1:ff 33:33:00:a1:b2:c0", false},
	{"0c-42-a1-a1-b2-c9, (0C-42-A1-A1-B2-C9) 0c-42-a1-a1-b2-c 0c-42-a1-a1-b2-c9-1 "
	 "0c-42-a1a1b2-c-9",
	 "0c-42-a1-6c-6c-a9, (0C-42-A1-6C-6C-A9) 0c-42-a1-a1-b2-c 0c-42-a1-a1-b2-c9-1 "
	 "0c-42-a1a1b2-c-9",
	 false},
	{"PCI:0000:5d:00: GPU 12:34:56:ab", "PCI:0000:5d:00: GPU 12:34:56:ab", false},
	{"enx0c42a10300a1b2c7aa", "enx0c42a10300a1b2c7aa", false},
	{"xenx0c42a1a1b2c5", "xenx0c42a1a1b2c5", false},
	{"en0c42a1a1b2c5", "en0c42a1a1b2c5", false},
	{"0x0c42a1a1b2c1", "0x0c42a1a1b2c1", false},
	{"0x0c42a10300a1b2c1", "0x0c42a10300a1b2c1", false},
	{"0x", "0x", false},
	{"enx", "enx", false},
	{"0x0c42a1a1b2c0-enx0c42a1a1b2c0", "0x0c42a16c6ca0-enx0c42a16c6ca0", false},
	{"0x0c42a1a1b2c0,ibxfe800000000000000c42a10300a1b2c0",
	 "0x0c42a16c6ca0,ibxfe800000000000000c42a103006c6ca0", false},
	{"fe80::e42:a1ff:fea1:b2c0", "fe80::e42:a1ff:fe6c:6ca0", false},
	{"fe80:0:0:0:e42:a1ff:fea1:b2c0", "fe80::e42:a1ff:fe6c:6ca0", false},
	{"to 2001:db8:1:2::1 [2600:1412::7]", "to 2001:db8:8f7b:2::1 [2001:db8:d13c::7]", false},
	{"fe80:0000:0000:0000:0e42:a1ff:fea1:b2c0", "fe80:0000:0000:0000:0e42:a1ff:fe6c:6ca0",
	 false},
	{"fe800000000000000e42a1fffea1b2c0", "fe800000000000000e42a1fffe6c6ca0", false},
	{"febf0000000000000e42a1fffea1b2c0", "febf0000000000000e42a1fffe6c6ca0", false},
	{"fec00000000000000e42a1fffea1b2c0", "fec00000000000000e42a1fffea1b2c0", false},
	{"ff800000000000000e42a1fffea1b2c0", "ff800000000000000e42a1fffea1b2c0", false},
	{"20010db8000100020e42a1fffea1b2c0", "20010db8000100020e42a1fffea1b2c0", false},
	{"20010db8000100020c42a10300a1b2c0", "20010db88f7b00020c42a103006c6ca0", false},
	{"00001029fe80000000000000248a070300b3e1f0", "00001029fe80000000000000248a0703006b3150",
	 false},
	{"00001029fe80000000000000248a070300b3e1f2", "00001029fe80000000000000248a070300b3e1f2",
	 false},
	{"00001029fe80000000000000248a070300b3e1f000", "00001029fe80000000000000248a070300b3e1f000",
	 false},
	{"00c42a10300a1b2c0", "00c42a10300a1b2c0", false},
	{"0c42a10300a1b2c00", "0c42a10300a1b2c00", false},
	{"0c42a10300a1b2c", "0c42a10300a1b2c", false},
	{"00:00:10:29:fe:80:00:00:00:00:00:00:24:8a:07:03:00:b3:e1:f0",
	 "00:00:10:29:fe:80:00:00:00:00:00:00:24:8a:07:03:00:6b:31:50", false},
	{"00:00:10:29:fe:80:00:00:00:00:00:00:24:8a:07:03:00:b3:e1:aa",
	 "00:00:10:29:fe:80:00:00:00:00:00:00:24:8a:07:03:00:00:b6:2a", false},
	{"24:8a:07:03:00:b3:e1:f1", "24:8a:07:03:00:6b:31:51", false},
	{"248a070300b3e1f1 248a070300b3e1f0", "248a0703006b3151 248a0703006b3150", false},
	{"fe80:0000:0000:0000:0c42:a103:00a1:b2c0:ffff",
	 "fe80:0000:0000:0000:0c42:a103:006c:6ca0:ffff", false},
	{"fe80:0000:0000:0000:0c42:a103:00a1:b2c1:ffff",
	 "fe80:0000:0000:0000:0c42:a103:00a1:b2c1:ffff", false},
	{"01:0c:42:a1:a1:b2:c0", "01:0c:42:a1:6c:6c:a0", false},
	{"0c:42:a1:a1:b2:c0:01", "0c:42:a1:6c:6c:a0:01", false},
	{"01:0c:42:a1:a1:b2:c1", "01:0c:42:a1:a1:b2:c1", false},
	{"010c:42:a1:a1:b2:c0", "010c:42:a1:a1:b2:c0", false},
	{":0c42:a103:00a1:b2c0:0c42:a103:00a1:b2c0:1", ":0c42:a103:006c:6ca0:0c42:a103:006c:6ca0:1",
	 false},
	{"1:0c42:a103:00a1:b2c0", "1:0c42:a103:006c:6ca0", false},
	/* After a dash or an underscore, with or without colons. */
	{"hca-0c42:a103:00a1:b2c0 hca_0c42a10300a1b2c0-1 x-0c42a1a1b2c0 a0c42a10300a1b2c0",
	 "hca-0c42:a103:006c:6ca0 hca_0c42a103006c6ca0-1 x-0c42a16c6ca0 a0c42a10300a1b2c0", false},
	{"hca-0c42a10300a1b2c1 eth_0x0c42a10300a1b2c0",
	 "hca-0c42a10300a1b2c1 eth_0x0c42a103006c6ca0", false},
	/* Before the number of a port, an address that was not seen elsewhere. */
	{"0c42:a103:00a1:b2c3:1 (0c42:a103:00a1:b2c3:255) 0c42:a103:00a1:b2c3:4444",
	 "0c42:a103:006c:6ca3:1 (0c42:a103:006c:6ca3:255) 0c42:a103:00a1:b2c3:4444", false},
	{"fe80:0000:0000:0000:0c42:a103:00a1:b2c3:1", "fe80:0000:0000:0000:0c42:a103:006c:6ca3:1",
	 false},
	{"0000:3b:00.0", "0000:3b:00.0", true},
	{"12:34:56", "12:34:56", true},
	{"2026-01-01T12:34:56Z", "2026-01-01T12:34:56Z", true},
	{"::1", "::1", true},
	{"::", "::", true},
	{"fe80::1", "fe80::1", true},
	{"a:b", "a:b", true},
	{"ab", "ab", true},
	{"0::/", "0::/", true},
	{"x0c:42:a1:a1:b2:c0", "x0c:42:a1:6c:6c:a0", true},
	{"mac0C:42:A1:A1:B2:C0: up", "mac0C:42:A1:6C:6C:A0: up", true},
	{"-0c:42:a1:a1:b2:c0", "-0c:42:a1:6c:6c:a0", true},
	{"_0c:42:a1:a1:b2:c0", "_0c:42:a1:6c:6c:a0", true},
	{"0c:42:a1:a1:b2:c0g", "0c:42:a1:6c:6c:a0g", true},
	{"x0c:42:a1:a1:b2 xy:0c:42:a1:a1:b2", "x0c:42:a1:a1:b2 xy:0c:42:a1:a1:b2", true},
	{"0c42.a1a1.b2c0, (0C42-A1A1-B2C9) 0c42.a1a1.b2c0.",
	 "0c42.a16c.6ca0, (0C42-A16C-6CA9) 0c42.a16c.6ca0.", true},
	{"0c42.a103.00a1.b2c9, (0C-42-A1-03-00-A1-B2-C9) 0c42-a103-00a1-b2c0.",
	 "0c42.a103.006c.6ca9, (0C-42-A1-03-00-6C-6C-A9) 0c42-a103-006c-6ca0.", true},
	{"0c42.a103.00a1.b2c9.1 2024.1231.0001.1231", "0c42.a103.00a1.b2c9.1 2024.1231.0001.1231",
	 true},
	{"fe80:0000:0000:0000, 0xfe80000000000000", "fe80:0000:0000:0000, 0xfe80000000000000",
	 true},
	{"0x00000000000000050c42a10300a1b2c0 0x0c42a10300a1b2c00000000000000005",
	 "0x00bac69fca7900050c42a103006c6ca0 0x0c42a103006c6ca00000000000000005", true},
	{"0c42.a1a1.b2c0.1 1.0c42.a1a1.b2c0 x0c42.a1a1.b2c0 0c42.a1a1.b2c 0c42-a1a1-b2c0-1",
	 "0c42.a1a1.b2c0.1 1.0c42.a1a1.b2c0 x0c42.a1a1.b2c0 0c42.a1a1.b2c 0c42-a1a1-b2c0-1", true},
	/* Without letters, it is an address only if it was seen elsewhere. */
	{"2024.1231.0001 043f.7211.2230", "2024.1231.0001 043f.72b7.0620", true},
	{"1:2:3:4:5:6:7", "1:2:3:4:5:6:7", true},
	{"1234567890123456", "1234567890123456", true},
	{"", "", true},
	{"0c:42:a1:a1:b2:c0-1", "0c:42:a1:6c:6c:a0-1", false},
	{"1:2:3:4:5:6:7:8", "7d:b7b0:308b:4:90ef:9c1a:199d:d698", false},
	{"at 1.1.1.1, 1.1.1.1", "at 79.1.143.21, 79.1.143.21", true},
	{"1.1.1.1", "1.1.1.1", false},
	{"at 10.1.2.3, 10.1.2.3", "at 10.242.38.18, 10.242.38.18", true},
	{"10.1.2.3", "10.1.2.3", false},
	{"at 192.168.100.200, 192.168.100.200", "at 192.168.181.225, 192.168.181.225", true},
	{"192.168.100.200", "192.168.100.200", false},
	{"1.10.1.2.3", "1.10.1.2.3", true},
	{"MLNX_OFED_LINUX-23.10-1.1.9.0 (23.10-1.1.9.0)",
	 "MLNX_OFED_LINUX-23.10-1.1.9.0 (23.10-1.1.9.0)", true},
	{"23.10-10.1.2.3 1.2-192.168.100.200", "23.10-10.242.38.18 1.2-192.168.181.225", true},
	{"MGC10.1.2.3@o2ib_0: nid_10.1.2.3@tcp", "MGC10.242.38.18@o2ib_0: nid_10.242.38.18@tcp",
	 true},
	{"MGC10.1.2.3: n10.1.2@tcp", "MGC10.1.2.3: n10.1.2@tcp", true},
	{"[::ffff:10.1.2.3]:4420 ::ffff:10.1.2.3.",
	 "[::ffff:10.242.38.18]:4420 ::ffff:10.242.38.18.", true},
	{"2001:db8:1:2::1.443 ::10.1.2.3x", "2001:db8:8f7b:2::1.443 ::10.1.2.3x", false},
	{"10.1.2.3-10.1.2.3 7-10.1.2.3 rack7.2-10.1.2.3",
	 "10.242.38.18-10.242.38.18 7-10.242.38.18 rack7.2-10.242.38.18", true},
	{"10.1.2.3-9, 10.1.2.3-9. 10.1.2.3-9.1, 10.1.2.3-9x, 10.1.2.3-1000",
	 "10.242.38.*, 10.242.38.*. 10.242.38.18-9.1, 10.242.38.18-9x, 10.242.38.18-1000", true},
	{"10.1.2.3.4", "10.1.2.3.4", true},
	{"x10.1.2.3", "x10.1.2.3", true},
	{"10.1.2", "10.1.2", true},
	{"10.1.2.256", "10.1.2.256", true},
	{"1.2.3.", "1.2.3.", true},
	{"127.0.0.1", "127.0.0.1", true},
	{"-10.1.2.3", "-10.242.38.18", true},
	{"10.1.2.3/24 =10.1.2.3:80", "10.242.38.18/24 =10.242.38.18:80", true},
	{"gpu17 GPU17, gpu17.", "host-319d85f9 host-319d85f9, host-319d85f9.", false},
	{"gpu17.example.org gpu17.example GPU17.Example.org.",
	 "host-319d85f9 host-319d85f9.example host-319d85f9.", false},
	{"on node5/rack-7:Xyz", "on host-e62ae077/host-fafb1e26:host-cea2767d", false},
	{"example org HCA-2 12 x mlx5_0 1.2 nodes5 node55 anode5 node5-1 -node5 node5_ rack "
	 "rack-71 xyz1",
	 "example org HCA-2 12 x mlx5_0 1.2 nodes5 node55 anode5 node5-1 -node5 node5_ rack "
	 "rack-71 xyz1",
	 false},
};

/* Files, with the results for both path and text. */
static const struct {
	const char *path, *text, *path_after, *after;
} files[] = {
	{"root/proc/net/route",
	 "Iface\tDestination\tGateway\neth0\t000200C0\t010200C0\t0003\t1\t2\t100\t00FFFFFF\t0\t0\t5"
	 "\nib0\t0302010A\t0102010A\t1\t4\t5\t6\tFFFFFFFF\nib0\t1\t2\n",
	 "root/proc/net/route",
	 "Iface\tDestination\tGateway\neth0\t00C06EC0\tA1C06EC0\t0003\t1\t2\t100\t00FFFFFF\t0\t0\t5"
	 "\nib0\t1226F20A\t1026F20A\t0001\t4\t5\t6\tFFFFFFFF\nib0\t1\t2\n"},
	{"root/proc/7/cgroup", "0::/user.slice/ab12/job.service\n3:cpu:/.service/x.services\n",
	 "root/proc/7/cgroup",
	 "0::/group-c4dc8923d717/group-bba11ce34deb/job.service\n3:cpu:/group-30a22c212094/"
	 "group-476d263ce263\n"},
	{"root/sys/class/net/e/phys_switch_id", "248a07b3e1f0\n",
	 "root/sys/class/net/e/phys_switch_id", "248a076b3150\n"},
	{"root/sys/class/net/f/phys_switch_id", "248a070300b3e1f1",
	 "root/sys/class/net/f/phys_switch_id", "248a0703006b3151"},
	{"root/sys/class/net/h/phys_switch_id", "f1e1b30003078a24\n",
	 "root/sys/class/net/h/phys_switch_id", "51316b0003078a24\n"},
	{"root/sys/class/net/g/phys_switch_id", "248a070300b3e1f10 \n",
	 "root/sys/class/net/g/phys_switch_id", "764f471759c1d5b61 \n"},
	{"root/sys/class/net/e/phys_port_id", "248a07b3e1fg\t\n",
	 "root/sys/class/net/e/phys_port_id", "104d87e1a7ft\t\n"},
	{"root/sys/x/serial_number", "MT1843X01234\n", "root/sys/x/serial_number",
	 "VY0339V78843\n"},
	{"root/sys/class/infiniband/hfi1_0/serial", "0x00b3e1f4\n",
	 "root/sys/class/infiniband/hfi1_0/serial", "0x006b3154\n"},
	{"root/sys/class/infiniband/hfi1_1/serial", "0xffb3e1f4",
	 "root/sys/class/infiniband/hfi1_1/serial", "0xff6b3154"},
	{"root/sys/class/infiniband/hfi1_2/serial", "0x00b3e1f4a\n",
	 "root/sys/class/infiniband/hfi1_2/serial", "4m79a7e2f9e\n"},
	{"root/sys/class/infiniband/hfi1_3/serial", "1x00b3e1f4\n",
	 "root/sys/class/infiniband/hfi1_3/serial", "3w08e2e4b4\n"},
	{"root/sys/class/infiniband/hfi1_4/serial_number", "0x00b3e1f4\n",
	 "root/sys/class/infiniband/hfi1_4/serial_number", "3x41f4d0c0\n"},
	{"root/sys/class/kfd/kfd/topology/nodes/1/properties",
	 "a 1\nhive_id 0\nunique_id 1234567890123\nsimd 4\n",
	 "root/sys/class/kfd/kfd/topology/nodes/1/properties",
	 "a 1\nhive_id 0\nunique_id 7995421977654\nsimd 4\n"},
	{"root/sys/class/kfd/kfd/topology/nodes/2/properties", "hive_id 1234567890123\n",
	 "root/sys/class/kfd/kfd/topology/nodes/2/properties", "hive_id 7995421977654\n"},
	{"root/sys/class/net/tun/address", "c0:00:02:07\n", "root/sys/class/net/tun/address",
	 "c0:6e:c0:a7\n"},
	{"root/sys/class/net/tun/broadcast", "20:01:0d:b8:00:00:00:01:02:11:22:ff:fe:33:44:55",
	 "root/sys/class/net/tun/broadcast", "20:01:0d:b8:14:d6:00:01:02:11:22:ff:fe:28:d9:75"},
	{"root/sys/class/net/enx0c42a1a1b2c0/address", "0c:42:a1:a1:b2:c0\n",
	 "root/sys/class/net/enx0c42a16c6ca0/address", "0c:42:a1:6c:6c:a0\n"},
	{"root/sys/class/net/gpu17/mtu", "gpu17 10.1.2.3\n", "root/sys/class/net/host-319d85f9/mtu",
	 "host-319d85f9 10.1.2.3\n"},
	{"root/proc/sys/kernel/hostname", "gpu17.example.org\n", "root/proc/sys/kernel/hostname",
	 "host-319d85f9\n"},
	{"root/sys/class/infiniband/m/node_desc", "net HCA-1\n",
	 "root/sys/class/infiniband/m/node_desc", "host-91e22178 HCA-1\n"},
	/* The name of the device stays. */
	{"root/sys/class/infiniband/ibp23s0/node_desc", "net ibp23s0\n",
	 "root/sys/class/infiniband/ibp23s0/node_desc", "host-91e22178 ibp23s0\n"},
	{"root/proc/net/bonding/bond0", "at 10.1.2.3 net\n", "root/proc/net/bonding/bond0",
	 "at 10.242.38.18 host-91e22178\n"},
	/* Words of letters only are names there, and elsewhere only if nothing else is there. */
	{"root/sys/class/infiniband/n/node_desc", "Switch of (rack9), 0c42:a103:00a1:b2c0 HCA-1\n",
	 "root/sys/class/infiniband/n/node_desc",
	 "host-62e6662b host-c0209ab6 (host-e1a46a64), 0c42:a103:006c:6ca0 HCA-1\n"},
	{"root/sys/class/infiniband/o/node_desc", "athena", "root/sys/class/infiniband/o/node_desc",
	 "host-0cff2af4"},
	/* Marks other than blanks are between words, too. */
	{"root/sys/class/infiniband/p/node_desc",
	 "Acme/athena rack9:Acme 0c42:a103:00a1:b2c0/Acme\n",
	 "root/sys/class/infiniband/p/node_desc",
	 "host-800da690/host-0cff2af4 host-e1a46a64:host-800da690 "
	 "0c42:a103:006c:6ca0/host-800da690\n"},
	{"root/proc/net/bonding/bond1", "switch of rack9, athena\n", "root/proc/net/bonding/bond1",
	 "switch of host-e1a46a64, host-0cff2af4\n"},
	/* A NUMA node may have the name of a host. */
	{"root/sys/devices/system/node/node5/cpulist", "0-3\n",
	 "root/sys/devices/system/node/node5/cpulist", "0-3\n"},
	{"root/etc/nccl.conf",
	 "# gpu17\nNCCL_IB_HCA=mlx5_0\nNCCL_TOPO_FILE=/home/alice/t.xml\nNCCL_IB_GID_INDEX=3\n"
	 "NCCL_IB_TC=106\nNCCL_IB_DISABLE=1\nNCCL_NET=Socket\nNCCL_NET_PLUGIN=alice\n",
	 "root/etc/nccl.conf",
	 "NCCL_IB_HCA=mlx5_0\nNCCL_IB_GID_INDEX=3\nNCCL_IB_TC=106\nNCCL_IB_DISABLE=1\n"
	 "NCCL_NET=Socket\n"},
	{"root/etc/libibverbs.d/mlx5.driver",
	 "# of alice\ndriver mlx5 # alice\n driver /home/alice/libmlx5\nalice\n"
	 "driver /home/alice/libalice\ndriver alice/librxe\ndriver /alice/libmlx5.so\n"
	 "driver /opt/mlx5\ndriver /librxe\n",
	 "root/etc/libibverbs.d/mlx5.driver",
	 "driver mlx5\ndriver /xjce/fiecc/libmlx5\n"
	 "driver /fmic/ddpdf/cvcalkac\ndriver cphbf/librxe\ndriver /evxfd/ehaskm5.rc\n"
	 "driver /doi/iyq5\ndriver /librxe\n"},
	{"root/etc/ld.so.conf",
	 "# of alice\ninclude ld.so.conf.d/*.conf /etc/ld.so.conf.d/* /home/alice/*.conf "
	 "ld.so.conf.d/alice*.conf # alice\n/home/alice/lib\n\t/usr/local/lib64/ # alice\n"
	 "/usr/local/alice\n",
	 "root/etc/ld.so.conf",
	 "include ld.so.conf.d/*.conf /etc/ld.so.conf.d/* / /\n/usr/local/lib64\n"},
	{"root/etc/ld.so.conf.d/local.conf", "/home/alice/lib\n/usr/local/lib",
	 "root/etc/ld.so.conf.d/local.conf", "/usr/local/lib\n"},
	{"root/var/run/nvidia-topologyd/virtualTopology.xml",
	 "<!-- alice -->\n<system>\n<cpu host_hash=\"0x40c83cfe216cc077\" numaid=\"0\"/><!--\n"
	 "host_hash=\"1\" --></system>\n<!-- alice",
	 "root/var/run/nvidia-topologyd/virtualTopology.xml",
	 "\n<system>\n<cpu host_hash=\"0\" numaid=\"0\"/></system>\n"},
	/* All that XML allows, and what ends too early. */
	{"root/var/run/a/virtualTopology.xml",
	 "<?xml version=\"1.0\"?><?alice host_hash=\"1\"?><cpu host_hash='0x4\"0c8' a='host_hash' "
	 "host_hash\t\r\n =\n \"0x40c8'\"><!-->alice--> host_hash=3 host_hash<a b='?>' "
	 "host_hash2='1'/>?<?alice",
	 "root/var/run/a/virtualTopology.xml",
	 "<cpu host_hash='0' a='host_hash' host_hash\t\r\n =\n \"0\"> host_hash=3 host_hash"
	 "<a b='?>' host_hash2='1'/>?"},
	{"root/var/run/b/virtualTopology.xml", "<a host_hash = 'alice",
	 "root/var/run/b/virtualTopology.xml", "<a host_hash = '0"},
	{"root/var/run/c/virtualTopology.xml", "<!-- a", "root/var/run/c/virtualTopology.xml", ""},
	/* NCCL knows no remarks after a value. */
	{"root/etc/a/nccl.conf", "NCCL_IB_HCA=^=mlx5_0:1,mlx5_1 # of alice\nNCCL_IB_TC=106\talice",
	 "root/etc/a/nccl.conf", "NCCL_IB_HCA=^=mlx5_0:1,mlx5_1 \nNCCL_IB_TC=106 \n"},
	/* Mistakes that doctor reports remain, but without the words of remarks. */
	{"root/etc/b/nccl.conf",
	 "NCCL_IB_HCA='mlx5_0'\nNCCL_IB_HCA=\"mlx5_0:1, mlx5_bond_0\" # alice\nNCCL_IB_HCA= "
	 "mlx5_7\n"
	 "NCCL_IB_HCA==\tmlx5_7,  mlx5_8, alice\nNCCL_IB_HCA= alice\nNCCL_IB_HCA=mlx5_0 "
	 "mlx5_1alice\n"
	 "NCCL_IB_HCA=, mlx5_0alice\nNCCL_SOCKET_IFNAME=^ ens1f0np0\nNCCL_NET= IB\nNCCL_IB_TC= "
	 "106\n"
	 "NCCL_IB_TC= 1066\n",
	 "root/etc/b/nccl.conf",
	 "NCCL_IB_HCA='mlx5_0'\nNCCL_IB_HCA=\"mlx5_0:1, mlx5_bond_0\" \nNCCL_IB_HCA= mlx5_7\n"
	 "NCCL_IB_HCA==\tmlx5_7,  mlx5_8, \nNCCL_IB_HCA= \nNCCL_IB_HCA=mlx5_0 \n"
	 "NCCL_IB_HCA=, \nNCCL_SOCKET_IFNAME=^ ens1f0np0\nNCCL_NET= IB\nNCCL_IB_TC= 106\n"
	 "NCCL_IB_TC= \n"},
	{"root/etc/b/libfabric.conf", "FI_PROVIDER=\"verbs\"\nFI_PROVIDER= verbs;ofi_rxm\n",
	 "root/etc/b/libfabric.conf", "FI_PROVIDER=\"verbs\"\nFI_PROVIDER= verbs;ofi_rxm\n"},
	{"root/etc/b/ucx.conf", "UCX_NET_DEVICES=mlx5_0:1, mlx5_1:1\nUCX_TLS='rc'\n",
	 "root/etc/b/ucx.conf", "UCX_NET_DEVICES=mlx5_0:1, mlx5_1:1\nUCX_TLS='rc'\n"},
	{"root/etc/libfabric.conf",
	 "# gpu17\nFI_PROVIDER=verbs;ofi_rxm # "
	 "alice\nFI_LOG_LOCATION=/home/alice/log\nFI_PREFER_SYSCONFIG=1\n",
	 "root/etc/libfabric.conf", "FI_PROVIDER=verbs;ofi_rxm \nFI_PREFER_SYSCONFIG=1\n"},
	{"root/etc/ucx/ucx.conf",
	 "# gpu17\nUCX_TLS = rc,self ; by alice\nUCX_TLS_X=alice\nUCX_NET_DEVICES:mlx5_0:1\n"
	 "UCX_LOG_FILE=/home/alice\nUCX_IB_TRAFFIC_CLASS=106\n[alice]\nUCX_TLS=tcp\n",
	 "root/etc/ucx/ucx.conf",
	 "UCX_NET_DEVICES=mlx5_0:1\nUCX_TLS=rc,self\nUCX_IB_TRAFFIC_CLASS=106\n"},
	/* A blank before the first one, values that are continued, and remarks that are none. */
	{"root/etc/ucx/b/ucx.conf",
	 " UCX_TLS=tcp\n ^\\rc,ud_[0-1]\nUCX_LOG=a\n UCX_NET_DEVICES=b\n",
	 "root/etc/ucx/b/ucx.conf", "UCX_TLS=^\\rc,ud_[0-1]\n"},
	{"root/etc/ucx/c/ucx.conf",
	 "UCX_TLS=rc # alice\nUCX_NET_DEVICES=a;b\nUCX_IB_TRAFFIC_CLASS=\n",
	 "root/etc/ucx/c/ucx.conf", "UCX_IB_TRAFFIC_CLASS=\n"},
	{"root/etc/security/limits.conf",
	 "# for alice\nalice - memlock 8\n * soft memlock 64 # alice\n@hpc - memlock 1\n**\n",
	 "root/etc/security/limits.conf", "* soft memlock 64 \n"},
	/* Lines keep their numbers, and commands keep their effect. */
	{"root/etc/modprobe.d/a.conf",
	 "# of alice \\\nblacklist x\n  # b\nblacklist ib_core # alice said so \\\nalias y\n"
	 "options z a#b=1 \\\n c=2 #\\\\\nblacklist d\ninstall e true # \\\n# \nremove f #",
	 "root/etc/modprobe.d/a.conf",
	 "\n\n  \nblacklist ib_core \n\noptions z a#b=1 \\\n c=2 \nblacklist d\ninstall e true # "
	 "\\\n# \nremove f #"},
	{"root/etc/security/limits.d/90-rdma.conf", "*\t-\tmemlock unlimited",
	 "root/etc/security/limits.d/90-rdma.conf", "*\t-\tmemlock unlimited\n"},
	{"root/sys/class/net/b/bonding/arp_ip_target", "10.1.2.3\n",
	 "root/sys/class/net/b/bonding/arp_ip_target", "10.242.38.18\n"},
	{"kmsg",
	 "6,0,1,-;10.1.2.3\n7,0,1,-;hfi1 0000:05:00.0: hfi1_0: Neighbor Guid 1175010265ab12, Type "
	 "1\n"
	 "7,0,1,-;id_ext 0002c90300a1b2c5 ioc_guid 0002c90300a1b2c5 node_guid 0c42:a103:00a1:b2c0 "
	 "guid 0x1175010265ab12g\n"
	 "3,0,5,-;LustreError: 11-0: acme_2-OST0001-osc-MDT0000: at 10.1.2.3@o2ib\n"
	 "4,0,6,-;Lustre: Mounted acme_2-client\n4,0,7,-;mlx5_core: acme_2-OST0001\n"
	 "4,0,8,-;Lustre: a-longname-MDT0000 -MDT0001 acme_2-MDS acme_2-clilov-ff8d_UUID\n"
	 /* srpt_cm_req_recv() of ulp/srpt/ib_srpt.c; none of these are GUIDs of this host. */
	 "6,0,9,-;ib_srpt Received SRP_LOGIN_REQ with i_port_id "
	 "fe80:0000:0000:0000:5054:00ff:fe12:3456, t_port_id "
	 "5054:00ff:fe12:3457:5054:00ff:fe12:3457 and it_iu_len 8260 "
	 "(guid=fe80:0000:0000:0000:5054:00ff:fe12:3457)\n"
	 "6,0,9,-;ib_srpt Received SRP_LOGIN_REQ with i_port_id "
	 "0002:c903:00a1:b2c7:0002:c903:00a1:b2c8, t_port_id "
	 "0002:c903:00a1:b2c9:0000:0000:0000:0000 and it_iu_len 2116\n"
	 "6,0,9,-;ib_srpt 0x0002c90300a1b2c70002c90300a1b2c8 id_ext=200100a0b8123456,"
	 "initiator_ext=200200a0b8123456 id_ext=17\n"
	 "6,0,9,-;scsi host7: SRP.T10:200100A0B8123457\n"
	 /* A vendor's number may begin with fc; an extension or the prefix of a GID is no GUID. */
	 "6,0,9,-;ib_srpt t_port_id fc6a:1c03:00a1:b2c9:fc6a:1c03:00a1:b2c8 and\n"
	 "6,0,9,-;ib_srpt i_port_id 0000:0000:0000:0001:0c42:a103:00a1:b2c8, "
	 "initiator_ext=0000000000000003\n"
	 "6,0,9,-;mlx5_core status 0000000000000001 0000000000000003\n"
	 "6,0,9,-;ib_srpt i_port_id 2600:1412:0000:0007:0e42:a1ff:fea1:b2c8, t_port_id "
	 "0002:c903:00a1:b2c9:0002:c903:00a1:b2c9 and it_iu_len 8260 on port 1 "
	 "(guid=2600:1412:0000:0007:0e42:a1ff:fea1:b2c9); pkey 0xffff\n"
	 /* The same line of older kernels. */
	 "6,0,9,-;Received SRP_LOGIN_REQ with i_port_id 0x0:0x2c90300a1b2cb, t_port_id "
	 "0x2c90300a1b2cc:0x2c90300a1b2cd and it_iu_len 260 on port 1 "
	 "(guid=0xfe80000000000000:0x2c90300a1b2ce)\n",
	 "kmsg",
	 "6,0,1,-;10.242.38.18\n7,0,1,-;hfi1 0000:05:00.0: hfi1_0: Neighbor Guid 1175010205d692, "
	 "Type "
	 "1\n7,0,1,-;id_ext 0002c903006c6ca5 ioc_guid 0002c903006c6ca5 node_guid "
	 "0c42:a103:006c:6ca0 guid "
	 "0x1175010265ab12g\n"
	 "3,0,5,-;LustreError: 11-0: fbef_2-OST0001-osc-MDT0000: at 10.242.38.18@o2ib\n"
	 "4,0,6,-;Lustre: Mounted fbef_2-client\n4,0,7,-;mlx5_core: acme_2-OST0001\n"
	 "4,0,8,-;Lustre: a-longname-MDT0000 -MDT0001 acme_2-MDS fbef_2-clilov-ff8d_UUID\n"
	 "6,0,9,-;ib_srpt Received SRP_LOGIN_REQ with i_port_id "
	 "fe80:0000:0000:0000:5054:00ff:fe4c:3536, t_port_id "
	 "5054:00ff:fe4c:3537:5054:00ff:fe4c:3537 and it_iu_len 8260 "
	 "(guid=fe80:0000:0000:0000:5054:00ff:fe4c:3537)\n"
	 "6,0,9,-;ib_srpt Received SRP_LOGIN_REQ with i_port_id "
	 "0002:c903:006c:6ca7:0002:c903:006c:6ca8, t_port_id "
	 "0002:c903:006c:6ca9:0000:0000:0000:0000 and it_iu_len 2116\n"
	 "6,0,9,-;ib_srpt 0x0002c903006c6ca70002c903006c6ca8 id_ext=a1768519d9b0e4c6,"
	 "initiator_ext=818eac3d9e9819f6 id_ext=17\n"
	 "6,0,9,-;scsi host7: SRP.T10:a1768519d9b0e4c7\n"
	 "6,0,9,-;ib_srpt t_port_id fc6a:1c03:006c:6ca9:fc6a:1c03:006c:6ca8 and\n"
	 "6,0,9,-;ib_srpt i_port_id 00ba:c69f:ca79:0001:0c42:a103:006c:6ca8, "
	 "initiator_ext=0000000000000003\n"
	 "6,0,9,-;mlx5_core status 0000000000000001 0000000000000003\n"
	 "6,0,9,-;ib_srpt i_port_id 2001:0db8:d13c:0007:0e42:a1ff:fe6c:6ca8, t_port_id "
	 "0002:c903:006c:6ca9:0002:c903:006c:6ca9 and it_iu_len 8260 on port 1 "
	 "(guid=2001:0db8:d13c:0007:0e42:a1ff:fe6c:6ca9); pkey 0xffff\n"
	 "6,0,9,-;Received SRP_LOGIN_REQ with i_port_id 0x0:0x2c903006c6cab, t_port_id "
	 "0x2c903006c6cac:0x2c903006c6cad and it_iu_len 260 on port 1 "
	 "(guid=0xfe80000000000000:0x2c903006c6cae)\n"},
	{"root/proc/77/comm", "10.1.2.3-manage\n", "root/proc/77/comm", "10.242.38.18-manage\n"},
	{"root/proc/79/comm", "2001:470:1f0b:1\n", "root/proc/79/comm", "3688:049:3a2a:0\n"},
	{"root/proc/79/stat", "79 (2001:470:1f0b:1) S 2\n", "root/proc/79/stat",
	 "79 (3688:049:3a2a:0) S 2\n"},
	{"root/proc/79/status", "Name:\t2001:4701:1f0b:\n", "root/proc/79/status",
	 "Name:\t9615:8684:9e1f:\n"},
	/* No addresses: too long, without a second colon, and in a longer word. */
	{"root/proc/80/comm", "2001:470:1f0b:12\n", "root/proc/80/comm", "2001:470:1f0b:12\n"},
	{"root/proc/81/comm", "abcdefabcd:1234\n", "root/proc/81/comm", "abcdefabcd:1234\n"},
	{"root/proc/82/comm", "x-2001:470:1f0b:1\n", "root/proc/82/comm", "x-2001:470:1f0b:1\n"},
	{"root/proc/83/comm", "2001:470:1f0b:1-x\n", "root/proc/83/comm", "2001:470:1f0b:1-x\n"},
	/* With ::, it may be whole. */
	{"root/proc/84/comm", "2001:db8:1:2::5\n", "root/proc/84/comm", "2001:db8:8f7b:2::5\n"},
	/* Lines with an identity become empty, and so do those that they are joined with. */
	{"root/etc/modprobe.d/nfs.conf",
	 "options a a=1\noptions nfs nfs4_unique_id=\"gpu17 rack4\" a=1\n"
	 "options nfs \\\nnfs4-unique-id=gpu17\\\nrack4 # alice\noptions b b=1 \\\nc=1\n"
	 "install nfs sh -c 'modprobe nfs nfs4_unique_id=gpu17'\noptions unique=1",
	 "root/etc/modprobe.d/nfs.conf",
	 "options a a=1\n\n\n\n\noptions b b=1 \\\nc=1\n\noptions unique=1"},
	{"root/proc/77/stat", "77 (10.1.2.3-manage) S 2\n", "root/proc/77/stat",
	 "77 (10.242.38.18-manage) S 2\n"},
	{"root/proc/77/status", "Name:\t10.1.2.3-manage\n", "root/proc/77/status",
	 "Name:\t10.242.38.18-manage\n"},
	{"root/etc/other.conf", "10.1.2.3\n", "root/etc/other.conf", "10.1.2.3\n"},
};

/* Links with their targets. */
static const char *const links[][4] = {
	{"root/sys/class/net/enx0c42a1a1b2c0", "../../devices/net/gpu17/x0",
	 "root/sys/class/net/enx0c42a16c6ca0", "../../devices/net/host-319d85f9/x0"},
	{"root/sys/a", "!EACCES", "root/sys/a", "!EACCES"},
	{"root/sys/b", "gpu17", "root/sys/b", "host-319d85f9"},
	{"root/proc/self/ns/pid", "pid:[4026531836]", "root/proc/self/ns/pid", "pid:[4026531836]"},
	{"root/sys/c", "/gpu17/", "root/sys/c", "/host-319d85f9/"},
};

static int set_up(void **state)
{
	struct anonymiser *anonymiser = NULL;

	assert_int_equal(anonymiser_new("key", 3, &anonymiser), 0);
	anonymiser_learn_text(
		anonymiser,
		"fe80:0000:0000:0000 node_guid 0c42:a103:00a1:b2c0\n0c:42:a1:a1:b2:c0 and "
		"04:3f:72:11:22:30,24:8a:07:03:00:b3:e1:f1 x04:3f:72:11:22:31 "
		"04:3f:72:11:22:31x\n"
		"00:00:10:29:fe:80:00:00:00:00:00:00:24:8a:07:03:00:b3:e1:f0");
	anonymiser_learn_names(anonymiser, "gpu17.example.org mlx5_0\tMellanox node5, (rack-7) "
					   "'HCA-2' 12 x \"1.2\";Xyz\n");
	anonymiser_prepare(anonymiser);
	*state = anonymiser;
	return 0;
}

static int tear_down(void **state)
{
	anonymiser_free(*state);
	return 0;
}

static void read_hex(const char *text, uint8_t *bytes)
{
	assert_true(text_read_hex(text, bytes, strlen(text) / 2));
}

static void expect_bytes(const uint8_t *bytes, const char *wanted)
{
	char text[64] = "";

	for (size_t i = 0; i < strlen(wanted) / 2; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	assert_string_equal(text, wanted);
}

static void addresses(void **state)
{
	uint8_t bytes[16];

	for (size_t i = 0; i < ARRAY_SIZE(macs); i++) {
		read_hex(macs[i][0], bytes);
		anonymise_mac(*state, bytes);
		expect_bytes(bytes, macs[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(guids); i++) {
		read_hex(guids[i][0], bytes);
		anonymise_guid(*state, bytes);
		expect_bytes(bytes, guids[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ipv4s); i++) {
		read_hex(ipv4s[i][0], bytes);
		anonymise_ipv4(*state, bytes);
		expect_bytes(bytes, ipv4s[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(gids); i++) {
		read_hex(gids[i][0], bytes);
		anonymise_gid(*state, bytes);
		expect_bytes(bytes, gids[i][1]);
	}
}

static void words_and_names(void **state)
{
	char long_name[257];
	_cleanup_(freep) char *most = NULL, *more = NULL, *less = NULL, *short_name = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_(freep) char *word = mem_string(words[i][0]);

		anonymise_word(*state, word, strlen(word));
		assert_string_equal(word, words[i][1]);
	}
	short_name = anonymise_name(*state, "gpu17", 5);
	assert_string_equal(short_name, "host-319d85f9");
	/* Only the first 256 bytes count. */
	memset(long_name, 'n', sizeof(long_name));
	less = anonymise_name(*state, long_name, 255);
	most = anonymise_name(*state, long_name, 256);
	more = anonymise_name(*state, long_name, 257);
	assert_string_equal(less, "host-c444b017");
	assert_string_equal(most, "host-a326d223");
	assert_string_equal(more, "host-a326d223");
}

static void in_texts(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_(freep) char *text = anonymise_text(*state, texts[i].before,
							     texts[i].ipv4);

		assert_string_equal(text, texts[i].after);
	}
}

/* What all hosts of a kind have in their node descriptions does not identify any of them. */
static void kinds_of_devices(void **state)
{
	static const char kinds[] =
		"HCA HCA-1 MT4123 ConnectX-6 BlueField-3 Connect-IB Mellanox Technologies NVIDIA "
		"Broadcom NetXtreme-E RoCE Driver Elastic RDMA Adapter iWARP stack Software "
		"Chelsio Communications Intel Omni-Path OPA QLogic InfiniPath localhost rxe siw "
		"cxgb4 mlx5_0 mlx4_bond_0 mthca0 hfi1_0 qib0 bnxt_re_bond0 irdma0 efa_0 mana_0 "
		"hns_0 erdma_0 ocrdma0 usnic_0 cxgb4_0 rxe0 siw0 smi0 none hca INTEL a 10.1-2:3_4";
	static const char *const others[] = {"HCAs",  "HCA-x", "MTx", "Connect", "mlx6_0",
					     "mthca", "hfi1_", "qib", "irdma",	 "nodes",
					     "nones", "1a",    "ab",  "Intels",	 "localhosts"};
	struct anonymiser *anonymiser = *state;
	_cleanup_(freep) char *now = NULL;

	anonymiser_learn_names(anonymiser, kinds);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		anonymiser_learn_names(anonymiser, others[i]);
	now = anonymise_text(anonymiser, kinds, false);
	assert_string_equal(now, kinds);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		_cleanup_(freep) char *changed = anonymise_text(anonymiser, others[i], false);

		assert_memory_equal(changed, "host-", 5);
		assert_int_equal(strlen(changed), 13);
	}
}

/* A row's text in this machine's byte order; the rows are written for a little-endian one. */
static char *as_printed(const char *path, const char *text)
{
	return strstr(path, "net/route") ? route_text(text) : mem_string(text);
}

/* The name of this host reveals the domain of others. */
static void names_in_domain(void **state)
{
	static const char *const same = "acme.org xhpc.acme.org hpc.acme.orgs hpc.acme 1.hpc-acme";
	struct anonymiser *anonymiser = *state;
	_cleanup_(freep) char *stays = NULL, *other = NULL, *bare = NULL, *before = NULL,
			      *word = NULL;

	before = anonymise_text(anonymiser, "login2.hpc.acme.org", false);
	assert_string_equal(before, "login2.hpc.acme.org");
	anonymiser_learn_host(anonymiser, "n1.hpc.acme.org\n");
	other = anonymise_text(anonymiser,
			       "n1.hpc.acme.org login2.HPC.acme.org: a.login2.hpc.acme.org.conf",
			       false);
	assert_string_equal(other, "host-4450dcdd host-1b19c48e: host-25b2fb27.conf");
	bare = anonymise_text(anonymiser, "x@hpc.acme.org 10.1.2.3.hpc.acme.org", true);
	assert_string_equal(bare, "x@host-9f249e3a 10.242.38.18.host-9f249e3a");
	stays = anonymise_text(anonymiser, same, false);
	assert_string_equal(stays, same);
	anonymiser_learn_host(anonymiser, "login.rdma");
	word = anonymise_text(anonymiser, "3:rdma:/ rdma.max rdma x.rdma", false);
	assert_string_equal(word, "3:rdma:/ rdma.max rdma host-7e872b54");
}

/*
 * The remainder of an address is not an address, and a name without a domain is not learnt as one.
 */
static void no_domain(void **state)
{
	static const char text[] = "7.2.3.4 x.1 y.org";
	static const char *const hosts[] = {"10.2.3.4\n", "login", "login.", "login.1\n"};

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		_cleanup_(freep) char *now = NULL;

		anonymiser_learn_host(*state, hosts[i]);
		now = anonymise_text(*state, text, false);
		assert_string_equal(now, text);
	}
}

/*
 * Half a megabyte of one word, or of labels: scanning the rest from each letter would take minutes.
 */
static void long_words(void **state)
{
	enum { LENGTH = 1 << 19 };
	char *text = mem_alloc_zero(LENGTH + 1, 1);

	anonymiser_learn_host(*state, "n1.hpc.acme.org\n");
	for (size_t step = 1; step <= 2; step++) {
		char *now;

		memset(text, '.', LENGTH);
		for (size_t i = 0; i < LENGTH; i += step)
			text[i] = 'a';
		now = anonymise_text(*state, text, true);
		assert_string_equal(now, text);
		free(now);
	}
	free(text);
}

static void in_files(void **state)
{
	struct contents contents = {.items = NULL};
	struct strings dropped = {0};
	uint64_t bytes = 0;
	size_t answers = 7;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(freep) char *text = as_printed(files[i].path, files[i].text);

		contents_add(&contents, CONTENT_FILE, files[i].path, text, strlen(text));
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		contents_add(&contents, CONTENT_LINK, links[i][0], links[i][1],
			     strlen(links[i][1]));
	/* The name of a file may be that of a user even if none of its text is kept. */
	contents_add(&contents, CONTENT_FILE, "root/etc/security/limits.d/alice.conf",
		     "alice - memlock 8\n", 18);
	contents_add(&contents, CONTENT_FILE, "root/etc/ld.so.conf.d/alice.conf", "/home/alice\n",
		     12);
	contents_add(&contents, CONTENT_FILE, "root/sys/gpu17/opaque", "a\0b", 3);
	contents_add(&contents, CONTENT_FOLDER, "root/sys/class/net/gpu17", "", 0);
	anonymise_contents(*state, &contents, &dropped, &answers);
	assert_int_equal(dropped.count, 1);
	assert_string_equal(dropped.items[0], "root/sys/host-319d85f9/opaque");
	strings_free(&dropped);
	assert_int_equal(answers, 0);
	assert_int_equal(contents.count, ARRAY_SIZE(files) + ARRAY_SIZE(links) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct content *content = contents_find(&contents, files[i].path_after);
		_cleanup_(freep) char *after = as_printed(files[i].path, files[i].after);

		if (!content)
			fail_msg("%s", files[i].path_after);
		assert_int_equal(content->kind, CONTENT_FILE);
		assert_string_equal(content->bytes, after);
		assert_int_equal(content->length, strlen(after));
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		const struct content *content = contents_find(&contents, links[i][2]);

		assert_non_null(content);
		assert_int_equal(content->kind, CONTENT_LINK);
		assert_string_equal(content->bytes, links[i][3]);
		assert_int_equal(content->length, strlen(links[i][3]));
	}
	assert_non_null(contents_find(&contents, "root/sys/class/net/host-319d85f9"));
	for (size_t i = 0; i < contents.count; i++)
		bytes += strlen(contents.items[i].path) + contents.items[i].length;
	assert_int_equal(contents.bytes, bytes);
	contents_clear(&contents);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(addresses), TEST(words_and_names), TEST(in_texts),	 TEST(kinds_of_devices),
		TEST(in_files),	 TEST(names_in_domain), TEST(no_domain), TEST(long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
