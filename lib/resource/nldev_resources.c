/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/nldev_resources.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/netlink.h"
#include "kernel/netlink/nldev.h"

/*
 * Messages read at once. The kernel makes messages as large as the reader offers, up to a limit
 * (netlink_recvmsg(), net/netlink/af_netlink.c). It rescans the table from the start for each, so
 * large ones are best, but it allocates the offered size even for one object: so the first messages
 * are small, enough for a hundred queue pairs.
 */
#define LARGE_MESSAGES 4u
#define FIRST_MESSAGES 4u

/* struct sockaddr_ib, include/rdma/ib.h. */
#define IB_SERVICE_ID_AT 24
#define IB_ADDRESS_SIZE	 48

/* The command of a kind and the attributes of its reply: struct nldev_fill_res_entry, nldev.c */
static const struct {
	uint8_t command, table, id;
} kinds[] = {
	[RESOURCE_QP] = {RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP,
			 RDMA_NLDEV_ATTR_RES_LQPN},
	[RESOURCE_CM_ID] = {RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_ATTR_RES_CM_ID,
			    RDMA_NLDEV_ATTR_RES_CM_IDN},
	[RESOURCE_CQ] = {RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ,
			 RDMA_NLDEV_ATTR_RES_CQN},
	[RESOURCE_MR] = {RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR,
			 RDMA_NLDEV_ATTR_RES_MRN},
	[RESOURCE_PD] = {RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_ATTR_RES_PD,
			 RDMA_NLDEV_ATTR_RES_PDN},
	[RESOURCE_CTX] = {RDMA_NLDEV_CMD_RES_CTX_GET, RDMA_NLDEV_ATTR_RES_CTX,
			  RDMA_NLDEV_ATTR_RES_CTXN},
	[RESOURCE_SRQ] = {RDMA_NLDEV_CMD_RES_SRQ_GET, RDMA_NLDEV_ATTR_RES_SRQ,
			  RDMA_NLDEV_ATTR_RES_SRQN},
};

struct nldev_resources {
	const char *root;
	struct netlink *netlink;
	bool real;  /* a kernel socket, which can be reopened; false in tests */
	bool large; /* large messages have been offered */
	struct netlink_exchange exchange;
	enum resource_kind kind;
	uint32_t device_index;
	struct resource_list *list; /* the caller's, during a read */
};

/* Opens the socket, or reopens it. */
static int open_socket(struct nldev_resources *resources)
{
	struct netlink *netlink;
	int error = nldev_open_at(resources->root, &netlink);

	if (error)
		return error;
	netlink_offer(netlink, nldev_message_size(), FIRST_MESSAGES);
	netlink_free(resources->netlink);
	resources->netlink = netlink;
	resources->large = false;
	return 0;
}

int nldev_resources_open(const char *root, struct nldev_resources **ret_resources)
{
	struct nldev_resources *resources = mem_alloc_zero(1, sizeof(*resources));
	int error;

	resources->root = root;
	error = open_socket(resources);
	if (error) {
		free(resources);
		return error;
	}
	resources->real = true;
	*ret_resources = resources;
	return 0;
}

struct nldev_resources *nldev_resources_from_fd(int fd)
{
	struct nldev_resources *resources = mem_alloc_zero(1, sizeof(*resources));

	resources->netlink = netlink_from_fd(fd, NETLINK_LARGEST_MESSAGE);
	resources->large = true;
	return resources;
}

void nldev_resources_free(struct nldev_resources *resources)
{
	if (!resources)
		return;
	netlink_free(resources->netlink);
	free(resources);
}

/* Gets the address, and the port in host order; an unknown family leaves both unknown. */
static void get_address(const struct nlattr *attribute, struct known_ip *ip, struct number *port)
{
	const uint8_t *data = nla_data(attribute);
	size_t length = (size_t)nla_len(attribute);
	struct sockaddr_in6 ip6;
	struct sockaddr_in ip4;
	uint16_t family;

	if (length < sizeof(family))
		return;
	memcpy(&family, data, sizeof(family));
	if (family == AF_INET && length >= sizeof(ip4)) {
		memcpy(&ip4, data, sizeof(ip4));
		memcpy(ip->address.raw, &ip4.sin_addr, sizeof(ip4.sin_addr));
		number_set(port, ntohs(ip4.sin_port));
	} else if (family == AF_INET6 && length >= sizeof(ip6)) {
		memcpy(&ip6, data, sizeof(ip6));
		memcpy(ip->address.raw, &ip6.sin6_addr, sizeof(ip6.sin6_addr));
		number_set(port, ntohs(ip6.sin6_port));
	} else if (family == NLDEV_FAMILY_IB && length >= IB_ADDRESS_SIZE) {
		/* The port is at the end of the service ID, IBA annex A11. */
		memcpy(ip->address.raw, data + NLDEV_IB_ADDRESS_AT, sizeof(ip->address.raw));
		number_set(port,
			   (uint64_t)data[IB_SERVICE_ID_AT + 6] << 8 | data[IB_SERVICE_ID_AT + 7]);
		family = AF_INET6;
	} else {
		return;
	}
	ip->address.family = (uint8_t)family;
	ip->known = true;
}

/* The kernel gives the unspecified address as the peer of a listener. */
static bool is_nowhere(const struct known_ip *ip, const struct number *port)
{
	static const uint8_t none[sizeof(ip->address.raw)];

	return !port->value && !memcmp(ip->address.raw, none, sizeof(none));
}

static int get_addresses(struct nlattr *const *table, struct resource *resource)
{
	const struct nlattr *local = table[RDMA_NLDEV_ATTR_RES_SRC_ADDR];
	const struct nlattr *remote = table[RDMA_NLDEV_ATTR_RES_DST_ADDR];

	if (local)
		get_address(local, &resource->local_ip, &resource->local_port);
	if (remote)
		get_address(remote, &resource->remote_ip, &resource->remote_port);
	if (resource->remote_ip.known && is_nowhere(&resource->remote_ip, &resource->remote_port)) {
		resource->remote_ip.known = false;
		resource->remote_port.known = false;
	}
	return netlink_get_number(table[RDMA_NLDEV_ATTR_RES_PS], &resource->port_space);
}

/* Takes one queue pair of a shared receive queue, or a range of them: fill_res_range_qp_entry(). */
static int take_range(void *context, const struct nlattr *entry)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number first = {0}, last = {0};
	_cleanup_(freep) char *text = NULL;

	if (nldev_parse_nest(entry, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_RES_LQPN], &first) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_MIN_RANGE], &first) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_MAX_RANGE], &last))
		return -EBADMSG;
	if (!first.known)
		return 0;
	text = last.known ? mem_format("%" PRIu64 "-%" PRIu64, first.value, last.value)
			  : mem_format("%" PRIu64, first.value);
	strings_add(context, text);
	return 0;
}

static int get_qpns(const struct nlattr *nest, struct strings *qpns)
{
	if (!nest)
		return 0;
	qpns->known = true;
	return netlink_each(nest, RDMA_NLDEV_ATTR_RES_QP_ENTRY, take_range, qpns);
}

/*
 * The details of a driver are alternating names and values, perhaps with the print type of the
 * value in between: rdma_nl_put_driver_u32() and the like, nldev.c.
 */
static char *format_detail(const char *name, const struct nlattr *value, bool hexadecimal)
{
	_cleanup_(freep) char *text = NULL;
	struct number number = {0};

	switch (nla_type(value)) {
	case RDMA_NLDEV_ATTR_DRIVER_STRING:
		netlink_get_text(value, &text);
		return text ? mem_format("%s=%s", name, text) : NULL;
	case RDMA_NLDEV_ATTR_DRIVER_S32:
		return nla_len(value) == 4 ? mem_format("%s=%" PRId32, name, nla_get_s32(value))
					   : NULL;
	case RDMA_NLDEV_ATTR_DRIVER_S64:
		return nla_len(value) == 8 ? mem_format("%s=%" PRId64, name, nla_get_s64(value))
					   : NULL;
	case RDMA_NLDEV_ATTR_DRIVER_U32:
	case RDMA_NLDEV_ATTR_DRIVER_U64:
		if (netlink_get_number(value, &number) || !number.known)
			return NULL;
		return mem_format(hexadecimal ? "%s=0x%" PRIx64 : "%s=%" PRIu64, name,
				  number.value);
	default:
		return NULL;
	}
}

static void get_details(const struct nlattr *nest, struct strings *details)
{
	_cleanup_(freep) char *name = NULL;
	const struct nlattr *attribute;
	bool hexadecimal = false;
	int left;

	if (!nest)
		return;
	details->known = true;
	nla_for_each_nested(attribute, nest, left)
	{
		const int type = nla_type(attribute);
		_cleanup_(freep) char *text = NULL;

		if (!type) /* padding of 64 bits */
			continue;
		if (type == RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE) {
			hexadecimal = nla_len(attribute) == 1 &&
				      nla_get_u8(attribute) == RDMA_NLDEV_PRINT_TYPE_HEX;
			continue;
		}
		if (!name) {
			netlink_get_text(attribute, &name);
			hexadecimal = false;
			continue;
		}
		text = format_detail(name, attribute, hexadecimal);
		if (text)
			strings_add(details, text);
		free(name);
		name = NULL;
	}
}

static int fill_numbers(struct nlattr *const *table, struct resource *resource)
{
	const struct {
		unsigned int attribute;
		struct number *number;
	} numbers[] = {
		{RDMA_NLDEV_ATTR_PORT_INDEX, &resource->port},
		{RDMA_NLDEV_ATTR_RES_PID, &resource->thread},
		{RDMA_NLDEV_ATTR_RES_TYPE, &resource->type},
		{RDMA_NLDEV_ATTR_RES_STATE, &resource->state},
		{RDMA_NLDEV_ATTR_RES_LQPN, &resource->qpn},
		{RDMA_NLDEV_ATTR_RES_RQPN, &resource->remote_qpn},
		{RDMA_NLDEV_ATTR_RES_RQ_PSN, &resource->rq_psn},
		{RDMA_NLDEV_ATTR_RES_SQ_PSN, &resource->sq_psn},
		{RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, &resource->path_migration},
		{RDMA_NLDEV_ATTR_RES_CQE, &resource->entries},
		{RDMA_NLDEV_ATTR_RES_USECNT, &resource->users},
		{RDMA_NLDEV_ATTR_RES_POLL_CTX, &resource->poll_context},
		{RDMA_NLDEV_ATTR_RES_MRLEN, &resource->length_bytes},
		{RDMA_NLDEV_ATTR_RES_IOVA, &resource->iova},
		{RDMA_NLDEV_ATTR_RES_RKEY, &resource->rkey},
		{RDMA_NLDEV_ATTR_RES_LKEY, &resource->lkey},
		{RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, &resource->local_dma_lkey},
		{RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY, &resource->unsafe_global_rkey},
		{RDMA_NLDEV_ATTR_RES_PDN, &resource->pdn},
		{RDMA_NLDEV_ATTR_RES_CQN, &resource->cqn},
		{RDMA_NLDEV_ATTR_RES_CTXN, &resource->ctxn},
	};
	struct number dim = {0};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (netlink_get_number(table[numbers[i].attribute], numbers[i].number))
			return -EBADMSG;
	/* 0 is a thread that has just ended: Linux before 5.5 does not omit it. */
	if (!resource->thread.value)
		resource->thread.known = false;
	if (netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_DIM], &dim))
		return -EBADMSG;
	resource->adaptive_moderation = number_state(&dim);
	return 0;
}

/* The destination of the entries of a table. */
struct taking {
	enum resource_kind kind;
	struct resource_list *list;
};

static int take_entry(void *context, const struct nlattr *entry)
{
	const struct taking *taking = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct resource *resource;

	/* fill_res_ctx_entry() leaves the entries of kernel contexts empty. */
	if (!nla_len(entry))
		return 0;
	if (nldev_parse_nest(entry, table))
		return -EBADMSG;
	resource = mem_append(&taking->list->items, &taking->list->count, sizeof(*resource));
	/* fill_res_name_pid(): kernel objects have a name, others a PID if it is visible here. */
	netlink_get_text(table[RDMA_NLDEV_ATTR_RES_KERN_NAME], &resource->kernel_name);
	resource->kernel = resource->kernel_name ? TRISTATE_YES : TRISTATE_NO;
	netlink_get_text(table[NLDEV_ATTR_RES_SUBTYPE], &resource->subtype);
	get_details(table[RDMA_NLDEV_ATTR_DRIVER], &resource->driver);
	if (fill_numbers(table, resource) || get_addresses(table, resource) ||
	    netlink_get_number(table[kinds[taking->kind].id], &resource->id) ||
	    get_qpns(table[RDMA_NLDEV_ATTR_RES_QP], &resource->qpns)) {
		resource_clear(resource);
		taking->list->count--;
		return -EBADMSG;
	}
	return 0;
}

static int take_table(struct nlattr *const *table, enum resource_kind kind,
		      struct resource_list *list)
{
	struct taking taking = {kind, list};

	/* An entry's attribute number follows that of its table. */
	if (!table[kinds[kind].table])
		return 0;
	return netlink_each(table[kinds[kind].table], kinds[kind].table + 1u, take_entry, &taking);
}

int nldev_parse_resources(enum resource_kind kind, const void *attributes, size_t length,
			  struct resource_list *list)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (nldev_parse(attributes, length, table))
		return -EBADMSG;
	return take_table(table, kind, list);
}

static int handle_table(void *context, unsigned int request, const struct netlink_answer *answer)
{
	struct nldev_resources *resources = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number device_index = {0};
	size_t before = resources->list->count;
	int error;

	(void)request;
	if (nldev_parse(answer->payload, answer->length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &device_index) ||
	    !device_index.known || device_index.value != resources->device_index)
		return -EBADMSG;
	error = take_table(table, resources->kind, resources->list);
	if (error)
		return error;
	return resources->list->count == before ? NETLINK_NOTHING : 0;
}

int nldev_resources_begin(struct nldev_resources *resources, enum resource_kind kind,
			  uint32_t device_index)
{
	struct netlink_request request = {0};

	/* Otherwise the kernel would continue with the previous table, or with large messages. */
	if (resources->real && (resources->exchange.left || resources->large)) {
		int error = open_socket(resources);

		if (error)
			return error;
	}
	resources->exchange = (struct netlink_exchange){.handle = handle_table,
							.context = resources};
	resources->kind = kind;
	resources->device_index = device_index;
	netlink_add(&request, nldev_message_type(kinds[kind].command), NLM_F_DUMP, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	return netlink_dump_begin(resources->netlink, &request, &resources->exchange);
}

int nldev_resources_read(struct nldev_resources *resources, struct resource_list *list,
			 bool *ret_done)
{
	struct netlink_exchange *exchange = &resources->exchange;
	int error;

	resources->list = list;
	error = netlink_dump_step(resources->netlink, exchange);
	resources->list = NULL;
	if (!error && exchange->left) {
		if (!resources->large)
			netlink_offer(resources->netlink, NETLINK_LARGEST_MESSAGE, LARGE_MESSAGES);
		resources->large = true;
		*ret_done = false;
		return 0;
	}
	if (!error)
		error = exchange->error;
	/* The dump was cut off before its end: the kernel still holds the rest. */
	if (error == -EMSGSIZE)
		exchange->left = 1;
	/* nldev answers -EINVAL to a command that it does not know. */
	if (error == -EINVAL && exchange->refused)
		return -EOPNOTSUPP;
	if (error)
		return nldev_explain(resources->netlink, resources->device_index, error);
	*ret_done = true;
	return 0;
}

static int take_count(void *context, const struct nlattr *entry)
{
	struct resource_summary *summary = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	_cleanup_(freep) char *name = NULL, *text = NULL;
	const struct enum_name *kind;
	struct number count = {0};

	if (nldev_parse_nest(entry, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR], &count))
		return -EBADMSG;
	netlink_get_text(table[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME], &name);
	if (!name || !count.known)
		return 0;
	kind = enum_find_word(resource_kind_names, name);
	if (kind) {
		summary->counts[kind->value] = count;
		return 0;
	}
	text = mem_format("%s=%" PRIu64, name, count.value);
	strings_add(&summary->others, text);
	return 0;
}

int nldev_parse_resource_summary(const void *attributes, size_t length,
				 struct resource_summary *summary)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (nldev_parse(attributes, length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &summary->index))
		return -EBADMSG;
	if (!table[RDMA_NLDEV_ATTR_RES_SUMMARY])
		return 0;
	summary->others.known = true;
	return netlink_each(table[RDMA_NLDEV_ATTR_RES_SUMMARY], RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY,
			    take_count, summary);
}

static int take_summary(void *context, const void *payload, size_t length)
{
	struct resource_summary_list *list = context;
	struct resource_summary *summary = mem_append(&list->items, &list->count,
						      sizeof(*list->items));

	return nldev_parse_resource_summary(payload, length, summary);
}

int nldev_get_resource_summary(struct netlink *nldev, struct resource_summary_list *list)
{
	struct netlink_request request = {0};
	int error;

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_RES_GET), NLM_F_DUMP, NULL, 0);
	error = netlink_dump(nldev, &request, take_summary, list);
	/*
	 * nldev never reports that its tables changed; if it did, the result would still be usable.
	 */
	return error == -EINTR ? 0 : error;
}
