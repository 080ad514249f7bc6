/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/cma.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "roce/tos.h"

#define BELOW_ROOT (&CMA_DIRECTORY[1])

const struct enum_name roce_mode_names[] = {
	{ROCE_MODE_V1, "roce-v1", TONE_WARNING, "in Ethernet frames, without an IP header"},
	{ROCE_MODE_V2, "roce-v2", TONE_PLAIN, "UDP packets, which have a DSCP"},
	{0},
};

static const char *const mode_texts[] = {
	[ROCE_MODE_V1] = "IB/RoCE v1",
	[ROCE_MODE_V2] = "RoCE v2",
};

const char *roce_mode_text(uint64_t mode)
{
	return mode_texts[mode];
}

struct number roce_mode_of(const char *text)
{
	for (unsigned int mode = ROCE_MODE_V1; mode <= ROCE_MODE_V2; mode++)
		if (!strcmp(text, mode_texts[mode]))
			return number_of(mode);
	return (struct number){.known = false};
}

static bool is_component(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

ssize_t cma_read(const struct root *root, const char *device, unsigned int port,
		 const char *attribute, char text[static SYSFS_TEXT_SIZE])
{
	if (!is_component(device))
		return -ENODEV;
	return sysfs_read(root, text, "%s/%s/ports/%u/%s", BELOW_ROOT, device, port, attribute);
}

const char *roce_global_class(const struct root *root, const struct port *port,
			      char text[static SYSFS_TEXT_SIZE], int *ret_rc)
{
	static const char key[] = "Global tclass=";
	const ssize_t length = sysfs_read(root, text, SYSFS_RDMA_CLASS "/%s/tc/%u/traffic_class",
					  port->kernel_name, (unsigned int)port->port.value);

	if (ret_rc)
		*ret_rc = length < 0 ? (int)length : 0;
	if (length <= 0 || strncmp(text, key, strlen(key)) != 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text + strlen(key);
}

int roce_read_trust(const struct root *root, const char *netdev, struct dcb *dcb)
{
	char text[SYSFS_TEXT_SIZE];
	const ssize_t length = sysfs_read(root, text, "sys/class/net/%s/qos/trust", netdev);

	if (length > 0)
		dcb->trusted = number_of(strcmp(text, "dscp") ? DCB_TRUST_PCP : DCB_TRUST_DSCP);
	return length < 0 ? (int)length : 0;
}

struct number cma_default_tos(const char *device, unsigned int port)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	char text[SYSFS_TEXT_SIZE];
	unsigned int tos;

	if (!root_open(NULL, &root) && cma_read(&root, device, port, CMA_TOS, text) > 0 &&
	    !tos_parse(text, &tos) && tos != ROCE_TOS_UNTOUCHED)
		return number_of(tos);
	return (struct number){.known = false};
}

/* Creates the directory of a device unless it exists. 0 or -errno; *ret_made: it was created. */
static int make_directory(const struct root *root, const char *device, bool *ret_made)
{
	_cleanup_(freep) char *path = mem_format("%s/%s", BELOW_ROOT, device);
	int rc;

	*ret_made = false;
	if (!is_component(device))
		return -ENODEV;
	rc = sysfs_open_directory(root, BELOW_ROOT);
	if (rc || !root->live)
		return rc == -ENOENT ? -ENOSYS : rc;
	*ret_made = !mkdirat(root->fd, path, 0755);
	return *ret_made || errno == EEXIST ? 0 : -errno;
}

ssize_t cma_defaults_read(const char *directory, const char *device, unsigned int port,
			  const char *attribute, char text[static SYSFS_TEXT_SIZE])
{
	_cleanup_(freep) char *path = mem_format("%s/%s", BELOW_ROOT, device);
	ssize_t length;
	bool made;
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = root_open(directory, &root);

	if (rc)
		return rc;
	/* An existing directory is readable by everybody. */
	length = root.live ? cma_read(&root, device, port, attribute, text) : -ENOENT;
	if (length == -ENOENT) {
		rc = make_directory(&root, device, &made);
		length = rc ? rc : cma_read(&root, device, port, attribute, text);
		if (made)
			unlinkat(root.fd, path, AT_REMOVEDIR);
	}
	return length == -ENOENT ? -ENODEV : length;
}

int cma_defaults_write(const char *device, unsigned int port, const char *attribute,
		       const char *text)
{
	_cleanup_(freep) char *directory = mem_format("%s/%s", BELOW_ROOT, device);
	_cleanup_(freep) char *path = mem_format("/%s/ports/%u/%s", directory, port, attribute);
	_cleanup_(root_close) struct root root = {.fd = -1};
	bool made = false;
	int rc = root_open(NULL, &root);

	if (rc)
		return rc;
	rc = make_directory(&root, device, &made);
	if (!rc)
		rc = sysfs_write(path, text);
	/* A leftover directory would needlessly keep rdma_cm from being unloaded. */
	if (rc && made)
		unlinkat(root.fd, directory, AT_REMOVEDIR);
	return rc == -ENOENT ? -ENODEV : rc;
}
