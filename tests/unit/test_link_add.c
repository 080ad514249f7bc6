/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Making a software device with a made-up kernel and list of devices: the checks beforehand, the
 * reasons for a refusal, and how long the port is waited for. A saved tree plays the live system.
 */
#include "rooted.h"

#include <rdma/rdma_netlink.h>
#include <sys/utsname.h>
#include <time.h>

#include "change_bed.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "change/link/link.h"

/* ---- Replacements for library functions ---- */

const struct enum_name link_type_names[] = {
	{0, "rxe", TONE_PLAIN, "rdma_rxe"},
	{1, "siw", TONE_PLAIN, "siw"},
	{0},
};

/* The host's device after each reading; the last row stays valid. */
struct reading {
	int rc;
	const char *name, *type, *netdev;
};

static struct {
	const struct reading *readings;
	unsigned int number, least; /* index of the next reading, and of the last row */
	struct software_link link;
	unsigned int cleared;
	uint64_t nsec;
	struct text_buffer pauses;
} host;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){.tv_sec = (time_t)(host.nsec / 1000000000),
				 .tv_nsec = (long)(host.nsec % 1000000000)};
	return 0;
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	host.nsec += (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
	text_buffer_add(&host.pauses, " %ld", time->tv_nsec / 1000000);
	return 0;
}

int software_links_read(const char *root, struct software_links *links, struct problems *problems)
{
	const struct reading *reading =
		&host.readings[host.number < host.least ? host.number : host.least];

	if (root || problems)
		return -EIO;
	host.number++;
	host.link = (struct software_link){.name = (char *)(uintptr_t)reading->name,
					   .type = (char *)(uintptr_t)reading->type,
					   .netdev = (char *)(uintptr_t)reading->netdev};
	*links = (struct software_links){.items = &host.link, .count = reading->name != NULL};
	return reading->rc;
}

void software_links_clear(struct software_links *links)
{
	host.cleared++;
	*links = (struct software_links){.count = 0};
}

const struct software_link *software_links_find(const struct software_links *links,
						const char *name)
{
	return links->count && !strcmp(links->items->name, name) ? links->items : NULL;
}

const struct software_link *software_links_find_on(const struct software_links *links,
						   const char *type, const char *netdev)
{
	return links->count && !strcmp(links->items->type, type) &&
			       !strcmp(links->items->netdev, netdev)
		       ? links->items
		       : NULL;
}

bool link_wish_parse(const char *value, struct link_wish *ret_wish)
{
	(void)ret_wish;
	return !strncmp(value, "rxe on ", 7);
}

/* ---- Before anything is made ---- */

static const struct setting setting = {.keyword = {"link", "x", "x", NULL}};

static struct change *want(struct changes *changes, struct change_host *change_host,
			   const char *before)
{
	struct change *change;

	changes_clear(changes);
	change = changes_add(changes, change_host, &setting, "rxe0", NULL);
	change->before = mem_string(before);
	return change;
}

static void checked(void **state)
{
	static const struct {
		const char *before, *type, *netdev;
		bool missing, none; /* netdevs could not be listed, or there are none */
		int rc;
		const char *reason, *next_step;
	} cases[] = {
		{"absent", "rxe", "eth0", false, false, 0, NULL, NULL},
		{"absent", "rxe", "eth7", false, false, -ENODEV, "no netdev 'eth7'",
		 "ip link lists those of this network namespace"},
		{"absent", "rxe", "eth7", true, false, 0, NULL, NULL},
		{"absent", "rxe", "eth7", false, true, 0, NULL, NULL},
		{"absent", "rxe", "vlan5", false, false, -EPERM,
		 "vlan5 is a VLAN, on which the kernel allows no device of type rxe",
		 "create it on the netdev below the VLAN: it also gets the VLAN's addresses as "
		 "GIDs"},
		{"absent", "siw", "vlan5", false, false, 0, NULL, NULL},
		{"absent", "rxe", "bond5", false, false, 0, NULL, NULL},
		{"rxe on eth0", "rxe", "eth0", false, false, -ENFILE,
		 "rxe0 already exists: rxe on eth0",
		 "choose another name, or first: rdmactl link del rxe0"},
		{"a device of mlx5_core", "rxe", "eth0", false, false, -ENFILE,
		 "rxe0 already exists: a device of mlx5_core", "choose another name"},
	};
	struct link netdevs[] = {
		{.name = (char *)(uintptr_t) "eth0"},
		{.name = (char *)(uintptr_t) "eth1"},
		{.name = (char *)(uintptr_t) "vlan5", .kind = (char *)(uintptr_t) "vlan"},
		{.name = (char *)(uintptr_t) "bond5", .kind = (char *)(uintptr_t) "bond"}};
	struct changes changes = {.count = 0};
	struct change_host change_host = {.nldev = NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct link_list list = {.items = netdevs,
					       .count = cases[i].none ? 0 : ARRAY_SIZE(netdevs),
					       .missing = cases[i].missing};
		const struct link_wish wish = {cases[i].type, cases[i].netdev};
		struct change *change = want(&changes, &change_host, cases[i].before);

		assert_int_equal(link_check_add(change, &list, &wish), cases[i].rc);
		if (!cases[i].reason) {
			assert_null(change->reason);
			continue;
		}
		assert_string_equal(change->reason, cases[i].reason);
		assert_string_equal(change->next_step, cases[i].next_step);
	}
	changes_clear(&changes);
}

/* ---- The tree as the live system ---- */

struct scene {
	int refusal; /* errno of the kernel */
	const struct reading *readings;
	unsigned int rows;
	const char *type;
};

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct scene *scene = kernel->context;

	for_each_message (message, requests) {
		struct bytes datagram = {0};
		struct nlmsgerr refusal = {.error = -scene->refusal, .msg = *message};

		put_message(&datagram, NLMSG_ERROR, 0, message->nlmsg_seq, &refusal,
			    sizeof(refusal));
		fake_send(kernel, &datagram);
	}
}

static void add(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct scene *scene = context;
	const struct link_wish wish = {scene->type ? scene->type : "rxe", "eth0"};
	struct fake_kernel kernel = {.serve = serve, .context = context};
	struct change_host change_host = {.nldev = NULL};
	struct changes changes = {.count = 0};
	struct change *change;
	int rc;

	(void)tree;
	memset(&host, 0, sizeof(host));
	host.readings = scene->readings;
	host.least = scene->rows - 1;
	host.nsec = 1000000000;
	if (change_bed_begin(&kernel, &change_host))
		return;
	change = want(&changes, &change_host, "absent");
	change->written = true;
	rc = link_add(change, &wish);
	fprintf(out, "%d%s, %s\n", -rc, change->written ? "" : ", not written",
		rc == 0		 ? "made"
		: change->reason ? change->reason
				 : "no reason");
	if (change->next_step)
		fprintf(out, "  %s\n", change->next_step);
	for (size_t i = 0; i < change->notes.count; i++)
		fprintf(out, "note: %s\n", change->notes.items[i]);
	if (host.number)
		fprintf(out, "%u readings, %u cleared:%s\n", host.number, host.cleared,
			host.pauses.text ? host.pauses.text : "");
	free(text_buffer_take(&host.pauses));
	change_bed_end(&kernel, &change_host, &changes);
}

#define HERE                             \
	{                                \
		0, "rxe0", "rxe", "eth0" \
	}
#define GID_FILE "sys/class/infiniband/rxe0/ports/1/gids/0"
#define GID	 "fe80:0000:0000:0000:0000:00ff:fe00:0001"
#define NO_GID	 "0000:0000:0000:0000:0000:0000:0000:0000"

/* Pauses double from 1 millisecond up to 50, until the port and a GID are there. */
static void waited_for(void **state)
{
	static const struct reading at_once[] = {HERE},
				    later[] = {{-ENODEV, NULL, NULL, NULL},
					       {0, NULL, NULL, NULL},
					       {0, "rxe1", "siw", "eth0"},
					       HERE},
				    failed[] = {{-EIO, NULL, NULL, NULL}},
				    renamed[] = {{0, NULL, NULL, NULL},
						 {0, "rocep1s0", "rxe", "eth0"}};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *long_wait = NULL;

	tree_write(tree, GID_FILE, GID);
	tree_write(tree, "sys/class/infiniband/rocep1s0/ports/1/gids/0", GID);
	rooted_expect(tree, add, &(struct scene){0, at_once, 1, NULL},
		      "0, made\n1 readings, 1 cleared:\n");
	rooted_expect(tree, add, &(struct scene){0, later, 4, NULL},
		      "0, made\n4 readings, 4 cleared: 1 2 4\n");
	rooted_expect(tree, add, &(struct scene){0, failed, 1, NULL},
		      "5, no reason\n1 readings, 1 cleared:\n");
	rooted_expect(tree, add, &(struct scene){0, renamed, 2, NULL},
		      "0, made\n2 readings, 2 cleared: 1\n");
	/* Five seconds: the last pause begins before the time is up, and a last look follows it. */
	tree_write(tree, GID_FILE, NO_GID);
	long_wait = mem_string("0, made\nnote: its port has no GID yet: is eth0 up, and does it "
			       "have an address?\n106 readings, 106 cleared: 1 2 4 8 16 32");
	for (unsigned int i = 0; i < 99; i++)
		mem_extend(&long_wait, " 50");
	mem_extend(&long_wait, "\n");
	rooted_expect(tree, add, &(struct scene){0, at_once, 1, NULL}, long_wait);
	tree_delete(tree, GID_FILE);
	rooted_expect(tree, add, &(struct scene){0, at_once, 1, NULL}, long_wait);
}

/* Explanations of the kernel's errors. */
static void refused(void **state)
{
	static const struct {
		int error;
		const char *words;
	} cases[] = {
		{ENFILE, "23, not written, another device has the name rxe0\n"
			 "  rdmactl devices lists the names; choose another one\n"},
		{EEXIST, "17, not written, eth0 already has a device of type rxe\n"
			 "  rdmactl link lists the software devices\n"},
		{EPERM, "1, not written, eth0 is a VLAN, on which the kernel allows no device of "
			"type rxe\n"
			"  create it on the netdev below the VLAN: it also gets the VLAN's "
			"addresses as GIDs\n"},
		{ENODEV, "19, not written, no netdev 'eth0'\n"
			 "  ip link lists those of this network namespace\n"},
		{ENOENT, "2, not written, the kernel has no crc32, which rxe needs\n"
			 "  install the module crc32_generic of this kernel\n"},
		{EIO, "5, not written, no reason\n"},
	};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		rooted_expect(tree, add, &(struct scene){cases[i].error, NULL, 1, NULL},
			      cases[i].words);
}

/* The kernel does not know the type: its module is present, forbidden, or not installed. */
static void without_module(void **state)
{
	const struct saved_tree *tree = *state;
	struct scene scene = {EINVAL, NULL, 1, NULL};
	_cleanup_(freep) char *list = NULL, *words = NULL;
	struct utsname kernel;

	tree_directory(tree, "sys/module");
	assert_int_equal(uname(&kernel), 0);
	list = mem_format("lib/modules/%s/modules.dep", kernel.release);
	tree_write(tree, list, "kernel/siw.ko:");
	words = mem_format("22, not written, Linux %s is installed without the module rdma_rxe\n"
			   "  install the package with the additional modules of Linux %s "
			   "(linux-modules-extra, kernel-modules-extra), or another kernel\n",
			   kernel.release, kernel.release);
	rooted_expect(tree, add, &scene, words);
	scene.type = "siw";
	rooted_expect(tree, add, &scene,
		      "22, not written, the kernel could not load the module siw\n"
		      "  modprobe siw says why\n");
	/* It is loaded by its alias, rdma-link-siw, so a blacklist applies. */
	tree_write(tree, "etc/modprobe.d/no.conf", "# x\nblacklist siw");
	rooted_expect(tree, add, &scene,
		      "22, not written, the kernel is not allowed to load the module siw: "
		      "/etc/modprobe.d/no.conf:2\n"
		      "  remove 'blacklist siw' from /etc/modprobe.d/no.conf:2\n");
	tree_directory(tree, "sys/module/siw");
	rooted_expect(tree, add, &scene,
		      "22, not written, siw does not work on a netdev such as eth0\n"
		      "  choose an Ethernet netdev\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {cmocka_unit_test(checked)};
	const struct CMUnitTest live[] = {TEST(waited_for), TEST(refused), TEST(without_module)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (rooted_is_possible())
		failed += cmocka_run_group_tests(live, NULL, NULL);
	return failed;
}
