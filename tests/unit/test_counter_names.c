/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The catalogue of counters: that it is consistent, and complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "counter/counter_reading.h"
#include "counter/names/counter_names.h"

#define for_each_row(table, row)                                     \
	for (size_t t_ = 0; ((table) = counter_catalogue[t_]); t_++) \
		for ((row) = (table)->rows; (row) < (table)->rows + (table)->count; (row)++)

static size_t stars(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '*';
	return count;
}

static void is_canonical(const struct counter_name *row)
{
	const char *name = row->canonical;

	if (!islower((unsigned char)*name) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_*") != strlen(name) ||
	    strstr(name, "__") || name[strlen(name) - 1] == '_' ||
	    stars(name) != stars(row->name) || stars(name) > 1)
		fail_msg("%s: %s is no canonical name", row->name, name);
}

static void is_sentence(const struct counter_name *row)
{
	const char *text = row->meaning;

	if (!isupper((unsigned char)*text) || text[strlen(text) - 1] != '.' || strlen(text) < 16 ||
	    strlen(text) > 160 || strstr(text, "  "))
		fail_msg("%s: '%s' is no sentence", row->name, text);
}

static void every_row(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;
	size_t count = 0;

	(void)state;
	for_each_row(table, row)
	{
		count++;
		is_canonical(row);
		is_sentence(row);
		assert_non_null(enum_find(counter_unit_names, row->unit));
		assert_non_null(enum_find(counter_kind_names, row->kind));
		assert_non_null(enum_find(counter_direction_names, row->direction));
		assert_non_null(enum_find(counter_severity_names, row->severity));
		assert_non_null(enum_find(counter_group_names, row->group));
		assert_in_range(row->class, 0, COUNTER_CLASSES - 1);
		assert_int_not_equal(row->group, COUNTER_GROUP_OTHER);
		assert_true(row->width_bits <= 64);
		if (row->width_bits)
			assert_int_equal(row->kind, COUNTER_SATURATING);
	}
	assert_true(count > 500);
}

/* A direction in the name is that of the row; counters named bytes or packets have that unit. */
static void names_say_what_is_counted(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;

	(void)state;
	for_each_row(table, row)
	{
		const char *end = row->canonical + strlen(row->canonical);

		if (!strncmp(row->canonical, "tx_", 3) && row->direction != COUNTER_TX)
			fail_msg("%s: %s is not sent", row->name, row->canonical);
		if (!strncmp(row->canonical, "rx_", 3) && row->direction != COUNTER_RX)
			fail_msg("%s: %s is not received", row->name, row->canonical);
		if (!strcmp(end - 6, "_bytes") && row->unit != COUNTER_UNIT_BYTES)
			fail_msg("%s: %s are no bytes", row->name, row->canonical);
		if (end - row->canonical > 8 && !strcmp(end - 8, "_packets") &&
		    row->unit != COUNTER_UNIT_PACKETS)
			fail_msg("%s: %s are no packets", row->name, row->canonical);
		if (row->unit == COUNTER_UNIT_BYTES && strcmp(end - 6, "_bytes") != 0)
			fail_msg("%s: %s does not say bytes", row->name, row->canonical);
		if (row->factor > 1)
			assert_int_equal(row->unit, COUNTER_UNIT_BYTES);
	}
}

/* A counter of lost packets is at least a warning; traffic never is, except of unexpected kinds. */
static void severities(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;

	(void)state;
	for_each_row(table, row)
	{
		if (row->group == COUNTER_GROUP_TRAFFIC || row->group == COUNTER_GROUP_REQUESTS)
			assert_int_equal(row->severity, COUNTER_INFO);
		if (counter_name_counts_loss(row))
			assert_int_not_equal(row->group, COUNTER_GROUP_TRAFFIC);
		if (counter_name_counts_loss(row) && row->severity == COUNTER_INFO &&
		    (strcmp(table->rows[0].name, "rx_bytes") || table->driver))
			fail_msg("%s: a loss that is worth nothing", row->name);
		if (row->kind == COUNTER_GAUGE)
			assert_int_equal(row->severity, COUNTER_INFO);
		/* The current number of objects is not a count of events. */
		if (row->unit == COUNTER_UNIT_OBJECTS && row->kind != COUNTER_GAUGE)
			fail_msg("%s: objects, and no gauge", row->name);
	}
}

/* Whether a port with counters of one table also has those of the other. */
static bool go_together(const struct counter_names *one, const struct counter_names *other)
{
	static const char *const with_agent[] = {"mlx5", "hfi1", "qib"};

	if (one->source == other->source && (!one->driver || !strcmp(one->driver, other->driver)))
		return true;
	for (size_t i = 0; other->source == COUNTER_SOURCE_PMA && i < ARRAY_SIZE(with_agent); i++)
		if (one->driver && !strcmp(one->driver, with_agent[i]))
			return true;
	return false;
}

static bool has_whole(const struct counter_names *table, const struct counter_name *part)
{
	const struct counter_names *other;
	const struct counter_name *row;

	for_each_row(other, row) if (!row->part && row->group == part->group &&
				     row->unit == part->unit && row->direction == part->direction &&
				     go_together(table, other)) return true;
	return false;
}

/* The traffic of a port is shown in totals, so each part needs one. */
static void parts(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;

	(void)state;
	for_each_row(table, row)
	{
		if (row->part && row->group == COUNTER_GROUP_TRAFFIC && row->direction &&
		    !has_whole(table, row))
			fail_msg("%s is a part of nothing", row->name);
	}
}

/* Each kernel name appears once in a table, and so does each canonical name. */
static void no_name_twice(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;

	(void)state;
	for_each_row(table, row) for (const struct counter_name *other = table->rows; other < row;
				      other++)
	{
		if (counter_name_matches(other->name, row->name) ||
		    counter_name_matches(row->name, other->name))
			fail_msg("%s is there twice", row->name);
		if (!strcmp(other->canonical, row->canonical))
			fail_msg("%s and %s are both %s", row->name, other->name, row->canonical);
	}
}

/* A port whose driver has a performance management agent has both sets of names. */
static void no_canonical_name_twice_on_a_port(void **state)
{
	static const char *const drivers[] = {"mlx5", "mlx4", "hfi1"};
	const struct counter_names *table;
	const struct counter_name *row;
	const struct counter_names *pma = counter_catalogue[0];

	(void)state;
	assert_int_equal(pma->source, COUNTER_SOURCE_PMA);
	for_each_row(table,
		     row) for (size_t i = 0; table->driver && i < ARRAY_SIZE(drivers);
			       i++) for (size_t j = 0;
					 !strcmp(table->driver, drivers[i]) && j < pma->count; j++)
		/* Dc...: counters of hfi1 for the entire device. */
		if (!strcmp(row->canonical, pma->rows[j].canonical) &&
		    strncmp(row->name, "Dc", 2) != 0) fail_msg("%s and %s are both %s", row->name,
							       pma->rows[j].name, row->canonical);
}

/* So a row can be found without knowing the driver. */
static void a_name_means_the_same_with_all_drivers(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;

	(void)state;
	for_each_row(table, row)
	{
		const struct counter_name *first = counter_name_find_in(table->source, row->name);

		if (stars(row->name))
			continue;
		assert_non_null(first);
		assert_string_equal(first->canonical, row->canonical);
		assert_string_equal(first->meaning, row->meaning);
		assert_int_equal(first->factor, row->factor);
		assert_int_equal(first->class, row->class);
	}
}

/* A canonical name has one unit, direction and group, whichever driver counts. */
static void a_canonical_name_is_one_thing(void **state)
{
	const struct counter_names *table;
	const struct counter_name *row;

	(void)state;
	for_each_row(table, row) for (size_t i = 0; counter_catalogue[i];
				      i++) for (size_t j = 0; j < counter_catalogue[i]->count; j++)
	{
		const struct counter_name *other = &counter_catalogue[i]->rows[j];

		if (strcmp(other->canonical, row->canonical) != 0)
			continue;
		if (other->unit != row->unit || other->direction != row->direction ||
		    other->group != row->group ||
		    counter_name_counts_loss(other) != counter_name_counts_loss(row))
			fail_msg("%s and %s differ in what %s is", row->name, other->name,
				 row->canonical);
	}
}

static void numbers_in_names(void **state)
{
	const struct counter_name *row = counter_name_find("RcvHdrOvr159");
	char *name;

	(void)state;
	assert_non_null(row);
	name = counter_name_canonical(row, "RcvHdrOvr159");
	assert_string_equal(name, "rx_context159_header_queue_overflows");
	free(name);
	row = counter_name_find("XmitDscdVl15,32");
	assert_non_null(row);
	name = counter_name_canonical(row, "XmitDscdVl15,32");
	assert_string_equal(name, "tx_vl15_discards");
	free(name);
	row = counter_name_find("symbol_error");
	name = counter_name_canonical(row, "symbol_error");
	assert_string_equal(name, "symbol_errors");
	free(name);
	assert_null(counter_name_find("RcvHdrOvr"));
	assert_null(counter_name_find("RcvHdrOvrx"));
	assert_null(counter_name_find("RcvHdrOvr1x"));
	assert_null(counter_name_find("XmitDscdVl15"));
	assert_null(counter_name_find(""));
	assert_false(counter_name_matches("a*b", "ab"));
	assert_false(counter_name_matches("a*b", "a1c"));
	assert_true(counter_name_matches("a*b", "a10b"));
	assert_true(counter_name_matches("*", "7"));
	assert_false(counter_name_matches("*", "x"));
}

static void the_source_decides(void **state)
{
	(void)state;
	assert_int_equal(counter_name_find_in(COUNTER_SOURCE_PMA, "link_downed")->width_bits, 8);
	assert_int_equal(counter_name_find_in(COUNTER_SOURCE_HW, "link_downed")->width_bits, 0);
	assert_ptr_equal(counter_name_find_in(COUNTER_SOURCE_DEVICE, "cmds_err"),
			 counter_name_find_in(COUNTER_SOURCE_HW, "cmds_err"));
	assert_null(counter_name_find_in(COUNTER_SOURCE_NETDEV, "symbol_error"));
	assert_null(counter_name_find_in(COUNTER_SOURCE_CM, "req"));
	assert_string_equal(counter_name_find_in(COUNTER_SOURCE_CM, "cm_tx_retries/req")->canonical,
			    "cm_tx_retries_req");
	assert_int_equal(counter_name_find_in(COUNTER_SOURCE_PMA, "port_rcv_data")->factor, 4);
	assert_int_equal(counter_name_find_in(COUNTER_SOURCE_NETDEV, "rx_bytes")->factor, 0);
}

/* IBA volume 1, 16.1.3.5, and the attributes of the kernel's core/sysfs.c. */
static void widths_of_the_pma(void **state)
{
	static const struct {
		const char *name;
		unsigned int bits;
	} some[] = {
		{"symbol_error", 16},
		{"link_error_recovery", 8},
		{"link_downed", 8},
		{"port_rcv_errors", 16},
		{"port_rcv_remote_physical_errors", 16},
		{"port_rcv_switch_relay_errors", 16},
		{"port_xmit_discards", 16},
		{"port_xmit_constraint_errors", 8},
		{"port_rcv_constraint_errors", 8},
		{"local_link_integrity_errors", 4},
		{"excessive_buffer_overrun_errors", 4},
		{"VL15_dropped", 16},
		{"port_xmit_wait", 32},
		{"unicast_rcv_packets", 64},
		{"multicast_xmit_packets", 64},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		assert_int_equal(counter_name_find_in(COUNTER_SOURCE_PMA, some[i].name)->width_bits,
				 some[i].bits);
}

static void explaining(void **state)
{
	struct counter_meanings meanings = {0};
	const char *closest = NULL;

	(void)state;
	assert_true(counter_meanings_find(&meanings, "np_cnp_sent", &closest));
	assert_int_equal(meanings.count, 1);
	assert_string_equal(meanings.items[0].reading.name->canonical, "tx_cnp_packets");
	assert_true(strings_contain(&meanings.items[0].aliases, "mlx5:np_cnp_sent"));
	assert_true(strings_contain(&meanings.items[0].aliases, "irdma:cnpSent"));
	counter_meanings_clear(&meanings);
	assert_true(counter_meanings_find(&meanings, "tx_vl3_packets", &closest));
	assert_string_equal(meanings.items[0].reading.name->name, "TxPktVL*");
	counter_meanings_clear(&meanings);
	assert_true(counter_meanings_find(&meanings, "tx_bytes", &closest));
	assert_true(meanings.count > 2);
	counter_meanings_clear(&meanings);
	assert_false(counter_meanings_find(&meanings, "tx_bites", &closest));
	assert_string_equal(closest, "tx_bytes");
	assert_false(counter_meanings_find(&meanings, "completely_different", &closest));
	assert_null(closest);
	assert_int_equal(meanings.count, 0);
}

static enum counter_source source_of(const char *word)
{
	if (!strcmp(word, "pma"))
		return COUNTER_SOURCE_PMA;
	return !strcmp(word, "cm") ? COUNTER_SOURCE_CM : COUNTER_SOURCE_HW;
}

/*
 * tests/fixtures/kernel-counters.txt has the names of three kernels, as tests/kernel-counters found
 * them in their sources: driver, source, kernels, file, name. A name may have commas and blanks.
 */
static void the_names_of_the_kernels(void **state)
{
	FILE *file = fopen("tests/fixtures/kernel-counters.txt", "re");
	char line[256], driver[32], source[16], kernels[16], path[64], name[96];
	unsigned int count = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const struct counter_name *row;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%31[^\t]\t%15[^\t]\t%15[^\t]\t%63[^\t]\t%95[^\n]",
					driver, source, kernels, path, name),
				 5);
		row = counter_name_find_in(source_of(source), name);
		if (!row)
			fail_msg("%s of Linux %s (%s) is not in the catalogue: %s", driver, kernels,
				 path, name);
		count++;
	}
	fclose(file);
	assert_true(count > 700);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row),
		cmocka_unit_test(names_say_what_is_counted),
		cmocka_unit_test(severities),
		cmocka_unit_test(parts),
		cmocka_unit_test(no_name_twice),
		cmocka_unit_test(no_canonical_name_twice_on_a_port),
		cmocka_unit_test(a_name_means_the_same_with_all_drivers),
		cmocka_unit_test(a_canonical_name_is_one_thing),
		cmocka_unit_test(numbers_in_names),
		cmocka_unit_test(the_source_decides),
		cmocka_unit_test(widths_of_the_pma),
		cmocka_unit_test(explaining),
		cmocka_unit_test(the_names_of_the_kernels),
	};

	return cmocka_run_group_tests_name("counter_names", tests, NULL, NULL);
}
