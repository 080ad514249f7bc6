/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A stand-in for a subnet administrator on one port, which the MAD engine asks for tables by
 * another port: what is long goes in segments that the kernel cuts, acknowledges and puts together
 * again (RMPP, IBA 1, 13.6).
 *
 *	rmpp SERVER CLIENT GID GID-INDEX RECORDS...
 *
 * SERVER and CLIENT are devices, GID is of the server's port 1, GID-INDEX the client's entry that
 * goes with it. Each number of RECORDS is one request, all at once. Prints a line for each answer:
 * the number asked for, the answer's bytes, "right" or what is wrong. Status 0: all is as printed;
 * 1: it could not begin.
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
#include "base/text.h"
#include "mad/attribute.h"
#include "mad/engine_open.h"
#include "mad/header.h"
#include "mad/ping.h"
#include "schema/bits.h"

#define NODE_RECORD  0x11u
#define RECORD_BYTES 112u /* of a NodeRecord, with its filling: IBA 1, 15.2.5.2 */

/* IBA 1, 13.6.2.1 and 15.2.1.1 */
enum {
	AT_METHOD = 3,
	AT_RMPP_VERSION = 24,
	AT_RMPP_TYPE = 25,
	AT_RMPP_FLAGS = 26,
	AT_RECORD_OFFSET = 44,
	AT_DATA = 56,
};

static unsigned char byte_of(size_t record, size_t byte)
{
	return (unsigned char)(record * 131 + byte * 7 + (record >> 8));
}

static int complain(const char *what, int rc)
{
	fprintf(stderr, "rmpp: %s: %s\n", what, strerror(-rc));
	return 1;
}

struct server {
	struct mad_engine *engine;
};

/* The modifier is the number of records. */
static void answer(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		   size_t bytes)
{
	struct server *server = context;
	size_t count = (size_t)bits_get(mad, 20 * 8, 32);
	size_t length = AT_DATA + count * RECORD_BYTES;
	struct mad_address to = mad_answer_address(&arrival->from);
	unsigned char *reply = mem_alloc_zero(1, length < MAD_BYTES ? MAD_BYTES : length);
	int rc;

	(void)bytes;
	memcpy(reply, mad, AT_DATA);
	reply[AT_METHOD] |= MAD_METHOD_RESPONSE;
	bits_set(reply, AT_RECORD_OFFSET * 8, 16, RECORD_BYTES / 8);
	reply[AT_RMPP_VERSION] = 1;
	reply[AT_RMPP_TYPE] = 1;
	reply[AT_RMPP_FLAGS] = 1;
	for (size_t i = 0; i < count * RECORD_BYTES; i++)
		reply[AT_DATA + i] = byte_of(i / RECORD_BYTES, i % RECORD_BYTES);
	rc = mad_engine_send(server->engine, arrival->agent, &to, reply,
			     length < MAD_BYTES ? MAD_BYTES : length);
	if (rc)
		complain("answer", rc);
	free(reply);
}

static int serve(const char *device, int ready)
{
	const struct mad_engine_options options = {.window = 1};
	const struct mad_agent agent = {
		.mgmt_class = MAD_CLASS_SA,
		.version = 2,
		.rmpp_version = 1,
		.methods = {1ull << MAD_METHOD_GET_TABLE},
	};
	struct server server;
	const struct mad_work work = {.context = &server, .unasked = answer};
	int rc = mad_open(device, 1, NULL, 0, &options, &server.engine);

	if (rc)
		return complain(device, rc);
	rc = mad_engine_add_agent(server.engine, &agent);
	if (rc < 0)
		return complain("server's agent", rc);
	if (write(ready, "", 1) != 1)
		return 1;
	return mad_engine_serve(server.engine, &work, -1) != 0;
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
	*request = (struct mad_request){
		.to = client->to,
		.mgmt_class = MAD_CLASS_SA,
		.method = MAD_METHOD_GET_TABLE,
		.attribute = NODE_RECORD,
		.modifier = (uint32_t)strtoul(*client->counts++, NULL, 10),
	};
	request->number = request->modifier;
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	size_t count = reply->request->number, i = 0;

	(void)context;
	if (reply->error) {
		printf("%zu 0 %s after %u tries\n", count, strerror(-reply->error), reply->tries);
		return;
	}
	while (i < count * RECORD_BYTES && AT_DATA + i < reply->bytes &&
	       reply->mad[AT_DATA + i] == byte_of(i / RECORD_BYTES, i % RECORD_BYTES))
		i++;
	printf("%zu %zu ", count, reply->bytes);
	if (i == count * RECORD_BYTES)
		printf("right %u tries %llu usec\n", reply->tries, (unsigned long long)reply->round_trip_nsec/1000);
	else
		printf("wrong from byte %zu\n", AT_DATA + i);
}

static int ask(const char *device, char **words)
{
	const struct mad_engine_options options = {.window = 4};
	struct client client = {
		.to = {.qpn = 1, .qkey = MAD_GSI_QKEY, .has_grh = true, .hop_limit = 64},
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
	return rc ? complain("requests", rc) : 0;
}

int main(int argc, char **argv)
{
	char byte;
	int ready[2], status;
	pid_t child;

	if (argc < 6 || pipe(ready))
		return 1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		exit(serve(argv[1], ready[1]));
	}
	close(ready[1]);
	if (child < 0 || read(ready[0], &byte, 1) != 1)
		return 1;
	status = ask(argv[2], argv + 3);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return status;
}
