/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of doctor's checks, the merging of findings, and the count of what was checked. */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "doctor/frame/check.h"

static void assert_sentence(const char *id, const char *what, const char *text)
{
	/* A source may begin with a path. */
	if (!text || !strchr(".?", text[strlen(text) - 1]) ||
	    (islower((unsigned char)text[0]) && strcmp(what, "source")))
		fail_msg("%s: %s is no sentence: %s", id, what, text ? text : "missing");
}

/* Help, manual and --explain are generated from these texts. */
static void test_texts(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < DOCTOR_CHECKS; id++) {
		const struct doctor_check *check = doctor_check((enum doctor_check_id)id);

		assert_non_null(check->check);
		assert_non_null(check->title);
		assert_true(islower((unsigned char)check->title[0]) ||
			    isupper((unsigned char)check->title[1]));
		assert_true(check->title[strlen(check->title) - 1] != '.');
		assert_non_null(check->applies_to);
		assert_non_null(check->remedy);
		assert_sentence(check->id, "question", check->question);
		assert_sentence(check->id, "source", check->source);
		assert_sentence(check->id, "rule", check->rule);
		assert_sentence(check->id, "why", check->why);
		for (const char *c = check->id; *c; c++)
			assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) ||
				    *c == '-');
	}
}

/* Causes come before effects, and an id cannot also be a group. */
static void test_order(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < DOCTOR_CHECKS; id++) {
		const struct doctor_check *check = doctor_check((enum doctor_check_id)id);
		const char *after = check->after;
		char word[64];
		int length;

		assert_null(enum_find_word(doctor_group_names, check->id));
		for (; after && sscanf(after, " %63s%n", word, &length) == 1; after += length) {
			const struct enum_name *name = enum_find_word(doctor_check_names, word);

			if (!name || name->value >= id)
				fail_msg("%s comes after %s, which is %s", check->id, word,
					 name ? "not before it" : "no check");
		}
	}
}

static void test_selection(void **state)
{
	bool run[DOCTOR_CHECKS] = {false};
	char *bad = NULL;

	(void)state;
	assert_int_equal(doctor_select("port-state", true, run, &bad), 0);
	for (unsigned int id = 0; id < DOCTOR_CHECKS; id++)
		assert_int_equal(run[id], id == CHECK_ID_port_state);
	assert_int_equal(doctor_select("port", true, run, &bad), 0);
	for (unsigned int id = 0; id < DOCTOR_CHECKS; id++)
		assert_int_equal(run[id],
				 doctor_check((enum doctor_check_id)id)->group == DOCTOR_PORT);
	assert_int_equal(doctor_select("port-state,nosuch", false, run, &bad), -EINVAL);
	assert_string_equal(bad, "nosuch");
	free(bad);
	assert_int_equal(doctor_select("", true, run, &bad), -EINVAL);
	free(bad);
}

/* Each id selects only its check, each group all of its checks; both also unselect them. */
static void test_selection_of_each(void **state)
{
	char *bad = NULL;

	(void)state;
	for (const struct enum_name *name = doctor_choice_names; name->word; name++) {
		const struct enum_name *group = enum_find_word(doctor_group_names, name->word);
		size_t count = 0;

		for (int value = 0; value < 2; value++) {
			bool run[DOCTOR_CHECKS];

			for (unsigned int id = 0; id < DOCTOR_CHECKS; id++)
				run[id] = !value;
			assert_int_equal(doctor_select(name->word, value, run, &bad), 0);
			for (unsigned int id = 0; id < DOCTOR_CHECKS; id++) {
				const struct doctor_check *check = doctor_check(
					(enum doctor_check_id)id);
				const bool meant = group ? check->group == group->value
							 : !strcmp(check->id, name->word);

				assert_int_equal(run[id], meant ? value : !value);
				count += meant;
			}
		}
		assert_true(group ? count > 0 : count == 2);
	}
}

static void assert_text(const struct doctor_check *check, const char *key, const char *wanted)
{
	struct value value;

	field_get(schema_find(&doctor_check_schema, key), check, &value);
	assert_int_equal(value.kind, wanted ? VALUE_STRING : VALUE_NONE);
	if (wanted)
		assert_string_equal(value.string, wanted);
}

/* The table of the checks as records: each column of each check. */
static void test_catalogue(void **state)
{
	static const char *const scopes[] = {
		[ON_HOST] = "host",
		[ON_FUNCTION] = "pci-function",
		[ON_DEVICE] = "device",
		[ON_PORT] = "port",
	};

	(void)state;
	for (unsigned int id = 0; id < DOCTOR_CHECKS; id++) {
		const struct doctor_check *check = doctor_check((enum doctor_check_id)id);
		struct value value;
		size_t count = 0;

		assert_text(check, "id", check->id);
		assert_text(check, "title", check->title);
		assert_text(check, "after", check->after);
		assert_text(check, "applies_to", check->applies_to);
		assert_text(check, "question", check->question);
		assert_text(check, "source", check->source);
		assert_text(check, "rule", check->rule);
		assert_text(check, "why", check->why);
		assert_text(check, "remedy", check->remedy);
		assert_text(check, "group", enum_word(doctor_group_names, check->group, NULL));
		assert_text(check, "scope", scopes[check->scope]);
		field_get(schema_find(&doctor_check_schema, "needs"), check, &value);
		assert_int_equal(value.kind, VALUE_LIST);
		for (unsigned int bit = 0; bit < DOCTOR_NEED_BITS; bit++)
			if (check->needs & 1u << bit)
				assert_string_equal(value.list.items[count++],
						    enum_word(doctor_need_names, 1u << bit, "?"));
		assert_int_equal(value.list.count, count);
	}
}

static struct doctor_result *add(struct doctor_results *results, enum doctor_check_id id,
				 enum severity severity, const char *object, const char *summary)
{
	struct doctor_result *result = mem_append(&results->items, &results->count,
						  sizeof(*result));

	*result = (struct doctor_result){
		.finding = {.id = number_of(id),
			    .severity = number_of(severity),
			    .object = mem_string_or_null(object),
			    .summary = mem_string(summary)},
	};
	return result;
}

static void assert_object(const struct doctor_block *block, const char *wanted)
{
	char *object = doctor_block_object(block);

	if (wanted)
		assert_string_equal(object, wanted);
	else
		assert_null(object);
	free(object);
}

static void test_blocks(void **state)
{
	const enum doctor_check_id id = CHECK_ID_port_state;
	struct doctor_results results = {.items = NULL};
	struct doctor_blocks blocks;

	(void)state;
	add(&results, id, SEVERITY_OK, "a/1", "fine");
	add(&results, id, SEVERITY_NOTICE, "b/1", "down");
	add(&results, id, SEVERITY_ERROR, "c/1", "init");
	add(&results, id, SEVERITY_ERROR, "d/1", "init");
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 3);
	assert_string_equal(blocks.items[0].results[0]->finding.summary, "init");
	assert_object(&blocks.items[0], "c/1, d/1 (2 of 4 ports)");
	assert_object(&blocks.items[1], "b/1");
	assert_object(&blocks.items[2], "a/1");
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
}

/*
 * What all objects share is reported once; results with another verdict or next step are separate.
 */
static void test_blocks_merge(void **state)
{
	const enum doctor_check_id id = CHECK_ID_port_state;
	struct doctor_results results = {.items = NULL};
	struct doctor_blocks blocks;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		char object[16];

		snprintf(object, sizeof(object), "m%u/1", i);
		add(&results, id, SEVERITY_ERROR, object, "init");
	}
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 1);
	assert_object(&blocks.items[0], "8 of 8 ports");
	doctor_blocks_free(&blocks);
	results.items[0].finding.next_step = mem_string("another step");
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 2);
	assert_object(&blocks.items[0], "m0/1");
	assert_object(&blocks.items[1], "m1/1, m2/1, m3/1, m4/1 and 3 more (7 of 8 ports)");
	doctor_blocks_free(&blocks);
	results.items[7].finding.severity = number_of(SEVERITY_WARNING);
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 3);
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
}

static void add_step(struct doctor_results *results, const char *object, const char *name,
		     const char *form)
{
	struct doctor_result *result = add(results, CHECK_ID_port_state, SEVERITY_ERROR, object,
					   "init");

	result->finding.next_step = mem_format("set %s up", name);
	result->step_name = mem_string(name);
	result->step_form = mem_string(form);
}

static void assert_step(const struct doctor_block *block, const char *wanted)
{
	char *step = doctor_block_step(block);

	assert_string_equal(step, wanted);
	free(step);
}

/* Next steps that differ only in the name are shown once, with the other names. */
static void test_blocks_steps(void **state)
{
	struct doctor_results results = {.items = NULL};
	struct doctor_blocks blocks;

	(void)state;
	add_step(&results, "a/1", "eth0", "set \001 up");
	add_step(&results, "b/1", "eth1", "set \001 up");
	add_step(&results, "c/1", "eth1", "set \001 up");
	add_step(&results, "d/1", "eth9", "set \001 away");
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 2);
	assert_object(&blocks.items[0], "a/1, b/1, c/1 (3 of 4 ports)");
	assert_step(&blocks.items[0], "set eth0 up; the same for eth1");
	assert_step(&blocks.items[1], "set eth9 up");
	doctor_blocks_free(&blocks);
	for (unsigned int i = 2; i < 7; i++) {
		char name[8];

		snprintf(name, sizeof(name), "eth%u", i);
		add_step(&results, name, name, "set \001 up");
	}
	doctor_blocks_make(&results, &blocks);
	assert_step(&blocks.items[0],
		    "set eth0 up; the same for eth1, eth2, eth3, eth4 and 2 more");
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
	results = (struct doctor_results){.items = NULL};
	add(&results, CHECK_ID_port_state, SEVERITY_ERROR, "a/1", "init");
	add(&results, CHECK_ID_port_state, SEVERITY_ERROR, "b/1", "init");
	doctor_blocks_make(&results, &blocks);
	assert_null(doctor_block_step(&blocks.items[0]));
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
}

/* Worst first, then in the order of the checks, then of arrival; up to four names are shown. */
static void test_blocks_order(void **state)
{
	static const struct {
		enum doctor_check_id id;
		enum severity severity;
		const char *object, *summary;
	} rows[] = {
		{CHECK_ID_port_state, SEVERITY_OK, "a/1", "fine"},
		{CHECK_ID_pkey, SEVERITY_WARNING, "a/1", "second"},
		{CHECK_ID_port_state, SEVERITY_INFO, "b/1", "not read"},
		{CHECK_ID_port_rate, SEVERITY_WARNING, "b/1", "first"},
		{CHECK_ID_pkey, SEVERITY_WARNING, "b/1", "third"},
		{CHECK_ID_port_state, SEVERITY_NOTICE, "c/1", "noted"},
		{CHECK_ID_port_state, SEVERITY_ERROR, NULL, "worst"},
	};
	static const char *const wanted[] = {"worst", "first",	  "second", "third",
					     "noted", "not read", "fine"};
	struct doctor_results results = {.items = NULL};
	struct doctor_blocks blocks;

	(void)state;
	assert_true(CHECK_ID_port_rate < CHECK_ID_pkey);
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 0);
	doctor_blocks_free(&blocks);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add(&results, rows[i].id, rows[i].severity, rows[i].object, rows[i].summary);
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.count, 7);
	for (size_t i = 0; i < blocks.count; i++)
		assert_string_equal(blocks.items[i].results[0]->finding.summary, wanted[i]);
	assert_object(&blocks.items[0], NULL);
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
	results = (struct doctor_results){.items = NULL};
	for (char name[] = "a/1"; name[0] < 'f'; name[0]++)
		add(&results, CHECK_ID_port_state, name[0] != 'c' ? SEVERITY_ERROR : SEVERITY_OK,
		    name, "same");
	doctor_blocks_make(&results, &blocks);
	assert_object(&blocks.items[0], "a/1, b/1, d/1, e/1 (4 of 5 ports)");
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
}

/* Each scope has its word. */
static void test_blocks_scopes(void **state)
{
	static const struct {
		enum doctor_check_id id;
		enum doctor_scope scope;
		const char *object;
	} cases[] = {
		{CHECK_ID_multi_rail_arp, ON_HOST, "2 of 2 objects"},
		{CHECK_ID_pcie_errors, ON_FUNCTION, "2 of 2 PCI functions"},
		{CHECK_ID_restricted_pf, ON_DEVICE, "2 of 2 devices"},
		{CHECK_ID_port_state, ON_PORT, "2 of 2 ports"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doctor_results results = {.items = NULL};
		struct doctor_blocks blocks;

		assert_int_equal(doctor_check(cases[i].id)->scope, cases[i].scope);
		add(&results, cases[i].id, SEVERITY_OK, "a", "same");
		add(&results, cases[i].id, SEVERITY_OK, "b", "same");
		doctor_blocks_make(&results, &blocks);
		assert_object(&blocks.items[0], cases[i].object);
		doctor_blocks_free(&blocks);
		doctor_results_free(&results);
	}
}

/* Checks that cannot judge anything because of a fault are counted once each. */
static void test_dependents(void **state)
{
	struct doctor_results results = {.items = NULL};
	struct doctor_blocks blocks;

	(void)state;
	add(&results, CHECK_ID_port_state, SEVERITY_ERROR, "a/1", "down");
	for (unsigned int i = 0; i < 4; i++)
		add(&results, i < 2 ? CHECK_ID_port_rate : CHECK_ID_pkey, SEVERITY_INFO, "a/1",
		    "because")
			->because = number_of(CHECK_ID_port_state);
	add(&results, CHECK_ID_link_flaps, SEVERITY_INFO, "a/1", "because")->because = number_of(
		CHECK_ID_restricted_pf);
	add(&results, CHECK_ID_link_errors, SEVERITY_INFO, "a/1", "unknown");
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.items[0].dependents, 2);
	doctor_blocks_free(&blocks);
	/* A lesser finding counts only if it says that it blocks them. */
	results.items[0].finding.severity = number_of(SEVERITY_WARNING);
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.items[0].dependents, 0);
	doctor_blocks_free(&blocks);
	results.items[0].blocks = true;
	doctor_blocks_make(&results, &blocks);
	assert_int_equal(blocks.items[0].dependents, 2);
	doctor_blocks_free(&blocks);
	doctor_results_free(&results);
}

/* Each verdict and each need is counted separately; in any order, the worst verdict counts. */
static void test_coverage_of_each(void **state)
{
	static const enum severity severities[] = {SEVERITY_INFO, SEVERITY_OK, SEVERITY_NOTICE,
						   SEVERITY_WARNING, SEVERITY_ERROR};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++) {
			struct doctor_results results = {.items = NULL};
			struct doctor_coverage coverage;
			const size_t worst = i > j ? i : j;

			add(&results, CHECK_ID_pkey, severities[i], "a", "x");
			add(&results, CHECK_ID_pkey, severities[j], "b", "x");
			strings_add(&results.not_applicable, "port-state");
			doctor_count(&results, &coverage);
			assert_int_equal(coverage.checked, worst > 0);
			assert_int_equal(coverage.unknown, worst == 0);
			assert_int_equal(coverage.made[SEVERITY_OK], worst == 1);
			assert_int_equal(coverage.made[SEVERITY_NOTICE], worst == 2);
			assert_int_equal(coverage.made[SEVERITY_WARNING], worst == 3);
			assert_int_equal(coverage.made[SEVERITY_ERROR], worst == 4);
			assert_int_equal(coverage.partial, worst > 0 && (!i || !j));
			assert_int_equal(coverage.not_applicable, 1);
			doctor_results_free(&results);
		}
	for (size_t need = 0; need < DOCTOR_NEED_BITS; need++) {
		struct doctor_results results = {.items = NULL};
		struct doctor_coverage coverage;

		add(&results, CHECK_ID_pkey, SEVERITY_INFO, "a", "x")->needs = number_of(
			1u << need | 1u << (DOCTOR_NEED_BITS - 1));
		doctor_count(&results, &coverage);
		for (size_t i = 0; i < DOCTOR_NEED_BITS; i++)
			assert_int_equal(coverage.needs[i], i == need);
		assert_int_equal(coverage.unknown, 0);
		doctor_results_free(&results);
	}
}

/* A check counts once, by its worst verdict; a check that ran on any object counts as done. */
static void test_coverage(void **state)
{
	struct doctor_results results = {.items = NULL};
	struct doctor_coverage coverage;

	(void)state;
	add(&results, 0, SEVERITY_OK, "a/1", "fine");
	add(&results, 0, SEVERITY_WARNING, "b/1", "slow");
	add(&results, 0, SEVERITY_INFO, "c/1", "unknown");
	doctor_count(&results, &coverage);
	assert_int_equal(coverage.checked, 1);
	assert_int_equal(coverage.made[SEVERITY_WARNING], 1);
	assert_int_equal(coverage.partial, 1);
	assert_int_equal(coverage.made[SEVERITY_OK] + coverage.made[SEVERITY_NOTICE] +
				 coverage.made[SEVERITY_ERROR] + coverage.unknown,
			 0);
	results.items[1].finding.severity = number_of(SEVERITY_INFO);
	results.items[0].finding.severity = number_of(SEVERITY_INFO);
	doctor_count(&results, &coverage);
	assert_int_equal(coverage.checked, 0);
	assert_int_equal(coverage.unknown, 1);
	results.items[0].needs = number_of(NEEDS_INTERVAL);
	doctor_count(&results, &coverage);
	assert_int_equal(coverage.needs[2], 1);
	results.items[0].needs.known = false;
	results.items[0].because = number_of(0);
	doctor_count(&results, &coverage);
	assert_int_equal(coverage.because, 1);
	doctor_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selection_of_each),
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_blocks_merge),
		cmocka_unit_test(test_blocks_steps),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_blocks_order),
		cmocka_unit_test(test_blocks_scopes),
		cmocka_unit_test(test_dependents),
		cmocka_unit_test(test_coverage_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
