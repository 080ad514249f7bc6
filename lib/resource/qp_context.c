/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/qp_context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>

#include "base/mem.h"
#include "base/text.h"
#include "schema/packed.h"
#include "schema/rows.h"

/*
 * An mlx5 dump is a sequence of segments (struct mlx5_ifc_resource_dump_*_segment_bits,
 * include/linux/mlx5/mlx5_ifc.h). Each begins with its length in 4-byte words; one about an object
 * has its number at byte 8, and the object after byte 16: the output of QUERY_QP, whose context
 * comes after 24 bytes.
 */
#define SEGMENT_NUMBER_AT 8
#define SEGMENT_HEADER	  16
#define QUERY_HEADER	  24

/* enum mlx5_qp_state, include/linux/mlx5/qp.h, as enum ib_qp_state */
static const uint8_t states[] = {0, 1, 2, 3, 5, 4, 6};

static uint32_t get_be(const uint8_t *bytes, size_t count)
{
	uint32_t number = 0;

	for (size_t i = 0; i < count; i++)
		number = number << 8 | bytes[i];
	return number;
}

/* Remote QPN at byte 21, state in the first four bits: struct mlx5_ifc_qpc_bits. */
static bool is_context(const struct resource *resource, const uint8_t *context)
{
	const unsigned int state = context[0] >> 4;

	return resource->state.known && state < ARRAY_SIZE(states) &&
	       states[state] == resource->state.value && resource->remote_qpn.known &&
	       get_be(context + 21, 3) == resource->remote_qpn.value;
}

static void decode(struct qp_context *context)
{
	const struct resource *resource = &context->resource;
	size_t at = 0, length;

	for (; at + SEGMENT_HEADER <= context->raw_length; at += length) {
		const uint8_t *segment = context->raw + at;
		const size_t contents = SEGMENT_HEADER + QUERY_HEADER;

		length = get_be(segment, 2) * 4;
		if (length < 4 || length > context->raw_length - at)
			return;
		if (length < contents + MLX5_CONTEXT_BYTES ||
		    get_be(segment + SEGMENT_NUMBER_AT, 4) != resource->id.value ||
		    !is_context(resource, segment + contents))
			continue;
		memcpy(context->mlx5, segment + contents, MLX5_CONTEXT_BYTES);
		context->decoded = true;
		return;
	}
}

void qp_context_set(struct qp_context *context, const void *bytes, size_t length)
{
	qp_context_clear(context);
	context->raw = mem_alloc_zero(length + 1, 1);
	memcpy(context->raw, bytes, length);
	context->raw_length = length;
	context->hex = mem_alloc_zero(2 * length + 1, 1);
	text_write_hex(context->hex, context->raw, length);
	decode(context);
}

void qp_context_clear(struct qp_context *context)
{
	free(context->raw);
	free(context->hex);
	context->raw = NULL;
	context->hex = NULL;
	context->raw_length = 0;
	context->decoded = false;
}

static void put(void *context, size_t which, struct netlink_request *request)
{
	const struct qp_context *one = (const struct qp_context *)context + which;
	const struct resource *resource = &one->resource;

	netlink_add(request, nldev_message_type(RDMA_NLDEV_CMD_RES_QP_GET_RAW), 0, NULL, 0);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, one->device_index);
	/*
	 * The kernel requires the port of the queue pair: one that has none yet cannot be queried.
	 */
	netlink_put_u32(request, RDMA_NLDEV_ATTR_PORT_INDEX,
			resource->port.known ? (uint32_t)resource->port.value : 1);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_RES_LQPN, (uint32_t)resource->id.value);
}

static void take(void *context, size_t which, const struct netlink_answer *answer)
{
	struct qp_context *one = (struct qp_context *)context + which;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	const struct nlattr *raw;

	one->error = answer->error;
	if (!one->error &&
	    (!answer->payload || nldev_parse(answer->payload, answer->length, table)))
		one->error = -EBADMSG;
	if (one->error)
		return;
	raw = table[RDMA_NLDEV_ATTR_RES_RAW];
	if (raw)
		qp_context_set(one, nla_data(raw), (size_t)nla_len(raw));
	else
		one->error = -ENODATA;
}

void qp_contexts_read(struct netlink *nldev, struct qp_context *contexts, size_t count)
{
	netlink_ask_all(nldev, &(struct netlink_series){count, put, take, contexts});
}

static bool is_decoded(const void *record)
{
	return ((const struct qp_context *)record)->decoded;
}

static void get_timeout(const void *record, struct value *value)
{
	const struct qp_context *context = record;

	/* Local Ack Timeout, InfiniBand Architecture Specification 9.7.6.1.3: 4.096 us * 2^N */
	if (context->decoded && context->mlx5[32] >> 3)
		value_set_real(value, 0.004096 * (double)(1u << (context->mlx5[32] >> 3)));
}

static void get_raw_bytes(const void *record, struct value *value)
{
	const struct qp_context *context = record;

	if (context->raw)
		value_set_unsigned(value, context->raw_length);
}

static const struct enum_name mtu_bytes[] = {{1, "256"},  {2, "512"},  {3, "1024"},
					     {4, "2048"}, {5, "4096"}, {0, NULL}};

#define RECORD struct qp_context
/* Bits of the context: struct mlx5_ifc_qpc_bits, and mlx5_ifc_ads_bits from bit 0xc0 on. */
#define BITS(kind_, bit_, width_, key_, heading_, flags_, help_)                              \
	{                                                                                     \
		PACKED_ROW(RECORD, mlx5, FIELD_##kind_, bit_, width_, key_, heading_, flags_, \
			   help_),                                                            \
			.present = is_decoded                                                 \
	}
#define PATH_AT	   0xc0
#define COUNT(...) BITS(UNSIGNED, __VA_ARGS__)

static const struct field fields[] = {
	TEXT_AS("device", resource.device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER_AS("port", resource.port, "PORT", 0, 0, "port of the device that it uses"),
	NUMBER_AS("qpn", resource.id, "QPN", SHOWN, 0, "number of the queue pair"),
	WORD_AS("type", resource.type, qp_type_names, "TYPE", 0, 0, "transport service"),
	WORD_AS("state", resource.state, qp_state_names, "STATE", SHOWN, 0,
		"state of the queue pair"),
	NUMBER_AS("remote_qpn", resource.remote_qpn, "REMOTE QPN", SHOWN, 0,
		  "number of the queue pair that it is connected to"),
	NUMBER_AS("pid", resource.pid, "PID", 0, 0, "process that made it"),
	TEXT_AS("command", resource.command, "COMMAND", SHOWN, 0,
		"name of the process, or of the kernel's part in brackets"),
	{
		PACKED_ROW(RECORD, mlx5, FIELD_UNSIGNED, 0x40, 3, "path_mtu_bytes", "PATH MTU",
			   SHOWN | FIELD_RIGHT, "maximum amount of data in a packet"),
		.present = is_decoded,
		.names = mtu_bytes,
	},
	COUNT(PATH_AT + 0x124, 4, "service_level", "SL", SHOWN | FIELD_RIGHT, "service level"),
	COUNT(PATH_AT + 0x40, 5, "ack_timeout", "TIMEOUT", FIELD_RIGHT,
	      "code of the acknowledgement timeout; 0: waits forever"),
	COMPUTED_FIELD(FIELD_REAL, get_timeout, "ack_timeout_msec", "TIMEOUT ms",
		       SHOWN | FIELD_RIGHT, 0, "acknowledgement timeout in milliseconds"),
	COUNT(0x38d, 3, "retries", "RETRIES", SHOWN | FIELD_RIGHT,
	      "how many times it resends what was not acknowledged"),
	COUNT(0x398, 3, "retries_left", "LEFT", SHOWN | FIELD_RIGHT,
	      "how many of those retries are left: cur_retry_count"),
	COUNT(0x390, 3, "rnr_retries", "RNR RETRIES", SHOWN | FIELD_RIGHT,
	      "how many times it resends to a receiver that was not ready; 7: no limit"),
	COUNT(0x395, 3, "rnr_retries_left", "RNR LEFT", FIELD_RIGHT,
	      "how many of those retries are left: cur_rnr_retry"),
	COUNT(0x4a3, 5, "min_rnr_timer", "RNR TIMER", FIELD_RIGHT,
	      "code of the time that it makes the peer wait when it is not ready"),
	COUNT(0x3c8, 24, "next_send_psn", "SEND PSN", SHOWN | FIELD_RIGHT,
	      "packet sequence number that it sends next"),
	COUNT(0x448, 24, "last_acked_psn", "ACKED PSN", SHOWN | FIELD_RIGHT,
	      "last packet sequence number that the peer has acknowledged"),
	COUNT(0x4a8, 24, "next_receive_psn", "RECEIVE PSN", FIELD_RIGHT,
	      "packet sequence number that it expects to receive"),
	COUNT(PATH_AT + 0x10, 16, "pkey_index", "PKEY INDEX", FIELD_RIGHT, "index of its P_Key"),
	COUNT(PATH_AT + 0x48, 8, "gid_index", "GID INDEX", FIELD_RIGHT, "index of its own GID"),
	COUNT(PATH_AT + 0x30, 16, "dlid", "DLID", FIELD_RIGHT, "the peer's LID, on InfiniBand"),
	BITS(BOOL, PATH_AT + 0x28, 1, "grh", "GRH", 0, "whether its packets have a GRH"),
	BITS(GID, PATH_AT + 0x80, 128, "dgid", "DGID", 0, "the peer's GID"),
	COUNT(PATH_AT + 0x58, 8, "hop_limit", "HOPS", FIELD_RIGHT, "hop limit of the GRH"),
	COUNT(PATH_AT + 0x64, 8, "traffic_class", "TCLASS", FIELD_RIGHT,
	      "traffic class of the GRH"),
	COUNT(PATH_AT + 0x6c, 20, "flow_label", "FLOW LABEL", FIELD_RIGHT, "flow label of the GRH"),
	COUNT(PATH_AT + 0x10a, 6, "dscp", "DSCP", FIELD_RIGHT, "DSCP of its packets, on RoCE v2"),
	COUNT(PATH_AT + 0x110, 16, "udp_source_port", "UDP PORT", FIELD_RIGHT,
	      "UDP source port of its packets, on RoCE v2"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_raw_bytes, "raw_bytes", "BYTES", SHOWN | FIELD_RIGHT, 0,
		       "length of the driver's record"),
	TEXT_AS("raw", hex, "RAW", 0, 0, "the raw record, in hexadecimal"),
};

const struct schema qp_context_schema = SCHEMA("qp_contexts", RECORD, fields,
					       "what the adapter knows about a queue pair");
