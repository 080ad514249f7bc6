/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a diagnosis names things; for the files that make it up. */
#pragma once

#include "selftest/diagnosis/diagnosis.h"

/* What carries the packets of a port. */
enum diagnosis_carrier {
	CARRIER_UNKNOWN,
	CARRIER_ROCE_V1,
	CARRIER_ROCE_V2,
	CARRIER_IWARP,
	CARRIER_INFINIBAND, /* and Omni-Path, which has LIDs and a fabric manager alike */
};

struct diagnosis_words {
	char *near;	   /* rxa/1 */
	char *near_device; /* rxa */
	char *far;	   /* rxb/1 of 10.9.0.2 */
	char *peer;	   /* 10.9.0.2 */
	enum diagnosis_carrier carrier;
};

/* The caller frees what they hold. */
void diagnosis_words_make(struct diagnosis_words *words, const struct diagnosis_facts *facts);
void diagnosis_words_clear(struct diagnosis_words *words);

/* An endpoint that names a device, or NULL. */
const struct endpoint *diagnosis_known(const struct endpoint *endpoint);
/* rxa/1, clean; `fallback` for one that is not known. The caller frees it. */
char *diagnosis_port(const struct endpoint *endpoint, const char *fallback);
/* The netdev, clean; `fallback` where there is none. The caller frees it. */
char *diagnosis_netdev(const struct endpoint *endpoint, const char *fallback);
/* "RoCE v2", "InfiniBand", "iWARP" ... */
const char *diagnosis_kind(const struct endpoint *endpoint);
/* 64 KiB, 1 MiB, or bytes. The caller frees it. */
char *diagnosis_bytes(uint64_t bytes);
/* Known to be 0; known to be more. */
bool diagnosis_is_none(const struct counter_sums *counts, enum counter_class class);
bool diagnosis_is_some(const struct counter_sums *counts, enum counter_class class);

/* Takes both strings over. Always true, for `return diagnosis_say(...)`. */
bool diagnosis_say(struct diagnosis *diagnosis, char *sentence, char *hint);
