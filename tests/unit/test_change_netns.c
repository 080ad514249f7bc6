/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The network namespace of a device, on a hand-made kernel: which texts name a namespace, where the
 * device is looked for, and what the kernel is asked for.
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
#include <limits.h>
#include <rdma/rdma_netlink.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/device/device.h"
#include "change/device/netns.h"
#include "kernel/netlink/nldev.h"
#include "change_bed.h"
#include "rooted.h"

enum { INDEX = 3, NET_NS_FD = RDMA_NLDEV_NET_NS_FD };

#define OWN "/proc/self/ns/net"

struct bed {
	struct fake_kernel kernel;
	struct change_host host;
	struct changes changes;
	uint8_t shared;
	bool gone;
	int get_error, settings_error, set_error;
	unsigned int sets;
	ino_t moved_to;
};

static uint32_t number_in(const struct nlmsghdr *message, unsigned int type)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number number = {0};

	assert_int_equal(nldev_parse(message + 1, message->nlmsg_len - NLMSG_HDRLEN, table), 0);
	assert_int_equal(netlink_get_number(table[type], &number), 0);
	assert_true(number.known);
	return (uint32_t)number.value;
}

/* The descriptor in the request belongs to this process. */
static void move(struct bed *bed, const struct nlmsghdr *message)
{
	struct stat status;

	assert_int_equal(number_in(message, RDMA_NLDEV_ATTR_DEV_INDEX), INDEX);
	assert_int_equal(fstat((int)number_in(message, NET_NS_FD), &status), 0);
	bed->moved_to = status.st_ino;
	bed->sets++;
}

static void answer(struct bed *bed, const struct nlmsghdr *message, struct bytes *datagram)
{
	const unsigned int command = message->nlmsg_type & 0x3ff;
	struct bytes payload = {0};
	int error = 0;

	if (command == RDMA_NLDEV_CMD_SYS_GET) {
		error = bed->settings_error;
		put_u8(&payload, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, bed->shared);
	} else if (command == RDMA_NLDEV_CMD_GET) {
		error = bed->gone ? -EINVAL : bed->get_error;
		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, INDEX);
		put_string(&payload, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	} else {
		assert_int_equal(command, RDMA_NLDEV_CMD_SET);
		move(bed, message);
		error = bed->set_error;
	}
	if (error || command == RDMA_NLDEV_CMD_SET)
		put_error(datagram, message->nlmsg_seq, error, NULL);
	else
		put_message(datagram, message->nlmsg_type, 0, message->nlmsg_seq, payload.data,
			    payload.length);
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		struct bytes datagram = {0};

		answer(kernel->context, message, &datagram);
		fake_send(kernel, &datagram);
	}
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	bed->kernel.serve = serve;
	bed->kernel.context = bed;
	*state = bed;
	return change_bed_begin(&bed->kernel, &bed->host);
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	change_bed_end(&bed->kernel, &bed->host, &bed->changes);
	free(bed);
	return 0;
}

static struct change *want(struct bed *bed, const char *value, const char *target)
{
	struct change *change;
	struct device_data *data;

	changes_clear(&bed->changes);
	change = changes_add(&bed->changes, &bed->host, &device_netns_setting, "mlx5_0", value);
	device_begin_change(change);
	change->device_index = number_of(INDEX);
	data = change->data;
	strcpy(data->name, "mlx5_0");
	snprintf(data->target, sizeof(data->target), "%s", target);
	return change;
}

/* The number of this process's namespace. */
static ino_t own_inode(void)
{
	struct stat status;

	assert_int_equal(stat(OWN, &status), 0);
	return status.st_ino;
}

static char *own_word(void)
{
	int fd;
	char *word;

	assert_int_equal(netns_open_own(&fd), 0);
	word = netns_word(fd);
	close(fd);
	return word;
}

/* A file is only opened if it is one of a network namespace. */
static void places(void **state)
{
	_cleanup_(freep) char *pid = mem_format("%d", (int)getpid());
	const struct {
		const char *text;
		int rc;
	} rows[] = {
		{OWN, 0},
		{pid, 0},
		{"", -EINVAL},
		{".", -EINVAL},
		{"..", -EINVAL},
		{"/proc/self/ns/user", -EINVAL},
		{"/proc/self/ns/uts", -EINVAL},
		{"/proc/self/cmdline", -EINVAL},
		{"/dev/null", -EINVAL},
		{"/proc/self", -EINVAL},
		{"/proc/self/ns/none", -ENOENT},
		{"no-such-name", -ENOENT},
		/* A number one above the largest process ID is a name. */
		{"2147483648", -ENOENT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stat status;
		int fd = -1;

		assert_int_equal(netns_open(rows[i].text, &fd), rows[i].rc);
		assert_int_equal(fd >= 0, !rows[i].rc);
		if (rows[i].rc)
			continue;
		assert_int_equal(fstat(fd, &status), 0);
		assert_int_equal(status.st_ino, own_inode());
		close(fd);
	}
}

static void texts(void **state)
{
	_cleanup_(freep) char *word = own_word();
	_cleanup_(freep) char *longest = mem_alloc_zero(1, PATH_MAX + 1);
	_cleanup_(freep) char *too_long = NULL, *not_there = NULL, *none = NULL;
	struct bed *bed = *state;
	struct change *change = want(bed, NULL, "");
	const struct device_data *data = change->data;

	assert_int_equal(change_parse(change, OWN, &change->wanted), 0);
	assert_string_equal(change->wanted, word);
	assert_string_equal(data->target, OWN);
	change = want(bed, NULL, "");
	assert_int_equal(change_parse(change, "/dev/null", &change->wanted), -EINVAL);
	assert_string_equal(change->reason, "'/dev/null' is not a network namespace");
	assert_string_equal(change->next_step, "ip netns list shows the named ones");
	none = mem_format("cannot open the network namespace 'none\\x1b': %s", strerror(ENOENT));
	assert_int_equal(change_parse(change, "none\x1b", &change->wanted), -EINVAL);
	assert_string_equal(change->reason, none);
	/* The longest path, with its NUL, has 4096 bytes. */
	for (size_t i = 0; i < PATH_MAX - 1; i++)
		longest[i] = i % 2 ? 'x' : '/';
	assert_int_equal(change_parse(change, longest, &change->wanted), -EINVAL);
	not_there = mem_format("cannot open the network namespace '%s': %s", longest,
			       strerror(ENOENT));
	assert_string_equal(change->reason, not_there);
	strcat(longest, "x");
	assert_int_equal(change_parse(change, longest, &change->wanted), -EINVAL);
	too_long = mem_format("cannot open the network namespace '%s': %s", longest,
			      strerror(ENAMETOOLONG));
	assert_string_equal(change->reason, too_long);
	assert_null(change->wanted);
}

static void reading(void **state)
{
	_cleanup_(freep) char *word = own_word(), *value = NULL;
	struct bed *bed = *state;
	struct change *change = want(bed, "blue", "/proc/self/ns/none");
	_cleanup_(freep) char *left = mem_format("the device has left this network namespace, but "
						 "the other one cannot be inspected: %s",
						 strerror(ENOENT));
	char *none = NULL;

	assert_int_equal(change->setting->read(change, &value), 0);
	assert_string_equal(value, word);
	/* An error other than that of a missing device is no reason to look elsewhere. */
	bed->get_error = -EPERM;
	assert_int_equal(change->setting->read(change, &none), -EPERM);
	assert_null(change->reason);
	bed->gone = true;
	assert_int_equal(change->setting->read(change, &none), -ENOENT);
	assert_string_equal(change->reason, left);
	change = want(bed, "blue", OWN);
	bed->shared = 1;
	assert_int_equal(change->setting->read(change, &none), -EOPNOTSUPP);
	assert_string_equal(change->reason,
			    "all network namespaces share all devices: netns-mode is shared");
	assert_string_equal(change->next_step, "rdmactl system set netns-mode exclusive");
	change = want(bed, "blue", OWN);
	bed->settings_error = -EINVAL;
	assert_int_equal(change->setting->read(change, &none), -EOPNOTSUPP);
	assert_null(change->reason);
	assert_null(none);
}

static void moving(void **state)
{
	_cleanup_(freep) char *word = own_word(), *other = NULL;
	struct bed *bed = *state;
	struct change *change = want(bed, word, OWN);

	assert_int_equal(change->setting->write(change, word), 0);
	assert_int_equal(bed->sets, 1);
	assert_int_equal(bed->moved_to, own_inode());
	bed->set_error = -EOPNOTSUPP;
	assert_int_equal(change->setting->write(change, word), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver of mlx5_0 cannot take it away from the "
					    "programs that use it, and so cannot move it");
	assert_null(change->next_step);
	bed->set_error = -EPERM;
	assert_int_equal(change->setting->write(change, word), -EPERM);
	assert_string_equal(change->reason, "it also takes CAP_NET_ADMIN in the user namespace of "
					    "the wanted network namespace");
	assert_string_equal(change->next_step, "run it as root on the host");
	change = want(bed, word, OWN);
	bed->set_error = -EINVAL;
	assert_int_equal(change->setting->write(change, word), -EINVAL);
	bed->gone = true;
	assert_int_equal(change->setting->write(change, word), -ENODEV);
	assert_null(change->reason);
	assert_int_equal(bed->sets, 5);
	change = want(bed, "blue", "/proc/self/ns/none");
	assert_int_equal(change->setting->write(change, word), -ENOENT);
	/* Undone: it is fetched from there, not sent from there to here. */
	change->before = mem_string("red");
	assert_int_equal(change->setting->write(change, "red"), -ENOENT);
	change = want(bed, word, OWN);
	change->before = mem_string("red");
	bed->gone = false;
	bed->set_error = 0;
	assert_int_equal(change->setting->write(change, word), 0);
	assert_int_equal(bed->sets, 6);
	/* The name, or the process ID, may be reused by now. */
	change = want(bed, "blue", OWN);
	other = mem_format("'" OWN "' is another network namespace now: %s", word);
	assert_int_equal(change->setting->write(change, "blue"), -ESTALE);
	assert_string_equal(change->reason, other);
	assert_string_equal(change->next_step, "check it, then run the command again");
	assert_int_equal(bed->sets, 6);
}

/* The command runs in the new namespace, and names the old one. */
static void way_back(void **state)
{
	static const struct {
		const char *target, *before, *undo;
	} rows[] = {
		{"blue", "red", "nsenter --net=/run/netns/blue rdmactl dev set mlx5_0 netns red"},
		{"12", "red", "nsenter --net=/proc/12/ns/net rdmactl dev set mlx5_0 netns red"},
		{"/a b", "ne", "nsenter --net='/a b' rdmactl dev set mlx5_0 netns ne"},
		{"blue", "a b", "nsenter --net=/run/netns/blue rdmactl dev set mlx5_0 netns 'a b'"},
		{"blue", "12",
		 "nsenter --net=/run/netns/blue rdmactl dev set mlx5_0 netns /run/netns/12"},
		{"1x", "net", "nsenter --net=/run/netns/1x rdmactl dev set mlx5_0 netns net"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(*state, "x", rows[i].target);
		_cleanup_(freep) char *undo = NULL;

		change->before = mem_string(rows[i].before);
		undo = change->setting->undo(change);
		assert_string_equal(undo, rows[i].undo);
	}
}

/* For a namespace without a name, a command leads back only if it is that of the first process. */
static void nameless(void **state)
{
	struct change *change = want(*state, "x", "blue");
	_cleanup_(freep) char *first = NULL, *undo = NULL;
	_cleanup_(closep) int fd = -1;

	change->before = mem_string("net:[1]");
	assert_null(change->setting->undo(change));
	change->setting->guard(change);
	assert_string_equal(change->notes.items[change->notes.count - 1],
			    "net:[1], which the device leaves, has no name: to undo the change, "
			    "move the device to a process in it (lsns -t net lists them)");
	/* Only root may look into the namespace of another user's process. */
	if (netns_open("1", &fd))
		return;
	first = netns_word(fd);
	if (strncmp(first, "net:[", 5))
		return;
	change = want(*state, "x", "blue");
	change->before = mem_string(first);
	undo = change->setting->undo(change);
	assert_string_equal(undo, "nsenter --net=/run/netns/blue rdmactl dev set mlx5_0 netns 1");
	change->setting->guard(change);
	assert_null(strstr(change->notes.items[change->notes.count - 1], "has no name"));
}

/* The word for a file: the first name below /run/netns that is the same file. */
static void tell_words(const struct saved_tree *tree, FILE *out, void *context)
{
	static const char *const paths[] = {"/a", "/b", "/run/netns/two"};

	(void)tree, (void)context;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_(closep) int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		_cleanup_(freep) char *word = netns_word(fd);

		fprintf(out, "%s\n", strncmp(word, "net:[", 5) ? word : "number");
	}
	{
		_cleanup_(freep) char *word = netns_word(-1);

		fprintf(out, "%s\n", word);
	}
}

static void names(void **state)
{
	const struct saved_tree *tree = *state;

	tree_write(tree, "a", "");
	tree_write(tree, "b", "");
	tree_write(tree, "run/netns/three", "");
	tree_write(tree, "run/netns/two", "");
	assert_int_equal(linkat(tree->root.fd, "b", tree->root.fd, "run/netns/one\x1b", 0), 0);
	rooted_expect(tree, tell_words, NULL, "number\none\\x1b\ntwo\nunknown\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		TEST(texts),
		TEST(reading),
		TEST(moving),
		TEST(way_back),
		TEST(nameless),
		cmocka_unit_test_setup_teardown(names, tree_only_set_up, tree_only_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
