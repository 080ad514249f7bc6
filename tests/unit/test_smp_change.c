/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A changed attribute of subnet management on a simulated node: the bytes and the modifier of the
 * Set, what the node kept, requests that fail, and the fields that cannot be set.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fake_transport.h"
#include "mad/format/header.h"
#include "mad/smp_change.h"
#include "schema/bits.h"

enum { NODE_LID = 9, STATE = 32, PHYSICAL = 33, SPEED_EXT = 62 };

struct bed {
	struct fake fake;
	struct mad_session session;
	struct problems problems;
	struct mad_destination destination;
	struct smp_change change;
	char name[2];
	unsigned char data[64];	  /* the node's attribute */
	unsigned char answer[64]; /* to a Set that the node does not follow */
	unsigned char written[64];
	bool lies, dead;
	uint16_t refused; /* status of a Set */
	uint32_t modifier;
	uint64_t key;
	unsigned int gets, sets;
};

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const bool set = mad_method(mad) == UMAD_METHOD_SET;
	unsigned char reply[MAD_BYTES];

	(void)agent;
	assert_int_equal(to->lid, NODE_LID);
	bed->sets += set;
	bed->gets += !set;
	bed->modifier = mad_modifier(mad);
	bed->key = bits_get(mad, 24 * 8, 64);
	if (bed->dead)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	if (set)
		memcpy(bed->written, mad + 64, 64);
	memcpy(reply + 64, !set ? bed->data : bed->lies ? bed->answer : mad + 64, 64);
	if (set)
		bits_set(reply, 4 * 8, 16, bed->refused);
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static struct bed *begin(const char *attribute, const char *text, uint32_t port)
{
	const struct mad_engine_options options = {.timeout_msec = 50, .retries_given = true};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	const struct smp_value *wrong;

	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->name[0] = '9';
	bed->destination = (struct mad_destination){
		.name = bed->name,
		.place = {.target = {.kind = TARGET_LID, .lid = NODE_LID},
			  .address = {.lid = NODE_LID}},
	};
	bed->session = (struct mad_session){.problems = &bed->problems,
					    .key = 0x1234,
					    .destinations = &bed->destination,
					    .destination_count = 1,
					    .engine = fake_engine(&bed->fake, &options)};
	bed->change = (struct smp_change){
		.session = &bed->session,
		.attribute = mad_attribute_find_word(sm_attributes, attribute),
		.port = port,
	};
	assert_int_equal(smp_change_parse(&bed->change, text), 0);
	assert_int_equal(smp_change_find(&bed->change, &wrong), 0);
	return bed;
}

static bool write_change(struct bed *bed)
{
	const struct smp_value *wrong;

	assert_true(smp_change_read(&bed->change));
	assert_int_equal(bed->modifier, bed->change.port);
	assert_int_equal(smp_change_put(&bed->change, &wrong), 0);
	return smp_change_write(&bed->change);
}

static void end(struct bed *bed)
{
	smp_change_clear(&bed->change);
	problems_free(&bed->problems);
	mad_engine_free(bed->session.engine);
	free(bed);
}

/*
 * The states of a port are written as 0, no change, unless they are what is set (14.2.5.6); a port
 * with extended speeds needs bit 31 of the modifier. Other attributes have no states.
 */
static void what_is_written(void **state)
{
	static const struct {
		const char *attribute, *text;
		uint8_t speeds;
		uint32_t modifier;
		unsigned int state, physical;
	} rows[] = {
		{"portinfo", "lmc=1", 0, 3, 0x70, 0x02},
		{"portinfo", "lmc=1", 7, 0x80000003, 0x70, 0x02},
		{"portinfo", "state=down", 0, 3, 0x71, 0x02},
		{"portinfo", "physical_state=polling", 0, 3, 0x70, 0x22},
		{"portinfo", "state=active,physical_state=disabled", 0, 3, 0x74, 0x32},
		{"switchinfo", "linear_fdb_top=5", 7, 3, 0x74, 0x52},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(rows[i].attribute, rows[i].text, 3);

		bed->data[STATE] = 0x74;
		bed->data[PHYSICAL] = 0x52;
		bed->data[SPEED_EXT] = rows[i].speeds;
		assert_true(write_change(bed));
		assert_int_equal(bed->modifier, rows[i].modifier);
		assert_true(bed->key == 0x1234);
		assert_int_equal(bed->gets, 1);
		assert_int_equal(bed->sets, 1);
		if (!strcmp(rows[i].attribute, "portinfo")) {
			assert_int_equal(bed->written[STATE], rows[i].state);
			assert_int_equal(bed->written[PHYSICAL], rows[i].physical);
		}
		assert_int_equal(bed->problems.count, 0);
		end(bed);
	}
}

/*
 * Written back as read, these fields would have an effect: clients register again, and a change of
 * a port's state that the subnet manager has not noticed yet is forgotten.
 */
static void what_does_not_act(void **state)
{
	enum { REREGISTER = 51, STATE_CHANGE = 11 };
	static const struct {
		const char *attribute, *text;
		size_t at;
		unsigned int before, written;
	} rows[] = {
		{"portinfo", "lmc=1", REREGISTER, 0x92, 0x12},
		{"portinfo", "client_reregister=yes", REREGISTER, 0x12, 0x92},
		{"switchinfo", "linear_fdb_top=5", STATE_CHANGE, 0x96, 0x92},
		{"switchinfo", "port_state_change=yes", STATE_CHANGE, 0x96, 0x96},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin(rows[i].attribute, rows[i].text, 0);

		bed->data[rows[i].at] = (unsigned char)rows[i].before;
		assert_true(write_change(bed));
		assert_int_equal(bed->written[rows[i].at], rows[i].written);
		end(bed);
	}
}

/*
 * A node may have fields after the known ones, such as the error correction of a newer speed. They
 * are written as they were read.
 */
static void rest_is_written_back(void **state)
{
	static const char *const changes[][2] = {
		{"portinfoext", "fec_edr_enabled=rs"},
		{"mepi", "speed_enabled=fdr10"},
		{"switchinfo", "linear_fdb_top=5"},
		{"ledinfo", "led_on=yes"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct bed *bed = begin(changes[i][0], changes[i][1], 3);
		const size_t known = bed->change.attribute->bytes;

		assert_in_range(known, 1, sizeof(bed->data));
		for (size_t at = 0; at < sizeof(bed->data); at++)
			bed->data[at] = (unsigned char)(at + 1);
		assert_true(write_change(bed));
		assert_memory_equal(bed->written + known, bed->data + known,
				    sizeof(bed->data) - known);
		assert_memory_not_equal(bed->written, bed->data, known);
		end(bed);
	}
}

/* A field counts as kept if the answer still has the old value, and another was requested. */
static void what_is_kept(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		unsigned int before, after;
		const char *error;
	} rows[] = {
		{"lmc=3", 34, 1, 1, "the node left lmc unchanged: 1"},
		{"lmc=3", 34, 1, 3, NULL},
		{"lmc=3", 34, 1, 2, NULL}, /* neither value: the node knows better */
		{"lmc=1", 34, 1, 1, NULL},
		{"state=down", STATE, 4, 4, NULL},
		{"physical_state=polling", PHYSICAL, 0x50, 0x50, NULL},
		{"width_enabled=1x,4x", 29, 2, 2, "the node left width_enabled unchanged: 4x"},
		{"width_enabled=4x", 29, 3, 3, "the node left width_enabled unchanged: 1x,4x"},
		{"client_reregister=yes", 51, 0, 0,
		 "the node left client_reregister unchanged: no"},
		{"mkey=0x77", 7, 5, 5, "the node left mkey unchanged: ***"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed *bed = begin("portinfo", rows[i].text, 3);

		bed->lies = true;
		bed->data[rows[i].at] = (unsigned char)rows[i].before;
		bed->answer[rows[i].at] = (unsigned char)rows[i].after;
		assert_true(write_change(bed));
		if (bed->problems.count != (rows[i].error != NULL))
			fail_msg("row %zu: %zu problems", i, bed->problems.count);
		if (rows[i].error) {
			assert_string_equal(bed->problems.items[0].error, rows[i].error);
			assert_string_equal(bed->problems.items[0].object, "9");
		}
		end(bed);
	}
}

static char *describe(struct bed *bed)
{
	struct mad_session *session = bed->change.session;

	return mad_session_describe(session, session->destinations, session->key);
}

/* A node that does not answer, at first or to the Set, and one that refuses. */
static void failures(void **state)
{
	struct bed *bed = begin("portinfo", "lmc=1", 3);
	const struct smp_value *wrong;

	(void)state;
	bed->dead = true;
	assert_false(smp_change_read(&bed->change));
	assert_int_equal(bed->problems.count, 1);
	assert_null(describe(bed));
	/* The problem names the attribute that was not reported, not the one to be changed. */
	assert_string_equal(bed->problems.items[1].attribute, "NodeDescription");
	assert_true(smp_change_cuts_path(&bed->change) == false && bed->problems.count == 3);
	assert_string_equal(bed->problems.items[2].attribute, "NodeInfo");
	bed->dead = false;
	assert_true(smp_change_read(&bed->change));
	assert_int_equal(smp_change_put(&bed->change, &wrong), 0);
	bed->dead = true;
	assert_false(smp_change_write(&bed->change));
	assert_string_equal(bed->problems.items[3].error,
			    "it is unknown whether the change took effect: no answer, asked once");
	bed->dead = false;
	bed->refused = 0x1c;
	assert_false(smp_change_write(&bed->change));
	assert_string_equal(bed->problems.items[4].error,
			    "not changed: the node refused it with status 0x001c: invalid-value");
	end(bed);
}

/* A node description of the maximum length. */
static void names(void **state)
{
	static const char text[] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	static const size_t lengths[] = {0, 1, 64};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct bed *bed = begin("portinfo", "lmc=1", 3);
		_cleanup_(freep) char *name = NULL;

		memcpy(bed->data, text, lengths[i]);
		name = describe(bed);
		assert_int_equal(strlen(name), lengths[i]);
		assert_memory_equal(name, text, lengths[i]);
		assert_int_equal(bed->modifier, 0);
		end(bed);
	}
}

/* How a value is shown before and after: each kind of field. */
static void texts(void **state)
{
	static const struct {
		const char *key;
		size_t at;
		unsigned int byte;
		const char *text;
	} rows[] = {
		{"lmc", 34, 5, "5"},
		{"width_enabled", 29, 3, "1x,4x"},
		{"width_enabled", 29, 0, ""},
		{"client_reregister", 51, 0x80, "yes"},
		{"client_reregister", 51, 0, "no"},
		{"state", STATE, 4, "active"},
		{"response_time_usec", 52, 0, "4.096"},
		{"subnet_timeout_usec", 51, 18, "1073741.824"},
		{"width_lanes", 31, 0, "-"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mad_attribute *attribute = mad_attribute_find_word(sm_attributes,
										"portinfo");
		struct mad_record record = {.object = NULL};
		_cleanup_(freep) char *text = NULL;

		record.data[rows[i].at] = (unsigned char)rows[i].byte;
		text = field_text_or_dash(schema_find(attribute->schema, rows[i].key), &record);
		assert_string_equal(text, rows[i].text);
	}
}

/* A time as it is shown can be read back, without an exponent. */
static void times_are_read_back(void **state)
{
	const struct field *field = schema_find(
		mad_attribute_find_word(sm_attributes, "portinfo")->schema, "subnet_timeout_usec");

	(void)state;
	for (unsigned int code = 0; code < 32; code++) {
		struct mad_record record = {.object = NULL}, read = {.object = NULL};
		_cleanup_(freep) char *text = NULL;

		record.data[51] = (unsigned char)code;
		text = field_text_or_dash(field, &record);
		assert_null(strchr(text, 'e'));
		assert_int_equal(packed_parse(field, &read, text), 0);
		assert_int_equal(read.data[51], code);
	}
}

/* RO in the tables of 14.2.5.3, 14.2.5.4 and 14.2.5.6, in the order of the fields. */
static void fields_that_only_the_node_sets(void **state)
{
	static const struct {
		const char *attribute, *keys;
	} rows[] = {
		{"nodeinfo",
		 " node_type port_count node_guid port_guid system_image_guid local_port vendor_id"
		 " device_id revision pkey_table_length base_version class_version"},
		{"switchinfo",
		 " linear_fdb_cap random_fdb_cap multicast_fdb_cap lids_per_port"
		 " partition_enforcement_cap partition_enforcement_in partition_enforcement_out"
		 " filter_raw_in filter_raw_out enhanced_port0"},
		{"portinfo",
		 " width_lanes mtu_cap_bytes cap_mask capabilities cap_mask2 capabilities2"
		 " diag_code local_port width_supported speed_supported speed_active"
		 " speed_ext_supported speed_ext_active speed_ext2_supported speed_ext2_active"
		 " max_credit_hint vls_supported vl_arbitration_high_cap vl_arbitration_low_cap"
		 " init_type response_time_usec guid_table_length"},
	};

	(void)state;
	for_each_in (row, rows, ARRAY_SIZE(rows)) {
		const struct schema *schema =
			mad_attribute_find_word(sm_attributes, row->attribute)->schema;
		_cleanup_(freep) char *keys = NULL;

		for_each_in (field, schema->fields, schema->field_count)
			if (field->flags & FIELD_FIXED)
				mem_extend(&keys, " %s", field->key);
		assert_string_equal(keys, row->keys);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written),
		cmocka_unit_test(what_does_not_act),
		cmocka_unit_test(rest_is_written_back),
		cmocka_unit_test(what_is_kept),
		cmocka_unit_test(failures),
		cmocka_unit_test(names),
		cmocka_unit_test(texts),
		cmocka_unit_test(times_are_read_back),
		cmocka_unit_test(fields_that_only_the_node_sets),
	};

	return cmocka_run_group_tests_name("smp_change", tests, NULL, NULL);
}
