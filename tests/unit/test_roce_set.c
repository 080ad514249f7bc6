/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `roce set` plans: which settings on which ports, netdevs and members of bonds, one by one
 * and by a profile. The inventory is built here, and a simulated kernel answers.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/dcbnl.h>
#include <net/if.h>

#include "netlink_message.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"
#include "host/need.h"
#include "idle_inventory.h"
#include "kernel/netlink/netlink.h"
#include "roce/table/profile.h"
#include "roce/table/target.h"
#include "roce/tos.h"

/* Same layout as in roce_set.c. */
struct args {
	struct change_args change;
	struct number profile;
	const char *dscp;
	struct number priority, mtu;
};

/* ---- Replacements for functions of the library ---- */

static struct link links[5];
static struct port ports[4];
static struct device devices[4];
static int load_error, kernel_error;
static int loads;	       /* of the inventory */
static const char *unreadable; /* what cannot be read of it; or NULL */
static bool links_missing;     /* the netdevs changed while they were read */
static bool links_fail;	       /* they cannot be read: idle_inventory.h */

static void make_host(void)
{
	static char names[][8] = {"nx-e0", "nx-e1", "nx-bond", "nx-e9", "nx-e8"};
	static char device_names[][8] = {"bond_0", "mlx4_0", "ib_0", "bare_0"};
	char *const netdevs[] = {names[2], names[3], NULL, NULL};
	static char bond[] = "bond";

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		links[i] = (struct link){.name = names[i], .index = number_of(i + 1)};
	links[2].kind = bond;
	links[0].master_index = links[1].master_index = number_of(3);
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		ports[i] = (struct port){.device = device_names[i],
					 .kernel_name = device_names[i],
					 .port = number_of(i == 1 ? 2 : 1),
					 .netdev = netdevs[i],
					 .link_layer = number_of(i == 2 ? LINK_LAYER_INFINIBAND
									: LINK_LAYER_ETHERNET)};
		devices[i] = (struct device){.name = device_names[i],
					     .kernel_name = device_names[i],
					     .transport = number_of(TRANSPORT_INFINIBAND),
					     .ports = &ports[i],
					     .port_count = 1};
	}
	load_error = kernel_error = loads = 0;
	unreadable = NULL;
	links_missing = links_fail = false;
}

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	assert_int_equal(request->needs, ROCE_TARGET_NEEDS | NEED_NETLINK);
	assert_non_null(notes);
	loads++;
	*inventory = (struct inventory){.answers = true};
	if (load_error)
		problem_add_text(problems, NULL, NULL, NULL, "it cannot be loaded", NULL);
	else
		inventory->devices = (struct device_list){.items = devices,
							  .count = ARRAY_SIZE(devices)};
	if (unreadable)
		problem_add_text(problems, NULL, NULL, NULL, unreadable, NULL);
	if (!links_fail)
		inventory->links = (struct link_list){
			.items = links, .count = ARRAY_SIZE(links), .missing = links_missing};
	return load_error;
}

void inventory_free(struct inventory *inventory)
{
	*inventory = (struct inventory){.answers = false};
}

/* ---- */

/* Names the netdev of the test with that number, whatever this host has. */
char *if_indextoname(unsigned int index, char name[IF_NAMESIZE])
{
	assert_in_range(index, 1, ARRAY_SIZE(links));
	return strcpy(name, links[index - 1].name);
}

/* Answers that no DSCP has a priority, and that there are no traffic classes. */
static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_GET};

	for_each_message (message, requests) {
		struct bytes datagram = {0}, payload = {0}, ieee = {0};

		bytes_put(&payload, &header, sizeof(header));
		put_nest(&payload, DCB_ATTR_IEEE, &ieee);
		if (kernel_error)
			put_error(&datagram, message->nlmsg_seq, kernel_error, NULL);
		else
			put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq,
				    payload.data, payload.length);
		fake_send(kernel, &datagram);
	}
}

/* Returns each change as a line, or the status with the message. The caller clears the plan. */
static char *planned(struct change_plan *plan, const struct args *args, const char *line)
{
	static const struct command parent = {.name = "roce", .summary = "x"};
	static const struct ctx ctx = {.command = &roce_set_command, .parent = &parent};
	const struct changer *changer = roce_set_command.data;
	struct fake_kernel kernel = {.serve = serve};
	_cleanup_(freep) char *copy = mem_string(line);
	char *words[16] = {NULL}, *rest = copy, *text = mem_string("");
	const int fd = fake_start(&kernel);
	bool good;

	assert_true(fd >= 0);
	hurry(fd);
	plan->listing.ctx = &ctx;
	plan->host.rtnl = netlink_from_fd(fd, 8192);
	for (size_t i = 0; rest && i < ARRAY_SIZE(words) - 1; i++)
		words[i] = strsep(&rest, " ");
	good = changer->plan(plan, args, words);
	for (size_t i = 0; good && i < plan->changes.count; i++) {
		const struct change *change = &plan->changes.items[i];

		mem_extend(&text, "%s %s %s", change->object, change->setting->keyword.word,
			   change->wanted);
		if (change->port.known)
			mem_extend(&text, " port %u of %s", (unsigned int)change->port.value,
				   (const char *)change->data);
		if (change->netdev_index.known)
			mem_extend(&text, " index %u", (unsigned int)change->netdev_index.value);
		mem_extend(&text, "\n");
	}
	for (size_t i = 0; i < plan->listing.problems.count; i++) {
		const struct problem *problem = &plan->listing.problems.items[i];

		mem_extend(&text, "%d %s%s%s\n  %s\n", plan->listing.status,
			   problem->attribute ?: "", problem->attribute ? ": " : "", problem->error,
			   problem->hint ?: "-");
	}
	assert_int_equal(!good, plan->listing.status != STATUS_DONE);
	netlink_free(plan->host.rtnl);
	plan->host.rtnl = NULL;
	fake_stop(&kernel);
	return text;
}

static void clear(struct change_plan *plan)
{
	changes_clear(&plan->changes);
	change_host_close(&plan->host);
	problems_free(&plan->listing.problems);
	*plan = (struct change_plan){.changes = {.count = 0}};
}

static void expect(const struct args *args, const char *line, const char *wanted)
{
	struct change_plan plan = {.changes = {.count = 0}};
	_cleanup_(freep) char *text = planned(&plan, args, line);

	clear(&plan);
	assert_string_equal(text, wanted);
}

static int set_up(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct args));
	make_host();
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

/* Port settings go to the port, the others to each member of its bond, the MTU to the bond. */
static void settings(void **state)
{
	const struct args *args = *state;

	expect(args, "bond_0 default-tos 104 pfc 3",
	       "bond_0/1 default-tos 104 port 1 of bond_0\n"
	       "nx-e0 pfc 3 index 1\n"
	       "nx-e1 pfc 3 index 2\n");
	expect(args, "nx-bond mtu 4200 default-mode roce-v2",
	       "nx-bond mtu 4200 index 3\n"
	       "bond_0/1 default-mode roce-v2 port 1 of bond_0\n");
	expect(args, "mlx4_0/2 dscp-priority +26:3 default-mode roce-v1",
	       "nx-e9 dscp-priority 26:3 index 4\n"
	       "mlx4_0/2 default-mode roce-v1 port 2 of mlx4_0\n");
	expect(args, "nx-e8 pfc none", "nx-e8 pfc none index 5\n");
	load_error = -ENODEV;
	expect(args, "nx-e8 pfc none", "nx-e8 pfc none index 5\n");
}

static void refusals(void **state)
{
	static const char lists[] = "  rdmactl netdevs lists the ports and their netdevs\n";
	const struct args *args = *state;
	_cleanup_(freep) char *unread = NULL, *unread_table = NULL;
	_cleanup_(freep) char *no_port = mem_format(
		"5 'nx-e8' is not the netdev of a RoCE port\n%s", lists);
	_cleanup_(freep) char *no_netdev = mem_format(
		"5 'bare_0' has no netdev in this network namespace\n%s", lists);

	expect(args, "nx-e8 default-tos 104", no_port);
	expect(args, "bare_0 pfc 3", no_netdev);
	expect(args, "ib_0 pfc 3",
	       "5 'ib_0' does not speak RoCE\n"
	       "  rdmactl ports lists the ports and their link layers\n");
	expect(args, "nosuch\033 pfc 3",
	       "5 'nosuch\\x1b' is neither an RDMA device or port nor a netdev\n"
	       "  rdmactl netdevs lists them\n");
	links_missing = true;
	expect(args, "nosuch pfc 3",
	       "5 'nosuch' was not found, but not everything could be read\n"
	       "  try again: the netdevs may have changed meanwhile\n");
	links_missing = false;
	expect(args, "bond_0",
	       "2 no setting is given\n  rdmactl roce set --help lists the settings\n");
	expect(args, "bond_0 lossless",
	       "2 unknown setting 'lossless'\n  a profile is an option: --profile lossless\n");
	expect(args, "bond_0 pfc 3 profile lossy",
	       "2 unknown setting 'profile'\n  a profile is an option: --profile lossless\n");
	expect(args, "bond_0 pfc 3 default-tos",
	       "2 'default-tos' needs a value: N\n"
	       "  default TOS of rdma_cm's connections: 0 to 255\n");
	kernel_error = -EIO;
	unread = mem_format("1 cannot read dscp-priority: %s\n"
			    "  -\n",
			    strerror(EIO));
	expect(args, "nx-e8 dscp-priority +26:3", unread);
	/* A request that the kernel calls invalid is not the user's fault, either. */
	kernel_error = -EINVAL;
	unread_table = mem_format(
		"1 the driver does not report its data center bridging settings: %s\n"
		"  dmesg may have the reason: the reply has no room for it\n",
		strerror(EINVAL));
	expect(args, "nx-e8 dscp-priority +26:3", unread_table);
	expect(args, "nx-e8 priority-class 3:3", unread_table);
	load_error = -EIO;
	expect(args, "bond_0 pfc 3", "1 it cannot be loaded\n  -\n");
}

/* What could not be read is told if the target may lack something because of it. */
static void causes(void **state)
{
	static const char no_members[] =
		"5 'nx-e8' is a bond without members in this network namespace\n"
		"  ip link set NETDEV master BOND adds one\n";
	struct args *args = *state;
	_cleanup_(freep) char *no_netdevs = mem_format(
		"5 it cannot be loaded\n  -\n"
		"5 netdevs: %s\n  -\n"
		"5 'nx-e8' was not found, but not everything could be read\n  -\n",
		strerror(EOPNOTSUPP));

	unreadable = "its netdev cannot be read";
	expect(args, "bare_0 pfc 3",
	       "5 its netdev cannot be read\n  -\n"
	       "5 'bare_0' has no netdev in this network namespace\n"
	       "  rdmactl netdevs lists the ports and their netdevs\n");
	expect(args, "bare_0 default-tos 104", "bare_0/1 default-tos 104 port 1 of bare_0\n");
	expect(args, "bond_0 pfc 9",
	       "2 '9' is not a value of pfc: it takes none, all, or priorities 0 to 7, such as 3 "
	       "or 3,4\n  rdmactl roce set --help lists the settings\n");
	unreadable = NULL;
	load_error = -ENODEV;
	links[4].kind = links[2].kind;
	/* A bond without members has an MTU of its own. */
	expect(args, "nx-e8 mtu 1500", "nx-e8 mtu 1500 index 5\n");
	expect(args, "nx-e8 pfc 3", no_members);
	args->profile = number_of(ROCE_PROFILE_LOSSLESS);
	expect(args, "nx-e8", no_members);
	args->profile.known = false;
	links_fail = true;
	expect(args, "nx-e8 pfc none", no_netdevs);
}

/* The lines of a file load the host once, unless that has problems. */
static void lines_of_a_file(void **state)
{
	const struct args *args = *state;
	struct change_host base = {.base = NULL};
	struct change_plan plans[2] = {{.host.base = &base}, {.host.base = &base}};

	for (int good = 0; good < 2; good++) {
		unreadable = good ? NULL : "something";
		loads = 0;
		for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
			_cleanup_(freep) char *text = NULL;

			plans[i].host.base = &base;
			text = planned(&plans[i], args, "mlx4_0/2 default-tos 104 mtu 1500");
			assert_string_equal(text, "mlx4_0/2 default-tos 104 port 2 of mlx4_0\n"
						  "nx-e9 mtu 1500 index 4\n");
		}
		assert_int_equal(loads, good ? 1 : 2);
		/* Another command's inventory lacks what this one needs. */
		base.inventory_needs = NEED_NETDEV;
		if (good) {
			clear(&plans[1]);
			plans[1].host.base = &base;
			free(planned(&plans[1], args, "mlx4_0/2 default-tos 104"));
			assert_int_equal(loads, 2);
		}
		for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
			clear(&plans[i]);
	}
}

/* A profile covers everything in order: the members first, the MTU, then the ports. */
static void profiles(void **state)
{
	struct args *args = *state;

	args->profile = number_of(ROCE_PROFILE_LOSSLESS);
	expect(args, "bond_0",
	       "nx-e0 dscp-priority 26:3 index 1\n"
	       "nx-e0 pfc 3 index 1\n"
	       "nx-e1 dscp-priority 26:3 index 2\n"
	       "nx-e1 pfc 3 index 2\n"
	       "bond_0/1 default-mode roce-v2 port 1 of bond_0\n"
	       "bond_0/1 default-tos 106 port 1 of bond_0\n");
	args->dscp = "cs6";
	args->priority = number_of(5);
	args->mtu = number_of(9000);
	expect(args, "nx-bond",
	       "nx-e0 dscp-priority 48:5 index 1\n"
	       "nx-e0 pfc 5 index 1\n"
	       "nx-e1 dscp-priority 48:5 index 2\n"
	       "nx-e1 pfc 5 index 2\n"
	       "nx-bond mtu 9000 index 3\n"
	       "bond_0/1 default-mode roce-v2 port 1 of bond_0\n"
	       "bond_0/1 default-tos 194 port 1 of bond_0\n");
	/* More words follow in this message. */
	args->profile = number_of(ROCE_PROFILE_LOSSY);
	args->dscp = "10";
	args->priority = args->mtu = (struct number){.known = false};
	expect(args, "nx-e8 mtu 1500",
	       "nx-e8 dscp-priority 10:3 index 5\n"
	       "nx-e8 pfc none index 5\n"
	       "nx-e8 mtu 1500 index 5\n");
	/* What a word says twice in the same way is no contradiction. */
	expect(args, "nx-e8 pfc none",
	       "nx-e8 dscp-priority 10:3 index 5\n"
	       "nx-e8 pfc none index 5\n");
	expect(args, "nx-e8 pfc 3", "2 'pfc' is set twice\n  give it once, with one value\n");
	args->dscp = "64";
	expect(args, "nx-e8", "2 '64' is not a DSCP\n  " TOS_DSCP_HINT "\n");
	args->dscp = NULL;
	expect(args, "bare_0",
	       "5 'bare_0' has no netdev in this network namespace\n"
	       "  rdmactl netdevs lists the ports and their netdevs\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {TEST(settings), TEST(refusals), TEST(causes),
					   TEST(lines_of_a_file), TEST(profiles)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
