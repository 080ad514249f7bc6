/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tests of perftest: ib_send_bw, ib_write_bw, ib_read_bw, ib_send_lat, ib_write_lat and
 * ib_read_lat, with one RC queue pair. What goes over TCP (perftest_text.c) is that of release
 * 4.5-0.17 of Debian 12 and of 25.01.0-0.80 of Debian 13; src/perftest_communication.c of perftest
 * names the fields. In each step the client writes first, and the server answers with as many
 * bytes:
 *
 *   version       16 bytes: "6.06" and NULs
 *   cycle buffer  4 bytes, big endian: single messages of up to half of it are put into so many
 *                 bytes, one after the other, by who writes or reads; the larger one counts
 *   cache line    4 bytes: the distances are multiples of it
 *   path MTU      the code as a digit, and a NUL; the smaller one counts
 *   keys          a line with the addresses of a queue pair and a buffer, several times: before
 *                 the queue pairs are connected, after that, and when the receives are posted
 *   (the test)
 *   keys, report  ib_write_bw and ib_read_bw: the client is done, and what it measured
 *   keys, "done"  all but ib_write_lat
 *
 * From version 6.28 on there is a step more, unless one side says that it is older, as this one
 * does. Nothing says which test it is, nor sizes and iterations: both users give the same.
 */
#pragma once

#include "selftest/interop/interop.h"

#define PERFTEST_VERSION       "6.06"
#define PERFTEST_VERSION_BYTES 16
/* Older ones have other formats, and perftest 4.5 itself refuses them. */
#define PERFTEST_OLDEST 5.70

#define PERFTEST_LINE_BYTES 59 /* with its NUL */
#define PERFTEST_GID_BYTES  108
#define PERFTEST_MTU_BYTES  2
#define PERFTEST_DONE	    "done"

/* A buffer that is larger than any page. */
#define PERFTEST_MOST_CYCLE (16u << 20)

struct perftest_keys {
	uint32_t lid, reads; /* 16 bits */
	uint32_t qpn, psn;   /* 24 bits */
	uint32_t rkey;
	uint64_t address;
	struct gid gid;
};

/* PERFTEST_GID_BYTES with a GID, else PERFTEST_LINE_BYTES. */
void perftest_format_keys(const struct perftest_keys *keys, bool with_gid, char *line);
/* 0 or -EPROTO: it is not exactly such a line, or names no queue pair that may be connected. */
int perftest_parse_keys(const char *line, bool with_gid, struct perftest_keys *ret);
/* A number with a point in it; 0, -EPROTO. */
int perftest_parse_version(const char bytes[static PERFTEST_VERSION_BYTES], double *ret);
/* Bytes; 0 or -EPROTO. */
int perftest_parse_mtu(const char digits[static PERFTEST_MTU_BYTES], uint32_t *ret);
/* `iterations` messages of `bytes`, at so many millions a second; 0 or -EPROTO. */
#define PERFTEST_REPORT_ITEMS 5
void perftest_format_report(uint64_t bytes, uint64_t iterations, double rate,
			    uint64_t items[static PERFTEST_REPORT_ITEMS]);
int perftest_parse_report(const uint64_t items[static PERFTEST_REPORT_ITEMS], uint64_t *ret_bytes,
			  uint64_t *ret_iterations, double *ret_rate);

struct perftest_kind {
	const char *name, *client_summary, *server_summary;
	unsigned int operation; /* enum selftest_operation */
	bool latency;
	/* How often the keys are exchanged before the connection and after it. */
	unsigned int before, after;
	bool report, close; /* what comes after the test */
	bool server_moves;  /* the server takes part in the test */
	uint32_t depth;
};

struct perftest {
	struct interop *session;
	const struct perftest_kind *kind;
	int fd;
	double version;
	struct perftest_keys own, remote;
	struct ibv_send_wr request;
};

/* All from the first step after the connection to the last; the row has its verdict. */
void perftest_exchange(struct perftest *run);
/* The test itself, as far as this side takes part in it. 0 or -EIO, and the row has its verdict. */
int perftest_run(struct perftest *run);
/* Posts what a side that gets messages has to have posted before the test. 0 or -EIO. */
int perftest_post_receives(struct perftest *run);
