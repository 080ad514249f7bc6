/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rails that are slow beside others: which of them are measured in pairs, and the full text of each
 * row. The test of a port is simulated here: it knows which of the processes run at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/rails/rails.h"
#include "selftest/selftest.h"

enum { MOST = 8 };

/* Bit mask, shared by all processes, of the rails whose processes have reached the gate. */
static atomic_uint *present;

/* What a rail carries alone, beside all others, and beside each of them. */
struct figures {
	double alone, together, beside[MOST];
};

static struct bed {
	struct selftest_request request;
	struct rail rails[MOST];
	struct figures figures[MOST];
	size_t count;
	struct selftest_results results;
	char *shown;
} bed;

static double carried(size_t own, unsigned int others)
{
	const struct figures *figures = &bed.figures[own];

	if (!others)
		return figures->alone;
	for (size_t i = 0; i < MOST; i++)
		if (others == 1u << i && bed.count > 2)
			return figures->beside[i];
	return figures->together;
}

/* Runs in the process of a rail instead of the test of its port, whose number selects the rail. */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	const size_t own = local->port - 1;
	struct selftest_result *row = selftest_results_add(results);
	unsigned int others;

	number_set(&row->group, SELFTEST_SETUP);
	number_set(&row->verdict, SELFTEST_PASS);
	row->test = mem_string("connect");
	atomic_fetch_or(present, 1u << own);
	request->gate(request->gate_context);
	others = atomic_load(present) & ~(1u << own);
	row = selftest_results_add(results);
	number_set(&row->group, SELFTEST_BANDWIDTH);
	number_set(&row->verdict, SELFTEST_PASS);
	row->test = mem_string(request->tests[0]);
	row->cpus = mem_format("%u/%u%s%s", request->share, request->shares,
			       request->pins ? " pinned" : "",
			       request->latency || request->bandwidth ? " groups" : "");
	row->peer_cpus = mem_format("%s/%u %u/%u", request->peer_device, request->peer_port,
				    request->peer_share, request->peer_shares);
	if (!strcmp(local->device, "lacking")) {
		number_set(&row->verdict, SELFTEST_SKIP);
		row->reason = mem_string("the device has no atomic operations");
		return 0;
	}
	if (!strcmp(local->device, "fragile") && others)
		kill(getpid(), SIGKILL);
	row->bandwidth_gbps = real_of(carried(own, others));
	/* A process shows no progress and compares nothing with an expectation. */
	if (request->progress || request->expect_gbps > 0)
		row->bandwidth_gbps = real_of(-1);
	return 0;
}

/* Called between the processes of one measurement and those of the next. */
static void show(void *context, const char *what)
{
	(void)context;
	atomic_store(present, 0);
	mem_extend(&bed.shown, "%s\n", what);
}

static void begin(void)
{
	bed = (struct bed){.shown = mem_string("")};
	bed.request = (struct selftest_request){
		.peer = "host\033b",
		.signals = -1,
		.operations = SELFTEST_WRITE,
		.duration_msec = 250,
		.queue_pairs = 3,
		.progress = show,
	};
}

static struct rail *add(const char *name, double alone, double together)
{
	struct rail *rail = &bed.rails[bed.count];

	bed.figures[bed.count] = (struct figures){.alone = alone, .together = together};
	strcpy(rail->near.device, name);
	strcpy(rail->far.device, "far");
	rail->near.port = (uint32_t)++bed.count;
	rail->far.port = 9;
	rail->share = 1;
	rail->shares = 2;
	rail->far_share = 3;
	rail->far_shares = 4;
	return rail;
}

static void together(size_t one, double of_one, size_t other, double of_other)
{
	bed.figures[one].beside[other] = of_one;
	bed.figures[other].beside[one] = of_other;
}

static void run(void)
{
	assert_int_equal(rails_run(&bed.request, bed.rails, bed.count, &bed.results), 0);
}

static void end(void)
{
	free(bed.shown);
	selftest_results_free(&bed.results);
}

static const char *words(const char *text)
{
	return text ? text : "-";
}

/* Compares everything that the row holds. */
static void expect(size_t index, const char *wanted)
{
	static const char *const verdicts[] = {
		[SELFTEST_PASS] = "pass", [SELFTEST_FAIL] = "fail", [SELFTEST_SKIP] = "skip"};
	const struct selftest_result *row = bed.results.items[index];
	char *text = mem_format(
		"%s %s %s/%u %s/%u %u bytes %u pairs %s %g ms %g of %g of %g, %s, "
		"%s: %s: %s",
		row->test, words(row->peer), words(row->device), (unsigned int)row->port.value,
		words(row->peer_device), (unsigned int)row->peer_port.value,
		(unsigned int)row->size_bytes.value, (unsigned int)row->queue_pairs.value,
		row->connection.value == CONNECTION_CM ? "cm" : "exchange",
		row->duration_msec.known ? row->duration_msec.value : -1,
		row->together_gbps.known ? row->together_gbps.value : -1,
		row->alone_gbps.known ? row->alone_gbps.value : -1,
		row->rate_gbps.known ? row->rate_gbps.value : -1, words(row->cpus),
		words(row->peer_cpus), verdicts[row->verdict.value], words(row->reason));

	assert_string_equal(text, wanted);
	free(text);
	assert_int_equal(row->group.value, SELFTEST_RAILS);
}

#define HINT                                                                                  \
	"rdmactl topo, on both hosts, shows which adapters share a switch, a NUMA node or a " \
	"card; rdmactl doctor checks their PCIe links"
#define CPUS "1/2 pinned, far/9 3/4"
#define GUESS                                                                                     \
	"a guess: a network switch, or the PCIe or the processors of one host, cannot carry all " \
	"of them"

/*
 * Names the rail beside which each one is slowest. A rail that carries nothing and one of software,
 * which is slow for other reasons, come first.
 */
static void pairs(void **state)
{
	(void)state;
	begin();
	add("lacking", 0, 0);
	add("soft", 100, 50)->software = true;
	add("a", 100, 50);
	add("b", 100, 60);
	/* Just fast enough. */
	add("c", 100, 90);
	add("d", 100, 70);
	/* The worst of two counts, whichever comes first; 90 of 100 is not slow. */
	together(2, 60, 3, 89);
	together(2, 80, 5, 90);
	together(3, 55, 5, 86);
	bed.rails[2].near.rate_mbps = 100000;
	bed.rails[2].far.rate_mbps = 25000;
	bed.rails[3].near.rate_mbps = 10000;
	bed.rails[3].far.rate_mbps = 25000;
	bed.rails[4].far.rate_mbps = 25000;
	run();
	assert_string_equal(bed.shown, "rails-write, lacking alone\nrails-write, soft alone\n"
				       "rails-write, a alone\nrails-write, b alone\n"
				       "rails-write, c alone\nrails-write, d alone\n"
				       "rails-write, all together\n"
				       "pairs of slow rails\npairs of slow rails\n"
				       "pairs of slow rails\n");
	assert_int_equal(bed.results.count, 7);
	expect(0,
	       "rails-write host\\x1bb lacking/1 far/9 65536 bytes 3 pairs exchange 250 ms -1 of "
	       "-1 of -1, " CPUS
	       ": skip: alone: bandwidth-write: the device has no atomic operations");
	expect(1, "rails-write host\\x1bb soft/2 far/9 65536 bytes 3 pairs exchange 250 ms 50 of "
		  "100 of -1, " CPUS
		  ": pass: soft: 100 Gb/s alone, 50 alongside the other 4: software devices share "
		  "the processors, so this says nothing about the network");
	expect(2,
	       "rails-write host\\x1bb a/3 far/9 65536 bytes 3 pairs exchange 250 ms 50 of 100 of "
	       "25, " CPUS ": fail: a: 100 Gb/s alone, 60 alongside b: " GUESS);
	expect(3,
	       "rails-write host\\x1bb b/4 far/9 65536 bytes 3 pairs exchange 250 ms 60 of 100 of "
	       "10, " CPUS ": fail: b: 100 Gb/s alone, 55 alongside d: " GUESS);
	expect(4,
	       "rails-write host\\x1bb c/5 far/9 65536 bytes 3 pairs exchange 250 ms 90 of 100 of "
	       "-1, " CPUS ": pass: -");
	expect(5,
	       "rails-write host\\x1bb d/6 far/9 65536 bytes 3 pairs exchange 250 ms 70 of 100 of "
	       "-1, " CPUS ": fail: d: 100 Gb/s alone, 86 alongside b: " GUESS);
	expect(6,
	       "rails-write-sum host\\x1bb -/0 -/0 65536 bytes 3 pairs exchange 250 ms 320 of 500 "
	       "of -1, -, -: pass: 5 of 6 rails together");
	assert_null(bed.results.items[1]->next_step);
	assert_string_equal(bed.results.items[2]->next_step, HINT);
	assert_string_equal(bed.results.items[5]->next_step, HINT);
	end();
}

/* At most ten pairs are measured: with more slow rails, none. Two rails have no third one. */
static void numbers_of_pairs(void **state)
{
	static const struct {
		size_t rails, slow, pairs;
	} rows[] = {{2, 2, 0}, {3, 1, 0}, {3, 2, 1}, {4, 4, 6}, {5, 5, 10}, {6, 6, 0}};
	static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t pairs = 0;

		begin();
		for (size_t k = 0; k < rows[i].rails; k++)
			add(names[k], 100, k < rows[i].slow ? 50 : 100);
		run();
		for (const char *at = bed.shown; (at = strstr(at, "pairs of")); at++)
			pairs++;
		assert_int_equal(pairs, rows[i].pairs);
		assert_int_equal(bed.results.count, rows[i].rails + 1);
		end();
	}
}

/* Each requested operation is measured with each size, from the start again. */
static void operations(void **state)
{
	static const struct {
		const char *test;
		uint64_t bytes;
	} wanted[] = {
		{"rails-send", 64},	 {"rails-send-sum", 64},  {"rails-send", 128},
		{"rails-send-sum", 128}, {"rails-read", 64},	  {"rails-read-sum", 64},
		{"rails-read", 128},	 {"rails-read-sum", 128}, {"rails-atomic", 8},
		{"rails-atomic-sum", 8},
	};

	(void)state;
	begin();
	add("a", 100, 100);
	bed.request.operations = SELFTEST_SEND | SELFTEST_READ | SELFTEST_ATOMIC;
	bed.request.sizes[0] = 64;
	bed.request.sizes[1] = 128;
	bed.request.size_count = 2;
	bed.request.by_cm = true;
	bed.request.queue_pairs = 0;
	bed.request.iterations = 5;
	bed.request.duration_msec = 0;
	bed.request.latency = bed.request.bandwidth = true;
	run();
	assert_int_equal(bed.results.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		assert_string_equal(bed.results.items[i]->test, wanted[i].test);
		assert_int_equal(bed.results.items[i]->size_bytes.value, wanted[i].bytes);
		assert_int_equal(bed.results.items[i]->verdict.value, SELFTEST_PASS);
	}
	expect(0,
	       "rails-send host\\x1bb a/1 far/9 64 bytes 1 pairs cm -1 ms 100 of 100 of -1, " CPUS
	       ": pass: -");
	end();
}

/* The rail breaks down only when it runs beside others. */
static void breaks_together(void **state)
{
	(void)state;
	begin();
	add("fragile", 100, 100);
	add("b", 100, 100);
	bed.request.duration_msec = 0;
	run();
	expect(0,
	       "rails-write host\\x1bb fragile/1 far/9 65536 bytes 3 pairs exchange 1000 ms -1 of "
	       "100 of -1, " CPUS
	       ": fail: together: the process of this rail ended without a result");
	assert_string_equal(bed.results.items[0]->next_step,
			    "the kernel log (dmesg) shows whether it crashed or ran out of memory");
	expect(1,
	       "rails-write host\\x1bb b/2 far/9 65536 bytes 3 pairs exchange 1000 ms 100 of 100 "
	       "of -1, " CPUS ": pass: -");
	expect(2,
	       "rails-write-sum host\\x1bb -/0 -/0 65536 bytes 3 pairs exchange 1000 ms 100 of 200 "
	       "of -1, -, -: fail: 1 of 2 rails together");
	assert_string_equal(bed.results.items[2]->next_step,
			    "the rows of the rails that carried nothing say why");
	end();
}

/* The sum of all rails is compared; exactly the expected bandwidth is enough. */
static void expected(void **state)
{
	static const char step[] = "rdmactl topo, on both hosts, shows which adapters share a link";

	(void)state;
	begin();
	add("a", 100, 95);
	add("b", 100, 94.5);
	bed.request.expect_gbps = 95;
	run();
	expect(0,
	       "rails-write host\\x1bb a/1 far/9 65536 bytes 3 pairs exchange 250 ms 95 of 100 of "
	       "-1, " CPUS ": pass: -");
	expect(1,
	       "rails-write host\\x1bb b/2 far/9 65536 bytes 3 pairs exchange 250 ms 94.5 of 100 "
	       "of -1, " CPUS ": fail: the bandwidth together is 94.50 Gb/s, expected at least "
	       "95.00 Gb/s");
	assert_string_equal(bed.results.items[1]->next_step, step);
	end();
}

/* When the user interrupts the measurement, there are no rows. */
static void interrupted(void **state)
{
	const int signals = eventfd(1, EFD_CLOEXEC);

	(void)state;
	begin();
	add("a", 100, 95);
	bed.request.signals = signals;
	assert_int_equal(rails_run(&bed.request, bed.rails, bed.count, &bed.results), -EINTR);
	assert_int_equal(bed.results.count, 0);
	assert_string_equal(bed.shown, "rails-write, a alone\n");
	close(signals);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs),      cmocka_unit_test(numbers_of_pairs),
		cmocka_unit_test(operations), cmocka_unit_test(breaks_together),
		cmocka_unit_test(expected),   cmocka_unit_test(interrupted),
	};

	present = mmap(NULL, sizeof(*present), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
