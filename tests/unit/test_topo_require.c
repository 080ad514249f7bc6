/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl topo --require: how far the nearest active adapter of each accelerator is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cmd/topo/topo_run.h"

enum { MOST = 4 };

static void add(struct topo_run *run, const char *name, enum topology_kind kind,
		enum tristate active, const char *bridge, unsigned int numa)
{
	struct topology_node *node = &run->topology.nodes[run->topology.count++];

	node->name = mem_string(name);
	node->kind = number_of(kind);
	node->active = active;
	node->pci_address = mem_string(name);
	node->host_bridge = mem_string(bridge);
	node->place_source = number_of(TOPOLOGY_MEASURED);
	node->numa_node = number_of(numa);
	node->numa_source = number_of(TOPOLOGY_MEASURED);
	run->rows[run->row_count++] = node;
}

/* Checks again, and compares the status and the problems. */
static void assert_check(struct topo_run *run, enum topology_class class, int status,
			 const char *wanted)
{
	char *text = mem_string("");

	run->listing.status = STATUS_DONE;
	assert_true(topo_check(run, class));
	for (size_t i = 0; i < run->listing.problems.count; i++)
		mem_extend(&text, "%s: %s -> %s\n", run->listing.problems.items[i].object,
			   run->listing.problems.items[i].error,
			   run->listing.problems.items[i].hint);
	assert_string_equal(text, wanted);
	assert_int_equal(run->listing.status, status);
	free(text);
	problems_free(&run->listing.problems);
	run->listing.problems = (struct problems){.items = NULL};
}

static void required(void **state)
{
	struct topology_node *rows[MOST];
	struct topo_args args = {.all = false};
	struct topo_run run = {.rows = rows, .args = &args};

	(void)state;
	run.topology.nodes = mem_alloc_zero(MOST, sizeof(*run.topology.nodes));
	/* The nearer adapter is down, and does not count. */
	add(&run, "m0", TOPOLOGY_NIC, TRISTATE_NO, "pci1", 0);
	add(&run, "gpu0", TOPOLOGY_ACCELERATOR, TRISTATE_UNKNOWN, "pci1", 0);
	add(&run, "m1", TOPOLOGY_NIC, TRISTATE_YES, "pci9", 1);
	add(&run, "m2", TOPOLOGY_NIC, TRISTATE_UNKNOWN, "pci2", 0);
	assert_check(&run, TOPOLOGY_SYSTEM, STATUS_DONE, "");
	assert_check(&run, TOPOLOGY_NUMA, STATUS_DONE, "");
	assert_check(&run, TOPOLOGY_HOST_BRIDGE, STATUS_FAULT,
		     "gpu0: the nearest active adapter, m2, is at NODE -> rdmactl topo shows all "
		     "distances\n");
	run.topology.nodes[3].active = TRISTATE_NO;
	assert_check(&run, TOPOLOGY_NUMA, STATUS_FAULT,
		     "gpu0: the nearest active adapter, m1, is at SYS -> rdmactl topo shows all "
		     "distances\n");
	/* An adapter at an unknown distance may be nearer. */
	run.topology.nodes[3].active = TRISTATE_YES;
	run.topology.nodes[3].place_source = number_of(TOPOLOGY_UNKNOWN);
	assert_check(&run, TOPOLOGY_NUMA, STATUS_PARTIAL,
		     "gpu0: the distance to the adapters cannot be determined -> rdmactl topo -v "
		     "says why\n");
	assert_check(&run, TOPOLOGY_SYSTEM, STATUS_DONE, "");
	/* A software device has no place, and does not count as an adapter. */
	run.topology.nodes[3].role = number_of(TOPOLOGY_SOFTWARE);
	assert_check(&run, TOPOLOGY_NUMA, STATUS_FAULT,
		     "gpu0: the nearest active adapter, m1, is at SYS -> rdmactl topo shows all "
		     "distances\n");
	run.topology.nodes[3].role = number_of(TOPOLOGY_PHYSICAL);
	run.topology.nodes[2].active = run.topology.nodes[3].active = TRISTATE_NO;
	assert_check(&run, TOPOLOGY_SYSTEM, STATUS_FAULT,
		     "gpu0: no adapter has an active port -> rdmactl topo shows all distances\n");
	/* A fault of one accelerator is not hidden by unknown distances of the next. */
	run.topology.nodes[0].active = TRISTATE_YES;
	run.topology.nodes[3].kind = number_of(TOPOLOGY_ACCELERATOR);
	assert_check(&run, TOPOLOGY_SWITCHES, STATUS_FAULT,
		     "gpu0: the nearest active adapter, m0, is at PHB -> rdmactl topo shows all "
		     "distances\n"
		     "m2: the distance to the adapters cannot be determined -> rdmactl topo -v "
		     "says why\n");
	topology_clear(&run.topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(required),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
