/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * OpenIB's system status class, 0x33 with the OUI 00-14-05, as in ibsysstat(8) of infiniband-diags:
 * Get of attribute 0x10 (empty), 0x11 (the name of the host) or 0x12 (lines of text, one for each
 * processor). Formats only.
 */
#pragma once

#include "mad/engine/request.h"

enum sysstat_query {
	SYSSTAT_PING = 0x10,
	SYSSTAT_HOST = 0x11,
	SYSSTAT_CPU = 0x12,
};

/*
 * The buffer of ibsysstat since rdma-core 39: 65536 bytes, minus 64 of the kernel's header and 40
 * of the MAD's. Earlier releases had 2048, and fail on a longer answer.
 */
#define SYSSTAT_MOST_BYTES 65432u
/* The size of header and data. */
#define SYSSTAT_MOST_MAD (40u + SYSSTAT_MOST_BYTES)

extern const struct enum_name sysstat_query_names[];

/* A processor in a reply to SYSSTAT_CPU. The model is cleaned, or NULL; the caller frees it. */
struct sysstat_cpu {
	struct number cpu;
	char *model;
	struct real mhz;
};

/* Fills everything but the address. */
void sysstat_request(enum sysstat_query query, struct mad_request *ret);
/* The text in a reply, cleaned except for line ends; the caller frees it. */
char *sysstat_text(const unsigned char *mad, size_t bytes);
/*
 * Parses the next line of *text and advances past it. Returns false if no more lines can be parsed.
 */
bool sysstat_parse_cpu(const char **text, struct sysstat_cpu *ret);

/*
 * For the server: returns whether the MAD is a request, and makes its reply, whose length is
 * returned in *ret_bytes. `cpus` is the text of SYSSTAT_CPU in complete lines; those that do not
 * fit are omitted.
 */
bool sysstat_answer(const unsigned char *mad, size_t bytes, const char *host, const char *cpus,
		    unsigned char answer[static SYSSTAT_MOST_MAD], size_t *ret_bytes);
