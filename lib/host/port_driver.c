/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files that only the drivers ib_qib and hfi1 add to a port. Sources: qib_sysfs.c and hfi1/sysfs.c
 * of Linux 3.6 to 6.12 below drivers/infiniband/hw. Only the vendor's ib_qib of 2009 has
 * linkcontrol/qsfp; Linux has the same text in a file system of the driver (qib_fs.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/need.h"
#include "host/port.h"
#include "kernel/sysfs.h"
#include "schema/problem.h"

/* Context for reading these files of a port. */
struct driver_files {
	const struct root *root;
	char *directory, *object;
	bool due;  /* the driver is known, so a missing file is a problem */
	bool hfi1; /* judged by the files if the driver is unknown */
	struct problems *problems;
};

/* If no bit is set, the driver writes nothing at all, not even a newline. */
static bool has_no_status(const struct driver_files *files)
{
	char text[SYSFS_TEXT_SIZE];

	return sysfs_read(files->root, text, "%s/linkcontrol/status", files->directory) > 0 &&
	       !strcmp(text, "0x0");
}

static void read_status(const struct driver_files *files, struct port *port)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(files->root, text, "%s/linkcontrol/status_str",
				    files->directory);
	char *rest = text, *word;

	if (length == -ENOENT && !files->due)
		return;
	/* Only names of bits, separated by blanks. */
	if (length < 0 ||
	    text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz "
			      "0123456789")] ||
	    (!length && !has_no_status(files))) {
		sysfs_note(files->problems, files->object, "driver_status", length, text);
		return;
	}
	port->driver_status.known = true;
	/* A bit without a name results in two blanks. */
	while ((word = strsep(&rest, " ")))
		if (*word)
			strings_add(&port->driver_status, word);
}

/* Reads one entry of a table of the driver: a number of one byte. */
static int read_entry(const struct driver_files *files, const char *table, unsigned int index,
		      uint64_t *ret_value)
{
	_cleanup_(freep) char *key = mem_format("%s/%u", table, index);
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(files->root, text, "%s/%s", files->directory, key);

	if (length > 0 && !text_parse_u64(text, 10, UINT8_MAX, ret_value))
		return 0;
	if (length != -ENOENT || files->due)
		sysfs_note(files->problems, files->object, key, length, text);
	return -EINVAL;
}

/*
 * InfiniBand has 16 service levels, each mapped to a virtual lane; Omni-Path has 32, which map to a
 * service channel, and that to a lane. A table with a gap is unknown.
 */
static void read_lanes(const struct driver_files *files, struct port *port)
{
	const unsigned int levels = files->hfi1 ? 32 : 16;
	struct strings lanes = {.known = true};
	uint64_t lane = 0;

	for (unsigned int level = 0; level < levels; level++) {
		int rc = read_entry(files, files->hfi1 ? "sl2sc" : "sl2vl", level, &lane);
		char text[24];

		if (!rc && files->hfi1)
			rc = read_entry(files, "sc2vl", (unsigned int)lane, &lane);
		if (rc) {
			strings_free(&lanes);
			return;
		}
		snprintf(text, sizeof(text), "%u", (unsigned int)lane);
		strings_add(&lanes, text);
	}
	strings_free(&port->sl_to_vl);
	port->sl_to_vl = lanes;
}

/* Finds a line such as `Vendor:Molex Inc.       `: a label and a field padded with blanks. */
static char *find_line(const char *text, const char *label)
{
	const char *line = text_line(text, label);
	size_t end;

	if (!line)
		return NULL;
	line += strspn(line, " ");
	for (end = strcspn(line, "\n"); end && line[end - 1] == ' '; end--)
		;
	return end ? text_clean(line, end) : NULL;
}

/* qib_qsfp_dump() writes facts about the cable, then its memory in hexadecimal. */
static void read_module(const struct driver_files *files, struct port *port)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(files->root, text, "%s/linkcontrol/qsfp", files->directory);

	/* Most adapters and drivers have no such file; ENODEV: no cable is plugged in. */
	if (length == -ENOENT || length == -ENODEV)
		return;
	if (length < 0 || strncmp(text, "PWR:", 4)) {
		sysfs_note(files->problems, files->object, "linkcontrol/qsfp", length, text);
		return;
	}
	port->module_technology = find_line(text, "TECH:");
	port->module_vendor = find_line(text, "Vendor:");
	port->module_part_number = find_line(text, "Part#:");
	port->module_serial = find_line(text, "Serial:");
}

void port_read_driver_files(const struct root *root, struct port *port, uint64_t needs,
			    struct problems *problems)
{
	_cleanup_(freep) char *device = mem_format(SYSFS_RDMA_CLASS "/%s", port->kernel_name);
	_cleanup_(freep) char *driver = sysfs_driver(root, device);
	_cleanup_(freep) char *directory = mem_format(PORT_DIRECTORY, port->kernel_name,
						      (unsigned int)port->port.value);
	_cleanup_(freep) char *channels = mem_format("%s/sl2sc", directory);
	_cleanup_(freep) char *object = port_object(port);
	const struct driver_files files = {
		.root = root,
		.directory = directory,
		.object = object,
		.due = driver,
		.hfi1 = driver ? !strcmp(driver, "hfi1") : sysfs_has_directory(root, channels),
		.problems = problems,
	};

	if (driver && !files.hfi1 && strcmp(driver, "ib_qib") != 0)
		return;
	if (needs & NEED_DRIVER_STATUS && !files.hfi1)
		read_status(&files, port);
	if (needs & NEED_SL_TO_VL)
		read_lanes(&files, port);
	if (needs & NEED_MODULE && !files.hfi1)
		read_module(&files, port);
}
