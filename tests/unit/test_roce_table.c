/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The full records of RoCE ports read from a saved tree, and the defaults of rdma_cm:
 * drivers/infiniband/core/cma_configfs.c.
 */
#include "saved_tree.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "roce/cma.h"
#include "roce/table/roce.h"
#include "roce/tos.h"

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct roce_list list;
	struct problems problems;
};

static int set_up(void **state)
{
	tree_set_up(state, sizeof(struct bed));
	tree_directory(&((struct bed *)*state)->tree, "sys");
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	roce_list_clear(&bed->list);
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static struct port *add_port(struct bed *bed, const char *name, enum transport transport,
			     const char *netdev)
{
	struct device *device = device_list_add(&bed->inventory.devices, name);
	struct port *port = device_add_port(device, 1);

	device->driver = mem_string("mlx5_core");
	device->transport = number_of(transport);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->netdev = mem_string_or_null(netdev);
	return port;
}

static struct link *add_link(struct bed *bed, const char *name, unsigned int index, uint64_t mtu)
{
	struct link *link = link_list_add(&bed->inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	link->mtu_bytes = number_of(mtu);
	return link;
}

static void say(char **text, const char *what, const char *value)
{
	if (value)
		mem_extend(text, " %s=%s", what, value);
}

static void say_number(char **text, const char *what, const struct number *number)
{
	if (number->known)
		mem_extend(text, " %s=%llu", what, (unsigned long long)number->value);
}

/* Loads everything again, and compares the records and the problems. */
static void assert_list(struct bed *bed, const struct number *tos, const char *wanted)
{
	char *text = mem_string(""), *whole;

	roce_list_clear(&bed->list);
	bed->list = (struct roce_list){.items = NULL};
	assert_int_equal(roce_list_load(&bed->list, &bed->inventory, bed->tree.path, tos,
					&bed->problems),
			 0);
	for (size_t i = 0; i < bed->list.count; i++) {
		const struct roce_port *port = &bed->list.items[i];

		mem_extend(&text, "%s/%u:", port->device, (unsigned int)port->port.value);
		say(&text, "netdev", port->netdev);
		say(&text, "bond", port->bond);
		say_number(&text, "mode", &port->default_mode);
		say_number(&text, "default", &port->default_tos);
		say_number(&text, "global", &port->global_tos);
		say_number(&text, "tos", &port->tos);
		say_number(&text, "from", &port->tos_source);
		say(&text, "trust", port->trust);
		say(&text, "send", port->ecn_send);
		say(&text, "receive", port->ecn_receive);
		say_number(&text, "cnp", &port->cnp_dscp);
		say_number(&text, "priority", &port->cnp_priority);
		say(&text, "pause", port->pause);
		say_number(&text, "mtu", &port->netdev_mtu_bytes);
		say_number(&text, "rdma", &port->rdma_mtu_bytes);
		say_number(&text, "active", &port->active_mtu_bytes);
		mem_extend(&text, "\n");
	}
	for (size_t i = 0; i < bed->problems.count; i++)
		mem_extend(&text, "%s: %s < %s: %s\n",
			   bed->problems.items[i].object ? bed->problems.items[i].object : "-",
			   bed->problems.items[i].attribute, bed->problems.items[i].source,
			   bed->problems.items[i].error);
	/* One problem covers all netdevs of a saved tree. */
	whole = mem_format("%s-: data center bridging < rtnetlink: a saved tree does not hold what "
			   "netlink answers\n",
			   wanted);
	assert_string_equal(text, whole);
	free(whole);
	free(text);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
}

#define CMA "sys/kernel/config/rdma_cm/mlx5_0/ports/1/"
#define TC  "sys/class/infiniband/mlx5_0/tc/1/traffic_class"

static void records(void **state)
{
	const struct number none = {.known = false}, asked = number_of(106);
	struct bed *bed = *state;
	struct port *port = add_port(bed, "mlx5_0", TRANSPORT_ROCE, "eth0");
	char path[96];

	add_port(bed, "mlx5_1", TRANSPORT_INFINIBAND, NULL)->link_layer = number_of(
		LINK_LAYER_INFINIBAND);
	add_port(bed, "iw0", TRANSPORT_IWARP, NULL);
	add_port(bed, "mlx5_2", TRANSPORT_ROCE, NULL);
	port = &bed->inventory.devices.items[0].ports[0];
	add_link(bed, "eth0", 3, 9000);
	assert_list(bed, &none,
		    "mlx5_0/1: netdev=eth0 tos=0 from=3 mtu=9000 rdma=4096\n"
		    "mlx5_2/1: tos=0 from=3\n");
	assert_int_equal(bed->list.items[0].tos_source.value, TOS_UNTOUCHED);
	tree_write(&bed->tree, CMA "default_roce_mode", "IB/RoCE v1");
	tree_write(&bed->tree, CMA "default_roce_tos", "104");
	tree_write(&bed->tree, "sys/class/net/eth0/qos/trust", "dscp");
	port->active_mtu_bytes = number_of(1024);
	assert_list(bed, &none,
		    "mlx5_0/1: netdev=eth0 mode=1 default=104 tos=104 from=2 trust=dscp mtu=9000 "
		    "rdma=4096 active=1024\n"
		    "mlx5_2/1: tos=0 from=3\n");
	assert_int_equal(bed->list.items[0].tos_source.value, TOS_CONFIGURED);
	tree_write(&bed->tree, CMA "default_roce_mode", "RoCE v2");
	tree_write(&bed->tree, TC, "Global tclass=96\nsomething else");
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "sys/class/net/eth0/ecn/roce_rp/enable/%u", i);
		tree_write(&bed->tree, path, i == 3 || i == 5 ? "1" : "0");
		snprintf(path, sizeof(path), "sys/class/net/eth0/ecn/roce_np/enable/%u", i);
		tree_write(&bed->tree, path, i == 7 ? "1" : "0");
	}
	tree_write(&bed->tree, "sys/class/net/eth0/ecn/roce_np/cnp_dscp", "48");
	assert_list(bed, &none,
		    "mlx5_0/1: netdev=eth0 mode=2 default=104 global=96 tos=96 from=1 trust=dscp "
		    "send=3, 5 receive=7 cnp=48 mtu=9000 rdma=4096 active=1024\n"
		    "mlx5_2/1: tos=0 from=3\n");
	assert_int_equal(bed->list.items[0].tos_source.value, TOS_GLOBAL);
	assert_list(bed, &asked,
		    "mlx5_0/1: netdev=eth0 mode=2 default=104 global=96 tos=106 from=0 trust=dscp "
		    "send=3, 5 receive=7 cnp=48 mtu=9000 rdma=4096 active=1024\n"
		    "mlx5_2/1: tos=106 from=0\n");
	/* A value in an unknown form is a problem, or is ignored. */
	tree_write(&bed->tree, CMA "default_roce_mode", "RoCE v3");
	tree_write(&bed->tree, CMA "default_roce_tos", "256");
	tree_write(&bed->tree, TC, "tclass=96");
	tree_delete(&bed->tree, "sys/class/net/eth0");
	assert_list(bed, &none,
		    "mlx5_0/1: netdev=eth0 tos=0 from=3 mtu=9000 rdma=4096 active=1024\n"
		    "mlx5_2/1: tos=0 from=3\n"
		    "mlx5_0/1: default_roce_mode < sysfs: unexpected text 'RoCE v3'\n"
		    "mlx5_0/1: default_roce_tos < sysfs: unexpected text '256'\n");
}

/* A port on a bond has a record for each member. */
static void members(void **state)
{
	const struct number none = {.known = false};
	struct bed *bed = *state;

	add_port(bed, "mlx5_bond_0", TRANSPORT_ROCE, "bond0");
	add_port(bed, "mlx5_3", TRANSPORT_ROCE, "eth3");
	add_link(bed, "bond0", 9, 9000)->kind = mem_string("bond");
	assert_list(bed, &none,
		    "mlx5_bond_0/1: netdev=bond0 tos=0 from=3 mtu=9000 rdma=4096\n"
		    "mlx5_3/1: tos=0 from=3\n");
	add_link(bed, "eth0", 3, 1500)->master_index = number_of(9);
	add_link(bed, "eth2", 5, 1500);
	add_link(bed, "eth1", 4, 300)->master_index = number_of(9);
	add_link(bed, "eth3", 6, 4192)->master_index = number_of(9);
	assert_list(bed, &none,
		    "mlx5_bond_0/1: netdev=eth0 bond=bond0 tos=0 from=3 mtu=1500 rdma=1024\n"
		    "mlx5_bond_0/1: netdev=eth1 bond=bond0 tos=0 from=3 mtu=300 rdma=0\n"
		    "mlx5_bond_0/1: netdev=eth3 bond=bond0 tos=0 from=3 mtu=4192 rdma=4096\n"
		    "mlx5_3/1: netdev=eth3 bond=bond0 tos=0 from=3 mtu=4192 rdma=4096\n");
}

/* Whether it is told that no port's pause frames can be read: of this host, without a file left. */
static bool tells_pause(struct bed *bed)
{
	const struct number none = {.known = false};
	const int next = dup(STDIN_FILENO);
	struct rlimit before, few;
	bool tells = false;

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)next + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(roce_list_load(&bed->list, &bed->inventory, NULL, &none, &bed->problems),
			 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (size_t i = 0; i < bed->problems.count; i++)
		tells |= !strcmp(bed->problems.items[i].attribute, "pause") &&
			 !strcmp(bed->problems.items[i].error, strerror(EMFILE));
	return tells;
}

static void no_answers(void **state)
{
	struct bed *bed = *state;

	assert_false(tells_pause(bed));
	add_port(bed, "nosuch_0", TRANSPORT_ROCE, NULL);
	assert_true(tells_pause(bed));
}

static void defaults(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *none = NULL;
	char text[SYSFS_TEXT_SIZE];

	assert_int_equal(cma_defaults_read(bed->tree.path, "mlx5_0", 1, CMA_TOS, text), -ENOSYS);
	tree_directory(&bed->tree, "sys/kernel/config/rdma_cm");
	assert_int_equal(cma_defaults_read(bed->tree.path, "mlx5_0", 1, CMA_TOS, text), -ENODEV);
	tree_write(&bed->tree, CMA CMA_TOS, "104");
	assert_int_equal(cma_defaults_read(bed->tree.path, "mlx5_0", 1, CMA_TOS, text), 3);
	assert_string_equal(text, "104");
	assert_int_equal(cma_defaults_read(bed->tree.path, "mlx5_0", 2, CMA_TOS, text), -ENODEV);
	assert_int_equal(cma_defaults_read(bed->tree.path, "mlx5_0", 1, CMA_MODE, text), -ENODEV);
	assert_int_equal(cma_defaults_read(bed->tree.path, "../x", 1, CMA_TOS, text), -ENODEV);
	assert_int_equal(cma_defaults_read(bed->tree.path, "", 1, CMA_TOS, text), -ENODEV);
	assert_int_equal(cma_defaults_read(bed->tree.path, "a/b", 1, CMA_TOS, text), -ENODEV);
	tree_link(&bed->tree, CMA CMA_TOS, "!EIO");
	assert_int_equal(cma_defaults_read(bed->tree.path, "mlx5_0", 1, CMA_TOS, text), -EIO);
	none = mem_format("%s/none", bed->tree.path);
	assert_int_equal(cma_defaults_read(none, "mlx5_0", 1, CMA_TOS, text), -ENOENT);
	assert_string_equal(roce_mode_text(ROCE_MODE_V1), "IB/RoCE v1");
	assert_string_equal(roce_mode_text(ROCE_MODE_V2), "RoCE v2");
	assert_int_equal(roce_mode_of("IB/RoCE v1").value, ROCE_MODE_V1);
	assert_int_equal(roce_mode_of("RoCE v2").value, ROCE_MODE_V2);
	assert_false(roce_mode_of("RoCE").known);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {TEST(records), TEST(members), TEST(no_answers),
					   TEST(defaults)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
