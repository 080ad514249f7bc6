/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tests of perftest: ib_send_bw, ib_write_bw, ib_read_bw, ib_send_lat, ib_write_lat and
 * ib_read_lat, with one RC queue pair. The messages over TCP (perftest_text.c) are those of release
 * 4.5-0.17 of Debian 12 and of 25.01.0-0.80 of Debian 13; the names of the fields are from
 * src/perftest_communication.c of perftest. In each step the client writes first, and the server
 * answers with as many bytes:
 *
 *   version       16 bytes: "6.06" and NULs
 *   cycle buffer  4 bytes, big endian: the side that writes or reads puts single messages of up
 *                 to half this size one after another into it; the larger buffer counts
 *   cache line    4 bytes: the messages are a multiple of it apart
 *   path MTU      its code as a digit, and a NUL; the smaller MTU counts
 *   keys          a line with the addresses of a queue pair and a buffer, several times: before
 *                 and after the queue pairs are connected, and when the receives are posted
 *   (the test)
 *   keys, report  ib_write_bw and ib_read_bw: the client is done, and its results
 *   keys, "done"  all but ib_write_lat
 *
 * From version 6.28 on there is one more step, unless one side claims to be older, as this one
 * does. Nothing names the test, the sizes or the iterations: both users must specify the same.
 */
#pragma once

#include "selftest/interop/interop.h"

#define PERFTEST_VERSION       "6.06"
#define PERFTEST_VERSION_BYTES 16
/* Older versions use other formats, and perftest 4.5 itself refuses them. */
#define PERFTEST_OLDEST 5.70

#define PERFTEST_LINE_BYTES 59 /* with its NUL */
#define PERFTEST_GID_BYTES  108
#define PERFTEST_MTU_BYTES  2
#define PERFTEST_DONE	    "done"

/*
 * How long a client may measure while this side does nothing but wait. The exchange does not say
 * how long it wants to, and perftest itself waits without a limit (ethernet_read_keys(),
 * src/perftest_communication.c), even for a client that hangs.
 */
#define PERFTEST_MEASURE_MSEC 600000u

/* A buffer larger than any page. */
#define PERFTEST_MOST_CYCLE (16u << 20)

struct perftest_keys {
	uint32_t lid, reads; /* 16 bits */
	uint32_t qpn, psn;   /* 24 bits */
	uint32_t rkey;
	uint64_t address;
	struct gid gid;
};

/* Writes PERFTEST_GID_BYTES with a GID, PERFTEST_LINE_BYTES without. */
void perftest_format_keys(const struct perftest_keys *keys, bool with_gid, char *line);
/* Returns -EPROTO if the line has another format, or its queue pair may not be connected. */
int perftest_parse_keys(const char *line, bool with_gid, struct perftest_keys *ret);
/* Parses a number with a decimal point. Returns 0 or -EPROTO. */
int perftest_parse_version(const char bytes[static PERFTEST_VERSION_BYTES], double *ret);
/* Converts an MTU code to bytes. Returns 0 or -EPROTO. */
int perftest_parse_mtu(const char digits[static PERFTEST_MTU_BYTES], uint32_t *ret);
/*
 * A report of `iterations` messages of `bytes`, at `rate` million a second. Returns 0 or -EPROTO.
 */
#define PERFTEST_REPORT_ITEMS 5
void perftest_format_report(uint64_t bytes, uint64_t iterations, double rate,
			    uint64_t items[static PERFTEST_REPORT_ITEMS]);
int perftest_parse_report(const uint64_t items[static PERFTEST_REPORT_ITEMS], uint64_t *ret_bytes,
			  uint64_t *ret_iterations, double *ret_rate);

struct perftest_kind {
	struct interop_role role; /* first: a session has a pointer to it */
	unsigned int operation;	  /* enum selftest_operation */
	enum ibv_wr_opcode opcode;
	uint32_t access; /* enum buffer_access: what the peer may do with this side's memory */
	bool latency;
	/* How often the keys are exchanged before and after connecting. */
	unsigned int before, after;
	bool report, close; /* steps after the test */
	bool server_moves;  /* the server takes part in the test */
};

struct perftest {
	struct interop *session;
	const struct perftest_kind *kind;
	int fd;
	unsigned int measure_msec; /* PERFTEST_MEASURE_MSEC */
	double version;
	struct perftest_keys own, remote;
	struct ibv_send_wr request;
};

/* Carries out all steps after the TCP connection is made; the row has its verdict then. */
void perftest_exchange(struct perftest *run);
/* Runs this side's part of the test itself. Returns 0, or -EIO with the verdict in the row. */
int perftest_run(struct perftest *run);
/* Posts the receives that a receiving side needs before the test. Returns 0 or -EIO. */
int perftest_post_receives(struct perftest *run);
