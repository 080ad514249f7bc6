/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What launchers put into the environment: srun(1) OUTPUT ENVIRONMENT VARIABLES, mpirun(1), the PMI
 * of MPICH, and the completion index of a Kubernetes Job.
 */
#include "mesh/place.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/text.h"
#include "mesh/mesh.h"

/*
 * Limit on the addresses on each agent's command line, where an unreachable one costs three
 * seconds: enough for an adapter per accelerator, twice over, and the host's own.
 */
#define MOST_OWN_ADDRESSES 32

/* A launcher's variables; the first whose rank is set counts. */
static const struct {
	const char *rank, *hosts;
} launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"PMIX_RANK", NULL},
	{"PMI_RANK", "PMI_SIZE"},
	{"SLURM_PROCID", "SLURM_STEP_NUM_NODES"},
	{"JOB_COMPLETION_INDEX", NULL},
};

static struct number read_number(const char *name)
{
	const char *text = name ? getenv(name) : NULL;
	uint64_t value;

	if (!text || text_parse_u64(text, 10, MESH_MOST_HOSTS - 1, &value))
		return (struct number){.known = false};
	return number_of(value);
}

/* The host of task 0 in `n[01-04],x`, to be freed; NULL if there is no such list. */
static char *first_host(const char *list)
{
	_cleanup_(freep) char *message = NULL;
	_cleanup_(strings_free) struct strings names = {0};

	if (!list || hostlist_parse(list, MESH_MOST_HOSTS, &names.items, &names.count, &message))
		return NULL;
	return mem_string(names.items[0]);
}

void mesh_place_read(struct mesh_place *place)
{
	*place = (struct mesh_place){.by = NULL};
	/*
	 * srun also sets variables of PMIx, which lack the number of hosts: then its own give it.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(launchers) && !place->hosts.known; i++) {
		const struct number rank = read_number(launchers[i].rank);

		if (!rank.known || (place->by && rank.value != place->rank.value))
			continue;
		place->by = place->by ?: launchers[i].rank;
		place->rank = rank;
		place->hosts = read_number(launchers[i].hosts);
	}
	place->name = getenv("SLURMD_NODENAME");
	place->first_host = first_host(getenv("SLURM_STEP_NODELIST"));
}

void mesh_place_clear(struct mesh_place *place)
{
	free(place->first_host);
	*place = (struct mesh_place){.by = NULL};
}

static bool is_useful(const struct ifaddrs *interface, struct ip_address *ret_address)
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};

	/* Without a carrier, like the bridge of stopped containers, it leads nowhere. */
	if (!interface->ifa_addr || !(interface->ifa_flags & IFF_UP) ||
	    !(interface->ifa_flags & IFF_RUNNING) || interface->ifa_flags & IFF_LOOPBACK)
		return false;
	if (interface->ifa_addr->sa_family == AF_INET)
		memcpy(&address, interface->ifa_addr, sizeof(struct sockaddr_in));
	else if (interface->ifa_addr->sa_family == AF_INET6)
		memcpy(&address, interface->ifa_addr, sizeof(struct sockaddr_in6));
	else
		return false;
	*ret_address = socket_address_ip(&address);
	return !ip_is_link_local(ret_address);
}

/* Writes all eight groups of IPv6: otherwise the port after it would look like another group. */
static void add_address(char **text, const struct ip_address *address)
{
	const struct gid gid = ip_to_gid(address);
	char name[IP_TEXT_SIZE];

	if (address->family == AF_INET6)
		gid_format(&gid, name);
	else
		ip_format(address, name);
	mem_extend(text, "%s%s", *text ? "," : "", name);
}

char *mesh_list_addresses(const struct ifaddrs *list)
{
	struct ip_address address;
	char *text = NULL;
	size_t count = 0;

	for (const struct ifaddrs *at = list; at && count < MOST_OWN_ADDRESSES; at = at->ifa_next)
		if (is_useful(at, &address)) {
			add_address(&text, &address);
			count++;
		}
	return text ?: mem_string("127.0.0.1");
}

char *mesh_own_addresses(const char *only)
{
	struct ifaddrs *list = NULL;
	struct ip_address address;
	char *text = NULL;

	/* Anything that is not an address is a name. */
	if (only && ip_parse(only, &address))
		return mem_string(only);
	if (only) {
		add_address(&text, &address);
		return text;
	}
	if (getifaddrs(&list))
		list = NULL;
	text = mesh_list_addresses(list);
	freeifaddrs(list);
	return text;
}

/*
 * Takes the port after the last colon, unless that colon is part of an IPv6 address at the end. A
 * zone is a netdev, whose name has no colon (dev_valid_name() of the kernel).
 */
static bool take_port(char *text, uint16_t *port)
{
	char *comma = strrchr(text, ','), *word = comma ? comma + 1 : text;
	const char *zone = strchr(word, '%');
	char *last = strrchr(word, ':');
	struct ip_address whole;
	uint64_t number;

	if (!last || strchr(last, ']') || (!(zone && zone < last) && !ip_parse(word, &whole)))
		return true;
	if (text_parse_u64(last + 1, 10, UINT16_MAX, &number) || !number)
		return false;
	*last = '\0';
	*port = (uint16_t)number;
	return true;
}

bool mesh_parse_target(const char *text, uint16_t default_port, struct strings *ret_addresses,
		       uint16_t *ret_port)
{
	_cleanup_(freep) char *copy = mem_string(text);
	uint16_t port = default_port;
	char *rest = copy;

	if (!take_port(copy, &port) || !*copy)
		return false;
	for (char *word; (word = strsep(&rest, ","));) {
		const size_t length = strlen(word);

		/* [fd00::1]:18778 */
		if (length > 1 && word[0] == '[' && word[length - 1] == ']') {
			word[length - 1] = '\0';
			word++;
		}
		if (!*word || *word == '-') {
			strings_free(ret_addresses);
			return false;
		}
		strings_add(ret_addresses, word);
	}
	*ret_port = port;
	return true;
}
