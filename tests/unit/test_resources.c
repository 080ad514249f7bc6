/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects in use: messages as the kernel builds them, and tables that go wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "netlink_message.h"
#include "resource/nldev_resources.h"

enum { DEVICE = 3, QPS = RDMA_NLDEV_ATTR_RES_QP, QP = RDMA_NLDEV_ATTR_RES_QP_ENTRY };

/* Adds the attributes of a message: the device, and a table of entries. */
static void put_table(struct bytes *bytes, unsigned int type, const struct bytes *entries)
{
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	put_nest(bytes, type, entries);
}

static void put_qp(struct bytes *entries, uint32_t number)
{
	struct bytes entry = {0};

	put_u32(&entry, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_LQPN, number);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_PDN, 7);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_PID, 1234);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_RQPN, number + 1000);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_RQ_PSN, 11);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_SQ_PSN, 12);
	put_u8(&entry, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, 1);
	put_u8(&entry, RDMA_NLDEV_ATTR_RES_TYPE, 2);
	put_u8(&entry, RDMA_NLDEV_ATTR_RES_STATE, 3);
	/* An attribute of a future kernel, and padding. */
	put_u32(&entry, 4000, 1);
	put_attribute(&entry, 0, "", 0);
	put_nest(entries, QP, &entry);
}

static void expect_qp(const struct resource *qp, uint32_t number)
{
	assert_int_equal(qp->id.value, number);
	assert_int_equal(qp->port.value, 1);
	assert_int_equal(qp->pdn.value, 7);
	assert_int_equal(qp->thread.value, 1234);
	assert_false(qp->pid.known);
	assert_int_equal(qp->remote_qpn.value, number + 1000);
	assert_int_equal(qp->rq_psn.value, 11);
	assert_int_equal(qp->sq_psn.value, 12);
	assert_int_equal(qp->path_migration.value, 1);
	assert_int_equal(qp->type.value, 2);
	assert_int_equal(qp->state.value, 3);
	assert_int_equal(qp->kernel, TRISTATE_NO);
	assert_null(qp->kernel_name);
}

/* RDMA_NLDEV_ATTR_DRIVER as the kernel's rdma_nl_put_driver_*() write it. */
static void driver_details(void **state)
{
	static const char *const expected[] = {"odp=explicit", "sqid=7",	  "flags=0xff",
					       "left=-3",      "big=0x100000000", "clean=a\\x1bb"};
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct bytes entries = {0}, entry = {0}, nest = {0}, bytes = {0};
	const struct strings *details;

	(void)state;
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "odp");
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "explicit");
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "sqid");
	put_u32(&nest, RDMA_NLDEV_ATTR_DRIVER_U32, 7);
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "flags");
	put_u8(&nest, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, RDMA_NLDEV_PRINT_TYPE_HEX);
	put_u32(&nest, RDMA_NLDEV_ATTR_DRIVER_U32, 0xff);
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "left");
	put_u32(&nest, RDMA_NLDEV_ATTR_DRIVER_S32, (uint32_t)-3);
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "big");
	put_u8(&nest, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, RDMA_NLDEV_PRINT_TYPE_HEX);
	put_attribute(&nest, 0, "", 0); /* padding before 64 bits */
	put_u64(&nest, RDMA_NLDEV_ATTR_DRIVER_U64, 1ull << 32);
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "clean");
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING,
		   "a\x1b"
		   "b");
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "short");
	put_u8(&nest, RDMA_NLDEV_ATTR_DRIVER_S64, 1);
	put_string(&nest, RDMA_NLDEV_ATTR_DRIVER_STRING, "without a value");
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_LQPN, 5);
	put_string(&entry, NLDEV_ATTR_RES_SUBTYPE, "DCI");
	put_nest(&entry, RDMA_NLDEV_ATTR_DRIVER, &nest);
	put_nest(&entries, QP, &entry);
	put_qp(&entries, 17);
	put_table(&bytes, QPS, &entries);
	assert_int_equal(nldev_parse_resources(RESOURCE_QP, bytes.data, bytes.length, &list), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].subtype, "DCI");
	details = &list.items[0].driver;
	assert_true(details->known);
	assert_int_equal(details->count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < details->count; i++)
		assert_string_equal(details->items[i], expected[i]);
	assert_null(list.items[1].subtype);
	assert_false(list.items[1].driver.known);
}

static void queue_pairs(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct bytes entries = {0}, bytes = {0}, kernel = {0}, orphan = {0};

	(void)state;
	put_qp(&entries, 17);
	put_u32(&kernel, RDMA_NLDEV_ATTR_RES_LQPN, 1);
	put_string(&kernel, RDMA_NLDEV_ATTR_RES_KERN_NAME, "ib_core\x1b");
	put_u8(&kernel, RDMA_NLDEV_ATTR_RES_TYPE, 1);
	put_nest(&entries, QP, &kernel);
	put_u32(&entries, 4001, 1); /* an unknown attribute among the entries */
	put_u32(&orphan, RDMA_NLDEV_ATTR_RES_LQPN, 18);
	put_u32(&orphan, RDMA_NLDEV_ATTR_RES_PID, 0);
	put_nest(&entries, QP, &orphan);
	put_table(&bytes, QPS, &entries);
	assert_int_equal(nldev_parse_resources(RESOURCE_QP, bytes.data, bytes.length, &list), 0);
	assert_int_equal(list.count, 3);
	expect_qp(&list.items[0], 17);
	assert_int_equal(list.items[1].kernel, TRISTATE_YES);
	assert_string_equal(list.items[1].kernel_name, "ib_core\\x1b");
	assert_false(list.items[1].thread.known);
	assert_false(list.items[1].remote_qpn.known);
	assert_false(list.items[1].state.known);
	/* No process has the number 0. */
	assert_int_equal(list.items[2].kernel, TRISTATE_NO);
	assert_false(list.items[2].thread.known);
	/* A table of another kind does not affect this one. */
	assert_int_equal(nldev_parse_resources(RESOURCE_MR, bytes.data, bytes.length, &list), 0);
	assert_int_equal(list.count, 3);
}

static void put_address(struct bytes *bytes, unsigned int type, const char *ip, uint16_t port)
{
	struct sockaddr_storage storage = {0};
	struct sockaddr_in6 *ip6 = (struct sockaddr_in6 *)&storage;
	struct sockaddr_in *ip4 = (struct sockaddr_in *)&storage;

	if (inet_pton(AF_INET, ip, &ip4->sin_addr) == 1) {
		ip4->sin_family = AF_INET;
		ip4->sin_port = htons(port);
	} else {
		assert_int_equal(inet_pton(AF_INET6, ip, &ip6->sin6_addr), 1);
		ip6->sin6_family = AF_INET6;
		ip6->sin6_port = htons(port);
	}
	put_attribute(bytes, type, &storage, sizeof(storage));
}

static void expect_address(const struct known_ip *ip, const struct number *port, const char *text,
			   uint16_t number)
{
	char formatted[IP_TEXT_SIZE];

	assert_true(ip->known && port->known);
	ip_format(&ip->address, formatted);
	assert_string_equal(formatted, text);
	assert_int_equal(port->value, number);
}

/* Parses a message of one entry into its one object. */
static void parse_one(enum resource_kind kind, unsigned int table, const struct bytes *entry,
		      struct resource_list *list)
{
	struct bytes entries = {0}, bytes = {0};

	put_nest(&entries, table + 1, entry);
	put_table(&bytes, table, &entries);
	assert_int_equal(nldev_parse_resources(kind, bytes.data, bytes.length, list), 0);
	assert_int_equal(list->count, 1);
}

static void connections(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0}, listening = {0}, ib = {0};
	struct bytes entry = {0}, listener = {0}, native = {0};
	uint8_t address[128] = {[8] = 0xfe, 0x80, [23] = 9, [30] = 0x1c, 0x06};

	(void)state;
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_CM_IDN, 5);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_LQPN, 99);
	put_u8(&entry, RDMA_NLDEV_ATTR_RES_STATE, 5);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_PS, 0x106);
	put_address(&entry, RDMA_NLDEV_ATTR_RES_SRC_ADDR, "10.9.0.1", 7174);
	put_address(&entry, RDMA_NLDEV_ATTR_RES_DST_ADDR, "fd09::2", 60094);
	parse_one(RESOURCE_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, &entry, &list);
	assert_int_equal(list.items[0].id.value, 5);
	assert_int_equal(list.items[0].qpn.value, 99);
	assert_int_equal(list.items[0].port_space.value, 0x106);
	expect_address(&list.items[0].local_ip, &list.items[0].local_port, "10.9.0.1", 7174);
	expect_address(&list.items[0].remote_ip, &list.items[0].remote_port, "fd09::2", 60094);

	/* A listener on any address has an address, but no peer. */
	put_address(&listener, RDMA_NLDEV_ATTR_RES_SRC_ADDR, "0.0.0.0", 7174);
	put_address(&listener, RDMA_NLDEV_ATTR_RES_DST_ADDR, "0.0.0.0", 0);
	parse_one(RESOURCE_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, &listener, &listening);
	expect_address(&listening.items[0].local_ip, &listening.items[0].local_port, "0.0.0.0",
		       7174);
	assert_false(listening.items[0].remote_ip.known);
	assert_false(listening.items[0].remote_port.known);

	/*
	 * AF_IB: a GID, with the port at the end of the service ID; then an unknown address family.
	 */
	memcpy(address, &(uint16_t){27}, sizeof(uint16_t)); /* in host byte order */
	put_attribute(&native, RDMA_NLDEV_ATTR_RES_SRC_ADDR, address, sizeof(address));
	memcpy(address, &(uint16_t){77}, sizeof(uint16_t));
	put_attribute(&native, RDMA_NLDEV_ATTR_RES_DST_ADDR, address, sizeof(address));
	parse_one(RESOURCE_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, &native, &ib);
	assert_false(ib.items[0].remote_ip.known);
	expect_address(&ib.items[0].local_ip, &ib.items[0].local_port, "fe80::9", 0x1c06);
}

/* struct sockaddr_in has 16 bytes, sockaddr_in6 28, and sockaddr_ib 48. */
static void sizes_of_addresses(void **state)
{
	static const struct {
		uint16_t family;
		size_t bytes;
	} rows[] = {{AF_INET, 16}, {AF_INET6, 28}, {27, 48}};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		_cleanup_(resource_list_clear) struct resource_list list = {0};
		const uint16_t family = rows[i / 2].family;
		uint8_t address[48] = {0};
		struct bytes entry = {0};

		memcpy(address, &family, sizeof(family));
		put_attribute(&entry, RDMA_NLDEV_ATTR_RES_SRC_ADDR, address,
			      rows[i / 2].bytes - i % 2);
		parse_one(RESOURCE_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, &entry, &list);
		assert_int_equal(list.items[0].local_ip.known, !(i % 2));
		assert_int_equal(list.items[0].local_port.known, !(i % 2));
	}
}

/* A peer is omitted only if both its address and its port are zero. */
static void peers_that_are_somewhere(void **state)
{
	static const struct {
		const char *ip;
		uint16_t port;
		bool known;
	} rows[] = {{"0.0.0.0", 0, false}, {"0.0.0.0", 9, true}, {"0.0.0.1", 0, true},
		    {"::", 0, false},	   {"::1", 0, true},	 {"100::", 0, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(resource_list_clear) struct resource_list list = {0};
		struct bytes entry = {0};

		put_address(&entry, RDMA_NLDEV_ATTR_RES_DST_ADDR, rows[i].ip, rows[i].port);
		parse_one(RESOURCE_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, &entry, &list);
		assert_int_equal(list.items[0].remote_ip.known, rows[i].known);
		assert_int_equal(list.items[0].remote_port.known, rows[i].known);
	}
}

static void memory(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list mrs = {0}, pds = {0}, cqs = {0};
	struct bytes mr = {0}, pd = {0}, cq = {0};

	(void)state;
	put_u32(&mr, RDMA_NLDEV_ATTR_RES_MRN, 4);
	put_u64(&mr, RDMA_NLDEV_ATTR_RES_MRLEN, UINT64_C(1) << 40);
	put_u32(&mr, RDMA_NLDEV_ATTR_RES_PDN, 2);
	parse_one(RESOURCE_MR, RDMA_NLDEV_ATTR_RES_MR, &mr, &mrs);
	assert_int_equal(mrs.items[0].id.value, 4);
	assert_int_equal(mrs.items[0].length_bytes.value, UINT64_C(1) << 40);
	/* Keys are present only if the kernel reports them: none is not 0. */
	assert_false(mrs.items[0].rkey.known || mrs.items[0].lkey.known || mrs.items[0].iova.known);

	put_u32(&pd, RDMA_NLDEV_ATTR_RES_PDN, 2);
	put_u32(&pd, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, 0);
	put_u64(&pd, RDMA_NLDEV_ATTR_RES_USECNT, 3);
	put_u32(&pd, RDMA_NLDEV_ATTR_RES_CTXN, 8);
	parse_one(RESOURCE_PD, RDMA_NLDEV_ATTR_RES_PD, &pd, &pds);
	assert_int_equal(pds.items[0].id.value, 2);
	assert_int_equal(pds.items[0].users.value, 3);
	assert_int_equal(pds.items[0].ctxn.value, 8);
	assert_true(pds.items[0].local_dma_lkey.known);
	assert_false(pds.items[0].unsafe_global_rkey.known);

	put_u32(&cq, RDMA_NLDEV_ATTR_RES_CQN, 6);
	put_u32(&cq, RDMA_NLDEV_ATTR_RES_CQE, 511);
	put_u8(&cq, RDMA_NLDEV_ATTR_DEV_DIM, 1);
	parse_one(RESOURCE_CQ, RDMA_NLDEV_ATTR_RES_CQ, &cq, &cqs);
	assert_int_equal(cqs.items[0].id.value, 6);
	assert_int_equal(cqs.items[0].entries.value, 511);
	assert_int_equal(cqs.items[0].adaptive_moderation, TRISTATE_YES);
	assert_false(cqs.items[0].poll_context.known);
}

/* Lists all queue pairs of a shared receive queue, however many there are. */
static void shared_queues(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0}, none = {0};
	struct bytes entry = {0}, qps = {0}, range = {0}, lonely = {0}, nothing = {0};

	(void)state;
	put_u32(&range, RDMA_NLDEV_ATTR_MIN_RANGE, 20);
	put_u32(&range, RDMA_NLDEV_ATTR_MAX_RANGE, 25);
	put_nest(&qps, QP, &range);
	for (uint32_t i = 0; i < 300; i++) {
		struct bytes one = {0};

		put_u32(&one, RDMA_NLDEV_ATTR_RES_LQPN, 100 + 2 * i);
		put_nest(&qps, QP, &one);
	}
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_SRQN, 1);
	put_u8(&entry, RDMA_NLDEV_ATTR_RES_TYPE, 0);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_CQN, 9);
	put_nest(&entry, QPS, &qps);
	parse_one(RESOURCE_SRQ, RDMA_NLDEV_ATTR_RES_SRQ, &entry, &list);
	assert_int_equal(list.items[0].id.value, 1);
	assert_int_equal(list.items[0].cqn.value, 9);
	assert_int_equal(list.items[0].qpns.count, 301);
	assert_string_equal(list.items[0].qpns.items[0], "20-25");
	assert_string_equal(list.items[0].qpns.items[300], "698");

	put_u32(&lonely, RDMA_NLDEV_ATTR_RES_SRQN, 2);
	put_nest(&lonely, QPS, &nothing);
	parse_one(RESOURCE_SRQ, RDMA_NLDEV_ATTR_RES_SRQ, &lonely, &none);
	assert_true(none.items[0].qpns.known);
	assert_int_equal(none.items[0].qpns.count, 0);
}

/* Contexts of the kernel are entries without attributes. */
static void empty_entries(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct bytes entries = {0}, bytes = {0}, nothing = {0}, entry = {0};

	(void)state;
	put_nest(&entries, RDMA_NLDEV_ATTR_RES_CTX_ENTRY, &nothing);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_CTXN, 3);
	put_nest(&entries, RDMA_NLDEV_ATTR_RES_CTX_ENTRY, &entry);
	put_table(&bytes, RDMA_NLDEV_ATTR_RES_CTX, &entries);
	assert_int_equal(nldev_parse_resources(RESOURCE_CTX, bytes.data, bytes.length, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].id.value, 3);
}

/* A truncated message yields only the objects that it holds in full. */
static void truncated(void **state)
{
	struct bytes entries = {0}, bytes = {0};

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		put_qp(&entries, 17 + i);
	put_table(&bytes, QPS, &entries);
	for (size_t length = 0; length < bytes.length; length++) {
		_cleanup_(resource_list_clear) struct resource_list list = {0};
		void *copy = mem_alloc_zero(length, 1);

		memcpy(copy, bytes.data, length);
		nldev_parse_resources(RESOURCE_QP, copy, length, &list);
		assert_int_equal(list.count, 0);
		free(copy);
	}
}

static void damaged(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct bytes entries = {0}, bytes = {0}, bad = {0};

	(void)state;
	put_qp(&entries, 17);
	put_attribute(&bad, RDMA_NLDEV_ATTR_RES_LQPN, "abc", 3); /* no number has three bytes */
	put_string(&bad, RDMA_NLDEV_ATTR_RES_KERN_NAME, "x");
	put_nest(&entries, QP, &bad);
	put_qp(&entries, 18);
	put_table(&bytes, QPS, &entries);
	assert_int_equal(nldev_parse_resources(RESOURCE_QP, bytes.data, bytes.length, &list),
			 -EBADMSG);
	assert_int_equal(list.count, 1);
	expect_qp(&list.items[0], 17);
}

/* Damage within a list of queue pairs, which the policy of the entry does not check. */
static void damaged_inside(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct bytes entries = {0}, bytes = {0}, bad = {0}, inner = {0}, qps = {0}, good = {0};

	(void)state;
	put_u32(&good, RDMA_NLDEV_ATTR_RES_SRQN, 1);
	put_nest(&entries, RDMA_NLDEV_ATTR_RES_SRQ_ENTRY, &good);
	put_attribute(&inner, RDMA_NLDEV_ATTR_RES_LQPN, "abc", 3);
	put_nest(&qps, QP, &inner);
	put_u32(&bad, RDMA_NLDEV_ATTR_RES_SRQN, 2);
	put_string(&bad, RDMA_NLDEV_ATTR_RES_KERN_NAME, "x");
	put_nest(&bad, QPS, &qps);
	put_nest(&entries, RDMA_NLDEV_ATTR_RES_SRQ_ENTRY, &bad);
	put_table(&bytes, RDMA_NLDEV_ATTR_RES_SRQ, &entries);
	assert_int_equal(nldev_parse_resources(RESOURCE_SRQ, bytes.data, bytes.length, &list),
			 -EBADMSG);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].id.value, 1);
}

/* Every number of an object has its own attribute: fill_res_*_entry() of the kernel's nldev.c. */
static void each_number(void **state)
{
	static const struct {
		unsigned int attribute;
		size_t offset;
	} rows[] = {
#define ROW(attribute, member) {RDMA_NLDEV_ATTR_##attribute, offsetof(struct resource, member)}
		ROW(PORT_INDEX, port),
		ROW(RES_PID, thread),
		ROW(RES_TYPE, type),
		ROW(RES_STATE, state),
		ROW(RES_LQPN, qpn),
		ROW(RES_RQPN, remote_qpn),
		ROW(RES_RQ_PSN, rq_psn),
		ROW(RES_SQ_PSN, sq_psn),
		ROW(RES_PATH_MIG_STATE, path_migration),
		ROW(RES_CQE, entries),
		ROW(RES_USECNT, users),
		ROW(RES_POLL_CTX, poll_context),
		ROW(RES_MRLEN, length_bytes),
		ROW(RES_IOVA, iova),
		ROW(RES_RKEY, rkey),
		ROW(RES_LKEY, lkey),
		ROW(RES_LOCAL_DMA_LKEY, local_dma_lkey),
		ROW(RES_UNSAFE_GLOBAL_RKEY, unsafe_global_rkey),
		ROW(RES_PDN, pdn),
		ROW(RES_CQN, cqn),
		ROW(RES_CTXN, ctxn),
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(resource_list_clear) struct resource_list list = {0};
		const unsigned int attribute = rows[i].attribute;
		struct bytes entry = {0};

		if (attribute == RDMA_NLDEV_ATTR_RES_TYPE ||
		    attribute == RDMA_NLDEV_ATTR_RES_STATE ||
		    attribute == RDMA_NLDEV_ATTR_RES_POLL_CTX ||
		    attribute == RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE)
			put_u8(&entry, attribute, 77);
		else if (attribute == RDMA_NLDEV_ATTR_RES_USECNT ||
			 attribute == RDMA_NLDEV_ATTR_RES_MRLEN ||
			 attribute == RDMA_NLDEV_ATTR_RES_IOVA)
			put_u64(&entry, attribute, 77);
		else
			put_u32(&entry, attribute, 77);
		parse_one(RESOURCE_CTX, RDMA_NLDEV_ATTR_RES_CTX, &entry, &list);
		for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
			const struct number *number = (const void *)((const char *)&list.items[0] +
								     rows[k].offset);

			assert_int_equal(number->known, k == i);
			assert_int_equal(number->value, k == i ? 77 : 0);
		}
	}
}

/* The codes of the kernel's include/rdma/ib_verbs.h, rdma_cm.h and its uapi, in words. */
static void words_of_codes(void **state)
{
	static const struct {
		const struct enum_name *names;
		const char *words; /* from code 0 on, - for one that is not used */
	} rows[] = {
		{qp_type_names,
		 "smi gsi rc uc ud raw-ipv6 raw-ethertype - raw-packet xrc-ini xrc-tgt"},
		{qp_state_names, "reset init rtr rts sqd sqe error"},
		{path_migration_names, "migrated rearm armed"},
		{cm_id_state_names,
		 "idle addr-query addr-resolved route-query route-resolved connect disconnect "
		 "addr-bound listen device-removal destroying addrinfo-query addrinfo-resolved"},
		{poll_context_names, "softirq workqueue unbound-workqueue direct"},
		{srq_type_names, "basic xrc tm"},
		{resource_kind_names, "qp cm_id cq mr pd ctx srq"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *copy = mem_string(rows[i].words);
		uint64_t code = 0;
		char *rest = copy, *word;

		for (; (word = strsep(&rest, " ")); code++)
			assert_string_equal(enum_word(rows[i].names, code, "-"), word);
		assert_string_equal(enum_word(rows[i].names, code, "-"), "-");
	}
	assert_string_equal(enum_word(qp_type_names, 0xff, "-"), "driver");
	assert_string_equal(enum_word(port_space_names, 0x0002, "-"), "ipoib");
	assert_string_equal(enum_word(port_space_names, 0x0106, "-"), "tcp");
	assert_string_equal(enum_word(port_space_names, 0x0111, "-"), "udp");
	assert_string_equal(enum_word(port_space_names, 0x013f, "-"), "ib");
}

static void put_count(struct bytes *entries, const char *name, uint64_t count)
{
	struct bytes entry = {0};

	put_string(&entry, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, name);
	put_u64(&entry, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count);
	put_nest(entries, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, &entry);
}

static void summary(void **state)
{
	struct resource_summary_list list = {0};
	struct resource_summary *found = mem_append(&list.items, &list.count, sizeof(*found));
	struct bytes entries = {0}, bytes = {0};

	(void)state;
	put_count(&entries, "pd", 4);
	put_count(&entries, "qp", 0);
	put_count(&entries, "dmah\n", 12); /* of a future kernel */
	put_table(&bytes, RDMA_NLDEV_ATTR_RES_SUMMARY, &entries);
	assert_int_equal(nldev_parse_resource_summary(bytes.data, bytes.length, found), 0);
	assert_int_equal(found->index.value, DEVICE);
	assert_int_equal(found->counts[RESOURCE_PD].value, 4);
	assert_true(found->counts[RESOURCE_QP].known);
	assert_int_equal(found->counts[RESOURCE_QP].value, 0);
	/* An object that an older kernel does not count is unknown, not 0. */
	assert_false(found->counts[RESOURCE_SRQ].known);
	assert_int_equal(found->others.count, 1);
	assert_string_equal(found->others.items[0], "dmah\\x0a=12");
	resource_summary_list_clear(&list);
}

/* A simulated kernel whose answers depend on its context. */
struct story {
	void (*tell)(struct fake_kernel *kernel, const struct nlmsghdr *request);
	unsigned int dumps;
	bool gone; /* the device */
};

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *request = message_at(requests, 0);
	struct story *story = kernel->context;
	struct bytes answer = {0}, payload = {0};

	if (request->nlmsg_type == RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)) {
		if (story->gone) {
			put_error(&answer, request->nlmsg_seq, -EINVAL, NULL);
		} else {
			put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE);
			put_message(&answer, request->nlmsg_type, 0, request->nlmsg_seq,
				    payload.data, payload.length);
		}
		fake_send(kernel, &answer);
		return;
	}
	story->dumps++;
	story->tell(kernel, request);
}

static void send_qps(struct fake_kernel *kernel, const struct nlmsghdr *request, uint32_t first,
		     uint32_t count)
{
	struct bytes entries = {0}, payload = {0}, datagram = {0};

	for (uint32_t i = 0; i < count; i++)
		put_qp(&entries, first + i);
	put_table(&payload, QPS, &entries);
	put_message(&datagram, request->nlmsg_type, NLM_F_MULTI, request->nlmsg_seq, payload.data,
		    payload.length);
	fake_send(kernel, &datagram);
}

static void send_done(struct fake_kernel *kernel, const struct nlmsghdr *request, int error)
{
	struct bytes datagram = {0};

	put_done(&datagram, request->nlmsg_seq, error);
	fake_send(kernel, &datagram);
}

/* Reads a table to its end; returns how it ended. */
static int read_all(struct nldev_resources *resources, struct resource_list *list)
{
	int rc = nldev_resources_begin(resources, RESOURCE_QP, DEVICE);
	bool done = false;

	while (!rc && !done)
		rc = nldev_resources_read(resources, list, &done);
	return rc;
}

static int hear(struct story *story, struct resource_list *list, unsigned int times)
{
	struct fake_kernel kernel = {.serve = serve, .context = story};
	int fd = fake_start(&kernel), rc = 0;
	struct nldev_resources *resources = nldev_resources_from_fd(fd);

	hurry(fd);
	while (times--)
		rc = read_all(resources, list);
	nldev_resources_free(resources);
	fake_stop(&kernel);
	return rc;
}

static void tell_many(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	for (uint32_t i = 0; i < 20; i++)
		send_qps(kernel, request, i * 100, 100);
	send_done(kernel, request, 0);
}

static void many(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct story story = {.tell = tell_many};

	(void)state;
	assert_int_equal(hear(&story, &list, 2), 0);
	assert_int_equal(story.dumps, 2);
	assert_int_equal(list.count, 4000);
	for (uint32_t i = 0; i < 4000; i++)
		expect_qp(&list.items[i], i % 2000);
}

/* res_get_common_dumpit() with an object that fits no message: the same empty table forever. */
static void tell_stall(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	send_qps(kernel, request, 0, 2);
	for (int i = 0; i < 100; i++)
		send_qps(kernel, request, 0, 0);
}

static void stalled(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct story story = {.tell = tell_stall};

	(void)state;
	assert_int_equal(hear(&story, &list, 1), -EMSGSIZE);
	assert_int_equal(list.count, 2);
}

static void tell_silence(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	send_qps(kernel, request, 0, 2);
}

static void silent(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct story story = {.tell = tell_silence};

	(void)state;
	assert_int_equal(hear(&story, &list, 1), -ETIMEDOUT);
	assert_int_equal(list.count, 2);
}

/* Leftover messages are not taken for the answer to the next request. */
static void after_stall(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct story story = {.tell = tell_stall};
	struct fake_kernel kernel = {.serve = serve, .context = &story};
	int fd = fake_start(&kernel);
	struct nldev_resources *resources = nldev_resources_from_fd(fd);

	(void)state;
	assert_int_equal(read_all(resources, &list), -EMSGSIZE);
	resource_list_clear(&list);
	story.tell = tell_many;
	assert_int_equal(read_all(resources, &list), 0);
	assert_int_equal(list.count, 2000);
	nldev_resources_free(resources);
	fake_stop(&kernel);
}

/* The kernel refuses an unknown command; there is no dump that could end. */
static void tell_refusal(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	struct bytes datagram = {0};

	put_error(&datagram, request->nlmsg_seq, -EINVAL, NULL);
	fake_send(kernel, &datagram);
}

static void tell_invalid(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	send_done(kernel, request, -EINVAL);
}

static void tell_failure(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	send_qps(kernel, request, 0, 3);
	send_done(kernel, request, -EIO);
}

static void failed(void **state)
{
	static const struct {
		struct story story;
		int error;
		size_t count;
	} cases[] = {
		{{.tell = tell_refusal}, -EOPNOTSUPP, 0},
		{{.tell = tell_invalid, .gone = true}, -ENODEV, 0},
		{{.tell = tell_invalid}, -EINVAL, 0}, /* the device is there */
		{{.tell = tell_failure}, -EIO, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(resource_list_clear) struct resource_list list = {0};
		struct story story = cases[i].story;

		assert_int_equal(hear(&story, &list, 1), cases[i].error);
		assert_int_equal(list.count, cases[i].count);
	}
}

/* A table of another device and a truncated datagram are reported, and the rest is kept. */
static void tell_nonsense(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	struct bytes entries = {0}, payload = {0}, datagram = {0}, cut = {0};

	put_qp(&entries, 5);
	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE + 1);
	put_nest(&payload, QPS, &entries);
	put_message(&datagram, request->nlmsg_type, NLM_F_MULTI, request->nlmsg_seq, payload.data,
		    payload.length);
	fake_send(kernel, &datagram);
	bytes_put(&cut, datagram.data, 20);
	fake_send(kernel, &cut);
	send_qps(kernel, request, 30, 1);
	send_done(kernel, request, 0);
}

static void nonsense(void **state)
{
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct story story = {.tell = tell_nonsense};

	(void)state;
	assert_int_equal(hear(&story, &list, 1), -EBADMSG);
	assert_int_equal(list.count, 1);
	expect_qp(&list.items[0], 30);
}

/* Codes without a word are shown as numbers. */
static void unknown_words(void **state)
{
	const struct schema *schema = resource_schema(RESOURCE_QP);
	struct resource qp = {.type = number_of(77), .state = number_of(6)};
	struct value value;

	(void)state;
	field_get(schema_find(schema, "type"), &qp, &value);
	assert_string_equal(value.string, "unknown-77");
	field_get(schema_find(schema, "state"), &qp, &value);
	assert_string_equal(value.string, "error");
	assert_int_equal(value.tone, TONE_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(driver_details),
		cmocka_unit_test(queue_pairs),
		cmocka_unit_test(sizes_of_addresses),
		cmocka_unit_test(peers_that_are_somewhere),
		cmocka_unit_test(damaged_inside),
		cmocka_unit_test(each_number),
		cmocka_unit_test(words_of_codes),
		cmocka_unit_test(connections),
		cmocka_unit_test(memory),
		cmocka_unit_test(shared_queues),
		cmocka_unit_test(empty_entries),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged),
		cmocka_unit_test(summary),
		cmocka_unit_test(many),
		cmocka_unit_test(stalled),
		cmocka_unit_test(silent),
		cmocka_unit_test(after_stall),
		cmocka_unit_test(failed),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(unknown_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
