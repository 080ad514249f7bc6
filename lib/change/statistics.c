/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the errors, see drivers/infiniband/core/counters.c, the same in Linux 6.1 and 6.12. */
#include "change/statistics.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/object_counters.h"

static uint32_t index_of(const struct change *change)
{
	return (uint32_t)change->device_index.value;
}

static uint32_t port_of(const struct change *change)
{
	return (uint32_t)change->port.value;
}

static const char *device_name(const struct change *change)
{
	const struct device *device = change_device(change);

	return device ? device->name : "the device";
}

/* Returns "mlx5_0/1"; the caller frees it. */
static char *name_port(const struct change *change)
{
	return mem_format("%s/%u", device_name(change), port_of(change));
}

/* Begins a STAT_SET or STAT_DEL for queue pairs; the caller adds the rest. */
static void begin_request(const struct change *change, unsigned int command,
			  struct netlink_request *request)
{
	netlink_add(request, nldev_message_type(command), NLM_F_ACK, NULL, 0);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, index_of(change));
	netlink_put_u32(request, RDMA_NLDEV_ATTR_PORT_INDEX, port_of(change));
	netlink_put_u32(request, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
}

static int explain_old_kernel(struct change *change, int rc)
{
	if (rc == -EOPNOTSUPP)
		change_explain(change, "this needs Linux 5.3 or later",
			       "this kernel cannot count per queue pair");
	return rc;
}

/* rdma_counter_set_auto_mode() and rdma_counter_bind_qpn_alloc() need counters of the port. */
static void explain_no_counters(struct change *change, const char *port)
{
	change_explain(change, "rdmactl counters shows what it counts",
		       "%s has no counters of its own: its driver cannot count per queue pair",
		       port);
}

static int read_auto(struct change *change, char **ret_value)
{
	struct qp_counting counting;
	struct netlink *nldev;
	int rc = change_host_nldev(change->host, &nldev)
			 ?: explain_old_kernel(change,
					       qp_counting_read(nldev, index_of(change),
								port_of(change), &counting));

	if (!rc)
		*ret_value = qp_counting_word(&counting);
	return rc;
}

/* Parses "type,pid" in any order into bits; "off" is 0, any other word -EINVAL. */
static int parse_mask(const char *text, uint32_t *ret_mask, bool *ret_optional)
{
	bool optional = false;
	uint32_t mask = 0;

	for_each_word (word, strcmp(text, "off") ? text : NULL, ",") {
		const struct enum_name *name = enum_find_word(qp_counting_masks, word);
		uint64_t bits;

		if (name)
			mask |= (uint32_t)name->value;
		else if (!strcmp(word, QP_COUNTING_OPTIONAL))
			optional = true;
		else if (!strncmp(word, "0x", 2) && !text_parse_u64(word, 0, UINT32_MAX, &bits))
			mask |= (uint32_t)bits; /* unnamed bits, as they are printed */
		else
			return -EINVAL;
	}
	if (!mask && strcmp(text, "off"))
		return -EINVAL;
	*ret_mask = mask;
	*ret_optional = optional;
	return 0;
}

static int parse_auto(struct change *change, const char *text, char **ret_value)
{
	struct qp_counting counting = {.mode = number_of(RDMA_COUNTER_MODE_NONE)};
	uint32_t mask;
	bool optional;

	if (parse_mask(text, &mask, &optional))
		return change_fail(change, -EINVAL, "rdmactl counters auto DEV/PORT pid",
				   "'%s' is not a counter mode: off, type, pid or type,pid, and "
				   "," QP_COUNTING_OPTIONAL " for optional counters",
				   text);
	if (mask)
		counting = (struct qp_counting){.mode = number_of(RDMA_COUNTER_MODE_AUTO),
						.mask = number_of(mask),
						.optional = optional ? TRISTATE_YES : TRISTATE_NO};
	*ret_value = qp_counting_word(&counting);
	return 0;
}

static int write_auto(struct change *change, const char *value)
{
	_cleanup_(freep) char *text = NULL, *port = name_port(change), *step = NULL;
	struct netlink_request request = {.count = 0};
	struct netlink *nldev;
	const bool was_off = !change->before || !strcmp(change->before, "off");
	const uint8_t yes = 1;
	uint32_t mask;
	bool optional;
	int rc = parse_mask(value, &mask, &optional) ?: change_host_nldev(change->host, &nldev);

	if (rc)
		return rc;
	begin_request(change, RDMA_NLDEV_CMD_STAT_SET, &request);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_MODE, RDMA_COUNTER_MODE_AUTO);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, mask);
	/* nldev_stat_set_mode_doit() of Linux 6.15 takes a missing attribute as "no". */
	if (optional)
		netlink_put(&request, NLDEV_ATTR_STAT_OPCOUNTER, &yes, sizeof(yes));
	rc = netlink_ask_plain(nldev, &request, &text);
	if (rc == -EOPNOTSUPP) {
		explain_no_counters(change, port);
	} else if (rc == -EBUSY) {
		step = mem_format("rdmactl counters qp %s lists them; unbind those bound by hand; "
				  "the others end with their queue pairs",
				  port);
		change_explain(change, step,
			       "the kernel refuses it while queue pairs are bound to counters%s%s",
			       text ? ": " : "", text ? text : "");
	} else if (rc == -EINVAL && optional) {
		change_explain(change, "omit " QP_COUNTING_OPTIONAL,
			       "the kernel does not accept it: " QP_COUNTING_OPTIONAL
			       " needs Linux 6.15 or later");
	} else if (rc == -EINVAL && mask && !was_off) {
		/* __counter_set_mode() of old kernels. */
		step = mem_format("rdmactl counters auto %s off, and then %s", port, value);
		change_explain(change, step,
			       "the kernel does not accept it: old ones, such as Linux 5.10, "
			       "change from one mode to another only via off");
	} else if (rc == -EINVAL && mask) {
		/* The same, before "Add PID category support in auto mode" of 2020. */
		step = mem_format("rdmactl counters auto %s type", port);
		change_explain(change, step,
			       "the kernel does not accept it: before Linux 5.9 it counts by type "
			       "only");
	}
	return rc;
}

/* Drivers with .counter_bind_qp in drivers/infiniband/hw: mlx5 (6.1, 6.12), ionic (7.2). */
static bool may_count(const struct device *device)
{
	static const char *const drivers[] = {"mlx5", "ionic"};

	for (size_t i = 0; device->driver && i < ARRAY_SIZE(drivers); i++)
		if (!strncmp(device->driver, drivers[i], strlen(drivers[i])))
			return true;
	return !device->driver && !device->software;
}

static void guard_auto(struct change *change)
{
	const struct device *device = change_device(change);

	if (!strcmp(change->wanted, "off")) {
		change_note(change, "counters that exist stay until their queue pairs end");
		return;
	}
	if (device && !may_count(device))
		change_note(change,
			    "%s has a driver (%s) that cannot count per queue pair: the kernel "
			    "keeps the mode, but no counter will appear; mlx5 and ionic can",
			    device->name, device->driver ? device->driver : "a software device");
	else
		change_note(change,
			    "only queue pairs that programs create from now on are counted");
}

static char *auto_command(const struct change *change, const char *value)
{
	_cleanup_(freep) char *object = change_quote_object(change, change->object);

	return mem_format("rdmactl counters auto %s %s", object, value);
}

static char *undo_auto(const struct change *change)
{
	return auto_command(change, change->before);
}

static void persist_auto(struct change *change)
{
	_cleanup_(freep) char *command = auto_command(change, change->wanted);
	_cleanup_(freep) char *exec_start = change_exec_start(command);
	_cleanup_(freep) char *unit = change_escape_unit(device_name(change), false);

	change->persist_file = mem_format("/etc/systemd/system/rdma-qp-counters-%s-%u.service",
					  unit, port_of(change));
	change->persist_text = mem_format("[Unit]\n"
					  "After=rdma-hw.target\n"
					  "[Service]\n"
					  "Type=oneshot\n"
					  "%s\n"
					  "[Install]\n"
					  "WantedBy=rdma-hw.target",
					  exec_start);
}

const struct setting qp_auto_setting = {
	.keyword = {"auto", "off|type|pid|type,pid[,optional]",
		    "what the kernel creates counters for and binds queue pairs to", NULL},
	.interface = "RDMA netlink STAT_SET",
	.right = RIGHT_RDMA_ADMIN,
	.parse = parse_auto,
	.read = read_auto,
	.write = write_auto,
	.guard = guard_auto,
	.undo = undo_auto,
	.persist = persist_auto,
};

static uint64_t qpn_of(const struct change *change)
{
	return ((const struct qp_binding *)change->data)->qpn;
}

/* 0, or -ENOENT if the device has no such queue pair: res_get_common_doit(), nldev.c */
static int find_qp(struct change *change, struct netlink *nldev)
{
	struct netlink_request request = {.count = 0};
	int rc;

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_RES_QP_GET), 0, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, index_of(change));
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX, port_of(change));
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_RES_LQPN, (uint32_t)qpn_of(change));
	rc = netlink_ask_plain(nldev, &request, NULL);
	if (rc == -ENOENT)
		change_explain(change, "rdmactl resources qp lists them",
			       "%s has no queue pair %" PRIu64, device_name(change),
			       qpn_of(change));
	return rc == -ENOENT ? rc : 0;
}

static int read_counters(struct change *change, struct netlink **ret_nldev,
			 struct object_counters *list)
{
	int rc = change_host_nldev(change->host, ret_nldev);

	if (rc)
		return rc;
	return explain_old_kernel(change, object_counters_read(*ret_nldev, OBJECT_COUNTER_QP,
							       index_of(change), list));
}

/* If any counter will do, the one that the queue pair has already is the wanted one. */
static void accept_any(struct change *change, const char *value)
{
	if (strcmp(change->wanted, NEW_COUNTER))
		return;
	free(change->wanted);
	change->wanted = mem_string(value);
}

static int read_counter(struct change *change, char **ret_value)
{
	_cleanup_(object_counters_clear) struct object_counters list = {0};
	const struct object_counter *counter;
	struct netlink *nldev;
	int rc = read_counters(change, &nldev, &list) ?: find_qp(change, nldev);

	if (rc)
		return rc;
	counter = object_counters_of_qp(&list, qpn_of(change));
	if (!counter) {
		*ret_value = mem_string(CHANGE_ABSENT);
		return 0;
	}
	*ret_value = mem_format("%" PRIu64, counter->id.value);
	accept_any(change, *ret_value);
	return 0;
}

/* Explains the errors of rdma_counter_bind_qpn() and rdma_counter_bind_qpn_alloc(). */
static void explain_bind(struct change *change, struct netlink *nldev, const char *value, int rc)
{
	_cleanup_(freep) char *port = name_port(change);
	_cleanup_(freep) char *step = mem_format("rdmactl counters auto %s off", port);
	struct qp_counting counting;

	if (rc == -EINVAL &&
	    !qp_counting_read(nldev, index_of(change), port_of(change), &counting) &&
	    counting.mode.value == RDMA_COUNTER_MODE_AUTO)
		change_explain(change, step,
			       "%s is in auto mode, in which the kernel binds queue pairs", port);
	else if (rc == -EINVAL)
		change_explain(change, "rdmactl resources qp lists the port of each",
			       "the queue pair is on another port, or the counter is for other "
			       "queue pairs: those of the kernel and of programs do not mix");
	/* rdma_counter_get_qp() hides raw packet queue pairs from callers without CAP_NET_RAW. */
	else if (rc == -ENOENT && strcmp(value, NEW_COUNTER))
		change_explain(change, "rdmactl counters qp lists them",
			       "there is no counter %s, or it takes CAP_NET_RAW (raw packet queue "
			       "pairs)",
			       value);
	else if (rc == -ENOENT)
		change_explain(change, "run it as root",
			       "it is a raw packet queue pair, which takes CAP_NET_RAW");
	else if (rc == -ENOMEM)
		change_explain(change, "rdmactl counters shows the counters of the port",
			       "the driver of %s created no counter: it cannot count per queue "
			       "pair (mlx5 and ionic can), or has none left",
			       port);
	else if (rc == -EOPNOTSUPP)
		explain_no_counters(change, port);
}

static int bind_qp(struct change *change, struct netlink *nldev, const char *value)
{
	struct netlink_request request = {.count = 0};
	uint64_t id;
	int rc;

	begin_request(change, RDMA_NLDEV_CMD_STAT_SET, &request);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_MODE, RDMA_COUNTER_MODE_MANUAL);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_RES_LQPN, (uint32_t)qpn_of(change));
	if (!text_parse_u64(value, 10, UINT32_MAX, &id))
		netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, (uint32_t)id);
	rc = netlink_ask_plain(nldev, &request, NULL);
	explain_bind(change, nldev, value, rc);
	return rc;
}

static int unbind_qp(struct change *change, struct netlink *nldev, uint64_t id)
{
	struct netlink_request request = {.count = 0};
	_cleanup_(freep) char *port = name_port(change), *step = NULL;
	int rc;

	begin_request(change, RDMA_NLDEV_CMD_STAT_DEL, &request);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_RES_LQPN, (uint32_t)qpn_of(change));
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, (uint32_t)id);
	rc = netlink_ask_plain(nldev, &request, NULL);
	/*
	 * rdma_counter_unbind_qpn() works only in manual mode, and only for queue pairs of that
	 * port.
	 */
	if (rc == -EINVAL) {
		step = mem_format("rdmactl counters mode %s", port);
		change_explain(change, step,
			       "only what was bound by hand can be unbound: %s is in another mode, "
			       "or the queue pair is on another port",
			       port);
	}
	return rc;
}

static int write_counter(struct change *change, const char *value)
{
	_cleanup_(object_counters_clear) struct object_counters list = {0};
	const struct object_counter *counter;
	struct netlink *nldev;
	int rc = read_counters(change, &nldev, &list);

	if (rc)
		return rc;
	counter = object_counters_of_qp(&list, qpn_of(change));
	if (counter) {
		rc = unbind_qp(change, nldev, counter->id.value);
		if (rc)
			return rc;
	}
	return strcmp(value, CHANGE_ABSENT) ? bind_qp(change, nldev, value) : 0;
}

static void guard_counter(struct change *change)
{
	if (strcmp(change->before, CHANGE_ABSENT))
		change_note(change, "a counter ends with its last queue pair; the counters of the "
				    "port keep what it has counted");
}

/*
 * To replace another counter, the old one has to be named: any counter would do otherwise, and
 * there is one already. After unbinding, the old counter may be gone, so only a new one can be
 * requested.
 */
static char *undo_counter(const struct change *change)
{
	_cleanup_(freep) char *port = name_port(change), *quoted = text_quote(port);
	const bool binds = strcmp(change->before, CHANGE_ABSENT) != 0;
	const bool names = binds && strcmp(change->wanted, CHANGE_ABSENT);

	return mem_format("rdmactl counters %s %s lqpn %" PRIu64 "%s%s", binds ? "bind" : "unbind",
			  quoted, qpn_of(change), names ? " counter-id " : "",
			  names ? change->before : "");
}

const struct setting qp_counter_setting = {
	.keyword = {"counter", "ID", "the counter that a queue pair is bound to", NULL},
	.interface = "RDMA netlink STAT_SET, STAT_DEL",
	.right = RIGHT_RDMA_ADMIN,
	.read = read_counter,
	.write = write_counter,
	.guard = guard_counter,
	.undo = undo_counter,
};
