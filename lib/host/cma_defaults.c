/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/cma_defaults.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"

#define BELOW_ROOT (CMA_DIRECTORY + 1)

static bool is_component(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static ssize_t read_below(const struct root *root, const char *directory, unsigned int port,
			  const char *attribute, char text[static CLASS_TEXT_SIZE])
{
	_cleanup_(freep) char *path = mem_format("%s/ports/%u/%s", directory, port, attribute);
	ssize_t length = sysfs_read(root, text, "%s", path);

	return length == -ENOENT ? -ENODEV : length;
}

ssize_t cma_defaults_read(const char *directory, const char *device, unsigned int port,
			  const char *attribute, char text[static CLASS_TEXT_SIZE])
{
	_cleanup_(freep) char *path = mem_format("%s/%s", BELOW_ROOT, device);
	bool made = false;
	struct root root;
	ssize_t length;
	int rc;

	if (!is_component(device))
		return -ENODEV;
	rc = root_open(directory, &root);
	if (rc)
		return rc;
	rc = sysfs_open_directory(&root, BELOW_ROOT);
	if (rc == -ENOENT)
		rc = -ENOSYS;
	if (!rc && root.live) {
		made = !mkdirat(root.fd, path, 0755);
		if (!made && errno != EEXIST)
			rc = -errno;
	}
	length = rc ? rc : read_below(&root, path, port, attribute, text);
	if (made)
		unlinkat(root.fd, path, AT_REMOVEDIR);
	root_close(&root);
	return length;
}
