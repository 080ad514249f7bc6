/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scope-bound release of what a function owns: `_cleanup_(x_freep) struct x *x = NULL;`.
 * Each helper takes the address of the variable and does nothing for an empty one.
 */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

/* Defines name##p(), the cleanup form of a `void name(type *)` that accepts NULL. */
#define DEFINE_CLEANUP(type, name)                \
	static inline void name##p(type **object) \
	{                                         \
		name(*object);                    \
	}

/*
 * Defines a function that releases what an `object` of the type owns by these expressions, and
 * makes it zero.
 */
#define DEFINE_CLEAR(type, name, ...)               \
	static inline void name(type *object)       \
	{                                           \
		__VA_ARGS__;                        \
		memset(object, 0, sizeof(*object)); \
	}

static inline void freep(void *pointer)
{
	free(*(void **)pointer);
}

static inline void closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
