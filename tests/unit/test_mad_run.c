/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl mad send, classes and vendor, cc and sysstat over made-up nodes: the bytes of each
 * request, how the answer is shown, and all messages about invalid command lines.
 */
#include "made_up_nodes.h"

#include "cmd/commands.h"

/*
 * The nodes by LID: 1 the subnet manager, 4 a switch of 40 ports, 7 dead, 9 an adapter, 10 one that
 * refuses everything, 11 an adapter with a log of unknown type.
 */
static struct {
	int status;		/* of the SA */
	unsigned int slow_msec; /* time that sending to LID 9 takes */
} nodes_state;

static int answer_cc(const struct asked *asked, unsigned char *data)
{
	memset(data, 0, 200);
	switch (asked->attribute) {
	case MAD_CC_INFO:
		put_16(data, 0, 1); /* CongestionInfo */
		data[2] = 9;	    /* ControlTableCap */
		return 0;
	case MAD_CC_KEY_INFO:
		put_64(data, 0, 0x55);
		put_16(data, 10, 7); /* CC_KeyLeasePeriod */
		put_16(data, 12, 3); /* CC_KeyViolations */
		return 0;
	case MAD_CC_LOG:
		data[0] = asked->lid == 4 ? 1 : asked->lid == 9 ? 2 : 7; /* LogType */
		put_16(data, 2, 3);
		data[asked->lid == 4 ? 40 + 3 : 12 + 3] = 6;
		return 0;
	case MAD_CC_CA:
		put_16(data, 0, 1);
		put_16(data, 2, 0x000a);
		data[4 + 8 + 2] = 5; /* CCTI_Increase of SL 1 */
		data[4 + 24] = 0;
		put_16(data, 4 + 24, 300); /* CCTI_Timer of SL 3 */
		return 0;
	case MAD_CC_SWITCH_PORT:
		data[4 + 1] = (unsigned char)(9 + asked->modifier);
		data[127] = 1;
		return 0;
	case MAD_CC_TABLE:
		put_16(data, 0, 65); /* CCTI_Limit */
		put_16(data, 4, 0x4001 + asked->modifier);
		put_16(data, 8, 0x8002);
		return 0;
	default:
		return 0x0c;
	}
}

/* ClassPortInfo, 13.4.8.1 */
static int answer_class(const struct asked *asked, unsigned char *data)
{
	memset(data, 0, 72);
	data[0] = 1;
	data[1] = (unsigned char)(asked->mgmt_class == UMAD_CLASS_SUBN_ADM ? 2 : 1);
	put_16(data, 2, 0x0300);
	data[5] = 2;
	data[7] = (unsigned char)(0x40 | 18); /* CapabilityMask2, RespTimeValue */
	put_16(data, 28, 77);		      /* RedirectLID */
	data[35] = 5;			      /* RedirectQP */
	return 0;
}

static int answer_sysstat(const struct asked *asked, unsigned char *data)
{
	static const char host[] = "host-a", cpus[] = "cpu 0: model Abacus 2 MHZ 2199.5\n"
						      "cpu 1: model ? MHZ 800\n";

	memset(data, 0, 216);
	if (asked->attribute == 0x11)
		strcpy((char *)data, host);
	else if (asked->attribute == 0x12)
		strcpy((char *)data, asked->lid == 11 ? "cpu x" : cpus);
	if (asked->attribute == 0x12 && asked->lid == 4)
		strcpy((char *)data + strlen(cpus), "cpu two");
	return 0;
}

/* The answer of a Mellanox node: offsets as in ibdiags' vendor class. */
static int answer_vendor(unsigned char *data)
{
	for (size_t i = 0; i < 192; i++)
		data[i] = (unsigned char)(i % 10 + '0');
	return 0;
}

static int answer_node(const struct asked *asked, unsigned char *data)
{
	switch (asked->attribute) {
	case UMAD_SM_ATTR_NODE_INFO:
		put_node_info(data, asked->lid == 4 ? 2 : 1, asked->lid == 4 ? 40 : 2, 0x90, 1);
		return 0;
	case UMAD_SM_ATTR_NODE_DESC:
		memset(data, 0, 64);
		snprintf((char *)data, 64, "node %u", asked->lid);
		return 0;
	default:
		return 0;
	}
}

static int answer_sa(unsigned char *data)
{
	memset(data, 0, NODES_DATA);
	for (size_t i = 0; i < 2; i++) {
		put_16(data, i * 112, i + 5);
		put_node_info(data + i * 112 + 4, 1, 1, i, 1);
		strcpy((char *)data + i * 112 + 44, "host");
	}
	nodes.record_bytes = 112;
	nodes.bytes = 224;
	return nodes_state.status;
}

/* The path to a GID reached through a router with LID 13: 15.2.5.16. */
static int find_path(const struct asked *asked, unsigned char *data)
{
	memset(data, 0, 64);
	memcpy(data + 8, asked->data + 8, 32);
	put_16(data, 40, 13);
	data[47] = 64;
	return 0;
}

static int answer(const struct asked *asked, unsigned char *data)
{
	if (asked->mgmt_class == UMAD_CLASS_SUBN_ADM) {
		_cleanup_(freep) char *mask = mem_format(
			"mask 0x%llx", (unsigned long long)mad_component_mask(asked->mad));

		command_note(mask);
	}
	nodes_add_data(asked, 8);
	if (asked->lid == 9)
		fake_sleep(nodes_state.slow_msec);
	if (asked->lid == 7)
		return NODES_SILENT;
	if (asked->lid == 10)
		return 0x0c;
	if (asked->mgmt_class == UMAD_CLASS_SUBN_ADM && asked->attribute == UMAD_SA_ATTR_PATH_REC)
		return find_path(asked, data);
	if (asked->mgmt_class == UMAD_CLASS_SUBN_ADM &&
	    asked->attribute != UMAD_ATTR_CLASS_PORT_INFO)
		return answer_sa(data);
	if (mad_class_is_smp(asked->mgmt_class))
		return answer_node(asked, data);
	if (asked->attribute == UMAD_ATTR_CLASS_PORT_INFO)
		return asked->mgmt_class == UMAD_CLASS_CM     ? NODES_SILENT
		       : asked->mgmt_class == UMAD_CLASS_SNMP ? 0x0c
							      : answer_class(asked, data);
	switch (asked->mgmt_class) {
	case UMAD_CLASS_PERF_MGMT:
		memset(data, 0, 48);
		data[1] = asked->data[1];
		put_16(data, 4, 258);
		return 0;
	case UMAD_CLASS_CONG_MGMT:
		return answer_cc(asked, data);
	case MAD_CLASS_OPENIB_SYSSTAT:
		return answer_sysstat(asked, data);
	case MAD_CLASS_MELLANOX:
		return answer_vendor(data);
	default:
		return 0;
	}
}

static void begin(void)
{
	memset(&nodes_state, 0, sizeof(nodes_state));
	nodes_begin(answer);
}

static void expect(const struct command_row *row)
{
	const struct command *const commands[] = {&mad_command, &cc_command, &sysstat_command};

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strncmp(row->line, commands[i]->name, strcspn(row->line, " "))) {
			nodes_expect(commands[i], row);
			return;
		}
	fail_msg("no command has the line %s", row->line);
}

static void expect_all(const struct command_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin();
		expect(&rows[i]);
	}
}

static const struct command_row requests_rows[] = {
	{"mad send 9 --class pm --attribute portcounters --data 0003 --tsv -o "
	 "object,class,method,attribute,attribute_modifier,status,class_version",
	 STATUS_DONE,
	 "object\tclass\tmethod\tattribute\tattribute_modifier\tstatus\tclass_version\n"
	 "9\tpm\tget-response\tPortCounters\t0x00000000\tsuccess\t1\n",
	 "",
	 "9 get PortCounters 0x0\n"
	 "0003000000000000\n"},
	{"mad send 9,4 --class perf --attribute PORTCOUNTERS --modifier 0x12 --tsv -o "
	 "object,tries",
	 STATUS_DONE,
	 "object\ttries\n"
	 "9\t1\n"
	 "4\t1\n",
	 "",
	 "9 get PortCounters 0x12\n"
	 "0000000000000000\n"
	 "4 get PortCounters 0x12\n"
	 "0000000000000000\n"},
	{"mad send 9 --class pm --attribute 0x12 --data 00ff --raw", STATUS_DONE,
	 "object              9\n"
	 "bytes               256\n"
	 "class               pm\n"
	 "class_code          0x04\n"
	 "class_version       1\n"
	 "method              get-response\n"
	 "method_code         0x81\n"
	 "status              success\n"
	 "status_code         0x0000\n"
	 "transaction_id      0x0000000000444800\n"
	 "attribute           PortCounters\n"
	 "attribute_id        0x0012\n"
	 "attribute_modifier  0x00000000\n"
	 "tries               1\n"
	 "round_trip_usec     14\n"
	 "base_version        1\n"
	 "class_specific      0x0000\n"
	 "\n"
	 "port_select                  255\n"
	 "counter_select               0x0000\n"
	 "symbol_errors                258\n"
	 "link_error_recoveries        0\n"
	 "link_downed                  0\n"
	 "rcv_errors                   0\n"
	 "rcv_remote_physical_errors   0\n"
	 "rcv_switch_relay_errors      0\n"
	 "xmit_discards                0\n"
	 "xmit_constraint_errors       0\n"
	 "rcv_constraint_errors        0\n"
	 "counter_select2              0x00\n"
	 "local_link_integrity_errors  0\n"
	 "excessive_buffer_overruns    0\n"
	 "qp1_dropped                  0\n"
	 "vl15_dropped                 0\n"
	 "xmit_data_bytes              0\n"
	 "rcv_data_bytes               0\n"
	 "xmit_packets                 0\n"
	 "rcv_packets                  0\n"
	 "xmit_wait_ticks              0\n"
	 "\n"
	 "0040:  00 ff 00 00 01 02 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0050:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0060:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0070:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0080:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0090:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00a0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00b0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00c0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00d0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00e0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00f0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n",
	 "",
	 "9 get PortCounters 0x0\n"
	 "00ff000000000000\n"},
	{"mad send 9 --class pm --attribute 0x13", STATUS_DONE,
	 "object              9\n"
	 "bytes               256\n"
	 "class               pm\n"
	 "class_code          0x04\n"
	 "class_version       1\n"
	 "method              get-response\n"
	 "method_code         0x81\n"
	 "status              success\n"
	 "status_code         0x0000\n"
	 "transaction_id      0x0000000000444800\n"
	 "attribute           -\n"
	 "attribute_id        0x0013\n"
	 "attribute_modifier  0x00000000\n"
	 "tries               1\n"
	 "round_trip_usec     14\n"
	 "base_version        1\n"
	 "class_specific      0x0000\n"
	 "\n"
	 "0040:  00 00 00 00 01 02 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0050:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0060:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0070:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0080:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "0090:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00a0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00b0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00c0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00d0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00e0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	 "00f0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n",
	 "",
	 "9 get ? 0x0\n"
	 "0000000000000000\n"},
	{"mad send --class sa --attribute noderecord --method get-table "
	 "--component-mask 0x81 --data 0005 --tsv -o object,method,attribute",
	 STATUS_DONE,
	 "object\tmethod\tattribute\n"
	 "1\tget-table-response\tNodeRecord\n",
	 "",
	 "1 get-table NodeRecord 0x0\n"
	 "mask 0x81\n"
	 "0005000000000000\n"},
	{"mad send --class sa --attribute nodes", STATUS_DONE,
	 "object                  1\n"
	 "bytes                   280\n"
	 "class                   sa\n"
	 "class_code              0x03\n"
	 "class_version           2\n"
	 "method                  get-response\n"
	 "method_code             0x81\n"
	 "status                  success\n"
	 "status_code             0x0000\n"
	 "transaction_id          0x0000000000444800\n"
	 "attribute               NodeRecord\n"
	 "attribute_id            0x0011\n"
	 "attribute_modifier      0x00000000\n"
	 "tries                   1\n"
	 "round_trip_usec         19\n"
	 "base_version            1\n"
	 "class_specific          0x0000\n"
	 "rmpp_version            0\n"
	 "rmpp_type               data\n"
	 "rmpp_response_time      0\n"
	 "rmpp_flags              -\n"
	 "rmpp_status             normal\n"
	 "rmpp_segment            0\n"
	 "rmpp_payload_bytes      0\n"
	 "rmpp_window_last        -\n"
	 "sm_key                  0x0000000000000000\n"
	 "attribute_offset_bytes  112\n"
	 "component_mask          0x0000000000000000\n"
	 "\n"
	 "lid                5\n"
	 "node_description   host\n"
	 "node_type          ca\n"
	 "port_count         1\n"
	 "node_guid          0000:0000:0000:0001\n"
	 "port_guid          0000:0000:0000:0002\n"
	 "system_image_guid  0000:0000:0000:0000\n"
	 "local_port         1\n"
	 "vendor_id          0x000000\n"
	 "device_id          0x0000\n"
	 "revision           0x00000000\n"
	 "pkey_table_length  0\n"
	 "base_version       1\n"
	 "class_version      1\n",
	 "",
	 "1 get NodeRecord 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000\n"},
	{"mad send 0,1 --class sm-direct --attribute nodeinfo --tsv -o "
	 "object,class,attribute",
	 STATUS_DONE,
	 "object\tclass\tattribute\n"
	 "0,1\tsm-direct\tNodeInfo\n",
	 "",
	 "0,1 get NodeInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad send 0,1 --class sm --attribute ni --tsv -o object,class,attribute", STATUS_DONE,
	 "object\tclass\tattribute\n"
	 "0,1\tsm-direct\tNodeInfo\n",
	 "",
	 "0,1 get NodeInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class smp --attribute portinfo --modifier 2 --tsv -o "
	 "object,class,attribute,attribute_modifier",
	 STATUS_DONE,
	 "object\tclass\tattribute\tattribute_modifier\n"
	 "9\tsm\tPortInfo\t0x00000002\n",
	 "",
	 "9 get PortInfo 0x2\n"
	 "0000000000000000\n"},
	{"mad send --class pm --attribute classportinfo --tsv -o object", STATUS_DONE,
	 "object\n"
	 "2\n",
	 "",
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad send 0 --class pm --attribute classportinfo --tsv -o object", STATUS_DONE,
	 "object\n"
	 "2\n",
	 "",
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class cm --attribute cpi --tsv -o object", STATUS_FAILED, "",
	 "rdmactl mad: 9: no answer, asked 4 times\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	 "classes DEST\n",
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class 0x32 --attribute 0 --tsv -o object,class", STATUS_DONE,
	 "object\tclass\n"
	 "9\topenib-ping\n",
	 "",
	 "9 get ? 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class 0x35 --attribute 0x10 --oui 0x1405 --tsv -o object,class", STATUS_DONE,
	 "object\tclass\n"
	 "9\tunknown-53\n",
	 "",
	 "9 get ? 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class bm --attribute WriteVPD --method set --yes --tsv -o "
	 "object,method,attribute",
	 STATUS_DONE,
	 "object\tmethod\tattribute\n"
	 "9\tget-response\tWriteVPD\n",
	 "",
	 "9 set WriteVPD 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class pm --attribute portcounters --method send --yes", STATUS_DONE, "", "",
	 "9 send PortCounters 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9,4 --class pm --attribute portcounters --method trap-repress --data "
	 "01 --yes --tsv",
	 STATUS_DONE, "object\tindex\tclass\tmethod\tstatus\tattribute\tattribute_modifier\n", "",
	 "9 trap-repress PortCounters 0x0\n"
	 "0100000000000000\n"
	 "4 trap-repress PortCounters 0x0\n"
	 "0100000000000000\n"},
	{"mad send 9 --class pm --attribute portcounters --method 0x81 --yes", STATUS_DONE, "", "",
	 "9 get-response PortCounters 0x0\n"
	 "0000000000000000\n"},
	{"mad send 9 --class pm --attribute portcounters --method 0x13 --yes --tsv -o object",
	 STATUS_DONE,
	 "object\n"
	 "9\n",
	 "",
	 "9 ? PortCounters 0x0\n"
	 "0000000000000000\n"},
};

static const struct command_row requests_none = {
	"mad send --class sa --attribute nodes --method get-table --tsv -o "
	"object,status",
	STATUS_DONE,
	"object\tstatus\n"
	"1\tno-records\n",
	"",
	"1 get-table NodeRecord 0x0\n"
	"mask 0x0\n"
	"0000000000000000\n"};

static const struct command_row requests_refused = {
	"mad send --class sa --attribute nodes --method get-table --tsv -o "
	"object,status",
	STATUS_PARTIAL,
	"object\tstatus\n"
	"1\tno-resources\n",
	"rdmactl mad: 1: refused with status 0x0100: no-resources\n",
	"1 get-table NodeRecord 0x0\n"
	"mask 0x0\n"
	"0000000000000000\n"};

/* The answer from 4 arrived at an unknown time while the kernel was busy with 9. */
static const struct command_row requests_held_up = {
	"mad send 4,9 --class pm --attribute 0x12 --tsv -o object,round_trip_usec", STATUS_DONE,
	"object\tround_trip_usec\n"
	"4\t\n"
	"9\t60014\n",
	"",
	"4 get PortCounters 0x0\n"
	"0000000000000000\n"
	"9 get PortCounters 0x0\n"
	"0000000000000000\n"};

static void requests(void **state)
{
	(void)state;
	expect_all(requests_rows, ARRAY_SIZE(requests_rows));
	begin();
	nodes_state.status = 0x0300;
	expect(&requests_none);
	begin();
	nodes_state.status = 0x0100;
	expect(&requests_refused);
	begin();
	nodes_state.slow_msec = 60;
	expect(&requests_held_up);
}

#define BEYOND_SAID                                                                           \
	"rdmactl mad: 2001:0000:0000:0000:0000:0000:0000:0009: it is in another subnet, and " \
	"SMPs do not cross routers\n"
#define BEYOND_ASKED             \
	"1 get PathRecord 0x0\n" \
	"mask 0x100c\n"          \
	"0000000000000000\n"

static const struct command_row complaints_rows[] = {
	{"mad send 9 --class pm", STATUS_USAGE, "",
	 "rdmactl mad: send needs --class and --attribute\n"
	 "  rdmactl mad send 5 --class pm --attribute portcounters\n",
	 ""},
	{"mad send 9 --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: send needs --class and --attribute\n"
	 "  rdmactl mad send 5 --class pm --attribute portcounters\n",
	 ""},
	{"mad send 9 --class pn --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: --class: 'pn' is not a class\n"
	 "  a number up to 255, or one of the words in rdmactl-mad(1)\n",
	 ""},
	{"mad send 9 --class frobnicate --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: --class: 'frobnicate' is not a class\n"
	 "  a number up to 255, or one of the words in rdmactl-mad(1)\n",
	 ""},
	{"mad send 9 --class 256 --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: --class: '256' is not a class\n"
	 "  a number up to 255, or one of the words in rdmactl-mad(1)\n",
	 ""},
	{"mad send 9 --class pm --attribute 1 --method gett", STATUS_USAGE, "",
	 "rdmactl mad: --method: 'gett' is not a method\n"
	 "  did you mean 'get'?\n",
	 ""},
	{"mad send 9 --class pm --attribute 1 --method get-table", STATUS_USAGE, "",
	 "rdmactl mad: --method: 'get-table' is not a method\n"
	 "  a number up to 255, or one of the words in rdmactl-mad(1)\n",
	 ""},
	{"mad send 9 --class pm --attribute portcounter", STATUS_USAGE, "",
	 "rdmactl mad: --attribute: 'portcounter' is not an attribute of that class\n"
	 "  did you mean 'portcounters'?\n",
	 ""},
	{"mad send 9 --class pm --attribute 65536", STATUS_USAGE, "",
	 "rdmactl mad: --attribute: '65536' is not an attribute of that class\n"
	 "  a number up to 0xffff, or a name such as PortCounters or portcounters\n",
	 ""},
	{"mad send 9 --class sm --attribute classportinfo", STATUS_USAGE, "",
	 "rdmactl mad: --attribute: 'classportinfo' is not an attribute of that class\n"
	 "  a number up to 0xffff, or a name such as NodeDescription or nodedesc\n",
	 ""},
	{"mad send 9 --class sa --attribute unknown", STATUS_USAGE, "",
	 "rdmactl mad: --attribute: 'unknown' is not an attribute of that class\n"
	 "  a number up to 0xffff, or a name such as NodeRecord or nodes\n",
	 ""},
	{"mad send 9 --class dm --attribute unknown", STATUS_USAGE, "",
	 "rdmactl mad: --attribute: 'unknown' is not an attribute of that class\n"
	 "  a number up to 0xffff, or a name such as ClassPortInfo or classportinfo\n",
	 ""},
	{"mad send 9 --class pm --attribute 1 --modifier 0x100000000", STATUS_USAGE, "",
	 "rdmactl mad: --modifier: '0x100000000' is not a number up to 0xffffffff\n", ""},
	{"mad send 9 --class sa --attribute 1 --component-mask x", STATUS_USAGE, "",
	 "rdmactl mad: --component-mask: 'x' is not a number up to 0xffffffffffffffff\n", ""},
	{"mad send 9 --class pm --attribute 1 --component-mask 1", STATUS_USAGE, "",
	 "rdmactl mad: --component-mask is only for class sa\n", ""},
	{"mad send 9 --class pm --attribute 1 --oui 1", STATUS_USAGE, "",
	 "rdmactl mad: --oui is for vendor classes from 0x30 to 0x4f\n", ""},
	{"mad send 9 --class 0x30 --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: a vendor class from 0x30 to 0x4f needs --oui\n", ""},
	{"mad send 9 --class 0x4f --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: a vendor class from 0x30 to 0x4f needs --oui\n", ""},
	{"mad send 9 --class 0x50 --attribute 1 --oui 1", STATUS_USAGE, "",
	 "rdmactl mad: --oui is for vendor classes from 0x30 to 0x4f\n", ""},
	{"mad send 9 --class 0x35 --attribute 1 --oui 0x1000000", STATUS_USAGE, "",
	 "rdmactl mad: --oui: '0x1000000' is not a number up to 0xffffff\n", ""},
	{"mad send 9 --class pm --attribute 1 --data zz", STATUS_USAGE, "",
	 "rdmactl mad: --data takes bytes in hexadecimal\n"
	 "  give bytes such as 00ff17, or - for standard input\n",
	 ""},
	{"mad send 9 --class pm --attribute 1 --data -", STATUS_USAGE, "",
	 "rdmactl mad: --data has no bytes\n"
	 "  give bytes such as 00ff17, or - for standard input\n",
	 ""},
	{"mad send 9 --class sm-direct --attribute nodeinfo", STATUS_USAGE, "",
	 "rdmactl mad: class sm-direct needs a directed route\n"
	 "  give -D 0,1,3, or use class sm\n",
	 ""},
	{"mad send 0,1 --class pm --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: directed routes work for class sm only\n"
	 "  give a LID, a port GUID or a GID\n",
	 ""},
	{"mad send 9 x --class pm --attribute 1", STATUS_USAGE, "",
	 "rdmactl mad: unexpected argument 'x' after the destination\n"
	 "  separate destinations with commas: 2,4\n",
	 ""},
	{"mad send 9,4 --class pm --attribute portcounters --method set", STATUS_USAGE, "",
	 "method 0x02 (set) of attribute 0x0012 (PortCounters), class 0x04, to 9 4\n"
	 "rdmactl mad: nothing was sent: the request may change something, and there is no "
	 "terminal to confirm it on\n"
	 "  --yes sends it without asking\n",
	 ""},
	/*
	 * Which methods read is known for class sa only: another class may use that number for a
	 * write.
	 */
	{"mad send 9 --class pm --attribute portcounters --method 0x13", STATUS_USAGE, "",
	 "method 0x13 (unknown) of attribute 0x0012 (PortCounters), class 0x04, to 9\n"
	 "rdmactl mad: nothing was sent: the request may change something, and there is no "
	 "terminal to confirm it on\n"
	 "  --yes sends it without asking\n",
	 ""},
	{"mad send 9 --class 0x35 --oui 1 --attribute 9 --method 0x20", STATUS_USAGE, "",
	 "method 0x20 (unknown) of attribute 0x0009 (unknown), class 0x35, to 9\n"
	 "rdmactl mad: nothing was sent: the request may change something, and there is no "
	 "terminal to confirm it on\n"
	 "  --yes sends it without asking\n",
	 ""},
	{"mad send 7 --class pm --attribute portcounters --retries 0", STATUS_FAILED, "",
	 "rdmactl mad: 7: no answer, asked once\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	 "classes DEST\n",
	 "7 get PortCounters 0x0\n"
	 "0000000000000000\n"},
	/* With or without a reply, an SMP does not leave its subnet. */
	{"mad send 2001::9 --class sm --attribute nodeinfo", STATUS_FAILED, "", BEYOND_SAID,
	 BEYOND_ASKED},
	{"mad send 2001::9 --class sm --attribute nodeinfo --method trap-repress --yes",
	 STATUS_FAILED, "", BEYOND_SAID, BEYOND_ASKED},
	{"mad send 10,9 --class pm --attribute portcounters --tsv -o object,status", STATUS_PARTIAL,
	 "object\tstatus\n"
	 "10\tattribute-not-supported\n"
	 "9\tsuccess\n",
	 "rdmactl mad: 10: refused with status 0x000c: attribute-not-supported\n",
	 "10 get PortCounters 0x0\n"
	 "0000000000000000\n"
	 "9 get PortCounters 0x0\n"
	 "0000000000000000\n"},
	{"mad classes 7", STATUS_FAILED,
	 "OBJECT CLASS                 CODE ANSWERED STATUS VERSION CAPABILITIES "
	 "RESPONSE us RTT us REDIRECT LID\n"
	 "7      sm                    0x01 no       -            - -                   "
	 "   -      -            -\n"
	 "7      sa                    0x03 no       -            - -                   "
	 "   -      -            -\n"
	 "7      pm                    0x04 no       -            - -                   "
	 "   -      -            -\n"
	 "7      bm                    0x05 no       -            - -                   "
	 "   -      -            -\n"
	 "7      dm                    0x06 no       -            - -                   "
	 "   -      -            -\n"
	 "7      cm                    0x07 no       -            - -                   "
	 "   -      -            -\n"
	 "7      snmp                  0x08 no       -            - -                   "
	 "   -      -            -\n"
	 "7      mellanox              0x0a no       -            - -                   "
	 "   -      -            -\n"
	 "7      device-administration 0x10 no       -            - -                   "
	 "   -      -            -\n"
	 "7      boot-management       0x11 no       -            - -                   "
	 "   -      -            -\n"
	 "7      bis                   0x12 no       -            - -                   "
	 "   -      -            -\n"
	 "7      cc                    0x21 no       -            - -                   "
	 "   -      -            -\n"
	 "7      openib-ping           0x32 no       -            - -                   "
	 "   -      -            -\n"
	 "7      openib-sysstat        0x33 no       -            - -                   "
	 "   -      -            -\n",
	 "rdmactl mad: 7: no management class answers\n"
	 "  no port has this LID, or the node or the path to it is down\n",
	 "7 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get ClassPortInfo 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000\n"},
	{"mad classes 0,1", STATUS_USAGE, "",
	 "rdmactl mad: directed routes work for class sm only\n"
	 "  give a LID, a port GUID or a GID\n",
	 ""},
	{"mad classes 9 x", STATUS_USAGE, "",
	 "rdmactl mad: unexpected argument 'x' after the destination\n"
	 "  separate destinations with commas: 2,4\n",
	 ""},
	{"mad vendor 7", STATUS_FAILED, "",
	 "rdmactl mad: 7: cannot read GeneralInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl "
	 "mad classes DEST\n",
	 "7 get GeneralInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get GeneralInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get GeneralInfo 0x0\n"
	 "0000000000000000\n"
	 "7 get GeneralInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad vendor 0,1", STATUS_USAGE, "",
	 "rdmactl mad: this class cannot be reached by directed route\n"
	 "  give LIDs, port GUIDs or GIDs\n",
	 ""},
	{"mad vendor 9 1", STATUS_USAGE, "",
	 "rdmactl mad: unexpected argument '1' after the destination\n", ""},
};

static const struct command_row complaints_no_manager = {
	"mad send --class sa --attribute nodes", STATUS_FAILED, "",
	"rdmactl mad: the port has no subnet manager: its SM LID is 0\n"
	"  start a subnet manager\n",
	""};

static const struct command_row complaints_unsent = {
	"mad send 9 --class pm --attribute 1 --method send --yes", STATUS_FAILED, "",
	"rdmactl mad: 9: <EHOSTUNREACH>\n", ""};

static const struct command_row complaints_no_agent = {
	"mad send 9 --class pm --attribute 1 --method send --yes", STATUS_FAILED, "",
	"rdmactl mad: 9: <EPERM>\n", ""};

static const struct command_row complaints_classes = {
	"mad classes 9 --tsv -o class,answered", STATUS_FAILED,
	"class\tanswered\n"
	"sm\t\n"
	"sa\t\n"
	"pm\t\n"
	"bm\t\n"
	"dm\t\n"
	"cm\t\n"
	"snmp\t\n"
	"mellanox\t\n"
	"device-administration\t\n"
	"boot-management\t\n"
	"bis\t\n"
	"cc\t\n"
	"openib-ping\t\n"
	"openib-sysstat\t\n",
	"rdmactl mad: 9: cannot read sm: <EHOSTUNREACH>\n"
	"rdmactl mad: 9: cannot read 13 values (sa, pm, bm ...; -v lists them): "
	"<EHOSTUNREACH>\n"
	"rdmactl mad: 9: no management class answers\n"
	"  no port has this LID, or the node or the path to it is down\n",
	""};

/* That the port is down is no reason if nothing was sent. */
static const struct command_row complaints_nothing_sent = {
	"mad classes", STATUS_FAILED, "",
	"rdmactl mad: the port has no LID: no subnet manager has configured it\n"
	"  rdmactl ports shows its state\n",
	""};

static void complaints(void **state)
{
	(void)state;
	expect_all(complaints_rows, ARRAY_SIZE(complaints_rows));
	begin();
	nodes.no_manager = true;
	expect(&complaints_no_manager);
	begin();
	nodes.send_error = -EHOSTUNREACH;
	expect(&complaints_unsent);
	begin();
	nodes.fake.agent_error = -EPERM;
	expect(&complaints_no_agent);
	begin();
	nodes.send_error = -EHOSTUNREACH;
	expect(&complaints_classes);
	begin();
	nodes.no_lid = true;
	nodes.state = PORT_STATE_DOWN;
	expect(&complaints_nothing_sent);
}

/* At most 192 bytes for pm, and 200 for sa. */
static void lengths(void **state)
{
	static const struct {
		const char *class;
		size_t bytes;
		int status;
		const char *err;
	} rows[] = {
		{"pm", 192, STATUS_DONE, ""},
		{"pm", 193, STATUS_USAGE,
		 "rdmactl mad: --data: 193 bytes do not fit in the 192 bytes of that class\n"},
		{"sa", 200, STATUS_DONE, ""},
		{"sa", 201, STATUS_USAGE,
		 "rdmactl mad: --data: 201 bytes do not fit in the 200 bytes of that class\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char data[2 * 201 + 1] = "";
		_cleanup_(freep) char *line = NULL;

		memset(data, '1', 2 * rows[i].bytes);
		line = mem_format(
			"mad send 9 --class %s --attribute 0x12 --tsv -o object --data %s",
			rows[i].class, data);
		begin();
		expect(&(struct command_row){line, rows[i].status, NULL, rows[i].err, NULL});
	}
}

static const struct command_row classes_rows[] = {
	{"mad classes 9 --tsv -o object,class,class_code,answered,status,class_v"
	 "ersion,redirect_lid,redirect_qpn",
	 STATUS_DONE,
	 "object\tclass\tclass_code\tanswered\tstatus\tclass_version\tredirect_lid"
	 "\tredirect_qpn\n"
	 "9\tsm\t0x01\tyes\tsuccess\t1\t\t\n"
	 "9\tsa\t0x03\tyes\tsuccess\t2\t77\t5\n"
	 "9\tpm\t0x04\tyes\tsuccess\t1\t77\t5\n"
	 "9\tbm\t0x05\tyes\tsuccess\t1\t77\t5\n"
	 "9\tdm\t0x06\tyes\tsuccess\t1\t77\t5\n"
	 "9\tcm\t0x07\tno\t\t\t\t\n"
	 "9\tsnmp\t0x08\tyes\tattribute-not-supported\t\t\t\n"
	 "9\tmellanox\t0x0a\tyes\tsuccess\t1\t77\t5\n"
	 "9\tdevice-administration\t0x10\tyes\tsuccess\t1\t77\t5\n"
	 "9\tboot-management\t0x11\tyes\tsuccess\t1\t77\t5\n"
	 "9\tbis\t0x12\tyes\tsuccess\t1\t77\t5\n"
	 "9\tcc\t0x21\tyes\tsuccess\t1\t77\t5\n"
	 "9\topenib-ping\t0x32\tyes\tsuccess\t1\t77\t5\n"
	 "9\topenib-sysstat\t0x33\tyes\tsuccess\t1\t77\t5\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad classes 9 --tsv -o class,capabilities,cap_mask,cap_mask2,response_"
	 "time_usec",
	 STATUS_DONE,
	 "class\tcapabilities\tcap_mask\tcap_mask2\tresponse_time_usec\n"
	 "sm\t\t\t\t\n"
	 "sa\toptional-records,ud-multicast,qos,0x1000\t0x0300\t0x0001002\t1073742\n"
	 "pm\tall-port-select,extended-width,additional-extended-counters,0x1000"
	 "\t0x0300\t0x0001002\t1073742\n"
	 "bm\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "dm\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "cm\t\t\t\t\n"
	 "snmp\t\t\t\t\n"
	 "mellanox\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "device-administration\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "boot-management\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "bis\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "cc\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "openib-ping\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n"
	 "openib-sysstat\t0x300,0x1002\t0x0300\t0x0001002\t1073742\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad classes --tsv -o object,class --retries 0", STATUS_DONE,
	 "object\tclass\n"
	 "2\tsm\n"
	 "2\tsa\n"
	 "2\tpm\n"
	 "2\tbm\n"
	 "2\tdm\n"
	 "2\tcm\n"
	 "2\tsnmp\n"
	 "2\tmellanox\n"
	 "2\tdevice-administration\n"
	 "2\tboot-management\n"
	 "2\tbis\n"
	 "2\tcc\n"
	 "2\topenib-ping\n"
	 "2\topenib-sysstat\n",
	 "",
	 "2 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "mask 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"
	 "2 get ClassPortInfo 0x0\n"
	 "0000000000000000\n"},
	{"mad vendor 9 --tsv", STATUS_DONE,
	 "object\tnode\tobject_lid\tdevice_id\thw_revision\tfirmware\tfirmware_date"
	 "\tpsid\tfirmware_build\tini_version\tsoftware\tuptime\n"
	 "9\tnode 9\t9\t0x3031\t0x3839\t49.50.51\t3031-38-39\t6789012345678901"
	 "\t0x34353637\t842216501\t55.56.57\t909588537\n",
	 "",
	 "9 get GeneralInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get NodeDescription 0x0\n"
	 "0000000000000000\n"},
	{"mad vendor 9,4 -o object,node,object_lid", STATUS_DONE,
	 "OBJECT NODE   AT LID\n"
	 "9      node 9      9\n"
	 "4      node 4      4\n",
	 "",
	 "9 get GeneralInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get NodeDescription 0x0\n"
	 "0000000000000000\n"
	 "4 get GeneralInfo 0x0\n"
	 "0000000000000000\n"
	 "4 get NodeDescription 0x0\n"
	 "0000000000000000\n"},
};

static void classes(void **state)
{
	(void)state;
	expect_all(classes_rows, ARRAY_SIZE(classes_rows));
}

static const struct command_row congestion_rows[] = {
	{"cc ca 9 --tsv", STATUS_DONE,
	 "object\tsl\tport_control\tccti_timer\tccti_increase\ttrigger_threshold"
	 "\tccti_min\n"
	 "9\t1\tby-sl\t0\t5\t0\t0\n"
	 "9\t3\tby-sl\t300\t0\t0\t0\n",
	 "",
	 "9 get CACongestionSetting 0x0\n"
	 "0000000000000000\n"},
	{"cc ca 9 -a --tsv -o object,object_lid,node,sl,ccti_timer,ccti_increase", STATUS_DONE,
	 "object\tobject_lid\tnode\tsl\tccti_timer\tccti_increase\n"
	 "9\t9\tnode 9\t0\t0\t0\n"
	 "9\t9\tnode 9\t1\t0\t5\n"
	 "9\t9\tnode 9\t2\t0\t0\n"
	 "9\t9\tnode 9\t3\t300\t0\n"
	 "9\t9\tnode 9\t4\t0\t0\n"
	 "9\t9\tnode 9\t5\t0\t0\n"
	 "9\t9\tnode 9\t6\t0\t0\n"
	 "9\t9\tnode 9\t7\t0\t0\n"
	 "9\t9\tnode 9\t8\t0\t0\n"
	 "9\t9\tnode 9\t9\t0\t0\n"
	 "9\t9\tnode 9\t10\t0\t0\n"
	 "9\t9\tnode 9\t11\t0\t0\n"
	 "9\t9\tnode 9\t12\t0\t0\n"
	 "9\t9\tnode 9\t13\t0\t0\n"
	 "9\t9\tnode 9\t14\t0\t0\n"
	 "9\t9\tnode 9\t15\t0\t0\n",
	 "",
	 "9 get CACongestionSetting 0x0\n"
	 "0000000000000000\n"
	 "9 get NodeDescription 0x0\n"
	 "0000000000000000\n"},
	{"cc ca 9 1-2,15 --tsv -o sl,ccti_increase", STATUS_DONE,
	 "sl\tccti_increase\n"
	 "1\t5\n"
	 "2\t0\n"
	 "15\t0\n",
	 "",
	 "9 get CACongestionSetting 0x0\n"
	 "0000000000000000\n"},
	{"cc ca 9 15-16 --tsv -o sl", STATUS_PARTIAL,
	 "sl\n"
	 "15\n",
	 "rdmactl cc: 9: cannot read entries: its last entry is 15\n"
	 "  omit the entries to show all of them\n",
	 "9 get CACongestionSetting 0x0\n"
	 "0000000000000000\n"},
	{"cc ca 9 x", STATUS_USAGE, "", "rdmactl cc: 'x' is not a number or a range\n", ""},
	{"cc ca 9 1 x", STATUS_USAGE, "", "rdmactl cc: 'x' is not a number or a range\n", ""},
	{"cc ports 4 --tsv -o object,port,packet_size_credits", STATUS_DONE,
	 "object\tport\tpacket_size_credits\n"
	 "4\t1\t9\n"
	 "4\t31\t0\n"
	 "4\t33\t10\n",
	 "",
	 "4 get SwitchPortCongestionSetting 0x0\n"
	 "0000000000000000\n"
	 "4 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "4 get SwitchPortCongestionSetting 0x1\n"
	 "0000000000000000\n"},
	{"cc ports 4 32-33 --tsv -o object,port,packet_size_credits", STATUS_DONE,
	 "object\tport\tpacket_size_credits\n"
	 "4\t32\t0\n"
	 "4\t33\t10\n",
	 "",
	 "4 get SwitchPortCongestionSetting 0x0\n"
	 "0000000000000000\n"
	 "4 get NodeInfo 0x0\n"
	 "0000000000000000\n"
	 "4 get SwitchPortCongestionSetting 0x1\n"
	 "0000000000000000\n"},
	{"cc ports 9", STATUS_FAILED, "",
	 "rdmactl cc: 9: cannot read SwitchPortCongestionSetting: the node is not a "
	 "switch\n"
	 "  rdmactl cc ca shows an adapter's settings\n",
	 "9 get SwitchPortCongestionSetting 0x0\n"
	 "0000000000000000\n"
	 "9 get NodeInfo 0x0\n"
	 "0000000000000000\n"},
	{"cc table 9 --tsv", STATUS_DONE,
	 "object\tccti\tcct_shift\tcct_multiplier\n"
	 "9\t0\t1\t1\n"
	 "9\t2\t2\t2\n"
	 "9\t64\t1\t2\n",
	 "",
	 "9 get CongestionControlTable 0x0\n"
	 "0000000000000000\n"
	 "9 get CongestionControlTable 0x1\n"
	 "0000000000000000\n"},
	{"cc table 9 63-65 --tsv", STATUS_DONE,
	 "object\tccti\tcct_shift\tcct_multiplier\n"
	 "9\t63\t0\t0\n"
	 "9\t64\t1\t2\n"
	 "9\t65\t0\t0\n",
	 "",
	 "9 get CongestionControlTable 0x0\n"
	 "0000000000000000\n"
	 "9 get CongestionControlTable 0x1\n"
	 "0000000000000000\n"},
	{"cc table 9 66", STATUS_FAILED, "",
	 "rdmactl cc: 9: cannot read entries: its last entry is 65\n"
	 "  omit the entries to show all of them\n",
	 "9 get CongestionControlTable 0x0\n"
	 "0000000000000000\n"
	 "9 get CongestionControlTable 0x1\n"
	 "0000000000000000\n"},
	{"cc log 4 --tsv", STATUS_DONE,
	 "object\tevent\tlog_type\tslid\tdlid\tsl\ttimestamp\tlocal_qp\tremote_qp"
	 "\tqp_sl\tservice_type\tremote_lid\tqp_timestamp\n"
	 "4\t0\tswitch\t0\t6\t0\t0\t\t\t\t\t\t\n",
	 "",
	 "4 get CongestionLog 0x0\n"
	 "0000000000000000\n"},
	{"cc log 9 --tsv", STATUS_DONE,
	 "object\tevent\tlog_type\tslid\tdlid\tsl\ttimestamp\tlocal_qp\tremote_qp"
	 "\tqp_sl\tservice_type\tremote_lid\tqp_timestamp\n"
	 "9\t0\tca\t\t\t\t\t6\t0\t0\trc\t0\t0\n",
	 "",
	 "9 get CongestionLog 0x0\n"
	 "0000000000000000\n"},
	{"cc log 11", STATUS_FAILED, "",
	 "rdmactl cc: 11: cannot read CongestionLog: the node answered with an unknown type of "
	 "log\n"
	 "  rdmactl mad send --class cc --attribute CongestionLog shows its bytes\n",
	 "11 get CongestionLog 0x0\n"
	 "0000000000000000\n"},
	{"cc key 9 --mkey 0x55", STATUS_DONE,
	 "object                   9\n"
	 "node                     node 9\n"
	 "object_lid               9\n"
	 "cc_key_protect           no\n"
	 "cc_key_lease_period_sec  7\n"
	 "cc_key_violations        3\n",
	 "",
	 "9 get CongestionKeyInfo 0x0 key 0x55\n"
	 "0000000000000000\n"
	 "9 get NodeDescription 0x0\n"
	 "0000000000000000\n"},
	{"cc info 9,4", STATUS_DONE,
	 "OBJECT FEATURES          TABLE BLOCKS\n"
	 "9      credit-starvation            9\n"
	 "4      credit-starvation            9\n",
	 "",
	 "9 get CongestionInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get NodeDescription 0x0\n"
	 "0000000000000000\n"
	 "4 get CongestionInfo 0x0\n"
	 "0000000000000000\n"
	 "4 get NodeDescription 0x0\n"
	 "0000000000000000\n"},
	{"cc info 9,7,10 --tsv --retries 0 -o object,node", STATUS_PARTIAL,
	 "object\tnode\n"
	 "9\tnode 9\n",
	 "rdmactl cc: 7: cannot read CongestionInfo: no answer, asked once\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl "
	 "mad classes DEST\n"
	 "rdmactl cc: 10: cannot read CongestionInfo: refused with status 0x000c: "
	 "attribute-not-supported\n",
	 "9 get CongestionInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get NodeDescription 0x0\n"
	 "0000000000000000\n"
	 "7 get CongestionInfo 0x0\n"
	 "0000000000000000\n"
	 "10 get CongestionInfo 0x0\n"
	 "0000000000000000\n"},
	{"cc info 9 4", STATUS_USAGE, "",
	 "rdmactl cc: unexpected argument '4' after the destination\n", ""},
	{"cc info 0,1", STATUS_USAGE, "",
	 "rdmactl cc: this class cannot be reached by directed route\n"
	 "  give LIDs, port GUIDs or GIDs\n",
	 ""},
	{"cc info 10", STATUS_FAILED, "",
	 "rdmactl cc: 10: cannot read CongestionInfo: refused with status 0x000c: "
	 "attribute-not-supported\n",
	 "10 get CongestionInfo 0x0\n"
	 "0000000000000000\n"},
	{"cc info --tsv -o object", STATUS_DONE,
	 "object\n"
	 "2\n",
	 "",
	 "2 get CongestionInfo 0x0\n"
	 "0000000000000000\n"},
	{"cc time 9", STATUS_FAILED, "",
	 "rdmactl cc: 9: cannot read TimeStamp: refused with status 0x000c: "
	 "attribute-not-supported\n",
	 "9 get TimeStamp 0x0\n"
	 "0000000000000000\n"},
};

static void congestion(void **state)
{
	(void)state;
	expect_all(congestion_rows, ARRAY_SIZE(congestion_rows));
}

/* ---- Datagrams on standard input ---- */

enum input { COUNTERS, GUIDS, VENDOR, CUT, STUB, WORDS, NOTHING, TWO, AGAIN };

static void put_header(unsigned char *mad, unsigned int mgmt_class, unsigned int method,
		       unsigned int attribute)
{
	memset(mad, 0, MAD_BYTES);
	mad[0] = mad[2] = 1;
	mad[1] = (unsigned char)mgmt_class;
	mad[3] = (unsigned char)method;
	put_64(mad, 8, 0x1122334455667788);
	put_16(mad, 16, attribute);
	mad[23] = 3;
}

/* Fills in the bytes of the input; 0 for text without any. */
static size_t make_input(enum input input, unsigned char *bytes)
{
	switch (input) {
	case COUNTERS:
	case CUT:
	case STUB:
	case TWO:
		put_header(bytes, UMAD_CLASS_PERF_MGMT, 0x81, MAD_PM_FLOW_CTL_COUNTERS);
		bytes[64 + 1] = 2;
		put_16(bytes, 64 + 6, 77);
		put_16(bytes, 64 + 10, 78);
		if (input != TWO)
			return input == CUT ? 70 : input == STUB ? 20 : MAD_BYTES;
		put_header(bytes + MAD_BYTES, UMAD_CLASS_SUBN_LID_ROUTED, 1, 0x10);
		return 2 * MAD_BYTES;
	case GUIDS:
		put_header(bytes, UMAD_CLASS_SUBN_LID_ROUTED, 0x81, UMAD_SM_ATTR_GUID_INFO);
		put_64(bytes, 64 + 8, 0x99);
		return MAD_BYTES;
	case VENDOR:
		put_header(bytes, 0x35, 0x01, 0x40);
		memcpy(bytes + 60, "text \x7f\x20\x1f", 8);
		return MAD_BYTES;
	default:
		return 0;
	}
}

static void feed(enum input input)
{
	unsigned char bytes[2 * MAD_BYTES];
	const size_t count = make_input(input, bytes);
	const int file = memfd_create("input", MFD_CLOEXEC);

	assert_true(file >= 0);
	for (size_t i = 0; i < count; i++)
		assert_true(dprintf(file, "%02x%s", bytes[i], i % 16 == 15 ? "\n" : " ") == 3);
	if (input == WORDS)
		assert_true(dprintf(file, "00 01\nno bytes\n") > 0);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
	close(file);
}

/* --data with an input that is too long, and with an unreadable one. */
static void bad_inputs(void **state)
{
	static const char line[] = "mad send 9 --class pm --attribute 1 --data -";
	static const struct command_row long_input = {
		line, STATUS_USAGE, "",
		"rdmactl mad: --data: more bytes than a datagram holds\n"
		"  give bytes such as 00ff17, or - for standard input\n",
		""};
	static const struct command_row unreadable = {
		line, STATUS_FAILED, "",
		"rdmactl mad: --data: cannot read standard input: Bad file descriptor\n", ""};
	const int file = memfd_create("input", MFD_CLOEXEC), closed = open("/dev/null", O_WRONLY);

	(void)state;
	assert_true(file >= 0 && closed >= 0);
	assert_int_equal(ftruncate(file, 16 * MAD_BYTES + 1), 0);
	begin();
	assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
	expect(&long_input);
	begin();
	assert_int_equal(dup2(closed, STDIN_FILENO), STDIN_FILENO);
	expect(&unreadable);
	close(file);
	close(closed);
	assert_int_equal(command_set_up(NULL), 0);
}

static const struct {
	enum input input;
	struct command_row row;
} decoding_rows[] = {
	{COUNTERS,
	 {"mad decode -", STATUS_DONE,
	  "object              stdin\n"
	  "index               0\n"
	  "bytes               256\n"
	  "class               pm\n"
	  "class_code          0x04\n"
	  "class_version       1\n"
	  "method              get-response\n"
	  "method_code         0x81\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           PortFlowCtlCounters\n"
	  "attribute_id        0x0018\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "\n"
	  "port_select        2\n"
	  "counter_select     0x0000\n"
	  "xmit_flow_packets  77\n"
	  "rcv_flow_packets   78\n",
	  "", ""}},
	{COUNTERS,
	 {"mad decode - --raw --no-headings", STATUS_DONE,
	  "object              stdin\n"
	  "index               0\n"
	  "bytes               256\n"
	  "class               pm\n"
	  "class_code          0x04\n"
	  "class_version       1\n"
	  "method              get-response\n"
	  "method_code         0x81\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           PortFlowCtlCounters\n"
	  "attribute_id        0x0018\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "\n"
	  "port_select        2\n"
	  "counter_select     0x0000\n"
	  "xmit_flow_packets  77\n"
	  "rcv_flow_packets   78\n"
	  "\n"
	  "0040:  00 02 00 00 00 00 00 4d 00 00 00 4e 00 00 00 00  |.......M...N....|\n"
	  "0050:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0060:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0070:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0080:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0090:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00a0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00b0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00c0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00d0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00e0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00f0:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n",
	  "", ""}},
	{COUNTERS,
	 {"mad decode - --raw --tsv -o object,index,class,method,attribute,attrib"
	  "ute_modifier,transaction_id,status",
	  STATUS_DONE,
	  "object\tindex\tclass\tmethod\tattribute\tattribute_modifier\ttransaction_id"
	  "\tstatus\n"
	  "stdin\t0\tpm\tget-response\tPortFlowCtlCounters\t0x00000003"
	  "\t0x1122334455667788\tsuccess\n",
	  "", ""}},
	{GUIDS,
	 {"mad decode -", STATUS_DONE,
	  "object              stdin\n"
	  "index               0\n"
	  "bytes               256\n"
	  "class               sm\n"
	  "class_code          0x01\n"
	  "class_version       1\n"
	  "method              get-response\n"
	  "method_code         0x81\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           GUIDInfo\n"
	  "attribute_id        0x0014\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "mkey                0x0000000000000000\n"
	  "\n"
	  "index guid\n"
	  "24    0000:0000:0000:0000\n"
	  "25    0000:0000:0000:0099\n"
	  "26    0000:0000:0000:0000\n"
	  "27    0000:0000:0000:0000\n"
	  "28    0000:0000:0000:0000\n"
	  "29    0000:0000:0000:0000\n"
	  "30    0000:0000:0000:0000\n"
	  "31    0000:0000:0000:0000\n",
	  "", ""}},
	{VENDOR,
	 {"mad decode -", STATUS_DONE,
	  "object              stdin\n"
	  "index               0\n"
	  "bytes               256\n"
	  "class               unknown-53\n"
	  "class_code          0x35\n"
	  "class_version       1\n"
	  "method              get\n"
	  "method_code         0x01\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           -\n"
	  "attribute_id        0x0040\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "rmpp_version        0\n"
	  "rmpp_type           none\n"
	  "rmpp_response_time  0\n"
	  "rmpp_flags          -\n"
	  "rmpp_status         normal\n"
	  "rmpp_segment        -\n"
	  "rmpp_payload_bytes  -\n"
	  "rmpp_window_last    -\n"
	  "oui                 0x000000\n"
	  "\n"
	  "0028:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0038:  00 00 00 00 74 65 78 74 20 7f 20 1f 00 00 00 00  |....text . .....|\n"
	  "0048:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0058:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0068:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0078:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0088:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "0098:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00a8:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00b8:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00c8:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00d8:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00e8:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|\n"
	  "00f8:  00 00 00 00 00 00 00 00                          |........|\n",
	  "", ""}},
	{CUT,
	 {"mad decode -", STATUS_PARTIAL,
	  "object              stdin\n"
	  "index               0\n"
	  "bytes               70\n"
	  "missing_bytes       186\n"
	  "class               pm\n"
	  "class_code          0x04\n"
	  "class_version       1\n"
	  "method              get-response\n"
	  "method_code         0x81\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           PortFlowCtlCounters\n"
	  "attribute_id        0x0018\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "\n"
	  "port_select        2\n"
	  "counter_select     0x0000\n"
	  "xmit_flow_packets  -\n"
	  "rcv_flow_packets   -\n",
	  "rdmactl mad: stdin: datagram 0 is cut short: 70 of 256 bytes\n", ""}},
	{CUT,
	 {"mad decode - --json -o object,missing_bytes", STATUS_PARTIAL,
	  "{\"schema\": \"rdmactl/mads/1\",\n"
	  " \"mads\": [\n"
	  "  {\"object\": \"stdin\", \"missing_bytes\": 186}],\n"
	  " \"problems\": [\n"
	  "  {\"object\": \"stdin\", \"attribute\": null, \"source\": \"file\", "
	  "\"error\": \"datagram 0 is cut short: 70 of 256 bytes\", \"hint\": null}]}\n",
	  "rdmactl mad: stdin: datagram 0 is cut short: 70 of 256 bytes\n", ""}},
	{STUB,
	 {"mad decode -", STATUS_FAILED, "",
	  "rdmactl mad: stdin: datagram 0 is cut short: 20 bytes are less than its "
	  "header\n",
	  ""}},
	{WORDS,
	 {"mad decode -", STATUS_FAILED, "",
	  "rdmactl mad: stdin: line 2 is not a hexadecimal dump\n"
	  "  write bytes as pairs of digits, with or without an offset before them\n",
	  ""}},
	{NOTHING,
	 {"mad decode -", STATUS_FAILED, "", "rdmactl mad: stdin: there are no bytes to decode\n",
	  ""}},
	{TWO,
	 {"mad decode -", STATUS_DONE,
	  "object              stdin\n"
	  "index               0\n"
	  "bytes               256\n"
	  "class               pm\n"
	  "class_code          0x04\n"
	  "class_version       1\n"
	  "method              get-response\n"
	  "method_code         0x81\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           PortFlowCtlCounters\n"
	  "attribute_id        0x0018\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "\n"
	  "port_select        2\n"
	  "counter_select     0x0000\n"
	  "xmit_flow_packets  77\n"
	  "rcv_flow_packets   78\n"
	  "\n"
	  "object              stdin\n"
	  "index               1\n"
	  "bytes               256\n"
	  "class               sm\n"
	  "class_code          0x01\n"
	  "class_version       1\n"
	  "method              get\n"
	  "method_code         0x01\n"
	  "status              success\n"
	  "status_code         0x0000\n"
	  "transaction_id      0x1122334455667788\n"
	  "attribute           NodeDescription\n"
	  "attribute_id        0x0010\n"
	  "attribute_modifier  0x00000003\n"
	  "base_version        1\n"
	  "class_specific      0x0000\n"
	  "mkey                0x0000000000000000\n"
	  "\n"
	  "node_description  -\n",
	  "", ""}},
	{TWO,
	 {"mad decode - --tsv -o index,class,method,attribute", STATUS_DONE,
	  "index\tclass\tmethod\tattribute\n"
	  "0\tpm\tget-response\tPortFlowCtlCounters\n"
	  "1\tsm\tget\tNodeDescription\n",
	  "", ""}},
	{AGAIN,
	 {"mad decode /nonexistent", STATUS_FAILED, "", "rdmactl mad: /nonexistent: <ENOENT>\n",
	  ""}},
};

static void decoding(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(decoding_rows); i++) {
		begin();
		feed(decoding_rows[i].input);
		expect(&decoding_rows[i].row);
	}
	assert_int_equal(command_set_up(NULL), 0);
}

static const struct command_row hosts_rows[] = {
	{"sysstat 9 --tsv -o object,lid,query,host,cpu,model,mhz", STATUS_DONE,
	 "object\tlid\tquery\thost\tcpu\tmodel\tmhz\n"
	 "9\t9\tping\t\t\t\t\n",
	 "",
	 "9 get Ping 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 9,4 host", STATUS_DONE,
	 "OBJECT HOST\n"
	 "9      host-a\n"
	 "4      host-a\n",
	 "",
	 "9 get HostInfo 0x0\n"
	 "0000000000000000\n"
	 "4 get HostInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 9 cpu", STATUS_DONE,
	 "OBJECT CPU MODEL       MHZ\n"
	 "9        0 Abacus 2 2199.5\n"
	 "9        1 -           800\n",
	 "",
	 "9 get CPUInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 9 cpu --tsv -o all", STATUS_DONE,
	 "object\tlid\tquery\tround_trip_usec\thost\tcpu\tmodel\tmhz\trequests\n"
	 "9\t9\tcpu\t14\t\t0\tAbacus 2\t2199.5\t\n"
	 "9\t9\tcpu\t14\t\t1\t\t800\t\n",
	 "",
	 "9 get CPUInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 4 cpu --tsv -o cpu,model,mhz", STATUS_PARTIAL,
	 "cpu\tmodel\tmhz\n"
	 "0\tAbacus 2\t2199.5\n"
	 "1\t\t800\n",
	 "rdmactl sysstat: 4: cannot read cpu: the end of the answer cannot be read\n",
	 "4 get CPUInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 11 cpu", STATUS_FAILED, "",
	 "rdmactl sysstat: 11: cannot read cpu: the answer cannot be read\n",
	 "11 get CPUInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 9 disk", STATUS_USAGE, "",
	 "rdmactl sysstat: 'disk' is not one of ping, host, cpu\n"
	 "  rdmactl sysstat --help\n",
	 ""},
	{"sysstat", STATUS_USAGE, "",
	 "rdmactl sysstat: DEST is missing\n"
	 "  rdmactl sysstat --help\n",
	 ""},
	{"sysstat 7 --retries 0", STATUS_FAILED, "",
	 "rdmactl sysstat: 7: cannot read ping: no answer, asked once\n"
	 "  run rdmactl sysstat --serve or ibsysstat -S on the destination\n",
	 "7 get Ping 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 7,9 host --tsv -o object,host --retries 0", STATUS_PARTIAL,
	 "object\thost\n"
	 "9\thost-a\n",
	 "rdmactl sysstat: 7: cannot read host: no answer, asked once\n"
	 "  run rdmactl sysstat --serve or ibsysstat -S on the destination\n",
	 "7 get HostInfo 0x0\n"
	 "0000000000000000\n"
	 "9 get HostInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 0 host --tsv", STATUS_DONE,
	 "object\thost\n"
	 "2\thost-a\n",
	 "",
	 "2 get HostInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 10 host", STATUS_FAILED, "",
	 "rdmactl sysstat: 10: cannot read host: refused with status 0x000c: "
	 "attribute-not-supported\n",
	 "10 get HostInfo 0x0\n"
	 "0000000000000000\n"},
	{"sysstat 0,1", STATUS_USAGE, "",
	 "rdmactl sysstat: sysstat needs a LID, not a directed route\n"
	 "  rdmactl smp nodedesc takes both\n",
	 ""},
};

static void hosts(void **state)
{
	(void)state;
	expect_all(hosts_rows, ARRAY_SIZE(hosts_rows));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests), cmocka_unit_test(complaints),
		cmocka_unit_test(classes),  cmocka_unit_test(congestion),
		cmocka_unit_test(decoding), cmocka_unit_test(bad_inputs),
		cmocka_unit_test(hosts),    cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests_name("mad_run", tests, command_set_up, command_tear_down);
}
