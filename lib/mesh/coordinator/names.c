/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hosts of the coordinator by name. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/coordinator/connection.h"

/* 32-bit FNV-1a of the part before the first dot, ignoring case. */
static uint32_t hash(const char *name)
{
	uint32_t sum = 2166136261u;

	for (; *name && *name != '.'; name++)
		sum = (sum ^ (uint32_t)tolower((unsigned char)*name)) * 16777619u;
	return sum % NAME_HEADS;
}

uint32_t names_find(const struct coordinator *coordinator, const char *name)
{
	uint32_t number = coordinator->name_heads[hash(name)];

	while (number != NO_CONNECTION && !mesh_name_is(coordinator->hosts[number].name, name))
		number = coordinator->name_next[number];
	return number;
}

static void enter(struct coordinator *coordinator, uint32_t number)
{
	uint32_t *head = &coordinator->name_heads[hash(coordinator->hosts[number].name)];

	coordinator->name_next[number] = *head;
	*head = number;
}

uint32_t names_add(struct coordinator *coordinator, const char *name)
{
	struct mesh_host *host;

	if (coordinator->host_count >= MESH_MOST_HOSTS)
		return NO_CONNECTION;
	host = mem_append(&coordinator->hosts, &coordinator->host_count, sizeof(*host));
	host->name = mem_string(name);
	enter(coordinator, (uint32_t)coordinator->host_count - 1);
	return (uint32_t)coordinator->host_count - 1;
}

void names_rebuild(struct coordinator *coordinator)
{
	memset(coordinator->name_heads, 0xff, NAME_HEADS * sizeof(*coordinator->name_heads));
	for (uint32_t i = 0; i < coordinator->host_count; i++)
		enter(coordinator, i);
}
