/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Input from the network for ping and sysstat: the answer to a request fits the buffer, is never
 * itself a request, and is accepted by the client; all text that is shown is clean.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mad/ping.h"
#include "mad/sysstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum ping_kind kinds[] = {PING_PMA, PING_SMP, PING_OPENIB, PING_ROCE};

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void expect_clean(char *text)
{
	char *again = text ? text_clean(text, strlen(text)) : NULL;

	expect(!text || !strcmp(text, again));
	free(again);
	free(text);
}

static void try_ping(enum ping_kind kind, const unsigned char *mad, size_t size)
{
	unsigned char answer[MAD_BYTES];
	struct mad_request request = {.data = NULL};

	if (ping_answer(kind, mad, size, "host", answer)) {
		expect(answer[3] != UMAD_METHOD_GET);
		expect(!ping_answer(kind, answer, MAD_BYTES, "host", answer));
		ping_request(kind, false, answer[3], mad + 40, &request);
		expect(ping_accept(kind, &request, answer, MAD_BYTES));
		expect(mad_answers(answer, &request));
		expect_clean(ping_host(kind, answer, MAD_BYTES));
	}
	if (size >= MAD_BYTES) {
		ping_request(kind, false, UMAD_METHOD_SEND, mad + 40, &request);
		ping_accept(kind, &request, mad, size);
	}
	expect_clean(ping_host(kind, mad, size));
}

static void try_processors(const char *text)
{
	struct sysstat_cpu cpu = {.model = NULL};

	while (sysstat_parse_cpu(&text, &cpu)) {
		expect_clean(cpu.model);
		cpu = (struct sysstat_cpu){.model = NULL};
	}
}

static void try_sysstat(const unsigned char *mad, size_t size)
{
	unsigned char *answer = mem_alloc_zero(1, SYSSTAT_MOST_MAD);
	char *text = sysstat_text(mad, size), *lines = mem_alloc_zero(size + 1, 1);
	size_t bytes = 0;

	try_processors(text);
	memcpy(lines, mad, size);
	try_processors(lines);
	if (sysstat_answer(mad, size, lines, lines, answer, &bytes)) {
		expect(bytes >= MAD_BYTES && bytes <= SYSSTAT_MOST_MAD);
		expect(answer[3] == (UMAD_METHOD_GET_RESP));
		free(sysstat_text(answer, bytes));
	}
	free(lines);
	free(text);
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	unsigned char *exact = mem_alloc_zero(size ? size : 1, 1);

	if (size)
		memcpy(exact, data, size);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		try_ping(kinds[i], exact, size);
	/* Data without a complete header is dropped by the engine. */
	if (size >= 24)
		try_sysstat(exact, size);
	free(exact);
	return 0;
}
