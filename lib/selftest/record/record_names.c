/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names used in the rows of a self-test, some of which are also values of options. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "selftest/record/record.h"

const struct enum_name selftest_connection_names[] = {
	{CONNECTION_EXCHANGE, "exchange", TONE_PLAIN, "a TCP connection exchanges the addresses"},
	{CONNECTION_CM, "cm", TONE_PLAIN, "the RDMA communication manager connects"},
	{0, NULL},
};

const struct enum_name selftest_group_names[] = {
	{SELFTEST_SETUP, "setup", TONE_PLAIN, "open, register memory, create a queue pair"},
	{SELFTEST_RC, "rc", TONE_PLAIN, "reliable connection, each operation and size"},
	{SELFTEST_GATHER, "gather", TONE_PLAIN, "gather and scatter of non-contiguous memory"},
	{SELFTEST_UC, "uc", TONE_PLAIN, "unreliable connection"},
	{SELFTEST_UD, "ud", TONE_PLAIN, "unreliable datagrams"},
	{SELFTEST_MULTICAST, "multicast", TONE_PLAIN, "datagrams to a multicast group"},
	{SELFTEST_FAULT, "fault", TONE_PLAIN, "faults that must be detected"},
	{SELFTEST_LATENCY, "latency", TONE_PLAIN, "time of a message"},
	{SELFTEST_BANDWIDTH, "bandwidth", TONE_PLAIN, "bytes a second"},
	{SELFTEST_COUNTERS, "counters", TONE_PLAIN, "counters of the ports before and after"},
	{SELFTEST_GIDS, "gids", TONE_PLAIN, "each usable entry of the GID table"},
	{SELFTEST_INTEROP, "interop", TONE_PLAIN, "other programs as the peer"},
	{SELFTEST_SERVE, "serve", TONE_PLAIN, "what a server did for its clients"},
	{SELFTEST_CONNECT, "connect", TONE_PLAIN, "connections a second, and their steps"},
	{SELFTEST_RAILS, "rails", TONE_PLAIN, "all ports, each alone and all together"},
	{0, NULL},
};

const struct enum_name selftest_verdict_names[] = {
	{SELFTEST_PASS, "pass", TONE_GOOD},
	{SELFTEST_FAIL, "fail", TONE_BAD},
	{SELFTEST_SKIP, "skip", TONE_WARNING},
	{0, NULL},
};

const struct enum_name selftest_transport_names[] = {
	{SELFTEST_BY_RC, "rc", TONE_PLAIN, "reliable connection"},
	{SELFTEST_BY_UC, "uc", TONE_PLAIN, "unreliable connection: sends and RDMA writes"},
	{SELFTEST_BY_UD, "ud", TONE_PLAIN, "datagrams: sends of at most a path MTU"},
	{SELFTEST_BY_XRC, "xrc", TONE_PLAIN,
	 "extended reliable connection (hns, mlx4, mlx5, qedr): a shared receive queue"},
	{SELFTEST_BY_SRD, "srd", TONE_PLAIN, "scalable reliable datagrams, of EFA: not measured"},
	{SELFTEST_BY_DC, "dc", TONE_PLAIN, "dynamically connected, of mlx5: not measured"},
	{0, NULL},
};

/* ---- The kinds of memory: the values of --memory ---- */

#define MOST_NUMBER 255

#define MADE_OF(kind, exporter) ((kind) << 8 | (exporter))

const struct enum_name selftest_memory_names[] = {
	{MADE_OF(MEMORY_PAGES, 0), "pages"},
	{MADE_OF(MEMORY_HUGE, 0), "huge"},
	{MADE_OF(MEMORY_ODP, 0), "odp"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_SYSTEM), "dmabuf:system"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_UDMABUF), "dmabuf:udmabuf"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_CUDA), "dmabuf:cuda"},
	{MADE_OF(MEMORY_DMABUF, EXPORTER_HIP), "dmabuf:hip"},
	{0, NULL},
};

/* The kinds with an accelerator, which a number may select. */
static bool has_number(uint64_t value)
{
	return value >= MADE_OF(MEMORY_DMABUF, EXPORTER_CUDA);
}

int selftest_memory_parse(const char *text, struct message_memory *ret)
{
	for (const struct enum_name *row = selftest_memory_names; row->word; row++) {
		const size_t length = strlen(row->word);
		uint64_t number = 0;

		if (strncmp(text, row->word, length) != 0)
			continue;
		if (text[length] && (!has_number(row->value) || text[length] != ':' ||
				     text_parse_u64(text + length + 1, 10, MOST_NUMBER, &number)))
			continue;
		*ret = (struct message_memory){
			.kind = (uint32_t)row->value >> 8,
			.exporter = (uint32_t)row->value & 0xff,
			.number = (uint32_t)number,
		};
		return 0;
	}
	return -EINVAL;
}

char *selftest_memory_text(const struct message_memory *memory)
{
	const uint64_t value = MADE_OF(memory->kind, memory->exporter);
	const char *word = enum_word(selftest_memory_names, value, "?");

	return has_number(value) ? mem_format("%s:%u", word, memory->number) : mem_string(word);
}
