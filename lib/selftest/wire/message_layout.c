/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/wire/message_layout.h"

#include <sys/socket.h>

#include "base/mem.h"

#define MEMBER(record, member)                                      \
	.name = #member, .offset = offsetof(struct record, member), \
	.size = sizeof(((struct record *)0)->member)
#define NUMBER(record, member, least_, most_)                                               \
	{                                                                                   \
		MEMBER(record, member), .kind = WIRE_NUMBER, .least = least_, .most = most_ \
	}
#define ANY(record, member)  NUMBER(record, member, 0, UINT64_MAX)
#define FLAG(record, member) NUMBER(record, member, 0, 1)
#define OTHER(record, member, kind_)                  \
	{                                             \
		MEMBER(record, member), .kind = kind_ \
	}
#define NESTED(record, member, layout_)                                        \
	{                                                                      \
		MEMBER(record, member), .kind = WIRE_RECORD, .layout = layout_ \
	}
#define ITEMS(record, member, most_, layout_)                                                \
	{                                                                                    \
		MEMBER(record, member), .kind = WIRE_ITEMS, .most = most_, .layout = layout_ \
	}
#define LAYOUT(record, name_, fields_)                                          \
	{                                                                       \
		.name = name_, .fields = fields_, .count = ARRAY_SIZE(fields_), \
		.record_size = sizeof(struct record)                            \
	}

/* No MTU is larger than 4096 bytes (IBTA 1.0 14.2.5.6, NeighborMTU); iWARP may say more. */
#define MOST_MTU     65536
#define MOST_24_BITS 0xffffffu
#define MOST_SLOT    (LIMIT_PAIRS - 1)
#define MOST_QUEUE   (LIMIT_QUEUES - 1)
#define MOST_MSEC    3600000u

static const struct wire_field endpoint_fields[] = {
	OTHER(endpoint, device, WIRE_TEXT),
	OTHER(endpoint, netdev, WIRE_TEXT),
	NUMBER(endpoint, port, 1, 255),
	NUMBER(endpoint, gid_index, 0, 65535),
	OTHER(endpoint, gid, WIRE_RAW),
	NUMBER(endpoint, gid_type, 0, 2),
	NUMBER(endpoint, link_layer, 0, 2),
	NUMBER(endpoint, transport, 0, 6),
	NUMBER(endpoint, state, 0, 5),
	NUMBER(endpoint, operstate, 0, 6),
	NUMBER(endpoint, mtu_bytes, 0, MOST_MTU),
	NUMBER(endpoint, lid, 0, 65535),
	NUMBER(endpoint, rate_mbps, 0, 100000000),
	OTHER(endpoint, ip, WIRE_IP),
};
static const struct wire_layout endpoint_layout = LAYOUT(endpoint, "endpoint", endpoint_fields);

static const struct wire_field span_fields[] = {
	NUMBER(span, buffer, 0, LIMIT_BUFFERS - 1), NUMBER(span, blocks, 0, 1 << 20),
	NUMBER(span, offset, 0, LIMIT_BYTES),	    NUMBER(span, block_bytes, 0, LIMIT_BYTES),
	NUMBER(span, stride, 0, LIMIT_BYTES),
};
static const struct wire_layout span_layout = LAYOUT(span, "span", span_fields);

static const struct wire_field completion_fields[] = {
	ANY(work_completion, id),
	NUMBER(work_completion, status, 0, 63),
	NUMBER(work_completion, operation, 0, 255),
	ANY(work_completion, bytes),
	FLAG(work_completion, with_immediate),
	ANY(work_completion, immediate),
	FLAG(work_completion, with_grh),
	ANY(work_completion, number),
	ANY(work_completion, source),
	ANY(work_completion, vendor_error),
};
static const struct wire_layout completion_layout = LAYOUT(work_completion, "completion",
							   completion_fields);

static const struct wire_field reading_fields[] = {
	OTHER(counter_reading, name, WIRE_TEXT),
	ANY(counter_reading, value),
};
static const struct wire_layout reading_layout = LAYOUT(counter_reading, "counter", reading_fields);

static const struct wire_field hello_fields[] = {
	ANY(message_hello, lowest),
	ANY(message_hello, highest),
	OTHER(message_hello, release, WIRE_TEXT),
	OTHER(message_hello, token, WIRE_RAW),
};
static const struct wire_field welcome_fields[] = {
	ANY(message_welcome, version),
	NUMBER(message_welcome, pairs, 1, LIMIT_PAIRS),
	NUMBER(message_welcome, bytes, 1, LIMIT_BYTES),
	OTHER(message_welcome, release, WIRE_TEXT),
	OTHER(message_welcome, host, WIRE_TEXT),
};
static const struct wire_field refused_fields[] = {
	NUMBER(message_refused, refusal, 0, REFUSALS - 1),
	NUMBER(message_refused, stage, 0, 63),
	NUMBER(message_refused, error, 0, 4095),
	NUMBER(message_refused, cm_event, 0, 63),
	ANY(message_refused, cm_status),
	ANY(message_refused, lowest),
	ANY(message_refused, highest),
	ANY(message_refused, wanted_bytes),
	ANY(message_refused, limit_bytes),
	OTHER(message_refused, text, WIRE_TEXT),
};
static const struct wire_field open_fields[] = {
	NESTED(message_open, near, &endpoint_layout),
	FLAG(message_open, with_gid_index),
	NUMBER(message_open, gid_index, 0, 65535),
	NUMBER(message_open, mtu_bytes, 0, MOST_MTU),
};
static const struct wire_field opened_fields[] = {
	NESTED(message_opened, far, &endpoint_layout),
	NUMBER(message_opened, max_sges, 1, UINT32_MAX),
	NUMBER(message_opened, max_depth, 1, UINT32_MAX),
	NUMBER(message_opened, max_pairs, 1, UINT32_MAX),
	NUMBER(message_opened, max_reads, 0, 255),
	FLAG(message_opened, atomics),
	FLAG(message_opened, shared_receive),
	FLAG(message_opened, multicast),
	ANY(message_opened, vendor),
};
static const struct wire_field buffer_fields[] = {
	NUMBER(message_buffer, slot, 0, LIMIT_BUFFERS - 1),
	FLAG(message_buffer, domain),
	NUMBER(message_buffer, access, 0, 15),
	NUMBER(message_buffer, bytes, 0, LIMIT_BYTES),
};
static const struct wire_field buffered_fields[] = {
	ANY(message_buffered, address),
	ANY(message_buffered, local_key),
	ANY(message_buffered, remote_key),
};
static const struct wire_field fill_fields[] = {
	NESTED(message_fill, span, &span_layout),
	ANY(message_fill, seed),
	FLAG(message_fill, constant),
};
static const struct wire_field checked_fields[] = {
	FLAG(message_checked, equal),
	ANY(message_checked, offset),
	NUMBER(message_checked, expected, 0, 255),
	NUMBER(message_checked, got, 0, 255),
	ANY(message_checked, different),
};
static const struct wire_field queue_fields[] = {
	NUMBER(message_queue, slot, 0, MOST_QUEUE),
	NUMBER(message_queue, entries, 0, 2 * LIMIT_DEPTH),
	FLAG(message_queue, channel),
};
static const struct wire_field pair_fields[] = {
	NUMBER(message_pair, slot, 0, MOST_SLOT),
	FLAG(message_pair, destroy),
	NUMBER(message_pair, kind, 0, PAIR_UD),
	NUMBER(message_pair, queue, 0, MOST_QUEUE),
	FLAG(message_pair, shared),
	NUMBER(message_pair, send_depth, 0, LIMIT_DEPTH),
	NUMBER(message_pair, receive_depth, 0, LIMIT_DEPTH),
	NUMBER(message_pair, sges, 0, LIMIT_SGES),
	NUMBER(message_pair, inline_bytes, 0, 4096),
	FLAG(message_pair, signal_all),
	FLAG(message_pair, domain),
};
static const struct wire_field paired_fields[] = {
	NUMBER(message_paired, number, 0, MOST_24_BITS),
	NUMBER(message_paired, packet, 0, MOST_24_BITS),
	ANY(message_paired, inline_bytes),
};
static const struct wire_field modify_fields[] = {
	NUMBER(message_modify, slot, 0, MOST_SLOT),
	NUMBER(message_modify, state, 0, 6),
	NUMBER(message_modify, access, 0, 15),
	NUMBER(message_modify, number, 0, MOST_24_BITS),
	NUMBER(message_modify, packet, 0, MOST_24_BITS),
	NESTED(message_modify, to, &endpoint_layout),
	NUMBER(message_modify, mtu_bytes, 0, 4096),
	NUMBER(message_modify, reads, 0, 255),
	NUMBER(message_modify, timeout, 0, 31),
	NUMBER(message_modify, retries, 0, 7),
	NUMBER(message_modify, rnr_retries, 0, 7),
	NUMBER(message_modify, rnr_timer, 0, 31),
	ANY(message_modify, qkey),
	NUMBER(message_modify, service_level, 0, 15),
};
static const struct wire_field query_fields[] = {
	NUMBER(message_query, slot, 0, MOST_SLOT),
};
static const struct wire_field queried_fields[] = {
	NUMBER(message_queried, state, 0, 255),
	NUMBER(message_queried, number, 0, MOST_24_BITS),
	NUMBER(message_queried, mtu_bytes, 0, MOST_MTU),
	ANY(message_queried, inline_bytes),
	ANY(message_queried, access),
};
static const struct wire_field address_fields[] = {
	NUMBER(message_address, slot, 0, MOST_SLOT),
	NESTED(message_address, to, &endpoint_layout),
	NUMBER(message_address, service_level, 0, 15),
};
static const struct wire_field post_fields[] = {
	NUMBER(message_post, slot, 0, MOST_SLOT),
	NUMBER(message_post, operation, 0, POST_OPERATIONS - 1),
	NUMBER(message_post, flags, 0, 15),
	NUMBER(message_post, count, 1, LIMIT_DEPTH),
	ANY(message_post, id),
	NESTED(message_post, span, &span_layout),
	ANY(message_post, remote_address),
	ANY(message_post, remote_key),
	ANY(message_post, immediate),
	ANY(message_post, operand),
	ANY(message_post, swap),
	NUMBER(message_post, number, 0, MOST_24_BITS),
	ANY(message_post, qkey),
	FLAG(message_post, bad_key),
};
static const struct wire_field receive_fields[] = {
	NUMBER(message_receive, slot, 0, MOST_SLOT),
	FLAG(message_receive, shared),
	NUMBER(message_receive, count, 1, LIMIT_DEPTH),
	ANY(message_receive, id),
	NESTED(message_receive, span, &span_layout),
	NUMBER(message_receive, step, 0, LIMIT_BYTES),
};
static const struct wire_field wait_fields[] = {
	NUMBER(message_wait, queue, 0, MOST_QUEUE),
	NUMBER(message_wait, count, 0, LIMIT_COMPLETION),
	NUMBER(message_wait, timeout_msec, 0, MOST_MSEC),
	FLAG(message_wait, by_event),
	FLAG(message_wait, solicited),
};
static const struct wire_field waited_fields[] = {
	ANY(message_waited, events),
	NUMBER(message_waited, stop, 0, 63),
	NUMBER(message_waited, count, 0, LIMIT_COMPLETION),
	ITEMS(message_waited, items, LIMIT_COMPLETION, &completion_layout),
};
static const struct wire_field listen_fields[] = {
	NUMBER(message_listen, family, 0, AF_INET6),
};
static const struct wire_field listening_fields[] = {
	OTHER(message_listening, ip, WIRE_IP),
	NUMBER(message_listening, port, 1, 65535),
};
static const struct wire_field accept_fields[] = {
	NUMBER(message_accept, slot, 0, MOST_SLOT),	    ANY(message_accept, cookie),
	NUMBER(message_accept, timeout_msec, 0, MOST_MSEC), NUMBER(message_accept, reads, 0, 255),
	NUMBER(message_accept, rnr_retries, 0, 7),
};
static const struct wire_field connect_fields[] = {
	NUMBER(message_connect, slot, 0, MOST_SLOT),
	ANY(message_connect, cookie),
	OTHER(message_connect, ip, WIRE_IP),
	NUMBER(message_connect, port, 1, 65535),
	NUMBER(message_connect, timeout_msec, 0, MOST_MSEC),
	NUMBER(message_connect, reads, 0, 255),
	NUMBER(message_connect, retries, 0, 7),
	NUMBER(message_connect, rnr_retries, 0, 7),
};
static const struct wire_field connected_fields[] = {
	ANY(message_connected, cookie),
	ANY(message_connected, address_nsec),
	ANY(message_connected, route_nsec),
	ANY(message_connected, connect_nsec),
};
static const struct wire_field disconnect_fields[] = {
	NUMBER(message_disconnect, slot, 0, MOST_SLOT),
	FLAG(message_disconnect, active),
	NUMBER(message_disconnect, timeout_msec, 0, MOST_MSEC),
};
static const struct wire_field join_fields[] = {
	NUMBER(message_join, slot, 0, MOST_SLOT),
	OTHER(message_join, group, WIRE_IP),
	NUMBER(message_join, timeout_msec, 0, MOST_MSEC),
};
static const struct wire_field joined_fields[] = {
	OTHER(message_joined, gid, WIRE_RAW),
	ANY(message_joined, lid),
	ANY(message_joined, qkey),
	NUMBER(message_joined, number, 0, MOST_24_BITS),
};
static const struct wire_field leave_fields[] = {
	NUMBER(message_leave, slot, 0, MOST_SLOT),
};
static const struct wire_field run_fields[] = {
	NUMBER(message_run, mode, 0, RUN_BANDWIDTH),
	NUMBER(message_run, operation, 0, RUN_OPERATIONS - 1),
	FLAG(message_run, active),
	NUMBER(message_run, pairs, 1, LIMIT_PAIRS),
	NUMBER(message_run, queue, 0, MOST_QUEUE),
	NUMBER(message_run, buffer, 0, LIMIT_BUFFERS - 1),
	NUMBER(message_run, bytes, 0, LIMIT_BYTES),
	NUMBER(message_run, iterations, 0, 1000000000),
	NUMBER(message_run, warmup, 0, 1000000000),
	NUMBER(message_run, duration_msec, 0, MOST_MSEC),
	NUMBER(message_run, depth, 1, LIMIT_DEPTH),
	NUMBER(message_run, batch, 1, LIMIT_DEPTH),
	NUMBER(message_run, signal_every, 1, LIMIT_DEPTH),
	NUMBER(message_run, inline_bytes, 0, 4096),
	ANY(message_run, remote_address),
	ANY(message_run, remote_key),
	ANY(message_run, seed),
};
static const struct wire_field ran_fields[] = {
	ANY(message_ran, elapsed_nsec),	    ANY(message_ran, iterations),
	NUMBER(message_ran, status, 0, 63), ANY(message_ran, vendor_error),
	NUMBER(message_ran, stop, 0, 63),
};
static const struct wire_field gather_fields[] = {
	NUMBER(message_gather, slot, 0, MOST_SLOT),
	NUMBER(message_gather, queue, 0, MOST_QUEUE),
	NUMBER(message_gather, operation, 0, POST_READ),
	FLAG(message_gather, active),
	FLAG(message_gather, packed),
	NUMBER(message_gather, iterations, 1, 1000000),
	NUMBER(message_gather, warmup, 0, 1000000),
	NESTED(message_gather, from, &span_layout),
	NESTED(message_gather, to, &span_layout),
	NUMBER(message_gather, piece, 0, LIMIT_BYTES),
	ANY(message_gather, remote_address),
	ANY(message_gather, remote_key),
};
static const struct wire_field counted_fields[] = {
	NUMBER(message_counted, count, 0, LIMIT_COUNTERS),
	ITEMS(message_counted, items, LIMIT_COUNTERS, &reading_layout),
};

#define NO_FIELDS(name_)      \
	{                     \
		.name = name_ \
	}

const struct wire_layout message_layouts[MESSAGE_TYPES] = {
	[MESSAGE_HELLO] = LAYOUT(message_hello, "hello", hello_fields),
	[MESSAGE_WELCOME] = LAYOUT(message_welcome, "welcome", welcome_fields),
	[MESSAGE_REFUSED] = LAYOUT(message_refused, "refused", refused_fields),
	[MESSAGE_OPEN] = LAYOUT(message_open, "open", open_fields),
	[MESSAGE_OPENED] = LAYOUT(message_opened, "opened", opened_fields),
	[MESSAGE_BUFFER] = LAYOUT(message_buffer, "buffer", buffer_fields),
	[MESSAGE_BUFFERED] = LAYOUT(message_buffered, "buffered", buffered_fields),
	[MESSAGE_FILL] = LAYOUT(message_fill, "fill", fill_fields),
	[MESSAGE_CHECK] = LAYOUT(message_fill, "check", fill_fields),
	[MESSAGE_CHECKED] = LAYOUT(message_checked, "checked", checked_fields),
	[MESSAGE_QUEUE] = LAYOUT(message_queue, "queue", queue_fields),
	[MESSAGE_PAIR] = LAYOUT(message_pair, "pair", pair_fields),
	[MESSAGE_PAIRED] = LAYOUT(message_paired, "paired", paired_fields),
	[MESSAGE_MODIFY] = LAYOUT(message_modify, "modify", modify_fields),
	[MESSAGE_QUERY] = LAYOUT(message_query, "query", query_fields),
	[MESSAGE_QUERIED] = LAYOUT(message_queried, "queried", queried_fields),
	[MESSAGE_ADDRESS] = LAYOUT(message_address, "address", address_fields),
	[MESSAGE_POST] = LAYOUT(message_post, "post", post_fields),
	[MESSAGE_RECEIVE] = LAYOUT(message_receive, "receive", receive_fields),
	[MESSAGE_WAIT] = LAYOUT(message_wait, "wait", wait_fields),
	[MESSAGE_WAITED] = LAYOUT(message_waited, "waited", waited_fields),
	[MESSAGE_LISTEN] = LAYOUT(message_listen, "listen", listen_fields),
	[MESSAGE_LISTENING] = LAYOUT(message_listening, "listening", listening_fields),
	[MESSAGE_ACCEPT] = LAYOUT(message_accept, "accept", accept_fields),
	[MESSAGE_CONNECT] = LAYOUT(message_connect, "connect", connect_fields),
	[MESSAGE_CONNECTED] = LAYOUT(message_connected, "connected", connected_fields),
	[MESSAGE_DISCONNECT] = LAYOUT(message_disconnect, "disconnect", disconnect_fields),
	[MESSAGE_JOIN] = LAYOUT(message_join, "join", join_fields),
	[MESSAGE_JOINED] = LAYOUT(message_joined, "joined", joined_fields),
	[MESSAGE_LEAVE] = LAYOUT(message_leave, "leave", leave_fields),
	[MESSAGE_RUN] = LAYOUT(message_run, "run", run_fields),
	[MESSAGE_RAN] = LAYOUT(message_ran, "ran", ran_fields),
	[MESSAGE_GATHER] = LAYOUT(message_gather, "gather", gather_fields),
	[MESSAGE_COUNTERS] = NO_FIELDS("counters"),
	[MESSAGE_COUNTED] = LAYOUT(message_counted, "counted", counted_fields),
	[MESSAGE_RELEASE] = NO_FIELDS("release"),
	[MESSAGE_DONE] = NO_FIELDS("done"),
	[MESSAGE_BYE] = NO_FIELDS("bye"),
};
