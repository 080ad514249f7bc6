/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibaddr: what its command line and its configuration ask for, and its words for what failed. */
#pragma once

#include <stdint.h>

#include "cmd/compat/compat.h"
#include "mad/target.h"

struct ibaddr_args {
	const char *program; /* argv[0] as it is */
	enum compat_release release;
	bool gid;
	int lid;       /* 1 hexadecimal, -100 decimal: the tool adds up -l and -L */
	char *adapter; /* NULL: any; owned */
	int port;
	enum target_kind kind;
	int timeout_msec;
	uint16_t sm_lid; /* 0: the port's own */
	uint64_t mkey;
	bool errors; /* tell of every request that failed */
	unsigned int debug;
};

/* Reads the configuration and the options. -1, or the status that they alone end with. */
int ibaddr_parse(struct ibaddr_args *args, const struct personality_call *call, int argc,
		 char **argv);
void ibaddr_args_clear(struct ibaddr_args *args);

/* A LID as the tool takes it; 0: it is none. */
uint16_t ibaddr_parse_lid(const char *text);
/* Tells on standard output why it ends, in `function` of the tool's; returns the status. */
int ibaddr_fail(const struct ibaddr_args *args, const char *function, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tells on standard error what a function of the tool's libraries ran into. */
void ibaddr_warn(const char *function, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
