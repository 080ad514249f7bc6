/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hosts that should be alike: which differing values are reported, for which hosts and in which
 * order; and their clocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"
#include "mesh/judge/judge.h"

enum { MOST_HOSTS = 20 };

struct bed {
	struct mesh_host hosts[MOST_HOSTS];
	char names[MOST_HOSTS][16];
};

/* n1 to n20, all alike, all present, and with synchronous clocks. */
static void begin(struct bed *bed)
{
	static char release[] = "1.0", kernel[] = "6.1.0", firmware[] = "22.41.1000";

	*bed = (struct bed){.names = {""}};
	for (int i = 0; i < MOST_HOSTS; i++) {
		snprintf(bed->names[i], sizeof(bed->names[i]), "n%d", i + 1);
		bed->hosts[i] = (struct mesh_host){.name = bed->names[i],
						   .presence = MESH_PRESENT,
						   .release = release,
						   .kernel = kernel,
						   .firmware = firmware,
						   .memlock_bytes = {UINT64_MAX, true},
						   .clock_error_msec = {0, true},
						   .rail_count = 8};
	}
}

static void expect(struct bed *bed, uint32_t count, const char *wanted)
{
	struct judge_findings findings = {.items = NULL};
	_cleanup_(freep) char *text = mem_string("");

	mesh_differences(bed->hosts, count, &findings);
	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *finding = &findings.items[i].finding;

		assert_null(finding->object);
		mem_extend(&text, "%s: %s\n",
			   enum_word(judge_finding_names, finding->id.value, "?"),
			   finding->evidence);
	}
	assert_string_equal(text, wanted);
	judge_findings_clear(&findings);
}

static void alike(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed);
	expect(&bed, MOST_HOSTS, "");
	expect(&bed, 1, "");
	expect(&bed, 0, "");
}

/* Most hosts' value is shown without names; the others follow in the order of their hosts. */
static void firmware(void **state)
{
	char old[] = "20.39.1002", older[] = "16.35.2000", odd[] = "1", odder[] = "2", last[] = "3";
	struct bed bed;

	(void)state;
	begin(&bed);
	bed.hosts[2].firmware = bed.hosts[10].firmware = old;
	expect(&bed, 12, "firmware-differs: 22.41.1000 on 10 hosts; 20.39.1002 on n3, n11\n");
	bed.hosts[0].firmware = older;
	expect(&bed, 12,
	       "firmware-differs: 22.41.1000 on 9 hosts; 20.39.1002 on n3, n11; 16.35.2000 on "
	       "n1\n");
	/* Two hosts: there is no majority, so both are named, the lesser word first. */
	expect(&bed, 2, "firmware-differs: 16.35.2000 on n1; 22.41.1000 on n2\n");
	/* At most six hosts are named, and four values shown. */
	for (int i = 12; i < 17; i++)
		bed.hosts[i].firmware = old;
	expect(&bed, MOST_HOSTS,
	       "firmware-differs: 22.41.1000 on 12 hosts; 20.39.1002 on n3, n11, n13, n14, n15, "
	       "n16 and 1 more; 16.35.2000 on n1\n");
	bed.hosts[17].firmware = odd;
	expect(&bed, MOST_HOSTS,
	       "firmware-differs: 22.41.1000 on 11 hosts; 20.39.1002 on n3, n11, n13, n14, n15, "
	       "n16 and 1 more; 1 on n18; 16.35.2000 on n1\n");
	bed.hosts[16].firmware = NULL;
	bed.hosts[18].firmware = odder;
	bed.hosts[19].firmware = last;
	expect(&bed, MOST_HOSTS,
	       "firmware-differs: 22.41.1000 on 9 hosts; 20.39.1002 on n3, n11, n13, n14, n15, "
	       "n16; 1 on n18; 16.35.2000 on n1; and 2 more values\n");
}

/* Each kind of value; a host that is gone, or whose value is unknown, is not compared. */
static void each_value(void **state)
{
	char release[] = "1.1", kernel[] = "6.12.0";
	struct bed bed;

	(void)state;
	begin(&bed);
	bed.hosts[1].release = release;
	expect(&bed, 3, "release-differs: 1.0 on 2 hosts; 1.1 on n2\n");
	bed.hosts[1].kernel = kernel;
	bed.hosts[1].rail_count = 7;
	bed.hosts[1].memlock_bytes.value = 65536;
	expect(&bed, 3,
	       "rails-differ: 8 on 2 hosts; 7 on n2\n"
	       "memlock-differs: unlimited on 2 hosts; 64 KiB on n2\n"
	       "kernel-differs: 6.1.0 on 2 hosts; 6.12.0 on n2\n"
	       "release-differs: 1.0 on 2 hosts; 1.1 on n2\n");
	bed.hosts[1].memlock_bytes.known = false;
	bed.hosts[1].kernel = bed.hosts[1].release = NULL;
	expect(&bed, 3, "rails-differ: 8 on 2 hosts; 7 on n2\n");
	bed.hosts[1].presence = MESH_LOST;
	expect(&bed, 3, "");
}

/* A rail that is missing is a finding of its own, unless most hosts like this one lack it. */
static void gaps(void **state)
{
	struct mesh_gap gaps[] = {{.place = 0}, {.place = 3, .rail = number_of(2)}};
	struct bed bed;

	(void)state;
	begin(&bed);
	bed.hosts[1].missing_rails = 1 << 2;
	bed.hosts[1].gaps = gaps;
	bed.hosts[1].gap_count = 2;
	expect(&bed, 3, "");
	gaps[1].rail.known = false;
	expect(&bed, 3, "rails-differ: 8 on 2 hosts; 7 on n2\n");
}

/* A port that only some have is named if its place is known, whoever has it. */
static void extra(void **state)
{
	char a[] = "a", b[] = "b", c[] = "c", d[] = "d", none[] = "";
	char *three[] = {a, c, d}, *four[] = {a, b, c, d}, *others[] = {a, b, d},
	     *unknown[] = {a, none, d};
	struct endpoint rails[] = {
		{"m0", .port = 1}, {"m1", .port = 1}, {"m2", .port = 1}, {"m3", .port = 1}};
	struct mesh_gap gap = {.place = 1};
	struct bed bed;

	(void)state;
	begin(&bed);
	for (int i = 0; i < 3; i++) {
		bed.hosts[i].rails = rails;
		bed.hosts[i].rail_count = 3;
		bed.hosts[i].slots = (struct strings){three, 3, true};
	}
	bed.hosts[1].rail_count = 4;
	bed.hosts[1].slots = (struct strings){four, 4, true};
	expect(&bed, 3,
	       "rails-differ: 3 on 2 hosts; 4 on n2; m1/1 of n2 is where n1 has no port\n");
	bed.hosts[2] = bed.hosts[1];
	bed.hosts[2].name = bed.names[2];
	expect(&bed, 3,
	       "rails-differ: 4 on 2 hosts; 3 on n1; m1/1 of n2 is where n1 has no port\n");
	/* A missing rail has a number, but no place; a port that cannot be used is not meant. */
	bed.hosts[0].rail_count = 2;
	bed.hosts[0].gaps = &gap;
	bed.hosts[0].gap_count = 1;
	bed.hosts[1].missing_rails = 1 << 0;
	bed.hosts[1].slots.items = others;
	bed.hosts[1].slots.count = 3;
	expect(&bed, 2, "rails-differ: 2 on n1; 3 on n2; m2/1 of n2 is where n1 has no port\n");
	bed.hosts[0].slots.items = unknown;
	expect(&bed, 2, "rails-differ: 2 on n1; 3 on n2\n");
}

/* The widest difference between hosts that are present; half a second does not count. */
static void clocks(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed);
	bed.hosts[1].clock_msec = 90000;
	bed.hosts[1].presence = MESH_LOST;
	bed.hosts[2].clock_msec = 250;
	bed.hosts[3].clock_msec = -250;
	expect(&bed, 5, "");
	bed.hosts[3].clock_msec = -251;
	expect(&bed, 5, "clock-differs: the clock of n3 is 501 ms ahead of that of n4\n");
	bed.hosts[1].presence = MESH_PRESENT;
	expect(&bed, 5, "clock-differs: the clock of n2 is 90251 ms ahead of that of n4\n");
	/* A difference that a slow answer may explain does not count. */
	bed.hosts[1].clock_error_msec = number_of(89700);
	bed.hosts[3].clock_error_msec = number_of(51);
	expect(&bed, 5, "");
	bed.hosts[3].clock_error_msec = number_of(50);
	expect(&bed, 5, "clock-differs: the clock of n2 is 90251 ms ahead of that of n4\n");
	bed.hosts[1].clock_error_msec.known = false;
	expect(&bed, 5, "");
}

static void add_doctors(struct judge_findings *findings, const char *host, const char *part,
			const char *evidence, enum severity severity)
{
	struct judge_finding *found = finding_add(
		findings, JUDGE_DOCTOR, mem_format("%s%s", host, part), mem_string(evidence));

	found->host_name = mem_string(host);
	found->finding.severity = number_of(severity);
}

/* What the doctor found on many hosts is one finding for people. */
static void doctors(void **state)
{
	static const char *const wanted[] = {
		"3 hosts, n[1-3]",
		NULL,
		"2 hosts, n[1,4]: mlx5_0",
		"n2",
		"n2: mlx5_1",
		NULL,
		"n2 and others",
		"",
		NULL,
		NULL,
	};
	struct judge_findings findings = {.items = NULL};

	(void)state;
	add_doctors(&findings, "n1", "", "memlock: 64 KiB", SEVERITY_WARNING);
	add_doctors(&findings, "n2", "", "memlock: 64 KiB", SEVERITY_WARNING);
	add_doctors(&findings, "n1", ": mlx5_0", "memlock: 64 KiB", SEVERITY_WARNING);
	add_doctors(&findings, "n2", "", "memlock: 64 KiB", SEVERITY_ERROR);
	add_doctors(&findings, "n2", ": mlx5_1", "ecn: off", SEVERITY_WARNING);
	add_doctors(&findings, "n3", "", "memlock: 64 KiB", SEVERITY_WARNING);
	finding_add(&findings, JUDGE_HOST, mem_string("n2 and others"), mem_string("ecn: off"));
	finding_add(&findings, JUDGE_KERNEL, NULL, NULL);
	add_doctors(&findings, "n4", ": mlx5_0", "memlock: 64 KiB", SEVERITY_WARNING);
	/* A host counts once, however often it has the same finding. */
	add_doctors(&findings, "n4", ": mlx5_0", "memlock: 64 KiB", SEVERITY_WARNING);
	for (size_t i = 0; i < findings.count; i++) {
		_cleanup_(freep) char *object = mesh_shown_object(&findings, i);

		if (wanted[i])
			assert_string_equal(object, wanted[i]);
		else
			assert_null(object);
	}
	judge_findings_clear(&findings);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike),   cmocka_unit_test(firmware), cmocka_unit_test(each_value),
		cmocka_unit_test(gaps),	   cmocka_unit_test(clocks),   cmocka_unit_test(extra),
		cmocka_unit_test(doctors),
	};

	return cmocka_run_group_tests_name("mesh-differences", tests, NULL, NULL);
}
