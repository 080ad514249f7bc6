/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session without a command line: keys, port, destinations, their LIDs, signals, problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "fake_transport.h"
#include "mad/format/header.h"
#include "mad/session.h"
#include "schema/bits.h"

#define MOST_WORDS 5
#define GUID(last) "0x00020000000000" last
/* Status of a subnet administrator without a matching record: 15.4.2, table 187. */
#define NO_RECORDS 0x0300

enum {
	SA_LID = 3,
	FOUND = 0x10,
	MISSING = 0xee,
	REFUSED = 0xdd,
	SILENT = 0xff,
	BEYOND = 0xbb, /* reached by a router */
	GLOBAL = 0xbc, /* in this subnet, by a path with a GRH */
	PATH_SL = 4,
	OWN_LID = 7
};

struct fixture {
	struct fake fake;
	struct problems problems;
	struct mad_session session;
};

static const struct mad_session *session_of(const struct fake *fake)
{
	const struct fixture *fixture = fake->context;

	return &fixture->session;
}

/*
 * The subnet administrator: the last byte of the GID decides whether it knows a path (that byte is
 * then the LID), knows none, or does not answer.
 */
static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	const size_t data = mad_data_offset(UMAD_CLASS_SUBN_ADM);
	const uint8_t last = mad[data + PATH_RECORD_DGID_AT + 15];
	unsigned char reply[MAD_BYTES];

	(void)agent;
	assert_int_equal(mad_class(mad), UMAD_CLASS_SUBN_ADM);
	assert_int_equal(to->lid, SA_LID);
	/* PathRecord, 15.2.5.16: one path, by both GIDs. Components 2, 3 and 12. */
	assert_int_equal(mad_method(mad), UMAD_METHOD_GET);
	assert_int_equal(bits_get(mad, 48 * 8, 64), 1 << 2 | 1 << 3 | 1 << 12);
	assert_memory_equal(mad + data + 24, session_of(fake)->port.route.gid.raw, 16);
	assert_int_equal(bits_get(mad + data, 49 * 8 + 1, 7), 1);
	if (last == SILENT)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	if (last == MISSING)
		reply[offsetof(struct umad_hdr, status)] = NO_RECORDS >> 8;
	if (last == REFUSED)
		reply[offsetof(struct umad_hdr, status)] = 1; /* ERR_NO_RESOURCES, 15.2.4 */
	path_record_set_dlid(reply + data,
			     mad[data + PATH_RECORD_DGID_AT] == 0xff ? 0xc000u + last : last);
	path_record_set_sl(reply + data, PATH_SL);
	if (last == BEYOND) {
		path_record_set_hop_limit(reply + data, 9);
		path_record_set_flow_label(reply + data, 0x12345);
		path_record_set_traffic_class(reply + data, 0x5a);
	}
	if (last == GLOBAL)
		path_record_set_hop_limit(reply + data, 1);
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

/* Opens a session on a port that knows a subnet manager, with an engine on the fake transport. */
static struct fixture *open_with(const struct mad_session_options *options)
{
	const struct mad_engine_options engine_options = {
		.timeout_msec = 5,
		.retries_given = true,
	};
	struct fixture *fixture = mem_alloc_zero(1, sizeof(*fixture));
	struct mad_session *session = &fixture->session;

	fixture->fake.on_send = answer;
	fixture->fake.context = fixture;
	assert_int_equal(mad_session_begin(session, options, &fixture->problems), 0);
	session->port.route = (struct mad_route){
		.lid = OWN_LID,
		.sm_lid = SA_LID,
		.subnet_manager = true,
		.pkey_index = options->pkey_index,
	};
	session->engine = fake_engine(&fixture->fake, &engine_options);
	return fixture;
}

static void close_fixture(struct fixture *fixture)
{
	mad_session_end(&fixture->session);
	assert_int_equal(fixture->fake.closed, 1);
	problems_free(&fixture->problems);
	free(fixture);
}

static void assert_problem(const struct fixture *fixture, size_t number, const char *object,
			   const char *error)
{
	const struct problem *problem = &fixture->problems.items[number];

	assert_true(number < fixture->problems.count);
	if (object)
		assert_string_equal(problem->object, object);
	else
		assert_null(problem->object);
	if (!strstr(problem->error, error))
		fail_msg("'%s' instead of '%s'", problem->error, error);
}

typedef int (*find_function)(struct mad_session *session, char *const *words);

/* Calls the function with the words of the text, separated by blanks. */
static int find(struct fixture *fixture, find_function function, const char *text)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *words[MOST_WORDS] = {NULL}, *rest = copy;

	for (size_t i = 0; rest && *rest; i++)
		words[i] = strsep(&rest, " ");
	return function(&fixture->session, words);
}

struct found {
	const char *name;
	enum target_kind kind;
	uint16_t lid;
	size_t words;
};

struct row {
	find_function find;
	enum target_kind asked;
	const char *words;
	struct found found[MOST_WORDS];
};

#define GID_TEXT "fe80:0000:0000:0000:0000:0000:0000:0011"

static const struct row rows[] = {
	/* One of each kind, recognised by its form and selected by its option */
	{mad_session_find, TARGET_ANY, "5", {{"5", TARGET_LID, 5, 0}}},
	{mad_session_find,
	 TARGET_ANY,
	 GUID("10"),
	 {{"0002:0000:0000:0010", TARGET_GUID, FOUND, 0}}},
	{mad_session_find, TARGET_ANY, "fe80::11", {{GID_TEXT, TARGET_GID, 0x11, 0}}},
	{mad_session_find, TARGET_ANY, "0,1,3", {{"0,1,3", TARGET_DIRECT, 0xffff, 0}}},
	{mad_session_find, TARGET_LID, "0x5", {{"5", TARGET_LID, 5, 0}}},
	{mad_session_find, TARGET_GUID, "0x10", {{"0000:0000:0000:0010", TARGET_GUID, FOUND, 0}}},
	{mad_session_find, TARGET_GUID, "0xbc", {{"0000:0000:0000:00bc", TARGET_GUID, GLOBAL, 0}}},
	{mad_session_find, TARGET_GID, "fe80::11", {{GID_TEXT, TARGET_GID, 0x11, 0}}},
	{mad_session_find, TARGET_DIRECT, "0,2", {{"0,2", TARGET_DIRECT, 0xffff, 0}}},
	/* No word: the local port */
	{mad_session_find, TARGET_ANY, "", {{"0", TARGET_DIRECT, 0xffff, 0}}},
	{mad_session_find_by_lid, TARGET_ANY, "", {{"7", TARGET_LID, OWN_LID, 0}}},
	{mad_session_find_by_lid, TARGET_ANY, "9", {{"9", TARGET_LID, 9, 0}}},
	{mad_session_find_by_lid, TARGET_ANY, "0 1", {{"7", TARGET_LID, OWN_LID, 1}}},
	{mad_session_find_by_lid,
	 TARGET_ANY,
	 "9,0",
	 {{"9", TARGET_LID, 9, 0}, {"7", TARGET_LID, OWN_LID, 0}}},
	/* Several destinations, each with all words after the list */
	{mad_session_find,
	 TARGET_ANY,
	 "2,4 1 x",
	 {{"2", TARGET_LID, 2, 2}, {"4", TARGET_LID, 4, 2}}},
	/* The words may also have commas between them, and one may be missing. */
	{mad_session_find, TARGET_ANY, "2 1,4-6 8", {{"2", TARGET_LID, 2, 3}}},
	{mad_session_find, TARGET_ANY, "2 1,", {{"2", TARGET_LID, 2, 2}}},
	{mad_session_find,
	 TARGET_GUID,
	 "0x10,0x12",
	 {{"0000:0000:0000:0010", TARGET_GUID, FOUND, 0},
	  {"0000:0000:0000:0012", TARGET_GUID, 0x12, 0}}},
	{mad_session_find,
	 TARGET_ANY,
	 "2,fe80::11",
	 {{"2", TARGET_LID, 2, 0}, {GID_TEXT, TARGET_GID, 0x11, 0}}},
	{mad_session_find_all,
	 TARGET_ANY,
	 "2,4 0,1 6",
	 {{"2", TARGET_LID, 2, 0},
	  {"4", TARGET_LID, 4, 0},
	  {"0,1", TARGET_DIRECT, 0xffff, 0},
	  {"6", TARGET_LID, 6, 0}}},
};

static void check_found(const struct row *row, const struct mad_session *session)
{
	size_t count = 0;

	for (; row->found[count].name; count++) {
		const struct found *found = &row->found[count];
		const struct mad_destination *destination = &session->destinations[count];

		assert_true(count < session->destination_count);
		assert_string_equal(destination->name, found->name);
		assert_int_equal(destination->word_count, found->words);
		assert_int_equal(destination->place.target.kind, found->kind);
		assert_int_equal(destination->place.error, 0);
		assert_int_equal(destination->place.address.lid, found->lid);
		assert_int_equal(destination->place.address.qkey, UMAD_QKEY);
		assert_int_equal(destination->place.address.has_grh, found->lid == GLOBAL);
	}
	assert_int_equal(session->destination_count, count);
}

static void destinations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mad_session_options options = {.kind = rows[i].asked};
		struct fixture *fixture = open_with(&options);

		assert_int_equal(find(fixture, rows[i].find, rows[i].words), 0);
		assert_int_equal(fixture->problems.count, 0);
		check_found(&rows[i], &fixture->session);
		close_fixture(fixture);
	}
}

static void bad_words(void **state)
{
	static const struct {
		find_function find;
		enum target_kind asked;
		const char *words;
		const char *error;
	} bad[] = {
		{mad_session_find, TARGET_ANY, "0,x", "'0,x' is not a destination"},
		{mad_session_find, TARGET_ANY, "\033x", "'\\x1bx' is not a destination"},
		{mad_session_find, TARGET_ANY, "49152", "'49152' is out of range"},
		{mad_session_find, TARGET_ANY, "2,,4", "'' is not a destination"},
		{mad_session_find, TARGET_ANY, "2,", "'' is not a destination"},
		{mad_session_find, TARGET_LID, "fe80::1", "'fe80::1' is not a LID"},
		{mad_session_find, TARGET_GID, "5", "'5' is not a GID"},
		{mad_session_find, TARGET_DIRECT, "1,2", "'1,2' is not a directed route"},
		{mad_session_find, TARGET_GUID, "5x", "'5x' is not a GUID"},
		{mad_session_find_all, TARGET_LID, "2 x", "'x' is not a LID"},
		{mad_session_find_by_lid, TARGET_NAME, "", "--node needs a destination"},
		{mad_session_find, TARGET_LID, "", "--lid needs a destination"},
		{mad_session_find, TARGET_GUID, "", "--guid needs a destination"},
		{mad_session_find, TARGET_GID, "", "--gid needs a destination"},
		{mad_session_find_by_lid, TARGET_DIRECT, "", "--direct needs a destination"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct mad_session_options options = {.kind = bad[i].asked};
		struct fixture *fixture = open_with(&options);

		assert_int_equal(find(fixture, bad[i].find, bad[i].words), -EINVAL);
		assert_int_equal(fixture->problems.count, 1);
		assert_problem(fixture, 0, NULL, bad[i].error);
		assert_int_equal(fixture->fake.sends, 0);
		close_fixture(fixture);
	}
}

/* One destination is found; the others leave the list with their reasons. */
static void lookups(void **state)
{
	const char words[] = GUID("ee") "," GUID("10") "," GUID("ff") "," GUID("dd") " 1";
	const struct mad_session_options options = {.pkey_index = 2};
	struct fixture *fixture = open_with(&options);
	const struct mad_destination *left;

	(void)state;
	assert_int_equal(find(fixture, mad_session_find, words), 0);
	left = fixture->session.destinations;
	assert_int_equal(fixture->session.destination_count, 1);
	assert_string_equal(left->name, "0002:0000:0000:0010");
	assert_int_equal(left->place.address.lid, FOUND);
	assert_int_equal(left->place.address.sl, PATH_SL);
	assert_int_equal(left->place.address.pkey_index, 2);
	assert_string_equal(left->words[0], "1");
	assert_int_equal(fixture->fake.sends, 4);
	assert_int_equal(fixture->problems.count, 3);
	assert_problem(fixture, 0, "0002:0000:0000:00ee", "knows no path to it");
	assert_problem(fixture, 1, "0002:0000:0000:00ff", "did not answer");
	assert_non_null(strstr(fixture->problems.items[1].hint, "rdmactl smp sminfo"));
	/* A refusal does not say that there is no path. */
	assert_problem(fixture, 2, "0002:0000:0000:00dd",
		       "refused with status 0x0100: no-resources");
	close_fixture(fixture);
}

/* A destination behind a router needs a GRH; the router itself would answer an SMP. */
static void beyond_a_router(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);
	struct mad_session *session = &fixture->session;
	unsigned char data[MAD_DATA_MOST], mad[MAD_BYTES];
	struct mad_request request;

	(void)state;
	assert_int_equal(find(fixture, mad_session_find, "2001::bb"), 0);
	mad_gmp_request(&session->destinations[0].place, UMAD_CLASS_PERF_MGMT, UMAD_METHOD_GET, 1,
			0, &request);
	assert_int_equal(request.to.lid, BEYOND);
	/* That LID is the router's, not the destination's. */
	assert_false(mad_place_lid(&session->destinations[0].place).known);
	assert_true(request.to.has_grh);
	assert_int_equal(request.to.gid.raw[0], 0x20);
	assert_int_equal(request.to.gid.raw[15], BEYOND);
	assert_int_equal(request.to.hop_limit, 9);
	assert_int_equal(request.to.flow_label, 0x12345);
	assert_int_equal(request.to.traffic_class, 0x5a);
	assert_int_equal(fixture->fake.sends, 1);
	assert_false(mad_session_get(session, &session->destinations[0], UMAD_SM_ATTR_NODE_DESC, 0,
				     0, data));
	assert_int_equal(fixture->fake.sends, 1);
	assert_problem(fixture, 0, "2001:0000:0000:0000:0000:0000:0000:00bb", "in another subnet");
	assert_null(fixture->problems.items[0].hint);
	mad_smp_request(&session->destinations[0].place, UMAD_METHOD_SEND, UMAD_SM_ATTR_NODE_DESC,
			0, &request);
	mad_request_write(&request, 1, mad);
	assert_int_equal(mad_engine_send(session->engine, 0, &request.to, mad, MAD_BYTES), -EXDEV);
	assert_int_equal(fixture->fake.sends, 1);
	/* A port with this port's prefix is in its subnet, whatever hop limit its record has. */
	assert_int_equal(find(fixture, mad_session_find, "::bb"), 0);
	mad_smp_request(&session->destinations[1].place, UMAD_METHOD_GET, UMAD_SM_ATTR_NODE_DESC, 0,
			&request);
	assert_false(request.to.has_grh);
	assert_int_equal(mad_place_lid(&session->destinations[1].place).value, request.to.lid);
	close_fixture(fixture);
}

/* Nothing is sent to all members of a multicast group. */
static void multicast_group(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);

	(void)state;
	assert_int_equal(find(fixture, mad_session_find, "ff12:401b:ffff::10"), -EHOSTUNREACH);
	assert_problem(fixture, 0, "ff12:401b:ffff:0000:0000:0000:0000:0010",
		       "the GID of a multicast group");
	assert_int_equal(fixture->fake.sends, 1);
	close_fixture(fixture);
}

static void nothing_found(void **state)
{
	static const char *const words[] = {GUID("ee"), GUID("ff")};
	const struct mad_session_options options = {.kind = TARGET_GUID};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct fixture *fixture = open_with(&options);

		assert_int_equal(find(fixture, mad_session_find, words[i]), -EHOSTUNREACH);
		assert_int_equal(fixture->session.destination_count, 0);
		assert_int_equal(fixture->problems.count, 1);
		close_fixture(fixture);
	}
}

static void no_subnet_manager(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);

	(void)state;
	fixture->session.port.route.subnet_manager = false;
	fixture->session.port.route.lid = 0;
	assert_int_equal(find(fixture, mad_session_find, GUID("10")), -EHOSTUNREACH);
	assert_problem(fixture, 0, "0002:0000:0000:0010", "knows no subnet manager to ask");
	assert_int_equal(find(fixture, mad_session_find_by_lid, ""), -EADDRNOTAVAIL);
	assert_problem(fixture, 1, NULL, "the port has no LID");
	assert_int_equal(fixture->fake.sends, 0);
	close_fixture(fixture);
}

/* The options override the path record. */
static void keys_and_level(void **state)
{
	const struct mad_session_options options = {
		.mkey = "0x1122334455667788",
		.qkey = "0x80020000",
		.sl = number_of(9),
	};
	struct fixture *fixture = open_with(&options);

	(void)state;
	assert_int_equal(fixture->session.key, 0x1122334455667788);
	assert_int_equal(find(fixture, mad_session_find, GUID("10")), 0);
	assert_int_equal(fixture->session.destinations[0].place.address.sl, 9);
	assert_int_equal(fixture->session.destinations[0].place.address.qkey, 0x80020000);
	close_fixture(fixture);
}

static void bad_keys(void **state)
{
	static const struct {
		struct mad_session_options options;
		const char *error;
	} bad[] = {
		{{.mkey = "key"}, "--mkey: 'key' is not a number up to 0xffffffffffffffff"},
		{{.mkey = "0x1ffffffffffffffff"},
		 "--mkey: '0x1ffffffffffffffff' is not a number up to 0xffffffffffffffff"},
		{{.qkey = "0x100000000"}, "--qkey: '0x100000000' is not a number up to 0xffffffff"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct fixture fixture = {.problems = {.count = 0}};

		assert_int_equal(mad_session_begin(&fixture.session, &bad[i].options,
						   &fixture.problems),
				 -EINVAL);
		assert_problem(&fixture, 0, NULL, bad[i].error);
		mad_session_end(&fixture.session);
		problems_free(&fixture.problems);
	}
}

static void from_input(void **state)
{
	char text[] = "# LIDs\n2 1 2\n\n  4,6\n", empty[] = "# none\n", wrong[] = "2\n0,x\n4\n";
	char bytes[] = "2\n4\0 6\n8\n";
	struct {
		char *text;
		size_t length;
		int rc;
		size_t count;
	} inputs[] = {
		{text, strlen(text), 0, 3},
		{empty, strlen(empty), -EINVAL, 0},
		{wrong, strlen(wrong), -EINVAL, 1},
		{bytes, sizeof(bytes) - 1, -EINVAL, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		FILE *input = fmemopen(inputs[i].text, inputs[i].length, "r");
		const struct mad_session_options options = {.input = input};
		struct fixture *fixture = open_with(&options);

		assert_int_equal(find(fixture, mad_session_find, "-"), inputs[i].rc);
		assert_int_equal(fixture->session.destination_count, inputs[i].count);
		if (i == 0)
			assert_int_equal(fixture->session.destinations[0].word_count, 2);
		if (i == 1)
			assert_problem(fixture, 0, NULL, "no destination on standard input");
		if (i == 3)
			assert_problem(fixture, 0, NULL, "standard input is not text");
		close_fixture(fixture);
		fclose(input);
	}
}

/* A line may name this port, too, where only a LID will do. */
static void own_lid_from_input(void **state)
{
	char text[] = "0 1 2\n4\n0,1\n";
	FILE *input = fmemopen(text, strlen(text), "r");
	const struct mad_session_options options = {.input = input};
	struct fixture *fixture = open_with(&options);
	const struct mad_destination *found;

	(void)state;
	assert_int_equal(find(fixture, mad_session_find_by_lid, "-"), 0);
	found = fixture->session.destinations;
	assert_int_equal(fixture->session.destination_count, 3);
	assert_int_equal(found[0].place.target.kind, TARGET_LID);
	assert_int_equal(found[0].place.address.lid, OWN_LID);
	assert_int_equal(found[0].word_count, 2);
	assert_int_equal(found[1].place.address.lid, 4);
	assert_int_equal(found[2].place.target.kind, TARGET_DIRECT);
	close_fixture(fixture);
	fclose(input);
}

/* Nothing after a read error is known, and nothing is sent. */
static void input_fails(void **state)
{
	FILE *input = fopen("/", "r");
	const struct mad_session_options options = {.input = input};
	struct fixture *fixture = open_with(&options);

	(void)state;
	assert_non_null(input);
	assert_int_equal(find(fixture, mad_session_find, "-"), -EISDIR);
	assert_problem(fixture, 0, NULL, "cannot read standard input: Is a directory");
	close_fixture(fixture);
	fclose(input);
}

static int open_reads;

static ssize_t look_at_signals(void *cookie, char *buffer, size_t size)
{
	sigset_t blocked;

	(void)cookie, (void)buffer, (void)size;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	open_reads += !sigismember(&blocked, SIGINT);
	return 0;
}

/* A signal can end the program while it waits for a line, or while one is typed. */
static void signals_end_a_read(void **state)
{
	const cookie_io_functions_t functions = {.read = look_at_signals};
	FILE *input = fopencookie(NULL, "r", functions);
	const struct mad_session_options options = {.input = input};
	struct fixture *fixture = open_with(&options);
	sigset_t blocked;

	(void)state;
	assert_int_equal(find(fixture, mad_session_find, "-"), -EINVAL);
	assert_int_equal(open_reads, 1);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	assert_true(sigismember(&blocked, SIGINT));
	close_fixture(fixture);
	fclose(input);
}

static void words_refused(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);

	(void)state;
	assert_int_equal(find(fixture, mad_session_find, "2"), 0);
	assert_int_equal(mad_session_refuse_words(&fixture->session), 0);
	assert_int_equal(fixture->problems.count, 0);
	assert_int_equal(find(fixture, mad_session_find, "4 5"), 0);
	assert_int_equal(mad_session_refuse_words(&fixture->session), -EINVAL);
	assert_problem(fixture, 0, NULL, "unexpected argument '5' after the destination");
	close_fixture(fixture);
}

/* The port comes from the inventory; a host without a suitable one gets a reason and a hint. */
static void port_chosen(void **state)
{
	const struct mad_session_options options = {.pkey_index = 1};
	struct inventory inventory = {.answers = true};
	struct fixture fixture = {.problems = {.count = 0}};
	struct device *device;
	struct port *port;

	(void)state;
	assert_int_equal(mad_session_begin(&fixture.session, &options, &fixture.problems), 0);
	assert_int_equal(mad_session_choose_port(&fixture.session, &inventory), -EOPNOTSUPP);
	assert_problem(&fixture, 0, NULL, "no InfiniBand port");
	assert_non_null(fixture.problems.items[0].hint);
	device = device_list_add(&inventory.devices, "no-such-device");
	device->node_type = number_of(NODE_TYPE_CA);
	port = device_add_port(device, 1);
	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	port->lid = number_of(OWN_LID);
	port->sm_lid = number_of(SA_LID);
	assert_int_equal(mad_session_choose_port(&fixture.session, &inventory), 0);
	assert_int_equal(fixture.problems.count, 1);
	assert_int_equal(fixture.session.port.route.lid, OWN_LID);
	assert_int_equal(fixture.session.port.route.sm_lid, SA_LID);
	assert_true(fixture.session.port.route.subnet_manager);
	assert_int_equal(fixture.session.port.route.pkey_index, 1);
	/* The session does not open, because there is no such device. */
	assert_int_not_equal(mad_session_open(&fixture.session), 0);
	assert_int_equal(fixture.problems.count, 2);
	assert_non_null(fixture.problems.items[1].hint);
	mad_session_end(&fixture.session);
	problems_free(&fixture.problems);
	inventory_free(&inventory);
}

static void items_checked(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);
	char name[] = "5";
	const struct mad_destination at = {.name = name};
	struct mad_item item = {.request.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED, .tries = 4};
	struct mad_session *session = &fixture->session;

	(void)state;
	assert_true(mad_session_check(session, &at, "NodeInfo", &item, NULL));
	assert_int_equal(fixture->problems.count, 0);
	item.error = -ETIMEDOUT;
	assert_false(mad_session_check(session, &at, "NodeInfo", &item, NULL));
	assert_problem(fixture, 0, "5", "no answer");
	assert_string_equal(fixture->problems.items[0].attribute, "NodeInfo");
	assert_string_equal(fixture->problems.items[0].source, "smp");
	assert_non_null(strstr(fixture->problems.items[0].hint, "--mkey"));
	assert_false(mad_session_check(session, &at, NULL, &item, "look"));
	assert_string_equal(fixture->problems.items[1].hint, "look");
	/* A hint about the answer does not fit a request that was never sent. */
	item.error = -EHOSTUNREACH;
	assert_false(mad_session_check(session, &at, NULL, &item, "look"));
	assert_null(fixture->problems.items[2].hint);
	item.error = 0;
	item.status = 0x1c;
	item.request.mgmt_class = UMAD_CLASS_PERF_MGMT;
	assert_false(mad_session_check(session, &at, "PortCounters", &item, NULL));
	assert_problem(fixture, 3, "5", "0x001c");
	assert_string_equal(fixture->problems.items[3].source, "gmp");
	close_fixture(fixture);
}

/* A failed Set is not reported as a failed read. */
static void sets_checked(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);
	char name[] = "5";
	const struct mad_destination at = {.name = name};
	struct mad_item item = {.request.mgmt_class = UMAD_CLASS_CONG_MGMT, .tries = 4};
	struct mad_session *session = &fixture->session;
	const struct problems *problems = &fixture->problems;

	(void)state;
	assert_true(mad_session_check_set(session, &at, &item, "look"));
	assert_int_equal(problems->count, 0);
	item.status = 0x0c;
	assert_false(mad_session_check_set(session, &at, &item, "look"));
	assert_problem(fixture, 0, "5", "not changed: the node refused it with status 0x000c");
	assert_null(problems->items[0].attribute);
	assert_string_equal(problems->items[0].hint, "look");
	item.error = -ETIMEDOUT;
	assert_false(mad_session_check_set(session, &at, &item, "look"));
	assert_problem(fixture, 1, "5",
		       "unknown whether the change took effect: no answer, asked 4");
	assert_string_equal(problems->items[1].hint, "look");
	item.request.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED;
	assert_false(mad_session_check_set(session, &at, &item, NULL));
	assert_non_null(strstr(problems->items[2].hint, "--mkey"));
	item.error = -ECANCELED;
	assert_false(mad_session_check_set(session, &at, &item, "look"));
	assert_problem(fixture, 3, "5", "unknown whether the change took effect: interrupted");
	assert_null(problems->items[3].hint);
	/* A status without a name is printed only once. */
	item.error = 0;
	item.status = 0x0c;
	item.request.mgmt_class = UMAD_CLASS_CONG_MGMT;
	assert_false(mad_session_check_set(session, &at, &item, NULL));
	assert_string_equal(problems->items[4].error,
			    "not changed: the node refused it with status "
			    "0x000c: attribute-not-supported");
	item.status = 0x2000;
	assert_false(mad_session_check_set(session, &at, &item, NULL));
	assert_string_equal(problems->items[5].error,
			    "not changed: the node refused it with status 0x2000");
	close_fixture(fixture);
}

static void signals_end_it(void **state)
{
	const struct mad_session_options options = {.kind = TARGET_ANY};
	struct fixture *fixture = open_with(&options);
	struct mad_session *session = &fixture->session;

	(void)state;
	assert_false(mad_session_stopped(session));
	assert_true(mad_session_wait(session, clock_msec() + 2));
	raise(SIGTERM);
	assert_false(mad_session_wait(session, clock_msec() + 60000));
	assert_true(mad_session_stopped(session));
	/* A signal while the session ends does not kill the program. */
	session->stopped = false;
	raise(SIGINT);
	close_fixture(fixture);
}

/* Only a request that the user ended is reported as interrupted. */
static void interrupted(void **state)
{
	static const struct {
		int error;
		bool stopped, expected;
	} cases[] = {
		{-ECANCELED, true, true},  {-ECANCELED, false, false}, {0, true, false},
		{-ETIMEDOUT, true, false}, {0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mad_session session = {.stopped = cases[i].stopped};
		const struct mad_item item = {.error = cases[i].error};

		assert_int_equal(mad_session_interrupted(&session, &item), cases[i].expected);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(destinations),	      cmocka_unit_test(bad_words),
		cmocka_unit_test(beyond_a_router),    cmocka_unit_test(lookups),
		cmocka_unit_test(multicast_group),    cmocka_unit_test(nothing_found),
		cmocka_unit_test(no_subnet_manager),  cmocka_unit_test(keys_and_level),
		cmocka_unit_test(bad_keys),	      cmocka_unit_test(from_input),
		cmocka_unit_test(own_lid_from_input), cmocka_unit_test(words_refused),
		cmocka_unit_test(input_fails),	      cmocka_unit_test(signals_end_a_read),
		cmocka_unit_test(port_chosen),	      cmocka_unit_test(items_checked),
		cmocka_unit_test(sets_checked),	      cmocka_unit_test(signals_end_it),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
