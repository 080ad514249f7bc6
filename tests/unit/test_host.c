/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processors of a host, from texts of /proc/cpuinfo of several architectures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/host.h"

static void expect(const char *text, const char *wanted)
{
	_cleanup_(freep) char *copy = mem_string(text), *got = NULL;
	_cleanup_(fclosep) FILE *file = fmemopen(copy, strlen(text) + 1, "r");

	assert_non_null(file);
	got = host_read_processors(file);
	assert_string_equal(got, wanted);
}

static void processors(void **state)
{
	(void)state;
	/* x86, show_cpuinfo() of arch/x86/kernel/cpu/proc.c */
	expect("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
	       "model name\t: Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz\ncpu MHz\t\t: 2900.004\n"
	       "flags\t\t: fpu vme: de\n\n"
	       "processor\t: 1\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\n"
	       "cpu MHz\t\t: 1200.000\n\n",
	       "cpu 0: model Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz MHZ 2900.004\n"
	       "cpu 1: model Intel(R) Xeon(R) MHZ 1200.000\n");
	/* arm64 has neither; of the last line, the end may be missing. */
	expect("processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n\nprocessor\t: 63",
	       "cpu 0: model ? MHZ ?\ncpu 63: model ? MHZ ?\n");
	/* What one processor lacks is not that of the one before. */
	expect("processor\t: 2\nmodel name\t: one\nprocessor\t: 4\ncpu MHz\t\t: 7\n",
	       "cpu 2: model one MHZ ?\ncpu 4: model ? MHZ 7\n");
	/* The first of two lines counts, also before the number of the processor. */
	expect("processor\t: 5\nmodel name\t: a\nmodel name\t: b\ncpu MHz\t\t: 1\ncpu MHz\t\t: 2\n",
	       "cpu 5: model a MHZ 1\n");
	expect("processor\t: 6\nmodel name\t: a: b\n", "cpu 6: model a: b MHZ ?\n");
}

/* s390 has lines of other forms; numbers may be wrong. */
static void no_processors(void **state)
{
	(void)state;
	expect("", "");
	expect("\n\n", "");
	expect("vendor_id       : IBM/S390\n# processors    : 1\nprocessor 0: version = FF,  "
	       "identification = 0\n",
	       "");
	expect("model name\t: alone\n", "");
	expect("processor\t: x\nmodel name\t: none\n", "");
	expect("processor\t: 1000000\n", "");
	expect("processor\t: 999999\n", "cpu 999999: model ? MHZ ?\n");
	expect("processor\t: -1\nprocessor\t: 3\n", "cpu 3: model ? MHZ ?\n");
}

/* Each machine with Linux on x86 or ARM has some. */
static void own_processors(void **state)
{
	_cleanup_(freep) char *lines = host_processors();

	(void)state;
	/* Not every architecture has such lines. */
	if (*lines)
		assert_memory_equal(lines, "cpu ", strlen("cpu "));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(processors),
		cmocka_unit_test(no_processors),
		cmocka_unit_test(own_processors),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
