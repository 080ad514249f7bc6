/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ibv_rc_pingpong and rping say to each other, as bytes: pure functions, found out by watching
 * the programs of rdma-core 44. Whatever comes from a peer is checked here; strings are the
 * caller's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gid.h"
#include "host/endpoint/endpoint.h"
#include "selftest/trial/pattern.h"

/*
 * ibv_rc_pingpong, over TCP: the client sends its address, the server answers with its own one, the
 * client sends PINGPONG_DONE and closes. An address is LID, QPN, PSN and GID as hexadecimal digits,
 * 4:6:6:32, and a NUL.
 */
#define PINGPONG_LINE_BYTES 52
#define PINGPONG_DONE	    "done" /* with its NUL */

struct pingpong_address {
	uint32_t lid;	 /* 16 bits */
	uint32_t number; /* QPN, 24 bits */
	uint32_t packet; /* PSN, 24 bits */
	struct gid gid;	 /* zero: without -g */
};

void pingpong_format(const struct pingpong_address *address, char line[static PINGPONG_LINE_BYTES]);
/* 0 or -EPROTO: it is no such line, to the letter, or no queue pair that may be connected. */
int pingpong_parse(const char line[static PINGPONG_LINE_BYTES], struct pingpong_address *ret);

/*
 * rping, over the queue pair: a message of the client says where it lets the server read from, or
 * write to. The server's messages are as long, their content has no meaning.
 */
#define RPING_INFO_BYTES 16

struct rping_info {
	uint64_t address;
	uint32_t key;
	uint32_t bytes;
};

void rping_info_encode(const struct rping_info *info, uint8_t bytes[static RPING_INFO_BYTES]);
void rping_info_decode(const uint8_t bytes[static RPING_INFO_BYTES], struct rping_info *ret);

/* What rping -c takes for -S. */
#define RPING_LEAST_BYTES 23u
#define RPING_MOST_BYTES  65535u

/*
 * The text that rping's client exposes in round `number`: "rdma-ping-N: ", then characters from
 * 'A' to 'z' in turn, from another one in each round, and a NUL. The server writes back what is
 * before the first NUL, and that.
 */
void rping_text_fill(uint8_t *text, size_t bytes, uint64_t number);
/* Whether it begins as that text does, of any round. */
bool rping_text_is_usual(const uint8_t *text, size_t bytes);
/* Compares what came with what should have come; if they differ, *ret says where and what. */
bool interop_compare(const uint8_t *expected, const uint8_t *got, size_t bytes,
		     struct pattern_mismatch *ret);

/* What the command to run on the other host has to say. */
struct interop_options {
	bool peer_serves;
	const struct endpoint *local;
	const struct ip_address *address; /* of the server; family 0: not known */
	uint32_t port;
	uint64_t bytes, iterations;
	uint32_t mtu_bytes;
};

/* The whole command, and how to find what is not known here. The caller frees it. */
char *pingpong_command(const struct interop_options *options);
char *rping_command(const struct interop_options *options);
