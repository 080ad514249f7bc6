/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl sa and ping over simulated nodes. For sa: the component mask and the first bytes of each
 * query (15.2.5), the output for its answer, and the message for a refusal. For ping: whom it
 * queries, what counts as an answer, and the message for a loss.
 */
#include "made_up_nodes.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "mad/names/ibdiag_conf.h"

/* The administrator is at LID 1; LID 7 is dead, 8 answers every other time, 10 refuses. */
static struct {
	int status;
	bool cut, dead;
	unsigned int count;
	const char *conf; /* the text of ibdiag.conf; NULL if missing */
} manager;

/* ibdiag.conf has the text of `manager`; other files are real. */
int open(const char *path, int flags, ...)
{
	int fd;

	if (strcmp(path, IBDIAG_CONF_PATH) != 0)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
	if (!manager.conf) {
		errno = ENOENT;
		return -1;
	}
	fd = memfd_create("ibdiag.conf", MFD_CLOEXEC);
	assert_int_equal(write(fd, manager.conf, strlen(manager.conf)), strlen(manager.conf));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static const char *const names[] = {"leaf", "host-a m0", "host-b m0", "host-b m1"};

/* Bit 14 of the mask requests the nodes with a description, 15.2.5.2. */
static int list_nodes(const struct asked *asked, unsigned char *data)
{
	const bool named = mad_component_mask(asked->mad) & 1 << 14;
	size_t count = 0;

	memset(data, 0, NODES_DATA);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (named && strcmp((const char *)asked->data + 44, names[i]))
			continue;
		put_16(data, count * 112, i + 5);
		put_node_info(data + count * 112 + 4, i ? 1 : 2, i ? 1 : 36, 0x100 * (i + 1), 1);
		strcpy((char *)data + count++ * 112 + 44, names[i]);
	}
	nodes.record_bytes = 112;
	nodes.bytes = count * 112 - (manager.cut ? 8 : 0);
	return count ? 0 : 0x0300;
}

static int list_paths(const struct asked *asked, unsigned char *data)
{
	unsigned char query[64];

	memcpy(query, asked->data, sizeof(query));
	memset(data, 0, NODES_DATA);
	for (size_t i = 0; i < 2; i++) {
		memcpy(data + i * 64, query, 40);
		put_16(data, i * 64 + 40, 9 + i); /* DLID */
		put_16(data, i * 64 + 42, OUR_LID);
		data[i * 64 + 54] = 0x84; /* MTU 2048, exactly */
	}
	nodes.record_bytes = 64;
	nodes.bytes = asked->method == UMAD_METHOD_GET ? 0 : 128;
	return 0;
}

static int answer_sa(const struct asked *asked, unsigned char *data)
{
	_cleanup_(freep) char *mask = mem_format(
		"mask 0x%llx", (unsigned long long)mad_component_mask(asked->mad));

	command_note(mask);
	if (asked->address->qkey != UMAD_QKEY)
		command_note("another Q_Key");
	nodes_add_data(asked, 48);
	if (manager.dead)
		return NODES_SILENT;
	if (manager.status)
		return manager.status;
	switch (asked->attribute) {
	case UMAD_ATTR_CLASS_PORT_INFO:
		memset(data, 0, 72);
		data[0] = 1;
		data[1] = 2;
		put_16(data, 2, 0x2602);
		return 0;
	case UMAD_SA_ATTR_NODE_REC:
		return list_nodes(asked, data);
	case UMAD_SA_ATTR_PATH_REC:
	case UMAD_SA_ATTR_MULTI_PATH_REC:
		return list_paths(asked, data);
	default:
		memset(data, 0, NODES_DATA);
		put_16(data, 0, 3);
		data[2] = 1;
		put_16(data, 4, 5);
		nodes.record_bytes = 8;
		nodes.bytes = 8;
		return 0;
	}
}

static int answer(const struct asked *asked, unsigned char *data)
{
	if (asked->mgmt_class == UMAD_CLASS_SUBN_ADM)
		return answer_sa(asked, data);
	if (asked->lid == 7 || (asked->lid == 8 && ++manager.count % 2))
		return NODES_SILENT;
	if (asked->lid == 10)
		return 0x0c;
	if (asked->mgmt_class == MAD_CLASS_OPENIB_PING)
		strcpy((char *)data, "host-a");
	if (asked->attribute == UMAD_SM_ATTR_NODE_DESC && asked->mgmt_class != UMAD_CLASS_PERF_MGMT)
		snprintf((char *)data, 64, "node %u", asked->lid);
	return 0;
}

static void begin(void)
{
	memset(&manager, 0, sizeof(manager));
	nodes_begin(answer);
}

static void expect(const struct command_row *row)
{
	nodes_expect(row->line[0] == 's'   ? &sa_command
		     : row->line[0] == 'm' ? &mad_command
					   : &ping_command,
		     row);
}

static void expect_all(const struct command_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin();
		expect(&rows[i]);
	}
}

static const struct command_row queries_rows[] = {
	{"sa nodes --tsv", STATUS_DONE,
	 "lid\tnode_description\tnode_type\tport_count\tnode_guid\tlocal_port\n"
	 "5\tleaf\tswitch\t36\t0000:0000:0000:0101\t1\n"
	 "6\thost-a m0\tca\t1\t0000:0000:0000:0201\t1\n"
	 "7\thost-b m0\tca\t1\t0000:0000:0000:0301\t1\n"
	 "8\thost-b m1\tca\t1\t0000:0000:0000:0401\t1\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa nodes lid=5 node_type=switch --count", STATUS_DONE,
	 "RECORD COUNT\n"
	 "nodes      4\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x11\n"
	 "0005000000000200000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa nodes --json -o node_description --mkey 0x99", STATUS_DONE,
	 "{\"schema\": \"rdmactl/sa_nodes/1\",\n"
	 " \"sa_nodes\": [\n"
	 "  {\"node_description\": \"leaf\"},\n"
	 "  {\"node_description\": \"host-a m0\"},\n"
	 "  {\"node_description\": \"host-b m0\"},\n"
	 "  {\"node_description\": \"host-b m1\"}],\n"
	 " \"problems\": []}\n",
	 "",
	 "1 get-table NodeRecord 0x0 key 0x99\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa ports capabilities=sm lid=5 --tsv -o endport_lid", STATUS_DONE,
	 "endport_lid\n"
	 "3\n",
	 "",
	 "1 get-table PortInfoRecord 0x80000000\n"
	 "mask 0x81\n"
	 "0005000000000000000000000000000000000000000000000000000200000000000000"
	 "00000000000000000000000000\n"},
	{"sa links --tsv", STATUS_DONE,
	 "from_lid\tfrom_port\tto_lid\tto_port\n"
	 "3\t1\t5\t0\n",
	 "",
	 "1 get-table LinkRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa path --tsv -o dgid,sgid,dlid,slid,mtu_bytes", STATUS_DONE,
	 "dgid\tsgid\tdlid\tslid\tmtu_bytes\n"
	 "0000:0000:0000:0000:0000:0000:0000:0000\tfe80:0000:0000:0000:0000:0000"
	 ":0000:0022\t9\t2\t2048\n"
	 "0000:0000:0000:0000:0000:0000:0000:0000\tfe80:0000:0000:0000:0000:0000"
	 ":0000:0022\t10\t2\t2048\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x1008\n"
	 "000000000000000000000000000000000000000000000000fe80000000000000000000"
	 "00000000220000000000000000\n"},
	{"sa path --to 9 --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x1018\n"
	 "000000000000000000000000000000000000000000000000fe80000000000000000000"
	 "00000000220009000000000000\n"},
	{"sa path --from 9 --to 0xf00000001 --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x1024\n"
	 "0000000000000000fe800000000000000000000f000000010000000000000000000000"
	 "00000000000000000900000000\n"},
	{"sa path --to fe80::5 mtu_bytes=2048 --tsv -o dlid --sl 3", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x3100c\n"
	 "0000000000000000fe800000000000000000000000000005fe80000000000000000000"
	 "00000000220000000000000000\n"},
	{"sa path --to fe80::5 --qkey 0x80010001 --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x100c\n"
	 "another Q_Key\n"
	 "0000000000000000fe800000000000000000000000000005fe80000000000000000000"
	 "00000000220000000000000000\n"},
	{"sa path mtu_bytes=2048 mtu_selector=greater-than --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x31008\n"
	 "000000000000000000000000000000000000000000000000fe80000000000000000000"
	 "00000000220000000000000000\n"},
	{"sa path --to leaf --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x4000\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "0000000000000000006c656166\n"
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x100c\n"
	 "0000000000000000fe800000000000000000000000000102fe80000000000000000000"
	 "00000000220000000000000000\n"},
	{"sa path slid=4 numb_path=1 --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table PathRecord 0x0\n"
	 "mask 0x1020\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000400000000\n"},
	{"sa multipath --to 0xf00000001,0xf00000002 --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-multi MultiPathRecord 0x0\n"
	 "mask 0x180040\n"
	 "00000000007f000000000000000000010200000000000000fe80000000000000000000"
	 "0000000022fe80000000000000\n"},
	{"sa multipath --from 0xf00000003,fe80::1 --to host-a --tsv -o dlid", STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x4000\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "000000000000000000686f7374\n"
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"
	 "1 get-multi MultiPathRecord 0x0\n"
	 "mask 0x180040\n"
	 "00000000007f000000000000000000020100000000000000fe80000000000000000000"
	 "0f00000003fe80000000000000\n"},
	{"sa classportinfo --tsv -o object,object_lid,cap_mask", STATUS_DONE,
	 "object\tobject_lid\tcap_mask\n"
	 "SA at LID 1\t1\t0x2602\n",
	 "",
	 "1 get ClassPortInfo 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
};

static void queries(void **state)
{
	(void)state;
	expect_all(queries_rows, ARRAY_SIZE(queries_rows));
}

static const struct command_row complaints_rows[] = {
	{"sa nodes lid", STATUS_USAGE, "",
	 "rdmactl sa: 'lid' is not FIELD=VALUE\n"
	 "  give the values that the records must have: rdmactl sa nodes lid=VALUE\n",
	 ""},
	{"sa ports 3", STATUS_USAGE, "",
	 "rdmactl sa: '3' is not FIELD=VALUE\n"
	 "  give the values that the records must have: rdmactl sa ports endport_lid=VALUE\n",
	 ""},
	{"sa trace 3 5", STATUS_USAGE, "",
	 "rdmactl sa: '3' is not FIELD=VALUE\n"
	 "  name the ends: rdmactl sa trace --from DEST --to DEST\n",
	 ""},
	{"sa nodes lidd=1", STATUS_USAGE, "",
	 "rdmactl sa: unknown column 'lidd'\n"
	 "  did you mean 'lid'?\n",
	 ""},
	{"sa nodes object=1", STATUS_USAGE, "",
	 "rdmactl sa: unknown column 'object'\n"
	 "  rdmactl sa nodes --help lists the columns\n",
	 ""},
	{"sa nodes lid=x", STATUS_USAGE, "",
	 "rdmactl sa: 'x' is not a value of lid\n"
	 "  LID of the port\n",
	 ""},
	{"sa nodes lid=65536", STATUS_USAGE, "",
	 "rdmactl sa: '65536' is out of range for lid\n"
	 "  LID of the port\n",
	 ""},
	{"sa nodes lid=1 lid=2", STATUS_USAGE, "",
	 "rdmactl sa: 'lid' is given twice\n"
	 "  give each field once; query several times for several values\n",
	 ""},
	{"sa path --to 0,1", STATUS_USAGE, "",
	 "rdmactl sa: '0,1' is a directed route, which the subnet administrator cannot search by\n"
	 "  give a LID, a port GUID, a GID, or the name of a node\n",
	 ""},
	{"sa path --to 9 dlid=9", STATUS_USAGE, "",
	 "rdmactl sa: 'dlid' is given twice\n"
	 "  give each field once; query several times for several values\n",
	 ""},
	{"sa path --from 9 slid=8", STATUS_USAGE, "",
	 "rdmactl sa: 'slid' is given twice\n"
	 "  give each field once; query several times for several values\n",
	 ""},
	{"sa path --to nobody", STATUS_FAILED, "",
	 "rdmactl sa: nobody: no node has this name in the node name map or in its description\n"
	 "  rdmactl fabric nodes lists them\n",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x4000\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "0000000000000000006e6f626f\n"
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa path --to host-a/2 --tsv -o dlid", STATUS_FAILED, "",
	 "rdmactl sa: host-a/2: cannot read ports: its last port is 1\n",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x4000\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "000000000000000000686f7374\n"
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x4000\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "000000000000000000686f7374\n"
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa multipath --to 0xf0001,0xf0002,0xf0003,0xf0004,0xf0005,0xf0006,0xf0"
	 "007,0xf0008,0xf0009,0xf000a --tsv -o dlid",
	 STATUS_DONE,
	 "dlid\n"
	 "9\n"
	 "10\n",
	 "",
	 "1 get-multi MultiPathRecord 0x0\n"
	 "mask 0x180040\n"
	 "00000000007f000000000000000000010a00000000000000fe80000000000000000000"
	 "0000000022fe80000000000000\n"},
	{"sa path --to host-b", STATUS_USAGE, "",
	 "rdmactl sa: 'host-b' matches 2 nodes: LID 7 (host-b m0), LID 8 (host-b "
	 "m1)\n"
	 "  give the LID, the port GUID or the full description of one\n",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x4000\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "000000000000000000686f7374\n"
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000000000000000000000000000000000000000000000000000000000"
	 "00000000000000000000000000\n"},
	{"sa path -L", STATUS_USAGE, "", "rdmactl sa: --lid needs a destination\n", ""},
	{"sa multipath", STATUS_USAGE, "",
	 "rdmactl sa: --to is missing: give the ports that the paths lead to\n"
	 "  rdmactl sa multipath --to GUID,GUID\n",
	 ""},
	{"sa multipath --to 9", STATUS_USAGE, "",
	 "rdmactl sa: '9' is not a port GUID, a GID or the name of a node\n"
	 "  rdmactl sa nodes -o +port_guid shows the port GUIDs\n",
	 ""},
	{"sa multipath --to 0xf0001,0xf0002,0xf0003,0xf0004,0xf0005,0xf0006,0xf0"
	 "007,0xf0008,0xf0009,0xf000a,0xf000b",
	 STATUS_USAGE, "",
	 "rdmactl sa: a request has room for 11 ports\n"
	 "  query several times; opensm reads no more from one request\n",
	 ""},
	{"sa multipath --to 0xf00000001 dgid_count=1", STATUS_USAGE, "",
	 "rdmactl sa: 'dgid_count' is given twice\n"
	 "  give each field once; query several times for several values\n",
	 ""},
};

static const struct command_row complaints_no_manager = {
	"sa nodes", STATUS_FAILED, "",
	"rdmactl sa: the port has no subnet administrator: its SM LID is 0\n"
	"  start a subnet manager; rdmactl ports shows the SM LID\n",
	""};

static const struct command_row complaints_dead = {
	"sa nodes --retries 0", STATUS_FAILED, "",
	"rdmactl sa: SA at LID 1: cannot read NodeRecord: no answer, asked once\n"
	"  rdmactl smp sminfo shows whether the subnet manager is alive\n",
	"1 get-table NodeRecord 0x0\n"
	"mask 0x0\n"
	"0000000000000000000000000000000000000000000000000000000000000000000000"
	"00000000000000000000000000\n"};

static const struct command_row complaints_cut = {
	"sa nodes --tsv -o node_description", STATUS_PARTIAL,
	"node_description\n"
	"leaf\n"
	"host-a m0\n"
	"host-b m0\n",
	"rdmactl sa: the answer is truncated: there are more records\n",
	"1 get-table NodeRecord 0x0\n"
	"mask 0x0\n"
	"0000000000000000000000000000000000000000000000000000000000000000000000"
	"00000000000000000000000000\n"};

static const struct command_row complaints_counted = {
	"sa nodes --count --tsv -o all", STATUS_PARTIAL,
	"record\tcount\tcomplete\n"
	"nodes\t3\tno\n",
	"rdmactl sa: the answer is truncated: there are more records\n",
	"1 get-table NodeRecord 0x0\n"
	"mask 0x0\n"
	"0000000000000000000000000000000000000000000000000000000000000000000000"
	"00000000000000000000000000\n"};

static void complaints(void **state)
{
	(void)state;
	expect_all(complaints_rows, ARRAY_SIZE(complaints_rows));
	begin();
	nodes.no_manager = true;
	expect(&complaints_no_manager);
	begin();
	manager.dead = true;
	expect(&complaints_dead);
	begin();
	manager.cut = true;
	expect(&complaints_cut);
	expect(&complaints_counted);
}

/* 13.4.7 and 15.2.4: the status, and the next step. */
static const struct {
	int status;
	struct command_row row;
} refusals_rows[] = {
	{768,
	 {"sa nodes --tsv", STATUS_DONE,
	  "lid\tnode_description\tnode_type\tport_count\tnode_guid\tlocal_port\n", "",
	  "1 get-table NodeRecord 0x0\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
	{768,
	 {"sa nodes --count --tsv -o all", STATUS_DONE,
	  "record\tcount\tcomplete\n"
	  "nodes\t0\tyes\n",
	  "",
	  "1 get-table NodeRecord 0x0\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
	{512,
	 {"sa nodes", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read NodeRecord: refused with status 0x0200: "
	  "req-invalid\n"
	  "  some records need the SM_Key: give it with --mkey\n",
	  "1 get-table NodeRecord 0x0\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
	{512,
	 {"sa nodes --mkey 1", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read NodeRecord: refused with status 0x0200: "
	  "req-invalid\n",
	  "1 get-table NodeRecord 0x0 key 0x1\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
	{1280,
	 {"sa path --to 0xf00000001", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read PathRecord: refused with status 0x0500: "
	  "req-invalid-gid\n"
	  "  rdmactl sa nodes -o +port_guid shows the GUIDs of the ports\n",
	  "1 get-table PathRecord 0x0\n"
	  "mask 0x100c\n"
	  "0000000000000000fe800000000000000000000f00000001fe80000000000000000000"
	  "00000000220000000000000000\n"}},
	{1536,
	 {"sa nodes", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read NodeRecord: refused with status 0x0600: "
	  "req-insufficient-components\n"
	  "  give more fields of the records: FIELD=VALUE\n",
	  "1 get-table NodeRecord 0x0\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
	{1536,
	 {"sa trace --from 0xf00000001 --to 0xf00000002", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read TraceRecord: refused with status 0x0600: "
	  "req-insufficient-components\n",
	  "1 get-trace-table TraceRecord 0x0\n"
	  "mask 0x100c\n"
	  "0000000000000000fe800000000000000000000f00000002fe80000000000000000000"
	  "0f000000010000000000000000\n"}},
	{1536,
	 {"sa trace --to 0xf00000002", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read TraceRecord: refused with status 0x0600: "
	  "req-insufficient-components\n"
	  "  --from and --to name both ends of the path\n",
	  NULL}},
	{12,
	 {"sa trace --from 0xf00000001 --to 0xf00000002", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read TraceRecord: refused with status 0x000c: "
	  "attribute-not-supported\n"
	  "  opensm and most other subnet administrators do not support TraceRecords; rdmactl "
	  "fabric route traces a path without them\n",
	  "1 get-trace-table TraceRecord 0x0\n"
	  "mask 0x100c\n"
	  "0000000000000000fe800000000000000000000f00000002fe80000000000000000000"
	  "0f000000010000000000000000\n"}},
	{8,
	 {"sa multipath --to 0xf00000001", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read MultiPathRecord: refused with status 0x0008: "
	  "method-not-supported\n"
	  "  rdmactl sa classportinfo shows whether multipath is supported; rdmactl sa path "
	  "queries one pair\n",
	  "1 get-multi MultiPathRecord 0x0\n"
	  "mask 0x180040\n"
	  "00000000007f000000000000000000010100000000000000fe80000000000000000000"
	  "0000000022fe80000000000000\n"}},
	{12,
	 {"sa nodes", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read NodeRecord: refused with status 0x000c: "
	  "attribute-not-supported\n",
	  "1 get-table NodeRecord 0x0\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
	{256,
	 {"sa nodes", STATUS_FAILED, "",
	  "rdmactl sa: SA at LID 1: cannot read NodeRecord: refused with status 0x0100: "
	  "no-resources\n",
	  "1 get-table NodeRecord 0x0\n"
	  "mask 0x0\n"
	  "0000000000000000000000000000000000000000000000000000000000000000000000"
	  "00000000000000000000000000\n"}},
};

static void refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals_rows); i++) {
		begin();
		manager.status = refusals_rows[i].status;
		expect(&refusals_rows[i].row);
	}
}

static const struct command_row pings_rows[] = {
	{"ping 9 -c 2 --tsv -o object,host,lid,device,port,method,sent,received,"
	 "loss_percent",
	 STATUS_DONE,
	 "object\thost\tlid\tdevice\tport\tmethod\tsent\treceived\tloss_percent\n"
	 "9\tnode 9\t9\tm0\t3\tpma\t2\t2\t0\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"},
	{"ping 9,4 8 -c 2 --tsv -o object,sent,received,loss_percent", STATUS_FAULT,
	 "object\tsent\treceived\tloss_percent\n"
	 "9\t2\t2\t0\n"
	 "4\t2\t2\t0\n"
	 "8\t2\t1\t50\n",
	 "rdmactl ping: 8: no answer to 1 of 2 requests\n"
	 "  rdmactl perf shows the errors of the ports on the path\n",
	 "9 get ClassPortInfo 0x0\n"
	 "4 get ClassPortInfo 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "4 get ClassPortInfo 0x0\n"},
	{"ping 9 --smp -c 1 --tsv -o object,method,sent,received", STATUS_DONE,
	 "object\tmethod\tsent\treceived\n"
	 "9\tsmp\t1\t1\n",
	 "", "9 get NodeInfo 0x0\n"},
	{"ping 0,1 -c 1 --tsv -o object,lid,method,received", STATUS_DONE,
	 "object\tlid\tmethod\treceived\n"
	 "0,1\t\tsmp\t1\n",
	 "", "0,1 get NodeInfo 0x0\n"},
	{"ping 9 --openib -c 1 --tsv -o object,host,method,received", STATUS_DONE,
	 "object\thost\tmethod\treceived\n"
	 "9\thost-a\topenib\t1\n",
	 "", "9 get ? 0x0\n"},
	{"ping 9 -c 3 -f --tsv -o object,sent,received", STATUS_DONE,
	 "object\tsent\treceived\n"
	 "9\t3\t3\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"},
	{"ping 9,4 -c 2 -e --tsv -o object,sequence,sent,received,loss_percent", STATUS_DONE,
	 "object\tsequence\tsent\treceived\tloss_percent\n"
	 "9\t1\t1\t1\t0\n"
	 "4\t1\t1\t1\t0\n"
	 "9\t2\t1\t1\t0\n"
	 "4\t2\t1\t1\t0\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "4 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "4 get ClassPortInfo 0x0\n"},
	{"ping 9 -c 2 -e --jsonl -o object,host,sequence", STATUS_DONE,
	 "{\"object\": \"9\", \"host\": null, \"sequence\": 1}\n"
	 "{\"object\": \"9\", \"host\": null, \"sequence\": 2}\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"},
	{"ping 9 --openib -c 2 -e --tsv -o object,host,sequence", STATUS_DONE,
	 "object\thost\tsequence\n"
	 "9\thost-a\t1\n"
	 "9\thost-a\t2\n",
	 "",
	 "9 get ? 0x0\n"
	 "9 get ? 0x0\n"},
	{"ping 9 --tsv -o sent", STATUS_DONE,
	 "sent\n"
	 "5\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"},
	{"ping 9 -c 2 -i 90s --tsv -o received", STATUS_DONE,
	 "received\n"
	 "2\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"},
	{"ping 7,9 -c 1 --tsv -o object,host", STATUS_FAULT,
	 "object\thost\n"
	 "7\t\n"
	 "9\tnode 9\n",
	 "rdmactl ping: 7: no answer to 1 of 1 requests\n"
	 "  no port has this LID, or the node or the path to it is down; a directed route shows "
	 "where: rdmactl ping -D 0,1\n",
	 "7 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"},
	{"ping 7 -c 2 --tsv -o object,sent,received,loss_percent,p50_usec", STATUS_FAULT,
	 "object\tsent\treceived\tloss_percent\tp50_usec\n"
	 "7\t2\t0\t100\t\n",
	 "rdmactl ping: 7: no answer to 2 of 2 requests\n"
	 "  no port has this LID, or the node or the path to it is down; a directed route shows "
	 "where: rdmactl ping -D 0,1\n",
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"},
	{"ping 7 -c 1 --smp", STATUS_FAULT,
	 "OBJECT HOST SENT RECEIVED LOSS % MIN us P50 us P90 us P99 us MAX us\n"
	 "7      -       1        0    100      -      -      -      -      -\n",
	 "rdmactl ping: 7: no answer to 1 of 1 requests\n"
	 "  no port has this LID, the node or the path to it is down, or it answers only with its "
	 "M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	 "(-D 0,1,3)\n",
	 "7 get NodeInfo 0x0\n"},
	{"ping 7 -c 1 --openib --tsv -o received", STATUS_FAULT,
	 "received\n"
	 "0\n",
	 "rdmactl ping: 7: no answer to 1 of 1 requests\n"
	 "  run rdmactl ping --serve or ibping -S on the destination\n",
	 "7 get ? 0x0\n"},
	{"ping 10 -c 1 --tsv -o received", STATUS_DONE,
	 "received\n"
	 "1\n",
	 "", "10 get ClassPortInfo 0x0\n"},
	{"ping 10 -c 2 --openib --tsv -o received", STATUS_FAULT,
	 "received\n"
	 "0\n",
	 "rdmactl ping: 10: no valid answer to 2 of 2 requests (refused with status 0x000c: "
	 "attribute-not-supported)\n"
	 "  run rdmactl ping --serve or ibping -S on the destination\n",
	 "10 get ? 0x0\n"
	 "10 get ? 0x0\n"},
	{"ping 10,7 -c 1 --openib -v --tsv -o received", STATUS_FAULT,
	 "received\n"
	 "0\n"
	 "0\n",
	 "rdmactl ping: 10: 1 of 1: no valid answer\n"
	 "rdmactl ping: 7: 1 of 1: no answer\n"
	 "rdmactl ping: 10: no valid answer to 1 of 1 requests (refused with status 0x000c: "
	 "attribute-not-supported)\n"
	 "  run rdmactl ping --serve or ibping -S on the destination\n"
	 "rdmactl ping: 7: no answer to 1 of 1 requests\n"
	 "rdmactl ping: through port m0/3, LID 2\n",
	 "10 get ? 0x0\n"
	 "7 get ? 0x0\n"},
	{"ping 7,9 -c 1 -e --tsv -o object,received", STATUS_FAULT,
	 "object\treceived\n"
	 "9\t1\n"
	 "7\t0\n",
	 "rdmactl ping: 7: no answer to 1 of 1 requests\n"
	 "  no port has this LID, or the node or the path to it is down; a directed route shows "
	 "where: rdmactl ping -D 0,1\n",
	 "7 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"},
	{"ping", STATUS_USAGE, "",
	 "rdmactl ping: DEST is missing\n"
	 "  rdmactl ping --help\n",
	 ""},
	{"ping -", STATUS_USAGE, "", "rdmactl ping: no destination on standard input\n", ""},
	{"ping 9 -f -c 0", STATUS_USAGE, "",
	 "rdmactl ping: --flood needs a --count above 0\n"
	 "  rdmactl ping --help\n",
	 ""},
	{"ping 0,1 --openib", STATUS_USAGE, "",
	 "rdmactl ping: --openib needs a LID, not a directed route\n", ""},
	{"ping 9 0 -c 1 --tsv -o object,host", STATUS_DONE,
	 "object\thost\n"
	 "9\tnode 9\n"
	 "0\tnode 65535\n",
	 "",
	 "9 get ClassPortInfo 0x0\n"
	 "0 get NodeInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"
	 "0 get NodeDescription 0x0\n"},
	{"ping 70000", STATUS_USAGE, "",
	 "rdmactl ping: '70000' is out of range: LIDs are 1 to 49151, routes have ports up to 255 "
	 "and at most 63 hops\n"
	 "  for a node whose name looks like a number, use --node\n",
	 ""},
};

static const struct command_row pings_stopped = {"ping 9 -c 0 --tsv -o sent,received", STATUS_DONE,
						 "sent\treceived\n"
						 "3\t3\n",
						 "",
						 "9 get ClassPortInfo 0x0\n"
						 "9 get ClassPortInfo 0x0\n"
						 "9 get ClassPortInfo 0x0\n"};

static const struct command_row pings_unsent = {
	"ping 9 -c 1 --tsv -o sent,received", STATUS_FAULT,
	"sent\treceived\n"
	"1\t0\n",
	"rdmactl ping: 9: no answer to 1 of 1 requests (not sent: <EHOSTUNREACH>)\n", ""};

static void pings(void **state)
{
	(void)state;
	expect_all(pings_rows, ARRAY_SIZE(pings_rows));
	begin();
	nodes.waits = 3;
	expect(&pings_stopped);
	assert_int_equal(nodes.waited, 3);
	begin();
	nodes.send_error = -EHOSTUNREACH;
	expect(&pings_unsent);
}

/* The file holds the M_Key, which is for subnet management only, and the SA_Key. */
static void keys_of_file(void **state)
{
	static const struct command_row rows[] = {
		{"mad send 9 --class sm --attribute nodeinfo --tsv -o object", STATUS_DONE, NULL,
		 "", "9 get NodeInfo 0x0 key 0x77\n"},
		{"mad send 9 --class cc --attribute 0x11 --tsv -o object", STATUS_DONE, NULL, "",
		 "9 get CongestionInfo 0x0\n"},
		{"mad send 9 --class cc --attribute 0x11 --mkey 6 --tsv -o object", STATUS_DONE,
		 NULL, "", "9 get CongestionInfo 0x0 key 0x6\n"},
		{"mad send --class sa --attribute 1 --tsv -o object", STATUS_DONE, NULL, "",
		 "1 get ClassPortInfo 0x0 key 0x55\nmask 0x0\n"
		 "0000000000000000000000000000000000000000000000000000000000000000"
		 "00000000000000000000000000000000\n"},
		{"sa classportinfo --tsv -o class_version", STATUS_DONE, NULL, "",
		 "1 get ClassPortInfo 0x0 key 0x55\nmask 0x0\n"
		 "0000000000000000000000000000000000000000000000000000000000000000"
		 "00000000000000000000000000000000\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		manager.conf = "m_key=0x77\nsa_key=0x55\n";
		expect(&rows[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries),	cmocka_unit_test(complaints),
		cmocka_unit_test(refusals),	cmocka_unit_test(pings),
		cmocka_unit_test(keys_of_file),
	};

	return cmocka_run_group_tests_name("sa_run", tests, command_set_up, command_tear_down);
}
