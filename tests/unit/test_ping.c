/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests and answers of ping and sysstat: what counts as an answer, what does not, and what is
 * shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mad/format/attribute.h"
#include "mad/ping.h"
#include "mad/sysstat.h"
#include "schema/bits.h"

enum { TRANSACTION = 0x12345678, METHOD = 3, STATUS = 4, MODIFIER = 20, OUI = 37, DATA = 40 };

static const enum ping_kind vendor_kinds[] = {PING_OPENIB, PING_ROCE};

struct exchange {
	unsigned char data[PING_DATA_BYTES];
	struct mad_request request;
	unsigned char asked[MAD_BYTES], answer[MAD_BYTES];
};

static void fill(struct exchange *exchange, enum ping_kind kind, uint8_t method)
{
	*exchange = (struct exchange){.answer = {0}};
	for (size_t i = PING_HOST_BYTES; i < PING_DATA_BYTES; i++)
		exchange->data[i] = (unsigned char)(i * 7 + 1);
	ping_request(kind, false, method, exchange->data, &exchange->request);
	mad_request_write(&exchange->request, TRANSACTION, exchange->asked);
}

static void asked_and_answered(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vendor_kinds); i++) {
		enum ping_kind kind = vendor_kinds[i];
		struct exchange exchange;
		char *host;

		fill(&exchange, kind, UMAD_METHOD_SEND);
		assert_true(ping_answer(kind, exchange.asked, MAD_BYTES, "host.example",
					exchange.answer));
		assert_true(mad_answers(exchange.answer, &exchange.request));
		assert_int_equal(mad_transaction(exchange.answer), TRANSACTION);
		assert_int_equal(exchange.answer[METHOD], kind == PING_ROCE ? 0x03 : 0x81);
		assert_true(ping_accept(kind, &exchange.request, exchange.answer, MAD_BYTES));
		host = ping_host(kind, exchange.answer, MAD_BYTES);
		assert_string_equal(host, "host.example");
		free(host);
	}
}

/* As in ibping(8) of infiniband-diags: the bytes that its peers see. */
static void as_ibping(void **state)
{
	static const unsigned char oui[] = {0x00, 0x14, 0x05};
	struct exchange exchange;

	(void)state;
	fill(&exchange, PING_OPENIB, 0);
	assert_int_equal(exchange.asked[1], 0x32);
	assert_int_equal(exchange.asked[2], 1);
	assert_int_equal(exchange.asked[METHOD], 0x01);
	assert_int_equal(bits_get(exchange.asked, 16 * 8, 64), 0);
	assert_memory_equal(exchange.asked + OUI, oui, sizeof(oui));
}

static void refused_as_a_request(void **state)
{
	static const struct {
		size_t at;
		unsigned char byte;
	} changes[] = {
		{1, 0x33},  {METHOD, 0x02}, {METHOD, 0x81},  {METHOD, 0x03},
		{17, 0x07}, {OUI, 0x77},    {OUI + 2, 0x99},
	};
	unsigned char answer[MAD_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vendor_kinds); i++) {
		struct exchange exchange;

		fill(&exchange, vendor_kinds[i], UMAD_METHOD_SEND);
		assert_false(
			ping_answer(vendor_kinds[i], exchange.asked, MAD_BYTES - 1, "h", answer));
		assert_false(
			ping_answer(vendor_kinds[1 - i], exchange.asked, MAD_BYTES, "h", answer));
		for (size_t j = 0; j < ARRAY_SIZE(changes); j++) {
			unsigned char changed[MAD_BYTES];

			memcpy(changed, exchange.asked, MAD_BYTES);
			changed[changes[j].at] = changes[j].byte;
			assert_false(ping_answer(vendor_kinds[i], changed, MAD_BYTES, "h", answer));
		}
	}
}

/* Nobody must be able to make a server send requests, least of all to other servers. */
static void methods_of_answers(void **state)
{
	struct exchange exchange;
	unsigned int taken = 0;

	(void)state;
	fill(&exchange, PING_ROCE, UMAD_METHOD_SEND);
	for (uint32_t method = 0; method < 0x200; method++) {
		bool ours = false;

		for (unsigned int i = 0; i < PING_METHOD_COUNT; i++)
			ours |= ping_answer_method(i) == method;
		bits_set(exchange.asked, MODIFIER * 8, 32, method);
		assert_int_equal(ping_answer(PING_ROCE, exchange.asked, MAD_BYTES, "h",
					     exchange.answer),
				 ours);
		taken += ours;
		if (!ours)
			continue;
		assert_int_equal(exchange.answer[METHOD], method);
		assert_int_not_equal(method, UMAD_METHOD_GET);
		assert_false(method & UMAD_METHOD_RESP_MASK);
		assert_false(
			ping_answer(PING_ROCE, exchange.answer, MAD_BYTES, "h", exchange.answer));
	}
	assert_int_equal(taken, PING_METHOD_COUNT);
}

static void refused_as_an_answer(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vendor_kinds); i++) {
		enum ping_kind kind = vendor_kinds[i];
		struct exchange exchange;

		fill(&exchange, kind, UMAD_METHOD_SEND);
		ping_answer(kind, exchange.asked, MAD_BYTES, "h", exchange.answer);
		assert_false(ping_accept(kind, &exchange.request, exchange.answer, MAD_BYTES - 1));
		exchange.answer[STATUS + 1] = 0x0c; /* no such method or attribute */
		assert_false(ping_accept(kind, &exchange.request, exchange.answer, MAD_BYTES));
		exchange.answer[STATUS + 1] = 0;
		exchange.answer[OUI + 1] ^= 1;
		assert_false(ping_accept(kind, &exchange.request, exchange.answer, MAD_BYTES));
		exchange.answer[OUI + 1] ^= 1;
		/* The name fills ibping's answer; our server must return the data sent. */
		exchange.answer[MAD_BYTES - 1] ^= 1;
		assert_int_equal(ping_accept(kind, &exchange.request, exchange.answer, MAD_BYTES),
				 kind == PING_OPENIB);
	}
}

static void every_node_answers(void **state)
{
	static const enum ping_kind kinds[] = {PING_PMA, PING_SMP};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct exchange exchange;

		fill(&exchange, kinds[i], 0);
		/* A refusal is a sign of life. */
		exchange.asked[STATUS + 1] = 0x0c;
		assert_true(ping_accept(kinds[i], &exchange.request, exchange.asked, MAD_BYTES));
		assert_null(ping_host(kinds[i], exchange.asked, MAD_BYTES));
		assert_false(
			ping_answer(kinds[i], exchange.asked, MAD_BYTES, "h", exchange.answer));
	}
}

static void hostile_names(void **state)
{
	struct exchange exchange;
	char *host;

	(void)state;
	fill(&exchange, PING_OPENIB, 0);
	assert_null(ping_host(PING_OPENIB, exchange.asked, MAD_BYTES));
	memcpy(exchange.asked + DATA, "\x1b[31mred\xff", 10);
	host = ping_host(PING_OPENIB, exchange.asked, MAD_BYTES);
	assert_string_equal(host, "\\x1b[31mred\\xff");
	free(host);
	memset(exchange.asked + DATA, 'x', PING_DATA_BYTES);
	host = ping_host(PING_OPENIB, exchange.asked, MAD_BYTES);
	assert_int_equal(strlen(host), PING_DATA_BYTES);
	free(host);
	host = ping_host(PING_ROCE, exchange.asked, MAD_BYTES);
	assert_int_equal(strlen(host), PING_HOST_BYTES);
	free(host);
	assert_null(ping_host(PING_ROCE, exchange.asked, DATA));
}

/* A name that does not fit is cut, and still ends with a NUL. */
static void long_name_of_ours(void **state)
{
	struct exchange exchange;
	char name[300], *host;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(vendor_kinds); i++) {
		size_t most = vendor_kinds[i] == PING_ROCE ? PING_HOST_BYTES : PING_DATA_BYTES;

		fill(&exchange, vendor_kinds[i], UMAD_METHOD_SEND);
		assert_true(ping_answer(vendor_kinds[i], exchange.asked, MAD_BYTES, name,
					exchange.answer));
		assert_true(ping_accept(vendor_kinds[i], &exchange.request, exchange.answer,
					MAD_BYTES));
		host = ping_host(vendor_kinds[i], exchange.answer, MAD_BYTES);
		assert_int_equal(strlen(host), most - 1);
		free(host);
	}
}

static void way_back(void **state)
{
	const struct mad_address from = {.lid = 5, .qpn = 1, .has_grh = true, .gid_index = 3};
	struct mad_address to = mad_answer_address(&from);

	(void)state;
	assert_int_equal(to.lid, 5);
	assert_int_equal(to.gid_index, 3);
	assert_int_equal(to.qkey, 0x80010000);
	assert_int_equal(to.hop_limit, 64);
}

static void check_cpu(const char *text, uint64_t cpu, const char *model, double mhz)
{
	struct sysstat_cpu found = {.model = NULL};

	assert_true(sysstat_parse_cpu(&text, &found));
	assert_int_equal(found.cpu.value, cpu);
	if (model)
		assert_string_equal(found.model, model);
	else
		assert_null(found.model);
	assert_int_equal(found.mhz.known, mhz > 0);
	if (mhz > 0)
		assert_true(found.mhz.value > mhz - 0.001 && found.mhz.value < mhz + 0.001);
	free(found.model);
}

static void processors(void **state)
{
	static const char *const bad[] = {
		"",
		"cpu",
		"cpu x: model M MHZ 1",
		"cpu 1 model M",
		"CPU 1: model M MHZ 1",
		"\ncpu 1: model M MHZ 1",
		"cpu 99999999999: model M MHZ 1",
	};

	(void)state;
	check_cpu("cpu 3: model Intel(R) Xeon(R) MHZ 2199.998\n", 3, "Intel(R) Xeon(R)", 2199.998);
	check_cpu("cpu 0: model  AMD EPYC MHZ  2250.000\nmore", 0, "AMD EPYC", 2250);
	check_cpu("cpu 1: model M MHZ ?\n", 1, "M", 0);
	check_cpu("cpu 1: model ? MHZ ?\n", 1, NULL, 0);
	check_cpu("cpu 1: model cut o", 1, "cut o", 0);
	check_cpu("cpu 1: model M MHZ 1.2.3\n", 1, "M", 0);
	check_cpu("cpu 1: model M MHZ 99999999999999999999\n", 1, "M", 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *text = bad[i];
		struct sysstat_cpu cpu;

		assert_false(sysstat_parse_cpu(&text, &cpu));
		assert_ptr_equal(text, bad[i]);
	}
}

static void sysstat_texts(void **state)
{
	unsigned char mad[DATA + 20] = {0};
	char *text;

	(void)state;
	memcpy(mad + DATA, "a\x1b\nb\xff\n", 6);
	text = sysstat_text(mad, sizeof(mad));
	assert_string_equal(text, "a\\x1b\nb\\xff\n");
	free(text);
	text = sysstat_text(mad, DATA + 1);
	assert_string_equal(text, "a");
	free(text);
	text = sysstat_text(mad, 24);
	assert_string_equal(text, "");
	free(text);
}

/* Complete lines, as many as ibsysstat has room for, in segments if necessary. */
static void sysstat_answers(void **state)
{
	static const char line[] = "cpu 0: model M MHZ 1\n";
	unsigned char asked[MAD_BYTES], answer[SYSSTAT_MOST_MAD];
	enum { LINES = SYSSTAT_MOST_BYTES / sizeof(line) * 2 };
	char *lines = mem_alloc_zero(LINES, sizeof(line)), *text;
	struct mad_request request = {.data = NULL};
	size_t bytes = 0;

	(void)state;
	for (size_t i = 0; i < LINES; i++)
		memcpy(lines + i * (sizeof(line) - 1), line, sizeof(line) - 1);
	sysstat_request(SYSSTAT_CPU, &request);
	mad_request_write(&request, TRANSACTION, asked);
	assert_true(sysstat_answer(asked, MAD_BYTES, "host", lines, answer, &bytes));
	assert_true(mad_answers(answer, &request));
	assert_true(bytes <= SYSSTAT_MOST_MAD && bytes > SYSSTAT_MOST_MAD - sizeof(line));
	assert_int_equal(answer[24], 1);
	assert_int_equal(answer[26] & 1, 1);
	text = sysstat_text(answer, bytes);
	assert_int_equal(strlen(text) % (sizeof(line) - 1), 0);
	assert_int_equal(strlen(text), bytes - DATA - 1);
	free(text);
	assert_true(sysstat_answer(asked, MAD_BYTES, "host", line, answer, &bytes));
	assert_int_equal(bytes, MAD_BYTES);
	assert_int_equal(answer[24], 0);
	asked[17] = SYSSTAT_HOST;
	assert_true(sysstat_answer(asked, MAD_BYTES, "host", lines, answer, &bytes));
	assert_string_equal((char *)answer + DATA, "host");
	asked[17] = 0x13;
	assert_false(sysstat_answer(asked, MAD_BYTES, "host", lines, answer, &bytes));
	asked[17] = SYSSTAT_PING;
	asked[METHOD] = 0x81;
	assert_false(sysstat_answer(asked, MAD_BYTES, "host", lines, answer, &bytes));
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_and_answered),
		cmocka_unit_test(as_ibping),
		cmocka_unit_test(refused_as_a_request),
		cmocka_unit_test(methods_of_answers),
		cmocka_unit_test(refused_as_an_answer),
		cmocka_unit_test(every_node_answers),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(long_name_of_ours),
		cmocka_unit_test(way_back),
		cmocka_unit_test(processors),
		cmocka_unit_test(sysstat_texts),
		cmocka_unit_test(sysstat_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
