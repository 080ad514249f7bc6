/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cables by their weakest received power, changes of modules, and modules of a file. */
#include <errno.h>

#include "fabric/scan/cable_info.h"
#include "made_up_fabric.h"
#include "plug/plug.h"

/* Milliwatts of the lanes of one end; 0: not measured. */
struct light {
	double here[2], there[2];
	uint32_t place;
};

static void shine(struct plug *plug, const double milliwatts[static 2])
{
	plug->lane_count = 2;
	for (size_t i = 0; i < 2; i++)
		plug->lanes[i].rx_power_mw = (struct real){.value = milliwatts[i],
							   .known = milliwatts[i] > 0};
}

static struct fabric_cable_row row_of(const struct light *light)
{
	struct fabric_cable_row row = {.at.place = light->place};

	shine(&row.plug, light->here);
	shine(&row.peer_plug, light->there);
	return row;
}

/* The table is in the order of the rows; a row only equals itself. */
static void weakest_first(void **state)
{
	static const struct light lights[] = {
		{{0.9, 0.1}, {0.5, 0.5}, 7}, {{0.9, 0.2}, {0.5, 0.5}, 2},
		{{0.9, 0.9}, {0.3, 0.4}, 9}, {{0, 0.4}, {0, 0}, 3},
		{{0, 0}, {0.4, 0}, 4},	     {{0.5, 0.5}, {0.4, 0.4}, 8},
		{{0, 0}, {0, 0}, 1},	     {{0, 0}, {0, 0}, 5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lights); i++)
		for (size_t j = 0; j < ARRAY_SIZE(lights); j++) {
			struct fabric_cable_row one = row_of(&lights[i]),
						other = row_of(&lights[j]);
			int order = fabric_cable_row_compare(&one, &other);

			if ((order < 0) != (i < j) || (order > 0) != (i > j))
				fail_msg("%zu and %zu: %d", i, j, order);
		}
}

static char vendor[] = "Acme", other_vendor[] = "Other", part[] = "P1", other_part[] = "P2",
	    serial[] = "S1", other_serial[] = "S2";

static void check_changes(const struct plug *before, const struct plug *after, const char *prefix,
			  const char *expected)
{
	char *text = NULL;

	fabric_plug_add_changes(before, after, prefix, &text);
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

static void texts_that_changed(void **state)
{
	const struct plug none = {.vendor = NULL};
	const struct plug one = {.vendor = vendor, .part = part, .serial = serial};
	const struct plug other = {
		.vendor = other_vendor, .part = other_part, .serial = other_serial};
	const struct plug same_but_part = {.vendor = vendor, .part = other_part, .serial = serial};

	(void)state;
	check_changes(&none, &none, "", NULL);
	check_changes(&one, &one, "", NULL);
	check_changes(&one, &other, "", "vendor Acme -> Other, part P1 -> P2, serial S1 -> S2");
	check_changes(&one, &same_but_part, "peer ", "peer part P1 -> P2");
	check_changes(&none, &one, "",
		      "vendor unknown -> Acme, part unknown -> P1, serial unknown -> S1");
	check_changes(&one, &none, "peer ",
		      "peer vendor Acme -> unknown, peer part P1 -> unknown, "
		      "peer serial S1 -> unknown");
}

/* Changes of one decibel or more, in either direction; 0.5 mW is 3.0103 dB below one milliwatt. */
static void light_that_changed(void **state)
{
	static const struct {
		double before, after;
		const char *text;
	} rows[] = {
		{1, 1, NULL},
		{1, 10, "receive power +10.0 dB"},
		{10, 1, "receive power -10.0 dB"},
		{1, 0.5, "receive power -3.0 dB"},
		{1, 0.8, NULL},
		{1, 1.25, NULL},
		{1, 0.79, "receive power -1.0 dB"},
		{1, 1.26, "receive power +1.0 dB"},
		{0, 1, NULL},
		{1, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const double then[2] = {rows[i].before, 0}, now[2] = {0, rows[i].after};
		struct plug before = {.vendor = NULL}, after = {.vendor = NULL};

		shine(&before, then);
		shine(&after, now);
		check_changes(&before, &after, "", rows[i].text);
	}
}

/* New modules are reported; one that was there before, or is gone, is not. */
static void alarms_that_are_new(void **state)
{
	const uint64_t los = UINT64_C(1) << PLUG_RX_LOSS, lol = UINT64_C(1) << PLUG_RX_UNLOCKED;
	struct plug before = {.alarms = number_of(los)}, after = {.alarms = number_of(los | lol)};

	(void)state;
	check_changes(&before, &after, "", "rx-lol");
	check_changes(&after, &before, "", NULL);
	before.alarms = number_of(0);
	check_changes(&before, &after, "peer ", "peer rx-los, peer rx-lol");
	after.serial = serial;
	check_changes(&before, &after, "", "serial unknown -> S1, rx-los, rx-lol");
}

/* In the order of ports, whatever the file's order; nodes with one GUID cannot be told apart. */
static void modules_of_a_file(void **state)
{
	char memory[] = "0:11";
	const struct saved_plug saved[] = {
		{number_of(0x2000), number_of(1), memory},
		{number_of(0x1000), number_of(4), memory},
		{number_of(0x3000), number_of(1), memory},
		{number_of(0x1000), number_of(1), memory},
		{number_of(0x1000), number_of(5), memory},
	};
	struct fabric fabric = {.nodes = NULL};
	struct fabric_plugs plugs = {.items = NULL};
	static const uint32_t places[] = {1, 4, 6};

	(void)state;
	sample_node(&fabric, NODE_TYPE_SWITCH, 0x1000, 4, "leaf");
	sample_node(&fabric, NODE_TYPE_CA, 0x2000, 1, "host");
	sample_node(&fabric, NODE_TYPE_CA, 0x3000, 1, "twin");
	fabric.nodes[2].ambiguous = true;
	assert_int_equal(saved_plugs_load(&fabric, saved, ARRAY_SIZE(saved), &plugs), 2);
	assert_int_equal(plugs.count, ARRAY_SIZE(places));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		assert_int_equal(plugs.items[i].port, places[i]);
		assert_int_equal(plugs.items[i].state, FABRIC_PLUG_READ);
	}
	fabric_plugs_clear(&plugs);
	fabric_clear(&fabric);
}

/* enum cable_info_err of drivers/net/ethernet/mellanox/mlx4/port.c, and codes beyond it. */
static void errors_of_devices(void **state)
{
	static const char other[] = "the device could not read the module";
	static const char *const words[] = {
		other,
		"the device has no such port",
		"the port has no module, or its link is internal",
		"no cable is connected",
		"the cable has no memory",
		"the device cannot read that page",
		"the device does not accept that address or size",
		"the module does not have that address",
		"a cable violates the QSFP specification and disturbs the bus",
		"the bus to the modules is busy",
		other,
		other,
	};

	(void)state;
	for (unsigned int code = 0; code < ARRAY_SIZE(words); code++)
		assert_string_equal(cable_info_error(code), words[code]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(weakest_first),      cmocka_unit_test(texts_that_changed),
		cmocka_unit_test(light_that_changed), cmocka_unit_test(alarms_that_are_new),
		cmocka_unit_test(modules_of_a_file),  cmocka_unit_test(errors_of_devices),
	};

	return cmocka_run_group_tests_name("cable_rows", tests, NULL, NULL);
}
