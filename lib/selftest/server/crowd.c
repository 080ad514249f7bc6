/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/server/crowd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/text.h"

/* Memory that each client may use without an order for it: samples, work requests of a run. */
#define CLIENT_BYTES (UINT64_C(26) << 20)

#define LOG_BURST     20u
#define LOG_LINE_MSEC 1000u

int crowd_open(size_t most_clients, bool once, uint64_t most_bytes, struct crowd *ret_crowd)
{
	const size_t most_guests = most_clients > CROWD_MOST_GUESTS ? most_clients
								    : CROWD_MOST_GUESTS;
	const size_t count = most_clients + most_guests + CROWD_MOST_ENDING;
	void *shared = mmap(NULL, count * sizeof(*ret_crowd->budget.used), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return -errno;
	*ret_crowd = (struct crowd){
		.places = mem_alloc_zero(count, sizeof(*ret_crowd->places)),
		.place_count = count,
		.most_clients = most_clients,
		.most_guests = most_guests,
		.most_guests_of_network = most_clients / 2 > CROWD_MOST_GUESTS_OF_NETWORK
						  ? most_clients / 2
						  : CROWD_MOST_GUESTS_OF_NETWORK,
		.once = once,
		.budget = {.most = most_bytes, .places = count, .used = shared},
	};
	return 0;
}

void crowd_close(struct crowd *crowd)
{
	if (crowd->budget.used)
		munmap(crowd->budget.used, crowd->budget.places * sizeof(*crowd->budget.used));
	free(crowd->places);
	*crowd = (struct crowd){0};
}

bool crowd_has_processes(const struct crowd *crowd)
{
	for_each_place (served, crowd)
		if (served->state)
			return true;
	return false;
}

/* Counts the processes in that state, of this network or (NULL) of all. */
static size_t count(const struct crowd *crowd, enum served_state state,
		    const struct ip_network *network)
{
	size_t sum = 0;

	for_each_place (served, crowd)
		sum += served->state == state && !served->ended &&
		       (!network || ip_network_contains(network, &served->address));
	return sum;
}

/* An IPv6 host can use any address of its /64 network (RFC 4291, 2.5.1). */
static struct ip_network network_of(const struct ip_address *address)
{
	return (struct ip_network){.address = *address,
				   .bits = address->family == AF_INET ? 32 : 64};
}

bool crowd_is_full(const struct crowd *crowd)
{
	return count(crowd, SERVED_CLIENT, NULL) >= crowd->most_clients;
}

struct served *crowd_place(struct crowd *crowd)
{
	for_each_place (served, crowd)
		if (served->state == SERVED_NOBODY)
			return served;
	return NULL;
}

/*
 * Returns the oldest guest of the networks with the most guests, or only of this one. One that is
 * no stranger does not stay a guest for long.
 */
static struct served *find_oldest(struct crowd *crowd, const struct ip_network *network)
{
	struct served *oldest = NULL;
	size_t most = 0;

	for_each_place (served, crowd) {
		const struct ip_network its = network_of(&served->address);
		size_t guests;

		if (served->state != SERVED_GUEST || served->ended ||
		    (network && !ip_network_contains(network, &served->address)))
			continue;
		guests = count(crowd, SERVED_GUEST, &its);
		if (!oldest || guests > most ||
		    (guests == most && served->since_msec < oldest->since_msec)) {
			most = guests;
			oldest = served;
		}
	}
	return oldest;
}

struct served *crowd_find_surplus(struct crowd *crowd, const struct ip_address *address)
{
	const struct ip_network network = network_of(address);

	if (count(crowd, SERVED_GUEST, &network) >= crowd->most_guests_of_network)
		return find_oldest(crowd, &network);
	return count(crowd, SERVED_GUEST, NULL) < crowd->most_guests ? NULL
								     : find_oldest(crowd, NULL);
}

static uint64_t bytes_in_use(const struct budget *budget)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < budget->places; i++)
		sum += atomic_load(&budget->used[i]);
	return sum;
}

char *crowd_refusal(const struct crowd *crowd, const struct served *guest)
{
	const struct ip_address *address = &guest->address;
	const struct ip_network host = {.address = *address,
					.bits = address->family == AF_INET ? 32 : 128};
	const struct ip_network network = network_of(address);
	const size_t clients = count(crowd, SERVED_CLIENT, NULL);
	const size_t same = count(crowd, SERVED_CLIENT, &host);
	const size_t near = count(crowd, SERVED_CLIENT, &network);

	if (crowd_is_full(crowd))
		return crowd->once ? mem_string("it serves one client at a time")
				   : mem_format("it already serves %zu client%s", clients,
						text_plural_s(clients));
	if (same >= (crowd->most_clients + 1) / 2)
		return mem_format("it already serves %zu client%s from this address", same,
				  text_plural_s(same));
	/* One place is always left for others. */
	if (near && near >= crowd->most_clients * 3 / 4)
		return mem_format("it already serves %zu client%s from this network", near,
				  text_plural_s(near));
	if (bytes_in_use(&crowd->budget) + CLIENT_BYTES > crowd->budget.most)
		return mem_string("its clients use all the memory that --memory allows");
	return NULL;
}

void crowd_admit(struct crowd *crowd, struct served *guest)
{
	guest->state = SERVED_CLIENT;
	atomic_store(&crowd->budget.used[guest - crowd->places], CLIENT_BYTES);
}

void crowd_leave(struct crowd *crowd, struct served *served)
{
	atomic_store(&crowd->budget.used[served - crowd->places], 0);
	*served = (struct served){.line = -1};
}

int budget_take(struct budget *budget, size_t place, int64_t bytes)
{
	const uint64_t mine = atomic_fetch_add(&budget->used[place], (uint64_t)bytes) +
			      (uint64_t)bytes;

	/* Two concurrent requests may both be refused, but never both be granted too much. */
	if (bytes <= 0 || (mine <= budget->most / 2 && bytes_in_use(budget) <= budget->most))
		return 0;
	atomic_fetch_sub(&budget->used[place], (uint64_t)bytes);
	return -ENOMEM;
}

bool log_limit_take(struct log_limit *limit, uint64_t now_msec)
{
	const uint64_t most = LOG_BURST * LOG_LINE_MSEC;
	const uint64_t credit = limit->credit_msec + (now_msec - limit->last_msec);

	limit->credit_msec = !limit->last_msec || credit > most ? most : credit;
	limit->last_msec = now_msec;
	if (limit->credit_msec < LOG_LINE_MSEC) {
		limit->left_out++;
		return false;
	}
	limit->credit_msec -= LOG_LINE_MSEC;
	return true;
}
