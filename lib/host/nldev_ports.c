/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to RDMA netlink that are asked of each port. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernel/netlink.h"
#include "host/nldev_private.h"
#include "kernel/rdma_netlink_attrs.h"

/* One request for a port, and what became of it. */
struct port_request {
	const struct device *device;
	struct port *port;
	bool answered;
	int error;  /* the answer's */
	char *text; /* the kernel's words about it, or NULL */
};

/* Requests on their way to the kernel, and whom to tell of the answers. */
struct port_batch {
	unsigned int command;
	struct port_request requests[NETLINK_BATCH];
	unsigned int count;
	nldev_take *take;
	nldev_port_failed *failed;
	void *context;
	int given_up; /* the kernel does not answer: ask it no more */
};

/* Some requests of a batch: those that an answer's index counts. */
struct port_question {
	const struct port_batch *batch;
	struct port_request *requests;
};

/* Whether an attribute is there and has this value. */
static bool has_number(const struct nlattr *attribute, uint64_t expected)
{
	struct number number = {0};

	return !netlink_get_number(attribute, &number) && number.known && number.value == expected;
}

static int take_answer(const struct port_batch *batch, const struct port_request *request,
		       const struct netlink_answer *answer)
{
	const struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (answer->error)
		return answer->error;
	/* The answer's message type says nothing; that it is about this port is said in it. */
	if (!answer->payload ||
	    netlink_parse(answer->payload, answer->length, table, ARRAY_SIZE(table)) ||
	    !has_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], request->device->index.value) ||
	    !has_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], request->port->port.value))
		return -EBADMSG;
	return batch->take(batch->context, request->port, table);
}

static int handle_port(void *context, unsigned int index, const struct netlink_answer *answer)
{
	const struct port_question *question = context;
	struct port_request *request = &question->requests[index];

	request->answered = true;
	request->error = take_answer(question->batch, request, answer);
	if (answer->text)
		request->text = mem_string(answer->text);
	return 0;
}

/* Asks for ports, at most a batch of them. */
static int ask(struct nldev *nldev, const struct port_batch *batch, struct port_request *requests,
	       unsigned int count)
{
	struct port_question question = {.batch = batch, .requests = requests};
	struct netlink_request request = {0};

	for (unsigned int i = 0; i < count; i++) {
		netlink_add(&request, nldev_message_type(batch->command), 0, NULL, 0);
		netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX,
				(uint32_t)requests[i].device->index.value);
		netlink_put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX,
				(uint32_t)requests[i].port->port.value);
	}
	return netlink_ask(nldev->netlink, &request, handle_port, &question);
}

/* Asks again for one port whose answer was lost. A second loss is the port's failure. */
static void ask_again(struct nldev *nldev, struct port_batch *batch, struct port_request *request)
{
	int error = batch->given_up;

	if (!error)
		error = ask(nldev, batch, request, 1);
	if (!request->answered)
		request->error = error ? error : -EBADMSG;
	if (error == -ETIMEDOUT)
		batch->given_up = error;
}

static int handle_error(void *context, unsigned int request, const struct netlink_answer *answer)
{
	(void)context;
	(void)request;
	return answer->error;
}

/*
 * What an error of a request about a device means. nldev says -EINVAL to an index that it does not
 * know, as to much else: so ask whether the device is still there.
 */
static int explain_error(struct nldev *nldev, const struct device *device, int error)
{
	struct netlink_request request = {0};

	if (error != -EINVAL)
		return error;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_GET), 0, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)device->index.value);
	if (netlink_ask(nldev->netlink, &request, handle_error, NULL) == -EINVAL)
		return -ENODEV;
	return error;
}

static void finish_batch(struct nldev *nldev, struct port_batch *batch)
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
			request->error = explain_error(nldev, request->device, request->error);
		batch->failed(batch->context, request->port, request->error, request->text);
		free(request->text);
	}
	batch->count = 0;
}

void nldev_ask_ports(struct nldev *nldev, const struct device_list *list, unsigned int command,
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
