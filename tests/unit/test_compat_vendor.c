/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Personalities of vendors' scripts: the status of rxe_cfg on a snapshot made here, with distinct
 * values in each column, each MTU of verbs, and the words that it takes; the rows of show_gids.
 */
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <infiniband/verbs.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "captured.h"
#include "cmd/compat/compat.h"
#include "kernel/recording.h"
#include "kernel/verbs/verbs_record.h"
#include "netlink_message.h"
#include "saved_tree.h"

#define HEADING "  Name  Link  Driver  Speed  "
#define INSTEAD "rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n"
#define SAVED	"rxe_cfg: a saved tree cannot be changed\n"
#define USAGE                                          \
	"usage: rxe_cfg [-l] [status]\n"               \
	"       rxe_cfg start\n"                       \
	"       rxe_cfg [-f] stop\n"                   \
	"       rxe_cfg [-n] add NETDEV\n"             \
	"       rxe_cfg [-n] [-f] remove NETDEV|DEV\n" \
	"       rxe_cfg persistent\n"

static const struct netdev_row {
	const char *name;
	unsigned short type;
	unsigned int index, flags;
	const char *kind;
	uint32_t mtu;
	const char *speed; /* as the kernel writes it */
	const char *addresses[3];
} netdevs[] = {
	{"eth0",
	 ARPHRD_ETHER,
	 2,
	 IFF_UP | IFF_RUNNING,
	 NULL,
	 1500,
	 "1000",
	 {"10.20.30.40", "fe80::5054:ff:fe12:3456", "10.20.30.41"}},
	{"va", ARPHRD_ETHER, 3, IFF_UP, "veth", 9000, "10000", {"fe80::1", "192.168.100.200"}},
	{"ib0", ARPHRD_INFINIBAND, 4, IFF_UP | IFF_RUNNING, "ipoib", 2044, NULL, {"10.9.0.1"}},
	{"eth1", ARPHRD_ETHER, 5, IFF_RUNNING, NULL, 68, NULL, {"fd00::1"}},
	{"lo", ARPHRD_LOOPBACK, 6, IFF_UP | IFF_RUNNING, NULL, 65536, NULL, {"127.0.0.1"}},
};

static void note(struct text_buffer *text, unsigned int protocol, unsigned int type,
		 unsigned int flags, const void *payload, size_t length)
{
	recording_ask(text, protocol,
		      &(struct recorded_message){.type = (uint16_t)type,
						 .flags = (uint16_t)flags,
						 .length = (uint32_t)length,
						 .payload = payload});
}

static void answer(struct text_buffer *text, unsigned int type, unsigned int flags,
		   const void *payload, size_t length)
{
	recording_got(text, &(struct recorded_message){.type = (uint16_t)type,
						       .flags = (uint16_t)flags,
						       .length = (uint32_t)length,
						       .payload = payload});
}

static void end_dump(struct text_buffer *text)
{
	const int done = 0;

	answer(text, NLMSG_DONE, NLM_F_MULTI, &done, sizeof(done));
	text_buffer_add(text, "end\n");
}

static void add_links(struct text_buffer *text)
{
	const struct ifinfomsg question = {.ifi_family = AF_UNSPEC};
	struct bytes asked = {0};

	bytes_put(&asked, &question, sizeof(question));
	put_u32(&asked, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	note(text, NETLINK_ROUTE, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, asked.data,
	     asked.length);
	for (size_t i = 0; i < ARRAY_SIZE(netdevs); i++) {
		const struct netdev_row *row = &netdevs[i];
		const struct ifinfomsg header = {.ifi_index = (int)row->index,
						 .ifi_type = row->type,
						 .ifi_flags = row->flags};
		struct bytes bytes = {0}, info = {0};

		bytes_put(&bytes, &header, sizeof(header));
		put_string(&bytes, IFLA_IFNAME, row->name);
		put_u32(&bytes, IFLA_MTU, row->mtu);
		if (row->kind) {
			put_string(&info, IFLA_INFO_KIND, row->kind);
			put_nest(&bytes, IFLA_LINKINFO, &info);
		}
		answer(text, RTM_NEWLINK, NLM_F_MULTI, bytes.data, bytes.length);
	}
	end_dump(text);
}

static void add_addresses(struct text_buffer *text)
{
	const struct ifaddrmsg question = {.ifa_family = AF_UNSPEC};

	note(text, NETLINK_ROUTE, RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, &question,
	     sizeof(question));
	for (size_t i = 0; i < ARRAY_SIZE(netdevs); i++)
		for (size_t j = 0; j < ARRAY_SIZE(netdevs[i].addresses); j++) {
			const char *address = netdevs[i].addresses[j];
			const bool six = address && strchr(address, ':');
			const struct ifaddrmsg header = {.ifa_family = six ? AF_INET6 : AF_INET,
							 .ifa_prefixlen = 24,
							 .ifa_index = netdevs[i].index};
			struct bytes bytes = {0};
			uint8_t raw[16];

			if (!address)
				continue;
			assert_int_equal(inet_pton(header.ifa_family, address, raw), 1);
			bytes_put(&bytes, &header, sizeof(header));
			put_attribute(&bytes, IFA_ADDRESS, raw, six ? 16 : 4);
			answer(text, RTM_NEWADDR, NLM_F_MULTI, bytes.data, bytes.length);
		}
	end_dump(text);
}

static void verbs_answer(struct text_buffer *text, enum verbs_question question, const char *device,
			 unsigned int port, const void *structure, size_t size)
{
	struct bytes bytes = {0};
	const int32_t result = 0;

	bytes_put(&bytes, &result, sizeof(result));
	bytes_put(&bytes, structure, size);
	note(text, RECORDING_VERBS, question, port, device, strlen(device));
	answer(text, question, 0, bytes.data, sizeof(result) + size);
	text_buffer_add(text, "end\n");
}

/* Two devices on netdevs, with these MTU codes. */
static void write_verbs(const struct saved_tree *tree, enum ibv_mtu first, enum ibv_mtu second)
{
	static const struct verbs_identity identity = {.transport = IBV_TRANSPORT_IB};
	struct text_buffer text = {.text = NULL};
	_cleanup_(freep) char *whole = NULL;

	recording_begin(&text);
	verbs_answer(&text, VERBS_ASK_LIBRARY, "", 0, "", 0);
	for (int i = 0; i < 2; i++) {
		const struct ibv_port_attr port = {
			.active_mtu = i ? second : first,
			.max_mtu = IBV_MTU_4096,
			.link_layer = IBV_LINK_LAYER_ETHERNET,
		};

		verbs_answer(&text, VERBS_ASK_OPEN, i ? "rxe1" : "rxe0", 0, &identity,
			     sizeof(identity));
		verbs_answer(&text, VERBS_ASK_PORT, i ? "rxe1" : "rxe0", 1, &port, sizeof(port));
	}
	whole = text_buffer_take(&text);
	tree_write_bytes(tree, "verbs/answers", whole, strlen(whole));
}

static void make_device(const struct saved_tree *tree, const char *name, const char *netdev)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "root/sys/class/infiniband/%s", name);
	snprintf(target, sizeof(target), "../../devices/virtual/infiniband/%s", name);
	tree_link(tree, path, target);
#define WRITE(file, text)                                                                    \
	(snprintf(path, sizeof(path), "root/sys/devices/virtual/infiniband/%s/" file, name), \
	 tree_write(tree, path, text))
	WRITE("node_type", "1: CA");
	WRITE("parent", netdev);
	WRITE("ports/1/state", "4: ACTIVE");
	WRITE("ports/1/link_layer", "Ethernet");
	WRITE("ports/1/gid_attrs/ndevs/0", netdev);
#undef WRITE
}

static void make_snapshot(const struct saved_tree *tree)
{
	struct text_buffer text = {.text = NULL};
	_cleanup_(freep) char *whole = NULL;
	char path[PATH_MAX], number[16];

	tree_write(tree, "manifest.json", "{}");
	tree_write(tree, "root/sys/class/infiniband_verbs/abi_version", "6");
	for (size_t i = 0; i < ARRAY_SIZE(netdevs); i++) {
		const struct netdev_row *row = &netdevs[i];

		snprintf(path, sizeof(path), "root/sys/class/net/%s/ifindex", row->name);
		snprintf(number, sizeof(number), "%u", row->index);
		tree_write(tree, path, number);
		snprintf(path, sizeof(path), "root/sys/class/net/%s/speed", row->name);
		if (row->speed)
			tree_write(tree, path, row->speed);
	}
	tree_directory(tree, "root/sys/module/rdma_rxe");
	make_device(tree, "rxe0", "eth0");
	make_device(tree, "rxe1", "va");
	recording_begin(&text);
	add_links(&text);
	add_addresses(&text);
	whole = text_buffer_take(&text);
	tree_write_bytes(tree, "netlink/answers", whole, strlen(whole));
}

/* The output of a run with these words. */
struct run {
	int status;
	char *out, *err;
};

static void run_clear(struct run *run)
{
	free(run->out);
	free(run->err);
}

static void rxe_cfg(const struct saved_tree *tree, struct run *run, const char *const *words)
{
	const struct personality_call call = {
		.program = "rxe_cfg", .root = tree->path, .release = COMPAT_65};
	char *argv[8] = {(char[]){"rxe_cfg"}};
	struct captured out, err;
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = mem_string(words[argc - 1]);
	capture_stream(&out, stdout);
	capture_stream(&err, stderr);
	run->status = rxe_cfg_run(&call, argc, argv);
	run->err = capture_end(&err);
	run->out = capture_end(&out);
	for (int i = 1; i < argc; i++)
		free(argv[i]);
}

static void expect_status(const struct saved_tree *tree, const char *word, const char *wanted)
{
	const char *const words[] = {word, NULL};
	_cleanup_(run_clear) struct run run;

	rxe_cfg(tree, &run, words);
	assert_int_equal(run.status, 0);
	assert_string_equal(run.out, wanted);
	assert_string_equal(run.err, INSTEAD);
}

static void rows_of_status(void **state)
{
	const struct saved_tree *tree = *state;

	make_snapshot(tree);
	write_verbs(tree, IBV_MTU_1024, IBV_MTU_4096);
	expect_status(tree, NULL,
		      "  Name  Link  Driver  Speed      NMTU  IPv4_addr        RDEV  RMTU\n"
		      "  eth0  yes           1000Mb/s   1500  10.20.30.40      rxe0  1024  (3)\n"
		      "  va    no    veth    10000Mb/s  9000  192.168.100.200  rxe1  4096  (5)\n"
		      "  eth1  yes                      68                           \n");
	/* Netdevs whose link is up. */
	expect_status(tree, "-l",
		      "  Name  Link  Driver  Speed     NMTU  IPv4_addr    RDEV  RMTU\n"
		      "  eth0  yes           1000Mb/s  1500  10.20.30.40  rxe0  1024  (3)\n"
		      "  eth1  yes                     68                       \n");
}

/* The codes of enum ibv_mtu, infiniband/verbs.h. */
static void codes_of_mtus(void **state)
{
	static const struct {
		enum ibv_mtu mtu;
		const char *text;
	} samples[] = {
		{0, "  "},
		{IBV_MTU_256, "  256  (1)"},
		{IBV_MTU_512, "  512  (2)"},
		{IBV_MTU_1024, "  1024  (3)"},
		{IBV_MTU_2048, "  2048  (4)"},
		{IBV_MTU_4096, "  4096  (5)"},
	};
	static const char *const words[] = {"status", NULL};
	const struct saved_tree *tree = *state;

	make_snapshot(tree);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *wanted = mem_format("10.20.30.40      rxe0%s\n",
							   samples[i].text);
		_cleanup_(run_clear) struct run run;

		write_verbs(tree, samples[i].mtu, IBV_MTU_512);
		rxe_cfg(tree, &run, words);
		assert_non_null(strstr(run.out, wanted));
		assert_non_null(strstr(run.out, "192.168.100.200  rxe1  512  (2)\n"));
	}
}

/*
 * Without RDMA the netdevs have not been read: only their names are shown, without the loopback's.
 */
static void names_without_devices(void **state)
{
	const struct saved_tree *tree = *state;

	tree_write(tree, "sys/class/net/lo/ifindex", "1");
	tree_write(tree, "sys/class/net/loop/ifindex", "2");
	tree_write(tree, "sys/class/net/eth0/ifindex", "3");
	expect_status(tree, NULL,
		      "  Name  Link  Driver  Speed  NMTU  IPv4_addr  RDEV  RMTU\n"
		      "  eth0\n"
		      "  loop\n");
}

/* Options before and after the word; each word with and without a name. */
static void words_and_options(void **state)
{
	static const struct {
		const char *words[5];
		int status;
		const char *out, *err; /* complete texts, or their beginning */
	} samples[] = {
		{{NULL}, 0, HEADING, INSTEAD},
		{{"status", NULL}, 0, HEADING, INSTEAD},
		{{"-l", "status", NULL}, 0, HEADING, INSTEAD},
		{{"status", "-l", NULL}, 0, HEADING, INSTEAD},
		{{"-n", "-f", NULL}, 0, HEADING, INSTEAD},
		{{"help", NULL}, 0, USAGE, ""},
		{{"-h", NULL}, 0, USAGE, ""},
		{{"--help", NULL}, 0, USAGE, ""},
		{{"add", "eth0", "-h", NULL}, 0, USAGE, ""},
		{{"status", "eth0", NULL}, 1, "", USAGE},
		{{"-x", NULL}, 1, "", USAGE},
		{{"-", NULL}, 1, "", USAGE},
		{{"add", NULL}, 1, "", USAGE},
		{{"remove", NULL}, 1, "", USAGE},
		{{"remove", "-f", NULL}, 1, "", USAGE},
		{{"start", "eth0", NULL}, 1, "", USAGE},
		{{"stop", "eth0", NULL}, 1, "", USAGE},
		{{"persistent", "eth0", NULL}, 1, "", USAGE},
		{{"add", "eth0", "va", NULL}, 1, "", USAGE},
		{{"start", NULL}, 1, "", SAVED},
		{{"stop", NULL}, 1, "", SAVED},
		{{"-f", "stop", NULL}, 1, "", SAVED},
		{{"persistent", NULL}, 1, "", SAVED},
		{{"add", "eth0", NULL}, 1, "", SAVED},
		{{"add", "-n", "eth0", NULL}, 1, "", SAVED},
		{{"remove", "rxe0", "-f", "-n", NULL}, 1, "", SAVED},
	};
	const struct saved_tree *tree = *state;

	make_snapshot(tree);
	write_verbs(tree, IBV_MTU_1024, IBV_MTU_1024);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(run_clear) struct run run;

		rxe_cfg(tree, &run, samples[i].words);
		assert_int_equal(run.status, samples[i].status);
		if (*samples[i].out)
			assert_memory_equal(run.out, samples[i].out, strlen(samples[i].out));
		else
			assert_string_equal(run.out, "");
		if (*samples[i].err)
			assert_memory_equal(run.err, samples[i].err, strlen(samples[i].err));
		else
			assert_string_equal(run.err, "");
	}
}

static void put_slot(const struct saved_tree *tree, const char *port, unsigned int slot,
		     const char *gid, const char *type, const char *netdev)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/class/infiniband/%s/gids/%u", port, slot);
	tree_write(tree, path, gid);
	snprintf(path, sizeof(path), "sys/class/infiniband/%s/gid_attrs/types/%u", port, slot);
	if (type)
		tree_write(tree, path, type);
	snprintf(path, sizeof(path), "sys/class/infiniband/%s/gid_attrs/ndevs/%u", port, slot);
	if (netdev)
		tree_write(tree, path, netdev);
}

#define GIDS_HEADING                                          \
	"DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n" \
	"---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"

static void expect_gids(const struct saved_tree *tree, char *names, const char *rows,
			const char *complaints)
{
	const struct personality_call call = {.program = "show_gids", .root = tree->path};
	char *argv[] = {(char[]){"show_gids"}, names, NULL};
	_cleanup_(freep) char *wanted = mem_format(GIDS_HEADING "%s", rows), *out = NULL,
			      *err = NULL;
	struct captured captured, captured_errors;
	int status;

	capture_stream(&captured, stdout);
	capture_stream(&captured_errors, stderr);
	status = show_gids_run(&call, names ? 2 : 1, argv);
	err = capture_end(&captured_errors);
	out = capture_end(&captured);
	assert_int_equal(status, 0);
	assert_string_equal(out, wanted);
	assert_string_equal(err, complaints);
}

/*
 * The fifth column as in the script: the last four bytes, if the GID begins with a group of zeros.
 * Empty slots are skipped, unreadable ones are not.
 */
static void rows_of_gids(void **state)
{
	const struct saved_tree *tree = *state;
	static const char port[] = "mlx5_1/ports/2";
	_cleanup_(freep) char *complaints = mem_format(
		"cat: /sys/class/infiniband/mlx5_1/ports/2/gids/7: not a GID\n"
		"cat: /sys/class/infiniband/mlx5_1/ports/2/gids/8: %s\n"
		"cat: /sys/class/infiniband/mlx5_1/ports/2/gids/9: not a GID\n",
		strerror(EISDIR));

	put_slot(tree, port, 0, "0000:0000:0000:0000:0000:ffff:0a14:1e28", "IB/RoCE v1", "eth2");
	put_slot(tree, port, 1, "0000:0000:0000:0000:0000:0000:0000:0000", "RoCE v2", "eth2");
	put_slot(tree, port, 2, "fe80:0000:0000:0000:0000:0000:0000:0000", "RoCE v2", "eth2");
	put_slot(tree, port, 3, "fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2", "eth2");
	put_slot(tree, port, 4, "0000:0001:0000:0000:0000:0000:fffe:fdfc", "RoCE V3", NULL);
	put_slot(tree, port, 5, "0001:0000:0000:0000:0000:ffff:0a14:1e28", "IB", "eth3");
	put_slot(tree, port, 6, "0000:0000:0000:0000:0000:0000:0000:0001", NULL, "eth4");
	put_slot(tree, port, 7, "0000:nonsense", "RoCE v2", "eth5");
	/* After an empty slot, whose text must not be taken for the next slot's. */
	put_slot(tree, port, 75, "0000:0000:0000:0000:0000:0000:0000:0000", "RoCE v2", "eth5");
	tree_directory(tree, "sys/class/infiniband/mlx5_1/ports/2/gids/8");
	tree_write_bytes(tree, "sys/class/infiniband/mlx5_1/ports/2/gids/9", "", 0);
	tree_write(tree, "sys/class/infiniband/mlx5_1/ports/2/gids/.9", "fd00::1");
	put_slot(tree, "mlx5_0/ports/1", 3, "fd00:0000:0000:0000:0000:0000:0000:0002", "RoCE v2",
		 "eth0");
	tree_write(tree, "sys/class/infiniband/mlx5_0/ports/.1/gids/0", "fd00::1");
	tree_write(tree, "sys/class/infiniband/.mlx5_0/ports/1/gids/0", "fd00::1");
#define FIRST "mlx5_0\t1\t3\tfd00:0000:0000:0000:0000:0000:0000:0002\t\t\tv2\teth0\n"
#define SECOND                                                                             \
	"mlx5_1\t2\t0\t0000:0000:0000:0000:0000:ffff:0a14:1e28\t10.20.30.40  \tv1\teth2\n" \
	"mlx5_1\t2\t3\tfe80:0000:0000:0000:0000:0000:0000:0001\t\t\tv2\teth2\n"            \
	"mlx5_1\t2\t4\t0000:0001:0000:0000:0000:0000:fffe:fdfc\t255.254.253.252  \tV3\t\n" \
	"mlx5_1\t2\t5\t0001:0000:0000:0000:0000:ffff:0a14:1e28\t\t\t\teth3\n"              \
	"mlx5_1\t2\t6\t0000:0000:0000:0000:0000:0000:0000:0001\t0.0.0.1  \t\teth4\n"       \
	"mlx5_1\t2\t7\t\t\t\tv2\teth5\n"                                                   \
	"mlx5_1\t2\t8\t\t\t\t\t\n"                                                         \
	"mlx5_1\t2\t9\t\t\t\t\t\n"
	expect_gids(tree, NULL, FIRST SECOND "n_gids_found=9\n", complaints);
	expect_gids(tree, (char[]){"\tmlx5_1\n mlx5_0 "}, SECOND FIRST "n_gids_found=9\n",
		    complaints);
	expect_gids(tree, (char[]){" "}, FIRST SECOND "n_gids_found=9\n", complaints);
	expect_gids(tree, (char[]){"mlx5_0"}, FIRST "n_gids_found=1\n", "");
#undef FIRST
#undef SECOND
}

/* A missing object is named with its directory, and control characters in it are replaced. */
static void gids_that_are_missing(void **state)
{
	const struct saved_tree *tree = *state;
	const char *reason = strerror(ENOENT);
	_cleanup_(freep) char *nothing = mem_format(
		"ls: cannot access '/sys/class/infiniband/': %s\n", reason);
	_cleanup_(freep) char *no_device = mem_format(
		"ls: cannot access '/sys/class/infiniband/a\\x1bb/ports/': %s\n", reason);
	_cleanup_(freep) char *no_table = mem_format(
		"ls: cannot access '/sys/class/infiniband/mlx5_0/ports/1/gids/': %s\n", reason);

	expect_gids(tree, NULL, "n_gids_found=0\n", nothing);
	tree_directory(tree, "sys/class/infiniband/mlx5_0/ports/1/");
	expect_gids(tree, (char[]){"a\033b"}, "n_gids_found=0\n", no_device);
	expect_gids(tree, NULL, "n_gids_found=0\n", no_table);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_of_status, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(codes_of_mtus, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(names_without_devices, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(words_and_options, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(rows_of_gids, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(gids_that_are_missing, tree_only_set_up,
						tree_only_tear_down),
	};

	return cmocka_run_group_tests_name("compat-vendor", tests, NULL, NULL);
}
