/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of many segments through a real kernel: a stand-in for a subnet administrator on one port,
 * which the MAD engine queries through another port. The kernel splits the answers into segments,
 * acknowledges these, and reassembles them (RMPP, IBA 1, 13.6).
 *
 *	rmpp SERVER CLIENT GID GID-INDEX RECORDS...
 *
 * SERVER and CLIENT are devices, GID is one of the server's port 1, GID-INDEX is that of the
 * client's matching GID. Each number in RECORDS is a request, and all are sent at once. Prints a
 * line for each: the number, then the bytes of the answer and "right", or what is wrong. The exit
 * status is 0 if all requests were sent, whatever the answers; 1 if that was not possible.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "mad/format/attribute.h"
#include "mad/engine/engine.h"
#include "mad/format/header.h"
#include "mad/ping.h"
#include "schema/bits.h"

#define NODE_RECORD  0x11u
#define RECORD_BYTES 112u /* of a NodeRecord with its padding: IBA 1, 15.2.5.2 */

/* IBA 1, 13.6.2.1 and 15.2.1.1 */
enum {
	AT_METHOD = 3,
	AT_MODIFIER = 20,
	AT_RMPP_VERSION = 24,
	AT_RMPP_TYPE = 25,
	AT_RMPP_FLAGS = 26,
	AT_RECORD_OFFSET = 44, /* in units of 8 bytes */
	AT_DATA = 56,
	RMPP_DATA = 1,
	RMPP_ACTIVE = 1,
};

static int complain(const char *what, int rc)
{
	fprintf(stderr, "rmpp: %s: %s\n", what, strerror(-rc));
	return 1;
}

/* No two records, and no two segments, are the same. */
static unsigned char byte_at(size_t place)
{
	size_t record = place / RECORD_BYTES, byte = place % RECORD_BYTES;

	return (unsigned char)(record * 131 + (record >> 8) * 17 + byte * 7);
}

/* The modifier of the request says how many records are wanted. */
static void answer(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		   size_t bytes)
{
	struct mad_engine **engine = context;
	const size_t table = (size_t)bits_get(mad, AT_MODIFIER * 8, 32) * RECORD_BYTES;
	const size_t length = AT_DATA + table > MAD_BYTES ? AT_DATA + table : MAD_BYTES;
	const struct mad_address to = mad_answer_address(&arrival->from);
	unsigned char *reply;
	int rc;

	if (bytes < MAD_BYTES)
		return;
	reply = mem_alloc_zero(1, length);
	memcpy(reply, mad, AT_DATA);
	reply[AT_METHOD] |= UMAD_METHOD_RESP_MASK;
	reply[AT_RMPP_VERSION] = 1;
	reply[AT_RMPP_TYPE] = RMPP_DATA;
	reply[AT_RMPP_FLAGS] = RMPP_ACTIVE;
	bits_set(reply, AT_RECORD_OFFSET * 8, 16, RECORD_BYTES / 8);
	for (size_t i = 0; i < table; i++)
		reply[AT_DATA + i] = byte_at(i);
	rc = mad_engine_send(*engine, arrival->agent, &to, reply, length);
	if (rc)
		complain("answer", rc);
	free(reply);
}

static int serve(const char *device, int ready)
{
	const struct mad_engine_options options = {.window = 1};
	const struct mad_agent agent = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.version = mad_version_of_class(UMAD_CLASS_SUBN_ADM),
		.rmpp_version = 1,
		.methods = {1ull << UMAD_SA_METHOD_GET_TABLE},
	};
	struct mad_engine *engine;
	const struct mad_work work = {.context = &engine, .unasked = answer};
	int rc = mad_open(device, 1, NULL, 0, &options, &engine);

	if (!rc)
		rc = mad_engine_add_agent(engine, &agent);
	if (rc < 0)
		return complain(device, rc);
	if (write(ready, "", 1) != 1)
		return 1;
	return complain(device, mad_engine_serve(engine, &work, -1));
}

struct client {
	struct mad_address to;
	char **counts;
};

static bool next(void *context, struct mad_request *request)
{
	struct client *client = context;

	if (!*client->counts)
		return false;
	request->to = client->to;
	request->mgmt_class = UMAD_CLASS_SUBN_ADM;
	request->method = UMAD_SA_METHOD_GET_TABLE;
	request->attribute = NODE_RECORD;
	request->modifier = (uint32_t)strtoul(*client->counts++, NULL, 10);
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	const size_t table = (size_t)reply->request->modifier * RECORD_BYTES;
	size_t i = 0;

	(void)context;
	printf("%u ", reply->request->modifier);
	if (reply->error) {
		printf("%s after %u tries\n", strerror(-reply->error), reply->tries);
		return;
	}
	while (i < table && AT_DATA + i < reply->bytes && reply->mad[AT_DATA + i] == byte_at(i))
		i++;
	if (i == table)
		printf("%zu right\n", reply->bytes);
	else
		printf("%zu wrong from byte %zu on\n", reply->bytes, AT_DATA + i);
}

static int ask(const char *device, char **words)
{
	const struct mad_engine_options options = {.window = 0};
	struct client client = {
		.to = {.qpn = 1, .qkey = UMAD_QKEY, .has_grh = true, .hop_limit = 64},
		.counts = words + 2,
	};
	const struct mad_work work = {.context = &client, .next = next, .done = done};
	struct mad_engine *engine;
	int rc = gid_parse(words[0], &client.to.gid);

	client.to.gid_index = (uint8_t)strtoul(words[1], NULL, 10);
	if (!rc)
		rc = mad_open(device, 1, NULL, 0, &options, &engine);
	if (rc)
		return complain(device, rc);
	rc = mad_engine_run(engine, &work);
	mad_engine_free(engine);
	return rc ? complain(device, rc) : 0;
}

int main(int argc, char **argv)
{
	int ready[2], status = 1;
	pid_t child;
	char byte;

	if (argc < 6 || pipe(ready))
		return 1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(serve(argv[1], ready[1]));
	}
	close(ready[1]);
	if (child < 0)
		return complain("fork", -errno);
	if (read(ready[0], &byte, 1) == 1)
		status = ask(argv[2], argv + 3);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return status;
}
