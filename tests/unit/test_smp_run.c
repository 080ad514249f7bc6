/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl smp over simulated nodes: what it requests from them, how it shows their tables by the
 * clauses of 14.2.5, and every message where a node has nothing to show.
 */
#include "made_up_nodes.h"

#include "cmd/commands.h"

/*
 * The subnet, by LIDs: 1 the subnet manager, 5 a switch of 17 ports with an enhanced port 0, 6 one
 * of 2 ports without it, 7 dead, 8 an adapter that answers only NodeInfo, 9 an adapter of 2 ports,
 * 10 one that refuses all but NodeInfo, 11 another manager, 12 a switch without multicast, 13 the
 * second port of a router of 2 ports, 14 an adapter of one port, 15 a switch of 4 ports without an
 * enhanced port 0, whose ports have arbitration tables of different sizes, and whose port 2 does
 * not answer PortInfo. The directed route 0,1 leads to the switch 5, 0,2 to 7, 0 to the adapter 9.
 */
static struct {
	unsigned int manager;	  /* state of the manager at LID 11 */
	unsigned int next, polls; /* the next state, after so many more polls */
	unsigned char sender[21]; /* SMInfo of a command */
	unsigned char set[64];	  /* PortInfo that was written */
	int refused;		  /* status of a Set */
	bool dead_set, dead_sa, refused_sa;
	bool cut_off; /* nothing can be sent after the first answer */
} subnet;

static void put_switch_info(unsigned int lid, unsigned char *data)
{
	memset(data, 0, 64);
	put_16(data, 4, lid == 12 ? 0 : 33);	 /* MulticastFDBCap */
	put_16(data, 6, 66);			 /* LinearFDBTop */
	put_16(data, 14, lid == 5 ? 34 : 2);	 /* PartitionEnforcementCap */
	data[16] = lid == 5 ? 0x08 : 0;		 /* EnhancedPort0 */
	put_16(data, 18, lid == 6 ? 0xc001 : 0); /* MulticastFDBTop */
}

static void put_port_info(unsigned int lid, unsigned int port, unsigned char *data)
{
	static const unsigned char caps[][2] = {{0, 0}, {1, 33}, {0, 0}, {40, 8}, {1, 0}};

	memset(data, 0, 64);
	put_16(data, 16, 20 + port); /* LID */
	put_16(data, 26, 15);	     /* M_KeyLeasePeriod */
	data[28] = 1;		     /* LocalPortNum */
	data[32] = 0x04;	     /* Active */
	data[33] = 0x52;	     /* LinkUp; default Polling */
	data[39] = 1;		     /* VLArbitrationHighCap */
	data[40] = 33;		     /* VLArbitrationLowCap */
	data[50] = 9;		     /* GUIDCap */
	if (lid == 15)
		memcpy(data + 39, caps[port], 2);
}

/* 14.2.5.10: LID 5 is the switch, 63, 64 and 66 are reached by ports, 67 is above LinearFDBTop. */
static void put_linear(unsigned int block, unsigned char *data)
{
	memset(data, 0xff, 64);
	if (!block) {
		data[1] = 1;
		data[OUR_LID] = 17;
		data[5] = 0;
		data[63] = 2;
	} else {
		data[0] = 3;
		data[2] = 17;
		data[3] = 9;
	}
}

/* 14.2.5.12: position 0 has ports 0 to 15, position 1 the others. 0xc021 is above the table. */
static void put_multicast(unsigned int lid, uint32_t modifier, unsigned char *data)
{
	const unsigned int position = modifier >> 28, block = modifier & 0x1ff;

	memset(data, 0, 64);
	/* No group has been joined yet. */
	if (lid == 15)
		return;
	if (!position && !block) {
		put_16(data, 0, 0x0006);
		put_16(data, 2, 0x8000);
	} else if (!block) {
		put_16(data, 2, 0x0001);
		put_16(data, 6, 0x0003);
	} else if (!position) {
		put_16(data, 0, 0x0002);
		put_16(data, 2, 0x0002);
	}
}

static void put_pkeys(uint32_t modifier, unsigned char *data)
{
	memset(data, 0, 64);
	if (!(modifier & 0xffff)) {
		put_16(data, 0, 0xffff);
		put_16(data, 4, modifier >> 16 ? 0x0001 : 0x8001);
		put_16(data, 6, 0x7fff);
	} else {
		put_16(data, 2, 0x8002);
		put_16(data, 4, 0x8003);
	}
}

/* 14.2.5.9: each part has its own first entry; the second has no weight. */
static void put_arbitration(uint32_t modifier, unsigned char *data)
{
	memset(data, 0, 64);
	data[0] = (unsigned char)(modifier >> 16);
	data[1] = 10;
	data[2] = 7;
	data[63] = (unsigned char)(modifier >> 16 == 1 ? 3 : 0);
}

static void put_manager(unsigned int lid, unsigned char *data)
{
	memset(data, 0, 64);
	put_64(data, 0, 0xa0 + lid);
	put_64(data, 8, 0x1234);
	data[19] = 77;
	data[20] = (unsigned char)(0x50 | (lid == MANAGER_LID ? 3 : subnet.manager));
	if (lid == 11 && subnet.polls && !--subnet.polls)
		subnet.manager = subnet.next;
}

static int take_command(const struct asked *asked, unsigned char *data)
{
	if (subnet.dead_set)
		return NODES_SILENT;
	memcpy(subnet.sender, asked->data, sizeof(subnet.sender));
	put_manager(asked->lid, data);
	return subnet.refused;
}

/*
 * NodeRecords, 15.2.5.2: LID, NodeInfo and description; 112 bytes each. Bits 0 and 14 of the mask
 * select those of a LID and of a description.
 */
static int list_nodes(const struct asked *asked, unsigned char *data)
{
	static const struct {
		unsigned int lid;
		const char *name;
	} rows[] = {{1, "manager"}, {5, "leaf"}, {63, "host-a"}};
	const uint64_t mask = mad_component_mask(asked->mad);
	const char *name = (const char *)asked->data + 44;
	size_t count = 0;

	if (subnet.dead_sa)
		return NODES_SILENT;
	memset(data, 0, NODES_DATA);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if ((mask & 1 && bits_get(asked->data, 0, 16) != rows[i].lid) ||
		    (mask & 1 << 14 && strcmp(name, rows[i].name)))
			continue;
		put_16(data, count * 112, rows[i].lid);
		put_node_info(data + count * 112 + 4, rows[i].lid == 5 ? 2 : 1,
			      rows[i].lid == 5 ? 17 : 1, rows[i].lid * 0x10000, 1);
		strcpy((char *)data + count++ * 112 + 44, rows[i].name);
	}
	nodes.record_bytes = 112;
	nodes.bytes = count * 112;
	return subnet.refused_sa ? 0x0700 : count ? 0 : 0x0300;
}

/*
 * The LID of a port GUID is its sixth byte here; 15.2.5.16 has the offsets. A GID that begins with
 * 20 lies behind a router, whose LID the path has.
 */
static int find_path(const struct asked *asked, unsigned char *data)
{
	const unsigned int lid = asked->data[8 + 13];

	memset(data, 0, 64);
	if (asked->data[8] == 0x20) {
		memcpy(data + 8, asked->data + 8, 32);
		data[47] = 64;
	}
	put_16(data, 40, lid);
	return lid ? 0 : 0x0300;
}

static int answer_port_info(const struct asked *asked, unsigned char *data)
{
	if (asked->method == UMAD_METHOD_SET) {
		memcpy(subnet.set, asked->data, sizeof(subnet.set));
		return subnet.dead_set ? NODES_SILENT : subnet.refused;
	}
	if (asked->lid == 15 && asked->modifier == 2)
		return NODES_SILENT;
	put_port_info(asked->lid, asked->modifier, data);
	return asked->lid == 6 && asked->modifier == 1 ? 0x1c : 0;
}

static int answer_table(unsigned int lid, const struct asked *asked, unsigned char *data)
{
	switch (asked->attribute) {
	case UMAD_SM_ATTR_SWITCH_INFO:
		put_switch_info(lid, data);
		return 0;
	case UMAD_SM_ATTR_PORT_INFO:
		return answer_port_info(asked, data);
	case UMAD_SM_ATTR_LINEAR_FT:
		put_linear(asked->modifier, data);
		return 0;
	case UMAD_SM_ATTR_MCAST_FT:
		put_multicast(lid, asked->modifier, data);
		return 0;
	case UMAD_SM_ATTR_PKEY_TABLE:
		put_pkeys(asked->modifier, data);
		return 0;
	case UMAD_SM_ATTR_VL_ARB_TABLE:
		put_arbitration(asked->modifier, data);
		return 0;
	case UMAD_SM_ATTR_SLVL_TABLE:
		memset(data, 0, 64);
		data[0] = (unsigned char)asked->modifier;
		data[1] = (unsigned char)(asked->modifier >> 8);
		return 0;
	case UMAD_SM_ATTR_GUID_INFO:
		memset(data, 0, 64);
		put_64(data, asked->modifier ? 0 : 8, 0xf0 + asked->modifier);
		put_64(data, asked->modifier ? 8 : 56, 0xe0 + asked->modifier);
		return 0;
	default:
		return 0x0c;
	}
}

static int answer_node(const struct asked *asked, unsigned char *data)
{
	const unsigned int lid = asked->lid != MAD_LID_PERMISSIVE ? asked->lid
				 : !strcmp(asked->to, "0,1")	  ? 5
				 : !strcmp(asked->to, "0,2")	  ? 7
								  : 9;
	const bool is_switch = lid == 5 || lid == 6 || lid == 12 || lid == 15;

	if (asked->mgmt_class == UMAD_CLASS_SUBN_ADM && asked->attribute == UMAD_SA_ATTR_PATH_REC)
		return find_path(asked, data);
	if (asked->mgmt_class == UMAD_CLASS_SUBN_ADM)
		return list_nodes(asked, data);
	if (lid == 7)
		return NODES_SILENT;
	if (asked->attribute == UMAD_SM_ATTR_NODE_INFO) {
		put_node_info(data,
			      is_switch	  ? 2
			      : lid == 13 ? 3
					  : 1,
			      lid == 5	  ? 17
			      : lid == 14 ? 1
			      : lid == 15 ? 4
					  : 2,
			      lid * 0x10000, lid == 13 ? 2 : 1);
		put_16(data, 28, lid == 5 ? 2 : 3);
		return 0;
	}
	if (lid == 8)
		return NODES_SILENT;
	if (lid == 10)
		return 0x1c;
	if (asked->attribute == UMAD_SM_ATTR_SWITCH_INFO && !is_switch)
		return 0x0c;
	if (asked->attribute == UMAD_SM_ATTR_NODE_DESC) {
		memset(data, 0, 64);
		snprintf((char *)data, 64, "node %u\x01", lid);
		return 0;
	}
	if (asked->attribute == UMAD_SM_ATTR_SM_INFO && asked->method == UMAD_METHOD_SET)
		return take_command(asked, data);
	if (asked->attribute == UMAD_SM_ATTR_SM_INFO) {
		if (lid != MANAGER_LID && lid != 11)
			return NODES_SILENT;
		put_manager(lid, data);
		return 0;
	}
	return answer_table(lid, asked, data);
}

static int answer(const struct asked *asked, unsigned char *data)
{
	if (subnet.cut_off)
		nodes.send_error = -EHOSTUNREACH;
	return answer_node(asked, data);
}

static void begin(void)
{
	memset(&subnet, 0, sizeof(subnet));
	subnet.manager = 2;
	nodes_begin(answer);
}

static void expect(const struct command_row *row)
{
	nodes_expect(&smp_command, row);
}

static void expect_all(const struct command_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin();
		expect(&rows[i]);
	}
}

#define OTHER_PORTS_HINT                                                                      \
	"  query another port by its own LID or GUID, which rdmactl sa nodes lists, or by a " \
	"route that ends there\n"

/* Which blocks of a table are read, which entries are shown, and in what order. */
static const struct command_row tables_rows[] = {
	{"smp lft 5 --tsv -o object,node,object_lid,lid,port", STATUS_DONE,
	 "object\tnode\tobject_lid\tlid\tport\n"
	 "5\tnode 5\\x01\t5\t1\t1\n"
	 "5\tnode 5\\x01\t5\t2\t17\n"
	 "5\tnode 5\\x01\t5\t5\t0\n"
	 "5\tnode 5\\x01\t5\t63\t2\n"
	 "5\tnode 5\\x01\t5\t64\t3\n"
	 "5\tnode 5\\x01\t5\t66\t17\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x1\n"
	 "5 get NodeDescription 0x0\n"},
	{"smp lft 0,1 64-66 6 --tsv -o object,object_lid,lid,port", STATUS_DONE,
	 "object\tobject_lid\tlid\tport\n"
	 "0,1\t\t64\t3\n"
	 "0,1\t\t65\t255\n"
	 "0,1\t\t66\t17\n"
	 "0,1\t\t6\t255\n",
	 "",
	 "0,1 get NodeInfo 0x0\n"
	 "0,1 get SwitchInfo 0x0\n"
	 "0,1 get LinearForwardingTable 0x1\n"
	 "0,1 get LinearForwardingTable 0x0\n"},
	{"smp lft 5 64-80 --tsv -o lid,port", STATUS_PARTIAL,
	 "lid\tport\n"
	 "64\t3\n"
	 "65\t255\n"
	 "66\t17\n",
	 "rdmactl smp: 5: cannot read entries: the node has 0 to 66\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x1\n"},
	{"smp mft 5 --tsv -o mlid,ports,port_mask", STATUS_DONE,
	 "mlid\tports\tport_mask\n"
	 "0xc000\t1-2\t0x0006\n"
	 "0xc001\t15-16\t0x00018000\n"
	 "0xc003\t16-17\t0x00030000\n"
	 "0xc020\t1\t0x0002\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get MulticastForwardingTable 0x0\n"
	 "5 get MulticastForwardingTable 0x1\n"
	 "5 get MulticastForwardingTable 0x10000000\n"
	 "5 get MulticastForwardingTable 0x10000001\n"},
	{"smp mft 5 0xc001-0xc003,0xc020 --tsv -o mlid,ports", STATUS_DONE,
	 "mlid\tports\n"
	 "0xc001\t15-16\n"
	 "0xc002\t\n"
	 "0xc003\t16-17\n"
	 "0xc020\t1\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get MulticastForwardingTable 0x0\n"
	 "5 get MulticastForwardingTable 0x1\n"
	 "5 get MulticastForwardingTable 0x10000000\n"
	 "5 get MulticastForwardingTable 0x10000001\n"},
	{"smp mft 15 --tsv -o mlid,ports", STATUS_DONE, "mlid\tports\n", "",
	 "15 get NodeInfo 0x0\n"
	 "15 get SwitchInfo 0x0\n"
	 "15 get MulticastForwardingTable 0x0\n"
	 "15 get MulticastForwardingTable 0x1\n"},
	{"smp mft 6 --tsv -o mlid,ports", STATUS_DONE,
	 "mlid\tports\n"
	 "0xc000\t1-2\n"
	 "0xc001\t15\n",
	 "",
	 "6 get NodeInfo 0x0\n"
	 "6 get SwitchInfo 0x0\n"
	 "6 get MulticastForwardingTable 0x0\n"},
	{"smp pkeys 5 17 --tsv -o object_port,index,pkey,membership", STATUS_DONE,
	 "object_port\tindex\tpkey\tmembership\n"
	 "17\t0\t0xffff\tfull\n"
	 "17\t2\t0x0001\tlimited\n"
	 "17\t3\t0x7fff\tlimited\n"
	 "17\t33\t0x8002\tfull\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get P_KeyTable 0x110000\n"
	 "5 get P_KeyTable 0x110001\n"},
	{"smp pkeys 6 --all-ports --tsv -o object_port,index,pkey", STATUS_DONE,
	 "object_port\tindex\tpkey\n"
	 "0\t0\t0xffff\n"
	 "0\t2\t0x8001\n"
	 "1\t0\t0xffff\n"
	 "2\t0\t0xffff\n",
	 "",
	 "6 get NodeInfo 0x0\n"
	 "6 get SwitchInfo 0x0\n"
	 "6 get P_KeyTable 0x0\n"
	 "6 get P_KeyTable 0x10000\n"
	 "6 get P_KeyTable 0x20000\n"},
	{"smp pkeys 9 --all --tsv -o object_port,index,pkey,membership", STATUS_DONE,
	 "object_port\tindex\tpkey\tmembership\n"
	 "1\t0\t0xffff\tfull\n"
	 "1\t1\t0x0000\t\n"
	 "1\t2\t0x8001\tfull\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get P_KeyTable 0x0\n"},
	/*
	 * An adapter or a router answers with the port that the request reached, whatever its
	 * number.
	 */
	{"smp pkeys 9 0 --tsv -o object_port,index,pkey", STATUS_DONE,
	 "object_port\tindex\tpkey\n"
	 "1\t0\t0xffff\n"
	 "1\t2\t0x8001\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get P_KeyTable 0x0\n"},
	{"smp pkeys 13 2 --tsv -o object_port,index,pkey", STATUS_DONE,
	 "object_port\tindex\tpkey\n"
	 "2\t0\t0xffff\n"
	 "2\t2\t0x8001\n",
	 "",
	 "13 get NodeInfo 0x0\n"
	 "13 get P_KeyTable 0x0\n"},
	{"smp pkeys 14 --all-ports --tsv -o object_port,index,pkey", STATUS_DONE,
	 "object_port\tindex\tpkey\n"
	 "1\t0\t0xffff\n"
	 "1\t2\t0x8001\n",
	 "",
	 "14 get NodeInfo 0x0\n"
	 "14 get P_KeyTable 0x0\n"},
	{"smp pkeys 13 --raw --tsv -o object_port,modifier", STATUS_DONE,
	 "object_port\tmodifier\n"
	 "2\t0x00000000\n",
	 "",
	 "13 get NodeInfo 0x0\n"
	 "13 get P_KeyTable 0x0\n"},
	{"smp sl2vl 6 --tsv -o input_port,output_port,sl1_vl,sl3_vl", STATUS_DONE,
	 "input_port\toutput_port\tsl1_vl\tsl3_vl\n"
	 "0\t0\t0\t0\n"
	 "1\t0\t0\t1\n"
	 "2\t0\t0\t2\n"
	 "0\t1\t1\t0\n"
	 "1\t1\t1\t1\n"
	 "2\t1\t1\t2\n"
	 "0\t2\t2\t0\n"
	 "1\t2\t2\t1\n"
	 "2\t2\t2\t2\n",
	 "",
	 "6 get NodeInfo 0x0\n"
	 "6 get SLtoVLMappingTable 0x0\n"
	 "6 get SLtoVLMappingTable 0x100\n"
	 "6 get SLtoVLMappingTable 0x200\n"
	 "6 get SLtoVLMappingTable 0x1\n"
	 "6 get SLtoVLMappingTable 0x101\n"
	 "6 get SLtoVLMappingTable 0x201\n"
	 "6 get SLtoVLMappingTable 0x2\n"
	 "6 get SLtoVLMappingTable 0x102\n"
	 "6 get SLtoVLMappingTable 0x202\n"},
	{"smp sl2vl 9 --tsv -o input_port,output_port,sl1_vl,sl3_vl", STATUS_DONE,
	 "input_port\toutput_port\tsl1_vl\tsl3_vl\n"
	 "\t1\t0\t0\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get SLtoVLMappingTable 0x0\n"},
	{"smp vlarb 12 --tsv -o object_port,index,priority,entry,vl,weight", STATUS_DONE,
	 "object_port\tindex\tpriority\tentry\tvl\tweight\n"
	 "1\t0\tlow\t0\t1\t10\n"
	 "1\t31\tlow\t31\t0\t3\n"
	 "1\t32\tlow\t32\t2\t10\n"
	 "1\t64\thigh\t0\t3\t10\n"
	 "2\t0\tlow\t0\t1\t10\n"
	 "2\t31\tlow\t31\t0\t3\n"
	 "2\t32\tlow\t32\t2\t10\n"
	 "2\t64\thigh\t0\t3\t10\n",
	 "",
	 "12 get NodeInfo 0x0\n"
	 "12 get SwitchInfo 0x0\n"
	 "12 get PortInfo 0x1\n"
	 "12 get PortInfo 0x2\n"
	 "12 get VLArbitrationTable 0x10001\n"
	 "12 get VLArbitrationTable 0x20001\n"
	 "12 get VLArbitrationTable 0x30001\n"
	 "12 get VLArbitrationTable 0x10002\n"
	 "12 get VLArbitrationTable 0x20002\n"
	 "12 get VLArbitrationTable 0x30002\n"},
	/* 14.2.5.6: each port has the sizes of its own tables; those of port 0 are 0 here. */
	{"smp vlarb 15 0-1 3-4 --tsv -o object_port,index,priority,entry,vl,weight", STATUS_DONE,
	 "object_port\tindex\tpriority\tentry\tvl\tweight\n"
	 "1\t0\tlow\t0\t1\t10\n"
	 "1\t31\tlow\t31\t0\t3\n"
	 "1\t32\tlow\t32\t2\t10\n"
	 "1\t64\thigh\t0\t3\t10\n"
	 "3\t0\tlow\t0\t1\t10\n"
	 "3\t64\thigh\t0\t3\t10\n"
	 "3\t96\thigh\t32\t4\t10\n"
	 "4\t64\thigh\t0\t3\t10\n",
	 "",
	 "15 get NodeInfo 0x0\n"
	 "15 get SwitchInfo 0x0\n"
	 "15 get PortInfo 0x1\n"
	 "15 get PortInfo 0x3\n"
	 "15 get PortInfo 0x4\n"
	 "15 get VLArbitrationTable 0x10001\n"
	 "15 get VLArbitrationTable 0x20001\n"
	 "15 get VLArbitrationTable 0x30001\n"
	 "15 get VLArbitrationTable 0x10003\n"
	 "15 get VLArbitrationTable 0x30003\n"
	 "15 get VLArbitrationTable 0x40003\n"
	 "15 get VLArbitrationTable 0x30004\n"},
	{"smp vlarb 5 0,1 --tsv -o object_port,index,priority,entry,vl,weight", STATUS_DONE,
	 "object_port\tindex\tpriority\tentry\tvl\tweight\n"
	 "0\t0\tlow\t0\t1\t10\n"
	 "0\t31\tlow\t31\t0\t3\n"
	 "0\t32\tlow\t32\t2\t10\n"
	 "0\t64\thigh\t0\t3\t10\n"
	 "1\t0\tlow\t0\t1\t10\n"
	 "1\t31\tlow\t31\t0\t3\n"
	 "1\t32\tlow\t32\t2\t10\n"
	 "1\t64\thigh\t0\t3\t10\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortInfo 0x0\n"
	 "5 get PortInfo 0x1\n"
	 "5 get VLArbitrationTable 0x10000\n"
	 "5 get VLArbitrationTable 0x20000\n"
	 "5 get VLArbitrationTable 0x30000\n"
	 "5 get VLArbitrationTable 0x10001\n"
	 "5 get VLArbitrationTable 0x20001\n"
	 "5 get VLArbitrationTable 0x30001\n"},
	{"smp vlarb 13 --all-ports --tsv -o object_port,index,vl,weight", STATUS_PARTIAL,
	 "object_port\tindex\tvl\tweight\n"
	 "2\t0\t1\t10\n"
	 "2\t31\t0\t3\n"
	 "2\t32\t2\t10\n"
	 "2\t64\t3\t10\n",
	 "rdmactl smp: 13: cannot read ports: port 2 answers here, and does not report "
	 "VLArbitrationTable of other ports\n" OTHER_PORTS_HINT,
	 "13 get NodeInfo 0x0\n"
	 "13 get PortInfo 0x0\n"
	 "13 get VLArbitrationTable 0x10002\n"
	 "13 get VLArbitrationTable 0x20002\n"
	 "13 get VLArbitrationTable 0x30002\n"},
	{"smp guidinfo 9 --tsv -o object_port,index,guid", STATUS_DONE,
	 "object_port\tindex\tguid\n"
	 "\t1\t0000:0000:0000:00f0\n"
	 "\t7\t0000:0000:0000:00e0\n"
	 "\t8\t0000:0000:0000:00f1\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "9 get GUIDInfo 0x0\n"
	 "9 get GUIDInfo 0x1\n"},
	{"smp guidinfo 9 7-8 --tsv -o index,guid", STATUS_DONE,
	 "index\tguid\n"
	 "7\t0000:0000:0000:00e0\n"
	 "8\t0000:0000:0000:00f1\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "9 get GUIDInfo 0x0\n"
	 "9 get GUIDInfo 0x1\n"},
	{"smp guidinfo 9 1-2 -a --tsv -o index,guid", STATUS_DONE,
	 "index\tguid\n"
	 "1\t0000:0000:0000:00f0\n"
	 "2\t0000:0000:0000:0000\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "9 get GUIDInfo 0x0\n"},
	{"smp portinfo 9 --all-ports --tsv -o object,object_port,lid,state", STATUS_DONE,
	 "object\tobject_port\tlid\tstate\n"
	 "9\t1\t21\tactive\n"
	 "9\t2\t22\tactive\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x1\n"
	 "9 get PortInfo 0x2\n"},
	{"smp portinfo 5 0 17 --tsv -o object_port,lid", STATUS_DONE,
	 "object_port\tlid\n"
	 "0\t20\n"
	 "17\t37\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get PortInfo 0x0\n"
	 "5 get PortInfo 0x11\n"},
	{"smp lft 5 --raw 0-1 --tsv", STATUS_DONE,
	 "object\tmodifier\tdata\n"
	 "5\t0x00000000\tff0111ffff00fffffffffffffffffffffffffffffffffffffffffff"
	 "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff02\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"},
	{"smp portinfo 9 2 --raw", STATUS_DONE,
	 "object       9\n"
	 "node         node 9\\x01\n"
	 "object_lid   9\n"
	 "object_port  2\n"
	 "modifier     0x00000002\n"
	 "data         0000000000000000000000000000000000160000000000000000000f0"
	 "10000000452000000000001210000000000000000000900000000000000000000000000\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x2\n"
	 "9 get NodeDescription 0x0\n"},
	{"smp nodeinfo 5,9", STATUS_DONE,
	 "OBJECT TYPE   PORTS NODE GUID           LOCAL PORT\n"
	 "5      switch    17 0000:0000:0005:0001          1\n"
	 "9      ca         2 0000:0000:0009:0001          1\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "5 get NodeDescription 0x0\n"
	 "9 get NodeDescription 0x0\n"},
	{"smp nodeinfo 5,9 -o all", STATUS_DONE,
	 "object             5\n"
	 "node               node 5\\x01\n"
	 "object_lid         5\n"
	 "node_type          switch\n"
	 "port_count         17\n"
	 "node_guid          0000:0000:0005:0001\n"
	 "port_guid          0000:0000:0005:0002\n"
	 "system_image_guid  0000:0000:0005:0000\n"
	 "local_port         1\n"
	 "vendor_id          0x000000\n"
	 "device_id          0x0000\n"
	 "revision           0x00000000\n"
	 "pkey_table_length  2\n"
	 "base_version       1\n"
	 "class_version      1\n"
	 "\n"
	 "object             9\n"
	 "node               node 9\\x01\n"
	 "object_lid         9\n"
	 "node_type          ca\n"
	 "port_count         2\n"
	 "node_guid          0000:0000:0009:0001\n"
	 "port_guid          0000:0000:0009:0002\n"
	 "system_image_guid  0000:0000:0009:0000\n"
	 "local_port         1\n"
	 "vendor_id          0x000000\n"
	 "device_id          0x0000\n"
	 "revision           0x00000000\n"
	 "pkey_table_length  3\n"
	 "base_version       1\n"
	 "class_version      1\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "5 get NodeDescription 0x0\n"
	 "9 get NodeDescription 0x0\n"},
	{"smp nodedesc 5", STATUS_DONE,
	 "object            5\n"
	 "node              node 5\\x01\n"
	 "object_lid        5\n"
	 "node_description  node 5\\x01\n",
	 "",
	 "5 get NodeDescription 0x0\n"
	 "5 get NodeDescription 0x0\n"},
	{"smp sminfo --tsv -o object,object_lid,port_guid,state,priority,activity_count",
	 STATUS_DONE,
	 "object\tobject_lid\tport_guid\tstate\tpriority\tactivity_count\n"
	 "1\t1\t0000:0000:0000:00a1\tmaster\t5\t77\n",
	 "", "1 get SMInfo 0x0\n"},
	{"smp sminfo 11 --json", STATUS_DONE,
	 "{\"schema\": \"rdmactl/smp_sminfo/1\",\n"
	 " \"smp_sminfo\": [\n"
	 "  {\"object\": \"11\", \"node\": \"node 11\\\\x01\", \"object_lid\": 11, "
	 "\"port_guid\": \"0000:0000:0000:00ab\", \"state\": \"standby\", \"priority\": "
	 "5, \"activity_count\": 77}],\n"
	 " \"problems\": []}\n",
	 "",
	 "11 get SMInfo 0x0\n"
	 "11 get NodeDescription 0x0\n"},
};

static void tables(void **state)
{
	(void)state;
	expect_all(tables_rows, ARRAY_SIZE(tables_rows));
}

/* Messages for invalid words, and for nodes that do not answer as they should. */
static const struct command_row complaints_rows[] = {
	{"smp portinfo 9 3", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read ports: its last port is 2\n", "9 get NodeInfo 0x0\n"},
	{"smp portinfo 9 2-3 --tsv -o object_port", STATUS_PARTIAL,
	 "object_port\n"
	 "2\n",
	 "rdmactl smp: 9: cannot read ports: its last port is 2\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x2\n"},
	/* 14.2.5.7 to 14.2.5.9: an adapter's other port must not be shown as the requested one. */
	{"smp pkeys 9 2", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read ports: port 1 answers here, and does not report P_KeyTable "
	 "of other ports\n" OTHER_PORTS_HINT,
	 "9 get NodeInfo 0x0\n"},
	{"smp sl2vl 13 1", STATUS_FAILED, "",
	 "rdmactl smp: 13: cannot read ports: port 2 answers here, and does not report "
	 "SLtoVLMappingTable of other ports\n" OTHER_PORTS_HINT,
	 "13 get NodeInfo 0x0\n"},
	{"smp sl2vl 13 1-3 --tsv -o input_port,output_port,sl1_vl", STATUS_PARTIAL,
	 "input_port\toutput_port\tsl1_vl\n"
	 "\t2\t0\n",
	 "rdmactl smp: 13: cannot read ports: its last port is 2\n"
	 "rdmactl smp: 13: cannot read ports: port 2 answers here, and does not report "
	 "SLtoVLMappingTable of other ports\n" OTHER_PORTS_HINT,
	 "13 get NodeInfo 0x0\n"
	 "13 get SLtoVLMappingTable 0x0\n"},
	{"smp vlarb 9 3", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read ports: its last port is 2\n", "9 get NodeInfo 0x0\n"},
	/*
	 * A port that does not report the sizes of its tables is skipped. All are queried at once,
	 * so the second try comes after the first ones of the other ports and nodes.
	 */
	{"smp vlarb 15,8,9 --tsv -o object,object_port,index --retries 1", STATUS_PARTIAL,
	 "object\tobject_port\tindex\n"
	 "15\t1\t0\n"
	 "15\t1\t31\n"
	 "15\t1\t32\n"
	 "15\t1\t64\n"
	 "15\t3\t0\n"
	 "15\t3\t64\n"
	 "15\t3\t96\n"
	 "15\t4\t64\n"
	 "9\t1\t0\n"
	 "9\t1\t31\n"
	 "9\t1\t32\n"
	 "9\t1\t64\n",
	 "rdmactl smp: 15: cannot read PortInfo of port 2: no answer, asked 2 times\n"
	 "  the node answers other requests but not this one: it may not have the "
	 "attribute\n"
	 "rdmactl smp: 8: cannot read PortInfo of port 1: no answer, asked 2 times\n",
	 "15 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "15 get SwitchInfo 0x0\n"
	 "15 get PortInfo 0x1\n"
	 "15 get PortInfo 0x2\n"
	 "15 get PortInfo 0x3\n"
	 "15 get PortInfo 0x4\n"
	 "8 get PortInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "15 get PortInfo 0x2\n"
	 "8 get PortInfo 0x0\n"
	 "15 get VLArbitrationTable 0x10001\n"
	 "15 get VLArbitrationTable 0x20001\n"
	 "15 get VLArbitrationTable 0x30001\n"
	 "15 get VLArbitrationTable 0x10003\n"
	 "15 get VLArbitrationTable 0x30003\n"
	 "15 get VLArbitrationTable 0x40003\n"
	 "15 get VLArbitrationTable 0x30004\n"
	 "9 get VLArbitrationTable 0x10001\n"
	 "9 get VLArbitrationTable 0x20001\n"
	 "9 get VLArbitrationTable 0x30001\n"},
	{"smp vlarb 6 --tsv -o object_port,index", STATUS_PARTIAL,
	 "object_port\tindex\n"
	 "2\t0\n"
	 "2\t31\n"
	 "2\t32\n"
	 "2\t64\n",
	 "rdmactl smp: 6: cannot read PortInfo of port 1: refused with status 0x001c: "
	 "invalid-value\n",
	 "6 get NodeInfo 0x0\n"
	 "6 get SwitchInfo 0x0\n"
	 "6 get PortInfo 0x1\n"
	 "6 get PortInfo 0x2\n"
	 "6 get VLArbitrationTable 0x10002\n"
	 "6 get VLArbitrationTable 0x20002\n"
	 "6 get VLArbitrationTable 0x30002\n"},
	{"smp vlarb 15 0", STATUS_FAILED, "",
	 "rdmactl smp: 15: cannot read ports: port 0 of this switch is a base port, which has no "
	 "VLArbitrationTable\n"
	 "  omit the port to get the tables of all others\n",
	 "15 get NodeInfo 0x0\n"
	 "15 get SwitchInfo 0x0\n"},
	{"smp vlarb 15 2 --retries 0", STATUS_FAILED, "",
	 "rdmactl smp: 15: cannot read PortInfo of port 2: no answer, asked once\n"
	 "  the node answers other requests but not this one: it may not have the "
	 "attribute\n",
	 "15 get NodeInfo 0x0\n"
	 "15 get SwitchInfo 0x0\n"
	 "15 get PortInfo 0x2\n"},
	{"smp portinfo 9 1 3 4 --tsv -o object_port", STATUS_PARTIAL,
	 "object_port\n"
	 "1\n",
	 "rdmactl smp: 9: cannot read ports: its last port is 2\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x1\n"},
	/* A directed route has no LID that could be wrong. */
	{"smp nodeinfo -D 0,2 --retries 0", STATUS_FAILED, "",
	 "rdmactl smp: 0,2: cannot read NodeInfo: no answer, asked once\n"
	 "  the node or the path to it is down, or it answers only with its M_Key (--mkey)\n",
	 "0,2 get NodeInfo 0x0\n"},
	{"smp guidinfo 8,7,9 --tsv -o object,index --retries 0", STATUS_PARTIAL,
	 "object\tindex\n"
	 "9\t1\n"
	 "9\t7\n"
	 "9\t8\n",
	 "rdmactl smp: 7: cannot read NodeInfo: no answer, asked once\n"
	 "  no port has this LID, the node or the path to it is down, or it answers only with its "
	 "M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	 "(-D 0,1,3)\n"
	 "rdmactl smp: 8: cannot read PortInfo: no answer, asked once\n"
	 "  the node answers other requests but not this one: it may not have the "
	 "attribute\n",
	 "8 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "9 get GUIDInfo 0x0\n"
	 "9 get GUIDInfo 0x1\n"},
	{"smp portinfo 6 --all-ports --tsv -o object_port", STATUS_PARTIAL,
	 "object_port\n"
	 "0\n"
	 "2\n",
	 "rdmactl smp: 6: cannot read PortInfo of port 1: refused with status 0x001c: "
	 "invalid-value\n",
	 "6 get NodeInfo 0x0\n"
	 "6 get PortInfo 0x0\n"
	 "6 get PortInfo 0x1\n"
	 "6 get PortInfo 0x2\n"},
	{"smp lft 9", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read LinearForwardingTable: the node is not a switch\n"
	 "  rdmactl smp nodeinfo shows its type\n",
	 "9 get NodeInfo 0x0\n"},
	{"smp mft 5,9 0xc000 --tsv -o object,mlid", STATUS_PARTIAL,
	 "object\tmlid\n"
	 "5\t0xc000\n",
	 "rdmactl smp: 9: cannot read MulticastForwardingTable: the node is not a "
	 "switch\n"
	 "  rdmactl smp nodeinfo shows its type\n",
	 "5 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get MulticastForwardingTable 0x0\n"
	 "5 get MulticastForwardingTable 0x10000000\n"},
	{"smp lft 5 66-67 --tsv -o lid", STATUS_PARTIAL,
	 "lid\n"
	 "66\n",
	 "rdmactl smp: 5: cannot read entries: the node has 0 to 66\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x1\n"},
	{"smp mft 5 0xc020-0xc021 --tsv -o mlid", STATUS_PARTIAL,
	 "mlid\n"
	 "0xc020\n",
	 "rdmactl smp: 5: cannot read entries: the node has 0xc000 to 0xc020\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get MulticastForwardingTable 0x1\n"
	 "5 get MulticastForwardingTable 0x10000001\n"},
	{"smp mft 12 --tsv", STATUS_DONE, "object\tmlid\tports\n", "",
	 "12 get NodeInfo 0x0\n"
	 "12 get SwitchInfo 0x0\n"},
	{"smp guidinfo 9 8-9 --tsv -o index", STATUS_PARTIAL,
	 "index\n"
	 "8\n",
	 "rdmactl smp: 9: cannot read entries: the node has 0 to 8\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "9 get GUIDInfo 0x1\n"},
	{"smp lft 5 abc", STATUS_USAGE, "",
	 "rdmactl smp: 'abc' is not a number or a range\n"
	 "  entries of the table: 5 16-31\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"},
	{"smp portinfo 9 1x", STATUS_USAGE, "",
	 "rdmactl smp: '1x' is not a number or a range\n"
	 "  ports: 1 2 5-8\n",
	 "9 get NodeInfo 0x0\n"},
	{"smp portinfo 9 1 --all-ports", STATUS_USAGE, "",
	 "rdmactl smp: --all-ports cannot be used with ports by number\n", "9 get NodeInfo 0x0\n"},
	{"smp nodeinfo 9 1", STATUS_USAGE, "",
	 "rdmactl smp: nodeinfo belongs to the node, not to a port or an entry\n"
	 "  do not give a port or entry after the destination\n",
	 ""},
	{"smp lft leaf/1", STATUS_USAGE, "",
	 "rdmactl smp: 'leaf/1' names a port, but lft belongs to the node\n"
	 "  omit the port\n",
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get PathRecord 0x0\n"
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"},
	{"smp lft leaf", STATUS_DONE,
	 "OBJECT LID PORT DESTINATION\n"
	 "leaf     1    1 manager\n"
	 "leaf     2   17 -\n"
	 "leaf     5    0 leaf\n"
	 "leaf    63    2 host-a\n"
	 "leaf    64    3 -\n"
	 "leaf    66   17 -\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "1 get PathRecord 0x0\n"
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x1\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
	{"smp portinfo leaf/1 --tsv -o object,object_port,lid", STATUS_DONE,
	 "object\tobject_port\tlid\n"
	 "leaf/1\t1\t21\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get PathRecord 0x0\n"
	 "5 get NodeInfo 0x0\n"
	 "5 get PortInfo 0x1\n"},
	{"smp portinfo 0xf90000 --tsv -o object,object_lid,object_port", STATUS_DONE,
	 "object\tobject_lid\tobject_port\n"
	 "0000:0000:00f9:0000\t249\t1\n",
	 "",
	 "1 get PathRecord 0x0\n"
	 "249 get NodeInfo 0x0\n"
	 "249 get PortInfo 0x0\n"},
	{"smp portinfo fe80::5:0 1 --tsv -o object,object_lid,object_port", STATUS_DONE,
	 "object\tobject_lid\tobject_port\n"
	 "fe80:0000:0000:0000:0000:0000:0005:0000\t5\t1\n",
	 "",
	 "1 get PathRecord 0x0\n"
	 "5 get NodeInfo 0x0\n"
	 "5 get PortInfo 0x1\n"},
	{"smp portinfo 0xf00000001 9 --tsv -o object", STATUS_FAILED, "",
	 "rdmactl smp: 0000:000f:0000:0001: the subnet administrator knows no path to "
	 "it\n"
	 "  check that it is the GUID of a port that is up: rdmactl sa nodes -o +port_guid\n",
	 "1 get PathRecord 0x0\n"},
	{"smp portinfo 7,9 --tsv -o object,node", STATUS_PARTIAL,
	 "object\tnode\n"
	 "9\tnode 9\\x01\n",
	 "rdmactl smp: 7: cannot read NodeInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node or the path to it is down, or it answers only with its "
	 "M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	 "(-D 0,1,3)\n",
	 "7 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"
	 "9 get PortInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"},
	{"smp lft 7", STATUS_FAILED, "",
	 "rdmactl smp: 7: cannot read NodeInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node or the path to it is down, or it answers only with its "
	 "M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	 "(-D 0,1,3)\n",
	 "7 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"
	 "7 get NodeInfo 0x0\n"},
	{"smp portinfo 8", STATUS_FAILED, "",
	 "rdmactl smp: 8: cannot read PortInfo of port 1: no answer, asked 4 times\n"
	 "  the node answers other requests but not this one: it may not have the "
	 "attribute\n",
	 "8 get NodeInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "8 get PortInfo 0x0\n"},
	{"smp portinfo 8 2 --retries 1", STATUS_FAILED, "",
	 "rdmactl smp: 8: cannot read PortInfo of port 2: no answer, asked 2 times\n"
	 "  the node answers other requests but not this one: it may not have the "
	 "attribute\n",
	 "8 get NodeInfo 0x0\n"
	 "8 get PortInfo 0x2\n"
	 "8 get PortInfo 0x2\n"},
	{"smp lft 8,5 --tsv -o object,lid", STATUS_PARTIAL,
	 "object\tlid\n"
	 "5\t1\n"
	 "5\t2\n"
	 "5\t5\n"
	 "5\t63\n"
	 "5\t64\n"
	 "5\t66\n",
	 "rdmactl smp: 8: cannot read LinearForwardingTable: the node is not a switch\n"
	 "  rdmactl smp nodeinfo shows its type\n",
	 "8 get NodeInfo 0x0\n"
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x1\n"},
	{"smp guidinfo 8", STATUS_FAILED, "",
	 "rdmactl smp: 8: cannot read PortInfo: no answer, asked 4 times\n"
	 "  the node answers other requests but not this one: it may not have the "
	 "attribute\n",
	 "8 get NodeInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "8 get PortInfo 0x0\n"
	 "8 get PortInfo 0x0\n"},
	{"smp nodedesc 8", STATUS_FAILED, "",
	 "rdmactl smp: 8: cannot read NodeDescription: no answer, asked 4 times\n"
	 "  no port has this LID, the node or the path to it is down, or it answers only with its "
	 "M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	 "(-D 0,1,3)\n",
	 "8 get NodeDescription 0x0\n"
	 "8 get NodeDescription 0x0\n"
	 "8 get NodeDescription 0x0\n"
	 "8 get NodeDescription 0x0\n"},
	{"smp sminfo 9", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read SMInfo: no answer, asked 4 times\n"
	 "  no subnet manager answers there: it is not running, or hangs\n",
	 "9 get SMInfo 0x0\n"
	 "9 get SMInfo 0x0\n"
	 "9 get SMInfo 0x0\n"
	 "9 get SMInfo 0x0\n"},
	{"smp portinfo 10 1", STATUS_FAILED, "",
	 "rdmactl smp: 10: cannot read PortInfo of port 1: refused with status 0x001c: "
	 "invalid-value\n",
	 "10 get NodeInfo 0x0\n"
	 "10 get PortInfo 0x1\n"},
	{"smp sminfo 10", STATUS_FAILED, "",
	 "rdmactl smp: 10: cannot read SMInfo: refused with status 0x001c: "
	 "invalid-value\n",
	 "10 get SMInfo 0x0\n"},
	{"smp switchinfo 9", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read SwitchInfo: refused with status 0x000c: "
	 "attribute-not-supported\n"
	 "  only switches have it: rdmactl smp nodeinfo shows the type of the node\n",
	 "9 get SwitchInfo 0x0\n"},
	{"smp nodeinfo 0 -L", STATUS_USAGE, "",
	 "rdmactl smp: '0' is out of range: LIDs are 1 to 49151, routes have ports up to 255 and "
	 "at most 63 hops\n"
	 "  rdmactl fabric nodes -o node,lid,path lists them\n",
	 ""},
	{"smp nodeinfo -D 0,256", STATUS_USAGE, "",
	 "rdmactl smp: '0,256' is out of range: LIDs are 1 to 49151, routes have ports up to 255 "
	 "and at most 63 hops\n"
	 "  rdmactl fabric nodes -o node,lid,path lists them\n",
	 ""},
	{"smp nodeinfo a/b/c --retries 0", STATUS_FAILED, "",
	 "rdmactl smp: a/b/c: no node has this name in the node name map or in its description\n"
	 "  rdmactl fabric nodes lists them\n",
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
	{"smp nodeinfo nobody", STATUS_FAILED, "",
	 "rdmactl smp: nobody: no node has this name in the node name map or in its description\n"
	 "  rdmactl fabric nodes lists them\n",
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
	{"smp nodeinfo -", STATUS_USAGE, "", "rdmactl smp: no destination on standard input\n", ""},
	{"smp nodeinfo --lid", STATUS_USAGE, "", "rdmactl smp: --lid needs a destination\n", ""},
	{"smp nodeinfo 65000", STATUS_USAGE, "",
	 "rdmactl smp: '65000' is out of range: LIDs are 1 to 49151, routes have ports up to 255 "
	 "and at most 63 hops\n"
	 "  for a node whose name looks like a number, use --node\n",
	 ""},
	{"smp nodeinfo 0,300", STATUS_USAGE, "",
	 "rdmactl smp: '0,300' is out of range: LIDs are 1 to 49151, routes have ports up to 255 "
	 "and at most 63 hops\n"
	 "  rdmactl fabric nodes -o node,lid,path lists them\n",
	 ""},
	{"smp nodeinfo 9 --mkey x", STATUS_USAGE, "",
	 "rdmactl smp: --mkey: 'x' is not a number up to 0xffffffffffffffff\n", ""},
};

static void complaints(void **state)
{
	(void)state;
	expect_all(complaints_rows, ARRAY_SIZE(complaints_rows));
}

/* The names of the nodes that the entries lead to. */
static const struct command_row destinations_rows[] = {
	{"smp lft 5 --tsv -o lid,port,destination", STATUS_DONE,
	 "lid\tport\tdestination\n"
	 "1\t1\tmanager\n"
	 "2\t17\t\n"
	 "5\t0\tleaf\n"
	 "63\t2\thost-a\n"
	 "64\t3\t\n"
	 "66\t17\t\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x1\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
	{"smp lft 5 63 --tsv -o lid,port,destination", STATUS_DONE,
	 "lid\tport\tdestination\n"
	 "63\t2\thost-a\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
	{"smp lft 5 0 1 1 5 --tsv -o lid,destination", STATUS_DONE,
	 "lid\tdestination\n"
	 "0\t\n"
	 "1\tmanager\n"
	 "1\tmanager\n"
	 "5\tleaf\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
	{"smp lft 5 1-5 --tsv -o lid,destination --names /dev/null", STATUS_DONE,
	 "lid\tdestination\n"
	 "1\tmanager\n"
	 "2\t\n"
	 "3\t\n"
	 "4\t\n"
	 "5\tleaf\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"
	 "1 get-table NodeRecord 0x0\n"},
};

static const struct command_row destinations_dead = {
	"smp lft 5 5 --tsv -o lid,destination --retries 0", STATUS_PARTIAL,
	"lid\tdestination\n"
	"5\t\n",
	"rdmactl smp: cannot read destination: the subnet administrator did not "
	"answer\n"
	"  rdmactl smp sminfo shows whether the subnet manager is alive\n",
	"5 get NodeInfo 0x0\n"
	"5 get SwitchInfo 0x0\n"
	"5 get LinearForwardingTable 0x0\n"
	"1 get-table NodeRecord 0x0\n"};

static const struct command_row destinations_refused = {
	"smp lft 5 5 --tsv -o lid,destination", STATUS_PARTIAL,
	"lid\tdestination\n"
	"5\t\n",
	"rdmactl smp: cannot read destination: the subnet administrator refused the "
	"query\n"
	"  rdmactl sa nodes shows the status\n",
	"5 get NodeInfo 0x0\n"
	"5 get SwitchInfo 0x0\n"
	"5 get LinearForwardingTable 0x0\n"
	"1 get-table NodeRecord 0x0\n"};

static const struct command_row destinations_none = {
	"smp lft 5 5 --tsv -o lid,destination -v", STATUS_DONE,
	"lid\tdestination\n"
	"5\t\n",
	"rdmactl smp: through port m0/3, LID 2\n"
	"rdmactl smp: the destinations have no names: no subnet administrator to ask\n",
	"5 get NodeInfo 0x0\n"
	"5 get SwitchInfo 0x0\n"
	"5 get LinearForwardingTable 0x0\n"};

static const struct command_row destinations_no_manager = {
	"smp sminfo", STATUS_FAILED, "",
	"rdmactl smp: the port has no subnet manager: its SM LID is 0\n"
	"  start a subnet manager, or give a node: rdmactl smp sminfo -D 0,1\n",
	""};

static void destinations(void **state)
{
	(void)state;
	expect_all(destinations_rows, ARRAY_SIZE(destinations_rows));
	begin();
	subnet.dead_sa = true;
	expect(&destinations_dead);
	begin();
	subnet.refused_sa = true;
	expect(&destinations_refused);
	begin();
	nodes.no_manager = true;
	expect(&destinations_none);
	expect(&destinations_no_manager);
}

/* The local port: which one is used, and why it may not open. */
static const struct command_row local_ports_via = {
	"smp nodeinfo --via m0/3 --tsv -o object,port_guid -v", STATUS_DONE,
	"object\tport_guid\n"
	"0\t0000:0000:0009:0002\n",
	"rdmactl smp: through port m0/3, LID 2\n", "0 get NodeInfo 0x0\n"};

static const struct command_row local_ports_wrong = {"smp nodeinfo --via m0/x", STATUS_USAGE, "",
						     "rdmactl smp: 'm0/x' is not DEV or DEV/PORT\n"
						     "  rdmactl devices lists the names\n",
						     ""};

static const struct command_row local_ports_no_names = {
	"smp nodeinfo --names /nonexistent", STATUS_FAILED, "",
	"rdmactl smp: cannot read /nonexistent: <ENOENT>\n", ""};

static const struct command_row local_ports_wrong_names = {
	"smp nodeinfo --names /proc/self/comm", STATUS_FAILED, "",
	"rdmactl smp: /proc/self/comm: line 1 does not name a node\n"
	"  each line has the form 0x0002c90300001234 \"leaf 3\"\n",
	""};

static const struct command_row local_ports_none = {"smp nodeinfo", STATUS_NOTHING, "", "", ""};

static const struct command_row local_ports_ethernet = {
	"smp nodeinfo", STATUS_NOTHING, "",
	"rdmactl smp: m1: it has no node\n"
	"rdmactl smp: port m0/3 is Ethernet, which has no LIDs, no subnet management "
	"and no subnet administration\n"
	"  on Ethernet: rdmactl ports, gids and counters show the port, rdmactl ping "
	"and selftest reach a peer\n",
	""};

static const struct command_row local_ports_closed = {"smp nodeinfo", STATUS_NOTHING, "",
						      "rdmactl smp: m0/3 has no umad device file\n"
						      "  load the module: modprobe ib_umad\n",
						      ""};

static const struct command_row local_ports_forbidden = {
	"smp nodeinfo", STATUS_FAILED, "",
	"rdmactl smp: m0/3 has no umad device file\n"
	"  load the module: modprobe ib_umad\n",
	""};

static const struct command_row local_ports_unsent = {
	"smp nodeinfo 5", STATUS_FAILED, "",
	"rdmactl smp: 5: cannot read NodeInfo: <EHOSTUNREACH>\n", ""};

static const struct command_row local_ports_keyed = {"smp nodeinfo 5 --mkey 0x77 --tsv -o object",
						     STATUS_DONE,
						     "object\n"
						     "5\n",
						     "", "5 get NodeInfo 0x0 key 0x77\n"};

static void local_ports(void **state)
{
	(void)state;
	begin();
	expect(&local_ports_via);
	assert_string_equal(nodes.via, "m0/3");
	begin();
	expect(&local_ports_wrong);
	begin();
	expect(&local_ports_no_names);
	begin();
	expect(&local_ports_wrong_names);
	begin();
	nodes.load_error = -ENODEV;
	expect(&local_ports_none);
	begin();
	nodes.ethernet = true;
	expect(&local_ports_ethernet);
	begin();
	nodes.open_error = -ENODEV;
	expect(&local_ports_closed);
	begin();
	nodes.open_error = -EACCES;
	expect(&local_ports_forbidden);
	begin();
	nodes.send_error = -EHOSTUNREACH;
	expect(&local_ports_unsent);
	begin();
	expect(&local_ports_keyed);
}

/* Only a valid command line writes anything. */
static const struct command_row refused_sets_rows[] = {
	{"smp portinfo 9 1 --set mkey_lease_period_sec", STATUS_USAGE, "",
	 "rdmactl smp: --set takes FIELD=VALUE\n"
	 "  rdmactl smp portinfo --help lists the fields\n",
	 ""},
	{"smp portinfo 9 1 --set nothing=1", STATUS_USAGE, "",
	 "rdmactl smp: --set: unknown column 'nothing'\n"
	 "  rdmactl smp portinfo --help lists the columns\n",
	 ""},
	{"smp portinfo 9 1 --set local_port=1", STATUS_USAGE, "",
	 "rdmactl smp: --set: local_port is read-only\n"
	 "  only the node itself sets it\n",
	 ""},
	{"smp portinfo 9 1 --set mkey_lease_period_sec=65536", STATUS_USAGE, "",
	 "rdmactl smp: --set: '65536' is out of range for mkey_lease_period_sec\n"
	 "  lease of the management key, in seconds\n",
	 "9 get PortInfo 0x1\n"},
	{"smp portinfo 9 1 --set mkey_lease_period_sec=x", STATUS_USAGE, "",
	 "rdmactl smp: --set: 'x' is not a value of mkey_lease_period_sec\n"
	 "  lease of the management key, in seconds\n",
	 "9 get PortInfo 0x1\n"},
	{"smp portinfo 9 1 2 --set mkey_lease_period_sec=1", STATUS_USAGE, "",
	 "rdmactl smp: --set changes one attribute of one port of one node\n", ""},
	{"smp portinfo 9,5 1 --set mkey_lease_period_sec=1", STATUS_USAGE, "",
	 "rdmactl smp: --set changes one attribute of one port of one node\n", ""},
	{"smp portinfo 9 --all-ports --set mkey_lease_period_sec=1", STATUS_USAGE, "",
	 "rdmactl smp: --set changes one attribute of one port of one node\n", ""},
	/* A Set of an attribute of the node has no port in its modifier. */
	{"smp nodedesc 9 1 --set node_description=x --yes", STATUS_USAGE, "",
	 "rdmactl smp: nodedesc belongs to the node, not to a port or an entry\n"
	 "  do not give a port or entry after the destination\n",
	 ""},
	{"smp portinfo 9 x --set mkey_lease_period_sec=1", STATUS_USAGE, "",
	 "rdmactl smp: the port is not a number\n", ""},
	{"smp sminfo 11 --set priority=1", STATUS_USAGE, "",
	 "rdmactl smp: --set cannot change a subnet manager: writing SMInfo sends it a command, "
	 "and changes no field\n"
	 "  rdmactl smp sminfo DEST --command handover sends such commands\n",
	 ""},
	{"smp portinfo 9 1 --set mkey_lease_period_sec=1", STATUS_USAGE, "",
	 "mkey_lease_period_sec of 9 port 1: 15 -> 1\n"
	 "rdmactl smp: nothing was changed: there is no terminal to confirm it on\n"
	 "  --yes changes it without asking\n",
	 "9 get PortInfo 0x1\n"},
	{"smp portinfo 9 1 --set state=down --yes", STATUS_FAILED, "",
	 "rdmactl smp: not changed: the path to the node goes through this port, and "
	 "may be lost for good\n"
	 "  --force changes it anyway\n",
	 "9 get PortInfo 0x1\n"
	 "9 get NodeInfo 0x0\n"},
	{"smp portinfo 9 --set state=down --yes", STATUS_FAILED, "",
	 "rdmactl smp: not changed: the path to the node goes through this port, and "
	 "may be lost for good\n"
	 "  --force changes it anyway\n",
	 "9 get PortInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"},
	{"smp portinfo 7 --set mkey_lease_period_sec=1 --yes", STATUS_FAILED, "",
	 "rdmactl smp: 7: cannot read PortInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node or the path to it is down, or it answers only with its "
	 "M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	 "(-D 0,1,3)\n",
	 "7 get PortInfo 0x0\n"
	 "7 get PortInfo 0x0\n"
	 "7 get PortInfo 0x0\n"
	 "7 get PortInfo 0x0\n"},
	/* Nothing is sent but the query for the path. */
	{"smp portinfo 2001::d:0 1 --set mkey_lease_period_sec=1 --yes", STATUS_FAILED, "",
	 "rdmactl smp: 2001:0000:0000:0000:0000:0000:000d:0000: cannot read PortInfo: it is in "
	 "another subnet, and SMPs do not cross routers\n",
	 "1 get PathRecord 0x0\n"},
	{"smp portinfo 10 --set mkey_lease_period_sec=1 --yes", STATUS_FAILED, "",
	 "rdmactl smp: 10: cannot read PortInfo: refused with status 0x001c: "
	 "invalid-value\n",
	 "10 get PortInfo 0x0\n"},
	{"smp portinfo 5 17 --set state=down --yes", STATUS_FAILED, "",
	 "rdmactl smp: not changed: the path to the node goes through this port, and "
	 "may be lost for good\n"
	 "  --force changes it anyway\n",
	 "5 get PortInfo 0x11\n"
	 "5 get NodeInfo 0x0\n"
	 "5 get LinearForwardingTable 0x0\n"},
};

static void refused_sets(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused_sets_rows); i++) {
		begin();
		expect(&refused_sets_rows[i]);
		for (size_t j = 0; j < sizeof(subnet.set); j++)
			assert_int_equal(subnet.set[j], 0);
	}
}

static const struct command_row sets_lease = {
	"smp portinfo 9 2 --set mkey_lease_period_sec=258 --yes --tsv -o "
	"object,node,object_lid,object_port,mkey_lease_period_sec",
	STATUS_DONE,
	"object\tnode\tobject_lid\tobject_port\tmkey_lease_period_sec\n"
	"9\tnode 9\\x01\t9\t2\t258\n",
	"mkey_lease_period_sec of 9 port 2: 15 -> 258\n",
	"9 get PortInfo 0x2\n"
	"9 get NodeDescription 0x0\n"
	"9 set PortInfo 0x2\n"};

static const struct command_row sets_forced = {
	"smp portinfo 0 1 --set state=armed --yes --force --tsv -o "
	"object,node,object_lid,object_port,state",
	STATUS_DONE,
	"object\tnode\tobject_lid\tobject_port\tstate\n"
	"0\tnode 9\\x01\t\t1\tarmed\n",
	"state of 0 port 1: active -> armed\n",
	"0 get PortInfo 0x1\n"
	"0 get NodeDescription 0x0\n"
	"0 set PortInfo 0x1\n"};

/* Port 0 of an adapter means the port that answers; a switch has a port 0. */
static const struct command_row sets_unnamed = {
	"smp portinfo 9 --set mkey_lease_period_sec=258 --yes --tsv -o object_port", STATUS_DONE,
	"object_port\n"
	"1\n",
	"mkey_lease_period_sec of 9: 15 -> 258\n",
	"9 get PortInfo 0x0\n"
	"9 get NodeInfo 0x0\n"
	"9 set PortInfo 0x0\n"};

static const struct command_row sets_port0 = {
	"smp portinfo 5 --set mkey_lease_period_sec=258 --yes --tsv -o object_port", STATUS_DONE,
	"object_port\n"
	"0\n",
	"mkey_lease_period_sec of 5: 15 -> 258\n",
	"5 get PortInfo 0x0\n"
	"5 get NodeInfo 0x0\n"
	"5 set PortInfo 0x0\n"};

/* Nothing is read after the Set: the node may then have another LID or key, or be cut off. */
static const struct command_row sets_key = {"smp portinfo 9 --set mkey=0x77,lid=99 --mkey 0x55 "
					    "--yes --force --tsv -o node,object_lid,lid",
					    STATUS_DONE,
					    "node\tobject_lid\tlid\n"
					    "node 9\\x01\t9\t99\n",
					    "mkey of 9: *** -> ***\n"
					    "lid of 9: 20 -> 99\n",
					    "9 get PortInfo 0x0 key 0x55\n"
					    "9 get NodeDescription 0x0 key 0x55\n"
					    "9 get NodeInfo 0x0 key 0x55\n"
					    "9 set PortInfo 0x0 key 0x55\n"};

static const struct command_row sets_rejected = {
	"smp portinfo 9 2 --set mkey_lease_period_sec=1 --yes", STATUS_FAILED, "",
	"mkey_lease_period_sec of 9 port 2: 15 -> 1\n"
	"rdmactl smp: 9: not changed: the node refused it with status 0x001c: "
	"invalid-value\n",
	"9 get PortInfo 0x2\n"
	"9 get NodeDescription 0x0\n"
	"9 set PortInfo 0x2\n"};

static const struct command_row sets_lost = {
	"smp portinfo 9 2 --set mkey_lease_period_sec=1 --yes --retries 0 -o lid", STATUS_FAILED,
	"",
	"mkey_lease_period_sec of 9 port 2: 15 -> 1\n"
	"rdmactl smp: 9: it is unknown whether the change took effect: no answer, asked "
	"once\n"
	"  no port has this LID, the node or the path to it is down, or it answers only with its "
	"M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	"(-D 0,1,3)\n",
	"9 get PortInfo 0x2\n"
	"9 set PortInfo 0x2\n"};

/* Nothing left this host, so nothing can have changed. */
static const struct command_row sets_unsent = {
	"smp portinfo 9 2 --set mkey_lease_period_sec=1 --yes -o lid", STATUS_FAILED, "",
	"mkey_lease_period_sec of 9 port 2: 15 -> 1\n"
	"rdmactl smp: 9: not changed: <EHOSTUNREACH>\n",
	"9 get PortInfo 0x2\n"};

static void sets(void **state)
{
	(void)state;
	begin();
	expect(&sets_lease);
	assert_int_equal(subnet.set[26], 1);
	assert_int_equal(subnet.set[27], 2);
	/* The states of the port do not change: 0 means "no change". */
	assert_int_equal(subnet.set[32], 0);
	assert_int_equal(subnet.set[33], 2);
	begin();
	expect(&sets_forced);
	assert_int_equal(subnet.set[32], 3);
	begin();
	expect(&sets_unnamed);
	begin();
	expect(&sets_port0);
	begin();
	expect(&sets_key);
	begin();
	subnet.refused = 0x1c;
	expect(&sets_rejected);
	begin();
	subnet.dead_set = true;
	expect(&sets_lost);
	begin();
	subnet.cut_off = true;
	expect(&sets_unsent);
}

/* The modifier is the command (14.4.1); the sender is the master, or a standby for command 2. */
static const struct {
	unsigned int before, after, polls;
	unsigned int sender, waits;
	struct command_row row;
} commands_rows[] = {
	{2,
	 3,
	 3,
	 3,
	 1,
	 {"smp sminfo 11 --command handover --yes --tsv -o object,node,object_lid,state",
	  STATUS_DONE,
	  "object\tnode\tobject_lid\tstate\n"
	  "11\tnode 11\\x01\t11\tmaster\n",
	  "handover to the subnet manager at 11, which is standby\n",
	  "11 get SMInfo 0x0\n"
	  "1 get SMInfo 0x0\n"
	  "11 set SMInfo 0x1\n"
	  "11 get SMInfo 0x0\n"
	  "11 get SMInfo 0x0\n"
	  "11 get NodeDescription 0x0\n"}},
	{3,
	 3,
	 0,
	 2,
	 0,
	 {"smp sminfo 11 --command acknowledge --yes --tsv -o object,state", STATUS_DONE,
	  "object\tstate\n"
	  "11\tmaster\n",
	  "acknowledge to the subnet manager at 11, which is master\n",
	  "11 get SMInfo 0x0\n"
	  "1 get SMInfo 0x0\n"
	  "11 set SMInfo 0x2\n"
	  "11 get SMInfo 0x0\n"}},
	{2,
	 0,
	 2,
	 3,
	 0,
	 {"smp sminfo 11 --command disable --yes --tsv -o state", STATUS_DONE,
	  "state\n"
	  "not-active\n",
	  "disable to the subnet manager at 11, which is standby\n",
	  "11 get SMInfo 0x0\n"
	  "1 get SMInfo 0x0\n"
	  "11 set SMInfo 0x3\n"
	  "11 get SMInfo 0x0\n"}},
	{2,
	 0,
	 3,
	 3,
	 1,
	 {"smp sminfo 11 --command disable --yes --tsv -o state", STATUS_DONE,
	  "state\n"
	  "not-active\n",
	  "disable to the subnet manager at 11, which is standby\n",
	  "11 get SMInfo 0x0\n"
	  "1 get SMInfo 0x0\n"
	  "11 set SMInfo 0x3\n"
	  "11 get SMInfo 0x0\n"
	  "11 get SMInfo 0x0\n"}},
	{0,
	 2,
	 4,
	 3,
	 2,
	 {"smp sminfo 11 --command standby --yes --tsv -o state", STATUS_DONE,
	  "state\n"
	  "standby\n",
	  "standby to the subnet manager at 11, which is not-active\n",
	  "11 get SMInfo 0x0\n"
	  "1 get SMInfo 0x0\n"
	  "11 set SMInfo 0x4\n"
	  "11 get SMInfo 0x0\n"
	  "11 get SMInfo 0x0\n"
	  "11 get SMInfo 0x0\n"}},
	{2,
	 2,
	 0,
	 3,
	 0,
	 {"smp sminfo 11 --command discover --yes --tsv -o state", STATUS_DONE,
	  "state\n"
	  "standby\n",
	  "discover to the subnet manager at 11, which is standby\n",
	  "11 get SMInfo 0x0\n"
	  "1 get SMInfo 0x0\n"
	  "11 set SMInfo 0x5\n"
	  "11 get SMInfo 0x0\n"}},
	{2,
	 2,
	 0,
	 3,
	 50,
	 {"smp sminfo 11 --command handover --yes --tsv -o state", STATUS_PARTIAL,
	  "state\n"
	  "standby\n",
	  "handover to the subnet manager at 11, which is standby\n"
	  "rdmactl smp: 11: the subnet manager accepted the command, but is still standby\n"
	  "  the log of the subnet manager may say why\n",
	  NULL}},
};

static void commands(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands_rows); i++) {
		begin();
		subnet.manager = commands_rows[i].before;
		subnet.next = commands_rows[i].after;
		subnet.polls = commands_rows[i].polls;
		expect(&commands_rows[i].row);
		assert_int_equal(nodes.waited, commands_rows[i].waits);
		/* The SMInfo of the master: its GUID, key, activity and priority. */
		assert_int_equal(bits_get(subnet.sender, 0, 64), 0xa1);
		assert_int_equal(bits_get(subnet.sender, 64, 64), 0x1234);
		assert_int_equal(subnet.sender[19], 77);
		assert_int_equal(subnet.sender[20], 0x50 | commands_rows[i].sender);
	}
}

static const struct command_row refused_commands_rows[] = {
	{"smp sminfo --command handover --yes", STATUS_USAGE, "",
	 "rdmactl smp: --command needs a subnet manager as its destination\n"
	 "  rdmactl sa sm lists them: give a LID, a port GUID or a route\n",
	 ""},
	{"smp sminfo 11,1 --command handover --yes", STATUS_USAGE, "",
	 "rdmactl smp: --command takes only one subnet manager\n", ""},
	{"smp sminfo 11 1 --command handover --yes", STATUS_USAGE, "",
	 "rdmactl smp: unexpected argument '1' after the destination\n"
	 "  separate destinations with commas: 2,4\n",
	 ""},
	{"smp sminfo 11 --command handover", STATUS_USAGE, "",
	 "handover to the subnet manager at 11, which is standby\n"
	 "rdmactl smp: nothing was sent: there is no terminal to confirm it on\n"
	 "  --yes sends it without asking\n",
	 "11 get SMInfo 0x0\n"},
	{"smp sminfo 9 --command handover --yes --retries 0", STATUS_FAILED, "",
	 "rdmactl smp: 9: cannot read SMInfo: no answer, asked once\n"
	 "  no subnet manager answers there\n",
	 "9 get SMInfo 0x0\n"},
};

static const struct command_row refused_commands_rejected = {
	"smp sminfo 11 --command handover --yes", STATUS_FAILED, "",
	"handover to the subnet manager at 11, which is standby\n"
	"rdmactl smp: 11: the command was refused with status 0x001c: invalid-value; "
	"the subnet manager was standby before\n"
	"  handover, disable and discover are for a standby, standby is for a manager "
	"that is not active, acknowledge for a master\n",
	"11 get SMInfo 0x0\n"
	"1 get SMInfo 0x0\n"
	"11 set SMInfo 0x1\n"};

static const struct command_row refused_commands_lost = {
	"smp sminfo 11 --command handover --yes --retries 0", STATUS_FAILED, "",
	"handover to the subnet manager at 11, which is standby\n"
	"rdmactl smp: 11: it is unknown whether the subnet manager accepted the command: "
	"no answer, asked once\n"
	"  rdmactl smp sminfo shows its state\n",
	"11 get SMInfo 0x0\n"
	"1 get SMInfo 0x0\n"
	"11 set SMInfo 0x1\n"};

static const struct command_row refused_commands_unsent = {
	"smp sminfo 11 --command handover --yes", STATUS_FAILED, "",
	"handover to the subnet manager at 11, which is standby\n"
	"rdmactl smp: 11: the command was not sent: <EHOSTUNREACH>\n"
	"  rdmactl smp sminfo shows its state\n",
	"11 get SMInfo 0x0\n"};

static const struct command_row refused_commands_alone = {
	"smp sminfo 11 --command discover --yes --tsv -o state", STATUS_DONE,
	"state\n"
	"standby\n",
	"discover to the subnet manager at 11, which is standby\n",
	"11 get SMInfo 0x0\n"
	"11 set SMInfo 0x5\n"
	"11 get SMInfo 0x0\n"};

static const struct command_row refused_commands_stopped = {
	"smp sminfo 11 --command handover --yes --tsv -o state", STATUS_PARTIAL,
	"state\n"
	"standby\n",
	"handover to the subnet manager at 11, which is standby\n"
	"rdmactl smp: 11: the subnet manager accepted the command, but is still standby\n"
	"  the log of the subnet manager may say why\n",
	"11 get SMInfo 0x0\n"
	"1 get SMInfo 0x0\n"
	"11 set SMInfo 0x1\n"
	"11 get SMInfo 0x0\n"
	"11 get SMInfo 0x0\n"};

static void refused_commands(void **state)
{
	(void)state;
	expect_all(refused_commands_rows, ARRAY_SIZE(refused_commands_rows));
	begin();
	subnet.refused = 0x1c;
	expect(&refused_commands_rejected);
	begin();
	subnet.dead_set = true;
	expect(&refused_commands_lost);
	begin();
	subnet.cut_off = true;
	expect(&refused_commands_unsent);
	/* Without a master, the sender is this port. */
	begin();
	nodes.no_manager = true;
	expect(&refused_commands_alone);
	assert_int_equal(bits_get(subnet.sender, 0, 64), 0x22);
	assert_int_equal(bits_get(subnet.sender, 64, 64), 0);
	assert_int_equal(subnet.sender[20], 3);
	begin();
	nodes.waits = 2;
	expect(&refused_commands_stopped);
	assert_int_equal(nodes.waited, 2);
}

#define NOT_ANSWERED                                                                               \
	"rdmactl smp: 7: cannot read NodeInfo: no answer, asked once\n"                            \
	"  no port has this LID, the node or the path to it is down, or it answers only with its " \
	"M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route (-D 0,1,3)\n"

/* The sending port may be the cause: it is mentioned only after a request without an answer. */
static void port_not_active(void **state)
{
	static const struct command_row
		answered = {"smp pkeys 9 1 --tsv -o index", STATUS_DONE, "index\n0\n2\n", "", NULL},
		down = {"smp nodeinfo 7 --retries 0", STATUS_FAILED, "",
			NOT_ANSWERED "rdmactl smp: m0/3, which sends the requests, is down\n"
				     "  rdmactl ports shows its state; --via DEV/PORT sends "
				     "through another port\n",
			"7 get NodeInfo 0x0\n"},
		up = {"smp nodeinfo 7 --retries 0", STATUS_FAILED, "", NOT_ANSWERED,
		      "7 get NodeInfo 0x0\n"};

	(void)state;
	begin();
	nodes.state = PORT_STATE_DOWN;
	expect(&answered);
	expect(&down);
	nodes.state = PORT_STATE_INIT;
	expect(&answered);
	/* Subnet management works in this state. */
	expect(&up);
	nodes.state = PORT_STATE_ARMED;
	expect(&up);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),	   cmocka_unit_test(complaints),
		cmocka_unit_test(destinations),	   cmocka_unit_test(local_ports),
		cmocka_unit_test(refused_sets),	   cmocka_unit_test(sets),
		cmocka_unit_test(commands),	   cmocka_unit_test(refused_commands),
		cmocka_unit_test(port_not_active),
	};

	return cmocka_run_group_tests_name("smp_run", tests, command_set_up, command_tear_down);
}
