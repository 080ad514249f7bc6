/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibaddr: its command line, its configuration and its error messages. */
#pragma once

#include <stdint.h>

#include "cmd/compat/compat.h"
#include "mad/engine/request.h"

struct ibaddr_args {
	const char *program; /* argv[0], unchanged */
	enum compat_release release;
	bool gid;
	int lid;       /* 1: hexadecimal, -100: decimal, as the tool adds up -l and -L */
	char *adapter; /* NULL: any; owned */
	int port;
	enum target_kind kind;
	int timeout_msec;
	uint16_t sm_lid; /* 0: that of the port */
	uint64_t mkey;
	uint16_t pkey_index; /* of requests to the subnet administrator */
	bool errors;	     /* report every failed request */
	unsigned int debug;
};

/* Reads the configuration and options. Returns -1, or the exit status if they end the program. */
int ibaddr_parse(struct ibaddr_args *args, const struct personality_call *call, int argc,
		 char **argv);
void ibaddr_args_clear(struct ibaddr_args *args);

/* Parses a LID as the tool does; 0 if the text is not a LID. */
uint16_t ibaddr_parse_lid(const char *text);
