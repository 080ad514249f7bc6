/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of libibumad: for the file that loads it, and for tests, which substitute them. */
#pragma once

#include <infiniband/umad.h>

#include "base/library.h"
#include "kernel/umad.h"

struct root;

#define UMAD_FUNCTIONS(MUST, MAY)             \
	MUST(umad_init, "IBUMAD_1.0")         \
	MUST(umad_open_port, "IBUMAD_1.0")    \
	MUST(umad_close_port, "IBUMAD_1.0")   \
	MUST(umad_size, "IBUMAD_1.0")         \
	MUST(umad_get_mad_addr, "IBUMAD_1.0") \
	MUST(umad_set_pkey, "IBUMAD_1.0")     \
	MUST(umad_get_pkey, "IBUMAD_1.0")     \
	MUST(umad_status, "IBUMAD_1.0")       \
	MUST(umad_send, "IBUMAD_1.0")         \
	MUST(umad_recv, "IBUMAD_1.0")         \
	MUST(umad_poll, "IBUMAD_1.0")         \
	MUST(umad_register, "IBUMAD_1.0")     \
	MUST(umad_register_oui, "IBUMAD_1.0")

struct umad_functions {
	UMAD_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER)
};

/* The part of umad_open() after loading the library and finding the kernel's module. */
int umad_open_ports(const struct umad_functions *call, const char *device, unsigned int port,
		    const char *smi_device, unsigned int smi_port,
		    struct mad_transport *ret_transport);
/*
 * Returns the index of a P_Key of that partition: the first one with full membership, else the
 * first with limited membership; -ENOENT if there is neither.
 */
int umad_find_pkey(const struct root *root, const char *device, unsigned int port, uint16_t pkey);
