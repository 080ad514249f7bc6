/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drop-in personalities: under the name of an older tool (argv[0], or `rdmactl compat NAME`) the
 * program takes that tool's options, prints its bytes and ends with its exit status. A personality
 * only renders what lib/host reads. Adding one takes cmd/compat/NAME.c with a function NAME_run(),
 * its line in personalities.def, and what tests/lint/commands then asks for.
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* RDMACTL_COMPAT selects the rdma-core release to imitate where releases differ. */
enum compat_release { COMPAT_44 = 44, COMPAT_65 = 65 };

/* The call of a personality. */
struct personality_call {
	const char *program; /* the last component of argv[0] */
	const char *root;    /* a saved tree instead of the live system, or NULL */
	enum compat_release release;
};

struct personality {
	const char *name, *package, *summary;
	/*
	 * argv[0] is the name of the call, for getopt. Writes to stdout and stderr, and returns the
	 * tool's exit status; the caller reports lost output.
	 */
	int (*run)(const struct personality_call *call, int argc, char **argv);
};

#define PERSONALITY(name, package, instead, summary) \
	int name##_run(const struct personality_call *call, int argc, char **argv);
#include "cmd/compat/personalities.def"
#undef PERSONALITY

struct ctx;

/* The exit status of older tools that return -1. */
enum { COMPAT_STATUS_PANIC = 255 };

/* The personality that the last component of `path` names, or NULL. */
const struct personality *compat_find(const char *path);
/* Runs the personality as program argv[0], and returns the exit status. */
int compat_run(const struct ctx *ctx, const struct personality *personality, int argc, char **argv);
/* Prints why the root cannot be opened; returns the exit status of tools that have no root. */
int compat_no_root(const struct personality_call *call, int error);
/*
 * Prints with nothing that controls a terminal but tabs and line feeds: for texts of files and
 * names of devices, which a personality shows as they are otherwise.
 */
void compat_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a warning in the format of libibumad and libibmad: ibwarn: [pid] function: ... */
#define compat_ibwarn(function_, format_, ...)                                           \
	compat_print(stderr, "ibwarn: [%d] %s: " format_ "\n", (int)getpid(), function_, \
		     ##__VA_ARGS__)
/* Prints on standard output why `function` of such a tool fails; returns the exit status. */
int compat_ibexit(const char *program, bool debug, const char *function, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The lines of the help about an option that these tools have from release 64 on. */
#define COMPAT_PKEY_HELP                                                          \
	"  --pkey-idx, -Y <idx>    P_Key table index for outgoing SA/GMP MADs \n" \
	"                          (default 0)\n"
/* Copies the options that the release has: -Y is newer than 44. */
void compat_options(enum compat_release release, const struct option *all, size_t count,
		    struct option *ret_options);
/* Parses the value of -Y. Returns -1, or the exit status after the tool's message. */
int compat_pkey_index(const char *program, bool debug, const char *text, uint16_t *ret_index);
