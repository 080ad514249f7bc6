/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * OpenIB's system status class, 0x33 with the OUI 00-14-05, as ibsysstat(8) of infiniband-diags has
 * it: Get of attribute 0x10 (nothing), 0x11 (the name of the host) or 0x12 (lines of text, one for
 * each processor). Formats only.
 */
#pragma once

#include "mad/request.h"

enum sysstat_query {
	SYSSTAT_PING = 0x10,
	SYSSTAT_HOST = 0x11,
	SYSSTAT_CPU = 0x12,
};

/* What ibsysstat has room for: 2048 bytes, without 64 of the kernel's and the header's 40. */
#define SYSSTAT_MOST_BYTES 1944u
/* Header and data. */
#define SYSSTAT_MOST_MAD (40u + SYSSTAT_MOST_BYTES)

extern const struct enum_name sysstat_query_names[];

/* A processor as the answer to SYSSTAT_CPU has it. The strings are owned, clean, or NULL. */
struct sysstat_cpu {
	struct number cpu;
	char *model;
	struct real mhz;
};

/* Fills all but the address. */
void sysstat_request(enum sysstat_query query, struct mad_request *ret);
/* The text in an answer, cleaned but for the ends of its lines: the caller frees it. */
char *sysstat_text(const unsigned char *mad, size_t bytes);
/*
 * The next of the lines that *text begins with, and moves behind it. False: there is none that can
 * be read any more.
 */
bool sysstat_parse_cpu(const char **text, struct sysstat_cpu *ret);
void sysstat_cpu_clear(struct sysstat_cpu *cpu);

/*
 * The server's: whether what came is a request; then its answer, whose length is returned in
 * *ret_bytes. `cpus` is the text of SYSSTAT_CPU, whole lines; those that have no room are left out.
 */
bool sysstat_answer(const unsigned char *mad, size_t bytes, const char *host, const char *cpus,
		    unsigned char answer[static SYSSTAT_MOST_MAD], size_t *ret_bytes);
