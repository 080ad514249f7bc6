/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl fabric cables on a made-up subnet: a module in each port, read by CableInfo; what changed
 * since they were saved, and what cannot be read.
 */
#include "live_subnet.h"
#include "sample_plug.h"

static struct {
	struct plug_memory memory[LIVE_NODES][LIVE_PORTS + 1];
	unsigned int refused[LIVE_NODES][LIVE_PORTS + 1]; /* the device's code, or 0 */
} modules;

/* struct mlx4_cable_info: drivers/net/ethernet/mellanox/mlx4/port.c */
static uint16_t read_module(uint32_t node, unsigned int port, const unsigned char *question,
			    unsigned char *bytes)
{
	const unsigned int offset = cable_info_offset(question), size = cable_info_size(question);

	if (modules.refused[node][port])
		return (uint16_t)(modules.refused[node][port] << 8);
	for (unsigned int i = 0; i < PLUG_PARTS; i++) {
		const struct plug_place *place = &plug_places[i];

		if (place->address != cable_info_address(question) ||
		    place->page != cable_info_page(question) || offset < place->offset ||
		    offset + size > (unsigned int)place->offset + PLUG_PART_BYTES)
			continue;
		memcpy(bytes, &modules.memory[node][port].bytes[i][offset - place->offset], size);
		return 0;
	}
	return 7 << 8;
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	unsigned char reply[MAD_BYTES];
	unsigned int in;
	uint32_t node;

	memcpy(reply, mad, sizeof(reply));
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	if (mad_class(mad) == MAD_CLASS_MELLANOX) {
		bits_set(reply, 4 * 8, 16, UMAD_STATUS_ATTR_NOT_SUPPORTED);
		fake_put(fake, 0, reply, MAD_BYTES, 0);
		return 0;
	}
	if (mad_attribute(mad) != MAD_SM_CABLE_INFO || !mad_class_is_smp(mad_class(mad)))
		return live_answer(fake, agent, to, mad);
	if ((live.stop_after && fake->sends > live.stop_after) || !live_follow(mad, &node, &in) ||
	    live_fault_of(node, mad))
		return 0;
	bits_set(reply, 4 * 8, 16,
		 read_module(node, mad_modifier(mad), mad + MAD_SMP_DATA_AT,
			     reply + MAD_SMP_DATA_AT + CABLE_INFO_HEADER_BYTES));
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static int begin(void **state)
{
	live_begin(state);
	memset(&modules, 0, sizeof(modules));
	live.fake.on_send = answer;
	for (uint32_t i = 0; i < LIVE_NODES; i++)
		node_info_set_vendor_id(live.fabric.nodes[i].info, 0x0002c9);
	for (uint32_t i = 0; i < LIVE_NODES; i++)
		for (unsigned int port = 1; port <= LIVE_PORTS; port++)
			sample_copper(&modules.memory[i][port]);
	sample_qsfp28(&modules.memory[LEAF1][3]);
	sample_qsfp28(&modules.memory[LEAF2][3]);
	/* 0.25 mW received: less than at the other end. */
	plug_put_word(&modules.memory[LEAF2][3], PLUG_LOWER, 34 + 2 * 2, 2500);
	return 0;
}

static void shown(void **state)
{
	(void)state;
	live_expect(
		"cables", 0,
		"NODE  PORT PEER  PEER PORT KIND           VENDOR   PART         SERIAL        "
		"LENGTH m TEMP C RX dBm PEER SERIAL   PEER TEMP C PEER RX dBm ALARMS PEER ALARMS\n"
		"leaf1    3 leaf2         3 optical        Mellanox MMA1B00-E100 MT2203FT00042     "
		"  "
		" -   41.5   -3.0 MT2203FT00042        41.5        -6.0 -      -\n"
		"host1    1 leaf1         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n"
		"leaf1    2 host2         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n"
		"leaf1    4 leaf2         4 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n"
		"leaf2    1 host3         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n"
		"leaf2    2 host4         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n",
		"");
	live_expect("cables --top 2 --tsv -o node,port,peer,peer_port,part,peer_part", 0,
		    "node\tport\tpeer\tpeer_port\tpart\tpeer_part\n"
		    "leaf1\t3\tleaf2\t3\tMMA1B00-E100\tMMA1B00-E100\n"
		    "host1\t1\tleaf1\t1\tMCP1600-E002\tMCP1600-E002\n",
		    "");
	live_expect(
		"cables --name host4 --jsonl", 0,
		"{\"node\": \"leaf2\", \"port\": 2, \"peer\": \"host4\", \"peer_port\": 1, "
		"\"kind\": "
		"\"passive-copper\", \"identifier\": \"qsfp28\", \"vendor\": \"Mellanox\", "
		"\"part\": "
		"\"MCP1600-E002\", \"serial\": \"MT1843VS01234\", \"length_m\": 2, "
		"\"temperature_c\": null, \"rx_power_dbm\": null, \"peer_kind\": "
		"\"passive-copper\", "
		"\"peer_identifier\": \"qsfp28\", \"peer_vendor\": \"Mellanox\", \"peer_part\": "
		"\"MCP1600-E002\", \"peer_serial\": \"MT1843VS01234\", \"peer_length_m\": 2, "
		"\"peer_temperature_c\": null, \"peer_rx_power_dbm\": null, \"alarms\": null, "
		"\"peer_alarms\": null, \"flags\": null, \"peer_flags\": null, \"state\": "
		"\"read\", "
		"\"peer_state\": \"read\", \"source\": \"cable-info\", \"peer_source\": "
		"\"cable-info\", \"changes\": null, \"node_guid\": \"0000:0000:0000:0300\", "
		"\"peer_guid\": \"0000:0000:0000:0600\", \"lanes\": null, \"peer_lanes\": null}\n",
		"");
	live_expect(
		"cables --name nothing", 5, "",
		"rdmactl fabric: no node has a name like 'nothing'\n"
		"  give the full name, or part of it between asterisks; rdmactl fabric nodes lists "
		"them\n");
}

static void unread(void **state)
{
	(void)state;
	modules.refused[LEAF1][3] = 3;
	modules.refused[LEAF1][2] = 9;
	modules.refused[HOST3][1] = 4;
	live_add_fault((struct live_fault){.node = HOST4, .attribute = MAD_SM_CABLE_INFO});
	node_info_set_vendor_id(live.fabric.nodes[HOST2].info, 0x001175);
	live_expect(
		"cables", 3,
		"NODE  PORT PEER  PEER PORT KIND           VENDOR   PART         SERIAL        "
		"LENGTH m TEMP C RX dBm PEER SERIAL   PEER TEMP C PEER RX dBm ALARMS PEER ALARMS\n"
		"leaf1    3 leaf2         3 -              -        -            -                 "
		"  "
		" -      -      - MT2203FT00042        41.5        -6.0 -      -\n"
		"host1    1 leaf1         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n"
		"leaf1    2 host2         1 -              -        -            -                 "
		"  "
		" -      -      - -                       -           - -      -\n"
		"leaf1    4 leaf2         4 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - MT1843VS01234           -           - -      -\n"
		"leaf2    1 host3         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - -                       -           - -      -\n"
		"leaf2    2 host4         1 passive-copper Mellanox MCP1600-E002 MT1843VS01234     "
		"  "
		" 2      -      - -                       -           - -      -\n",
		"rdmactl fabric: host4/1: CableInfo: no answer, asked 4 times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: leaf1/2: cannot read module: the bus to the modules is busy\n"
		"rdmactl fabric: cannot read module: no module data from 1 port: other "
		"vendors' devices\n"
		"  CableInfo and PDDR are for NVIDIA (Mellanox) devices; on a host, rdmactl cables "
		"asks the driver\n");
	modules.refused[HOST1][1] = 2;
	live_expect("cables --name host1 --tsv", 3,
		    "node\tport\tpeer\tpeer_port\tkind\tvendor\tpart\tserial\tlength_"
		    "m\ttemperature_c\trx"
		    "_power_dbm\tpeer_serial\tpeer_temperature_c\tpeer_rx_power_dbm\talarms\tpeer_"
		    "alarms"
		    "\n"
		    "host1\t1\tleaf1\t1\t\t\t\t\t\t\t\tMT1843VS01234\t\t\t\t\n",
		    "rdmactl fabric: cannot read module: no module data from 1 port: "
		    "CableInfo returned nothing, and class 0x0a has no register PDDR\n"
		    "  CableInfo and PDDR are for NVIDIA (Mellanox) devices; on a host, rdmactl "
		    "cables asks the driver\n");
	live.stop_after = 80;
	live_expect(
		"cables --tsv -o node,port,state", 3,
		"node\tport\tstate\n"
		"leaf1\t3\tabsent\n"
		"host1\t1\tunsupported\n"
		"leaf1\t2\tfailed\n"
		"leaf1\t4\tread\n"
		"leaf2\t1\tread\n"
		"leaf2\t2\tread\n",
		"rdmactl fabric: interrupted: not all modules were read\n"
		"rdmactl fabric: leaf1/2: cannot read module: the bus to the modules is busy\n");
}

static void since(void **state)
{
	char *text, *said, path[32], other[32];
	_cleanup_(freep) char *line = NULL, *named = NULL, *bad = NULL;
	int file, empty;

	(void)state;
	assert_int_equal(live_run("cables --save -", &text, &said), 0);
	assert_string_equal(said, "");
	file = live_file(text, path);
	empty = live_file("{}", other);
	free(text);
	free(said);
	line = mem_format("cables --since %s", path);
	named = mem_format("cables --since %s --name host4", path);
	bad = mem_format("cables --since %s", other);
	live_expect(line, 0, "", "");
	plug_put_text(&modules.memory[HOST3][1], PLUG_IDENTITY, 196, 16, "OTHER");
	plug_put_word(&modules.memory[LEAF2][3], PLUG_LOWER, 34, 1000);
	live_expect(
		line, 0,
		"NODE  PORT PEER  PEER PORT KIND           PART         SERIAL        RX dBm PEER "
		"SERIAL   PEER RX dBm CHANGES\n"
		"leaf1    3 leaf2         3 optical        MMA1B00-E100 MT2203FT00042   -3.0 "
		"MT2203FT00042       -10.0 peer receive power -4.0 dB\n"
		"leaf2    1 host3         1 passive-copper MCP1600-E002 MT1843VS01234      - OTHER "
		"  "
		"                - peer serial MT1843VS01234 -> OTHER\n",
		"");
	live_expect(named, 0, "", "");
	fabric_unlink(&live.fabric, fabric_port_at(&live.fabric, LEAF2, 2));
	sample_set_port(&live.fabric, fabric_port_at(&live.fabric, LEAF2, 2), &sample_down);
	live_expect(
		line, 3,
		"NODE  PORT PEER  PEER PORT KIND           PART         SERIAL        RX dBm PEER "
		"SERIAL   PEER RX dBm CHANGES\n"
		"leaf1    3 leaf2         3 optical        MMA1B00-E100 MT2203FT00042   -3.0 "
		"MT2203FT00042       -10.0 peer receive power -4.0 dB\n"
		"leaf2    1 host3         1 passive-copper MCP1600-E002 MT1843VS01234      - OTHER "
		"  "
		"                - peer serial MT1843VS01234 -> OTHER\n",
		"rdmactl fabric: the file has 1 port of nodes that are gone, or whose GUID is not "
		"unique\n"
		"  rdmactl fabric scan --diff shows what is gone\n"
		"rdmactl fabric: the scan found no cable in 1 port of the file\n"
		"  the cable was pulled out, or its link is down: rdmactl fabric scan --diff shows "
		"what is gone\n");
	live_expect(
		named, 5, "",
		"rdmactl fabric: no node has a name like 'host4'\n"
		"  give the full name, or part of it between asterisks; rdmactl fabric nodes lists "
		"them\n");
	live_expect(bad, 1, "",
		    "rdmactl fabric: cannot use /proc/self/fd/41: its format is not that of "
		    "rdmactl fabric cables --save\n"
		    "  rdmactl fabric cables --save FILE writes one\n");
	close(file);
	close(empty);
}

/* Only the modules that were read are in the file. */
static void saved(void **state)
{
	char *text, *said;

	(void)state;
	modules.refused[LEAF2][2] = 3;
	assert_int_equal(live_run("cables --save - --name host4", &text, &said), 0);
	assert_string_equal(said, "");
	assert_non_null(strstr(text, " \"schema\": \"rdmactl/saved_plugs/1\",\n"
				     " \"saved_plugs\": [\n"
				     "  {\"node_guid\": 1536, \"port\": 1, \"memory\": "
				     "\"0:110004000000"));
	assert_null(strstr(text, "\"port\": 2"));
	free(text);
	free(said);
	modules.refused[LEAF2][2] = 0;
	live_expect_unsaved("cables --name host4 --tsv -o node,port", "node\tport\n"
								      "leaf2\t2\n");
	live_expect_error("cables --save /no/such/file --name host4 --tsv -o node,port", 1, "",
			  "rdmactl fabric: cannot write /no/such/file: ", ENOENT, LIVE_NO_FOLDER);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, live_end)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(shown), TEST(unread), TEST(since), TEST(saved)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
