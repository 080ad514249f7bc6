/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netlink/version.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "kernel/sysfs.h"
#include "library_versions.h"
#include "schema/value.h"
#include "schema/rows.h"

#define NAME_BYTES 65 /* of the kernel's struct new_utsname */

char *host_name(void)
{
	char name[NAME_BYTES + 1] = "", domain[NAME_BYTES + 1] = "";
	_cleanup_(freep) char *both = NULL;

	if (gethostname(name, NAME_BYTES))
		name[0] = '\0';
	/* The kernel reports this word if no domain is set. */
	if (getdomainname(domain, NAME_BYTES) || !strcmp(domain, "(none)") || strchr(name, '.'))
		domain[0] = '\0';
	both = mem_format("%s%s%s", name, domain[0] ? "." : "", domain);
	return text_clean(both, strlen(both));
}

struct processor {
	struct number cpu;
	char *model, *mhz;
};

static void end_processor(struct processor *processor, char **lines)
{
	if (processor->cpu.known)
		mem_extend(lines, "cpu %u: model %s MHZ %s\n", (unsigned int)processor->cpu.value,
			   processor->model ? processor->model : "?",
			   processor->mhz ? processor->mhz : "?");
	free(processor->model);
	free(processor->mhz);
	*processor = (struct processor){.model = NULL};
}

/* Parses "model name\t: NAME\n". */
static void take_line(struct processor *processor, char *line, char **lines)
{
	char *value = strchr(line, ':');

	if (!value)
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	value[strcspn(value, "\n")] = '\0';
	line[strcspn(line, "\t")] = '\0';
	if (!strcmp(line, "processor")) {
		end_processor(processor, lines);
		if (!text_parse_u64(value, 10, 999999, &processor->cpu.value))
			processor->cpu.known = true;
	} else if (!strcmp(line, "model name") && !processor->model) {
		processor->model = mem_string(value);
	} else if (!strcmp(line, "cpu MHz") && !processor->mhz) {
		processor->mhz = mem_string(value);
	}
}

char *host_read_processors(FILE *file)
{
	_cleanup_(freep) char *line = NULL;
	struct processor processor = {.model = NULL};
	char *lines = mem_string("");
	size_t size = 0;

	while (getline(&line, &size, file) >= 0)
		take_line(&processor, line, &lines);
	end_processor(&processor, &lines);
	return lines;
}

char *host_processors(void)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/cpuinfo", "re");

	return file ? host_read_processors(file) : mem_string("");
}

#define RECORD struct component
static const struct field fields[] = {
	TEXT_AS("component", name, "COMPONENT", SHOWN, 0, "the program, a library or the kernel"),
	TEXT_AS("built_with", built, "BUILT WITH", SHOWN, 0, "version that it was compiled with"),
	TEXT(running, "RUNNING", SHOWN, 0, "version in use; null if missing or unknown"),
	TEXT(note, "NOTE", SHOWN, 0, "its purpose, or what is missing"),
};

const struct schema component_schema = SCHEMA(
	"version", struct component, fields, "a part of the program, or a component it depends on");

void component_add(struct component_list *list, const char *name, const char *built,
		   const char *running, const char *note)
{
	struct component *component = mem_append(&list->items, &list->count, sizeof(*list->items));

	component->name = mem_string(name);
	component->built = mem_string_or_null(built);
	component->running = mem_string_or_null(running);
	component->note = mem_string_or_null(note);
}

/* Adds the kernel; a saved tree may contain the release of its kernel. Returns 0 or -errno. */
static int add_kernel(struct component_list *list, const char *root_directory)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	_cleanup_(freep) char *release = NULL;
	const char *note = "unknown whether the RDMA core is loaded";
	int rc = root_open(root_directory, &root);

	if (!rc) {
		release = sysfs_text(&root, "proc/sys/kernel/osrelease");
		if (!device_find_core(&root))
			note = "RDMA core loaded";
		else if (sysfs_has_directory(&root, "sys/class"))
			note = "no RDMA core loaded";
	}
	component_add(list, "kernel", NULL, release, note);
	return rc;
}

/* A library from lib/base/library.h. */
struct library {
	const char *name, *soname, *built;
	const char *purpose; /* features that need it */
	const char *call;    /* its function that returns the version; NULL: see the file's name */
	bool of_hardware;    /* shown only where it exists */
};

int components_load(struct component_list *list, const char *root_directory)
{
	static const struct library libraries[] = {
		{"libibverbs", LIBIBVERBS, IBVERBS_BUILT_VERSION, "MTU, capabilities, selftest"},
		{"librdmacm", LIBRDMACM, RDMACM_BUILT_VERSION, "selftest --cm, multicast, rping"},
		{"libibumad", LIBUMAD, IBUMAD_BUILT_VERSION,
		 "smp, perf, sa, mad, ping, sysstat, fabric"},
		{"libgnutls", LIBGNUTLS, GNUTLS_BUILT_VERSION, "tokens of selftest and mesh",
		 "gnutls_check_version"},
		{"libmicrohttpd", LIBMICROHTTPD, MICROHTTPD_BUILT_VERSION, "metrics --listen",
		 "MHD_get_version"},
		{"libarchive", LIBARCHIVE, ARCHIVE_BUILT_VERSION, "snapshots",
		 "archive_version_string"},
		{"libcuda", LIBCUDA, NULL, "selftest --memory cuda", NULL, true},
		{"libamdhip64", LIBHIP, NULL, "selftest --memory hip", NULL, true},
		{"libamdhip64", LIBHIP_6, NULL, "selftest --memory hip", NULL, true},
		{"libamdhip64", LIBHIP_5, NULL, "selftest --memory hip", NULL, true},
	};

	_cleanup_(freep) char *libnl = mem_format("%d.%d.%d", nl_ver_maj, nl_ver_min, nl_ver_mic);

	component_add(list, "libnl-3", NL_BUILT_VERSION, libnl, "netlink");
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		_cleanup_(freep) char *running = library_version(libraries[i].soname,
								 libraries[i].call);
		_cleanup_(freep) char *path = library_path(libraries[i].soname);
		_cleanup_(freep) char *note = mem_format(
			"%s%s", path ? "" : "cannot be loaded: no ", libraries[i].purpose);

		if (path || !libraries[i].of_hardware)
			component_add(list, libraries[i].name, libraries[i].built, running, note);
	}
	return add_kernel(list, root_directory);
}

void component_list_clear(struct component_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].built);
		free(list->items[i].running);
		free(list->items[i].note);
	}
	free(list->items);
	*list = (struct component_list){0};
}
