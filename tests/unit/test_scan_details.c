/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries after a scan: which blocks of which tables are read by which route, and which answers are
 * kept; and the subnet managers, as the ports name them.
 */
#include "fake_transport.h"
#include "fabric/scan/scan.h"
#include "made_up_fabric.h"
#include "mad/format/header.h"

enum { FIRST, LEAF, OTHER };

struct bed {
	struct fake fake;
	struct fabric fabric;
	char *asked; /* `route attribute modifier` of each request, one per line */
	struct {
		uint16_t attribute, status; /* what is refused; with status 0, not answered */
		unsigned int hops;
	} silent;
	uint16_t empty; /* attribute that is answered with zeros */
	uint64_t key;
	unsigned int path_hops; /* to where the scan begins */
};

/* Answers with SMInfo, 14.2.5.13: its GUID is the LID or the last port of the route. */
static void say_manager(const unsigned char *mad, const struct mad_address *to, unsigned char *data)
{
	unsigned int last = mad[6] || mad[7] ? mad[128 + mad[7]] : to->lid;

	bits_set(data, 0, 64, 0x5000 + last);
	bits_set(data, 16 * 8, 32, 77);
	data[20] = 0xe3;
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const uint16_t attribute = (uint16_t)mad_attribute(mad);
	const bool direct = mad_class(mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE;
	unsigned char reply[MAD_BYTES];
	char *before = bed->asked, *route = mem_string(direct ? "0" : "lid");

	(void)agent;
	bed->key = bits_get(mad, 24 * 8, 64);
	for (unsigned int i = 1; direct && i <= mad[7]; i++) {
		char *shorter = route;

		route = mem_format("%s,%u", shorter, mad[128 + i]);
		free(shorter);
	}
	bed->asked = mem_format("%s%s %x %x\n", before, route, attribute, mad_modifier(mad));
	free(before);
	free(route);
	if (attribute == bed->silent.attribute && mad[7] == bed->silent.hops && !bed->silent.status)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	memset(reply + 64, 0, 64);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	if (attribute == bed->silent.attribute && mad[7] == bed->silent.hops)
		reply[5] = (unsigned char)bed->silent.status;
	if (attribute == UMAD_SM_ATTR_SM_INFO)
		say_manager(mad, to, reply + 64);
	else if (attribute != bed->empty)
		reply[127] = 1;
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

/*
 * An adapter, where the scan begins, at port 1 of a switch, which has another adapter at port 2 and
 * nothing at port 3. The sizes of tables: PartitionCap (14.2.5.3), PartitionEnforcementCap
 * (14.2.5.4), GUIDCap, VLArbitrationHighCap and LowCap (14.2.5.6).
 */
static void begin(struct bed *bed)
{
	struct fabric *fabric = &bed->fabric;

	*bed = (struct bed){.asked = mem_string("")};
	bed->fake.on_send = answer;
	bed->fake.context = bed;
	sample_node(fabric, NODE_TYPE_CA, 0x1000, 2, "first");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x2000, 3, "leaf");
	sample_node(fabric, NODE_TYPE_CA, 0x3000, 2, "other");
	sample_cable(fabric, FIRST, 1, LEAF, 1);
	sample_cable(fabric, LEAF, 2, OTHER, 1);
	fabric->nodes[LEAF].local_port = 1;
	bits_set(fabric->nodes[FIRST].info, 28 * 8, 16, 33);
	bits_set(fabric->nodes[LEAF].info, 28 * 8, 16, 32);
	bits_set(fabric->nodes[LEAF].switch_info, 14 * 8, 16, 32);
	fabric->ports[fabric_port_at(fabric, FIRST, 1)].info[50] = 9;
	fabric->ports[fabric_port_at(fabric, FIRST, 1)].info[39] = 32;
	fabric->ports[fabric_port_at(fabric, FIRST, 1)].info[40] = 33;
	fabric->ports[fabric_port_at(fabric, LEAF, 0)].info[50] = 1;
	fabric->ports[fabric_port_at(fabric, LEAF, 1)].info[50] = 1;
	fabric->ports[fabric_port_at(fabric, LEAF, 1)].info[39] = 33;
}

/* Reads everything or, if there are ports, their SL to VL mappings. */
static int read_lanes(struct bed *bed, const bool *lanes_of)
{
	const struct mad_engine_options options = {
		.timeout_msec = 50, .retries_given = true, .window = 1};
	const struct fabric_scan_options scan = {
		.mkey = 0x1122334455667788,
		.path_hops = bed->path_hops,
	};
	struct mad_engine *engine = fake_engine(&bed->fake, &options);
	int rc = fabric_details_read(engine, &scan, &bed->fabric, lanes_of);

	mad_engine_free(engine);
	return rc;
}

static int read_details(struct bed *bed)
{
	return read_lanes(bed, NULL);
}

static void end(struct bed *bed)
{
	fabric_clear(&bed->fabric);
	free(bed->asked);
}

#define FIRST_TABLES                               \
	"0 16 0\n0 16 1\n0 14 0\n0 14 1\n0 17 0\n" \
	"0 18 10001\n0 18 20001\n0 18 30001\n"
#define LEAF_KEYS_AND_GUIDS "0,1 16 0\n0,1 14 0\n"

static void every_block(void **state)
{
	static const char expected[] = FIRST_TABLES LEAF_KEYS_AND_GUIDS
		"0,1 17 0\n0,1 17 100\n0,1 17 200\n"
		"0,1 16 10000\n0,1 17 1\n0,1 17 101\n0,1 17 201\n0,1 18 30001\n0,1 18 40001\n"
		"0,1 16 20000\n0,1 17 2\n0,1 17 102\n0,1 17 202\n"
		"0,1,2 17 0\n";
	static const uint16_t order[] = {0x14, 0x14, 0x16, 0x16, 0x17, 0x18, 0x18, 0x18, 0x14};
	struct bed bed;

	(void)state;
	begin(&bed);
	assert_int_equal(read_details(&bed), 0);
	assert_string_equal(bed.asked, expected);
	assert_true(bed.key == 0x1122334455667788);
	assert_int_equal(bed.fabric.failure_count, 0);
	assert_false(bed.fabric.interrupted);
	/* Details are sorted by port, attribute and modifier, whatever the order of the answers. */
	assert_int_equal(bed.fabric.detail_count, 24);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_int_equal(bed.fabric.details[i].attribute, order[i]);
	for (size_t i = 1; i < bed.fabric.detail_count; i++) {
		const struct fabric_detail *a = &bed.fabric.details[i - 1], *b = a + 1;

		assert_true(a->port <= b->port);
		assert_true(a->port < b->port || a->attribute <= b->attribute);
		assert_true(a->port < b->port || a->attribute < b->attribute ||
			    a->modifier < b->modifier);
		assert_int_equal(a->data[63], 1);
	}
	end(&bed);
}

/* Only the ports of the list that have a link are queried. */
static void lanes_alone(void **state)
{
	bool ports[16] = {false};
	struct bed bed;

	(void)state;
	begin(&bed);
	ports[fabric_port_at(&bed.fabric, LEAF, 2)] = true;
	ports[fabric_port_at(&bed.fabric, LEAF, 3)] = true;
	assert_int_equal(read_lanes(&bed, ports), 0);
	assert_string_equal(bed.asked, "0,1 17 2\n0,1 17 102\n0,1 17 202\n");
	assert_int_equal(bed.fabric.detail_count, 3);
	end(&bed);
}

/* A switch whose route is too long is not asked, and reported once. */
static void too_far(void **state)
{
	const struct fabric_failure *failure;
	bool ports[32] = {false};
	struct bed bed;
	uint32_t far, port;

	(void)state;
	begin(&bed);
	far = sample_node(&bed.fabric, NODE_TYPE_SWITCH, 0x4000, 2, "far");
	sample_node(&bed.fabric, NODE_TYPE_SWITCH, 0x5000, 2, "too far");
	sample_cable(&bed.fabric, LEAF, 3, far, 1);
	sample_cable(&bed.fabric, far, 2, far + 1, 1);
	port = fabric_port_at(&bed.fabric, far + 1, 1);
	ports[port] = true;
	assert_int_equal(read_lanes(&bed, ports), 0);
	assert_string_equal(bed.asked, "0,1,3,2 17 1\n0,1,3,2 17 101\n");
	assert_int_equal(bed.fabric.failure_count, 0);
	free(bed.asked);
	bed.asked = mem_string("");
	bed.path_hops = MAD_HOPS_MOST;
	assert_int_equal(read_lanes(&bed, ports), 0);
	assert_string_equal(bed.asked, "");
	assert_int_equal(bed.fabric.failure_count, 1);
	failure = &bed.fabric.failures[0];
	assert_int_equal(failure->port, port);
	assert_int_equal(failure->attribute, UMAD_SM_ATTR_SLVL_TABLE);
	assert_int_equal(failure->error, -E2BIG);
	end(&bed);
}

/*
 * An adapter answers with the tables of the port at which the request arrives: a port linked to
 * another subnet has no route, and a port with a cable is queried through that.
 */
static void second_port(void **state)
{
	static const char *const last[] = {"0,1,2 17 0\n",
					   "0,1,2 17 0\n0,1,3 17 0\n0,1,3 18 10002\n"};

	(void)state;
	for (unsigned int cabled = 0; cabled < 2; cabled++) {
		struct bed bed;
		uint32_t port;

		begin(&bed);
		bed.fabric.nodes[OTHER].local_port = 1;
		port = fabric_port_at(&bed.fabric, OTHER, 2);
		sample_set_port(&bed.fabric, port, &sample_up);
		if (cabled)
			sample_cable(&bed.fabric, LEAF, 3, OTHER, 2);
		bed.fabric.ports[port].info[40] = 1;
		assert_int_equal(read_details(&bed), 0);
		assert_string_equal(strstr(bed.asked, "0,1,2 "), last[cabled]);
		for (size_t i = 0; !cabled && i < bed.fabric.detail_count; i++)
			assert_int_not_equal(bed.fabric.details[i].port, port);
		end(&bed);
	}
}

/* A block of zeros is not kept. */
static void empty_blocks(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed);
	bed.empty = UMAD_SM_ATTR_SLVL_TABLE;
	assert_int_equal(read_details(&bed), 0);
	assert_int_equal(bed.fabric.detail_count, 13);
	for (size_t i = 0; i < bed.fabric.detail_count; i++)
		assert_int_not_equal(bed.fabric.details[i].attribute, UMAD_SM_ATTR_SLVL_TABLE);
	end(&bed);
}

/* A node that does not answer, or refuses, is queried once for that table, and reported once. */
static void unanswered(void **state)
{
	static const char expected[] = FIRST_TABLES LEAF_KEYS_AND_GUIDS
		"0,1 17 0\n0,1 16 10000\n0,1 18 30001\n0,1 18 40001\n0,1 16 20000\n0,1,2 17 0\n";
	static const uint16_t statuses[] = {0, 0x0c};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		const struct fabric_failure *failure;
		struct bed bed;

		begin(&bed);
		bed.silent.attribute = UMAD_SM_ATTR_SLVL_TABLE;
		bed.silent.hops = 1;
		bed.silent.status = statuses[i];
		assert_int_equal(read_details(&bed), 0);
		assert_string_equal(bed.asked, expected);
		assert_int_equal(bed.fabric.failure_count, 1);
		failure = &bed.fabric.failures[0];
		assert_int_equal(failure->port, fabric_port_at(&bed.fabric, LEAF, 0));
		assert_int_equal(failure->attribute, UMAD_SM_ATTR_SLVL_TABLE);
		assert_int_equal(failure->error, statuses[i] ? 0 : -ETIMEDOUT);
		assert_int_equal(failure->status, statuses[i]);
		assert_int_equal(failure->tries, 1);
		assert_int_equal(bed.fabric.detail_count, 15);
		end(&bed);
	}
}

static void set_port(struct bed *bed, uint32_t node, unsigned int port, uint16_t lid,
		     uint16_t manager, bool is_manager)
{
	struct fabric_port *at = &bed->fabric.ports[fabric_port_at(&bed->fabric, node, port)];

	at->has_info = true;
	bits_set(at->info, 16 * 8, 16, lid);
	bits_set(at->info, 18 * 8, 16, manager);
	/* CapabilityMask: IsSM */
	bits_set(at->info, 20 * 8, 32, is_manager ? 1 << 1 : 0);
}

static void read_managers(struct bed *bed, uint16_t local_lid, struct fabric_managers *managers)
{
	const struct mad_engine_options options = {
		.timeout_msec = 50, .retries_given = true, .window = 1};
	const struct fabric_scan_options scan = {.mkey = 5};
	struct mad_engine *engine = fake_engine(&bed->fake, &options);

	*managers = (struct fabric_managers){.items = NULL};
	assert_int_equal(fabric_managers_read(engine, &scan, &bed->fabric, local_lid, managers), 0);
	mad_engine_free(engine);
}

/* A switch counts only with its port 0; LID 0 is no manager; the lower of two LIDs wins a tie. */
static void manager_of_most_ports(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed);
	assert_int_equal(fabric_manager_lid(&bed.fabric), 0);
	set_port(&bed, LEAF, 1, 0, 9, false);
	set_port(&bed, LEAF, 2, 0, 9, false);
	assert_int_equal(fabric_manager_lid(&bed.fabric), 0);
	set_port(&bed, OTHER, 1, 3, 8, false);
	assert_int_equal(fabric_manager_lid(&bed.fabric), 8);
	set_port(&bed, FIRST, 1, 1, 7, false);
	assert_int_equal(fabric_manager_lid(&bed.fabric), 7);
	set_port(&bed, LEAF, 0, 2, 8, false);
	assert_int_equal(fabric_manager_lid(&bed.fabric), 8);
	assert_false(fabric_is_end_port(&bed.fabric, fabric_port_at(&bed.fabric, LEAF, 1)));
	assert_true(fabric_is_end_port(&bed.fabric, fabric_port_at(&bed.fabric, LEAF, 0)));
	assert_true(fabric_is_end_port(&bed.fabric, fabric_port_at(&bed.fabric, OTHER, 1)));
	assert_false(fabric_is_end_port(&bed.fabric, fabric_port_at(&bed.fabric, OTHER, 2)));
	end(&bed);
}

/* A port that claims to be a manager is queried, and so is the one that the others name. */
static void managers_that_are_asked(void **state)
{
	static const struct {
		bool first, other;
		uint16_t believed, local_lid;
		size_t count;
		const char *asked;
	} rows[] = {
		{false, false, 0, 1, 0, ""},
		{true, false, 0, 1, 1, "0 20 0\n"},
		{false, false, 3, 1, 1, "0,1,2 20 0\n"},
		{false, true, 3, 1, 1, "0,1,2 20 0\n"},
		{true, true, 3, 1, 2, "0 20 0\n0,1,2 20 0\n"},
		{true, false, 3, 1, 2, "0 20 0\n0,1,2 20 0\n"},
		/*
		 * No port in the graph has that LID: it is queried by LID if the local port has
		 * one.
		 */
		{true, false, 99, 1, 2, "0 20 0\nlid 20 0\n"},
		{true, false, 99, 0, 1, "0 20 0\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fabric_managers managers;
		struct bed bed;

		begin(&bed);
		set_port(&bed, FIRST, 1, 1, rows[i].believed, rows[i].first);
		set_port(&bed, LEAF, 0, 2, rows[i].believed, false);
		set_port(&bed, OTHER, 1, 3, 0, rows[i].other);
		read_managers(&bed, rows[i].local_lid, &managers);
		if (strcmp(bed.asked, rows[i].asked) || managers.count != rows[i].count)
			fail_msg("row %zu: %zu, %s", i, managers.count, bed.asked);
		if (managers.count)
			assert_int_equal(bed.key, 5);
		fabric_managers_clear(&managers);
		end(&bed);
	}
}

/* SMInfo bit by bit; a port that does not answer, or refuses, has none. */
static void what_managers_say(void **state)
{
	static const uint16_t statuses[] = {0x1c, 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct fabric_managers managers;
		struct bed bed;

		begin(&bed);
		set_port(&bed, FIRST, 1, 1, 3, true);
		set_port(&bed, OTHER, 1, 3, 3, true);
		bed.silent.attribute = UMAD_SM_ATTR_SM_INFO;
		bed.silent.status = statuses[i];
		read_managers(&bed, 1, &managers);
		assert_int_equal(managers.count, 2);
		assert_int_equal(managers.items[0].lid, 1);
		assert_int_equal(managers.items[0].status, statuses[i]);
		assert_int_equal(managers.items[0].error, statuses[i] ? 0 : -ETIMEDOUT);
		assert_int_equal(managers.items[0].tries, 1);
		assert_int_equal(managers.items[0].guid, 0);
		assert_int_equal(managers.items[1].port, fabric_port_at(&bed.fabric, OTHER, 1));
		assert_int_equal(managers.items[1].lid, 3);
		assert_int_equal(managers.items[1].guid, 0x5002);
		assert_int_equal(managers.items[1].activity, 77);
		assert_int_equal(managers.items[1].priority, 14);
		assert_int_equal(managers.items[1].state, 3);
		assert_int_equal(managers.items[1].error, 0);
		fabric_managers_clear(&managers);
		end(&bed);
	}
}

/* The second port of an adapter is reached by its own cable; without one, by LID. */
static void manager_at_a_second_port(void **state)
{
	static const char *const asked[] = {"lid 20 0\n", "0,1,3 20 0\n"};

	(void)state;
	for (unsigned int cabled = 0; cabled < 2; cabled++) {
		struct fabric_managers managers;
		struct bed bed;

		begin(&bed);
		bed.fabric.nodes[OTHER].local_port = 1;
		if (cabled)
			sample_cable(&bed.fabric, LEAF, 3, OTHER, 2);
		set_port(&bed, OTHER, 2, 4, 0, true);
		read_managers(&bed, 1, &managers);
		assert_string_equal(bed.asked, asked[cabled]);
		assert_int_equal(managers.items[0].guid, cabled ? 0x5003 : 0x5004);
		fabric_managers_clear(&managers);
		end(&bed);
	}
}

/* The planes of a multi-plane adapter claim the same manager, which is no second one. */
static void manager_of_planes(void **state)
{
	struct fabric_managers managers;
	struct bed bed;

	(void)state;
	begin(&bed);
	sample_cable(&bed.fabric, LEAF, 3, OTHER, 2);
	for (unsigned int i = 1; i <= 2; i++) {
		set_port(&bed, OTHER, i, 3, 3, true);
		bed.fabric.ports[fabric_port_at(&bed.fabric, OTHER, i)].guid = 0x301;
	}
	read_managers(&bed, 1, &managers);
	assert_string_equal(bed.asked, "0,1,2 20 0\n");
	assert_int_equal(managers.count, 1);
	fabric_managers_clear(&managers);
	end(&bed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block),
		cmocka_unit_test(lanes_alone),
		cmocka_unit_test(too_far),
		cmocka_unit_test(second_port),
		cmocka_unit_test(empty_blocks),
		cmocka_unit_test(unanswered),
		cmocka_unit_test(manager_of_most_ports),
		cmocka_unit_test(managers_that_are_asked),
		cmocka_unit_test(what_managers_say),
		cmocka_unit_test(manager_at_a_second_port),
		cmocka_unit_test(manager_of_planes),
	};

	return cmocka_run_group_tests_name("scan_details", tests, NULL, NULL);
}
