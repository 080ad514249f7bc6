/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to RDMA netlink that are made for each port. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "host/nldev_devices.h"
#include "kernel/netlink.h"
#include "kernel/nldev.h"

/* One request for a port, and its outcome. */
struct port_request {
	const struct device *device;
	struct port *port;
	bool answered;
	int error;
	char *text; /* the kernel's explanation, or NULL */
};

/* Requests to be sent together, and the handlers of their answers. */
struct port_batch {
	unsigned int command;
	struct port_request requests[NETLINK_BATCH];
	unsigned int count;
	nldev_take *take;
	nldev_port_failed *failed;
	void *context;
	int given_up; /* -ETIMEDOUT: the kernel does not answer, so it gets no more requests */
};

/* The requests of a batch that are sent now; the index of an answer counts them. */
struct port_query {
	const struct port_batch *batch;
	struct port_request *requests;
};

/* True if the attribute is present and has this value. */
static bool has_number(const struct nlattr *attribute, uint64_t expected)
{
	struct number number = {0};

	return !netlink_get_number(attribute, &number) && number.known && number.value == expected;
}

static int take_answer(const struct port_batch *batch, const struct port_request *request,
		       const struct netlink_answer *answer)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (answer->error)
		return answer->error;
	/* The message type does not tell; the attributes say which port the answer is about. */
	if (!answer->payload || nldev_parse(answer->payload, answer->length, table) ||
	    !has_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], request->device->index.value) ||
	    !has_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], request->port->port.value))
		return -EBADMSG;
	return batch->take(batch->context, request->port, table);
}

static int handle_port(void *context, unsigned int index, const struct netlink_answer *answer)
{
	const struct port_query *query = context;
	struct port_request *request = &query->requests[index];

	request->answered = true;
	request->error = take_answer(query->batch, request, answer);
	if (answer->text)
		request->text = mem_string(answer->text);
	return 0;
}

/* Asks for ports, at most a batch of them. */
static int ask(struct netlink *nldev, const struct port_batch *batch, struct port_request *requests,
	       unsigned int count)
{
	struct port_query query = {.batch = batch, .requests = requests};
	struct netlink_request request = {0};

	for (unsigned int i = 0; i < count; i++) {
		netlink_add(&request, nldev_message_type(batch->command), 0, NULL, 0);
		netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX,
				(uint32_t)requests[i].device->index.value);
		netlink_put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX,
				(uint32_t)requests[i].port->port.value);
	}
	return netlink_ask(nldev, &request, handle_port, &query);
}

/* Asks again for one port whose answer was lost. A second loss is the port's failure. */
static void ask_again(struct netlink *nldev, struct port_batch *batch, struct port_request *request)
{
	int error = batch->given_up;

	if (!error)
		error = ask(nldev, batch, request, 1);
	if (!request->answered)
		request->error = error ? error : -EBADMSG;
	if (error == -ETIMEDOUT)
		batch->given_up = error;
}

static void finish_batch(struct netlink *nldev, struct port_batch *batch)
{
	if (!batch->given_up && batch->count)
		ask(nldev, batch, batch->requests, batch->count);
	for (unsigned int i = 0; i < batch->count; i++) {
		struct port_request *request = &batch->requests[i];

		if (!request->answered)
			ask_again(nldev, batch, request);
		if (!request->error)
			continue;
		if (!request->text)
			request->error = nldev_explain(
				nldev, (uint32_t)request->device->index.value, request->error);
		batch->failed(batch->context, request->port, request->error, request->text);
		free(request->text);
	}
	batch->count = 0;
}

void nldev_ask_ports(struct netlink *nldev, const struct device_list *list, unsigned int command,
		     nldev_take *take, nldev_port_failed *failed, void *context)
{
	struct port_batch batch = {
		.command = command, .take = take, .failed = failed, .context = context};

	for (size_t i = 0; i < list->count; i++) {
		const struct device *device = &list->items[i];

		for (size_t j = 0; device->index.known && j < device->port_count; j++) {
			batch.requests[batch.count++] = (struct port_request){
				.device = device, .port = &device->ports[j]};
			if (batch.count == NETLINK_BATCH)
				finish_batch(nldev, &batch);
		}
	}
	finish_batch(nldev, &batch);
}
