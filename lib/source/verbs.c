/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "source/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "source/library.h"
#include "source/verbs_caps.h"

#define LIBRARY "libibverbs.so.1"

#define VERBS_FUNCTIONS(MUST, MAY) \
	MUST(ibv_get_device_list)  \
	MUST(ibv_free_device_list) \
	MUST(ibv_open_device)      \
	MUST(ibv_close_device)     \
	MUST(ibv_query_device)     \
	MUST(ibv_query_port)       \
	MAY(_ibv_query_gid_table)

struct verbs_functions {
	VERBS_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER)
};

#define LIBRARY_RECORD struct verbs_functions
static const struct library_symbol verbs_symbols[] = {VERBS_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)};

struct verbs {
	struct verbs_functions call;
	struct ibv_device **list; /* ended by NULL */
	struct strings warnings;
};

struct verbs_device {
	const struct verbs_functions *call;
	struct ibv_context *context;
};

/*
 * Which kernel modules a provider library serves. When a device is there that no provider claims,
 * libibverbs loads all that are configured, 17 in Debian; those that are loaded already are asked
 * first. A provider that is not in this table costs that time, nothing else.
 */
static const struct provider {
	const char *name; /* lib<name>-rdmav<ABI>.so */
	const char *module;
} providers[] = {
	{"bnxt_re", "bnxt_re"},	 {"cxgb4", "iw_cxgb4"},	   {"efa", "efa"},
	{"erdma", "erdma"},	 {"hfi1verbs", "hfi1"},	   {"hns", "hns_roce_hw_v2"},
	{"ionic", "ionic_rdma"}, {"ipathverbs", "ib_qib"}, {"irdma", "irdma"},
	{"mana", "mana_ib"},	 {"mlx4", "mlx4_ib"},	   {"mlx5", "mlx5_ib"},
	{"mthca", "ib_mthca"},	 {"ocrdma", "ocrdma"},	   {"qedr", "qedr"},
	{"rxe", "rdma_rxe"},	 {"siw", "siw"},	   {"vmw_pvrdma", "vmw_pvrdma"},
};

static bool module_loaded(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return access(path, F_OK) == 0;
}

/* True for lib<name>-rdmav<ABI>.so of a provider whose module is loaded. */
static bool provider_wanted(const char *file)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++) {
		size_t length = strlen(providers[i].name);

		if (!strncmp(file, "lib", 3) && !strncmp(file + 3, providers[i].name, length) &&
		    !strncmp(file + 3 + length, "-rdmav", 6))
			return module_loaded(providers[i].module);
	}
	return false;
}

/*
 * Loads the providers of the modules that are loaded; their constructors register them with
 * libibverbs. Nothing depends on its success.
 */
static void load_providers(void)
{
	_cleanup_(freep) char *library = library_path(LIBRARY);
	_cleanup_(freep) char *directory = NULL;
	_cleanup_(closedirp) DIR *dir = NULL;
	char *slash = library ? strrchr(library, '/') : NULL;
	struct dirent *entry;

	/* With these the user names providers that shall come first. */
	if (!slash || getenv("RDMAV_DRIVERS") || getenv("IBV_DRIVERS"))
		return;
	*slash = '\0';
	directory = mem_format("%s/libibverbs", library);
	dir = opendir(directory);
	while (dir && (entry = readdir(dir))) {
		if (provider_wanted(entry->d_name)) {
			_cleanup_(freep) char *path = mem_format("%s/%s", directory, entry->d_name);

			library_open(path, NULL, 0, NULL);
		}
	}
}

/*
 * Lets what libibverbs prints on standard error go to a file in memory, so that it neither mixes
 * with the program's own messages nor gets lost. Returns the descriptor of the real one, or -1.
 */
static int divert_stderr(int *ret_text)
{
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int text = memfd_create("rdmactl", MFD_CLOEXEC);

	fflush(stderr);
	if (saved >= 0 && text >= 0 && dup2(text, STDERR_FILENO) >= 0) {
		*ret_text = text;
		return saved;
	}
	closep(&saved);
	closep(&text);
	return -1;
}

/* One item a message: a line that begins with a blank goes on where the last one ended. */
static void add_line(struct strings *messages, const char *line, size_t length)
{
	_cleanup_(freep) char *clean = text_clean(line, length);
	char **last = messages->count ? &messages->items[messages->count - 1] : NULL;
	char *joined;

	if (!last || clean[0] != ' ') {
		strings_add(messages, clean);
		return;
	}
	joined = mem_format("%s %s", *last, clean + strspn(clean, " "));
	free(*last);
	*last = joined;
}

static void restore_stderr(int saved, int text, struct strings *messages)
{
	_cleanup_(freep) char *line = NULL;
	_cleanup_(fclosep) FILE *file = NULL;
	size_t size = 0;
	ssize_t length;

	if (saved < 0)
		return;
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	lseek(text, 0, SEEK_SET);
	file = fdopen(text, "r");
	if (!file)
		close(text);
	while (file && (length = getline(&line, &size, file)) > 0)
		add_line(messages, line, (size_t)length - (line[length - 1] == '\n'));
}

int verbs_open(struct verbs **ret_verbs)
{
	_cleanup_(freep) struct verbs *verbs = mem_alloc_zero(1, sizeof(*verbs));
	int rc = library_open(LIBRARY, verbs_symbols, ARRAY_SIZE(verbs_symbols), &verbs->call);
	int saved, text = -1;

	if (rc)
		return rc;
	verbs->warnings.known = true;
	saved = divert_stderr(&text);
	load_providers();
	errno = 0;
	verbs->list = verbs->call.ibv_get_device_list(NULL);
	rc = verbs->list ? 0 : errno ? -errno : -EIO;
	restore_stderr(saved, text, &verbs->warnings);
	if (rc) {
		for (size_t i = 0; i < verbs->warnings.count; i++)
			fprintf(stderr, "%s\n", verbs->warnings.items[i]);
		strings_free(&verbs->warnings);
		return rc;
	}
	*ret_verbs = verbs;
	verbs = NULL;
	return 0;
}

void verbs_free(struct verbs *verbs)
{
	if (!verbs)
		return;
	verbs->call.ibv_free_device_list(verbs->list);
	strings_free(&verbs->warnings);
	free(verbs);
}

const struct strings *verbs_warnings(const struct verbs *verbs)
{
	return &verbs->warnings;
}

/*
 * Whether the node can be opened. Asked before libibverbs does it, because that takes every failure
 * for a node that udev is about to make, and waits five seconds for it (open_cdev_robust() of
 * rdma-core's util/open_cdev.c).
 */
static int try_node(const char *name)
{
	_cleanup_(freep) char *path = mem_format("/dev/infiniband/%s", name);
	_cleanup_(closep) int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return 0;
	return errno == ENOENT ? -ENODEV : -errno;
}

static struct ibv_device *find_device(const struct verbs *verbs, const char *name)
{
	for (struct ibv_device **device = verbs->list; *device; device++)
		if (!strcmp((*device)->name, name))
			return *device;
	return NULL;
}

int verbs_open_device(struct verbs *verbs, const char *name, struct verbs_device **ret_device)
{
	struct ibv_device *found = find_device(verbs, name);
	struct verbs_device *device;
	struct ibv_context *context;
	int rc;

	if (!found)
		return -ENODEV;
	rc = try_node(found->dev_name);
	if (rc)
		return rc;
	errno = 0;
	context = verbs->call.ibv_open_device(found);
	if (!context)
		return errno ? -errno : -EIO;
	device = mem_alloc_zero(1, sizeof(*device));
	device->call = &verbs->call;
	device->context = context;
	*ret_device = device;
	return 0;
}

void verbs_close_device(struct verbs_device *device)
{
	if (!device)
		return;
	device->call->ibv_close_device(device->context);
	free(device);
}

/* Queries return 0, an errno, or in old providers -1 with errno set. */
static int query_result(int rc)
{
	if (rc == -1 && errno)
		return -errno;
	return rc > 0 ? -rc : rc;
}

/* What the inline functions of verbs.h do, without a reference to the library's symbols. */
static int query_port(struct verbs_device *device, uint64_t number, struct ibv_port_attr *attr)
{
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_port);

	if (!number || number > UINT8_MAX)
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	if (extended)
		return query_result(extended->query_port(device->context, (uint8_t)number, attr,
							 sizeof(*attr)));
	/* In parentheses, because verbs.h has a macro of that name. */
	return query_result(
		(device->call->ibv_query_port)(device->context, (uint8_t)number, (void *)attr));
}

static int query_device(struct verbs_device *device, struct ibv_device_attr_ex *attr,
			bool *ret_extended)
{
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_device_ex);
	int rc = -EOPNOTSUPP;

	memset(attr, 0, sizeof(*attr));
	if (extended)
		rc = query_result(
			extended->query_device_ex(device->context, NULL, attr, sizeof(*attr)));
	*ret_extended = !rc;
	if (rc != -EOPNOTSUPP && rc != -ENOSYS)
		return rc;
	memset(attr, 0, sizeof(*attr));
	return query_result(device->call->ibv_query_device(device->context, &attr->orig_attr));
}

int verbs_get_port(struct verbs_device *device, struct port *port)
{
	struct ibv_port_attr attr;
	int rc = query_port(device, port->port.value, &attr);

	if (rc)
		return rc;
	port->active_mtu_bytes = verbs_mtu_bytes(attr.active_mtu);
	port->max_mtu_bytes = verbs_mtu_bytes(attr.max_mtu);
	port->gid_table_length = number_of((uint32_t)attr.gid_tbl_len);
	port->pkey_table_length = number_of(attr.pkey_tbl_len);
	return 0;
}

/* Sizes of the whole GID table of the device, in entries; 0 or -errno. */
static int get_gid_table_length(struct verbs_device *opened, const struct device *device,
				size_t *ret_length)
{
	struct ibv_port_attr attr;
	size_t length = 0;

	for (size_t i = 0; i < device->port_count; i++) {
		int rc = query_port(opened, device->ports[i].port.value, &attr);

		if (rc)
			return rc;
		length += attr.gid_tbl_len > 0 ? (size_t)attr.gid_tbl_len : 0;
	}
	*ret_length = length;
	return 0;
}

/*
 * Reads the entries that are not empty. The kernel gives them all or -EINVAL, so a room that is
 * nearly always enough is tried before the length of the tables is asked for: that is one more
 * call to firmware for each port.
 */
static ssize_t query_gids(struct verbs_device *opened, const struct device *device,
			  struct ibv_gid_entry **ret_entries)
{
	size_t room = 256 * (device->port_count ? device->port_count : 1), length = 0;
	ssize_t count;
	int rc;

	if (!opened->call->_ibv_query_gid_table)
		return -EOPNOTSUPP;
	*ret_entries = mem_resize(*ret_entries, room, sizeof(**ret_entries));
	count = opened->call->_ibv_query_gid_table(opened->context, *ret_entries, room, 0,
						   sizeof(**ret_entries));
	if (count != -EINVAL)
		return count;
	rc = get_gid_table_length(opened, device, &length);
	if (rc || length <= room)
		return rc ? rc : -EINVAL;
	*ret_entries = mem_resize(*ret_entries, length, sizeof(**ret_entries));
	return opened->call->_ibv_query_gid_table(opened->context, *ret_entries, length, 0,
						  sizeof(**ret_entries));
}

static void set_gid(struct gid_entry *gid, const struct port *port,
		    const struct ibv_gid_entry *entry)
{
	gid->device = port->device;
	gid->port = port->port;
	gid->index = number_of(entry->gid_index);
	memcpy(gid->gid.gid.raw, entry->gid.raw, sizeof(gid->gid.gid.raw));
	gid->gid.known = true;
	gid->source = number_of(GID_SOURCE_VERBS);
	if (entry->ndev_ifindex)
		gid->netdev_index = number_of(entry->ndev_ifindex);
	if (entry->gid_type == IBV_GID_TYPE_IB)
		gid->type = number_of(GID_TYPE_IB);
	else if (entry->gid_type == IBV_GID_TYPE_ROCE_V1)
		gid->type = number_of(GID_TYPE_ROCE_V1);
	else if (entry->gid_type == IBV_GID_TYPE_ROCE_V2)
		gid->type = number_of(GID_TYPE_ROCE_V2);
}

static int compare_entries(const void *a, const void *b)
{
	const struct ibv_gid_entry *first = a, *second = b;

	if (first->port_num != second->port_num)
		return first->port_num < second->port_num ? -1 : 1;
	return (first->gid_index > second->gid_index) - (first->gid_index < second->gid_index);
}

int verbs_get_gids(struct verbs_device *verbs_device, struct device *device)
{
	_cleanup_(freep) struct ibv_gid_entry *entries = NULL;
	ssize_t count = query_gids(verbs_device, device, &entries);

	if (count < 0)
		return (int)count;
	qsort(entries, (size_t)count, sizeof(*entries), compare_entries);
	for (ssize_t i = 0; i < count; i++) {
		struct port *port = device_port(device, entries[i].port_num);

		if (port)
			set_gid(mem_append(&port->gids, &port->gid_count, sizeof(*port->gids)),
				port, &entries[i]);
	}
	return 0;
}

int verbs_get_caps(struct verbs_device *device, struct caps *caps)
{
	struct ibv_device_attr_ex attr;
	struct caps found = {0};
	bool extended;
	int rc = query_device(device, &attr, &extended);

	if (rc)
		return rc;
	found.device = mem_string(device->context->device->name);
	found.num_comp_vectors = number_of((unsigned int)device->context->num_comp_vectors);
	verbs_caps_set_device(&found, &attr, extended);
	for (unsigned int i = 1; i <= found.port_count.value; i++) {
		struct port_caps *port = caps_add_port(&found, i);
		struct ibv_port_attr port_attr;

		port->error = query_port(device, i, &port_attr);
		if (!port->error)
			verbs_caps_set_port(port, &port_attr);
	}
	verbs_caps_set_transport(&found, device->context->device->transport_type);
	*caps = found;
	return 0;
}

/* The file is called libibverbs.so.1.<ABI>.<release of rdma-core>. */
char *verbs_library_version(void)
{
	_cleanup_(freep) char *path = NULL, *file = NULL;
	struct verbs_functions call;
	const char *name;

	if (library_open(LIBRARY, verbs_symbols, ARRAY_SIZE(verbs_symbols), &call))
		return NULL;
	path = library_path(LIBRARY);
	file = path ? realpath(path, NULL) : NULL;
	name = file ? strrchr(file, '/') : NULL;
	return mem_string(name ? name + 1 : LIBRARY);
}
