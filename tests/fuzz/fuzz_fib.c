/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The routing tables of a recording: the input is pieces that begin with their kind and their
 * length in two bytes, and hold the payloads of dumped messages; then lookups in the result.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "host/fib/fib.h"
#include "host/rtnl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int taker(struct fib *fib, const void *payload, size_t length);

static void take(struct fib *fib, uint8_t kind, const uint8_t *data, size_t size)
{
	static taker *const takers[] = {fib_take_route, fib_take_rule, fib_take_next_hop,
					fib_take_neighbour, fib_take_address};
	/* Aligned, and of exactly this size, so that the sanitizer sees every overrun. */
	void *copy = mem_alloc_zero(size, 1);

	if (size)
		memcpy(copy, data, size);
	takers[kind % ARRAY_SIZE(takers)](fib, copy, size);
	free(copy);
}

static void ask(const struct fib *fib, const struct link_list *links, const char *destination,
		unsigned int link_index)
{
	struct route_question question = {.link_index = link_index};
	struct strings doubts = {.items = NULL};
	struct route route = {.local = false};

	ip_parse(destination, &question.destination);
	if (fib_lookup(fib, links, &question, &route, &doubts) > 0 ||
	    (route.source.known && route.source.address.family != question.destination.family))
		abort();
	strings_free(&doubts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct link_list links = {.items = NULL};
	struct fib fib = {.routes = NULL};

	for (unsigned int i = 1; i <= 3; i++) {
		struct link *link = link_list_add(&links);

		number_set(&link->index, i);
		link->name = mem_format("n%u", i);
		link->kind = i == 3 ? mem_string("vrf") : NULL;
		if (i == 2)
			number_set(&link->master_index, 3);
	}
	while (size >= 2) {
		const size_t length = data[1] < size - 2 ? data[1] : size - 2;

		take(&fib, data[0], data + 2, length);
		data += 2 + length;
		size -= 2 + length;
	}
	for (unsigned int i = 0; i <= 2; i += 2) {
		ask(&fib, &links, "10.1.2.3", i);
		ask(&fib, &links, "fd00::1", i);
		ask(&fib, &links, "fe80::1", i);
	}
	fib_clear(&fib);
	link_list_clear(&links);
	return 0;
}
