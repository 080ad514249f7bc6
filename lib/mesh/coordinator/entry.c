/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a stranger to the agent of a host: the handshake, its identity, its rails, its findings; and
 * the hosts by name.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/coordinator/connection.h"

/* Time for the agent to read its host's devices, and to run the doctor. */
#define ENTRY_MSEC  30000u
#define DOCTOR_MSEC 120000u
/* Hosts beyond those asked for whose reason of refusal is kept. */
#define MOST_REFUSED 256u

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

void coordinator_say(struct coordinator *coordinator, const struct connection *connection,
		     char *text)
{
	_cleanup_(freep) char *raw = text, *clean = NULL, *line = NULL;
	char address[IP_TEXT_SIZE] = "socket";

	coordinator->cost.strangers++;
	if (!coordinator->setup.say || !log_limit_take(&coordinator->strangers, clock_msec()))
		return;
	if (connection->address.family)
		ip_format(&connection->address, address);
	clean = text_clean(raw, strlen(raw));
	line = mem_format("%s%s%s%s: %s", address, connection->name ? " (" : "",
			  connection->name ?: "", connection->name ? ")" : "", clean);
	coordinator->setup.say(coordinator->setup.context, line);
}

static void refuse(struct coordinator *coordinator, struct connection *connection,
		   enum mesh_refusal refusal, const char *text, const char *hint)
{
	coordinator_say(coordinator, connection, mem_format("refused: %s", text));
	connection_refuse(coordinator, connection, refusal, text, hint);
}

static void take_hello(struct coordinator *coordinator, struct connection *connection,
		       const struct mesh_hello *hello)
{
	struct mesh_message reply;
	int rc;

	if (*hello->name)
		connection->name = text_clean(hello->name, sizeof(hello->name));
	if (hello->tokenless) {
		coordinator->cost.tokenless++;
		refuse(coordinator, connection, MESH_REFUSAL_TOKEN, "its agent has no token",
		       "the launcher passes neither the environment nor standard input to it: give "
		       "it a file with --token-file");
		return;
	}
	connection->shake = mem_alloc_zero(1, sizeof(*connection->shake));
	rc = mesh_shake_challenge(connection->shake, hello, &reply);
	if (rc == -EPROTONOSUPPORT) {
		refuse(coordinator, connection, MESH_REFUSAL_VERSION,
		       "its rdmactl and this one have no version of the protocol in common",
		       "install the same rdmactl on all hosts");
		return;
	}
	if (rc) {
		connection_end(coordinator, connection, strerror(-rc));
		return;
	}
	connection->state = CONNECTION_GUEST;
	connection_send(coordinator, connection, &reply);
}

static void take_response(struct coordinator *coordinator, struct connection *connection,
			  const struct mesh_response *response)
{
	const struct coordinator_setup *setup = &coordinator->setup;
	struct mesh_message reply = {
		.type = MESH_MESSAGE_ADMITTED,
		.admitted = {.silence_msec = setup->silence_msec,
			     .timeout_msec = setup->timeout_msec,
			     .doctor = setup->doctor,
			     .busy = setup->busy},
	};
	int rc = mesh_shake_admit(connection->shake, setup->token, response, &reply.admitted);

	if (rc) {
		refuse(coordinator, connection, MESH_REFUSAL_TOKEN,
		       rc == -EACCES ? "the token is wrong" : hmac_failure(rc), NULL);
		return;
	}
	if (coordinator->begun || coordinator->seats == MESH_MOST_HOSTS) {
		refuse(coordinator, connection, MESH_REFUSAL_FULL, "the mesh has already begun",
		       "wait longer for it with --wait");
		return;
	}
	connection->protocol = connection->shake->challenge.version;
	free(connection->shake);
	connection->shake = NULL;
	reply.admitted.seat = coordinator->seats++;
	coordinator->guests--;
	connection->state = CONNECTION_ADMITTED;
	connection->since_msec = clock_msec();
	connection->end_msec = connection->since_msec + (setup->doctor ? DOCTOR_MSEC : ENTRY_MSEC);
	connection_send(coordinator, connection, &reply);
}

/* Number of hosts that have come or are entering. */
static size_t count_come(const struct coordinator *coordinator)
{
	size_t count = 0;

	for (size_t i = 0; i < coordinator->host_count; i++)
		count += coordinator->hosts[i].presence != MESH_ABSENT ||
			 coordinator->host_connections[i] != NO_CONNECTION;
	return count;
}

void host_refuse(struct coordinator *coordinator, struct mesh_host *host, const char *why,
		 const char *hint)
{
	coordinator->cost.refused++;
	host->presence = MESH_REFUSED;
	free(host->reason);
	host->reason = mem_string(why);
	free(host->hint);
	host->hint = hint && *hint ? mem_string(hint) : NULL;
	coordinator->arrival_msec = clock_msec();
	if (coordinator->setup.changed)
		coordinator->setup.changed(coordinator->setup.context, host);
}

/* Records a host that cannot take part, because that is a finding, unless there are too many. */
static void keep_refused(struct coordinator *coordinator, const char *name, const char *why,
			 const char *hint)
{
	uint32_t number = names_find(coordinator, name);

	if (number == NO_CONNECTION && coordinator->cost.refused < MOST_REFUSED &&
	    !coordinator->setup.names)
		number = names_add(coordinator, name);
	if (number == NO_CONNECTION || coordinator->hosts[number].presence == MESH_PRESENT)
		coordinator->cost.refused++;
	else
		host_refuse(coordinator, &coordinator->hosts[number], why, hint);
}

/* Moves what the agent reported into its host's entry, which keeps its name. */
static void fill_host(struct coordinator *coordinator, struct connection *connection,
		      struct mesh_host *told)
{
	struct mesh_host *host = &coordinator->hosts[connection->host];
	char *name = host->name;

	free(told->name);
	told->name = name;
	host->name = NULL;
	mesh_host_clear(host);
	*host = *told;
	/*
	 * Where other hosts reach this one: the address it connected from, else the one it
	 * reported. replace_loopback() later replaces loopback addresses.
	 */
	if (connection->address.family)
		host->address = connection->address;
	host->protocol = connection->protocol;
	*told = (struct mesh_host){.name = NULL};
}

/* The entry of the host, or NO_CONNECTION after a refusal. */
static uint32_t place_of(struct coordinator *coordinator, struct connection *connection,
			 const char *name)
{
	const struct coordinator_setup *setup = &coordinator->setup;
	const uint32_t number = names_find(coordinator, name);

	if (number != NO_CONNECTION && coordinator->host_connections[number] == NO_CONNECTION)
		return number;
	if (number != NO_CONNECTION)
		refuse(coordinator, connection, MESH_REFUSAL_TWICE,
		       "another agent of this name joined first",
		       "let the launcher start one agent on each host; if hosts have the same "
		       "name, give them others with --name");
	else if (setup->names)
		refuse(coordinator, connection, MESH_REFUSAL_FULL,
		       "it is not one of the hosts of --hosts", NULL);
	else if (setup->host_count && count_come(coordinator) >= setup->host_count)
		refuse(coordinator, connection, MESH_REFUSAL_FULL,
		       "as many hosts as --hosts says have already joined", NULL);
	else
		return names_add(coordinator, name);
	return NO_CONNECTION;
}

static void take_identity(struct coordinator *coordinator, struct connection *connection,
			  const struct mesh_identity *identity)
{
	struct mesh_host told = {.name = NULL};
	uint32_t number;

	mesh_identity_take(identity, &told);
	if (!told.name)
		told.name = mem_string("?");
	free(connection->name);
	connection->name = mem_string(told.name);
	number = place_of(coordinator, connection, told.name);
	if (number != NO_CONNECTION) {
		connection->host = number;
		connection->rails = identity->rail_count;
		connection->state = CONNECTION_ENTERING;
		coordinator->host_connections[number] = (uint32_t)(connection -
								   coordinator->connections);
		fill_host(coordinator, connection, &told);
	}
	mesh_host_clear(&told);
}

static void take_rail(struct coordinator *coordinator, struct connection *connection,
		      const struct mesh_rail *rail)
{
	struct mesh_host *host = &coordinator->hosts[connection->host];
	struct endpoint *place;

	if (host->rail_count >= connection->rails) {
		connection_end(coordinator, connection, "it has more rails than it said");
		return;
	}
	host->rails = mem_resize(host->rails, host->rail_count + 1, sizeof(*host->rails));
	place = &host->rails[host->rail_count++];
	*place = rail->endpoint;
	text_clean_into(place->device, sizeof(place->device), rail->endpoint.device,
			sizeof(rail->endpoint.device));
	text_clean_into(place->netdev, sizeof(place->netdev), rail->endpoint.netdev,
			sizeof(rail->endpoint.netdev));
}

static void take_gap(struct coordinator *coordinator, struct connection *connection,
		     const struct mesh_gap_message *told)
{
	struct mesh_host *host = &coordinator->hosts[connection->host];

	if (connection->protocol < MESH_PROTOCOL_GAPS || host->gap_count == MESH_MOST_GAPS ||
	    (host->gap_count && told->place <= host->gaps[host->gap_count - 1].place))
		connection_end(coordinator, connection, "it sent an unexpected message");
	else
		mesh_gap_take(told, mem_append(&host->gaps, &host->gap_count, sizeof(*host->gaps)));
}

static void take_slot(struct coordinator *coordinator, struct connection *connection,
		      const struct mesh_slot *told)
{
	struct mesh_host *host = &coordinator->hosts[connection->host];
	_cleanup_(freep) char *slot = text_clean(told->slot,
						 strnlen(told->slot, sizeof(told->slot)));

	if (connection->protocol < MESH_PROTOCOL_SLOTS || host->slots.count == MESH_MOST_PORTS)
		connection_end(coordinator, connection, "it sent an unexpected message");
	else
		strings_add(&host->slots, slot);
}

static void take_finding(struct coordinator *coordinator, struct connection *connection,
			 const struct mesh_finding *told)
{
	_cleanup_(freep) char *check = text_clean(told->check, sizeof(told->check));
	struct finding finding;

	mesh_finding_take(told, &finding);
	if (connection->findings++ < MESH_MOST_FINDINGS && coordinator->setup.found)
		coordinator->setup.found(coordinator->setup.context,
					 &coordinator->hosts[connection->host], check, &finding);
	finding_clear(&finding);
}

static const char busy_hint[] =
	"end them first: rdmactl resources qp lists them; or test alongside them with --busy";

static void take_ready(struct coordinator *coordinator, struct connection *connection)
{
	struct mesh_host *host = &coordinator->hosts[connection->host];

	if (host->rail_count != connection->rails) {
		connection_end(coordinator, connection, "it has fewer rails than it said");
		return;
	}
	if (host->gap_count &&
	    host->gaps[host->gap_count - 1].place >= host->rail_count + host->gap_count) {
		connection_end(coordinator, connection, "it has fewer ports than it said");
		return;
	}
	if (host->others_qps.known && host->others_qps.value && !coordinator->setup.busy) {
		const uint64_t count = host->others_qps.value;
		_cleanup_(freep) char *why = mem_format(
			"%u queue pair%s of other programs %s in use on its rails",
			(unsigned int)count, text_plural_s(count), count == 1 ? "is" : "are");

		keep_refused(coordinator, host->name, why, busy_hint);
		connection_refuse(coordinator, connection, MESH_REFUSAL_BUSY, why, busy_hint);
		return;
	}
	connection->state = CONNECTION_MEMBER;
	host->presence = MESH_PRESENT;
	coordinator->arrival_msec = clock_msec();
	if (coordinator->setup.changed)
		coordinator->setup.changed(coordinator->setup.context, host);
	connection_ping(coordinator, connection);
}

/* The agent itself reports that it cannot take part. */
static void take_refused(struct coordinator *coordinator, struct connection *connection,
			 const struct mesh_refused *refused)
{
	_cleanup_(freep) char *why = text_clean(refused->text, sizeof(refused->text));
	_cleanup_(freep) char *hint = text_clean(refused->hint, sizeof(refused->hint));
	_cleanup_(freep) char *name = mem_string(connection->host != NO_CONNECTION
							 ? coordinator->hosts[connection->host].name
						 : connection->name ? connection->name
								    : "?");

	/* Without proof of the token, its claims are not recorded. */
	if (connection->state == CONNECTION_STRANGER || connection->state == CONNECTION_GUEST) {
		connection_end(coordinator, connection, *why ? why : "its agent refuses");
		return;
	}
	connection_end(coordinator, connection, NULL);
	keep_refused(coordinator, name, *why ? why : "its agent refuses", hint);
}

void entry_take(struct coordinator *coordinator, struct connection *connection,
		const struct mesh_message *message)
{
	const enum connection_state state = connection->state;

	if (message->type == MESH_MESSAGE_HELLO && state == CONNECTION_STRANGER)
		take_hello(coordinator, connection, &message->hello);
	else if (message->type == MESH_MESSAGE_RESPONSE && state == CONNECTION_GUEST)
		take_response(coordinator, connection, &message->response);
	else if (message->type == MESH_MESSAGE_IDENTITY && state == CONNECTION_ADMITTED)
		take_identity(coordinator, connection, &message->identity);
	else if (message->type == MESH_MESSAGE_RAIL && state == CONNECTION_ENTERING)
		take_rail(coordinator, connection, &message->rail);
	else if (message->type == MESH_MESSAGE_GAP && state == CONNECTION_ENTERING)
		take_gap(coordinator, connection, &message->gap);
	else if (message->type == MESH_MESSAGE_SLOT && state == CONNECTION_ENTERING)
		take_slot(coordinator, connection, &message->slot);
	else if (message->type == MESH_MESSAGE_FINDING && state == CONNECTION_ENTERING)
		take_finding(coordinator, connection, &message->finding);
	else if (message->type == MESH_MESSAGE_READY && state == CONNECTION_ENTERING)
		take_ready(coordinator, connection);
	else if (message->type == MESH_MESSAGE_REFUSED)
		take_refused(coordinator, connection, &message->refused);
	else
		connection_end(coordinator, connection, "it sent an unexpected message");
}
