/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What other programs send over TCP or in a message: the addresses of the pingpongs, the steps of
 * perftest's exchange, and rping's messages. Accepted input can be sent again, and stays the same.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "selftest/interop/perftest.h"
#include "selftest/selftest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

/*
 * Copies the first bytes into exactly as much room, so that the sanitizer sees every overrun; NULL
 * if there are too few.
 */
static void *cut(const uint8_t *data, size_t size, size_t length)
{
	void *copy = size < length ? NULL : mem_alloc_zero(length, 1);

	if (copy)
		memcpy(copy, data, length);
	return copy;
}

static void try_address(const uint8_t *data, size_t size)
{
	char *line = cut(data, size, PINGPONG_LINE_BYTES);
	struct pingpong_address address = {0}, again = {0};

	if (line && !pingpong_parse(line, &address)) {
		expect(address.qpn >= INTEROP_FIRST_QPN);
		pingpong_format(&address, line);
		expect(!pingpong_parse(line, &again));
		expect(!memcmp(&address, &again, sizeof(again)));
	}
	free(line);
}

/* The list begins with the input, followed by lines of zeros. */
static void try_addresses(const uint8_t *data, size_t size)
{
	const size_t length = (size_t)PINGPONG_LINES * PINGPONG_LINE_BYTES;
	struct pingpong_address found[3], again[3];
	char *lines = mem_alloc_zero(length, 1);
	size_t count = 0, more = 0;

	pingpong_format_list(NULL, 0, lines);
	if (size)
		memcpy(lines, data, size < length ? size : length);
	if (!pingpong_parse_list(lines, ARRAY_SIZE(found), found, &count)) {
		expect(count && count <= ARRAY_SIZE(found));
		pingpong_format_list(found, count, lines);
		expect(!pingpong_parse_list(lines, ARRAY_SIZE(again), again, &more));
		expect(more == count && !memcmp(found, again, count * sizeof(*found)));
	}
	free(lines);
}

static void try_keys(const uint8_t *data, size_t size, bool with_gid)
{
	char *line = cut(data, size, with_gid ? PERFTEST_GID_BYTES : PERFTEST_LINE_BYTES);
	struct perftest_keys keys, again;

	memset(&keys, 0, sizeof(keys));
	memset(&again, 0, sizeof(again));
	if (line && !perftest_parse_keys(line, with_gid, &keys)) {
		expect(keys.qpn >= INTEROP_FIRST_QPN && keys.qpn < 1u << 24);
		perftest_format_keys(&keys, with_gid, line);
		expect(!perftest_parse_keys(line, with_gid, &again));
		expect(keys.qpn == again.qpn && keys.psn == again.psn && keys.lid == again.lid &&
		       keys.reads == again.reads && keys.rkey == again.rkey &&
		       keys.address == again.address &&
		       !memcmp(&keys.gid, &again.gid, sizeof(keys.gid)));
	}
	free(line);
}

static void try_steps(const uint8_t *data, size_t size)
{
	char *version = cut(data, size, PERFTEST_VERSION_BYTES);
	char *digits = cut(data, size, PERFTEST_MTU_BYTES);
	double number = -1;
	uint32_t mtu = 0;

	if (version && !perftest_parse_version(version, &number))
		expect(number >= 0 && number < 10000);
	if (digits && !perftest_parse_mtu(digits, &mtu))
		expect(mtu >= 256 && mtu <= 4096);
	free(digits);
	free(version);
}

static void try_report(const uint8_t *data, size_t size)
{
	uint64_t *items = cut(data, size, PERFTEST_REPORT_ITEMS * sizeof(*items));
	uint64_t bytes = 0, iterations = 0, bytes_again = 0, iterations_again = 0;
	double rate = -1, rate_again = -1;

	if (items && !perftest_parse_report(items, &bytes, &iterations, &rate)) {
		expect(bytes && iterations && isfinite(rate) && rate >= 0);
		perftest_format_report(bytes, iterations, rate, items);
		expect(!perftest_parse_report(items, &bytes_again, &iterations_again, &rate_again));
		expect(bytes == bytes_again && iterations == iterations_again &&
		       !memcmp(&rate, &rate_again, sizeof(rate)));
	}
	free(items);
}

static void try_rping(const uint8_t *data, size_t size)
{
	uint8_t *message = cut(data, size, RPING_INFO_BYTES), back[RPING_INFO_BYTES];
	uint8_t *text = cut(data, size, size);
	struct rping_info info;

	if (message) {
		rping_info_decode(message, &info);
		rping_info_encode(&info, back);
		expect(!memcmp(back, message, sizeof(back)));
	}
	rping_text_is_usual(text, size);
	free(text);
	free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_address(data, size);
	try_addresses(data, size);
	try_keys(data, size, true);
	try_keys(data, size, false);
	try_steps(data, size);
	try_report(data, size);
	try_rping(data, size);
	return 0;
}
