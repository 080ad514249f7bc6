/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the user is logged in, from a saved /proc and simulated netdevs. */
#include "saved_tree.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "change/netdev.h"
#include "change/session.h"

static void named_task(const struct saved_tree *tree, unsigned int process, unsigned int parent,
		       const char *name)
{
	_cleanup_(freep) char *path = mem_format("proc/%u/status", process);
	_cleanup_(freep) char *text = mem_format("Name:\t%s\nTgid:\t%u\nPid:\t%u\nPPid:\t%u\n",
						 name, process, process, parent);
	_cleanup_(freep) char *place = mem_format("proc/%u/fd/", process);

	tree_write(tree, path, text);
	tree_directory(tree, place);
}

static void task(const struct saved_tree *tree, unsigned int process, unsigned int parent)
{
	named_task(tree, process, parent, "x");
}

static void descriptor(const struct saved_tree *tree, unsigned int process, unsigned int number,
		       const char *target)
{
	_cleanup_(freep) char *path = mem_format("proc/%u/fd/%u", process, number);

	tree_link(tree, path, target);
}

#define HEAD                                                                                  \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  " \
	"timeout inode\n"

/* Returns an address as the kernel prints it on this host. */
static char *hex(const char *ip)
{
	uint32_t words[4] = {0};

	if (inet_pton(AF_INET, ip, words) == 1)
		return mem_format("%08X", words[0]);
	assert_int_equal(inet_pton(AF_INET6, ip, words), 1);
	return mem_format("%08X%08X%08X%08X", words[0], words[1], words[2], words[3]);
}

static char *line(unsigned int number, const char *local, const char *remote, unsigned int st,
		  unsigned int inode)
{
	_cleanup_(freep) char *from = hex(local), *to = hex(remote);

	return mem_format("%4u: %s:0016 %s:C001 %02X 00000000:00000000 02:000A7D4E 00000000     0 "
			  "       0 %u 4 0000000000000000 20 4 31 10 -1\n",
			  number, from, to, st, inode);
}

static void table(const struct saved_tree *tree, unsigned int process, const char *name,
		  const char *first, const char *second)
{
	_cleanup_(freep) char *path = mem_format("proc/%u/net/%s", process, name);
	_cleanup_(freep) char *text = mem_format(HEAD "%s%s", first, second);

	tree_write(tree, path, text);
}

/* A shell below sshd, which has both a listening socket and the connection. */
static void log_in(const struct saved_tree *tree)
{
	_cleanup_(freep) char *listens = line(0, "0.0.0.0", "0.0.0.0", 10, 50);
	_cleanup_(freep) char *connected = line(1, "10.1.1.5", "10.9.9.9", 1, 51);

	task(tree, 1, 0);
	task(tree, 20, 1);
	task(tree, 30, 20);
	task(tree, 40, 30);
	descriptor(tree, 20, 0, "/dev/null");
	descriptor(tree, 20, 3, "socket:[50]");
	descriptor(tree, 20, 4, "socket:[51]");
	descriptor(tree, 30, 0, "/dev/pts/0");
	table(tree, 20, "tcp", listens, connected);
}

static void expect_ip(const struct ip_address *address, const char *text)
{
	char is[IP_TEXT_SIZE];

	ip_format(address, is);
	assert_string_equal(is, text);
}

static void the_connection_of_an_ancestor(void **state)
{
	struct session_socket session = {.process = 0};
	const struct saved_tree *tree = *state;

	log_in(tree);
	assert_int_equal(session_find_socket(&tree->root, 40, &session), 0);
	assert_int_equal(session.process, 20);
	expect_ip(&session.local, "10.1.1.5");
	expect_ip(&session.remote, "10.9.9.9");
}

static void one_that_only_listens_is_none(void **state)
{
	struct session_socket session = {.process = 7};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *listens = line(0, "0.0.0.0", "0.0.0.0", 10, 50);

	log_in(tree);
	table(tree, 20, "tcp", listens, "");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), -ENOENT);
	assert_int_equal(session.process, 7);
}

/*
 * A shell below mosh-server, whose UDP socket has no peer; other programs have such sockets, too.
 */
static void a_session_by_mosh(void **state)
{
	struct session_socket session = {.process = 0};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *four = line(0, "10.1.1.5", "0.0.0.0", 7, 51);
	_cleanup_(freep) char *six = line(0, "fd00::5", "::", 7, 51);

	log_in(tree);
	table(tree, 20, "tcp", "", "");
	table(tree, 20, "udp", four, "");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), -ENOENT);
	named_task(tree, 20, 1, "mosh-server");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), 0);
	assert_int_equal(session.process, 20);
	expect_ip(&session.local, "10.1.1.5");
	assert_int_equal(session.remote.family, AF_UNSPEC);
	table(tree, 20, "udp", "", "");
	table(tree, 20, "udp6", six, "");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), 0);
	expect_ip(&session.local, "fd00::5");
}

/* The client of tmux or screen may be logged in in any way. */
static void a_session_that_is_kept(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} rows[] = {{"tmux: server", -ENOTCONN}, {"screen", -ENOTCONN}, {"tmux: client", -ENOENT}};
	struct session_socket session = {.process = 0};
	const struct saved_tree *tree = *state;

	log_in(tree);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		named_task(tree, 30, 1, rows[i].name);
		assert_int_equal(session_find_socket(&tree->root, 40, &session), rows[i].rc);
	}
	/* The server may still be below the shell that started it. */
	named_task(tree, 30, 20, "screen");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), 0);
	assert_int_equal(session.process, 20);
}

static void ipv6_and_ipv4_in_it(void **state)
{
	struct session_socket session = {.process = 0};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *six = line(0, "fd00::5", "fd00::9", 1, 51);
	_cleanup_(freep) char *mapped = line(0, "::ffff:10.1.1.5", "::ffff:10.9.9.9", 1, 51);

	log_in(tree);
	table(tree, 20, "tcp", "", "");
	table(tree, 20, "tcp6", six, "");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), 0);
	expect_ip(&session.local, "fd00::5");
	table(tree, 20, "tcp6", mapped, "");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), 0);
	expect_ip(&session.local, "10.1.1.5");
	assert_int_equal(session.local.family, AF_INET);
}

static void descriptors_that_cannot_be_seen(void **state)
{
	struct session_socket session = {.process = 0};
	const struct saved_tree *tree = *state;

	log_in(tree);
	task(tree, 60, 55);
	task(tree, 55, 1);
	tree_delete(tree, "proc/55/fd");
	tree_link(tree, "proc/55/fd", "!EACCES");
	assert_int_equal(session_find_socket(&tree->root, 60, &session), -EACCES);
}

/* Hostile text: truncated lines, too many digits, a parent that is its own child. */
static void damaged_tables(void **state)
{
	struct session_socket session = {.process = 0};
	const struct saved_tree *tree = *state;

	log_in(tree);
	task(tree, 30, 40);
	assert_int_equal(session_find_socket(&tree->root, 40, &session), -ENOENT);
	task(tree, 30, 20);
	table(tree, 20, "tcp", "   1: 0501010A:0016 09090", "");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), -ENOENT);
	table(tree, 20, "tcp", "   1: 0501010A0501010A:0016 0909090A:C001 01 0:0 0:0 0 0 0 51 1\n",
	      "   1: 00000000000000000000000000000000000000000000000000000000000000000000:0016 "
	      "0909090A:C001 01 0:0 0:0 0 0 0 51 1");
	assert_int_equal(session_find_socket(&tree->root, 40, &session), -ENOENT);
}

static struct link *add_link(struct link_list *links, unsigned int index, const char *name)
{
	struct link *link = link_list_add(links);

	number_set(&link->index, index);
	link->name = mem_string(name);
	return link;
}

/* vlan7 on bond0, whose members are eth0 and eth1; eth2 beside it. */
static void netdevs_below(void **state)
{
	struct link_list links = {.items = NULL};
	const struct number vlan = number_of(7), loop = number_of(9), none = number_of(99);

	(void)state;
	add_link(&links, 1, "eth0");
	number_set(&links.items[0].master_index, 5);
	add_link(&links, 2, "eth1");
	number_set(&links.items[1].master_index, 5);
	add_link(&links, 3, "eth2");
	add_link(&links, 5, "bond0");
	number_set(&add_link(&links, 7, "vlan7")->lower_index, 5);
	number_set(&add_link(&links, 9, "va")->lower_index, 10); /* the two ends of a veth */
	number_set(&add_link(&links, 10, "vb")->lower_index, 9);
	assert_true(session_goes_over(&links, &vlan, "vlan7"));
	assert_true(session_goes_over(&links, &vlan, "bond0"));
	assert_true(session_goes_over(&links, &vlan, "eth0"));
	assert_true(session_goes_over(&links, &vlan, "eth1"));
	assert_false(session_goes_over(&links, &vlan, "eth2"));
	assert_false(session_goes_over(&links, &loop, "eth2"));
	assert_false(session_goes_over(&links, &none, "eth0"));
	link_list_clear(&links);
}

static bool is_vlan(const struct link *link)
{
	return !strncmp(link->name, "vlan", 4);
}

/* Marks from one netdev, and compares the names of those that are marked, in their order. */
static void expect_marked(const struct link_list *links, const char *from,
			  bool (*keeps_lower)(const struct link *), const char *names)
{
	_cleanup_(freep) bool *marks = mem_alloc_zero(links->count, sizeof(*marks));
	_cleanup_(freep) char *marked = mem_string("");

	marks[link_by_name(links, from) - links->items] = true;
	netdev_mark(links, marks, keeps_lower);
	for (size_t i = 0; i < links->count; i++)
		if (marks[i])
			mem_extend(&marked, "%s ", links->items[i].name);
	assert_string_equal(marked, names);
}

/*
 * A bond whose members are another bond and a netdev, a VLAN on it, and one whose netdev is in
 * another namespace, where the same number is another netdev's.
 */
static void netdevs_that_follow(void **state)
{
	struct link_list links = {.items = NULL};
	struct link *elsewhere;

	(void)state;
	number_set(&add_link(&links, 1, "eth0")->master_index, 5);
	number_set(&add_link(&links, 2, "eth1")->master_index, 5);
	number_set(&add_link(&links, 3, "eth2")->master_index, 6);
	add_link(&links, 4, "eth3");
	number_set(&add_link(&links, 5, "inner")->master_index, 6);
	add_link(&links, 6, "outer");
	number_set(&add_link(&links, 7, "vlan7")->lower_index, 6);
	elsewhere = add_link(&links, 8, "vlan8");
	number_set(&elsewhere->lower_index, 4);
	elsewhere->lower_elsewhere = true;
	number_set(&add_link(&links, 9, "child")->lower_index, 4);
	expect_marked(&links, "eth0", NULL, "eth0 inner outer vlan7 ");
	expect_marked(&links, "inner", NULL, "inner outer vlan7 ");
	expect_marked(&links, "eth3", NULL, "eth3 child ");
	expect_marked(&links, "vlan7", NULL, "vlan7 ");
	expect_marked(&links, "eth0", is_vlan, "eth0 eth1 eth2 inner outer vlan7 ");
	expect_marked(&links, "vlan7", is_vlan, "vlan7 ");
	expect_marked(&links, "vlan8", is_vlan, "vlan8 ");
	expect_marked(&links, "child", is_vlan, "eth3 child ");
	link_list_clear(&links);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(the_connection_of_an_ancestor),
		TREE_TEST(one_that_only_listens_is_none),
		TREE_TEST(a_session_by_mosh),
		TREE_TEST(a_session_that_is_kept),
		TREE_TEST(ipv6_and_ipv4_in_it),
		TREE_TEST(descriptors_that_cannot_be_seen),
		TREE_TEST(damaged_tables),
		cmocka_unit_test(netdevs_below),
		cmocka_unit_test(netdevs_that_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
