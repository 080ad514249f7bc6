/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/compat/ibaddr.h"

#define CONFIGURATION "/etc/infiniband-diags/ibdiag.conf"

enum { CONFIGURATION_MOST = 1 << 20, MOST_LID = 0xbfff, TIMEOUT_MSEC = 1000 };

static const struct option options[] = {
	{"gid_show", no_argument, NULL, 'g'},	   {"lid_show", no_argument, NULL, 'l'},
	{"Lid_show", no_argument, NULL, 'L'},	   {"config", required_argument, NULL, 'z'},
	{"Ca", required_argument, NULL, 'C'},	   {"Port", required_argument, NULL, 'P'},
	{"Direct", no_argument, NULL, 'D'},	   {"Guid", no_argument, NULL, 'G'},
	{"timeout", required_argument, NULL, 't'}, {"sm_port", required_argument, NULL, 's'},
	{"m_key", required_argument, NULL, 'y'},   {"pkey-idx", required_argument, NULL, 'Y'},
	{"errors", no_argument, NULL, 'e'},	   {"verbose", no_argument, NULL, 'v'},
	{"debug", no_argument, NULL, 'd'},	   {"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},	   {NULL, 0, NULL, 0},
};

static int usage(const struct ibaddr_args *args)
{
	const char *program = args->program;

	fprintf(stderr,
		"\nUsage: %s [options] [<lid|dr_path|guid>]\n"
		"\nOptions:\n"
		"  --gid_show, -g          show gid address only\n"
		"  --lid_show, -l          show lid range only\n"
		"  --Lid_show, -L          show lid range (in decimal) only\n"
		"  --config, -z <config>   use config file, default: " CONFIGURATION "\n"
		"  --Ca, -C <ca>           Ca name to use\n"
		"  --Port, -P <port>       Ca port number to use\n"
		"  --Direct, -D            use Direct address argument\n"
		"  --Guid, -G              use GUID address argument\n"
		"  --timeout, -t <ms>      timeout in ms\n"
		"  --sm_port, -s <lid>     SM port lid\n"
		"  --m_key, -y <key>       M_Key to use in request\n"
		"%s"
		"  --errors, -e            show send and receive errors\n"
		"  --verbose, -v           increase verbosity level\n"
		"  --debug, -d             raise debug level\n"
		"  --help, -h              help message\n"
		"  --version, -V           show version\n"
		"\nExamples:\n"
		"  %s \t\t# local port's address\n"
		"  %s 32\t\t# show lid range and gid of lid 32\n"
		"  %s -G 0x8f1040023\t# same but using guid address\n"
		"  %s -l 32\t\t# show lid range only\n"
		"  %s -L 32\t\t# show decimal lid range only\n"
		"  %s -g 32\t\t# show gid address only\n"
		"\n",
		program, args->release < COMPAT_65 ? "" : COMPAT_PKEY_HELP, program, program,
		program, program, program, program);
	return 2;
}

uint16_t ibaddr_parse_lid(const char *text)
{
	const long lid = strtol(text, NULL, 0);

	return lid > 0 && lid <= MOST_LID ? (uint16_t)lid : 0;
}

static void set_adapter(struct ibaddr_args *args, const char *name)
{
	free(args->adapter);
	args->adapter = mem_string(name);
}

/* A line of the configuration, NAME=VALUE; the tool compares only the start of the name. */
static void configure(struct ibaddr_args *args, char *line)
{
	char *value = line;
	const char *name = strsep(&value, "=");

	if (!*name || !value || !*value)
		return;
	if (!strncmp(name, "CA", 2))
		set_adapter(args, value);
	else if (!strncmp(name, "Port", 4))
		args->port = (int)strtoul(value, NULL, 0);
	else if (!strncmp(name, "timeout", 7))
		args->timeout_msec = (int)strtoul(value, NULL, 0);
	else if (!strncmp(name, "m_key", 5))
		args->mkey = strtoull(value, NULL, 0);
}

/* An unreadable configuration is ignored. */
static void read_configuration(struct ibaddr_args *args, const char *path)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	char *rest, *line;

	if (file_read(path, CONFIGURATION_MOST, &text, &length))
		return;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		configure(args, line);
	}
}

static int parse_timeout(struct ibaddr_args *args, const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 0);
	if (errno || *end || value <= 0 || value > INT_MAX)
		return compat_ibexit(args->program, args->debug, "process_opt",
				     "Invalid timeout \"%s\".  Timeout requires a positive integer "
				     "value < %d.",
				     text, INT_MAX);
	args->timeout_msec = (int)value;
	return -1;
}

/* If the text is not a number, the tool prompts for one. */
static int parse_mkey(struct ibaddr_args *args, const char *text)
{
	char *end;

	errno = 0;
	args->mkey = strtoull(text, &end, 0);
	if (!errno && !*end)
		return -1;
	errno = 0;
	text = getpass("M_Key: ");
	if (text)
		args->mkey = strtoull(text, &end, 0);
	if (!text || errno || *end)
		return compat_ibexit(args->program, args->debug, "process_opt", "Bad M_Key");
	return -1;
}

static int parse_sm(struct ibaddr_args *args, const char *text)
{
	args->sm_lid = ibaddr_parse_lid(text);
	if (args->sm_lid)
		return -1;
	return compat_ibexit(args->program, args->debug, "process_opt",
			     "cannot resolve SM destination port %s", text);
}

static int take(struct ibaddr_args *args, int letter)
{
	switch (letter) {
	case 'g':
		args->gid = true;
		return -1;
	case 'l':
		args->lid++;
		return -1;
	case 'L':
		args->lid = -100;
		return -1;
	case 'z':
		read_configuration(args, optarg);
		return -1;
	case 'C':
		set_adapter(args, optarg);
		return -1;
	case 'P':
		args->port = (int)strtoul(optarg, NULL, 0);
		return -1;
	case 'D':
		args->kind = TARGET_DIRECT;
		return -1;
	case 'G':
		args->kind = TARGET_GUID;
		return -1;
	case 't':
		return parse_timeout(args, optarg);
	case 's':
		return parse_sm(args, optarg);
	case 'y':
		return parse_mkey(args, optarg);
	case 'Y':
		return compat_pkey_index(args->program, args->debug, optarg, &args->pkey_index);
	case 'd':
		args->debug++;
		args->errors = true;
		return -1;
	case 'e':
		args->errors = true;
		return -1;
	case 'v':
		return -1;
	case 'V':
		fprintf(stderr, "%s BUILD VERSION: %d.0\n", args->program, args->release);
		return 0;
	default:
		return usage(args);
	}
}

int ibaddr_parse(struct ibaddr_args *args, const struct personality_call *call, int argc,
		 char **argv)
{
	struct option known[ARRAY_SIZE(options)];
	const char *letters = call->release < COMPAT_65 ? "glLz:C:P:DGt:s:y:evdhV"
							: "glLz:C:P:DGt:s:y:Y:evdhV";
	int letter, status = -1;

	*args = (struct ibaddr_args){
		.program = argv[0],
		.release = call->release,
		.kind = TARGET_LID,
		.timeout_msec = TIMEOUT_MSEC,
	};
	read_configuration(args, CONFIGURATION);
	compat_options(call->release, options, ARRAY_SIZE(options), known);
	while (status < 0 && (letter = getopt_long(argc, argv, letters, known, NULL)) >= 0)
		status = take(args, letter);
	if (!args->lid && !args->gid)
		args->lid = args->gid = true;
	return status;
}

void ibaddr_args_clear(struct ibaddr_args *args)
{
	free(args->adapter);
	args->adapter = NULL;
}
