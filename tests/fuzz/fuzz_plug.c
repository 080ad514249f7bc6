/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of a module. The input is its text in a file; if it is not such a text, it is the
 * lengths of the parts, a byte each, followed by their bytes. With enough bytes it is also the
 * register PDDR.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plug/plug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(struct plug_memory *memory, const uint8_t *data, size_t size)
{
	*memory = (struct plug_memory){.length = {0}};
	for (unsigned int i = 0; i < PLUG_PARTS && size > PLUG_PARTS; i++)
		memory->length[i] = data[i] % (PLUG_PART_BYTES + 1);
	for (unsigned int i = 0, at = PLUG_PARTS; i < PLUG_PARTS; i++)
		for (unsigned int j = 0; j < memory->length[i] && at < size; j++)
			memory->bytes[i][j] = data[at++];
}

/* Checks what must be true of a record, whatever the memory contains. */
static void check(const struct plug *plug)
{
	const struct plug_lane *weakest = plug_weakest(plug);

	if (plug->lane_count > PLUG_LANES_MOST || (plug->lane_count && !plug->identifier.known))
		abort();
	for (size_t i = 0; i < plug->lane_count; i++)
		if (plug->lanes[i].alarms.value & ~plug->alarms.value ||
		    plug->lanes[i].flags.value & ~plug->flags.value)
			abort();
	if (weakest && !(plug_dbm(weakest->rx_power_mw.value) >= PLUG_LEAST_DBM))
		abort();
}

static void try_pddr(const uint8_t *data, size_t size)
{
	struct plug_memory memory;
	struct plug plug;

	if (size < PLUG_PDDR_BYTES || !plug_take_pddr(&memory, data, size % 2))
		return;
	plug_decode(&memory, &plug);
	check(&plug);
	if (plug.standard.known || !plug_is_told(&memory))
		abort();
	plug_clear(&plug);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc_zero(size + 1, 1), *again;
	struct plug_memory memory, parsed;
	unsigned int tried = 0;
	enum plug_part part;
	struct plug plug;

	if (size)
		memcpy(text, data, size);
	if (plug_memory_parse(text, &memory))
		fill(&memory, data, size);
	free(text);
	while (plug_next_part(&memory, tried, &part))
		tried |= 1u << part;
	plug_decode(&memory, &plug);
	check(&plug);
	plug_clear(&plug);
	again = plug_memory_text(&memory);
	if (plug_memory_parse(again, &parsed) ||
	    memcmp(parsed.length, memory.length, sizeof(parsed.length)) != 0)
		abort();
	for (unsigned int i = 0; i < PLUG_PARTS; i++)
		if (memcmp(parsed.bytes[i], memory.bytes[i], memory.length[i]))
			abort();
	free(again);
	try_pddr(data, size);
	return 0;
}
