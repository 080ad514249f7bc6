/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What netlink adds to the functions of adapters: a PF's settings for its VFs, VFs that are not PCI
 * functions, the driver's switches, and what is reported if that cannot be read. The kernel's
 * answers are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/mem.h"
#include "host/sriov/function.h"
#include "host/sriov/vf.h"
#include "kernel/netlink/devlink.h"
#include "kernel/netlink/genl.h"

static struct answers {
	int rtnl, vf, genl, family, list, switches;
	uint16_t number;
	unsigned int vf_reads, switch_reads;
} kernel;

static struct bed {
	struct function_list list;
	struct inventory inventory;
	struct problems problems;
} bed;

/* ---- Replacements of library functions ---- */

int inventory_open_rtnl(const struct inventory *inventory, struct netlink **ret_rtnl)
{
	assert_ptr_equal(inventory, &bed.inventory);
	*ret_rtnl = NULL;
	return kernel.rtnl;
}

/* VFs 0 and 2 of eth0 (index 7), and VF 0 of eth1 (index 9). */
int vf_list_read(struct netlink *rtnl, unsigned int netdev_index, struct vf_list *list)
{
	struct vf *vf;

	(void)rtnl;
	kernel.vf_reads++;
	if (kernel.vf && netdev_index == 7)
		return kernel.vf;
	vf = mem_append(&list->items, &list->count, sizeof(*vf));
	*vf = (struct vf){
		.index = number_of(0),
		.mac = mem_string(netdev_index == 7 ? "02:00:00:00:00:07" : "02:00:00:00:00:09"),
		.policy = number_of(VF_POLICY_DOWN),
		.trust = number_of(netdev_index == 7),
		.node_guid = number_of(0x10),
	};
	if (netdev_index != 7)
		return 0;
	vf = mem_append(&list->items, &list->count, sizeof(*vf));
	*vf = (struct vf){.index = number_of(2), .port_guid = number_of(0x20)};
	return 0;
}

void vf_list_clear(struct vf_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].mac);
	free(list->items);
}

int genl_open(const struct root *root, struct netlink **ret_generic)
{
	assert_null(root);
	*ret_generic = NULL;
	return kernel.genl;
}

int genl_find(struct netlink *generic, const char *const *names, uint16_t *ret_families,
	      size_t count)
{
	(void)generic;
	assert_int_equal(count, 1);
	assert_string_equal(names[0], "devlink");
	ret_families[0] = kernel.number;
	return kernel.family;
}

int devlink_read_list(struct netlink *generic, uint16_t family, struct devlink_list *list)
{
	static char names[][16] = {"0000:3b:00.0", "0000:3b:00.2"};

	(void)generic;
	assert_int_equal(family, kernel.number);
	for (size_t i = 0; !kernel.list && i < ARRAY_SIZE(names); i++) {
		struct devlink *device = mem_append(&list->items, &list->count, sizeof(*device));

		*device = (struct devlink){.name = names[i]};
	}
	return kernel.list;
}

void devlink_read_switches(struct netlink *generic, uint16_t family, struct devlink_list *list)
{
	(void)generic;
	assert_int_equal(family, kernel.number);
	kernel.switch_reads++;
	list->items[0].switches[DEVLINK_ROCE] = TRISTATE_YES;
	list->items[0].switches[DEVLINK_RDMA] = TRISTATE_NO;
	list->items[1].switches[DEVLINK_IWARP] = TRISTATE_YES;
	list->items[1].switches_rc = kernel.switches;
}

struct devlink *devlink_list_find(const struct devlink_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void devlink_list_clear(struct devlink_list *list)
{
	free(list->items);
}

/* ---- The tests ---- */

static struct function *add(const char *name, enum function_kind kind, const char *netdev,
			    uint64_t vf_count)
{
	struct function *function = mem_append(&bed.list.items, &bed.list.count, sizeof(*function));

	*function = (struct function){
		.name = mem_string(name),
		.kind = number_of(kind),
		.netdev = mem_string_or_null(netdev),
		.vf_count = number_of(vf_count),
	};
	return function;
}

static void add_link(const char *name, uint64_t index)
{
	struct link *link = link_list_add(&bed.inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
}

/*
 * Two PFs with VFs, one VF of which is a PCI function; a PF without VFs, and one without a netdev.
 */
static int set_up(void **state)
{
	struct function *vf;

	(void)state;
	kernel = (struct answers){.number = 21};
	bed = (struct bed){.list.items = NULL};
	add_link("eth0", 7);
	add_link("eth1", 9);
	add_link("eth2", 11);
	add("0000:3b:00.0", FUNCTION_PF, "eth0", 2);
	add("0000:3b:00.1", FUNCTION_PF, "eth1", 1);
	vf = add("0000:3b:00.2", FUNCTION_VF, NULL, 0);
	vf->parent = mem_string("0000:3b:00.0");
	vf->index = number_of(0);
	vf->mac = mem_string("02:00:00:00:00:01");
	add("0000:5e:00.0", FUNCTION_PF, "eth2", 0);
	add("0000:5e:00.1", FUNCTION_PF, NULL, 3);
	add("0000:5e:00.2", FUNCTION_PLAIN, "eth2", 3);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < bed.list.count; i++) {
		free(bed.list.items[i].name);
		free(bed.list.items[i].parent);
		free(bed.list.items[i].netdev);
		free(bed.list.items[i].mac);
	}
	free(bed.list.items);
	link_list_clear(&bed.inventory.links);
	problems_free(&bed.problems);
	return 0;
}

static void read_live(void)
{
	function_list_read_live(NULL, &bed.list, &bed.inventory, &bed.problems);
}

/* A function that is not a PF, or has no VFs, does not end the loop. */
static void others_before(void **state)
{
	struct function first = bed.list.items[0];

	(void)state;
	bed.list.items[0] = bed.list.items[5];
	bed.list.items[5] = first;
	read_live();
	assert_int_equal(kernel.vf_reads, 2);
	assert_int_equal(bed.list.items[5].roce, TRISTATE_YES);
	assert_int_equal(bed.problems.count, 0);
}

static void settings(void **state)
{
	const struct function *vf;

	(void)state;
	read_live();
	assert_int_equal(bed.problems.count, 0);
	/* Only PFs with VFs and a netdev are queried. */
	assert_int_equal(kernel.vf_reads, 2);
	assert_int_equal(bed.list.count, 8);
	/* The VF keeps the address that it has, whatever the PF has set. */
	vf = &bed.list.items[2];
	assert_string_equal(vf->mac, "02:00:00:00:00:01");
	assert_int_equal(vf->policy.value, VF_POLICY_DOWN);
	assert_int_equal(vf->trust, TRISTATE_YES);
	assert_int_equal(vf->node_guid.value, 0x10);
	assert_false(vf->port_guid.known);
	vf = &bed.list.items[6];
	assert_string_equal(vf->name, "0000:3b:00.0 vf 2");
	assert_string_equal(vf->parent, "0000:3b:00.0");
	assert_int_equal(vf->kind.value, FUNCTION_VF);
	assert_int_equal(vf->index.value, 2);
	assert_null(vf->mac);
	assert_int_equal(vf->trust, TRISTATE_UNKNOWN);
	assert_false(vf->policy.known);
	assert_int_equal(vf->port_guid.value, 0x20);
	/* VF 0 of another PF is a different one. */
	vf = &bed.list.items[7];
	assert_string_equal(vf->name, "0000:3b:00.1 vf 0");
	assert_string_equal(vf->mac, "02:00:00:00:00:09");
	assert_int_equal(vf->trust, TRISTATE_NO);
	/* Reading again adds nothing. */
	read_live();
	assert_int_equal(bed.list.count, 8);
}

static void switches(void **state)
{
	(void)state;
	kernel.switches = -EPERM;
	read_live();
	assert_int_equal(bed.list.items[0].roce, TRISTATE_YES);
	assert_int_equal(bed.list.items[0].rdma, TRISTATE_NO);
	assert_int_equal(bed.list.items[0].iwarp, TRISTATE_UNKNOWN);
	assert_int_equal(bed.list.items[1].roce, TRISTATE_UNKNOWN);
	assert_int_equal(bed.list.items[2].iwarp, TRISTATE_YES);
	assert_int_equal(bed.problems.count, 1);
	assert_string_equal(bed.problems.items[0].object, "0000:3b:00.2");
	assert_string_equal(bed.problems.items[0].attribute, "parameters");
	assert_string_equal(bed.problems.items[0].source, "devlink");
	assert_string_equal(bed.problems.items[0].error, strerror(EPERM));
}

static void failures(void **state)
{
	static const struct {
		struct answers answers;
		const char *object, *source;
		int error; /* 0: no problem */
	} cases[] = {
		{{.rtnl = -EMFILE, .number = 21}, "0000:3b:00.0", "rtnetlink", EMFILE},
		{{.vf = -EPERM, .number = 21}, "0000:3b:00.0", "rtnetlink", EPERM},
		{{.genl = -ENOMEM, .number = 21}, NULL, "devlink", ENOMEM},
		{{.family = -EIO, .number = 21}, NULL, "devlink", EIO},
		{{.list = -EINTR, .number = 21}, NULL, "devlink", EINTR},
		/* A kernel without devlink. */
		{{.number = 0}, NULL, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct problem *problem;

		problems_free(&bed.problems);
		bed.problems = (struct problems){.items = NULL};
		kernel = cases[i].answers;
		read_live();
		assert_int_equal(bed.problems.count, cases[i].error != 0);
		/* The other half is still read. */
		assert_int_equal(kernel.switch_reads, cases[i].object != NULL);
		/* The failure of one PF does not hide others. */
		assert_int_equal(kernel.vf_reads, kernel.rtnl ? 0 : 2);
		if (!cases[i].error)
			continue;
		problem = &bed.problems.items[0];
		if (cases[i].object)
			assert_string_equal(problem->object, cases[i].object);
		else
			assert_null(problem->object);
		assert_string_equal(problem->source, cases[i].source);
		assert_string_equal(problem->error, strerror(cases[i].error));
	}
}

/* Nobody is queried if there is no function. */
static void none(void **state)
{
	struct function_list list = {.items = NULL};

	(void)state;
	kernel.genl = kernel.rtnl = -EPERM;
	function_list_read_live(NULL, &list, &bed.inventory, &bed.problems);
	assert_int_equal(bed.problems.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(settings), TEST(others_before), TEST(switches), TEST(failures), TEST(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
