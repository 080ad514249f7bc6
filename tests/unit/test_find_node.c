/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes by name: the map, NodeRecords from a fake subnet administrator, and ibdiag.conf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fake_transport.h"
#include "mad/format/header.h"
#include "mad/names/find_node.h"
#include "mad/names/ibdiag_conf.h"
#include "mad/session.h"

enum { RECORD = 112, INFO = 4, DESCRIPTION = INFO + NODE_INFO_BYTES, SA_AT = 56, SA_LID = 3 };

/* The ports of a subnet. */
static const struct {
	uint16_t lid;
	uint8_t type, port, ports;
	uint64_t node_guid;
	const char *description;
} ports[] = {
	{1, NODE_TYPE_SWITCH, 0, 36, 0x100, "leaf 1"},
	{2, NODE_TYPE_CA, 1, 2, 0x200, "host1 mlx5_0"},
	{3, NODE_TYPE_CA, 2, 2, 0x200, "host1 mlx5_0"},
	{4, NODE_TYPE_CA, 1, 1, 0x300, "host2 mlx5_0"},
	{5, NODE_TYPE_CA, 1, 1, 0x400, "host2 mlx5_1"},
	{6, NODE_TYPE_SWITCH, 0, 36, 0x500, "twin"},
	{7, NODE_TYPE_SWITCH, 0, 36, 0x600, "twin"},
	{8, NODE_TYPE_SWITCH, 0, 36, 0x700, "MF0;spine:MSX6036/U1"},
	{9, NODE_TYPE_CA, 1, 2, 0x800, "17"},
};

static void write_record(size_t number, unsigned char *record)
{
	unsigned char *info = record + INFO;

	record[1] = (unsigned char)ports[number].lid;
	node_info_set_type(info, ports[number].type);
	node_info_set_ports(info, ports[number].ports);
	node_info_set_local_port(info, ports[number].port);
	node_info_set_node_guid(info, ports[number].node_guid);
	node_info_set_port_guid(info, ports[number].node_guid + ports[number].port);
	memcpy(record + DESCRIPTION, ports[number].description, strlen(ports[number].description));
}

static bool matches(const unsigned char *wanted, uint64_t mask, const unsigned char *record)
{
	if (mask & 1 << 0 && memcmp(wanted, record, 2))
		return false;
	if (mask & 1 << 7 &&
	    node_info_node_guid(wanted + INFO) != node_info_node_guid(record + INFO))
		return false;
	return !(mask & 1 << 14) || !memcmp(wanted + DESCRIPTION, record + DESCRIPTION, 64);
}

static int answer_nodes(struct fake *fake, const unsigned char *mad)
{
	unsigned char reply[SA_AT + RECORD * ARRAY_SIZE(ports)] = {0};
	size_t count = 0;

	memcpy(reply, mad, SA_AT);
	mad_set_method(reply, UMAD_SA_METHOD_GET_TABLE_RESP);
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		unsigned char record[RECORD] = {0};

		write_record(i, record);
		if (matches(mad + SA_AT, mad_component_mask(mad), record))
			memcpy(reply + SA_AT + RECORD * count++, record, RECORD);
	}
	if (!count)
		reply[4] = UMAD_SA_STATUS_NO_RECORDS;
	mad_set_rmpp_type(reply, 1);
	mad_set_record_offset(reply, RECORD / 8);
	if (fake->context && count > 1) {
		/* A simulator without RMPP. */
		mad_set_rmpp_type(reply, 0);
		fake_put(fake, 0, reply, MAD_BYTES, 0);
	} else {
		fake_put(fake, 0, reply, SA_AT + RECORD * count, 0);
	}
	return 0;
}

/* A path record: the LID of the port whose GUID is the second half of the GID. */
static int answer_path(struct fake *fake, const unsigned char *mad)
{
	unsigned char reply[MAD_BYTES];
	const unsigned char *gid = mad + SA_AT + PATH_RECORD_DGID_AT;
	const uint64_t guid = (uint64_t)gid[14] << 8 | gid[15];

	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
		if (ports[i].node_guid + ports[i].port == guid)
			path_record_set_dlid(reply + SA_AT, ports[i].lid);
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	(void)agent;
	assert_int_equal(to->lid, SA_LID);
	return mad_attribute(mad) == UMAD_SA_ATTR_NODE_REC ? answer_nodes(fake, mad)
							   : answer_path(fake, mad);
}

struct fixture {
	struct fake fake;
	struct problems problems;
	struct mad_session session;
};

static struct fixture *open_with(enum target_kind kind, const char *map)
{
	const struct mad_engine_options engine_options = {.timeout_msec = 5, .retries_given = true};
	const struct mad_session_options options = {.kind = kind};
	struct fixture *fixture = mem_alloc_zero(1, sizeof(*fixture));
	struct mad_session *session = &fixture->session;
	unsigned int line;

	fixture->fake.on_send = answer;
	assert_int_equal(mad_session_begin(session, &options, &fixture->problems), 0);
	session->port.route = (struct mad_route){
		.lid = 2, .sm_lid = SA_LID, .subnet_manager = true};
	if (map)
		assert_int_equal(node_names_parse(map, strlen(map), &session->names, &line), 0);
	session->engine = fake_engine(&fixture->fake, &engine_options);
	return fixture;
}

static void close_fixture(struct fixture *fixture)
{
	mad_session_end(&fixture->session);
	problems_free(&fixture->problems);
	free(fixture);
}

static const char map[] =
	"0x500 \"spine one\"\n0x600 leaf/9\n0x300 same\n0x400 same\n0x100 mapped\n";

static void found(void **state)
{
	static const struct {
		enum target_kind kind;
		const char *text;
		uint16_t lid;
		const char *word; /* port that is left to ask for, or NULL */
	} rows[] = {
		{TARGET_ANY, "leaf 1", 1, NULL},
		{TARGET_ANY, "leaf 1/5", 1, "5"},
		{TARGET_ANY, "host1 mlx5_0", 2, NULL},
		/* A port that has a LID is reached by that LID. */
		{TARGET_ANY, "host1 mlx5_0/2", 3, NULL},
		{TARGET_ANY, "host1", 2, NULL},
		{TARGET_ANY, "host1/2", 3, NULL},
		/* A port without a LID is queried through one that has a LID. */
		{TARGET_NAME, "17/2", 9, "2"},
		/* A slash that is part of the name */
		{TARGET_ANY, "MF0;spine:MSX6036/U1", 8, NULL},
		{TARGET_ANY, "MF0;spine:MSX6036/U1/4", 8, "4"},
		{TARGET_ANY, "leaf/9", 7, NULL},
		{TARGET_ANY, "leaf/9/1", 7, "1"},
		/* The map, and the description that it replaces */
		{TARGET_ANY, "spine one", 6, NULL},
		{TARGET_ANY, "mapped", 1, NULL},
		/* A name that looks like a LID is one unless it is said to be a name. */
		{TARGET_ANY, "17", 17, NULL},
		{TARGET_NAME, "17", 9, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture *fixture = open_with(rows[i].kind, map);
		char *text = mem_string(rows[i].text), *words[] = {text, NULL};
		const struct mad_destination *at;
		const bool named = strcmp(rows[i].text, "17") || rows[i].kind == TARGET_NAME;

		assert_int_equal(mad_session_find(&fixture->session, words), 0);
		assert_int_equal(fixture->problems.count, 0);
		assert_int_equal(fixture->session.destination_count, 1);
		at = &fixture->session.destinations[0];
		assert_string_equal(at->name, rows[i].text);
		assert_int_equal(at->place.address.lid, rows[i].lid);
		assert_int_equal(at->place.target.kind, named ? TARGET_GUID : TARGET_LID);
		assert_int_equal(at->word_count, rows[i].word ? 1 : 0);
		assert_int_equal(at->named_port, !!rows[i].word);
		if (rows[i].word)
			assert_string_equal(at->words[0], rows[i].word);
		free(text);
		close_fixture(fixture);
	}
}

static void not_found(void **state)
{
	static const struct {
		const char *text, *error;
		int rc;
	} rows[] = {
		{"nobody", "no node has this name", -EHOSTUNREACH},
		{"host1 mlx5_0/3", "its last port is 2", -EHOSTUNREACH},
		{"twin", "'twin' matches 2 nodes: LID 6 (spine one), LID 7 (leaf/9)", -EINVAL},
		{"twin/3", "matches 2 nodes", -EINVAL},
		{"host2", "'host2' matches 2 nodes: LID 4 (same), LID 5 (same)", -EINVAL},
		{"same", "'same' matches 2 nodes: LID 4 (same), LID 5 (same)", -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture *fixture = open_with(TARGET_ANY, map);
		char *text = mem_string(rows[i].text), *words[] = {text, NULL};

		assert_int_equal(mad_session_find(&fixture->session, words), rows[i].rc);
		assert_int_equal(fixture->problems.count, 1);
		if (!strstr(fixture->problems.items[0].error, rows[i].error))
			fail_msg("'%s' instead of '%s'", fixture->problems.items[0].error,
				 rows[i].error);
		/* An error about the number of ports needs no further next step. */
		assert_true(fixture->problems.items[0].hint ||
			    strstr(rows[i].error, "its last port"));
		free(text);
		close_fixture(fixture);
	}
}

/* Several names: those that are found remain, each with its words. */
static void several(void **state)
{
	struct fixture *fixture = open_with(TARGET_ANY, NULL);
	char list[] = "leaf 1/7,nobody,5,host1/2", word[] = "9", *words[] = {list, word, NULL};
	const struct mad_destination *at;

	(void)state;
	assert_int_equal(mad_session_find(&fixture->session, words), 0);
	at = fixture->session.destinations;
	assert_int_equal(fixture->session.destination_count, 3);
	assert_int_equal(at[0].word_count, 2);
	assert_string_equal(at[0].words[0], "7");
	assert_string_equal(at[0].words[1], "9");
	assert_int_equal(at[1].place.address.lid, 5);
	assert_int_equal(at[2].place.address.lid, 3);
	assert_int_equal(fixture->problems.count, 1);
	assert_string_equal(fixture->problems.items[0].object, "nobody");
	close_fixture(fixture);
}

/* Names in a file contain blanks. */
static void quoted(void **state)
{
	char text[] = "\"leaf 1\" 3\n  host1/2\n#x\n\"leaf 1/4\"\n";
	struct fixture *fixture = open_with(TARGET_ANY, NULL);
	char dash[] = "-", *words[] = {dash, NULL};
	const struct mad_destination *at;

	(void)state;
	fixture->session.options.input = fmemopen(text, strlen(text), "r");
	assert_int_equal(mad_session_find(&fixture->session, words), 0);
	fclose(fixture->session.options.input);
	at = fixture->session.destinations;
	assert_int_equal(fixture->session.destination_count, 3);
	assert_string_equal(at[0].name, "leaf 1");
	assert_string_equal(at[0].words[0], "3");
	assert_int_equal(at[1].place.address.lid, 3);
	assert_string_equal(at[2].words[0], "4");
	close_fixture(fixture);
}

/* Where an entire node is expected, a port of a switch is refused. */
static void whole_nodes(void **state)
{
	struct fixture *fixture = open_with(TARGET_ANY, NULL);
	char port[] = "leaf 1/5", host[] = "host1/2", *words[] = {port, NULL};
	struct mad_target target;

	(void)state;
	assert_int_equal(mad_session_find_all(&fixture->session, words), -EINVAL);
	assert_non_null(strstr(fixture->problems.items[0].error, "'leaf 1/5' is a port without"));
	assert_int_equal(mad_session_resolve(&fixture->session, port, &target), -EINVAL);
	assert_int_equal(mad_session_resolve(&fixture->session, host, &target), 0);
	assert_int_equal(target.kind, TARGET_GUID);
	assert_int_equal(target.guid, 0x202);
	assert_int_equal(mad_session_resolve(&fixture->session, "12", &target), 0);
	assert_int_equal(target.lid, 12);
	assert_int_equal(mad_session_resolve(&fixture->session, "nobody", &target), -EHOSTUNREACH);
	close_fixture(fixture);
}

/* A truncated answer may hide a node with the same name. */
static void cut_off(void **state)
{
	static const struct {
		const char *text, *error;
		int rc;
	} rows[] = {
		{"twin",
		 "more nodes than LID 6 (twin): the subnet administrator's answer was truncated",
		 -EINVAL},
		{"host3", "which was truncated", -EHOSTUNREACH},
		{"leaf 1", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture *fixture = open_with(TARGET_ANY, NULL);
		char *text = mem_string(rows[i].text), *words[] = {text, NULL};

		fixture->fake.context = fixture;
		assert_int_equal(mad_session_find(&fixture->session, words), rows[i].rc);
		assert_int_equal(fixture->problems.count, rows[i].error ? 1 : 0);
		if (rows[i].error)
			assert_non_null(strstr(fixture->problems.items[0].error, rows[i].error));
		free(text);
		close_fixture(fixture);
	}
}

static void no_manager(void **state)
{
	struct fixture *fixture = open_with(TARGET_ANY, map);
	char leaf[] = "leaf 1", *words[] = {leaf, NULL};

	(void)state;
	fixture->session.port.route.subnet_manager = false;
	assert_int_equal(mad_session_find(&fixture->session, words), -EHOSTUNREACH);
	assert_non_null(strstr(fixture->problems.items[0].error, "the port knows none"));
	assert_int_equal(fixture->fake.sends, 0);
	close_fixture(fixture);
}

/* All owners of LIDs by one query; with a truncated table, one by one. */
static void owners(void **state)
{
	static const uint16_t lids[] = {1, 5, 8, 40};
	static const char *const names[] = {"mapped", "same", "MF0;spine:MSX6036/U1"};

	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		struct fixture *fixture = open_with(TARGET_ANY, map);
		struct lid_owners *found = mem_alloc_zero(1, sizeof(*found));

		for (size_t i = 0; i < ARRAY_SIZE(lids); i++)
			found->wanted[lids[i]] = true;
		fixture->fake.context = cut ? fixture : NULL;
		assert_int_equal(lid_owners_name(fixture->session.engine,
						 &fixture->session.port.route,
						 &fixture->session.names, found),
				 0);
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			assert_string_equal(found->names[lids[i]], names[i]);
		assert_null(found->names[40]);
		/* A truncated table has the first one; the LID without an owner is also queried. */
		assert_int_equal(fixture->fake.sends, cut ? 4 : 2);
		lid_owners_free(found);
		close_fixture(fixture);
	}
}

static void conf(void **state)
{
	static const char good[] =
		"# text\n\n CA = mlx5_1 \nPort=0x2\ntimeout=50\r\nMLX_EPI=false\n"
		"m_key=0x1122\nsa_key=7\nnd_format=%h %d\nother=1\n";
#define CONF_TEXT(text_) text_, sizeof(text_) - 1
	static const struct {
		const char *text;
		size_t length;
		unsigned int line;
	} bad[] = {{CONF_TEXT("CA"), 1},
		   {CONF_TEXT("CA=\n"), 1},
		   {CONF_TEXT("CA=a\nPort=x\n"), 2},
		   {CONF_TEXT("#\ntimeout=0\n"), 2},
		   {CONF_TEXT("m_key=0x1ffffffffffffffff\n"), 1},
		   /* A NUL does not hide the bytes after it. */
		   {CONF_TEXT("CA=a\n\0\nm_key=1\n"), 2},
		   {CONF_TEXT("CA=a\nPort=2\0"), 2}};
	struct ibdiag_conf conf = {.device = NULL};
	unsigned int line = 0;

	(void)state;
	assert_int_equal(ibdiag_conf_parse(good, strlen(good), &conf, &line), 0);
	assert_string_equal(conf.device, "mlx5_1");
	assert_int_equal(conf.port.value, 2);
	assert_int_equal(conf.timeout_msec.value, 50);
	assert_int_equal(conf.mkey.value, 0x1122);
	assert_int_equal(conf.sa_key.value, 7);
	ibdiag_conf_clear(&conf);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(ibdiag_conf_parse(bad[i].text, bad[i].length, &conf, &line),
				 -EINVAL);
		assert_int_equal(line, bad[i].line);
		assert_false(conf.port.known);
		ibdiag_conf_clear(&conf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),       cmocka_unit_test(not_found),
		cmocka_unit_test(several),     cmocka_unit_test(quoted),
		cmocka_unit_test(whole_nodes), cmocka_unit_test(cut_off),
		cmocka_unit_test(no_manager),  cmocka_unit_test(owners),
		cmocka_unit_test(conf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
