/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl counters qp, mr, mode and --optional on a made-up kernel (nldev.c and counters.c of
 * drivers/infiniband/core): what is shown, what is switched, and what is reported for a kernel
 * without them. The functions of lib/host/inventory/inventory.h and lib/base/signals.h are defined
 * here, so that the linker takes none of their files.
 */
#include "command_lines.h"

#include <rdma/rdma_netlink.h>
#include <time.h>

#include "base/signals.h"
#include "cmd/commands.h"
#include "host/device.h"
#include "idle_inventory.h"
#include "kernel/netlink/netlink.h"
#include "kernel/netlink/nldev.h"
#include "netlink_message.h"
#include "places.h"

enum { DEVICE = 3, OPTIONALS = 3, PORTS = 2 };

/* A thread ID that no kernel uses: they end at 2^22. */
#define NO_THREAD 4194305u

static uint64_t clock_now = 1000000000;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = (time_t)(clock_now / 1000000000);
	now->tv_nsec = (long)(clock_now % 1000000000);
	return 0;
}

static struct {
	struct fake_kernel kernel;
	bool serves;
	int load_error, open_error;
	bool without_index, empty, auto_mode;
	int refusal;	     /* error for all requests */
	int set_refusal;     /* error for setting counters of port 1 */
	int set_refusal_all; /* error for setting any counters */
	bool on[PORTS][OPTIONALS], without_optional;
	unsigned int dumps, waits, waited;
	unsigned int replaced_after; /* dumps before m0 becomes another device; 0: never */
	bool stopped;
} host;

/* ---- The kernel ---- */

/* A device that was removed and added again has a different index. */
static uint32_t device_index(void)
{
	return host.replaced_after && host.dumps >= host.replaced_after ? DEVICE + 1 : DEVICE;
}

static void put_counter(struct bytes *table, const char *name, uint64_t value)
{
	struct bytes entry = {0};

	put_string(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
	put_u64(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
	put_nest(table, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY | NLA_F_NESTED, &entry);
}

static void put_qp_counter(struct bytes *entries, uint32_t port, uint32_t id, uint32_t thread)
{
	struct bytes entry = {0}, qps = {0}, counters = {0};

	put_u32(&entry, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	put_u32(&entry, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, id);
	put_u32(&entry, RDMA_NLDEV_ATTR_STAT_MODE,
		port == 1 ? RDMA_COUNTER_MODE_AUTO : RDMA_COUNTER_MODE_MANUAL);
	if (port == 1)
		put_u8(&entry, RDMA_NLDEV_ATTR_RES_TYPE, 2);
	put_u32(&entry, RDMA_NLDEV_ATTR_RES_PID, thread);
	for (uint32_t qpn = 17; qpn < 17 + port; qpn++) {
		struct bytes qp = {0};

		put_u32(&qp, RDMA_NLDEV_ATTR_RES_LQPN, qpn);
		put_nest(&qps, RDMA_NLDEV_ATTR_RES_QP_ENTRY, &qp);
	}
	put_nest(&entry, RDMA_NLDEV_ATTR_RES_QP, &qps);
	put_counter(&counters, "rx_write_requests", 100 * id + host.dumps * 7);
	put_counter(&counters, "local_ack_timeout_err", port == 1 ? 3 : 0);
	put_counter(&counters, "out_of_buffer", port == 1 ? 0 : host.dumps);
	put_counter(&counters, "made_up", 9);
	put_nest(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, &counters);
	put_nest(entries, RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY, &entry);
}

static void put_memory_region(struct bytes *entries, uint32_t number)
{
	struct bytes entry = {0}, counters = {0};

	put_u32(&entry, RDMA_NLDEV_ATTR_RES_MRN, number);
	put_counter(&counters, "page_faults", host.dumps);
	put_counter(&counters, "page_invalidations", 0);
	put_nest(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, &counters);
	put_nest(entries, RDMA_NLDEV_ATTR_RES_MR_ENTRY, &entry);
}

static void put_objects(struct bytes *payload, uint32_t resource)
{
	struct bytes entries = {0};

	if (resource == RDMA_NLDEV_ATTR_RES_QP && !host.empty) {
		put_qp_counter(&entries, 1, 5, NO_THREAD);
		put_qp_counter(&entries, 2, 6, (uint32_t)getpid());
	} else if (!host.empty) {
		put_memory_region(&entries, 8);
		put_memory_region(&entries, 9);
	}
	put_nest(payload,
		 resource == RDMA_NLDEV_ATTR_RES_QP ? RDMA_NLDEV_ATTR_STAT_COUNTER
						    : RDMA_NLDEV_ATTR_RES_MR,
		 &entries);
	host.dumps++;
}

static void put_optional(struct bytes *payload, uint32_t port)
{
	static const char *const names[] = {"rdma_tx_cnp", "cc_rx_ce_pkts", "rdma_rx_ecn"};
	struct bytes table = {0};

	for (uint32_t i = 0; i < OPTIONALS && !host.without_optional; i++) {
		struct bytes entry = {0};

		put_string(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, names[i]);
		put_u32(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, 40 + i);
		put_u8(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC, host.on[port - 1][i]);
		put_nest(&table, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY | NLA_F_NESTED, &entry);
	}
	put_nest(payload, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, &table);
}

/* The attribute of that type in a request, or NULL. */
static const struct nlattr *find(const struct nlmsghdr *message, unsigned int type)
{
	const uint8_t *bytes = (const uint8_t *)message;

	for (size_t at = NLMSG_HDRLEN; at + NLA_HDRLEN <= message->nlmsg_len;) {
		const struct nlattr *attribute = (const struct nlattr *)(const void *)(bytes + at);

		if ((attribute->nla_type & NLA_TYPE_MASK) == type)
			return attribute;
		at += NLMSG_ALIGN(attribute->nla_len);
	}
	return NULL;
}

static uint32_t number_in(const struct nlmsghdr *message, unsigned int type)
{
	const struct nlattr *attribute = find(message, type);
	uint32_t number = 0;

	if (attribute)
		memcpy(&number, (const uint8_t *)attribute + NLA_HDRLEN, sizeof(number));
	return number;
}

static int switch_counters(const struct nlmsghdr *message, uint32_t port)
{
	const struct nlattr *list = find(message, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	_cleanup_(freep) char *line = mem_format("set port %u:", port);

	for (uint32_t i = 0; i < OPTIONALS; i++)
		if (!host.set_refusal_all && !(port == 1 && host.set_refusal))
			host.on[port - 1][i] = false;
	for (size_t at = NLA_HDRLEN; list && at + NLA_HDRLEN < list->nla_len; at += 8) {
		uint32_t index;
		char *longer;

		memcpy(&index, (const uint8_t *)list + at + NLA_HDRLEN, sizeof(index));
		longer = mem_format("%s %u", line, index);
		free(line);
		line = longer;
		if (!host.set_refusal_all && !(port == 1 && host.set_refusal))
			host.on[port - 1][index - 40] = true;
	}
	command_note(line);
	return host.set_refusal_all ? host.set_refusal_all : port == 1 ? host.set_refusal : 0;
}

static void answer(struct fake_kernel *kernel, const struct nlmsghdr *message)
{
	const uint32_t port = number_in(message, RDMA_NLDEV_ATTR_PORT_INDEX);
	struct bytes payload = {0}, datagram = {0};
	const bool dump = (message->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	const unsigned int command = message->nlmsg_type & 0x3ff;
	const uint32_t asked = number_in(message, RDMA_NLDEV_ATTR_DEV_INDEX);
	int error = command == RDMA_NLDEV_CMD_GET ? 0
		    : asked != device_index()	  ? -ENODEV
						  : host.refusal;

	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, asked);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	switch (command) {
	case RDMA_NLDEV_CMD_STAT_SET:
		error = switch_counters(message, port);
		break;
	case RDMA_NLDEV_CMD_STAT_GET_STATUS:
		put_optional(&payload, port);
		break;
	case RDMA_NLDEV_CMD_STAT_GET:
		if (dump) {
			put_objects(&payload, number_in(message, RDMA_NLDEV_ATTR_STAT_RES));
			break;
		}
		put_u32(&payload, RDMA_NLDEV_ATTR_STAT_MODE,
			host.auto_mode
				? port == 1 ? RDMA_COUNTER_MODE_AUTO : RDMA_COUNTER_MODE_MANUAL
				: RDMA_COUNTER_MODE_NONE);
		if (host.auto_mode && port == 1) {
			put_u32(&payload, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, 3);
			put_u8(&payload, NLDEV_ATTR_STAT_OPCOUNTER, 0);
		}
		break;
	default:
		break;
	}
	if (error || command == RDMA_NLDEV_CMD_STAT_SET)
		put_error(&datagram, message->nlmsg_seq, error, NULL);
	else
		put_message(&datagram, message->nlmsg_type, dump ? NLM_F_MULTI : 0,
			    message->nlmsg_seq, payload.data, payload.length);
	if (dump && !error)
		put_done(&datagram, message->nlmsg_seq, 0);
	fake_send(kernel, &datagram);
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests)
		answer(kernel, message);
}

/* ---- The host ---- */

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	struct device *device;

	(void)notes;
	*inventory = (struct inventory){.root = NULL};
	if (host.load_error)
		return host.load_error;
	device = device_list_add(&inventory->devices, "m0");
	if (!host.without_index)
		number_set(&device->index, device_index());
	device_add_port(device, 1);
	device_add_port(device, 2);
	objects_filter_devices(request->objects, &inventory->devices, NULL, problems);
	objects_filter_ports(request->objects, &inventory->devices, problems);
	return inventory->devices.count ? 0 : -ENODEV;
}

void inventory_free(struct inventory *inventory)
{
	device_list_clear(&inventory->devices);
}

static int open_nldev(struct netlink **ret_nldev)
{
	if (host.open_error)
		return host.open_error;
	host.kernel = (struct fake_kernel){.serve = serve};
	*ret_nldev = netlink_from_fd(fake_start(&host.kernel), 16384);
	host.serves = true;
	return 0;
}

void signals_catch(struct signals *signals, const int *numbers)
{
	(void)numbers;
	signals->fd = -1;
}

int signals_take(const struct signals *signals)
{
	const bool stopped = host.stopped;

	(void)signals;
	host.stopped = false;
	return stopped ? SIGINT : 0;
}

bool signals_wait(const struct signals *signals, uint64_t end_msec)
{
	(void)signals;
	host.stopped = ++host.waited == host.waits;
	if (clock_now < end_msec * 1000000)
		clock_now = end_msec * 1000000;
	return host.stopped;
}

void signals_release(struct signals *signals)
{
	(void)signals;
}

/* ---- The command ---- */

static void begin(void)
{
	memset(&host, 0, sizeof(host));
	host.on[0][0] = host.on[1][2] = true;
}

static void expect(const struct command_row *row)
{
	host.serves = false;
	command_expect(&counters_command, row);
	if (host.serves)
		fake_stop(&host.kernel);
}

static void expect_all(const struct command_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin();
		expect(&rows[i]);
	}
}

static const struct command_row objects_rows[] = {
	{"counters qp --tsv -o object,port,counter_id,mode,type,pid,qpns,counter"
	 ",value,unit",
	 STATUS_DONE,
	 "object\tport\tcounter_id\tmode\ttype\tpid\tqpns\tcounter\tvalue\tunit\n"
	 "m0/1\t1\t5\tauto\trc\t4194305\t17\tack_timeouts\t3\tevents\n",
	 "", ""},
	{"counters qp --tsv -o counter_id,command", STATUS_DONE,
	 "counter_id\tcommand\n"
	 "5\t\n",
	 "", ""},
	{"counters qp m0/2 -a --tsv -o object,device,counter_id,mode,qpns,counte"
	 "r,kernel_name,severity,group",
	 STATUS_DONE,
	 "object\tdevice\tcounter_id\tmode\tqpns\tcounter\tkernel_name\tseverity"
	 "\tgroup\n"
	 "m0/2\tm0\t6\tmanual\t17,18\trx_write_requests\trx_write_requests\tinfo"
	 "\trequests\n"
	 "m0/2\tm0\t6\tmanual\t17,18\tack_timeouts\tlocal_ack_timeout_err\twarning"
	 "\tretransmission\n"
	 "m0/2\tm0\t6\tmanual\t17,18\trx_out_of_buffer\tout_of_buffer\twarning\trnr\n"
	 "m0/2\tm0\t6\tmanual\t17,18\tmade_up\tmade_up\t\tother\n",
	 "", ""},
	{"counters qp -a --tsv -o counter_id,counter,value", STATUS_DONE,
	 "counter_id\tcounter\tvalue\n"
	 "5\trx_write_requests\t500\n"
	 "5\tack_timeouts\t3\n"
	 "5\trx_out_of_buffer\t0\n"
	 "5\tmade_up\t9\n"
	 "6\trx_write_requests\t600\n"
	 "6\tack_timeouts\t0\n"
	 "6\trx_out_of_buffer\t0\n"
	 "6\tmade_up\t9\n",
	 "", ""},
	{"counters qp -e --tsv -o counter_id,counter,value", STATUS_DONE,
	 "counter_id\tcounter\tvalue\n"
	 "5\tack_timeouts\t3\n",
	 "", ""},
	{"counters qp -d --tsv -o counter_id,counter,value", STATUS_DONE,
	 "counter_id\tcounter\tvalue\n"
	 "5\trx_out_of_buffer\t0\n"
	 "6\trx_out_of_buffer\t0\n",
	 "", ""},
	{"counters qp -g traffic --tsv -o counter_id,counter,value", STATUS_DONE,
	 "counter_id\tcounter\tvalue\n", "", ""},
	{"counters mr --tsv -o object,mrn,pid,command,counter,value,unit", STATUS_DONE,
	 "object\tmrn\tpid\tcommand\tcounter\tvalue\tunit\n"
	 "m0\t8\t\t\tpage_faults\t0\tevents\n"
	 "m0\t8\t\t\tpage_invalidations\t0\tevents\n"
	 "m0\t9\t\t\tpage_faults\t0\tevents\n"
	 "m0\t9\t\t\tpage_invalidations\t0\tevents\n",
	 "", ""},
	{"counters qp -w -c 2 -i 1000s --tsv -o counter_id,counter,value,growth,"
	 "rate_per_sec",
	 STATUS_DONE,
	 "counter_id\tcounter\tvalue\tgrowth\trate_per_sec\n"
	 "6\trx_out_of_buffer\t1\t1\t0.001\n"
	 "6\trx_out_of_buffer\t2\t1\t0.001\n",
	 "", ""},
	{"counters qp -w -c 1 -i 1000s -a --tsv -o counter_id,counter,growth", STATUS_DONE,
	 "counter_id\tcounter\tgrowth\n"
	 "5\trx_write_requests\t7\n"
	 "5\tack_timeouts\t0\n"
	 "5\trx_out_of_buffer\t0\n"
	 "5\tmade_up\t0\n"
	 "6\trx_write_requests\t7\n"
	 "6\tack_timeouts\t0\n"
	 "6\trx_out_of_buffer\t1\n"
	 "6\tmade_up\t0\n",
	 "", ""},
	{"counters qp -w -c 1 -i 1000s -e --tsv -o counter_id,counter,growth", STATUS_DONE,
	 "counter_id\tcounter\tgrowth\n"
	 "6\trx_out_of_buffer\t1\n",
	 "", ""},
	{"counters qp -w -c 1 -i 1000s -o counter_id,counter,growth", STATUS_DONE,
	 "ID COUNTER          GROWTH\n"
	 " 6 rx_out_of_buffer      1\n",
	 "", ""},
	{"counters qp m0/2 -w -c 2 -i 1000s --json -o counter,growth", STATUS_DONE,
	 "{\"schema\": \"rdmactl/qp_counters/1\",\n"
	 " \"qp_counters\": [\n"
	 "  {\"counter\": \"rx_out_of_buffer\", \"growth\": 1},\n"
	 "  {\"counter\": \"rx_out_of_buffer\", \"growth\": 1}],\n"
	 " \"problems\": []}\n",
	 "", ""},
	{"counters mr -w -c 2 -i 1000s --tsv -o mrn,counter,growth", STATUS_DONE,
	 "mrn\tcounter\tgrowth\n"
	 "8\tpage_faults\t1\n"
	 "9\tpage_faults\t1\n"
	 "8\tpage_faults\t1\n"
	 "9\tpage_faults\t1\n",
	 "", ""},
	{"counters mr -w -c 1 -i 1000s -a --tsv -o mrn,counter,growth", STATUS_DONE,
	 "mrn\tcounter\tgrowth\n"
	 "8\tpage_faults\t1\n"
	 "8\tpage_invalidations\t0\n"
	 "9\tpage_faults\t1\n"
	 "9\tpage_invalidations\t0\n",
	 "", ""},
	{"counters mode --tsv -o all", STATUS_DONE,
	 "object\tdevice\tport\tmode\tby\toptional\n"
	 "m0/1\tm0\t1\tnone\t\t\n"
	 "m0/2\tm0\t2\tnone\t\t\n",
	 "", ""},
	{"counters mode m0/2 --tsv", STATUS_DONE,
	 "object\tmode\tby\n"
	 "m0/2\tnone\t\n",
	 "", ""},
};

static const struct command_row objects_automatic = {"counters mode --tsv -o all", STATUS_DONE,
						     "object\tdevice\tport\tmode\tby\toptional\n"
						     "m0/1\tm0\t1\tauto\ttype,pid\tno\n"
						     "m0/2\tm0\t2\tmanual\t\t\n",
						     "", ""};

static const struct command_row objects_stopped = {
	"counters qp m0/2 -w -i 1000s --tsv -o counter,growth", STATUS_DONE,
	"counter\tgrowth\n"
	"rx_out_of_buffer\t1\n",
	"", ""};

/* The first round of the other device has nothing to compare with. */
static const struct command_row objects_replaced = {
	"counters qp m0/2 -w -c 3 -i 1000s -a -g requests --tsv -o counter_id,value,growth",
	STATUS_DONE,
	"counter_id\tvalue\tgrowth\n"
	"6\t607\t7\n"
	"6\t614\t\n"
	"6\t621\t7\n",
	"", ""};

static void objects(void **state)
{
	(void)state;
	expect_all(objects_rows, ARRAY_SIZE(objects_rows));
	begin();
	host.auto_mode = true;
	expect(&objects_automatic);
	begin();
	host.waits = 2;
	expect(&objects_stopped);
	assert_int_equal(host.waited, 2);
	begin();
	host.replaced_after = 2;
	expect(&objects_replaced);
}

/* A kernel without support, or one that refuses; and a host without any device. */
static const struct {
	int refusal, open_error, load_error;
	bool empty, without_index;
	struct command_row row;
} failures_rows[] = {
	{-22,
	 0,
	 0,
	 0,
	 0,
	 {"counters qp", STATUS_PARTIAL, "",
	  "rdmactl counters: m0: this kernel lists no such counters\n"
	  "  this needs Linux 5.3 for queue pairs, 5.5 for memory regions\n",
	  ""}},
	{-22,
	 0,
	 0,
	 0,
	 0,
	 {"counters mr", STATUS_PARTIAL, "",
	  "rdmactl counters: m0: this kernel lists no such counters\n"
	  "  this needs Linux 5.3 for queue pairs, 5.5 for memory regions\n",
	  ""}},
	{-22,
	 0,
	 0,
	 0,
	 0,
	 {"counters mode", STATUS_PARTIAL,
	  "OBJECT MODE BY\n"
	  "m0/1   -    -\n"
	  "m0/2   -    -\n",
	  "rdmactl counters: m0/1: cannot read its queue pair counting mode: <EOPNOTSUPP>\n"
	  "  this needs Linux 5.3 or later\n"
	  "rdmactl counters: m0/2: cannot read its queue pair counting mode: <EOPNOTSUPP>\n",
	  ""}},
	{-95,
	 0,
	 0,
	 0,
	 0,
	 {"counters mode", STATUS_PARTIAL,
	  "OBJECT MODE BY\n"
	  "m0/1   -    -\n"
	  "m0/2   -    -\n",
	  "rdmactl counters: m0/1: cannot read its queue pair counting mode: <EOPNOTSUPP>\n"
	  "  this needs Linux 5.3 or later\n"
	  "rdmactl counters: m0/2: cannot read its queue pair counting mode: <EOPNOTSUPP>\n",
	  ""}},
	{-1,
	 0,
	 0,
	 0,
	 0,
	 {"counters mode m0/1", STATUS_PARTIAL,
	  "OBJECT MODE BY\n"
	  "m0/1   -    -\n",
	  "rdmactl counters: m0/1: cannot read its queue pair counting mode: <EPERM>\n", ""}},
	{-1,
	 0,
	 0,
	 0,
	 0,
	 {"counters qp", STATUS_PARTIAL, "",
	  "rdmactl counters: m0: cannot read counters of its objects: <EPERM>\n", ""}},
	{0,
	 -95,
	 0,
	 0,
	 0,
	 {"counters qp", STATUS_FAILED, "",
	  "rdmactl counters: cannot use RDMA netlink: <EOPNOTSUPP>\n", ""}},
	{0,
	 -95,
	 0,
	 0,
	 0,
	 {"counters mode", STATUS_FAILED, "",
	  "rdmactl counters: cannot use RDMA netlink: <EOPNOTSUPP>\n", ""}},
	{0,
	 -95,
	 0,
	 0,
	 0,
	 {"counters --optional", STATUS_FAILED, "",
	  "rdmactl counters: cannot use RDMA netlink: <EOPNOTSUPP>\n", ""}},
	{0, 0, -19, 0, 0, {"counters qp", STATUS_NOTHING, "", "", ""}},
	{-1,
	 0,
	 0,
	 0,
	 0,
	 {"counters qp -w -c 3 -i 1000s --tsv -o counter,growth", STATUS_PARTIAL,
	  "counter\tgrowth\n",
	  "rdmactl counters: m0: cannot read counters of its objects: <EPERM>\n", ""}},
	{0,
	 0,
	 0,
	 1,
	 0,
	 {"counters qp", STATUS_NOTHING, "",
	  "rdmactl counters: no queue pair is counted\n"
	  "  rdmactl counters auto DEV/PORT pid counts the queue pairs that each process "
	  "creates from then on (root; mlx5 and ionic)\n",
	  ""}},
	{0,
	 0,
	 0,
	 1,
	 0,
	 {"counters mr", STATUS_NOTHING, "",
	  "rdmactl counters: no memory region has counters: only those with on-demand "
	  "paging do\n"
	  "  rdmactl resources mr lists all memory regions\n",
	  ""}},
	{0,
	 0,
	 0,
	 1,
	 0,
	 {"counters qp -w -c 1 -i 1000s --tsv", STATUS_DONE,
	  "time\tobject\tcounter_id\tpid\tcommand\tcounter\tgrowth\trate_per_sec\n", "", ""}},
	{0,
	 0,
	 0,
	 0,
	 1,
	 {"counters qp", STATUS_PARTIAL, "",
	  "rdmactl counters: m0: cannot read counters of its objects: <ENODATA>\n", ""}},
	{0,
	 0,
	 0,
	 0,
	 1,
	 {"counters mode m0/1", STATUS_PARTIAL,
	  "OBJECT MODE BY\n"
	  "m0/1   -    -\n",
	  "rdmactl counters: m0/1: cannot read its queue pair counting mode: <ENODATA>\n"
	  "  this needs Linux 5.3 or later\n",
	  ""}},
	{0,
	 0,
	 0,
	 0,
	 0,
	 {"counters qp m0/3", STATUS_PARTIAL, "",
	  "rdmactl counters: m0/3: no such port\n"
	  "  m0 has ports 1 to 2\n",
	  ""}},
	{0,
	 0,
	 0,
	 0,
	 0,
	 {"counters mr m0/1", STATUS_USAGE, "",
	  "rdmactl counters: 'm0/1' is not a device name\n"
	  "  rdmactl devices lists the names\n",
	  ""}},
	{0,
	 0,
	 0,
	 0,
	 0,
	 {"counters qp /1", STATUS_USAGE, "",
	  "rdmactl counters: '/1' is not DEV or DEV/PORT\n"
	  "  rdmactl devices lists the names\n",
	  ""}},
	{-1,
	 0,
	 0,
	 0,
	 0,
	 {"counters --optional", STATUS_FAILED, "",
	  "rdmactl counters: m0/1: cannot read optional counters: <EPERM>\n"
	  "rdmactl counters: m0/2: cannot read optional counters: <EPERM>\n",
	  ""}},
};

static void failures(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(failures_rows); i++) {
		begin();
		host.refusal = failures_rows[i].refusal;
		host.open_error = failures_rows[i].open_error;
		host.load_error = failures_rows[i].load_error;
		host.empty = failures_rows[i].empty;
		host.without_index = failures_rows[i].without_index;
		expect(&failures_rows[i].row);
	}
}

/* The kernel is sent the full set of counters for a port, or nothing if it counts these already. */
static const struct command_row optional_rows[] = {
	{"counters --optional --tsv", STATUS_DONE,
	 "object\tcounter\tenabled\tmeaning\n"
	 "m0/1\trdma_tx_cnp\tyes\t\n"
	 "m0/1\trx_rdma_ecn_marked_packets\tno\tRoCE packets received that a switch had "
	 "marked: there is congestion on the way here (optional counter).\n"
	 "m0/1\trdma_rx_ecn\tno\t\n"
	 "m0/2\trdma_tx_cnp\tno\t\n"
	 "m0/2\trx_rdma_ecn_marked_packets\tno\tRoCE packets received that a switch had "
	 "marked: there is congestion on the way here (optional counter).\n"
	 "m0/2\trdma_rx_ecn\tyes\t\n",
	 "", ""},
	{"counters --optional m0/2 --tsv -o all", STATUS_DONE,
	 "object\tdevice\tport\tcounter\tkernel_name\tenabled\tmeaning\n"
	 "m0/2\tm0\t2\trdma_tx_cnp\trdma_tx_cnp\tno\t\n"
	 "m0/2\tm0\t2\trx_rdma_ecn_marked_packets\tcc_rx_ce_pkts\tno\tRoCE packets "
	 "received that a switch had marked: there is congestion on the way here "
	 "(optional counter).\n"
	 "m0/2\tm0\t2\trdma_rx_ecn\trdma_rx_ecn\tyes\t\n",
	 "", ""},
	{"counters --enable cc_rx_ce_pkts --tsv", STATUS_DONE,
	 "object\tcounter\tenabled\tmeaning\n"
	 "m0/1\trdma_tx_cnp\tyes\t\n"
	 "m0/1\trx_rdma_ecn_marked_packets\tyes\tRoCE packets received that a switch "
	 "had marked: there is congestion on the way here (optional counter).\n"
	 "m0/1\trdma_rx_ecn\tno\t\n"
	 "m0/2\trdma_tx_cnp\tno\t\n"
	 "m0/2\trx_rdma_ecn_marked_packets\tyes\tRoCE packets received that a switch "
	 "had marked: there is congestion on the way here (optional counter).\n"
	 "m0/2\trdma_rx_ecn\tyes\t\n",
	 "",
	 "set port 1: 40 41\n"
	 "set port 2: 41 42\n"},
	{"counters --enable rdma_tx_cnp --tsv -o object,enabled", STATUS_DONE,
	 "object\tenabled\n"
	 "m0/1\tyes\n"
	 "m0/1\tno\n"
	 "m0/1\tno\n"
	 "m0/2\tyes\n"
	 "m0/2\tno\n"
	 "m0/2\tyes\n",
	 "", "set port 2: 40 42\n"},
	{"counters --disable rdma_tx_cnp,rdma_rx_ecn --tsv -o object,enabled", STATUS_DONE,
	 "object\tenabled\n"
	 "m0/1\tno\n"
	 "m0/1\tno\n"
	 "m0/1\tno\n"
	 "m0/2\tno\n"
	 "m0/2\tno\n"
	 "m0/2\tno\n",
	 "",
	 "set port 1:\n"
	 "set port 2:\n"},
	{"counters --enable cc_rx_ce_pkts --disable rdma_tx_cnp m0/1 --tsv -o "
	 "object,enabled",
	 STATUS_DONE,
	 "object\tenabled\n"
	 "m0/1\tno\n"
	 "m0/1\tyes\n"
	 "m0/1\tno\n",
	 "", "set port 1: 41\n"},
	{"counters --enable ,", STATUS_USAGE, "",
	 "rdmactl counters: which counters?\n"
	 "  rdmactl counters --optional lists them\n",
	 ""},
	{"counters --enable cc_rx_ce_pkt", STATUS_FAILED,
	 "OBJECT COUNTER                    ENABLED MEANING\n"
	 "m0/1   rdma_tx_cnp                yes     -\n"
	 "m0/1   rx_rdma_ecn_marked_packets no      RoCE packets received that a switch "
	 "had marked: there is congestion on the way here (optional counter).\n"
	 "m0/1   rdma_rx_ecn                no      -\n"
	 "m0/2   rdma_tx_cnp                no      -\n"
	 "m0/2   rx_rdma_ecn_marked_packets no      RoCE packets received that a switch "
	 "had marked: there is congestion on the way here (optional counter).\n"
	 "m0/2   rdma_rx_ecn                yes     -\n",
	 "rdmactl counters: no port has an optional counter 'cc_rx_ce_pkt'\n"
	 "  rdmactl counters --optional lists them\n",
	 ""},
	{"counters --disable frobnicate", STATUS_FAILED,
	 "OBJECT COUNTER                    ENABLED MEANING\n"
	 "m0/1   rdma_tx_cnp                yes     -\n"
	 "m0/1   rx_rdma_ecn_marked_packets no      RoCE packets received that a switch "
	 "had marked: there is congestion on the way here (optional counter).\n"
	 "m0/1   rdma_rx_ecn                no      -\n"
	 "m0/2   rdma_tx_cnp                no      -\n"
	 "m0/2   rx_rdma_ecn_marked_packets no      RoCE packets received that a switch "
	 "had marked: there is congestion on the way here (optional counter).\n"
	 "m0/2   rdma_rx_ecn                yes     -\n",
	 "rdmactl counters: no port has an optional counter 'frobnicate'\n"
	 "  rdmactl counters --optional lists them\n",
	 ""},
	{"counters --enable a --disable b,a", STATUS_USAGE, "",
	 "rdmactl counters: --enable and --disable name the same counter\n", ""},
	{"counters --optional m0/x", STATUS_USAGE, "",
	 "rdmactl counters: 'm0/x' is not DEV or DEV/PORT\n"
	 "  rdmactl devices lists the names\n",
	 ""},
};

static const struct command_row optional_none = {
	"counters --optional", STATUS_NOTHING, "",
	"rdmactl counters: no optional counters: the drivers of these ports have none\n"
	"  mlx5_ib has some since Linux 5.16\n",
	""};

static const struct command_row optional_forbidden = {
	"counters --enable cc_rx_ce_pkts --tsv -o object,enabled", STATUS_FAILED,
	"object\tenabled\n"
	"m0/1\tyes\n"
	"m0/1\tno\n"
	"m0/1\tno\n"
	"m0/2\tno\n"
	"m0/2\tno\n"
	"m0/2\tyes\n",
	"rdmactl counters: m0/1: cannot switch optional counters: <EPERM>\n"
	"  run it as root: it needs CAP_NET_ADMIN in the initial user namespace\n"
	"rdmactl counters: m0/2: cannot switch optional counters: <EPERM>\n",
	"set port 1: 40 41\n"
	"set port 2: 41 42\n"};

static const struct command_row optional_one = {
	"counters --enable cc_rx_ce_pkts --tsv -o object,enabled", STATUS_PARTIAL,
	"object\tenabled\n"
	"m0/1\tyes\n"
	"m0/1\tno\n"
	"m0/1\tno\n"
	"m0/2\tno\n"
	"m0/2\tyes\n"
	"m0/2\tyes\n",
	"rdmactl counters: m0/1: cannot switch optional counters: <EBUSY>\n",
	"set port 1: 40 41\n"
	"set port 2: 41 42\n"};

static void optional(void **state)
{
	(void)state;
	expect_all(optional_rows, ARRAY_SIZE(optional_rows));
	begin();
	host.without_optional = true;
	expect(&optional_none);
	begin();
	host.set_refusal_all = -EPERM;
	expect(&optional_forbidden);
	begin();
	host.set_refusal = -EBUSY;
	expect(&optional_one);
}

/* No further round follows one that could not be printed. */
static void full_output(void **state)
{
	static const char *const lines[] = {
		"counters qp -w -c 9 -i 1000s -a --tsv",
		"counters qp -w -c 9 -i 1000s -a",
	};

	(void)state;
	if (!has_full_device())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		begin();
		assert_int_equal(command_into_full(&counters_command, lines[i], &host.dumps), 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects),
		cmocka_unit_test(failures),
		cmocka_unit_test(optional),
		cmocka_unit_test(full_output),
	};

	idle_open_nldev = open_nldev;
	return cmocka_run_group_tests_name("counters_run", tests, command_set_up,
					   command_tear_down);
}
