/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/holders.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/nldev_devices.h"
#include "kernel/holders.h"
#include "kernel/procfs.h"
#include "resource/nldev_resources.h"
#include "resource/processes.h"

enum {
	USERS_SHOWN = 16,    /* sentences; the rest are only counted */
	TYPE_INFINIBAND = 32 /* ARPHRD_INFINIBAND, include/uapi/linux/if_arp.h */
};

DEFINE_CLEANUP(struct nldev_resources, nldev_resources_free)

/*
 * Objects that show that somebody uses the device; completion queues and memory regions come with
 * these.
 */
static const struct {
	enum resource_kind kind;
	const char *one;
} kinds[] = {
	{RESOURCE_QP, "queue pair"},
	{RESOURCE_CM_ID, "CM ID"},
	{RESOURCE_PD, "protection domain"},
	{RESOURCE_CTX, "context"},
};

static struct device_user *find_user(struct device_users *users, bool kernel, uint64_t process,
				     const char *command)
{
	struct device_user *user;

	/* Objects of one user are mostly adjacent. */
	for (size_t i = users->count; i-- > 0;) {
		user = &users->items[i];
		if (user->kernel == kernel &&
		    (kernel ? !strcmp(user->command, command) : user->process == process))
			return user;
	}
	MEM_ADD(users->items, users->count) = (struct device_user){
		.kernel = kernel, .process = process, .command = mem_string_or_null(command)};
	return &users->items[users->count - 1];
}

static void add_peer(struct device_users *users, const struct ip_address *peer)
{
	for (size_t i = 0; i < users->peer_count; i++)
		if (ip_equal(&users->peers[i], peer))
			return;
	MEM_ADD(users->peers, users->peer_count) = *peer;
}

void device_users_take(struct device_users *users, enum resource_kind kind,
		       const struct resource *resource)
{
	struct device_user *user;

	if (resource->kernel_name) {
		/* ib_core has two queue pairs on each port, and drivers have some of their own. */
		if (!strcmp(resource->kernel_name, "ib_core") ||
		    enum_find_word(driver_id_names, resource->kernel_name))
			return;
		if (resource->remote_ip.known)
			add_peer(users, &resource->remote_ip.address);
		user = find_user(users, true, 0, resource->kernel_name);
	} else {
		/* 0: the owner is in another PID namespace, fill_res_name_pid(), nldev.c. */
		user = find_user(users, false, resource->pid.known ? resource->pid.value : 0,
				 resource->command);
	}
	user->counts[kind]++;
}

static void look_for_descriptors(struct device_users *users, const struct root *root,
				 const char *kernel_name, struct change *change)
{
	_cleanup_(device_nodes_clear) struct device_nodes nodes = {.count = 0};
	_cleanup_(holders_clear) struct holders holders = {.count = 0};
	int rc = device_nodes_read(root, kernel_name, &nodes)
			 ?: holders_find(root, &nodes, &holders);

	if (rc)
		change_note(change, "cannot tell who has the device open: %s", strerror(-rc));
	for_each (holder, &holders) {
		struct device_user *user = find_user(users, false, holder->process,
						     holder->command);

		for (size_t j = 0; j < holder->nodes.count; j++)
			strings_add(&user->nodes, holder->nodes.items[j]);
	}
	if (holders.hidden)
		change_note(change,
			    "the open files of %zu process%s cannot be seen without CAP_SYS_PTRACE",
			    holders.hidden, holders.hidden == 1 ? "" : "es");
	if (holders_are_confined(root))
		change_note(change, "processes outside this container cannot be seen");
	users->peers_unknown |= holders_are_confined(root);
}

/* Where there is no such list, there are no such users. */
static void note_unread(struct change *change, const char *users, int rc)
{
	if (rc && rc != -ENOENT)
		change_note(change, "cannot tell whether %s use the device: %s", users,
			    strerror(-rc));
}

/*
 * The IPoIB interfaces have the device's hardware as their parent: ipoib_add_port(), ipoib_main.c
 */
static void look_for_ipoib(const struct root *root, const char *kernel_name, struct change *change)
{
	_cleanup_(strings_free) struct strings names = {.known = false};

	note_unread(change, "IPoIB interfaces",
		    sysfs_list(root, &names, "%s/%s/device/net", SYSFS_RDMA_CLASS, kernel_name));
	for (size_t i = 0; i < names.count; i++) {
		struct number type = {0};
		char flags[SYSFS_TEXT_SIZE];

		if (sysfs_read_number(root, &type, "%s/%s/device/net/%s/type", SYSFS_RDMA_CLASS,
				      kernel_name, names.items[i]) ||
		    type.value != TYPE_INFINIBAND)
			continue;
		/* IFF_UP is 1: include/uapi/linux/if.h. */
		if (sysfs_read(root, flags, "%s/%s/device/net/%s/flags", SYSFS_RDMA_CLASS,
			       kernel_name, names.items[i]) > 0 &&
		    strtoul(flags, NULL, 16) & 1)
			change_disturbs(change, "IPoIB interface %s, which is up", names.items[i]);
	}
}

/* Returns the value of WORD=VALUE in a comma-separated list; the caller frees it. */
static char *get_option(const char *list, const char *word)
{
	const size_t length = strlen(word);

	while (list) {
		if (!strncmp(list, word, length) && list[length] == '=')
			return text_clean(list + length + 1, strcspn(list + length + 1, ", \n"));
		list = strchr(list, ',');
		if (list)
			list++;
	}
	return NULL;
}

/* Reports storage at that address over RDMA, which may go through this device. */
static void judge_peer(const struct device_users *users, const char *what, const char *name,
		       const char *address, struct change *change)
{
	struct ip_address ip;
	bool found = false;

	if (address && !ip_parse(address, &ip))
		for (size_t i = 0; i < users->peer_count; i++)
			found |= ip_equal(&users->peers[i], &ip);
	if (found)
		change_disturbs(change, "%s %s, which reaches %s through it", what, name, address);
	else if (users->peers_unknown)
		change_note(change, "%s %s uses RDMA; it is not known whether through this device",
			    what, name);
}

/*
 * NFS has proto=rdma, or rdma6 over IPv6: nfs_show_mount_options(), fs/nfs/super.c, and
 * xprt_rdma_format_addresses6(), net/sunrpc/xprtrdma/transport.c.
 */
static void judge_mount(const struct device_users *users, char *line, struct change *change)
{
	char *rest = line, *field, *mount = NULL, *type, *options;
	_cleanup_(freep) char *protocol = NULL, *address = NULL;

	for (int i = 0; (field = procfs_take_mount_field(&rest)) && strcmp(field, "-"); i++)
		mount = i == 4 ? field : mount;
	type = procfs_take_mount_field(&rest);
	procfs_take_mount_field(&rest);
	options = procfs_take_mount_field(&rest);
	if (!mount || !type || strncmp(type, "nfs", 3) || !options)
		return;
	protocol = get_option(options, "proto");
	if (!protocol || (strcmp(protocol, "rdma") && strcmp(protocol, "rdma6")))
		return;
	address = get_option(options, "addr");
	judge_peer(users, "NFS mount", mount, address, change);
}

static void look_for_mounts(const struct device_users *users, const struct root *root,
			    struct change *change)
{
	_cleanup_(freep) char *text = NULL;
	char *rest, *line;

	note_unread(change, "NFS mounts", sysfs_read_file(root, &text, "proc/self/mountinfo"));
	rest = text;
	while ((line = strsep(&rest, "\n")))
		judge_mount(users, line, change);
}

/* traddr=10.0.0.2,trsvcid=4420: nvmf_get_address(), drivers/nvme/host/fabrics.c */
static void look_for_controllers(const struct device_users *users, const struct root *root,
				 struct change *change)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	char text[SYSFS_TEXT_SIZE];

	note_unread(change, "NVMe controllers", sysfs_list(root, &names, "sys/class/nvme"));
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *address = NULL;

		if (sysfs_read(root, text, "sys/class/nvme/%s/transport", names.items[i]) < 0 ||
		    strcmp(text, "rdma"))
			continue;
		if (sysfs_read(root, text, "sys/class/nvme/%s/address", names.items[i]) >= 0)
			address = get_option(text, "traddr");
		judge_peer(users, "NVMe controller", names.items[i], address, change);
	}
}

void device_users_look(struct device_users *users, const struct root *root, const char *kernel_name,
		       struct change *change)
{
	look_for_descriptors(users, root, kernel_name, change);
	look_for_ipoib(root, kernel_name, change);
	look_for_mounts(users, root, change);
	look_for_controllers(users, root, change);
}

static int compare_users(const void *a, const void *b)
{
	const struct device_user *left = a, *right = b;

	if (left->kernel && right->kernel)
		return strcmp(left->command, right->command);
	return COMPARE(left->kernel, right->kernel) ?: COMPARE(left->process, right->process);
}

static char *describe_holdings(const struct device_user *user)
{
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const uint64_t count = user->counts[kinds[i].kind];

		/*
		 * A user that does more than open the device always has protection domains and a
		 * context.
		 */
		if (!count || (text && kinds[i].kind >= RESOURCE_PD) ||
		    (user->nodes.count && kinds[i].kind == RESOURCE_CTX))
			continue;
		mem_extend(&text, "%s%" PRIu64 " %s%s", text ? ", " : "", count, kinds[i].one,
			   text_plural_s(count));
	}
	for (size_t i = 0; i < user->nodes.count; i++)
		mem_extend(&text, "%s/dev/infiniband/%s open", text ? ", " : "",
			   user->nodes.items[i]);
	return text;
}

static void tell_user(const struct device_user *user, struct change *change)
{
	_cleanup_(freep) char *holdings = describe_holdings(user);

	if (!holdings)
		return;
	if (user->kernel)
		change_disturbs(change, "%s in the kernel: %s", user->command, holdings);
	else if (!user->process)
		change_disturbs(change, "processes outside this container: %s", holdings);
	else
		change_disturbs(change, "process %" PRIu64 " (%s): %s", user->process,
				user->command ? user->command : "name unknown", holdings);
}

void device_users_tell(struct device_users *users, struct change *change)
{
	size_t shown = 0;

	MEM_SORT(users->items, users->count, compare_users);
	for (size_t i = 0; i < users->count; i++) {
		/* Kernel users are few and the most important, so all are shown. */
		if (!users->items[i].kernel && shown++ >= USERS_SHOWN)
			continue;
		tell_user(&users->items[i], change);
	}
	if (shown > USERS_SHOWN)
		change_disturbs(change, "%zu more process%s", shown - USERS_SHOWN,
				shown == USERS_SHOWN + 1 ? "" : "es");
}

void device_users_clear(struct device_users *users)
{
	for (size_t i = 0; i < users->count; i++) {
		free(users->items[i].command);
		strings_free(&users->items[i].nodes);
	}
	free(users->items);
	free(users->peers);
	*users = (struct device_users){.count = 0};
}

/* Counts all objects of one kind, block by block. 0 or -errno. */
static int take_kind(struct device_users *users, struct nldev_resources *resources,
		     struct processes *processes, enum resource_kind kind, uint32_t device_index)
{
	bool done = false;
	int rc = nldev_resources_begin(resources, kind, device_index);

	while (!rc && !done) {
		_cleanup_(resource_list_clear) struct resource_list list = {.count = 0};

		rc = nldev_resources_read(resources, &list, &done);
		for (size_t i = 0; i < list.count; i++) {
			if (list.items[i].thread.known)
				processes_name(processes, &list.items[i]);
			device_users_take(users, kind, &list.items[i]);
		}
	}
	return rc;
}

static void take_resources(struct device_users *users, uint32_t device_index, struct change *change)
{
	_cleanup_(nldev_resources_freep) struct nldev_resources *resources = NULL;
	_cleanup_(processes_freep) struct processes *processes = NULL;
	int rc = nldev_resources_open(NULL, &resources) ?: processes_open(NULL, &processes);

	for (size_t i = 0; !rc && i < ARRAY_SIZE(kinds); i++) {
		rc = take_kind(users, resources, processes, kinds[i].kind, device_index);
		/* Linux before 5.13 does not list contexts. */
		if (rc == -EOPNOTSUPP && kinds[i].kind == RESOURCE_CTX)
			rc = 0;
	}
	users->peers_unknown |= rc != 0;
	if (rc)
		change_note(change, "not all queue pairs of the device could be listed: %s",
			    strerror(-rc));
}

void change_guard_device(struct change *change, const char *object)
{
	_cleanup_(device_list_clear) struct device_list list = {.count = 0};
	_cleanup_(root_close) struct root root = {.fd = -1};
	_cleanup_(freep) char *name = mem_string(object);
	_cleanup_(device_users_clear) struct device_users users = {.count = 0};
	const struct device *device = NULL;
	struct netlink *nldev;
	int rc = root_open(NULL, &root) ?: device_find_core(&root);

	name[strcspn(name, "/")] = '\0';
	/* Opening the socket would load ib_core. */
	if (rc == -ENOENT)
		return;
	rc = rc ?: change_host_nldev(change->host, &nldev) ?: nldev_get_devices(nldev, &list);
	if (!rc)
		device = device_list_find(&list, name);
	if (device)
		take_resources(&users, (uint32_t)device->index.value, change);
	else
		change_note(change, "the users of the device could not be listed: %s",
			    rc ? strerror(-rc) : "RDMA netlink does not list it");
	device_users_look(&users, &root, device ? device->kernel_name : name, change);
	device_users_tell(&users, change);
}

static char *find_processes(const char *name)
{
	_cleanup_(strings_free) struct strings tasks = {.known = false};
	char text[SYSFS_TEXT_SIZE], *list = NULL;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(NULL, &root))
		return NULL;
	sysfs_list(&root, &tasks, "proc");
	for (size_t i = 0; i < tasks.count; i++)
		if (isdigit((unsigned char)tasks.items[i][0]) &&
		    sysfs_read(&root, text, "proc/%s/comm", tasks.items[i]) > 0 &&
		    !strcmp(text, name))
			mem_extend(&list, "%s%s", list ? ", " : "", tasks.items[i]);
	return list;
}

const char *change_find_processes(struct change *change, const char *name)
{
	struct strings *found = &change_host_base(change->host)->daemons;
	size_t place = 0;

	while (place < found->count && strcmp(found->items[place], name))
		place += 2;
	if (place == found->count) {
		_cleanup_(freep) char *list = find_processes(name);

		strings_add(found, name);
		strings_add(found, list ? list : "");
	}
	return *found->items[place + 1] ? found->items[place + 1] : NULL;
}
