/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What rxe_cfg changes: devices of a host in memory, and the file of those that persist after a
 * restart, in a saved tree. The functions of lib/change/link are defined here, so that the linker
 * takes none of them.
 */
#include "rooted.h"

#include "base/cleanup.h"
#include "captured.h"
#include "change/link/link.h"
#include "cmd/compat/compat.h"

#define FILE_OF_NETDEVS "var/lib/rxe/rxe"

/* ---- A host in memory ---- */

enum { MOST_DEVICES = 6 };

struct made_device {
	const char *name, *type, *netdev;
	const char *used_by; /* users that deleting it would disturb */
};

/* The child has a copy of it. */
static struct made_device devices[MOST_DEVICES];

static const struct made_device *find_device(const char *name)
{
	for (size_t i = 0; i < MOST_DEVICES; i++)
		if (devices[i].name && !strcmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}

static struct made_device *free_place(void)
{
	for (size_t i = 0; i < MOST_DEVICES; i++)
		if (!devices[i].name)
			return &devices[i];
	abort();
}

int software_links_read(const char *root, struct software_links *links, struct problems *problems)
{
	if (root || problems)
		abort();
	for (size_t i = 0; i < MOST_DEVICES; i++)
		if (devices[i].name)
			*(struct software_link *)mem_append(
				&links->items, &links->count,
				sizeof(*links->items)) = (struct software_link){
				.name = mem_string(devices[i].name),
				.type = mem_string_or_null(devices[i].type),
				.netdev = mem_string_or_null(devices[i].netdev),
			};
	return 0;
}

void software_links_clear(struct software_links *links)
{
	for (size_t i = 0; i < links->count; i++) {
		free(links->items[i].name);
		free(links->items[i].type);
		free(links->items[i].netdev);
	}
	free(links->items);
}

const struct software_link *software_links_find_on(const struct software_links *links,
						   const char *type, const char *netdev)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->items[i].type && !strcmp(links->items[i].type, type) &&
		    links->items[i].netdev && !strcmp(links->items[i].netdev, netdev))
			return &links->items[i];
	return NULL;
}

char *software_link_free_name(const char *type)
{
	char *name = mem_format("%s0", type);

	for (unsigned int i = 1; find_device(name); i++) {
		free(name);
		name = mem_format("%s%u", type, i);
	}
	return name;
}

char *software_link_value(const char *type, const char *netdev)
{
	return mem_format("%s on %s", type, netdev);
}

/* Netdevs that are refused by name: without an explanation, with a reason, and with a next step. */
static int parse(struct change *change, const char *text, char **ret_value)
{
	if (!strcmp(text, "rxe on mute"))
		return -EINVAL;
	if (!strcmp(text, "rxe on bad"))
		change_explain(change, NULL, "bad is no netdev");
	if (!strcmp(text, "rxe on worse"))
		change_explain(change, "take a better one", "worse is no netdev");
	if (change->reason)
		return -EINVAL;
	*ret_value = mem_string(text);
	return 0;
}

static int read_device(struct change *change, char **ret_value)
{
	const struct made_device *device = find_device(change->object);

	*ret_value = device ? mem_format("%s on %s", device->type,
					 device->netdev ? device->netdev : "nothing")
			    : mem_string(CHANGE_ABSENT);
	return 0;
}

/* Devices that must not be made, although nobody is disturbed. */
static int check(struct change *change)
{
	if (strcmp(change->wanted, "rxe on vlan"))
		return 0;
	change_explain(change, "make it below the VLAN", "vlan is a VLAN");
	return -EPERM;
}

static void guard(struct change *change)
{
	const struct made_device *device = find_device(change->object);

	if (device && device->used_by)
		change_disturbs(change, "%s", device->used_by);
}

static int write_device(struct change *change, const char *value)
{
	if (!strcmp(value, "rxe on full"))
		return -ENOSPC;
	change->host->tell(change->host->tell_context, "the kernel is asked");
	if (!strcmp(value, CHANGE_ABSENT))
		for (size_t i = 0; i < MOST_DEVICES; i++) {
			if (devices[i].name && !strcmp(devices[i].name, change->object))
				devices[i].name = NULL;
		}
	else
		*free_place() = (struct made_device){
			.name = mem_string(change->object),
			.type = "rxe",
			.netdev = mem_string(value + strlen("rxe on ")),
		};
	return 0;
}

static char *undo(const struct change *change)
{
	(void)change;
	return NULL;
}

const struct setting link_setting = {
	.keyword = {"link", "TYPE on NETDEV", "software device on a netdev", NULL},
	.right = RIGHT_OPEN,
	.parse = parse,
	.read = read_device,
	.check = check,
	.write = write_device,
	.guard = guard,
	.undo = undo,
};

/* ---- Runs ---- */

struct scene {
	const struct made_device *devices;
	size_t device_count;
	const char *const *commands; /* words separated by single blanks */
};

static int run(const char *command)
{
	const struct personality_call call = {.program = "rxe_cfg", .release = COMPAT_65};
	_cleanup_(freep) char *words = mem_string(command);
	char *argv[6] = {(char[]){"rxe_cfg"}}, *rest = words;
	int argc = 1;

	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	return rxe_cfg_run(&call, argc, argv);
}

/*
 * The output of each command: standard error, then standard output; then the devices and the file.
 */
static void play(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct scene *scene = context;
	char text[512] = "";
	FILE *file;

	(void)tree;
	umask(022);
	if (scene->device_count)
		memcpy(devices, scene->devices, scene->device_count * sizeof(*devices));
	for (const char *const *command = scene->commands; *command; command++) {
		_cleanup_(freep) char *said = NULL, *complained = NULL;
		struct captured output, errors;
		int status;

		capture_stream(&output, stdout);
		capture_stream(&errors, stderr);
		status = run(*command);
		complained = capture_end(&errors);
		said = capture_end(&output);
		fprintf(out, "$ %s\n%s%s= %d\n", *command, complained, said, status);
	}
	for (size_t i = 0; i < MOST_DEVICES; i++)
		if (devices[i].name)
			fprintf(out, "%s %s\n", devices[i].name,
				devices[i].netdev ? devices[i].netdev : "-");
	file = fopen("/" FILE_OF_NETDEVS, "r");
	if (!file)
		return;
	if (fread(text, 1, sizeof(text) - 1, file))
		fprintf(out, "file:\n%s", text);
	fclose(file);
}

static void expect_play(const struct saved_tree *tree, struct scene scene, const char *wanted)
{
	rooted_expect(tree, play, &scene, wanted);
}

/* Each netdev is added to the file once, and the directory is created. */
static void added(void **state)
{
	static const char *const commands[] = {"add eth0", "add eth0",	 "-n add eth1",
					       "add eth2", "persistent", NULL};
	const struct saved_tree *tree = *state;
	struct stat folder;
	char path[2 * PATH_MAX];

	tree_directory(tree, "var/lib");
	expect_play(tree, (struct scene){.commands = commands},
		    "$ add eth0\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev eth0\n"
		    "= 0\n"
		    "$ add eth0\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev eth0\n"
		    "= 0\n"
		    "$ -n add eth1\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe1 type rxe netdev eth1\n"
		    "= 0\n"
		    "$ add eth2\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe2 type rxe netdev eth2\n"
		    "= 0\n"
		    "$ persistent\n"
		    "eth0\n"
		    "eth2\n"
		    "= 0\n"
		    "rxe0 eth0\n"
		    "rxe1 eth1\n"
		    "rxe2 eth2\n"
		    "file:\n"
		    "eth0\n"
		    "eth2\n");
	snprintf(path, sizeof(path), "%s/var/lib/rxe", tree->path);
	assert_int_equal(stat(path, &folder), 0);
	assert_int_equal(folder.st_mode, S_IFDIR | 0755);
}

/* A device that exists already is not made again, but is remembered. */
static void added_what_is_there(void **state)
{
	static const struct made_device before[] = {
		{"siw0", "siw", "eth0", NULL},
		{"rxe0", NULL, "eth0", NULL},
		{"mine", "rxe", "eth0", NULL},
	};
	static const char *const commands[] = {"add eth0", "add e\033h", NULL};
	const struct saved_tree *tree = *state;

	tree_write(tree, FILE_OF_NETDEVS, "eth7");
	expect_play(tree, (struct scene){before, 3, commands},
		    "$ add eth0\n"
		    "rxe_cfg: use this instead: rdmactl link add mine type rxe netdev eth0\n"
		    "= 0\n"
		    "$ add e\033h\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe1 type rxe netdev e\\x1bh\n"
		    "= 0\n"
		    "siw0 eth0\n"
		    "rxe0 eth0\n"
		    "mine eth0\n"
		    "rxe1 e\033h\n"
		    "file:\n"
		    "eth7\n"
		    "eth0\n"
		    "e\033h\n");
}

/* Devices that could not be made are not remembered. */
static void not_added(void **state)
{
	static const char *const commands[] = {"add mute",    "add bad",  "add worse",
					       "-f add vlan", "add full", NULL};
	_cleanup_(freep) char *wanted = mem_format(
		"$ add mute\n"
		"rxe_cfg: rxe0: 'rxe on mute' is not a value of link\n"
		"= 1\n"
		"$ add bad\n"
		"rxe_cfg: rxe0: bad is no netdev\n"
		"= 1\n"
		"$ add worse\n"
		"rxe_cfg: rxe0: worse is no netdev\n"
		"  take a better one\n"
		"= 1\n"
		"$ -f add vlan\n"
		"rxe_cfg: rxe0: vlan is a VLAN\n"
		"  make it below the VLAN\n"
		"= 1\n"
		"$ add full\n"
		"rxe_cfg: rxe0: cannot write it: %s\n"
		"= 1\n",
		strerror(ENOSPC));

	expect_play(*state, (struct scene){.commands = commands}, wanted);
}

/* By the name of the device or of its netdev; only rxe devices. */
static void removed(void **state)
{
	static const struct made_device before[] = {
		{"rxe0", "rxe", "eth0", NULL}, {"rxe1", "rxe", "eth1", NULL},
		{"siw0", "siw", "eth2", NULL}, {"gone", NULL, NULL, NULL},
		{"rxe5", "rxe", NULL, NULL},
	};
	static const char *const commands[] = {"remove eth0", "remove rxe1 -n",
					       "remove siw0", "remove eth2",
					       "remove gone", "remove rxe5",
					       "remove \033", NULL};
	const struct saved_tree *tree = *state;

	tree_write(tree, FILE_OF_NETDEVS, "eth0\neth1");
	expect_play(tree, (struct scene){before, 5, commands},
		    "$ remove eth0\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe0\n"
		    "= 0\n"
		    "$ remove rxe1 -n\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe1\n"
		    "= 0\n"
		    "$ remove siw0\n"
		    "rxe_cfg: siw0: no rxe device of that name or netdev\n"
		    "  rdmactl link lists them\n"
		    "= 1\n"
		    "$ remove eth2\n"
		    "rxe_cfg: eth2: no rxe device of that name or netdev\n"
		    "  rdmactl link lists them\n"
		    "= 1\n"
		    "$ remove gone\n"
		    "rxe_cfg: gone: no rxe device of that name or netdev\n"
		    "  rdmactl link lists them\n"
		    "= 1\n"
		    "$ remove rxe5\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe5\n"
		    "= 0\n"
		    "$ remove \033\n"
		    "rxe_cfg: \\x1b: no rxe device of that name or netdev\n"
		    "  rdmactl link lists them\n"
		    "= 1\n"
		    "siw0 eth2\n"
		    "gone -\n"
		    "file:\n"
		    "eth1\n");
}

/* Processes that use the device prevent this, unless -f is given. */
static void in_use(void **state)
{
	static const struct made_device before[] = {
		{"rxe0", "rxe", "eth0", "process 7"},
		{"rxe1", "rxe", "eth1", NULL},
		{"rxe2", "rxe", "eth2", "process 8"},
	};
	static const char *const commands[] = {"remove rxe0", "-f remove rxe0", "stop",
					       "-f stop",     "stop",		NULL};
	const struct saved_tree *tree = *state;

	tree_write(tree, FILE_OF_NETDEVS, "eth0\neth1\neth2");
	expect_play(tree, (struct scene){before, 3, commands},
		    "$ remove rxe0\n"
		    "rxe_cfg: rxe0: it would disturb process 7\n"
		    "  -f removes it nevertheless\n"
		    "= 1\n"
		    "$ -f remove rxe0\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe0\n"
		    "= 0\n"
		    "$ stop\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe1\n"
		    "rxe_cfg: rxe2: it would disturb process 8\n"
		    "  -f removes it nevertheless\n"
		    "= 1\n"
		    "$ -f stop\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe2\n"
		    "= 0\n"
		    "$ stop\n"
		    "= 0\n"
		    "file:\n"
		    "eth1\n"
		    "eth2\n");
}

/*
 * A failure with one device does not keep the others from being stopped, and is reported at the
 * end.
 */
static void stopped(void **state)
{
	static const struct made_device before[] = {
		{"siw0", "siw", "eth0", NULL},
		{"rxe0", "rxe", "eth0", "process 7"},
		{"rxe1", "rxe", "eth1", NULL},
	};
	static const char *const commands[] = {"stop", NULL};

	expect_play(*state, (struct scene){before, 3, commands},
		    "$ stop\n"
		    "rxe_cfg: rxe0: it would disturb process 7\n"
		    "  -f removes it nevertheless\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link del rxe1\n"
		    "= 1\n"
		    "siw0 eth0\n"
		    "rxe0 eth0\n");
}

/* Only the first word of each line; the status shown afterwards does not hide a failure. */
static void started(void **state)
{
	static const char *const commands[] = {"persistent", "start", "start", NULL};
	const struct saved_tree *tree = *state;

	tree_write(tree, FILE_OF_NETDEVS,
		   " \teth0 and a remark\n\n \neth1\r\neth0\t\nbad\neth2\n e\033");
	tree_write(tree, "sys/class/net/eth0/ifindex", "2");
	expect_play(tree, (struct scene){.commands = commands},
		    "$ persistent\n"
		    "eth0\n"
		    "eth1\n"
		    "bad\n"
		    "eth2\n"
		    "e\\x1b\n"
		    "= 0\n"
		    "$ start\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev eth0\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe1 type rxe netdev eth1\n"
		    "rxe_cfg: rxe2: bad is no netdev\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe2 type rxe netdev eth2\n"
		    "rxe_cfg: the kernel is asked\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe3 type rxe netdev e\\x1b\n"
		    "rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n"
		    "  Name  Link  Driver  Speed  NMTU  IPv4_addr  RDEV  RMTU\n"
		    "  eth0\n"
		    "= 1\n"
		    "$ start\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev eth0\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe1 type rxe netdev eth1\n"
		    "rxe_cfg: rxe4: bad is no netdev\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe2 type rxe netdev eth2\n"
		    "rxe_cfg: use this instead: rdmactl link add rxe3 type rxe netdev e\\x1b\n"
		    "rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n"
		    "  Name  Link  Driver  Speed  NMTU  IPv4_addr  RDEV  RMTU\n"
		    "  eth0\n"
		    "= 1\n"
		    "rxe0 eth0\n"
		    "rxe1 eth1\n"
		    "rxe2 eth2\n"
		    "rxe3 e\033\n"
		    "file:\n"
		    " \teth0 and a remark\n"
		    "\n"
		    " \n"
		    "eth1\r\n"
		    "eth0\t\n"
		    "bad\n"
		    "eth2\n"
		    " e\033\n");
}

static void started_without_any(void **state)
{
	static const char *const commands[] = {"persistent", "start", "restart", "-l start", NULL};

	expect_play(*state, (struct scene){.commands = commands},
		    "$ persistent\n"
		    "= 0\n"
		    "$ start\n"
		    "rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n"
		    "  Name  Link  Driver  Speed  NMTU  IPv4_addr  RDEV  RMTU\n"
		    "= 0\n"
		    "$ restart\n"
		    "usage: rxe_cfg [-l] [status]\n"
		    "       rxe_cfg start\n"
		    "       rxe_cfg [-f] stop\n"
		    "       rxe_cfg [-n] add NETDEV\n"
		    "       rxe_cfg [-n] [-f] remove NETDEV|DEV\n"
		    "       rxe_cfg persistent\n"
		    "= 1\n"
		    "$ -l start\n"
		    "rxe_cfg: use this instead: rdmactl netdevs, or rdmactl link\n"
		    "  Name  Link  Driver  Speed  NMTU  IPv4_addr  RDEV  RMTU\n"
		    "= 0\n");
}

/* The device exists nevertheless. */
static void no_file(void **state)
{
	static const char *const commands[] = {"add eth0", "remove eth0", "-n add eth1",
					       "persistent", NULL};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *directory = mem_format(
		"$ add eth0\n"
		"rxe_cfg: the kernel is asked\n"
		"rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev eth0\n"
		"rxe_cfg: /var/lib/rxe/rxe: %s\n"
		"  -n leaves the file alone\n"
		"= 1\n"
		"$ remove eth0\n"
		"rxe_cfg: the kernel is asked\n"
		"rxe_cfg: use this instead: rdmactl link del rxe0\n"
		"rxe_cfg: /var/lib/rxe/rxe: %s\n"
		"  -n leaves the file alone\n"
		"= 1\n"
		"$ -n add eth1\n"
		"rxe_cfg: the kernel is asked\n"
		"rxe_cfg: use this instead: rdmactl link add rxe0 type rxe netdev eth1\n"
		"= 0\n"
		"$ persistent\n"
		"rxe_cfg: /var/lib/rxe/rxe: %s\n"
		"  it should be a readable file of up to 64 kB, with a netdev on each line\n"
		"= 1\n"
		"rxe0 eth1\n",
		strerror(EISDIR), strerror(EISDIR), strerror(EISDIR));

	tree_directory(tree, FILE_OF_NETDEVS);
	expect_play(tree, (struct scene){.commands = commands}, directory);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(added),	 TEST(added_what_is_there),
		TEST(not_added), TEST(removed),
		TEST(in_use),	 TEST(stopped),
		TEST(started),	 TEST(started_without_any),
		TEST(no_file),
	};

	if (rooted_is_possible())
		return cmocka_run_group_tests_name("compat-rxe", tests, NULL, NULL);
	puts("1..0 # SKIP this process can have no other root");
	return 0;
}
