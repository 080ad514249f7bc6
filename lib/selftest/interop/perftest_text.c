/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The contents of perftest's exchange, as bytes. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mad/format/codes.h"
#include "selftest/interop/perftest.h"

/* A rate that no device has, in millions of messages a second. */
#define MOST_RATE 1e6

#define MIB 1048576.0

void perftest_format_keys(const struct perftest_keys *keys, bool with_gid, char *line)
{
	const size_t room = with_gid ? PERFTEST_GID_BYTES : PERFTEST_LINE_BYTES;
	size_t end = (size_t)snprintf(line, room, "%04x:%04x:%06x:%06x:%08x:%016" PRIx64 ":",
				      keys->lid & 0xffff, keys->reads & 0xffff,
				      keys->qpn & 0xffffff, keys->psn & 0xffffff, keys->rkey,
				      keys->address);

	for (size_t i = 0; with_gid && i < sizeof(keys->gid.raw); i++)
		end += (size_t)snprintf(line + end, room - end, "%02x:", keys->gid.raw[i]);
	/* The number of an XRC shared receive queue. */
	snprintf(line + end, room - end, with_gid ? "%08x:" : "%08x", 0u);
}

int perftest_parse_keys(const char *line, bool with_gid, struct perftest_keys *ret)
{
	uint64_t lid, reads, qpn, psn, rkey, byte, srqn;
	struct perftest_keys keys = {0};

	if (!interop_take_hex(&line, 4, ':', &lid) || !interop_take_hex(&line, 4, ':', &reads) ||
	    !interop_take_hex(&line, 6, ':', &qpn) || !interop_take_hex(&line, 6, ':', &psn) ||
	    !interop_take_hex(&line, 8, ':', &rkey) ||
	    !interop_take_hex(&line, 16, ':', &keys.address))
		return -EPROTO;
	for (size_t i = 0; with_gid && i < sizeof(keys.gid.raw); i++) {
		if (!interop_take_hex(&line, 2, ':', &byte))
			return -EPROTO;
		keys.gid.raw[i] = (uint8_t)byte;
	}
	if (!interop_take_hex(&line, 8, with_gid ? ':' : '\0', &srqn) || (with_gid && *line) ||
	    qpn < INTEROP_FIRST_QPN)
		return -EPROTO;
	keys.lid = (uint32_t)lid;
	keys.reads = (uint32_t)reads;
	keys.qpn = (uint32_t)qpn;
	keys.psn = (uint32_t)psn;
	keys.rkey = (uint32_t)rkey;
	*ret = keys;
	return 0;
}

int perftest_parse_version(const char bytes[static PERFTEST_VERSION_BYTES], double *ret)
{
	unsigned int whole = 0, part = 0, unit = 1;
	size_t i = 0;

	for (; i < 4 && bytes[i] >= '0' && bytes[i] <= '9'; i++)
		whole = 10 * whole + (unsigned int)(bytes[i] - '0');
	if (!i || bytes[i] != '.')
		return -EPROTO;
	for (i++; unit < 10000 && bytes[i] >= '0' && bytes[i] <= '9'; i++, unit *= 10)
		part = 10 * part + (unsigned int)(bytes[i] - '0');
	if (unit == 1 || bytes[i])
		return -EPROTO;
	*ret = whole + (double)part / unit;
	return 0;
}

int perftest_parse_mtu(const char digits[static PERFTEST_MTU_BYTES], uint32_t *ret)
{
	if (digits[0] < '1' || digits[0] > '5' || digits[1])
		return -EPROTO;
	*ret = mtu_bytes((unsigned int)(digits[0] - '0'));
	return 0;
}

static uint64_t put_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return htobe64(bits);
}

static bool take_double(uint64_t item, double most, double *ret)
{
	const uint64_t bits = be64toh(item);
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value) || value < 0 || value > most)
		return false;
	*ret = value;
	return true;
}

/* Like perftest -N, reports no peak. Bandwidths are in MiB/s unless its user wants another unit. */
void perftest_format_report(uint64_t bytes, uint64_t iterations, double rate,
			    uint64_t items[static PERFTEST_REPORT_ITEMS])
{
	items[0] = htobe64(bytes);
	items[1] = htobe64(iterations);
	items[2] = put_double(0);
	items[3] = put_double(rate * 1e6 * (double)bytes / MIB);
	items[4] = put_double(rate);
}

/* The bandwidth is in the unit that the client's user chose; the message rate is not. */
int perftest_parse_report(const uint64_t items[static PERFTEST_REPORT_ITEMS], uint64_t *ret_bytes,
			  uint64_t *ret_iterations, double *ret_rate)
{
	const uint64_t bytes = be64toh(items[0]), iterations = be64toh(items[1]);
	double rate;

	if (!take_double(items[4], MOST_RATE, &rate) || !bytes || bytes > UINT32_MAX ||
	    !iterations || iterations > INT64_MAX)
		return -EPROTO;
	*ret_bytes = bytes;
	*ret_iterations = iterations;
	*ret_rate = rate;
	return 0;
}
