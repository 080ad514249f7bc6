/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How libibverbs is installed: its providers are shared libraries that it loads by the names in
 * /etc/libibverbs.d (libibverbs/dynamic_driver.c of rdma-core). Only files are read; nothing is
 * loaded.
 */
#pragma once

#include "kernel/root.h"
#include "schema/value.h"

struct providers {
	char *directory; /* of libibverbs.so.1, relative to the root; NULL: not installed */
	char *abi;	 /* "34", from a provider's suffix -rdmav34.so; NULL: unknown */
	struct strings libraries; /* found in DIRECTORY/libibverbs */
	struct strings names;	  /* in the configuration: mlx5, or /opt/x/libmlx5 */
	int rc;			  /* -errno: why the configuration could not be read */
};

#define PROVIDERS_CONFIG "etc/libibverbs.d"

void providers_read(const struct root *root, struct providers *providers);
void providers_clear(struct providers *providers);

enum provider_state {
	PROVIDER_THERE,
	PROVIDER_NOT_CONFIGURED,
	PROVIDER_NO_LIBRARY,
	PROVIDER_OTHER_ABI,    /* a library exists, but not for this libibverbs */
	PROVIDER_ELSEWHERE,    /* configured by its path, which is not checked */
	PROVIDER_LOCAL,	       /* below /usr/local, and the loader's configuration is not known */
	PROVIDER_NOT_SEARCHED, /* below /usr/local, which that configuration does not name */
};

/*
 * Finds a provider, in DIRECTORY/libibverbs, else in DIRECTORY itself, else below /usr/local.
 * *ret_library, freed by the caller, is the library that exists, there with its path; NULL: none.
 */
enum provider_state providers_find(const struct root *root, const struct providers *providers,
				   const char *name, char **ret_library);

/* Pure functions: parse a configuration file, and the bytes of libibverbs.so.1. */
void providers_parse(const char *text, struct strings *names);
char *providers_find_abi(const void *bytes, size_t length);
