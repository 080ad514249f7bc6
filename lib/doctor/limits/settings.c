/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The check of settings that name devices or switch RDMA off: see doctor/frame/limits.def. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/limits/limits.h"
#include "doctor/limits/name_filter.h"
#include "kernel/config_files.h"

enum setting_kind {
	NCCL_DEVICES,
	NCCL_NETDEVS,
	UCX_DEVICES,
	UCX_TRANSPORTS,
	NCCL_GID_INDEX,
	NCCL_OFF,
	NCCL_NET,
	LIBFABRIC,
};

static const struct setting_row {
	const char *name;
	enum setting_kind kind;
} settings[] = {
	{"NCCL_IB_HCA", NCCL_DEVICES},
	{"NCCL_SOCKET_IFNAME", NCCL_NETDEVS},
	{"UCX_NET_DEVICES", UCX_DEVICES},
	{"UCX_TLS", UCX_TRANSPORTS},
	{"NCCL_IB_GID_INDEX", NCCL_GID_INDEX},
	{"NCCL_IB_DISABLE", NCCL_OFF},
	{"NCCL_NET", NCCL_NET},
	{"FI_PROVIDER", LIBFABRIC},
};

/* Where Amazon's installer puts its libfabric. */
#define AMAZON "opt/amazon/efa"

enum { MOST_CONFIGURATION = 1 << 20, SHOWN_MOST = 120 };

/* Takes the path, which may be NULL. */
static void add_file(struct doctor_facts *facts, const char *prefix, char *path, bool of_host)
{
	struct doctor_limits *limits = facts->limits;
	struct setting_file *file = &limits->settings[limits->setting_count];
	size_t length;

	*file = (struct setting_file){.prefix = prefix, .path = path};
	if (path && of_host)
		sysfs_read_long(&facts->root, &file->text, "%s", path + 1);
	else if (path)
		file_read(path, MOST_CONFIGURATION, &file->text, &length);
	if (file->text)
		limits->setting_count++;
	else
		free(path);
}

static char *file_in(const struct doctor_facts *facts, const char *variable, const char *name)
{
	const char *folder = doctor_environment(facts, variable);

	return folder && *folder ? mem_format("%s/%s", folder, name) : NULL;
}

/*
 * The files that win come first. NCCL looks up the home directory in the user database; that may
 * take long, so $HOME is used here. UCX (ucs_config_parse_config_files()) also reads files below
 * its own installation and in the directory where the job runs, which nobody knows here. libfabric
 * reads only the one below its own installation (SYSCONFDIR in load_conf(), src/var.c, since 1.18):
 * this takes Amazon's libfabric for the one that jobs use, where its installer has been run.
 */
static void read_files(struct doctor_facts *facts)
{
	const char *file = doctor_environment(facts, "NCCL_CONF_FILE");

	add_file(facts, "NCCL_",
		 file && *file ? mem_string(file) : file_in(facts, "HOME", ".nccl.conf"), false);
	add_file(facts, "NCCL_", mem_string("/etc/nccl.conf"), true);
	add_file(facts, "UCX_", file_in(facts, "UCX_CONFIG_DIR", "ucx.conf"), false);
	add_file(facts, "UCX_", file_in(facts, "HOME", "ucx.conf"), false);
	add_file(facts, "UCX_", mem_string("/etc/ucx/ucx.conf"), true);
	add_file(facts, "FI_",
		 mem_string(sysfs_has_directory(&facts->root, AMAZON) ? "/" AMAZON
									"/etc/libfabric.conf"
								      : "/etc/libfabric.conf"),
		 true);
}

static char *value_in_environment(const struct doctor_facts *facts, const char *name,
				  char **ret_source)
{
	char *value = mem_string_or_null(doctor_environment(facts, name));

	if (value)
		*ret_source = mem_string("environment");
	return value;
}

/* libfabric.conf has the form of nccl.conf: load_conf() and find_conf_entry(), src/var.c. */
static char *value_in_files(struct doctor_facts *facts, const char *name, char **ret_source)
{
	struct doctor_limits *limits = DOCTOR_PART(facts, limits);
	char *value = NULL;

	if (doctor_is_first(&limits->settings_were_read))
		read_files(facts);
	for (size_t i = 0; i < limits->setting_count && !value; i++) {
		const struct setting_file *file = &limits->settings[i];

		if (strncmp(name, file->prefix, strlen(file->prefix)) != 0)
			continue;
		value = *name == 'U' ? ucx_conf_find(file->text, name)
				     : nccl_conf_find(file->text, name);
		if (value)
			*ret_source = text_clean(file->path, strlen(file->path));
	}
	return value;
}

/* Whether libfabric takes its file before the environment: fi_param_init(), src/var.c. */
static bool prefers_files(struct doctor_facts *facts)
{
	static const char name[] = "FI_PREFER_SYSCONFIG";
	static const char *const words[] = {"1", "true", "yes", "on"};
	_cleanup_(freep) char *source = NULL;
	_cleanup_(freep) char *value = value_in_environment(facts, name, &source);

	if (!value)
		value = value_in_files(facts, name, &source);
	for (size_t i = 0; value && i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(value, words[i]))
			return true;
	return false;
}

char *doctor_setting(struct doctor_facts *facts, const char *name, char **ret_source)
{
	char *value = NULL;

	if (!strncmp(name, "FI_", 3) && prefers_files(facts))
		value = value_in_files(facts, name, ret_source);
	if (!value)
		value = value_in_environment(facts, name, ret_source);
	if (!value)
		value = value_in_files(facts, name, ret_source);
	return value;
}

/* Reads all names of the host, because those named on the command line are not enough. */
static const struct doctor_limits *read_names(struct doctor_context *run)
{
	struct doctor_limits *limits = DOCTOR_PART(run->facts, limits);

	if (!doctor_is_first(&limits->names_were_read))
		return limits;
	inventory_names(run->facts->request->root, false, &limits->devices);
	inventory_names(run->facts->request->root, true, &limits->ports);
	inventory_netdev_names(run->facts->request->root, &limits->netdevs);
	for (size_t i = 0; i < limits->devices.count; i++) {
		_cleanup_(freep) char *folder = mem_format(SYSFS_RDMA_CLASS "/%s",
							   limits->devices.items[i]);
		_cleanup_(freep) char *driver = sysfs_driver(&run->facts->root, folder);

		if (driver)
			strings_add(&limits->drivers, driver);
		else
			strings_add(&limits->drivers, sysfs_is_software(&run->facts->root, folder)
							      ? DRIVER_OF_SOFTWARE
							      : DRIVER_UNKNOWN);
	}
	return limits;
}

static bool matches(const struct setting_row *row, const struct name_filter *filter,
		    const struct name_entry *entry, const struct doctor_limits *names)
{
	if (row->kind == NCCL_NETDEVS)
		return name_entry_matches(filter, entry, &names->netdevs, NULL);
	if (name_entry_matches(filter, entry, &names->devices, &names->ports))
		return true;
	return row->kind == UCX_DEVICES && entry->port < 0 &&
	       name_entry_matches(filter, entry, &names->netdevs, NULL);
}

static void add_word(char **list, const char *word)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));

	mem_extend(list, "%s%s", *list ? ", " : "", clean);
}

/*
 * Lists the names that UCX and NCCL have for a device's ports, such as mlx5_0:1, or for all ports
 * if `device` is NULL.
 */
static void port_names(const struct strings *ports, const char *device, struct strings *ret)
{
	for (size_t i = 0; i < ports->count; i++) {
		const char *slash = strrchr(ports->items[i], '/');
		const size_t length = slash ? (size_t)(slash - ports->items[i]) : 0;
		_cleanup_(freep) char *name = NULL;

		if (!slash || (device && (strlen(device) != length ||
					  memcmp(device, ports->items[i], length) != 0)))
			continue;
		name = mem_format("%.*s:%s", (int)length, ports->items[i], slash + 1);
		strings_add(ret, name);
	}
}

static const char *closest_to(const struct setting_row *row, const char *name,
			      const struct doctor_limits *known)
{
	const struct strings *names = row->kind == NCCL_NETDEVS ? &known->netdevs : &known->devices;

	return text_closest(name, (const char *const *)names->items, names->count);
}

/* Advises: "correct NCCL_IB_HCA: did you mean mlx5_0? the names are mlx5_0, mlx5_1" */
static void advise(struct doctor_context *run, const struct setting_row *row, const char *missing,
		   const struct doctor_limits *known)
{
	enum { NAMES_MOST = 8 };
	_cleanup_(freep) char *list = NULL, *guess = NULL;
	_cleanup_(strings_free) struct strings ports = {0}, of_closest = {0};
	const struct strings *names = row->kind == NCCL_NETDEVS ? &known->netdevs : &known->devices;
	const char *closest = closest_to(row, missing, known);

	/* NCCL's may be a device of the host with a port that it does not have. */
	if (row->kind == UCX_DEVICES || (closest && !strcmp(closest, missing))) {
		port_names(&known->ports, NULL, &ports);
		if (closest)
			port_names(&known->ports, closest, &of_closest);
		closest = of_closest.count ? of_closest.items[0] : NULL;
		names = &ports;
	}
	if (closest)
		add_word(&guess, closest);
	for (size_t i = 0; i < names->count && i < NAMES_MOST; i++)
		add_word(&list, names->items[i]);
	if (names->count > NAMES_MOST)
		mem_extend(&list, " ...");
	doctor_next_step(run, "correct %s: %s%s%s%s%s", row->name, closest ? "did you mean " : "",
			 guess ? guess : "", closest ? "? " : "",
			 list ? "the names are " : "there are no names to choose from",
			 list ? list : "");
}

/* Whether a list of the devices to use has an RDMA device, not only netdevs. */
static bool has_rdma_device(const struct name_filter *filter, const struct doctor_limits *names)
{
	bool any = filter->exclude || !filter->count;

	for (size_t i = 0; i < filter->count && !any; i++)
		any = name_entry_matches(filter, &filter->items[i], &names->devices, &names->ports);
	return any;
}

/* ucp_context.c of UCX: a device can be named without its port since 1.21. */
static struct judged check_ports(struct doctor_context *run, const struct name_filter *filter,
				 const struct doctor_limits *names)
{
	_cleanup_(freep) char *list = NULL;

	for_each (entry, filter) {
		_cleanup_(strings_free) struct strings ports = {0};

		if (entry->port >= 0 || !name_entry_matches(filter, entry, &names->devices, NULL))
			continue;
		port_names(&names->ports, entry->name, &ports);
		for (size_t j = 0; j < ports.count; j++)
			add_word(&list, ports.items[j]);
	}
	if (!has_rdma_device(filter, names)) {
		doctor_next_step(run,
				 "add RDMA devices to UCX_NET_DEVICES, or remove it, unless UCX is "
				 "meant to use TCP: rdmactl devices lists the names");
		return doctor_note(run, "UCX uses no RDMA device with this setting");
	}
	if (!list)
		return doctor_ok(run, "the setting fits the devices of the host");
	doctor_next_step(run, "name the ports: %s", list);
	return doctor_note(run, "UCX before 1.21 does not recognise a device without its port");
}

static struct judged check_names(struct doctor_context *run, const struct setting_row *row,
				 const char *value)
{
	const struct doctor_limits *names = read_names(run);
	_cleanup_(name_filter_clear) struct name_filter filter;
	_cleanup_(freep) char *missing = NULL;
	const char *first = NULL, *closest = NULL;
	bool any = false;

	if (row->kind == UCX_DEVICES)
		name_filter_parse_ucx(&filter, value);
	else
		name_filter_parse_nccl(&filter, value);
	for (size_t i = 0; i < filter.count; i++) {
		_cleanup_(freep) char *entry = filter.items[i].port < 0
						       ? mem_string(filter.items[i].name)
						       : mem_format("%s:%d", filter.items[i].name,
								    filter.items[i].port);

		if (matches(row, &filter, &filter.items[i], names)) {
			any |= strcmp(filter.items[i].name, "lo") != 0;
			continue;
		}
		if (!closest) {
			closest = closest_to(row, filter.items[i].name, names);
			first = !first || closest ? filter.items[i].name : first;
		}
		add_word(&missing, entry);
	}
	if (!missing || (filter.exclude && row->kind == NCCL_NETDEVS)) {
		if (row->kind == UCX_DEVICES)
			return check_ports(run, &filter, names);
		return doctor_ok(run, "the setting fits the devices of the host");
	}
	doctor_evidence(run, NULL, "nothing is called %s%s", missing,
			filter.exact ? "" : ", or has a name that begins like that");
	if (row->kind == NCCL_NETDEVS && any && !closest && !filter.exact) {
		doctor_next_step(run, "nothing to do if the list is for several kinds of hosts, "
				      "such as en,eth,bond");
		return doctor_note(run, "not every name in the setting matches a netdev");
	}
	advise(run, row, first, names);
	if (filter.exclude)
		return doctor_note(run, "the setting excludes devices that do not exist");
	return doctor_warning(run, "the setting names devices that do not exist");
}

static struct judged check_transports(struct doctor_context *run, const char *value)
{
	_cleanup_(name_filter_clear) struct name_filter filter;

	name_filter_parse_ucx(&filter, value);
	if (ucx_transports_have_rdma(&filter, &read_names(run)->drivers))
		return doctor_ok(run, "the setting does not keep UCX from using RDMA");
	/* Every device has a transport of this name. */
	doctor_next_step(run, "remove UCX_TLS, or let it have ib, without ^, unless UCX is meant "
			      "to use TCP");
	return doctor_note(run, "UCX sends no messages by RDMA with this setting");
}

static struct judged check_gid_index(struct doctor_context *run, const char *value)
{
	/* The default, -1, lets NCCL choose. */
	if (!strcmp(value, "-1"))
		return doctor_ok(run, "the library chooses the GID");
	doctor_next_step(run, "remove NCCL_IB_GID_INDEX: NCCL 2.21 and later choose the GID "
			      "themselves; rdmactl gids shows the current indexes");
	return doctor_note(run, "a fixed GID index can become wrong when an address changes");
}

/* NCCL parses the first like strtoll() with base 0, and compares the second without case. */
static struct judged check_off(struct doctor_context *run, const struct setting_row *row,
			       const char *value)
{
	if (row->kind == NCCL_OFF ? !strtoll(value, NULL, 0) : strcasecmp(value, "Socket"))
		return doctor_ok(run, "the setting does not keep NCCL from using RDMA");
	doctor_next_step(run, "remove %s, unless NCCL is meant to use TCP", row->name);
	return doctor_note(run, "NCCL itself does not use RDMA with this setting");
}

/*
 * Whether FI_PROVIDER leaves libfabric the provider efa, or a layer above it (efa;ofi_rxd):
 * ofi_apply_prov_init_filter() in its src/fabric.c.
 */
static bool has_efa(const char *value)
{
	const bool excludes = *value == '^';
	_cleanup_(freep) char *copy = mem_string(value + excludes);
	char *rest = copy, *entry;

	while ((entry = strsep(&rest, ",")))
		if (!strncasecmp(entry, "efa", 3) && (!entry[3] || (entry[3] == ';' && !excludes)))
			return !excludes;
	return excludes;
}

static struct judged check_libfabric(struct doctor_context *run, const char *value)
{
	if (has_efa(value))
		return doctor_ok(run, "the setting does not keep libfabric from using EFA");
	doctor_next_step(run,
			 "remove FI_PROVIDER, or let it have efa, unless libfabric is meant to "
			 "use TCP");
	return doctor_note(run, "libfabric does not use EFA with this setting");
}

struct judged check_stale_env(struct doctor_context *run)
{
	for_each_in (row, settings, ARRAY_SIZE(settings)) {
		_cleanup_(freep) char *source = NULL, *clean = NULL;
		_cleanup_(freep) char *value = doctor_setting(run->facts, row->name, &source);
		size_t length = value ? strlen(value) : 0;

		if (!length ||
		    (row->kind == LIBFABRIC && !strings_contain(&read_names(run)->drivers, "efa")))
			continue;
		clean = text_clean(value, length < SHOWN_MOST ? length : SHOWN_MOST);
		doctor_object(run, "%s", row->name);
		doctor_evidence(run, source, "%s=%s (%s)", row->name, clean, source);
		if (row->kind == NCCL_GID_INDEX)
			check_gid_index(run, value);
		else if (row->kind == UCX_TRANSPORTS)
			check_transports(run, value);
		else if (row->kind == LIBFABRIC)
			check_libfabric(run, value);
		else if (row->kind == NCCL_OFF || row->kind == NCCL_NET)
			check_off(run, row, value);
		else
			check_names(run, row, value);
	}
	return run->verdicts ? doctor_judged(run) : doctor_does_not_apply(run);
}
