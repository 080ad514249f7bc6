/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of queue pairs and memory regions, and which queue pairs are counted: handmade messages,
 * and a kernel that binds queue pairs like drivers/infiniband/core/counters.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/statistics.h"
#include "counter/object_counters.h"
#include "host/inventory/inventory.h"
#include "netlink_message.h"

enum { DEVICE = 3, QPS = 4, QPN = 17 };

#define HWCOUNTERS RDMA_NLDEV_ATTR_STAT_HWCOUNTERS

static void put_counter(struct bytes *table, const char *name, uint64_t value)
{
	struct bytes entry = {0};

	put_string(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
	put_u64(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
	put_nest(table, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY | NLA_F_NESTED, &entry);
}

static void put_qpn(struct bytes *qps, uint32_t qpn)
{
	struct bytes entry = {0};

	put_u32(&entry, RDMA_NLDEV_ATTR_RES_LQPN, qpn);
	put_nest(qps, RDMA_NLDEV_ATTR_RES_QP_ENTRY, &entry);
}

static void put_device(struct bytes *bytes)
{
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
}

/* fill_res_counter_entry(), nldev.c; type 0 and pid 0: the counter does not use this criterion. */
static void put_counter_of(struct bytes *entries, uint32_t id, const uint32_t *qpns, size_t count,
			   uint32_t mode, uint8_t type, uint32_t pid)
{
	struct bytes entry = {0}, qps = {0}, counters = {0};

	put_u32(&entry, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	put_u32(&entry, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, id);
	put_u32(&entry, RDMA_NLDEV_ATTR_STAT_MODE, mode);
	if (type)
		put_u8(&entry, RDMA_NLDEV_ATTR_RES_TYPE, type);
	if (pid)
		put_u32(&entry, RDMA_NLDEV_ATTR_RES_PID, pid);
	for (size_t i = 0; i < count; i++)
		put_qpn(&qps, qpns[i]);
	put_nest(&entry, RDMA_NLDEV_ATTR_RES_QP, &qps);
	put_counter(&counters, "rx_write_requests", 100 + id);
	put_counter(&counters, "local_ack_timeout_err", id);
	put_nest(&entry, HWCOUNTERS, &counters);
	put_nest(entries, RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY, &entry);
}

/* Attributes are parsed in memory of their exact size, so that the sanitizer sees every overrun. */
static int parse(enum object_counter_kind kind, const struct bytes *bytes, size_t length,
		 struct object_counters *list)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length + 1, 1);

	memcpy(copy, bytes->data, length);
	return object_counters_parse(kind, copy, length, list);
}

static void queue_pairs(void **state)
{
	_cleanup_(object_counters_clear) struct object_counters list = {0};
	const uint32_t qpns[] = {17, 18, 400};
	struct bytes bytes = {0}, entries = {0};
	struct object_counter later;

	(void)state;
	put_counter_of(&entries, 5, qpns, 3, RDMA_COUNTER_MODE_AUTO, 2, 4711);
	put_counter_of(&entries, 6, NULL, 0, RDMA_COUNTER_MODE_MANUAL, 0, 0);
	put_device(&bytes);
	put_nest(&bytes, RDMA_NLDEV_ATTR_STAT_COUNTER, &entries);
	assert_int_equal(parse(OBJECT_COUNTER_QP, &bytes, bytes.length, &list), 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[0].id.value, 5);
	assert_int_equal(list.items[0].port.value, 1);
	assert_int_equal(list.items[0].mode.value, RDMA_COUNTER_MODE_AUTO);
	assert_int_equal(list.items[0].type.value, 2);
	assert_int_equal(list.items[0].thread.value, 4711);
	assert_int_equal(list.items[0].qpns.count, 3);
	assert_string_equal(list.items[0].qpns.items[2], "400");
	assert_int_equal(list.items[0].counters.count, 2);
	assert_int_equal(list.items[0].counters.items[1].value, 5);
	assert_false(list.items[1].type.known);
	assert_false(list.items[1].thread.known);
	assert_true(list.items[1].qpns.known);
	assert_ptr_equal(object_counters_of_qp(&list, 18), &list.items[0]);
	assert_null(object_counters_of_qp(&list, 1));
	assert_ptr_equal(object_counters_find(&list, 6), &list.items[1]);
	assert_null(object_counters_find(&list, 7));
	/* In the next round, another process may have a counter of the same number. */
	later = list.items[0];
	assert_ptr_equal(object_counters_find_earlier(&list, &later), &list.items[0]);
	later.thread = number_of(4712);
	assert_null(object_counters_find_earlier(&list, &later));
	/* It has ended, but its queue pairs live on. */
	later.thread.known = false;
	assert_ptr_equal(object_counters_find_earlier(&list, &later), &list.items[0]);
	later = list.items[1];
	assert_ptr_equal(object_counters_find_earlier(&list, &later), &list.items[1]);
	later.port = number_of(2);
	assert_null(object_counters_find_earlier(&list, &later));
	later.id = number_of(7);
	assert_null(object_counters_find_earlier(&list, &later));
	/* The kernel may repeat entries in its next message, so the list need not be in order. */
	list.items[0].id = number_of(7);
	assert_ptr_equal(object_counters_find(&list, 7), &list.items[0]);
}

/* fill_stat_mr_entry(), nldev.c and hw/mlx5/restrack.c: only some have counters. */
static void memory_regions(void **state)
{
	_cleanup_(object_counters_clear) struct object_counters list = {0};
	struct bytes bytes = {0}, entries = {0}, plain = {0}, entry = {0}, counters = {0};

	(void)state;
	put_u32(&plain, RDMA_NLDEV_ATTR_RES_MRN, 8);
	put_nest(&entries, RDMA_NLDEV_ATTR_RES_MR_ENTRY, &plain);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_MRN, 9);
	put_counter(&counters, "page_faults", 3);
	put_counter(&counters, "page_invalidations", 0);
	put_nest(&entry, HWCOUNTERS, &counters);
	put_nest(&entries, RDMA_NLDEV_ATTR_RES_MR_ENTRY, &entry);
	put_device(&bytes);
	put_nest(&bytes, RDMA_NLDEV_ATTR_RES_MR, &entries);
	assert_int_equal(parse(OBJECT_COUNTER_MR, &bytes, bytes.length, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].id.value, 9);
	assert_false(list.items[0].port.known);
	assert_false(list.items[0].qpns.known);
	assert_string_equal(list.items[0].counters.items[0].name, "page_faults");
}

static void expect_field(const struct object_counter_row *row, const char *key, const char *text)
{
	struct value value;

	field_get(schema_find(&qp_counter_schema, key), row, &value);
	if (value.kind == VALUE_STRING)
		assert_string_equal(value.string, text);
	else if (value.kind == VALUE_UNSIGNED)
		assert_int_equal(value.number, strtoul(text, NULL, 10));
	else if (value.kind == VALUE_LIST)
		assert_string_equal(value.list.items[0], text);
	else
		assert_string_equal(text, "-");
}

/* Two readings of the same counter, two seconds apart. */
static void rates(void **state)
{
	_cleanup_(device_list_clear) struct device_list devices = {0};
	struct number number = number_of(5);
	struct object_counter before = {.id = number}, after = {.id = number};
	struct counter_readings old = {0}, now = {0};
	struct counter_changes changes = {0};
	struct device *device = device_list_add(&devices, "mlx5_0");
	struct object_counter_row row;
	char time[] = "now", command[] = "solver", qpn[] = "17", *qpns[] = {qpn};

	(void)state;
	device_add_port(device, 1);
	counter_list_add(&before.counters, "local_ack_timeout_err", 10);
	counter_list_add(&after.counters, "local_ack_timeout_err", 16);
	after.type = number_of(2);
	after.mode = number_of(RDMA_COUNTER_MODE_AUTO);
	after.pid = number_of(4711);
	after.command = command;
	after.qpns = (struct strings){.items = qpns, .count = 1, .known = true};
	object_counter_readings(&before, device, &device->ports[0], 1000000000, &old);
	object_counter_readings(&after, device, &device->ports[0], 3000000000, &now);
	counter_changes_make(&changes, &old, &now, &(struct counter_interval){.time = time});
	assert_int_equal(changes.count, 1);
	assert_int_equal(changes.items[0].growth.value, 6);
	assert_true(changes.items[0].rate_per_sec.value == 3);
	row = (struct object_counter_row){changes.items[0], after};
	expect_field(&row, "object", "mlx5_0/1");
	expect_field(&row, "counter_id", "5");
	expect_field(&row, "mode", "auto");
	expect_field(&row, "type", "rc");
	expect_field(&row, "pid", "4711");
	expect_field(&row, "command", "solver");
	expect_field(&row, "qpns", "17");
	expect_field(&row, "counter", "ack_timeouts");
	expect_field(&row, "value", "16");
	expect_field(&row, "severity", "warning");
	expect_field(&row, "time", "now");
	counter_changes_clear(&changes);
	counter_readings_clear(&old);
	counter_readings_clear(&now);
	counter_list_clear(&before.counters);
	counter_list_clear(&after.counters);
}

static void damaged(void **state)
{
	struct bytes bytes = {0}, entries = {0}, entry = {0};
	const uint32_t qpn = 17;

	(void)state;
	put_counter_of(&entries, 5, &qpn, 1, RDMA_COUNTER_MODE_AUTO, 2, 4711);
	put_device(&bytes);
	put_nest(&bytes, RDMA_NLDEV_ATTR_STAT_COUNTER, &entries);
	for (size_t length = 0; length < bytes.length; length++) {
		_cleanup_(object_counters_clear) struct object_counters list = {0};

		parse(OBJECT_COUNTER_QP, &bytes, length, &list);
		assert_int_equal(list.count, 0);
	}
	/* A counter without a number. */
	bytes.length = 0;
	put_u32(&entry, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	put_nest(&entries, RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY, &entry);
	put_nest(&bytes, RDMA_NLDEV_ATTR_STAT_COUNTER, &entries);
	{
		_cleanup_(object_counters_clear) struct object_counters list = {0};

		assert_int_equal(parse(OBJECT_COUNTER_QP, &bytes, bytes.length, &list), -EBADMSG);
		assert_int_equal(list.count, 1);
	}
}

/* The made-up port: its mode, and the counter of each queue pair from QPN on; 0: none. */
struct made_up_port {
	uint32_t mode, mask, counters[QPS], next;
	int refusal; /* of STAT_SET, whatever it requests */
	const char *text;
	bool optional;	/* also counts by optional counters */
	bool deaf;	/* accepts requests, but does nothing */
	bool no_driver; /* makes no counters, like rxe */
};

static bool find_u32(const struct nlmsghdr *message, unsigned int type, uint32_t *ret_value)
{
	const uint8_t *data = (const uint8_t *)message;

	for (size_t at = NLMSG_HDRLEN; at + NLA_HDRLEN <= message->nlmsg_len;) {
		struct nlattr header;

		memcpy(&header, data + at, sizeof(header));
		if (header.nla_type == type) {
			*ret_value = 0;
			memcpy(ret_value, data + at + NLA_HDRLEN, header.nla_len - NLA_HDRLEN);
			return true;
		}
		at += NLA_ALIGN(header.nla_len);
	}
	return false;
}

static bool is_bound(const struct made_up_port *port)
{
	for (size_t i = 0; i < QPS; i++)
		if (port->counters[i])
			return true;
	return false;
}

static int set_auto(struct made_up_port *port, uint32_t mask, bool optional)
{
	if (mask && is_bound(port))
		return -EBUSY;
	port->optional = optional;
	port->mask = mask;
	port->mode = mask	      ? RDMA_COUNTER_MODE_AUTO
		     : is_bound(port) ? RDMA_COUNTER_MODE_MANUAL
				      : RDMA_COUNTER_MODE_NONE;
	return 0;
}

static int bind_one(struct made_up_port *port, uint32_t qpn, uint32_t id)
{
	if (port->mode == RDMA_COUNTER_MODE_AUTO)
		return -EINVAL;
	if (port->no_driver)
		return -ENOMEM;
	if (id && id >= port->next)
		return -ENOENT;
	if (port->counters[qpn - QPN])
		return -EINVAL;
	port->counters[qpn - QPN] = id ? id : port->next++;
	port->mode = RDMA_COUNTER_MODE_MANUAL;
	return 0;
}

static int change_port(struct made_up_port *port, const struct nlmsghdr *message)
{
	uint32_t mode = 0, mask = 0, qpn = 0, id = 0, optional = 0;
	const bool is_set = message->nlmsg_type ==
			    RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_SET);

	if (port->refusal || port->deaf)
		return port->refusal;
	find_u32(message, RDMA_NLDEV_ATTR_STAT_MODE, &mode);
	find_u32(message, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, &mask);
	find_u32(message, NLDEV_ATTR_STAT_OPCOUNTER, &optional);
	find_u32(message, RDMA_NLDEV_ATTR_RES_LQPN, &qpn);
	find_u32(message, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, &id);
	if (is_set)
		return mode == RDMA_COUNTER_MODE_AUTO ? set_auto(port, mask, optional)
						      : bind_one(port, qpn, id);
	if (port->counters[qpn - QPN] != id || port->mode != RDMA_COUNTER_MODE_MANUAL)
		return -EINVAL;
	port->counters[qpn - QPN] = 0;
	if (!is_bound(port))
		port->mode = RDMA_COUNTER_MODE_NONE;
	return 0;
}

static void put_table(const struct made_up_port *port, struct bytes *payload)
{
	struct bytes entries = {0};

	for (uint32_t id = 1; id < port->next; id++) {
		uint32_t qpns[QPS];
		size_t count = 0;

		for (uint32_t i = 0; i < QPS; i++)
			if (port->counters[i] == id)
				qpns[count++] = QPN + i;
		if (count)
			put_counter_of(&entries, id, qpns, count, port->mode, 0, 0);
	}
	put_device(payload);
	put_nest(payload, RDMA_NLDEV_ATTR_STAT_COUNTER, &entries);
}

static void serve_get(struct fake_kernel *kernel, const struct nlmsghdr *message,
		      const struct made_up_port *port)
{
	struct bytes payload = {0}, datagram = {0};
	uint32_t mode;

	if (find_u32(message, RDMA_NLDEV_ATTR_STAT_MODE, &mode)) {
		put_device(&payload);
		put_u32(&payload, RDMA_NLDEV_ATTR_STAT_MODE, port->mode);
		if (port->mode == RDMA_COUNTER_MODE_AUTO)
			put_u32(&payload, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, port->mask);
		if (port->mode == RDMA_COUNTER_MODE_AUTO && port->optional)
			put_u8(&payload, NLDEV_ATTR_STAT_OPCOUNTER, 1);
		put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq, payload.data,
			    payload.length);
	} else {
		put_table(port, &payload);
		if (is_bound(port))
			put_message(&datagram, message->nlmsg_type, NLM_F_MULTI, message->nlmsg_seq,
				    payload.data, payload.length);
		put_done(&datagram, message->nlmsg_seq, 0);
	}
	fake_send(kernel, &datagram);
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct made_up_port *port = kernel->context;

	for_each_message (message, requests) {
		struct bytes payload = {0}, datagram = {0};
		uint32_t qpn = 0;
		int error = 0;

		switch (message->nlmsg_type & 0x3ff) {
		case RDMA_NLDEV_CMD_STAT_GET:
			serve_get(kernel, message, port);
			continue;
		case RDMA_NLDEV_CMD_STAT_SET:
		case RDMA_NLDEV_CMD_STAT_DEL:
			error = change_port(port, message);
			break;
		case RDMA_NLDEV_CMD_RES_QP_GET:
			find_u32(message, RDMA_NLDEV_ATTR_RES_LQPN, &qpn);
			error = qpn < QPN || qpn >= QPN + QPS ? -ENOENT : 0;
			break;
		default:
			break;
		}
		put_device(&payload);
		if (error)
			put_error(&datagram, message->nlmsg_seq, error, port->text);
		else
			put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq,
				    payload.data, payload.length);
		fake_send(kernel, &datagram);
	}
}

/* A host with this port, whose driver is `driver`. */
struct bed {
	struct fake_kernel kernel;
	struct made_up_port port;
	struct inventory inventory;
	struct change_host host;
	struct changes changes;
};

static void begin(struct bed *bed, const char *driver)
{
	struct device *device;

	*bed = (struct bed){.kernel = {.serve = serve}, .port.next = 1};
	bed->kernel.context = &bed->port;
	bed->host.nldev = netlink_from_fd(fake_start(&bed->kernel), 4096);
	bed->host.inventory = &bed->inventory;
	device = device_list_add(&bed->inventory.devices, "mlx5_0");
	number_set(&device->index, DEVICE);
	device->driver = mem_string(driver);
	device_add_port(device, 1);
}

static void end(struct bed *bed)
{
	changes_clear(&bed->changes);
	change_host_close(&bed->host);
	fake_stop(&bed->kernel);
	device_list_clear(&bed->inventory.devices);
}

static struct change *add(struct bed *bed, const struct setting *setting, const char *object,
			  const char *wanted, uint64_t qpn)
{
	struct change *change = changes_add(&bed->changes, &bed->host, setting, object, wanted);
	struct qp_binding *data = mem_alloc_zero(1, sizeof(*data));

	data->qpn = qpn;
	change->data = data;
	number_set(&change->device_index, DEVICE);
	number_set(&change->port, 1);
	return change;
}

/* Reads the setting, and compares it with the expected value. */
static void expect(struct change *change, const char *value)
{
	_cleanup_(freep) char *read = NULL;

	assert_int_equal(change->setting->read(change, &read), 0);
	assert_string_equal(read, value);
}

static void automatic(void **state)
{
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "mlx5_core");
	change = add(&bed, &qp_auto_setting, "mlx5_0/1", "type,pid", 0);
	expect(change, "off");
	assert_int_equal(change->setting->write(change, "type,pid"), 0);
	assert_int_equal(bed.port.mask, 3);
	expect(change, "type,pid");
	assert_int_equal(change->setting->write(change, "pid"), 0);
	expect(change, "pid");
	assert_int_equal(change->setting->write(change, "off"), 0);
	assert_int_equal(bed.port.mode, RDMA_COUNTER_MODE_NONE);
	expect(change, "off");
	bed.port.mode = RDMA_COUNTER_MODE_AUTO;
	bed.port.mask = 9;
	expect(change, "type,0x8");
	bed.port.mode = RDMA_COUNTER_MODE_MANUAL;
	expect(change, "off");
	end(&bed);
}

/* A change and its undo keep what the kernel was told about optional counters. */
static void automatic_optional(void **state)
{
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "mlx5_core");
	bed.port = (struct made_up_port){.mode = RDMA_COUNTER_MODE_AUTO, .mask = 1, .next = 1};
	bed.port.optional = true;
	change = add(&bed, &qp_auto_setting, "mlx5_0/1", "pid", 0);
	assert_true(changes_prepare(&bed.changes, CHANGE_FORCE | CHANGE_DRY));
	assert_string_equal(change->before, "type,optional");
	assert_string_equal(change->undo, "rdmactl counters auto mlx5_0/1 type,optional");
	assert_true(changes_write(&bed.changes));
	assert_false(bed.port.optional);
	assert_true(changes_undo(&bed.changes));
	assert_true(bed.port.optional);
	assert_int_equal(bed.port.mask, 1);
	bed.port.refusal = -EINVAL;
	assert_int_equal(change->setting->write(change, "pid,optional"), -EINVAL);
	assert_non_null(strstr(change->reason, "optional needs Linux 6.15"));
	end(&bed);
}

static void automatic_plan(void **state)
{
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "rdma_rxe");
	change = add(&bed, &qp_auto_setting, "mlx5_0/1", "pid", 0);
	assert_true(changes_prepare(&bed.changes, CHANGE_DRY));
	assert_int_equal(change->state.value, CHANGE_PLANNED);
	assert_string_equal(change->undo, "rdmactl counters auto mlx5_0/1 off");
	assert_int_equal(change->notes.count, 1);
	assert_non_null(
		strstr(change->notes.items[0], "rdma_rxe) that cannot count per queue pair"));
	assert_non_null(strstr(change->persist_text, "counters auto mlx5_0/1 pid\n"));
	end(&bed);
}

static void automatic_words(void **state)
{
	static const char *const words[][2] = {
		{"off", "off"},
		{"type", "type"},
		{"pid,type", "type,pid"},
		{"pid,pid", "pid"},
		{"", NULL},
		{"off,pid", NULL},
		{"type,", NULL},
		{"on", NULL},
		{"optional", NULL},
		{"optional,pid", "pid,optional"},
		{"0x8,type", "type,0x8"},
		{"0x0", NULL},
		{"8", NULL},
		{"0x100000000", NULL},
	};
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "mlx5_core");
	change = add(&bed, &qp_auto_setting, "mlx5_0/1", NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_(freep) char *value = NULL;

		assert_int_equal(change_parse(change, words[i][0], &value),
				 words[i][1] ? 0 : -EINVAL);
		if (words[i][1])
			assert_string_equal(value, words[i][1]);
		else
			assert_non_null(strstr(change->reason, "off, type, pid or type,pid"));
	}
	end(&bed);
}

static void automatic_refusals(void **state)
{
	static const struct {
		int error;
		const char *text, *reason;
	} rows[] = {
		{-EBUSY, "Modifying auto mode is not allowed",
		 "bound to counters: Modifying auto mode is not allowed"},
		{-EBUSY, NULL, "the kernel refuses it while queue pairs are bound to counters"},
		{-EOPNOTSUPP, NULL, "mlx5_0/1 has no counters of its own"},
		{-EINVAL, NULL, "before Linux 5.9 it counts by type only"},
	};
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "mlx5_core");
	change = add(&bed, &qp_auto_setting, "mlx5_0/1", "pid", 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bed.port.refusal = rows[i].error;
		bed.port.text = rows[i].text;
		assert_int_equal(change->setting->write(change, "pid"), rows[i].error);
		assert_non_null(strstr(change->reason, rows[i].reason));
		assert_non_null(change->next_step);
	}
	assert_string_equal(change->next_step, "rdmactl counters auto mlx5_0/1 type");
	change->before = mem_string("type");
	assert_int_equal(change->setting->write(change, "pid"), -EINVAL);
	assert_non_null(strstr(change->reason, "from one mode to another only via off"));
	assert_string_equal(change->next_step, "rdmactl counters auto mlx5_0/1 off, and then pid");
	end(&bed);
}

static void binding(void **state)
{
	struct bed bed;
	struct change *one, *other;

	(void)state;
	begin(&bed, "mlx5_core");
	one = add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 17", NEW_COUNTER, 17);
	expect(one, CHANGE_ABSENT);
	assert_string_equal(one->wanted, NEW_COUNTER);
	assert_int_equal(one->setting->write(one, NEW_COUNTER), 0);
	expect(one, "1");
	/* Any counter is wanted, so the existing one will do. */
	assert_string_equal(one->wanted, "1");
	other = add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 18", "1", 18);
	assert_int_equal(other->setting->write(other, "1"), 0);
	expect(other, "1");
	assert_int_equal(bed.port.counters[1], 1);
	/* For another counter, it is unbound first. */
	assert_int_equal(other->setting->write(other, NEW_COUNTER), 0);
	expect(other, "2");
	assert_int_equal(other->setting->write(other, CHANGE_ABSENT), 0);
	expect(other, CHANGE_ABSENT);
	assert_int_equal(other->setting->write(other, CHANGE_ABSENT), 0);
	end(&bed);
}

static void binding_plan(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "mlx5_core");
	bed.port.counters[0] = 1;
	bed.port.next = 2;
	bed.port.mode = RDMA_COUNTER_MODE_MANUAL;
	add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 17", NEW_COUNTER, 17);
	add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 17", CHANGE_ABSENT, 17);
	add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 18", NEW_COUNTER, 18);
	add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 99", NEW_COUNTER, 99);
	add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 17", "7", 17);
	assert_false(changes_prepare(&bed.changes, CHANGE_DRY));
	assert_int_equal(bed.changes.items[0].state.value, CHANGE_UNCHANGED);
	assert_int_equal(bed.changes.items[1].state.value, CHANGE_PLANNED);
	assert_string_equal(bed.changes.items[1].undo, "rdmactl counters bind mlx5_0/1 lqpn 17");
	assert_int_equal(bed.changes.items[1].notes.count, 1);
	assert_int_equal(bed.changes.items[2].state.value, CHANGE_PLANNED);
	assert_string_equal(bed.changes.items[2].undo, "rdmactl counters unbind mlx5_0/1 lqpn 18");
	assert_int_equal(bed.changes.items[3].state.value, CHANGE_FAILED);
	assert_string_equal(bed.changes.items[3].reason, "mlx5_0 has no queue pair 99");
	assert_int_equal(bed.changes.items[4].state.value, CHANGE_PLANNED);
	assert_string_equal(bed.changes.items[4].undo,
			    "rdmactl counters bind mlx5_0/1 lqpn 17 counter-id 1");
	end(&bed);
}

static void binding_refusals(void **state)
{
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "mlx5_core");
	change = add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 17", NEW_COUNTER, 17);
	bed.port.mode = RDMA_COUNTER_MODE_AUTO;
	assert_int_equal(change->setting->write(change, NEW_COUNTER), -EINVAL);
	assert_non_null(strstr(change->reason, "mlx5_0/1 is in auto mode"));
	assert_string_equal(change->next_step, "rdmactl counters auto mlx5_0/1 off");
	bed.port.mode = RDMA_COUNTER_MODE_NONE;
	assert_int_equal(change->setting->write(change, "5"), -ENOENT);
	assert_non_null(strstr(change->reason, "there is no counter 5"));
	bed.port.no_driver = true;
	assert_int_equal(change->setting->write(change, NEW_COUNTER), -ENOMEM);
	assert_non_null(strstr(change->reason, "cannot count per queue pair"));
	bed.port.refusal = -ENOENT;
	assert_int_equal(change->setting->write(change, NEW_COUNTER), -ENOENT);
	assert_non_null(strstr(change->reason, "CAP_NET_RAW"));
	bed.port.refusal = -EOPNOTSUPP;
	assert_int_equal(change->setting->write(change, NEW_COUNTER), -EOPNOTSUPP);
	assert_non_null(strstr(change->reason, "no counters of its own"));
	bed.port.refusal = -EINVAL;
	assert_int_equal(change->setting->write(change, NEW_COUNTER), -EINVAL);
	assert_non_null(strstr(change->reason, "on another port"));
	/* Bound by the kernel, so it cannot be unbound. */
	bed.port.refusal = 0;
	bed.port.counters[0] = 1;
	bed.port.next = 2;
	bed.port.mode = RDMA_COUNTER_MODE_AUTO;
	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), -EINVAL);
	assert_non_null(strstr(change->reason, "only what was bound by hand"));
	end(&bed);
}

/* Drivers that bind queue pairs to counters: mlx5 and ionic; others are noted beforehand. */
static void automatic_notes(void **state)
{
	static const char counted[] =
		"only queue pairs that programs create from now on are counted";
	static const struct {
		const char *driver, *wanted;
		bool software, unknown; /* unknown: not a known device */
		const char *note;
	} rows[] = {
		{"mlx5_core", "pid", false, false, counted},
		{"ionic_rdma", "type", false, false, counted},
		{NULL, "pid", false, false, counted},
		{"mlx4_core", "pid", false, true, counted},
		{"mlx4_core", "pid", false, false,
		 "mlx5_0 has a driver (mlx4_core) that cannot count per queue pair: the kernel "
		 "keeps the mode, but no counter will appear; mlx5 and ionic can"},
		{NULL, "pid", true, false,
		 "mlx5_0 has a driver (a software device) that cannot count per queue pair: the "
		 "kernel keeps the mode, but no counter will appear; mlx5 and ionic can"},
		{"mlx4_core", "off", false, false,
		 "counters that exist stay until their queue pairs end"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;
		struct change *change;
		struct device *device;

		begin(&bed, "x");
		device = &bed.inventory.devices.items[0];
		free(device->driver);
		device->driver = mem_string_or_null(rows[i].driver);
		device->software = rows[i].software;
		device->index.value += rows[i].unknown;
		change = add(&bed, &qp_auto_setting, "mlx5_0/1", rows[i].wanted, 0);
		change->setting->guard(change);
		assert_int_equal(change->notes.count, 1);
		assert_string_equal(change->notes.items[0], rows[i].note);
		end(&bed);
	}
}

/* The reason and the next step for each kernel error, in full. */
static void binding_words(void **state)
{
	static const struct {
		int error;
		const char *wanted, *reason, *next_step;
	} rows[] = {
		{-EINVAL, NEW_COUNTER,
		 "the queue pair is on another port, or the counter is for other queue pairs: "
		 "those of the kernel and of programs do not mix",
		 "rdmactl resources qp lists the port of each"},
		{-ENOENT, "5",
		 "there is no counter 5, or it takes CAP_NET_RAW (raw packet queue pairs)",
		 "rdmactl counters qp lists them"},
		{-ENOENT, NEW_COUNTER, "it is a raw packet queue pair, which takes CAP_NET_RAW",
		 "run it as root"},
		{-ENOMEM, NEW_COUNTER,
		 "the driver of mlx5_0/1 created no counter: it cannot count per queue pair (mlx5 "
		 "and ionic can), or has none left",
		 "rdmactl counters shows the counters of the port"},
		{-EOPNOTSUPP, NEW_COUNTER,
		 "mlx5_0/1 has no counters of its own: its driver cannot count per queue pair",
		 "rdmactl counters shows what it counts"},
		{-EPERM, NEW_COUNTER, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;
		struct change *change;

		begin(&bed, "mlx5_core");
		bed.port.refusal = rows[i].error;
		change = add(&bed, &qp_counter_setting, "mlx5_0/1 lqpn 17", rows[i].wanted, 17);
		assert_int_equal(change->setting->write(change, rows[i].wanted), rows[i].error);
		if (rows[i].reason) {
			assert_string_equal(change->reason, rows[i].reason);
			assert_string_equal(change->next_step, rows[i].next_step);
		} else {
			assert_null(change->reason);
			assert_null(change->next_step);
		}
		end(&bed);
	}
}

/* The unit that makes it persistent, and the command in it. */
static void automatic_unit(void **state)
{
	struct bed bed;
	struct change *change;

	(void)state;
	begin(&bed, "mlx5_core");
	change = add(&bed, &qp_auto_setting, "mlx5_0/1", "type,pid", 0);
	change->setting->persist(change);
	assert_string_equal(change->persist_file,
			    "/etc/systemd/system/rdma-qp-counters-mlx5_0-1.service");
	assert_string_equal(change->persist_text,
			    "[Unit]\nAfter=rdma-hw.target\n[Service]\nType=oneshot\n"
			    "ExecStart=/usr/bin/env rdmactl counters auto mlx5_0/1 type,pid\n"
			    "[Install]\nWantedBy=rdma-hw.target");
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_pairs),
		cmocka_unit_test(memory_regions),
		cmocka_unit_test(rates),
		cmocka_unit_test(damaged),
		cmocka_unit_test(automatic),
		cmocka_unit_test(automatic_optional),
		cmocka_unit_test(automatic_plan),
		cmocka_unit_test(automatic_words),
		cmocka_unit_test(automatic_refusals),
		cmocka_unit_test(binding),
		cmocka_unit_test(binding_plan),
		cmocka_unit_test(binding_refusals),
		cmocka_unit_test(automatic_notes),
		cmocka_unit_test(binding_words),
		cmocka_unit_test(automatic_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
