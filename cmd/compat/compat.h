/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drop-in personalities: under the name of an older tool (argv[0], or `rdmactl compat NAME`) the
 * program takes that tool's options, prints its bytes and ends with its exit status. The data comes
 * from lib/load as everywhere; a personality is a renderer. Adding one takes cmd/compat/NAME.c with
 * a `const struct personality NAME_personality` and its line in personalities.def.
 */
#pragma once

#include <stdbool.h>

/* Whose behaviour, where releases of the tool differ: rdma-core's, by RDMACTL_COMPAT. */
enum compat_release { COMPAT_44 = 44, COMPAT_65 = 65 };

/* What a personality is called with. */
struct personality_call {
	const char *program; /* the last component of argv[0] */
	const char *root;    /* a saved tree in place of the live system, or NULL */
	enum compat_release release;
};

struct personality {
	const char *name;
	const char *package; /* what it is part of elsewhere */
	const char *summary; /* one line, lower case, no full stop */
	/*
	 * argv[0] is the name it was called by, for getopt. Writes to stdout and stderr; returns
	 * the tool's exit status. Output that is lost is the caller's to tell.
	 */
	int (*run)(const struct personality_call *call, int argc, char **argv);
};

#define PERSONALITY(name) extern const struct personality name##_personality;
#include "cmd/compat/personalities.def"
#undef PERSONALITY

struct ctx;

/* Status 255, which the older tools end with where they return -1. */
enum { COMPAT_STATUS_PANIC = 255 };

/* The personality that the last component of `path` names, or NULL. */
const struct personality *compat_find(const char *path);
/* Runs it as the program that argv[0] says, and returns the exit status. */
int compat_run(const struct ctx *ctx, const struct personality *personality, int argc, char **argv);
