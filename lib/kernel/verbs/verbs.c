/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/verbs/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/recording.h"
#include "kernel/verbs/verbs_library.h"

LIBRARY_NOTE(LIBIBVERBS, "verbs", "MTU, GID tables, capabilities, selftest");

#define LIBRARY_RECORD struct verbs_functions
static const struct library_symbol verbs_symbols[] = {VERBS_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)};

/*
 * The kernel module of each provider library. For a device that no provider claims, libibverbs
 * loads all configured providers, 17 in Debian; it tries those already loaded first. A provider
 * missing from this table costs that time, nothing else.
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

const char *verbs_provider(const char *module)
{
	for (size_t i = 0; module && i < ARRAY_SIZE(providers); i++)
		if (!strcmp(providers[i].module, module))
			return providers[i].name;
	return NULL;
}

bool verbs_is_provider(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		if (!strcmp(providers[i].name, name))
			return true;
	return false;
}

static bool module_loaded(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return access(path, F_OK) == 0;
}

/* Whether the file is lib<name>-rdmav<ABI>.so of a provider whose module is loaded. */
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
 * Loads the providers of the loaded modules; their constructors register them with libibverbs.
 * Failure only costs time.
 */
static void load_providers(void)
{
	_cleanup_(freep) char *library = library_path(LIBIBVERBS);
	_cleanup_(freep) char *directory = NULL;
	_cleanup_(closedirp) DIR *dir = NULL;
	char *slash = library ? strrchr(library, '/') : NULL;
	struct dirent *entry;

	/* These variables let the user name the providers to try first. */
	if (!slash || getenv("RDMAV_DRIVERS") || getenv("IBV_DRIVERS"))
		return;
	*slash = '\0';
	directory = mem_format("%s/libibverbs", library);
	dir = opendir(directory);
	while (dir && (entry = readdir(dir))) {
		if (provider_wanted(entry->d_name)) {
			_cleanup_(freep) char *path = mem_path(directory, entry->d_name);

			library_open(path, NULL, 0, NULL);
		}
	}
}

/*
 * Redirects libibverbs' output on standard error to a file in memory, so that it neither mixes with
 * the program's own messages nor gets lost. Returns the descriptor of the real one, or -1.
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

/* Adds one item per message: a line that begins with a blank continues the previous one. */
static void add_line(struct strings *messages, const char *line, size_t length)
{
	_cleanup_(freep) char *clean = text_clean(line, length);

	if (messages->count && clean[0] == ' ')
		mem_extend(&messages->items[messages->count - 1], " %s",
			   clean + strspn(clean, " "));
	else
		strings_add(messages, clean);
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

/* Few files make libibverbs and librdmacm find no device, no module or no provider instead. */
#define LEAST_FILES 16

static bool has_few_files(void)
{
	struct rlimit files;

	return !getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < LEAST_FILES;
}

static int open_library(struct verbs *verbs)
{
	int saved, text = -1, rc;

	if (has_few_files())
		file_raise_limit();
	if (has_few_files())
		return -EMFILE;
	rc = library_open(LIBIBVERBS, verbs_symbols, ARRAY_SIZE(verbs_symbols), &verbs->call);
	if (rc)
		return rc;
	saved = divert_stderr(&text);
	load_providers();
	errno = 0;
	verbs->list = verbs->call.ibv_get_device_list(NULL);
	rc = verbs->list ? 0 : errno ? -errno : -EIO;
	restore_stderr(saved, text, &verbs->warnings);
	for (size_t i = 0; rc && i < verbs->warnings.count; i++)
		fprintf(stderr, "%s\n", verbs->warnings.items[i]);
	return rc;
}

int verbs_open(const struct root *root, struct verbs **ret_verbs)
{
	struct verbs *verbs = mem_alloc_zero(1, sizeof(*verbs));
	const uint8_t *bytes;
	size_t length;
	int rc = recording_choose(root, RECORDING_VERBS_FILE, &verbs->record.fd,
				  &verbs->record.recording);

	verbs->warnings.known = true;
	if (!rc && verbs->record.recording) {
		rc = verbs_record_find(&verbs->record, VERBS_ASK_LIBRARY, "", 0, &bytes, &length);
		if (!rc)
			verbs_list_read(verbs);
	} else if (!rc) {
		rc = open_library(verbs);
		verbs_record_note(&verbs->record, VERBS_ASK_LIBRARY, "", 0, rc, NULL, 0);
		if (!rc)
			verbs_list_note(verbs);
	}
	if (rc) {
		verbs_free(verbs);
		return rc;
	}
	*ret_verbs = verbs;
	return 0;
}

void verbs_free(struct verbs *verbs)
{
	if (!verbs)
		return;
	if (verbs->list)
		verbs->call.ibv_free_device_list(verbs->list);
	recording_free(verbs->record.recording);
	strings_free(&verbs->warnings);
	strings_free(&verbs->names);
	free(verbs->items);
	free(verbs);
}

const struct strings *verbs_warnings(const struct verbs *verbs)
{
	return &verbs->warnings;
}

/*
 * Tries to open the node before libibverbs, which takes every failure for a node that udev is about
 * to create, and waits five seconds for it (open_cdev_robust() of rdma-core's util/open_cdev.c).
 */
static int try_node(const char *name)
{
	_cleanup_(freep) char *path = mem_path("/dev/infiniband", name);
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

static int open_context(struct verbs *verbs, const char *name, struct ibv_context **ret_context)
{
	struct ibv_device *found = find_device(verbs, name);
	int rc = found ? try_node(found->dev_name) : -ENODEV;

	if (rc)
		return rc;
	errno = 0;
	*ret_context = verbs->call.ibv_open_device(found);
	if (!*ret_context)
		return errno ? -errno : -EIO;
	return 0;
}

/* Opens the device, or looks up what was recorded when it was opened. */
static int identify(struct verbs *verbs, const char *name, struct verbs_device *device)
{
	struct verbs_identity *identity = &device->identity;
	int rc;

	if (verbs->record.recording)
		return verbs_record_read(&verbs->record, VERBS_ASK_OPEN, name, 0, identity,
					 sizeof(*identity));
	rc = open_context(verbs, name, &device->context);
	if (!rc)
		*identity = (struct verbs_identity){
			.transport = device->context->device->transport_type,
			.num_comp_vectors = device->context->num_comp_vectors,
		};
	verbs_record_note(&verbs->record, VERBS_ASK_OPEN, name, 0, rc, identity, sizeof(*identity));
	return rc;
}

int verbs_open_device(struct verbs *verbs, const char *name, struct verbs_device **ret_device)
{
	struct verbs_device device = {
		.call = &verbs->call,
		.record = &verbs->record,
		.name = name,
	};
	int rc = identify(verbs, name, &device);

	if (rc)
		return rc;
	*ret_device = mem_alloc_zero(1, sizeof(device));
	**ret_device = device;
	return 0;
}

void verbs_close_device(struct verbs_device *device)
{
	if (!device)
		return;
	if (device->context)
		device->call->ibv_close_device(device->context);
	free(device);
}

int verbs_probe_dmabuf(const struct verbs_device *device)
{
	struct ibv_pd *domain;
	struct ibv_mr *region;
	int error;

	if (!device->context)
		return -ENODATA;
	if (!device->call->ibv_reg_dmabuf_mr)
		return -EOPNOTSUPP;
	errno = 0;
	domain = device->call->ibv_alloc_pd(device->context);
	if (!domain)
		return errno ? -errno : -EIO;
	errno = 0;
	region = device->call->ibv_reg_dmabuf_mr(domain, 0, 0, 0, -1, 0);
	error = errno;
	device->call->ibv_dealloc_pd(domain);
	if (region)
		return -EIO; /* No driver may accept -1. */
	if (error == EBADF)
		return 0;
	/*
	 * EPROTONOSUPPORT if the kernel lacks the method; EOPNOTSUPP if the driver or the provider
	 * library does (drivers/infiniband/core/uverbs_std_types_mr.c and uverbs_ioctl.c,
	 * libibverbs/dummy_ops.c).
	 */
	if (error == EPROTONOSUPPORT || error == ENOSYS)
		error = EOPNOTSUPP;
	return error ? -error : -EIO;
}

struct ibv_context *verbs_device_context(const struct verbs_device *device)
{
	return device->context;
}

/*
 * Reads the kernel's bytes directly instead of with ibv_get_async_event(), which counts events of
 * queue pairs and other objects, whose destruction waits until each event is acknowledged. A
 * context without such objects has nothing to wait for.
 */
struct verbs_async {
	int fd; /* of the context */
	struct verbs_functions call;
	struct verbs_device device; /* without a context in tests */
	char *node;
};

struct verbs_async *verbs_async_from_fd(int fd)
{
	struct verbs_async *async = mem_alloc_zero(1, sizeof(*async));
	int flags = fcntl(fd, F_GETFL);

	async->fd = fd;
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	return async;
}

int verbs_async_open(struct verbs *verbs, const char *name, struct verbs_async **ret_async)
{
	struct verbs_device *device;
	int error = verbs->record.recording ? -EOPNOTSUPP : verbs_open_device(verbs, name, &device);

	if (error)
		return error;
	*ret_async = verbs_async_from_fd(device->context->async_fd);
	(*ret_async)->call = *device->call;
	(*ret_async)->device = (struct verbs_device){
		.call = &(*ret_async)->call,
		.context = device->context,
		.identity = device->identity,
	};
	(*ret_async)->node = mem_string(device->context->device->dev_name);
	/* The contents were copied, so that `verbs` may be freed. */
	free(device);
	return 0;
}

void verbs_async_close(struct verbs_async *async)
{
	if (!async)
		return;
	if (async->device.context)
		async->call.ibv_close_device(async->device.context);
	else
		close(async->fd);
	free(async->node);
	free(async);
}

int verbs_async_fd(const struct verbs_async *async)
{
	return async->fd;
}

struct verbs_device *verbs_async_device(struct verbs_async *async)
{
	return async->device.context ? &async->device : NULL;
}

const char *verbs_async_node(const struct verbs_async *async)
{
	return async->node;
}

bool verbs_async_abandoned(const struct verbs_async *async)
{
	struct stat node;

	return async->device.context && !fstat(async->device.context->cmd_fd, &node) &&
	       !node.st_nlink;
}

int verbs_event_parse(const void *bytes, size_t length, struct verbs_event *event)
{
	struct ib_uverbs_async_event_desc written;

	if (length < sizeof(written))
		return -EBADMSG;
	memcpy(&written, bytes, sizeof(written));
	event->type = written.event_type;
	event->port = 0;
	switch (event->type) {
	case VERBS_EVENT_PORT_ACTIVE:
	case VERBS_EVENT_PORT_ERR:
	case VERBS_EVENT_LID_CHANGE:
	case VERBS_EVENT_PKEY_CHANGE:
	case VERBS_EVENT_SM_CHANGE:
	case VERBS_EVENT_CLIENT_REREGISTER:
	case VERBS_EVENT_GID_CHANGE:
	case VERBS_EVENT_DEVICE_SPEED_CHANGE:
		/* For other types, it is the handle of an object (ib_uverbs_event_handler()). */
		event->port = (unsigned int)written.element;
	}
	return 0;
}

int verbs_async_read(struct verbs_async *async, verbs_event_handler *handle, void *context)
{
	uint8_t bytes[sizeof(struct ib_uverbs_async_event_desc)];
	struct verbs_event event;

	/* Each read returns one event. */
	for (;;) {
		ssize_t length = read(async->fd, bytes, sizeof(bytes));

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		/* EIO: disassociated (ib_uverbs_event_read(), uverbs_main.c). */
		if (length < 0 && errno != EIO)
			return -errno;
		if (length <= 0)
			return -ENODEV;
		if (verbs_event_parse(bytes, (size_t)length, &event))
			return -EBADMSG;
		handle(context, &event);
	}
}
