/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rdmactl doctor prints of its findings, for people and for monitoring systems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "captured.h"
#include "cli/command.h"
#include "cmd/doctor/doctor_run.h"

static struct doctor_result *add(struct doctor_results *results, enum doctor_check_id id,
				 enum severity severity, const char *object, const char *summary,
				 const char *evidence)
{
	struct doctor_result *result = mem_append(&results->items, &results->count,
						  sizeof(*result));

	*result = (struct doctor_result){
		.finding = {.id = number_of(id),
			    .severity = number_of(severity),
			    .object = mem_string_or_null(object),
			    .summary = mem_string(summary),
			    .evidence = mem_string_or_null(evidence)},
	};
	return result;
}

/* The line of a format, and the exit status that goes with it. */
static void assert_line(enum doctor_format format, const struct doctor_results *results,
			const struct doctor_args *args, int status, int wanted_status,
			const char *wanted)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int rc = -7, given = doctor_print_as(out, format, results, args, status, &rc);

	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	assert_int_equal(given, wanted_status);
	assert_int_equal(rc, 0);
	free(text);
}

/* Monitoring Plugins Development Guidelines: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
static void nagios(void **state)
{
	static const struct {
		enum severity severity;
		int status, wanted_status;
		const char *line;
	} cases[] = {
		{SEVERITY_OK, STATUS_DONE, 0,
		 "RDMA OK - 1 checked, nothing wrong | checked=1 ok=1 notes=0 warnings=0 errors=0 "
		 "not_checked=0\n"},
		{SEVERITY_INFO, STATUS_DONE, 0,
		 "RDMA OK - 0 checked, nothing wrong | checked=0 ok=0 notes=0 warnings=0 errors=0 "
		 "not_checked=1\n"},
		{SEVERITY_NOTICE, STATUS_DONE, 0,
		 "RDMA OK - 1 checked, nothing wrong | checked=1 ok=0 notes=1 warnings=0 errors=0 "
		 "not_checked=0\n"},
		{SEVERITY_WARNING, STATUS_FAULT, 1,
		 "RDMA WARNING - a/1: it is so | checked=1 ok=0 notes=0 warnings=1 errors=0 "
		 "not_checked=0\n"},
		{SEVERITY_ERROR, STATUS_FAULT, 2,
		 "RDMA CRITICAL - a/1: it is so | checked=1 ok=0 notes=0 warnings=0 errors=1 "
		 "not_checked=0\n"},
		/* A fault outranks what could not be read. */
		{SEVERITY_WARNING, STATUS_PARTIAL, 1,
		 "RDMA WARNING - a/1: it is so | checked=1 ok=0 notes=0 warnings=1 errors=0 "
		 "not_checked=0\n"},
		{SEVERITY_OK, STATUS_PARTIAL, 3,
		 "RDMA UNKNOWN - something could not be read | checked=1 ok=1 notes=0 warnings=0 "
		 "errors=0 not_checked=0\n"},
		{SEVERITY_OK, STATUS_NOTHING, 3,
		 "RDMA UNKNOWN - no RDMA hardware | checked=1 ok=1 notes=0 warnings=0 errors=0 "
		 "not_checked=0\n"},
		{SEVERITY_OK, STATUS_FAILED, 3,
		 "RDMA UNKNOWN - the host could not be checked | checked=1 ok=1 notes=0 "
		 "warnings=0 errors=0 not_checked=0\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doctor_results results = {.items = NULL};
		const struct doctor_args args = {.only = NULL};

		add(&results, CHECK_ID_pkey, cases[i].severity, "a/1", "it is so", NULL);
		assert_line(DOCTOR_NAGIOS, &results, &args, cases[i].status, cases[i].wanted_status,
			    cases[i].line);
		doctor_results_free(&results);
	}
}

/*
 * A bar would begin the counts; every check with the verdict not-checked is counted, whatever the
 * reason.
 */
static void nagios_text(void **state)
{
	struct doctor_results results = {.items = NULL};
	struct doctor_args args = {.only = NULL};

	(void)state;
	add(&results, CHECK_ID_pkey, SEVERITY_WARNING, NULL, "|a||b", NULL);
	add(&results, CHECK_ID_port_state, SEVERITY_INFO, "a/1", "x", NULL)->because = number_of(
		CHECK_ID_pkey);
	add(&results, CHECK_ID_port_rate, SEVERITY_INFO, "a/1", "x", NULL);
	add(&results, CHECK_ID_link_flaps, SEVERITY_INFO, "a/1", "x", NULL)->needs = number_of(
		NEEDS_ROOT);
	assert_line(DOCTOR_NAGIOS, &results, &args, STATUS_FAULT, 1,
		    "RDMA WARNING - /a//b | checked=1 ok=0 notes=0 warnings=1 errors=0 "
		    "not_checked=3\n");
	args.fail_on = number_of(SEVERITY_ERROR);
	assert_line(DOCTOR_NAGIOS, &results, &args, STATUS_DONE, 0,
		    "RDMA OK - 1 checked, no error | checked=1 ok=0 notes=0 warnings=1 errors=0 "
		    "not_checked=3\n");
	doctor_results_free(&results);
}

/* The worst finding is shown, of those that count and are not ignored. */
static void worst(void **state)
{
	struct doctor_results results = {.items = NULL};
	struct doctor_args args = {.only = NULL};

	(void)state;
	add(&results, CHECK_ID_pkey, SEVERITY_NOTICE, "a/1", "a note", NULL);
	add(&results, CHECK_ID_port_state, SEVERITY_WARNING, "b/1", "a warning", NULL);
	add(&results, CHECK_ID_port_rate, SEVERITY_WARNING, "c/1", "another", NULL);
	add(&results, CHECK_ID_port_rate, SEVERITY_ERROR, "d/1", "an error", NULL);
	add(&results, CHECK_ID_port_rate, SEVERITY_ERROR, "e/1", "an error", NULL);
	assert_line(DOCTOR_NHC, &results, &args, STATUS_FAULT, 1,
		    "d/1, e/1 (2 of 3 ports): an error (and 2 more)\n");
	args.fail_on = number_of(SEVERITY_NOTICE);
	assert_line(DOCTOR_NHC, &results, &args, STATUS_FAULT, 1,
		    "d/1, e/1 (2 of 3 ports): an error (and 3 more)\n");
	args.fail_on = number_of(SEVERITY_ERROR);
	assert_line(DOCTOR_NHC, &results, &args, STATUS_FAULT, 1,
		    "d/1, e/1 (2 of 3 ports): an error\n");
	for (size_t i = 3; i < 5; i++)
		results.items[i].ignored = mem_string("known");
	assert_line(DOCTOR_NHC, &results, &args, STATUS_DONE, 0, "");
	args.fail_on.known = false;
	assert_line(DOCTOR_NHC, &results, &args, STATUS_FAULT, 1, "b/1: a warning (and 1 more)\n");
	results.items[1].ignored = mem_string("known");
	assert_line(DOCTOR_NHC, &results, &args, STATUS_FAULT, 1, "c/1: another\n");
	assert_line(DOCTOR_NAGIOS, &results, &args, STATUS_FAULT, 1,
		    "RDMA WARNING - c/1: another | checked=3 ok=0 notes=1 warnings=1 errors=1 "
		    "not_checked=0\n");
	doctor_results_free(&results);
}

/* Node Health Check: any nonzero status is a reason to drain the node. */
static void nhc(void **state)
{
	struct doctor_results results = {.items = NULL};
	const struct doctor_args args = {.only = NULL};

	(void)state;
	assert_line(DOCTOR_NHC, &results, &args, STATUS_DONE, 0, "");
	assert_line(DOCTOR_NHC, &results, &args, STATUS_NOTHING, 1, "no RDMA hardware\n");
	assert_line(DOCTOR_NHC, &results, &args, STATUS_PARTIAL, 1,
		    "something could not be read\n");
	assert_line(DOCTOR_NHC, &results, &args, STATUS_FAILED, 1,
		    "the host could not be checked\n");
	results.missing = true;
	assert_line(DOCTOR_NHC, &results, &args, STATUS_NOTHING, 1, "no such RDMA device\n");
}

/*
 * node-problem-detector, docs/custom_plugin_monitor.md: 0 OK, 1 NonOK, 2 Unknown; it takes
 * max_output_length bytes of the output, 80 by default.
 */
static void npd(void **state)
{
	struct doctor_results results = {.items = NULL};
	const struct doctor_args args = {.only = NULL};
	char summary[82], wanted[84];

	(void)state;
	assert_line(DOCTOR_NPD, &results, &args, STATUS_DONE, 0, "0 checked, nothing wrong\n");
	assert_line(DOCTOR_NPD, &results, &args, STATUS_PARTIAL, 2,
		    "something could not be read\n");
	assert_line(DOCTOR_NPD, &results, &args, STATUS_NOTHING, 2, "no RDMA hardware\n");
	for (size_t length = 78; length <= 81; length++) {
		memset(summary, 'x', length);
		summary[length] = '\0';
		add(&results, CHECK_ID_pkey, length % 2 ? SEVERITY_WARNING : SEVERITY_ERROR, NULL,
		    summary, NULL);
		snprintf(wanted, sizeof(wanted), "%.79s\n", summary);
		assert_line(DOCTOR_NPD, &results, &args, STATUS_FAULT, 1, wanted);
		doctor_results_free(&results);
		results = (struct doctor_results){.items = NULL};
	}
}

/* A condition of Kubernetes: True if all is well; the reason is one word in CamelCase. */
static void condition(void **state)
{
	struct doctor_results results = {.items = NULL};
	const struct doctor_args args = {.only = NULL};

	(void)state;
	assert_line(DOCTOR_CONDITION, &results, &args, STATUS_DONE, STATUS_DONE,
		    "{\"type\": \"RdmaReady\", \"status\": \"True\", \"reason\": \"RdmaReady\", "
		    "\"message\": \"0 checked, nothing wrong\"}\n");
	assert_line(DOCTOR_CONDITION, &results, &args, STATUS_PARTIAL, STATUS_PARTIAL,
		    "{\"type\": \"RdmaReady\", \"status\": \"Unknown\", "
		    "\"reason\": \"RdmaUnknown\", "
		    "\"message\": \"something could not be read\"}\n");
	add(&results, CHECK_ID_pkey, SEVERITY_WARNING, "a/1", "it is so", NULL);
	assert_line(DOCTOR_CONDITION, &results, &args, STATUS_FAULT, STATUS_FAULT,
		    "{\"type\": \"RdmaReady\", \"status\": \"False\", \"reason\": \"Pkey\", "
		    "\"message\": \"a/1: it is so\"}\n");
	add(&results, CHECK_ID_multi_rail_arp, SEVERITY_ERROR, NULL, "worse", NULL);
	assert_line(DOCTOR_CONDITION, &results, &args, STATUS_FAULT, STATUS_FAULT,
		    "{\"type\": \"RdmaReady\", \"status\": \"False\", "
		    "\"reason\": \"MultiRailArp\", \"message\": \"worse\"}\n");
	doctor_results_free(&results);
}

static void assert_text(const struct doctor_results *results, bool all, bool color,
			const char *wanted)
{
	const struct render_options options = {.format = FORMAT_TABLE, .color = color};
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(doctor_print(out, &options, results, all), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
}

/* Faults, the worst first; successful checks and skipped ones only with --all. */
static void findings(void **state)
{
	struct doctor_results results = {.items = NULL, .profile = PROFILE_HPC};
	struct doctor_result *result;

	(void)state;
	assert_text(&results, false, false, "0 checked (profile hpc; -a lists all)\n");
	add(&results, CHECK_ID_port_state, SEVERITY_OK, "a/1", "active", "state 4");
	assert_text(&results, false, false,
		    "nothing wrong: 1 checked: 1 ok (profile hpc; -a lists all)\n");
	assert_text(&results, true, false,
		    "ok           a/1: active [port-state]\n"
		    "1 checked: 1 ok (profile hpc)\n");
	result = add(&results, CHECK_ID_pkey, SEVERITY_NOTICE, "a/1", "noted", "seen");
	result->finding.next_step = mem_string("look");
	result = add(&results, CHECK_ID_multi_rail_arp, SEVERITY_ERROR, NULL, "broken", NULL);
	result->finding.next_step = mem_string("mend it");
	result = add(&results, CHECK_ID_port_rate, SEVERITY_INFO, "a/1", "not checked", "unseen");
	result->finding.next_step = mem_string("be root");
	result->because = number_of(CHECK_ID_multi_rail_arp);
	assert_text(&results, false, false,
		    "error    broken; 1 check not run because of it [multi-rail-arp]\n"
		    "         -> mend it\n"
		    "note     a/1: noted [pkey]\n"
		    "         seen\n"
		    "         -> look\n"
		    "3 checked: 1 ok, 1 note, 1 error; 1 not run because of another (profile hpc; "
		    "-a lists all)\n");
	result = add(&results, CHECK_ID_link_flaps, SEVERITY_INFO, "a/1", "not checked", NULL);
	result->because = number_of(CHECK_ID_multi_rail_arp);
	results.profile = PROFILE_ROCE;
	assert_text(
		&results, true, true,
		"\033[31merror      \033[0m  broken; 2 checks not run because of it "
		"[multi-rail-arp]\n"
		"             -> mend it\n"
		"note         a/1: noted [pkey]\n"
		"             seen\n"
		"             -> look\n"
		"not-checked  a/1: not checked [port-rate]\n"
		"not-checked  a/1: not checked [link-flaps]\n"
		"\033[32mok         \033[0m  a/1: active [port-state]\n"
		"3 checked: 1 ok, 1 note, 1 error; 2 not run because of others (profile roce)\n");
	doctor_results_free(&results);
}

/* The evidence of each object if they differ, at most three; once if it is the same. */
static void evidence(void **state)
{
	static const struct {
		const char *evidence[5];
		const char *lines;
	} cases[] = {
		{{"x"}, "warning  a/1: bad [pkey]\n         x\n"},
		{{"x", "x"}, "warning  2 of 2 ports: bad [pkey]\n         x\n"},
		{{"x", "y"},
		 "warning  2 of 2 ports: bad [pkey]\n"
		 "         a/1: x\n         b/1: y\n"},
		{{"x", "x", "y"},
		 "warning  3 of 3 ports: bad [pkey]\n"
		 "         a/1: x\n         b/1: x\n         c/1: y\n"},
		{{"", "y"}, "warning  2 of 2 ports: bad [pkey]\n         b/1: y\n"},
		{{"x", ""}, "warning  2 of 2 ports: bad [pkey]\n         a/1: x\n"},
		{{"", ""}, "warning  2 of 2 ports: bad [pkey]\n"},
		{{"x", "y", "z", "w"},
		 "warning  4 of 4 ports: bad [pkey]\n"
		 "         a/1: x\n         b/1: y\n         c/1: z\n"
		 "         and 1 more: -o all shows each\n"},
		{{"x", "", "y", "z", "w"},
		 "warning  5 of 5 ports: bad [pkey]\n"
		 "         a/1: x\n         c/1: y\n         d/1: z\n"
		 "         and 1 more: -o all shows each\n"},
		{{"x", "y", "z", "w", "v"},
		 "warning  5 of 5 ports: bad [pkey]\n"
		 "         a/1: x\n         b/1: y\n         c/1: z\n"
		 "         and 2 more: -o all shows each\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doctor_results results = {.items = NULL};
		char object[] = "a/1", *wanted;

		for (size_t j = 0; j < 5 && cases[i].evidence[j]; j++, object[0]++)
			add(&results, CHECK_ID_pkey, SEVERITY_WARNING, object, "bad",
			    *cases[i].evidence[j] ? cases[i].evidence[j] : NULL);
		wanted = mem_format("%s1 checked: 1 warning (profile auto; -a lists all)\n",
				    cases[i].lines);
		assert_text(&results, false, false, wanted);
		free(wanted);
		doctor_results_free(&results);
	}
}

/* Findings about the host have no object; those of the same check that have one are not counted. */
static void of_the_host(void **state)
{
	struct doctor_results results = {.items = NULL};

	(void)state;
	add(&results, CHECK_ID_expect, SEVERITY_OK, "a", "good", NULL);
	add(&results, CHECK_ID_expect, SEVERITY_NOTICE, NULL, "in vain", "line 1");
	add(&results, CHECK_ID_expect, SEVERITY_NOTICE, NULL, "in vain", "line 2");
	assert_text(&results, false, false,
		    "note     in vain [expect]\n"
		    "         line 1\n"
		    "         line 2\n"
		    "1 checked: 1 note (profile auto; -a lists all)\n");
	doctor_results_free(&results);
}

/* What the last line says about checks that were not made, one or several. */
static void coverage(void **state)
{
	static const struct {
		uint64_t needs;
		const char *one, *two;
	} cases[] = {
		{0, "1 could not be completed", "2 could not be completed"},
		{NEEDS_ROOT, "1 needs root", "2 need root"},
		{NEEDS_LIVE, "1 needs the live host", "2 need the live host"},
		{NEEDS_INTERVAL, "1 needs --interval or --since", "2 need --interval or --since"},
		{NEEDS_PROBE, "1 needs --probe", "2 need --probe"},
		{NEEDS_PEER, "1 needs --peer", "2 need --peer"},
		{NEEDS_EXPECT, "1 needs --expect", "2 need --expect"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned int count = 1; count <= 2; count++) {
			struct doctor_results results = {.items = NULL};
			char *wanted;

			for (unsigned int id = 0; id < count; id++)
				add(&results, (enum doctor_check_id)id, SEVERITY_INFO, "a", "x",
				    NULL)
					->needs = number_unless_zero(cases[i].needs);
			wanted = mem_format("0 checked; %s (profile auto; -a lists all)\n",
					    count == 1 ? cases[i].one : cases[i].two);
			assert_text(&results, false, false, wanted);
			free(wanted);
			doctor_results_free(&results);
		}
}

/* Counts of each verdict with its word, and of checks that do not apply. */
static void coverage_of_each(void **state)
{
	static const enum severity severities[] = {SEVERITY_OK, SEVERITY_NOTICE, SEVERITY_WARNING,
						   SEVERITY_ERROR};
	struct doctor_results results = {.items = NULL};
	char *text, *last;
	size_t length;

	(void)state;
	for (unsigned int count = 1; count <= 2; count++) {
		const struct render_options options = {.format = FORMAT_TABLE};
		FILE *out = open_memstream(&text, &length);

		/* Four more checks, each of one object that was examined, and one that was not. */
		for (unsigned int i = 0; i < ARRAY_SIZE(severities); i++)
			add(&results, (enum doctor_check_id)(4 * count + i), severities[i], "a",
			    "x", NULL);
		add(&results, (enum doctor_check_id)(4 * count), SEVERITY_INFO, "b", "x", NULL);
		strings_add(&results.not_applicable, "port-state");
		assert_int_equal(doctor_print(out, &options, &results, false), 0);
		assert_int_equal(fclose(out), 0);
		text[length - 1] = '\0';
		last = strrchr(text, '\n') + 1;
		assert_string_equal(
			last,
			count == 1
				? "4 checked: 1 ok, 1 note, 1 warning, 1 error; 1 object could not "
				  "be checked, 1 does not apply (profile auto; -a lists all)"
				: "8 checked: 2 ok, 2 notes, 2 warnings, 2 errors; 2 objects could "
				  "not be checked, 2 do not apply (profile auto; -a lists all)");
		free(text);
	}
	doctor_results_free(&results);
}

/* The least verdict that counts as a fault is that of --fail-on, by default a warning. */
static void threshold(void **state)
{
	struct doctor_args args = {.only = NULL};

	(void)state;
	assert_int_equal(doctor_threshold(&args), SEVERITY_WARNING);
	args.fail_on = number_of(SEVERITY_NOTICE);
	assert_int_equal(doctor_threshold(&args), SEVERITY_NOTICE);
	args.fail_on = number_of(SEVERITY_ERROR);
	assert_int_equal(doctor_threshold(&args), SEVERITY_ERROR);
}

/* If no process can be started to make the checks, the reader still gets a line. */
static void unsupervised(void **state)
{
	const struct doctor_args args = {.format = number_of(DOCTOR_NAGIOS)};
	struct ctx ctx = {.globals.timeout = number_of(1000)};
	_cleanup_(freep) char *text = NULL, *wanted = NULL;
	struct captured out;
	struct rlimit before, none;
	int status = -7;
	bool waited;

	(void)state;
	wanted = mem_format("RDMA UNKNOWN - cannot start the check: %s | checked=0 ok=0 notes=0 "
			    "warnings=0 errors=0 not_checked=0\n",
			    strerror(EMFILE));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	capture_begin(&out);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	waited = doctor_supervise(&ctx, &args, &status);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	text = capture_end(&out);
	assert_true(waited);
	assert_string_equal(text, wanted);
	assert_int_equal(status, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nagios),      cmocka_unit_test(nagios_text),
		cmocka_unit_test(worst),       cmocka_unit_test(nhc),
		cmocka_unit_test(npd),	       cmocka_unit_test(condition),
		cmocka_unit_test(findings),    cmocka_unit_test(evidence),
		cmocka_unit_test(coverage),    cmocka_unit_test(coverage_of_each),
		cmocka_unit_test(threshold),   cmocka_unit_test(unsupervised),
		cmocka_unit_test(of_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
