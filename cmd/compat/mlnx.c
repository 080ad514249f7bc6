/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cma_roce_mode and cma_roce_tos of mlnx-tools, and show_drop of MLNX_OFED. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/roce.h"
#include "cmd/commands.h"
#include "cmd/compat/compat.h"
#include "cmd/counters/counters.h"
#include "roce/cma.h"

struct query {
	const struct personality_call *call;
	const char *attribute;
	const struct setting *setting;
	char letter; /* the option that sets the value */
	const char *device;
	uint64_t port;
	const char *value; /* value to set, as the setting takes it; NULL: only show it */
};

static int usage(const struct query *query, FILE *file, int status)
{
	fprintf(file, "usage: %s [-h] [-d DEV] [-p PORT] [-%c %s]\n", query->call->program,
		query->letter, query->letter == 'm' ? "1|2" : "TOS");
	return status;
}

static const char *hint_for(const struct query *query, int error)
{
	switch (error) {
	case -ENOSYS:
		return query->call->root
			       ? NULL
			       : "modprobe rdma_cm; mount -t configfs none /sys/kernel/config";
	case -ENODEV:
		return "rdmactl devices and ports list those that are there";
	case -EACCES:
	case -EPERM:
		return "run as root";
	default:
		return NULL;
	}
}

static int complain(const struct query *query, int error)
{
	_cleanup_(freep) char *device = text_clean(query->device, strlen(query->device));
	const char *hint = hint_for(query, error);

	fprintf(stderr, "%s: %s/%u: cannot read %s: %s\n", query->call->program, device,
		(unsigned int)query->port, query->attribute,
		error == -ENOSYS ? "no " CMA_DIRECTORY : strerror(-error));
	if (hint)
		fprintf(stderr, "  %s\n", hint);
	return 1;
}

static int show(const struct query *query)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = cma_defaults_read(query->call->root, query->device,
					   (unsigned int)query->port, query->attribute, text);

	if (length < 0)
		return complain(query, (int)length);
	puts(text);
	return 0;
}

/* Sets the value as `rdmactl roce set` does, with all the steps of a change. */
static int set(const struct query *query)
{
	_cleanup_(freep) char *device = text_clean(query->device, strlen(query->device));
	_cleanup_(freep) char *object = mem_format("%s/%u", device, (unsigned int)query->port);
	_cleanup_(change_host_close) struct change_host host = {.nldev = NULL};
	_cleanup_(changes_clear) struct changes changes = {.items = NULL};
	struct change *change = changes_add(&changes, &host, query->setting, object, NULL);
	bool good;

	change->port = number_of(query->port);
	change->data = mem_string(query->device);
	good = !change_parse(change, query->value, &change->wanted) &&
	       changes_prepare(&changes, 0) && changes_write(&changes);
	change = &changes.items[0];
	if (!good)
		fprintf(stderr, "%s: %s: %s\n", query->call->program, object, change->reason);
	if (!good && change->next_step)
		fprintf(stderr, "  %s\n", change->next_step);
	return good ? 0 : 1;
}

/* The value of the option, as the setting takes it; NULL if it is wrong. */
static const char *value_of(const struct query *query, const char *text)
{
	if (query->letter != 'm')
		return text;
	return !strcmp(text, "1") ? "roce-v1" : !strcmp(text, "2") ? "roce-v2" : NULL;
}

static int ask(struct query *query, int argc, char **argv)
{
	const char options[] = {'h', 'd', ':', 'p', ':', query->letter, ':', '\0'};
	int letter;

	query->device = "mlx5_0"; /* the default of the originals */
	query->port = 1;
	while ((letter = getopt(argc, argv, options)) != -1) {
		if (letter == 'd')
			query->device = optarg;
		else if (letter == 'h')
			return usage(query, stdout, 0);
		else if (letter == query->letter)
			query->value = value_of(query, optarg);
		else if (letter != 'p' || text_parse_u64(optarg, 10, 255, &query->port))
			return usage(query, stderr, 1);
		if (letter == query->letter && !query->value)
			return usage(query, stderr, 1);
	}
	if (optind < argc)
		return usage(query, stderr, 1);
	if (query->value && query->call->root) {
		fprintf(stderr, "%s: a saved tree cannot be changed\n", query->call->program);
		return 1;
	}
	if (query->value && set(query))
		return 1;
	return show(query);
}

int cma_roce_mode_run(const struct personality_call *call, int argc, char **argv)
{
	struct query query = {
		.call = call, .attribute = CMA_MODE, .setting = &cma_mode_setting, .letter = 'm'};

	return ask(&query, argc, argv);
}

int cma_roce_tos_run(const struct personality_call *call, int argc, char **argv)
{
	struct query query = {
		.call = call, .attribute = CMA_TOS, .setting = &cma_tos_setting, .letter = 't'};

	return ask(&query, argc, argv);
}

/*
 * show_drop of MLNX_OFED has no public copy: its name says that it shows counters of dropped
 * packets. Here it prints the same as `rdmactl counters --drops`.
 */
int show_drop_run(const struct personality_call *call, int argc, char **argv)
{
	const struct ctx ctx = {.command = &counters_command, .globals = {.root = call->root}};
	const struct counters_args args = {.drops = true};

	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-') {
			const bool help = !strcmp(argv[i], "-h");

			fprintf(help ? stdout : stderr, "usage: %s [-h] [DEV[/PORT]...]\n",
				call->program);
			return help ? 0 : STATUS_USAGE;
		}
	return counters_command.run(&ctx, &args, argv + 1);
}
