/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line and the configuration of the personality ibaddr: the first line of the input has
 * the words of the command line, separated by blanks; the rest is the configuration file.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/compat/ibaddr.h"

enum { MOST_WORDS = 20, FIRST_WORD = 3 };

static FILE *nowhere;
static int configuration;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	unsetenv("POSIXLY_CORRECT");
	opterr = 0;
	nowhere = fopen("/dev/null", "w");
	configuration = memfd_create("configuration", 0);
	if (!nowhere || configuration < 0)
		abort();
	return 0;
}

/* These are in compat.c, which needs every other personality. */
int compat_ibexit(const char *program, bool debug, const char *function, const char *format, ...)
{
	(void)program;
	(void)debug;
	(void)function;
	(void)format;
	return COMPAT_STATUS_PANIC;
}

void compat_options(enum compat_release release, const struct option *all, size_t count,
		    struct option *ret_options)
{
	(void)release;
	memcpy(ret_options, all, count * sizeof(*all));
}

int compat_pkey_index(const char *program, bool debug, const char *text, uint16_t *ret_index)
{
	(void)program;
	(void)debug;
	*ret_index = (uint16_t)strlen(text);
	return -1;
}

/* Nobody is there to type the M_Key. */
char *getpass(const char *prompt)
{
	(void)prompt;
	return NULL;
}

/* A file other than the input may be anything, such as a terminal. */
static bool names_file(const char *word)
{
	return *word == '-' && (strchr(word, 'z') || !strncmp(word, "--c", 3));
}

static void check(const struct ibaddr_args *args, int status)
{
	if (status != -1 && status && status != 2 && status != COMPAT_STATUS_PANIC)
		abort();
	if (args->sm_lid > MAD_LID_LAST || (!args->lid && !args->gid))
		abort();
	if (args->kind != TARGET_LID && args->kind != TARGET_DIRECT && args->kind != TARGET_GUID)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct personality_call call = {.program = "ibaddr", .release = COMPAT_65};
	_cleanup_(freep) char *text = mem_alloc_zero(size + 1, 1);
	_cleanup_(freep) char *file = mem_format("/proc/self/fd/%d", configuration);
	char *argv[MOST_WORDS + 1] = {(char[]){"ibaddr"}, (char[]){"-z"}, file};
	char *rest = text, *line, *word;
	int argc = FIRST_WORD, status;
	struct ibaddr_args args;
	FILE *errors = stderr;

	memcpy(text, data, size);
	line = strsep(&rest, "\n");
	while ((word = strsep(&line, " ")) && argc < MOST_WORDS)
		if (!names_file(word))
			argv[argc++] = word;
	if (ftruncate(configuration, 0) ||
	    (rest && pwrite(configuration, rest, strlen(rest), 0) < 0))
		abort();
	optind = 0;
	stderr = nowhere;
	status = ibaddr_parse(&args, &call, argc, argv);
	stderr = errors;
	check(&args, status);
	ibaddr_args_clear(&args);
	return 0;
}
