/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibstatus(8) of infiniband-diags, which is a shell script: values are the output of `cat` on a
 * file, split into words by the shell.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/compat/compat.h"
#include "host/compat/class_files.h"

/* The shell splits words at these. */
static const char *const blanks = " \t\n";

static int usage(const char *program)
{
	printf("Usage:  %s  [-h] [devname[:portnum]]\n"
	       "\t-h:\tthis help screen\n"
	       "\tExamples:\n"
	       "\t\t%s mthca1\t\t# shows status of all ports of 'mthca1'\n"
	       "\t\t%s mthca0:2\t# shows status port number 2 of 'mthca0'\n"
	       "\t\t%s\t\t# default: shows status of all 'mthca0' ports\n",
	       program, program, program, program);
	return COMPAT_STATUS_PANIC;
}

/* Prints each word after one blank. */
static void print_words(const char *text)
{
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		const size_t length = strcspn(text, blanks);

		compat_print(stdout, " %.*s", (int)length, text);
		text += length;
	}
	putchar('\n');
}

static void print_value(const struct root *root, const char *label, const char *device,
			const char *port, const char *name, const char *unknown)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, SYSFS_RDMA_CLASS "/%s/ports/%s/%s", device, port,
				    name);

	printf("\t%s:%s", label, strlen(label) < 7 ? "\t\t" : "\t");
	/* The script skips a missing file; if reading one fails, cat reports the error. */
	if (length < 0 && length != -ENOENT && length != -ENOTDIR && length != -EACCES)
		compat_print(stderr, "cat: " CLASS_DIRECTORY "/%s/ports/%s/%s: %s\n", device, port,
			     name, strerror((int)-length));
	print_words(length < 0 ? unknown : text);
}

static void show_port(const struct root *root, const char *device, const char *port)
{
	compat_print(stdout, "Infiniband device '%s' port %s status:\n", device, port);
	print_value(root, "default gid", device, port, "gids/0", "unknown");
	print_value(root, "base lid", device, port, "lid", "unknown");
	print_value(root, "sm lid", device, port, "sm_lid", "unknown");
	print_value(root, "state", device, port, "state", "unknown");
	print_value(root, "phys state", device, port, "phys_state", "unknown");
	print_value(root, "rate", device, port, "rate", "unknown");
	print_value(root, "link_layer", device, port, "link_layer", "IB");
	putchar('\n');
}

/* Shows each word of their names; `*` does not match names that begin with a dot. */
static void show_ports(const struct root *root, const char *device, const struct strings *ports)
{
	for (size_t i = 0; i < ports->count; i++) {
		char *rest = ports->items[i], *word;

		while (ports->items[i][0] != '.' && (word = strsep(&rest, blanks)))
			if (*word)
				show_port(root, device, word);
	}
}

/*
 * Shows the device and port in `arguments`, which the shell splits into words; port + means all.
 * Returns false if there is no such device, which ends the script.
 */
static bool show(const struct root *root, const char *arguments)
{
	_cleanup_(freep) char *words = mem_string(arguments);
	char *rest = words + strspn(words, blanks), *port;
	const char *device = rest;
	_cleanup_(strings_free) struct strings ports = {0};

	port = rest + strcspn(rest, blanks);
	if (*port)
		*port++ = '\0';
	port += strspn(port, blanks);
	port[strcspn(port, blanks)] = '\0';
	if (sysfs_list_by_bytes(root, &ports, SYSFS_RDMA_CLASS "/%s/ports", device)) {
		compat_print(stdout,
			     "Fatal error:  device '%s': sys files not found (" CLASS_DIRECTORY
			     "/%s/ports)\n",
			     device, device);
		return false;
	}
	if (!strcmp(port, "+"))
		show_ports(root, device, &ports);
	else if (*port)
		show_port(root, device, port);
	return true;
}

static int show_all(const struct root *root)
{
	struct strings devices = {0};
	bool going = true, any = false;

	if (sysfs_list_by_bytes(root, &devices, SYSFS_RDMA_CLASS)) {
		printf("Fatal error:  No devices\n");
		return COMPAT_STATUS_PANIC;
	}
	for (size_t i = 0; going && i < devices.count; i++) {
		_cleanup_(freep) char *arguments = mem_format("%s +", devices.items[i]);

		if (devices.items[i][0] == '.')
			continue;
		any = true;
		going = show(root, arguments);
	}
	strings_free(&devices);
	/* The shell leaves a pattern that matches nothing unchanged. */
	if (!any)
		going = show(root, "* +");
	return going ? 0 : COMPAT_STATUS_PANIC;
}

/* DEV, or DEV:PORT: the parts before the first and after the last colon. */
static bool show_object(const struct root *root, const char *word)
{
	const char *colon = strrchr(word, ':'), *port = colon ? colon + 1 : word;
	const int length = (int)strcspn(word, ":");
	_cleanup_(freep) char *device = mem_format("%.*s", length, word);
	_cleanup_(freep) char *arguments = NULL;

	/* The script recognizes a missing colon by equal parts. */
	arguments = mem_format("%s %s", device, strcmp(port, device) ? port : "+");
	return show(root, arguments);
}

int ibstatus_run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (argc > 1 && !strcmp(argv[1], "-h"))
		return usage(call->program);
	if (root_open(call->root, &root)) {
		printf("Fatal error:  No devices\n");
		return COMPAT_STATUS_PANIC;
	}
	if (argc < 2 || !argv[1][0])
		return show_all(&root);
	for (int i = 1; i < argc && argv[i][0]; i++)
		if (!show_object(&root, argv[i]))
			return COMPAT_STATUS_PANIC;
	return 0;
}
