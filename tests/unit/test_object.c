/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DEV and DEV/PORT on the command line; lists of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/object.h"

#define WORDS(...) ((char *const[]){__VA_ARGS__, NULL})

static void check_good(char *const *words, bool ports, size_t count, const struct object *expected)
{
	_cleanup_(objects_free) struct objects objects = {0};
	char *message = NULL;

	assert_int_equal(objects_parse(&objects, words, ports, &message), 0);
	assert_null(message);
	assert_int_equal(objects.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(objects.items[i].device, expected[i].device);
		assert_int_equal(objects.items[i].port, expected[i].port);
	}
}

#define OBJECTS(...) ((const struct object[]){__VA_ARGS__})
#define DEV(name)    ((char[]){name})

static void good_words(void **state)
{
	char longest[253];

	(void)state;
	memset(longest, 'x', 252);
	longest[252] = '\0';
	check_good((char *const[]){NULL}, true, 0, NULL);
	check_good(WORDS(DEV("mlx5_0")), true, 1, OBJECTS({DEV("mlx5_0"), -1}));
	check_good(WORDS(DEV("mlx5_0/1")), true, 1, OBJECTS({DEV("mlx5_0"), 1}));
	check_good(WORDS(DEV("a"), DEV("b/65535"), DEV("a/01")), true, 3,
		   OBJECTS({DEV("a"), -1}, {DEV("b"), 65535}, {DEV("a"), 1}));
	check_good(WORDS(DEV("mlx5_0")), false, 1, OBJECTS({DEV("mlx5_0"), -1}));
	check_good(WORDS(longest), true, 1, OBJECTS({longest, -1}));
}

static void check_bad(char *const *words, bool ports, const char *expected)
{
	struct objects objects = {0};
	_cleanup_(freep) char *message = NULL;

	assert_int_equal(objects_parse(&objects, words, ports, &message), -EINVAL);
	assert_string_equal(message, expected);
	assert_int_equal(objects.count, 0);
	assert_null(objects.items);
}

static void bad_words(void **state)
{
	static const char *const words[] = {
		"",	     "/",	   "/1",	 "mlx5_0/",
		"mlx5_0/x",  "mlx5_0/1/2", "mlx5_0/-1",	 "mlx5_0/65536",
		"mlx5_0/1 ", "mlx5_0/ 1",  "mlx5_0/0x1", "mlx5_0/99999999999999999999",
		".",	     "..",	   "../mlx5_0",	 ".hidden",
		"mlx5_0//1", "mlx5_0/+1",
	};
	char too_long[254];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_(freep) char *word = mem_string(words[i]);
		_cleanup_(freep) char *message = mem_format("'%s' is not DEV or DEV/PORT", word);

		check_bad(WORDS(word), true, message);
	}
	memset(too_long, 'x', 253);
	too_long[253] = '\0';
	{
		_cleanup_(freep) char *message = mem_format("'%s' is not DEV or DEV/PORT",
							    too_long);

		check_bad(WORDS(too_long), true, message);
	}
	check_bad(WORDS(DEV("mlx5_0/1")), false, "'mlx5_0/1' is not a device name");
	/* The first invalid word is reported, with terminal control characters escaped. */
	check_bad(WORDS(DEV("good"), DEV("\033[31m/x"), DEV("/")), true,
		  "'\\x1b[31m/x' is not DEV or DEV/PORT");
}

static void add_device(struct device_list *list, const char *name, unsigned int ports)
{
	struct device *device = device_list_add(list, name);

	for (unsigned int i = 1; i <= ports; i++)
		device_add_port(device, i)->netdev = mem_format("eth%u", i);
}

struct bed {
	struct device_list devices;
	struct objects objects;
	struct problems problems;
};

static int setup(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	add_device(&bed->devices, "mlx5_0", 2);
	add_device(&bed->devices, "mlx5_1", 1);
	add_device(&bed->devices, "evil\n", 1);
	add_device(&bed->devices, "efa_0", 0);
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	device_list_clear(&bed->devices);
	objects_free(&bed->objects);
	problems_free(&bed->problems);
	free(bed);
	return 0;
}

static bool filter(struct bed *bed, char *const *words)
{
	char *message = NULL;

	assert_int_equal(objects_parse(&bed->objects, words, true, &message), 0);
	objects_filter_devices(&bed->objects, &bed->devices, NULL, &bed->problems);
	return objects_filter_ports(&bed->objects, &bed->devices, &bed->problems);
}

static void filter_nothing(void **state)
{
	struct bed *bed = *state;

	assert_true(filter(bed, (char *const[]){NULL}));
	assert_int_equal(bed->devices.count, 4);
	assert_int_equal(bed->problems.count, 0);
}

static void filter_devices(void **state)
{
	struct bed *bed = *state;

	assert_true(filter(bed, WORDS(DEV("mlx5_1"), DEV("mlx5_0"))));
	assert_int_equal(bed->devices.count, 2);
	/* In the order of the list, not of the words. */
	assert_string_equal(bed->devices.items[0].name, "mlx5_0");
	assert_int_equal(bed->devices.items[0].port_count, 2);
	assert_string_equal(bed->devices.items[1].name, "mlx5_1");
	assert_int_equal(bed->problems.count, 0);
}

static void filter_ports(void **state)
{
	struct bed *bed = *state;

	assert_true(filter(bed, WORDS(DEV("mlx5_0/2"), DEV("mlx5_1"))));
	assert_int_equal(bed->devices.count, 2);
	assert_int_equal(bed->devices.items[0].port_count, 1);
	assert_int_equal(bed->devices.items[0].ports[0].port.value, 2);
	assert_string_equal(bed->devices.items[0].ports[0].netdev, "eth2");
	assert_int_equal(bed->devices.items[1].port_count, 1);
	assert_int_equal(bed->problems.count, 0);
}

static void filter_port_and_device(void **state)
{
	struct bed *bed = *state;

	assert_true(filter(bed, WORDS(DEV("mlx5_0/2"), DEV("mlx5_0"), DEV("mlx5_0/1"))));
	assert_int_equal(bed->devices.count, 1);
	assert_int_equal(bed->devices.items[0].port_count, 2);
}

/* The name as shown, and the name as the kernel has it. */
static void filter_hostile_names(void **state)
{
	struct bed *bed = *state;

	assert_true(filter(bed, WORDS(DEV("evil\\x0a"))));
	assert_int_equal(bed->devices.count, 1);
	objects_free(&bed->objects);
	assert_true(filter(bed, WORDS(DEV("evil\n/1"))));
	assert_int_equal(bed->devices.count, 1);
	assert_int_equal(bed->devices.items[0].port_count, 1);
	assert_int_equal(bed->problems.count, 0);
}

/* The longest name the kernel allows, as shown. */
static void filter_long_name(void **state)
{
	_cleanup_(freep) char *shown = NULL;
	struct bed *bed = *state;
	char name[64];

	memset(name, '\n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	add_device(&bed->devices, name, 1);
	shown = mem_string(bed->devices.items[bed->devices.count - 1].name);
	assert_true(filter(bed, WORDS(shown)));
	assert_int_equal(bed->devices.count, 1);
	assert_int_equal(bed->problems.count, 0);
}

static void filter_missing(void **state)
{
	struct bed *bed = *state;
	const struct problem *problems;

	assert_int_equal(filter(bed, WORDS(DEV("mlx5_9"), DEV("nothing\033"), DEV("mlx5_0/3"),
					   DEV("mlx5_1/2"), DEV("efa_0/1"), DEV("mlx5_1"))),
			 1);
	problems = bed->problems.items;
	assert_int_equal(bed->problems.count, 5);
	assert_string_equal(problems[0].object, "mlx5_9");
	assert_string_equal(problems[0].error, "no such RDMA device");
	assert_string_equal(problems[0].hint, "there are mlx5_0, mlx5_1, evil\\x0a, efa_0");
	assert_string_equal(problems[1].object, "nothing\\x1b");
	assert_string_equal(problems[1].hint, "there are mlx5_0, mlx5_1, evil\\x0a, efa_0");
	assert_string_equal(problems[2].object, "mlx5_0/3");
	assert_string_equal(problems[2].error, "no such port");
	assert_string_equal(problems[2].hint, "mlx5_0 has ports 1 to 2");
	assert_string_equal(problems[3].object, "mlx5_1/2");
	assert_string_equal(problems[3].hint, "mlx5_1 has one port: 1");
	assert_string_equal(problems[4].object, "efa_0/1");
	assert_null(problems[4].hint);
	/* The objects that exist are found. */
	for (size_t i = 0; i < bed->devices.count; i++)
		assert_int_equal(bed->devices.items[i].port_count,
				 !strcmp(bed->devices.items[i].name, "mlx5_1"));
}

/* An excluded object is omitted by either name, even if it is also requested; it need not exist. */
static void filter_excluded(void **state)
{
	struct bed *bed = *state;

	strings_add(&bed->objects.excluded, "mlx5_1");
	strings_add(&bed->objects.excluded, "evil\n");
	strings_add(&bed->objects.excluded, "mlx5_9");
	assert_true(filter(bed, (char *const[]){NULL}));
	assert_int_equal(bed->devices.count, 2);
	assert_string_equal(bed->devices.items[0].name, "mlx5_0");
	assert_int_equal(bed->devices.items[0].port_count, 2);
	assert_string_equal(bed->devices.items[1].name, "efa_0");
	assert_int_equal(bed->problems.count, 0);
	strings_add(&bed->objects.excluded, "efa_0");
	assert_true(filter(bed, WORDS(DEV("mlx5_0/2"), DEV("efa_0"))));
	assert_int_equal(bed->devices.count, 1);
	assert_int_equal(bed->devices.items[0].port_count, 1);
	assert_int_equal(bed->problems.count, 0);
}

static void filter_excluded_as_shown(void **state)
{
	struct bed *bed = *state;

	strings_add(&bed->objects.excluded, "evil\\x0a");
	assert_true(filter(bed, (char *const[]){NULL}));
	assert_int_equal(bed->devices.count, 3);
	assert_null(device_list_find(&bed->devices, "evil\\x0a"));
}

/* A missing object is reported once, however often it is named. */
static void filter_repeated(void **state)
{
	struct bed *bed = *state;

	assert_true(
		filter(bed, WORDS(DEV("mlx5_9"), DEV("mlx5_9"), DEV("mlx5_9/1"), DEV("mlx5_0/3"),
				  DEV("mlx5_0/3"), DEV("mlx5_0/4"), DEV("mlx5_1"))));
	assert_int_equal(bed->problems.count, 3);
	assert_string_equal(bed->problems.items[0].object, "mlx5_9");
	assert_string_equal(bed->problems.items[1].object, "mlx5_0/3");
	assert_string_equal(bed->problems.items[2].object, "mlx5_0/4");
}

/* A device whose ports cannot be listed may have the requested one. */
static void filter_ports_unknown(void **state)
{
	struct bed *bed = *state;

	device_list_find(&bed->devices, "efa_0")->ports_unknown = true;
	assert_true(filter(bed, WORDS(DEV("efa_0/1"))));
	assert_int_equal(bed->devices.count, 1);
	assert_int_equal(bed->problems.count, 0);
}

/* A device exists even without ports; a port that is not listed does not. */
static void filter_without_ports(void **state)
{
	struct bed *bed = *state;

	assert_true(filter(bed, WORDS(DEV("efa_0"))));
	assert_int_equal(bed->devices.count, 1);
	assert_int_equal(bed->problems.count, 0);
	objects_free(&bed->objects);
	assert_false(filter(bed, WORDS(DEV("efa_0/1"))));
	assert_int_equal(bed->problems.count, 1);
}

static void filter_all_missing(void **state)
{
	struct bed *bed = *state;

	assert_false(filter(bed, WORDS(DEV("nothing"))));
	assert_int_equal(bed->devices.count, 0);
	assert_int_equal(bed->problems.count, 1);
}

static void sorted(void **state)
{
	static const char *const names[] = {"mlx5_10", "rxe0", "mlx5_2", "efa_0", "mlx5_1"};
	static const char *const expected[] = {"efa_0", "mlx5_1", "mlx5_2", "mlx5_10", "rxe0"};
	struct device_list list = {0};

	(void)state;
	device_list_sort(&list);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		device_list_add(&list, names[i]);
	device_add_port(&list.items[0], 10);
	device_add_port(&list.items[0], 2);
	device_list_sort(&list);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(list.items[i].name, expected[i]);
	assert_int_equal(list.items[3].ports[0].port.value, 2);
	assert_int_equal(list.items[3].ports[1].port.value, 10);
	/* Ports still refer to their device after the device has moved in memory. */
	assert_ptr_equal(list.items[3].ports[0].device, list.items[3].name);
	assert_non_null(device_list_find(&list, "rxe0"));
	assert_null(device_list_find(&list, "rxe"));
	assert_null(device_port(&list.items[3], 1));
	device_list_clear(&list);
}

static void check_transport(const char *protocol, enum node_type type, const char *driver,
			    enum link_layer layer, enum transport expected)
{
	struct device_list list = {0};
	struct device *device = device_list_add(&list, "x");

	device->protocol = protocol ? mem_string(protocol) : NULL;
	device->driver = driver ? mem_string(driver) : NULL;
	if (type)
		device->node_type = number_of(type);
	device_add_port(device, 1)->link_layer = number_of(layer);
	device_derive_transport(device);
	assert_int_equal(device->transport.known, expected != 0);
	assert_int_equal(device->transport.value, expected);
	device_list_clear(&list);
}

static void transports(void **state)
{
	(void)state;
	check_transport(NULL, NODE_TYPE_CA, NULL, LINK_LAYER_INFINIBAND, TRANSPORT_INFINIBAND);
	check_transport(NULL, NODE_TYPE_CA, NULL, LINK_LAYER_ETHERNET, TRANSPORT_ROCE);
	check_transport(NULL, NODE_TYPE_CA, "hfi1", LINK_LAYER_INFINIBAND, TRANSPORT_OPA);
	check_transport(NULL, NODE_TYPE_SWITCH, NULL, LINK_LAYER_INFINIBAND, TRANSPORT_INFINIBAND);
	check_transport(NULL, NODE_TYPE_RNIC, NULL, LINK_LAYER_ETHERNET, TRANSPORT_IWARP);
	check_transport(NULL, NODE_TYPE_USNIC, NULL, LINK_LAYER_ETHERNET, TRANSPORT_USNIC);
	check_transport(NULL, NODE_TYPE_USNIC_UDP, NULL, LINK_LAYER_ETHERNET, TRANSPORT_USNIC);
	check_transport(NULL, NODE_TYPE_UNSPECIFIED, NULL, LINK_LAYER_UNSPECIFIED,
			TRANSPORT_UNSPECIFIED);
	/* netlink's protocol word takes precedence, unless it is unknown. */
	check_transport("roce", NODE_TYPE_CA, NULL, LINK_LAYER_INFINIBAND, TRANSPORT_ROCE);
	check_transport("iw", 0, NULL, LINK_LAYER_ETHERNET, TRANSPORT_IWARP);
	check_transport("opa", NODE_TYPE_CA, NULL, LINK_LAYER_INFINIBAND, TRANSPORT_OPA);
	check_transport("ib", NODE_TYPE_CA, NULL, LINK_LAYER_INFINIBAND, TRANSPORT_INFINIBAND);
	check_transport("new", NODE_TYPE_CA, NULL, LINK_LAYER_ETHERNET, TRANSPORT_ROCE);
	check_transport("new", 0, NULL, LINK_LAYER_ETHERNET, (enum transport)0);
}

static void check_summary(const uint64_t *states, size_t count, const char *expected,
			  enum tone tone)
{
	const struct field *field = schema_find(&device_schema, "state");
	struct device_list list = {0};
	struct device *device = device_list_add(&list, "x");
	struct value value;

	for (size_t i = 0; i < count; i++)
		device_add_port(device, (unsigned int)i + 1)->state = number_of(states[i]);
	field_get(field, device, &value);
	if (expected) {
		assert_int_equal(value.kind, VALUE_STRING);
		assert_string_equal(value.string, expected);
		assert_int_equal(value.tone, tone);
	} else {
		assert_int_equal(value.kind, VALUE_NONE);
	}
	device_list_clear(&list);
}

#define SUMMARY(expected, tone, ...)                   \
	check_summary((const uint64_t[]){__VA_ARGS__}, \
		      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), expected, tone)

static void state_summary(void **state)
{
	(void)state;
	check_summary(NULL, 0, NULL, TONE_PLAIN);
	SUMMARY("active", TONE_GOOD, 4);
	SUMMARY("down", TONE_BAD, 1);
	SUMMARY("active", TONE_GOOD, 4, 4, 4);
	SUMMARY("1 down, 2 active", TONE_BAD, 4, 1, 4);
	SUMMARY("1 init, 1 active", TONE_WARNING, 4, 2);
	SUMMARY("1 nop, 1 down, 1 init, 1 armed, 1 active, 1 active-defer", TONE_BAD, 0, 1, 2, 3, 4,
		5);
	SUMMARY("unknown-7", TONE_PLAIN, 7, 7);
	SUMMARY("1 down, 1 active, 2 unknown-7, 1 unknown-9", TONE_BAD, 7, 4, 9, 1, 7);
	SUMMARY("1 active, 1 unknown-18446744073709551615", TONE_GOOD, UINT64_MAX, 4);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_words),
		cmocka_unit_test(bad_words),
		TEST(filter_nothing),
		TEST(filter_devices),
		TEST(filter_ports),
		TEST(filter_port_and_device),
		TEST(filter_hostile_names),
		TEST(filter_long_name),
		TEST(filter_missing),
		TEST(filter_excluded),
		TEST(filter_excluded_as_shown),
		TEST(filter_repeated),
		TEST(filter_ports_unknown),
		TEST(filter_without_ports),
		TEST(filter_all_missing),
		cmocka_unit_test(sorted),
		cmocka_unit_test(transports),
		cmocka_unit_test(state_summary),
	};

	return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
