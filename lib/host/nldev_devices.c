/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/nldev_devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/attributes.h"
#include "kernel/netlink/netlink.h"
#include "kernel/netlink/nldev.h"

/* Requests to RDMA netlink for individual ports. */

/* One request for a port, and its outcome. */
struct port_request {
	uint32_t device_index;
	struct port *port;
	int error;
	char *text; /* the kernel's explanation, or NULL */
};

struct port_requests {
	struct port_request *items;
	size_t count;
	unsigned int command;
	nldev_take *take;
	void *context;
};

static void put_port(void *context, size_t which, struct netlink_request *request)
{
	const struct port_requests *requests = context;
	const struct port_request *port = &requests->items[which];

	netlink_add(request, nldev_message_type(requests->command), 0, NULL, 0);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, port->device_index);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_PORT_INDEX, (uint32_t)port->port->port.value);
}

/* True if the attribute is present and has this value. */
static bool has_number(const struct nlattr *attribute, uint64_t expected)
{
	struct number number = {0};

	return !netlink_get_number(attribute, &number) && number.known && number.value == expected;
}

static int take_answer(const struct port_requests *requests, const struct port_request *request,
		       const struct netlink_answer *answer)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (answer->error)
		return answer->error;
	/* The message type does not identify the reply; its attributes name the port. */
	if (!answer->payload || nldev_parse(answer->payload, answer->length, table) ||
	    !has_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], request->device_index) ||
	    !has_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], request->port->port.value))
		return -EBADMSG;
	return requests->take(requests->context, request->port, table);
}

static void take_port(void *context, size_t which, const struct netlink_answer *answer)
{
	const struct port_requests *requests = context;
	struct port_request *request = &requests->items[which];

	request->error = take_answer(requests, request, answer);
	if (answer->text)
		request->text = mem_string(answer->text);
}

static void add_ports(struct port_requests *requests, const struct device_list *list)
{
	for_each_port (device, port, list) {
		struct port_request *request;

		if (!device->index.known)
			continue;
		request = mem_append(&requests->items, &requests->count, sizeof(*requests->items));
		request->device_index = (uint32_t)device->index.value;
		request->port = port;
	}
}

void nldev_ask_ports(struct netlink *nldev, const struct device_list *list, unsigned int command,
		     nldev_take *take, nldev_port_failed *failed, void *context)
{
	struct port_requests requests = {.command = command, .take = take, .context = context};

	add_ports(&requests, list);
	netlink_ask_all(nldev,
			&(struct netlink_series){requests.count, put_port, take_port, &requests});
	for (size_t i = 0; i < requests.count; i++) {
		struct port_request *request = &requests.items[i];
		_cleanup_(freep) char *text = request->text;

		if (!request->error)
			continue;
		if (!text)
			request->error = nldev_explain(nldev, request->device_index,
						       request->error);
		if (failed)
			failed(context, request->port, request->error, text);
	}
	free(requests.items);
}

/*
 * Returns a name that can be printed and used in a path. The kernel's names can; in damaged ones
 * the remaining bytes are escaped as in text_clean().
 */
static char *get_name(const struct nlattr *attribute)
{
	_cleanup_(freep) char *clean = text_clean(nla_data(attribute), (size_t)nla_len(attribute));
	size_t length = strlen(clean);
	char *name, *out;

	if (strcmp(clean, ".") && strcmp(clean, "..") && !strchr(clean, '/'))
		return mem_string(clean);
	name = out = mem_alloc_zero(length * 4 + 1, 1);
	for (size_t i = 0; i < length; i++) {
		if (clean[i] == '/' || clean[i] == '.')
			out = stpcpy(out, clean[i] == '/' ? "\\x2f" : "\\x2e");
		else
			*out++ = clean[i];
	}
	return name;
}

static int fill_device(struct nlattr *const *table, struct device *device)
{
	char *name;

	if (attributes_take(&device_attributes, table, device))
		return -EBADMSG;
	name = device->name ? NULL : nldev_get_kernel_name(table[RDMA_NLDEV_ATTR_DEV_NAME]);
	if (name)
		device_take_name(device, name);
	if (!device->parent && table[NLDEV_ATTR_PARENT_NAME])
		device->parent = get_name(table[NLDEV_ATTR_PARENT_NAME]);
	return 0;
}

/* In a device's message the port index is the number of ports (rdma_netlink.h). */
static int get_port_count(struct nlattr *const *table, unsigned int *ret_port_count)
{
	struct number port_count = {0};

	if (netlink_get_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], &port_count) ||
	    port_count.value > PORT_MOST)
		return -EBADMSG;
	*ret_port_count = port_count.value;
	return 0;
}

int nldev_parse_device(const void *attributes, size_t length, struct device *device,
		       unsigned int *ret_port_count)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (nldev_parse(attributes, length, table) || fill_device(table, device))
		return -EBADMSG;
	return get_port_count(table, ret_port_count);
}

static bool is_listed(const struct device_list *list, uint64_t device_index)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].index.value == device_index)
			return true;
	return false;
}

/*
 * Takes one message of the dump into a new element of the list. The kernel resumes by count, so a
 * device is repeated if one with a lower index was moved into this network namespace meanwhile.
 */
static int take_device(void *context, const void *payload, size_t length)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct device_list *list = context;
	struct number device_index = {0};
	unsigned int port_count;
	struct device *device;

	if (nldev_parse(payload, length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &device_index) ||
	    get_port_count(table, &port_count))
		return -EBADMSG;
	if (!device_index.known)
		return NETLINK_NOTHING;
	if (is_listed(list, device_index.value))
		return 0;
	device = mem_append(&list->items, &list->count, sizeof(*list->items));
	if (fill_device(table, device))
		return -EBADMSG;
	if (!device->name)
		device_take_name(device, mem_format("#%u", (unsigned int)device_index.value));
	for (unsigned int port = 1; port <= port_count; port++)
		device_add_port(device, port);
	/* A switch has management port 0, rdma_start_port() in include/rdma/ib_verbs.h. */
	if (!port_count && device->node_type.value == NODE_TYPE_SWITCH)
		device_add_port(device, 0);
	return 0;
}

int nldev_get_devices(struct netlink *nldev, struct device_list *list)
{
	_cleanup_(device_list_clear) struct device_list found = {0};
	struct netlink_request request = {0};
	int error;

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_GET), NLM_F_DUMP, NULL, 0);
	error = netlink_dump(nldev, &request, take_device, &found);
	/* nldev never reports that its tables changed; even then, the result would be usable. */
	if (error && error != -EINTR)
		return error;
	*list = found;
	found = (struct device_list){0};
	return 0;
}

/* Both are usually in the same order, so the search for each name begins where the last ended. */
static bool has_all(const struct device_list *list, const struct strings *names)
{
	size_t at = 0;

	for (size_t i = 0; i < names->count; i++) {
		size_t tried = 0;

		for (; tried < list->count; tried++, at++)
			if (!strcmp(list->items[at % list->count].kernel_name, names->items[i]))
				break;
		if (tried == list->count)
			return false;
	}
	return true;
}

int nldev_list_devices(struct netlink *nldev, const struct root *root, struct device_list *list)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	int error = nldev_get_devices(nldev, list);

	if (!error && !device_names_sysfs(root, &names) && !has_all(list, &names)) {
		device_list_clear(list);
		error = nldev_get_devices(nldev, list);
	}
	return error;
}

static int take_port_facts(void *context, struct port *port, struct nlattr *const *table)
{
	(void)context;
	if (attributes_take(&port_attributes, table, port))
		return -EBADMSG;
	/* CapabilityMask2 is in bits above the 32 that sysfs shows. */
	port->cap_mask.value &= UINT32_MAX;
	return 0;
}

int nldev_parse_port(const void *attributes, size_t length, struct port *port)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	return nldev_parse(attributes, length, table) ? -EBADMSG
						      : take_port_facts(NULL, port, table);
}

void nldev_get_ports(struct netlink *nldev, struct device_list *list, nldev_port_failed *failed,
		     void *context)
{
	nldev_ask_ports(nldev, list, RDMA_NLDEV_CMD_PORT_GET, take_port_facts, failed, context);
}

/* The context is an array of the devices, in the order of the requests. */
static void put_uverbs(void *context, size_t which, struct netlink_request *request)
{
	struct device *const *devices = context;

	netlink_add(request, nldev_message_type(RDMA_NLDEV_CMD_GET_CHARDEV), 0, NULL, 0);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)devices[which]->index.value);
	netlink_put_string(request, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
}

static void take_uverbs(void *context, size_t which, const struct netlink_answer *answer)
{
	struct device *device = ((struct device *const *)context)[which];
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	/* A device without a uverbs node gets an error. */
	if (answer->error || !answer->payload ||
	    nldev_parse(answer->payload, answer->length, table) ||
	    !table[RDMA_NLDEV_ATTR_CHARDEV_NAME])
		return;
	netlink_get_number(table[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID], &device->driver_id);
	if (!device->uverbs)
		device->uverbs = get_name(table[RDMA_NLDEV_ATTR_CHARDEV_NAME]);
}

void nldev_get_uverbs(struct netlink *nldev, struct device_list *list)
{
	_cleanup_(freep) struct device **devices = NULL;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].index.known && !list->items[i].driver)
			MEM_ADD(devices, count) = &list->items[i];
	netlink_ask_all(nldev, &(struct netlink_series){count, put_uverbs, take_uverbs, devices});
}

int nldev_add_link(struct netlink *nldev, const char *device, const char *type, const char *netdev)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_NEWLINK), NLM_F_ACK, NULL, 0);
	netlink_put_string(&request, RDMA_NLDEV_ATTR_DEV_NAME, device);
	netlink_put_string(&request, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	netlink_put_string(&request, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return netlink_ask_plain(nldev, &request, NULL);
}

int nldev_delete_link(struct netlink *nldev, uint32_t device_index)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_DELLINK), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	return netlink_ask_plain(nldev, &request, NULL);
}
