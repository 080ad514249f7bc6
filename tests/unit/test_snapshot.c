/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which members of an archive are refused, and how addresses are anonymised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "snapshot/anonymise/anonymise.h"
#include "snapshot/archive.h"
#include "snapshot/collect.h"

#define TOP SNAPSHOT_FOLDER "/"

static const char *refuse(enum content_kind kind, const char *path, const char *target)
{
	struct member_sum sum = {0};

	return member_refuse(&sum, kind, path, target, 0);
}

static void assert_taken(enum content_kind kind, const char *path, const char *target)
{
	const char *why = refuse(kind, path, target);

	if (why)
		fail_msg("%s %s", path, why);
}

static void assert_refused(enum content_kind kind, const char *path, const char *target,
			   const char *words)
{
	const char *why = refuse(kind, path, target);

	if (!why || !strstr(why, words))
		fail_msg("%s: %s, not %s", path, why ? why : "taken", words);
}

static void members_of_snapshots_are_taken(void **state)
{
	(void)state;
	assert_taken(CONTENT_FOLDER, "rdmactl-snapshot", NULL);
	assert_taken(CONTENT_FOLDER, TOP, NULL);
	assert_taken(CONTENT_FILE, TOP "manifest.json", NULL);
	assert_taken(CONTENT_FILE, TOP "netlink/answers", NULL);
	assert_taken(CONTENT_FOLDER, TOP "verbs/", NULL);
	assert_taken(CONTENT_FOLDER, TOP "root/sys/", NULL);
	assert_taken(CONTENT_FILE, TOP "root/sys/class/infiniband/mlx5_0/rate", NULL);
	assert_taken(CONTENT_LINK, TOP "root/sys/class/infiniband/mlx5_0",
		     "../../devices/pci0000:00/0000:00:01.0/infiniband/mlx5_0");
	assert_taken(CONTENT_LINK, TOP "root/sys/a", "..");
	assert_taken(CONTENT_LINK, TOP "root/sys/a", "!EINVAL");
	assert_taken(CONTENT_FILE, TOP "root/sys/...", NULL);
	assert_taken(CONTENT_FILE, TOP "root/.dockerenv", NULL);
	assert_taken(CONTENT_FILE, TOP "root/.singularity.d/runscript", NULL);
}

static void other_members_are_refused(void **state)
{
	(void)state;
	assert_refused(CONTENT_FILE, NULL, NULL, "no name");
	assert_refused(CONTENT_FILE, "", NULL, "no name");
	assert_refused(CONTENT_FILE, "/etc/passwd", NULL, "absolute");
	assert_refused(CONTENT_FILE, TOP "root/../../x", NULL, "climbs");
	assert_refused(CONTENT_FILE, TOP "root/sys/..", NULL, "climbs");
	assert_refused(CONTENT_FILE, TOP "root//x", NULL, "empty name");
	assert_refused(CONTENT_FILE, TOP "root/./x", NULL, "a dot as a name");
	assert_refused(CONTENT_FOLDER, "./rdmactl-snapshot/", NULL, "a dot as a name");
	assert_refused(CONTENT_FILE, "rdmactl-snapshots/x", NULL, "not in the folder");
	assert_refused(CONTENT_FILE, "rdmactl-snapshot", NULL, "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "root", NULL, "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "root/sys", NULL, "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "root/sysx/a", NULL, "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "root/.dockerenvs", NULL, "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "root/.dockerenv/a", NULL, "no snapshot has");
	assert_refused(CONTENT_FOLDER, TOP "root/.dockerenv", NULL, "no snapshot has");
	assert_refused(CONTENT_LINK, TOP "root/.dockerenv", "x", "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "other", NULL, "no snapshot has");
	assert_refused(CONTENT_FOLDER, TOP "manifest.json", NULL, "no snapshot has");
	assert_refused(CONTENT_FILE, TOP "manifest.json/x", NULL, "no snapshot has");
	assert_refused(CONTENT_LINK, TOP "kmsg", "x", "no snapshot has");
	assert_refused(CONTENT_LINK, TOP "root/sys", "x", "no snapshot has");
	assert_refused(CONTENT_HARD_LINK, TOP "root/sys/a", NULL, "hard link");
	assert_refused(CONTENT_OTHER, TOP "root/sys/a", NULL, "neither");
	assert_refused(CONTENT_LINK, TOP "root/sys/a", NULL, "nothing");
	assert_refused(CONTENT_LINK, TOP "root/sys/a", "/etc", "absolute");
	assert_refused(CONTENT_LINK, TOP "root/sys/a", "../..", "out of the tree");
	assert_refused(CONTENT_LINK, TOP "root/sys/a", "b/../../../c", "out of the tree");
}

static const char *refuse_file(struct member_sum *sum, uint64_t bytes)
{
	return member_refuse(sum, CONTENT_FILE, TOP "root/sys/a", NULL, bytes);
}

static void bounds_hold(void **state)
{
	struct member_sum sum = {.count = MEMBER_MOST - 1};

	(void)state;
	assert_null(refuse_file(&sum, 0));
	assert_non_null(refuse_file(&sum, 0));
	sum = (struct member_sum){0};
	assert_non_null(refuse_file(&sum, MEMBER_MOST_BYTES + 1ull));
	sum.bytes = 100;
	assert_non_null(refuse_file(&sum, UINT64_MAX));
	sum.bytes = 0;
	for (int i = 0; i < MEMBERS_MOST_BYTES / MEMBER_MOST_BYTES; i++)
		assert_null(refuse_file(&sum, MEMBER_MOST_BYTES));
	assert_non_null(refuse_file(&sum, 1));
}

/* Appends names of `name` bytes until the path has `length` bytes. */
static char *long_path(const char *start, size_t name, size_t length)
{
	char *path = mem_alloc_zero(length + 1, 1);
	size_t at = strlen(start);

	memcpy(path, start, at);
	for (size_t i = 1; at < length; i++)
		path[at++] = i % (name + 1) ? 'n' : '/';
	return path;
}

/* Paths and targets that just keep the limits of archive.h, and those one longer. */
static void paths_are_bounded(void **state)
{
	static const char start[] = TOP "root/sys/";
	const size_t begun = strlen(start);

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		_cleanup_(freep) char *name = long_path(start, 1000, begun + 255 + more);
		/* Three folders, and 45 names with 44 slashes. */
		_cleanup_(freep) char *deep = long_path(start, 1, begun + 89 + 2 * more);
		_cleanup_(freep) char *path = long_path(start, 200, 1024 + more);
		_cleanup_(freep) char *target_name = long_path("", 1000, 255 + more);
		_cleanup_(freep) char *target = long_path("", 200, 1024 + more);

		if (more) {
			assert_refused(CONTENT_FILE, name, NULL,
				       "has a name of more than 255 bytes");
			assert_refused(CONTENT_FILE, deep, NULL, "is more than 48 folders deep");
			assert_refused(CONTENT_FILE, path, NULL,
				       "has a path of more than 1024 bytes");
			assert_refused(CONTENT_LINK, TOP "root/sys/a", target_name,
				       "is a link to a name of more than 255 bytes");
			assert_refused(CONTENT_LINK, TOP "root/sys/a", target,
				       "is a link to a path of more than 1024 bytes");
		} else {
			assert_taken(CONTENT_FILE, name, NULL);
			assert_taken(CONTENT_FILE, deep, NULL);
			assert_taken(CONTENT_FILE, path, NULL);
			assert_taken(CONTENT_LINK, TOP "root/sys/a", target_name);
			assert_taken(CONTENT_LINK, TOP "root/sys/a", target);
		}
	}
}

/* Each folder of / that has something to read, each file beside the tree; how far up links lead. */
static void places_are_known(void **state)
{
	static const char *const tops[] = {"sys", "proc", "dev", "etc", "var",
					   "run", "usr",  "lib", "opt"};
	static const char *const beside[] = {"manifest.json", "versions.json", "kmsg"};
	static const struct {
		const char *path, *target;
		bool taken;
	} links[] = {
		{"sys/a", "..", true},
		{"sys/a", "../proc/x", true},
		{"sys/a", "../..", false},
		{"sys/a/b", "../..", true},
		{"sys/a/b", "../../..", false},
		{"sys/a/b", ".././../x", true},
		{"sys/a/b", "c/../../../x", true},
		{"sys/a/b", "c/../../../../x", false},
		{"sys/a/b", "..//..//x", true},
		{"sys/a/b", "..x/..x/..x/..x", true},
		{"sys/a/b", "c/d/../../../../x", true},
		{"sys/a/b", "c/d/../../../../../x", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tops); i++) {
		_cleanup_(freep) char *folder = mem_format(TOP "root/%s", tops[i]);
		_cleanup_(freep) char *file = mem_format(TOP "root/%s/a", tops[i]);

		assert_taken(CONTENT_FOLDER, folder, NULL);
		assert_taken(CONTENT_FILE, file, NULL);
		assert_refused(CONTENT_FILE, folder, NULL, "no snapshot has");
	}
	assert_refused(CONTENT_FOLDER, TOP "root/home", NULL, "no snapshot has");
	assert_refused(CONTENT_FOLDER, TOP "root/sy", NULL, "no snapshot has");
	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		_cleanup_(freep) char *path = mem_format(TOP "%s", beside[i]);

		assert_taken(CONTENT_FILE, path, NULL);
		assert_refused(CONTENT_FOLDER, path, NULL, "no snapshot has");
		assert_refused(CONTENT_LINK, path, "x", "no snapshot has");
	}
	assert_taken(CONTENT_FOLDER, TOP "root", NULL);
	assert_taken(CONTENT_FOLDER, TOP "netlink", NULL);
	assert_taken(CONTENT_FILE, TOP "verbs/answers", NULL);
	assert_refused(CONTENT_FILE, TOP "netlink", NULL, "no snapshot has");
	assert_refused(CONTENT_LINK, TOP "verbs/answers", "x", "no snapshot has");
	assert_refused(CONTENT_FOLDER, TOP "roots/sys", NULL, "no snapshot has");
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		_cleanup_(freep) char *path = mem_format(TOP "root/%s", links[i].path);

		if (links[i].taken)
			assert_taken(CONTENT_LINK, path, links[i].target);
		else
			assert_refused(CONTENT_LINK, path, links[i].target, "out of the tree");
	}
	assert_string_equal(member_inner_path("rdmactl-snapshot"), "");
	assert_string_equal(member_inner_path(TOP), "");
	assert_string_equal(member_inner_path(TOP "root/sys/a"), "root/sys/a");
}

static void saved_errors_are_known(void **state)
{
	(void)state;
	assert_true(member_is_error("!E2"));
	assert_true(member_is_error("!E23456789012345678901234567890"));
	assert_false(member_is_error("!E234567890123456789012345678901"));
	assert_false(member_is_error("!XINVAL"));
	assert_false(member_is_error(""));
	assert_true(member_is_error("!EINVAL"));
	assert_false(member_is_error("!E"));
	assert_false(member_is_error("!Einval"));
	assert_false(member_is_error("!EIN/VAL"));
	assert_false(member_is_error("EINVAL"));
}

static void filters_are_chosen_by_name(void **state)
{
	static const struct {
		const char *path;
		enum archive_filter filter;
	} cases[] = {
		{"a.tar", ARCHIVE_PLAIN},   {"a.tar.zst", ARCHIVE_ZSTD}, {"a.tzst", ARCHIVE_ZSTD},
		{"a.tar.gz", ARCHIVE_GZIP}, {"x/a.tgz", ARCHIVE_GZIP},	 {"a.tar.xz", ARCHIVE_XZ},
		{"a.gz.txz", ARCHIVE_XZ},
	};
	enum archive_filter filter = ARCHIVE_PLAIN;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		filter = (enum archive_filter)99;
		assert_true(archive_choose_filter(cases[i].path, &filter));
		assert_int_equal(filter, cases[i].filter);
	}
	assert_false(archive_choose_filter(".tar", &filter));
	assert_false(archive_choose_filter("a.zip", &filter));
}

static void assert_hidden(const char *text, const char *wanted)
{
	_cleanup_(freep) char *copy = mem_string(text);

	collect_hide_secrets(copy, strlen(copy));
	assert_string_equal(copy, wanted);
}

static void secrets_are_hidden(void **state)
{
	(void)state;
	assert_hidden("options a m_key=0x12 b=1\n", "options a m_key=xxxx b=1\n");
	assert_hidden("Password: \"a b\"\n", "Password: \"xxx\"\n");
	assert_hidden("pkey=0x8001 P_Key 0xffff", "pkey=0x8001 P_Key 0xffff");
	assert_hidden("a=b\n# nothing\n", "a=b\n# nothing\n");
	assert_hidden("token", "token");
	assert_hidden("", "");
}

static int start(void **state)
{
	struct anonymiser *anonymiser = NULL;

	assert_int_equal(anonymiser_new("key", 3, &anonymiser), 0);
	anonymiser_learn_text(anonymiser, "node_guid 0c42:a103:00a1:b2c0\n"
					  "0c:42:a1:a1:b2:c0 and 04:3f:72:11:22:30");
	anonymiser_learn_names(anonymiser, "gpu17.example.org mlx5_0");
	anonymiser_prepare(anonymiser);
	*state = anonymiser;
	return 0;
}

static int stop(void **state)
{
	anonymiser_free(*state);
	return 0;
}

static void a_mac_and_its_eui64_stay_related(void **state)
{
	uint8_t mac[6] = {0x0c, 0x42, 0xa1, 0xa1, 0xb2, 0xc0};
	uint8_t guid[8] = {0x0c, 0x42, 0xa1, 0x03, 0x00, 0xa1, 0xb2, 0xc0};
	uint8_t gid[16] = {0xfe, 0x80, [8] = 0x0e, 0x42, 0xa1, 0xff, 0xfe, 0xa1, 0xb2, 0xc0};

	anonymise_mac(*state, mac);
	anonymise_guid(*state, guid);
	anonymise_gid(*state, gid);
	assert_memory_equal(mac, "\x0c\x42\xa1", 3);
	assert_true(memcmp(mac + 3, "\xa1\xb2\xc0", 3));
	assert_memory_equal(mac + 3, guid + 5, 3);
	assert_memory_equal(mac + 3, gid + 13, 3);
	assert_memory_equal(gid, "\xfe\x80\0\0\0\0\0\0\x0e\x42\xa1\xff\xfe", 13);
	assert_int_equal(mac[5] & 15, 0);
}

static void neighbours_stay_neighbours(void **state)
{
	uint8_t one[6] = {0x0c, 0x42, 0xa1, 0xa1, 0xb2, 0xc0};
	uint8_t other[6] = {0x0c, 0x42, 0xa1, 0xa1, 0xb2, 0xc1};

	anonymise_mac(*state, one);
	anonymise_mac(*state, other);
	assert_int_equal(one[5] + 1, other[5]);
	assert_memory_equal(one, other, 5);
}

static void well_known_addresses_stay(void **state)
{
	static const uint8_t gids[][16] = {
		{0},
		{0xff, 0x12, 0x40, 0x1b, [15] = 1},
		{0xfe, 0x80, [15] = 1},
	};
	uint8_t broadcast[6] = {255, 255, 255, 255, 255, 255}, none[8] = {0};
	uint8_t loopback[4] = {127, 0, 0, 1}, any[4] = {0};

	for (size_t i = 0; i < ARRAY_SIZE(gids); i++) {
		uint8_t gid[16];

		memcpy(gid, gids[i], sizeof(gid));
		anonymise_gid(*state, gid);
		assert_memory_equal(gid, gids[i], sizeof(gid));
	}
	anonymise_mac(*state, broadcast);
	assert_memory_equal(broadcast, "\xff\xff\xff\xff\xff\xff", 6);
	anonymise_guid(*state, none);
	assert_memory_equal(none, "\0\0\0\0\0\0\0\0", 8);
	anonymise_ipv4(*state, loopback);
	anonymise_ipv4(*state, any);
	assert_memory_equal(loopback, "\x7f\0\0\1", 4);
	assert_memory_equal(any, "\0\0\0\0", 4);
}

static void subnets_stay_together(void **state)
{
	uint8_t one[4] = {10, 1, 2, 3}, near[4] = {10, 1, 2, 200}, far[4] = {10, 9, 2, 3};
	uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, 10, 1, 2, 3};

	anonymise_ipv4(*state, one);
	anonymise_ipv4(*state, near);
	anonymise_ipv4(*state, far);
	anonymise_gid(*state, mapped);
	assert_int_equal(one[0], 10);
	assert_true(memcmp(one, "\x0a\1\2\3", 4));
	assert_memory_equal(one, near, 3);
	assert_true(memcmp(one, far, 3));
	assert_memory_equal(mapped + 12, one, 4);
}

/* Returns the number of the non-public block that has the address; 0 if it is public. */
static int block_of(const uint8_t *ip)
{
	if (ip[0] == 0 || ip[0] == 10 || ip[0] == 127)
		return 1 + ip[0];
	if (ip[0] >= 224)
		return 224;
	if (ip[0] == 169 && ip[1] == 254)
		return 169;
	if (ip[0] == 172 && ip[1] >> 4 == 1)
		return 172;
	return ip[0] == 192 && ip[1] == 168 ? 192 : 0;
}

/* Returns how many leading bits are the same. */
static unsigned int alike(uint32_t one, uint32_t other)
{
	return one == other ? 32 : (unsigned int)__builtin_clz(one ^ other);
}

static uint32_t changed_ipv4(struct anonymiser *anonymiser, uint32_t number)
{
	uint8_t ip[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
			 (uint8_t)number};
	const int before = block_of(ip);

	anonymise_ipv4(anonymiser, ip);
	assert_int_equal(block_of(ip), before);
	return (uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 | (uint32_t)ip[2] << 8 | ip[3];
}

/* All networks of 16 bits, at both ends: none leaves its block, and no two become one. */
static void no_two_networks_become_one(void **state)
{
	static uint8_t seen[0x10000];

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < ARRAY_SIZE(seen); i++) {
		const uint32_t one = changed_ipv4(*state, i << 16);
		const uint32_t other = changed_ipv4(*state, i << 16 | 0xffff);

		assert_int_equal(one >> 16, other >> 16);
		if (seen[one >> 16]++)
			fail_msg("%#x", i);
	}
}

/* Two addresses share as many leading bits as before; their first bytes are mapped as a unit. */
static void subnets_keep_their_size(void **state)
{
	static const uint32_t networks[] = {0x08080808, 0x0a010203, 0xac201234, 0xac1f0102,
					    0xc0a80001, 0xc0a70001, 0xa9fe0909, 0xdeadbeef};

	for (size_t i = 0; i < ARRAY_SIZE(networks); i++)
		for (unsigned int bit = 0; bit < 24; bit++) {
			const uint32_t other = networks[i] ^ 1u << bit;

			assert_int_equal(alike(changed_ipv4(*state, networks[i]),
					       changed_ipv4(*state, other)),
					 alike(networks[i], other));
		}
}

/* What a host has learned changes nothing: archives with the same key can be compared. */
static void hosts_agree_about_a_gid(void **state)
{
	static const uint8_t gids[][16] = {
		/*
		 * A GUID with its own middle part, an address that is not a GUID, and a usual GUID.
		 */
		{0xfe, 0x80, [8] = 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x80},
		{0x20, 0x01, 0x0d, 0xb8, [8] = 0x0c, 0x42, 0xa1, 0x55, 0x12, 0x34, 0x56, 0x78},
		{0xfe, 0x80, [8] = 0x0c, 0x42, 0xa1, 0x03, 0x00, 0xa1, 0xb2, 0xc0},
	};
	struct anonymiser *other = NULL;

	assert_int_equal(anonymiser_new("key", 3, &other), 0);
	anonymiser_learn_text(other, "1122:3344:5566:7780");
	anonymiser_prepare(other);
	for (size_t i = 0; i < ARRAY_SIZE(gids); i++) {
		uint8_t one[16], two[16], near[16], guid[8];

		memcpy(one, gids[i], sizeof(one));
		memcpy(two, gids[i], sizeof(two));
		memcpy(near, gids[i], sizeof(near));
		memcpy(guid, gids[i] + 8, sizeof(guid));
		near[15] ^= 1;
		anonymise_gid(*state, one);
		anonymise_gid(other, two);
		anonymise_gid(*state, near);
		anonymise_guid(*state, guid);
		assert_memory_equal(one, two, sizeof(one));
		assert_memory_equal(one + 8, guid, sizeof(guid));
		assert_true(memcmp(guid, gids[i] + 8, sizeof(guid)));
		/* Neighbours remain neighbours. */
		near[15] ^= 1;
		assert_memory_equal(one, near, sizeof(one));
	}
	anonymiser_free(other);
}

/*
 * Checks that the text changes and no longer has `gone`; if that is NULL, that it does not change.
 */
static void assert_text(void **state, const char *text, const char *gone, bool ipv4)
{
	_cleanup_(freep) char *changed = anonymise_text(*state, text, ipv4);

	if (gone && strstr(changed, gone))
		fail_msg("'%s' is left in '%s'", gone, changed);
	if (!gone)
		assert_string_equal(changed, text);
	if (gone && (strlen(changed) < 3 || !strcmp(changed, text)))
		fail_msg("'%s'", changed);
}

static void all_forms_of_an_address_are_found(void **state)
{
	assert_text(state, "a 0c42:a103:00a1:b2c0.", "a1:b2c0", false);
	assert_text(state, "0x0c42a10300a1b2c0", "a1b2c0", false);
	assert_text(state, "0C42A10300A1B2C0", "A1B2C0", false);
	assert_text(state, "enx0c42a1a1b2c0", "a1b2c0", false);
	assert_text(state, "ibp0s1 rocex0c42a10300a1b2c0", "a1b2c0", false);
	assert_text(state, "usnicx0c42a10300a1b2c0 rdmax0c42a10300a1b2c0", "a1b2c0", false);
	assert_text(state, "fe80::e42:a1ff:fea1:b2c0", "a1:b2c0", false);
	assert_text(state, "fe80:0000:0000:0000:0e42:a1ff:fea1:b2c0", "b2c0", false);
	assert_text(state, "fe80:0000:0000:0000:0c42:a103:00a1:b2c0:ffff", "b2c0", false);
	assert_text(state, "00:00:10:29:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:a1:b2:c0",
		    "a1:b2:c0", false);
	assert_text(state, "at 10.1.2.3, port", "10.1.2.3", true);
	assert_text(state, "10.1.2.3-10.1.2.9", "10.1.2.9", true);
	assert_text(state, "no route to 10.1.2.3.", "10.1.2.3", true);
	assert_text(state, "gpu17 mlx5_0", "gpu17", false);
	assert_text(state, "GPU17.example.org:", "example", false);
}

/* Patterns in lnet's options still match the addresses that they describe. */
static void patterns_of_addresses_agree(void **state)
{
	static const struct {
		const char *pattern, *address, *rest;
		unsigned int numbers;
	} cases[] = {
		{"10.10.7.*", "10.10.7.9", ".*", 3},
		{"10.10.7.[4-10/2]", "10.10.7.4", ".*", 3},
		{"141.32.[1,3-5].7", "141.32.1.7", ".*.*", 2},
		{"10.*.*.*", "10.10.7.9", ".*.*.*", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *address = anonymise_text(*state, cases[i].address, true);
		_cleanup_(freep) char *pattern = anonymise_text(*state, cases[i].pattern, true);
		_cleanup_(freep) char *wanted = NULL;
		char *end = address;

		for (unsigned int n = 0; n < cases[i].numbers; n++)
			end = strchr(end + (n > 0), '.');
		wanted = mem_format("%.*s%s", (int)(end - address), address, cases[i].rest);
		assert_string_equal(pattern, wanted);
	}
	assert_text(state, "ip2nets=\"o2ib0(ib0) 10.10.7.*; tcp 192.168.9.[2-5]\"", "10.10.7",
		    true);
	assert_text(state, "[7-8].0.5.6", "0.5.6", true);
}

static void other_texts_stay(void **state)
{
	assert_text(state, "1.2.3.4.* 1.2.*.4.5 [].1.2.3 1.2.*x.3 01.2.3.4 1.2.3.[ 256.1.1.*", NULL,
		    true);
	assert_text(state, "*.*.*.*", NULL, true);
	assert_text(state, "16.35.2000 and 0x1234567890abcdef", NULL, true);
	assert_text(state, "version 218.0.152.0", NULL, false);
	assert_text(state, "gpu170 xgpu17 gpu17x mlx5_0", NULL, false);
	assert_text(state, "12:34:56 2026-01-01T12:34:56Z 0000:3b:00.0", NULL, true);
	assert_text(state, "1234567890123456", NULL, false);
	assert_text(state, "::: : :: a:b", NULL, true);
	assert_text(state, "", NULL, true);
}

static void case_is_kept(void **state)
{
	_cleanup_(freep) char *lower = anonymise_text(*state, "0x0c42a10300a1b2c0", false);
	_cleanup_(freep) char *upper = anonymise_text(*state, "0x0C42A10300A1B2C0", false);

	for (char *at = lower + 2; *at; at++)
		*at = *at >= 'a' ? (char)(*at - 'a' + 'A') : *at;
	assert_string_equal(lower, upper);
}

static void other_keys_give_other_values(void **state)
{
	struct anonymiser *other = NULL;
	uint8_t one[6] = {2, 0, 0, 1, 2, 3}, two[6] = {2, 0, 0, 1, 2, 3};

	assert_int_equal(anonymiser_new("other", 5, &other), 0);
	anonymise_mac(*state, one);
	anonymise_mac(other, two);
	assert_true(memcmp(one, two, 6));
	anonymiser_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_snapshots_are_taken),
		cmocka_unit_test(other_members_are_refused),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(paths_are_bounded),
		cmocka_unit_test(places_are_known),
		cmocka_unit_test(saved_errors_are_known),
		cmocka_unit_test(filters_are_chosen_by_name),
		cmocka_unit_test(secrets_are_hidden),
		cmocka_unit_test_setup_teardown(a_mac_and_its_eui64_stay_related, start, stop),
		cmocka_unit_test_setup_teardown(neighbours_stay_neighbours, start, stop),
		cmocka_unit_test_setup_teardown(well_known_addresses_stay, start, stop),
		cmocka_unit_test_setup_teardown(subnets_stay_together, start, stop),
		cmocka_unit_test_setup_teardown(no_two_networks_become_one, start, stop),
		cmocka_unit_test_setup_teardown(subnets_keep_their_size, start, stop),
		cmocka_unit_test_setup_teardown(hosts_agree_about_a_gid, start, stop),
		cmocka_unit_test_setup_teardown(all_forms_of_an_address_are_found, start, stop),
		cmocka_unit_test_setup_teardown(patterns_of_addresses_agree, start, stop),
		cmocka_unit_test_setup_teardown(other_texts_stay, start, stop),
		cmocka_unit_test_setup_teardown(case_is_kept, start, stop),
		cmocka_unit_test_setup_teardown(other_keys_give_other_values, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
