/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Anonymised recordings: each kind of address becomes the same as in texts, and no attribute that
 * nobody has thought of gets through.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <linux/dcbnl.h>
#include <linux/devlink.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/sriov/vf.h"
#include "kernel/netlink/dcb.h"
#include "kernel/netlink/ethtool.h"
#include "kernel/netlink/nldev.h"
#include "kernel/recording.h"
#include "kernel/verbs/verbs_record.h"
#include "netlink_message.h"
#include "snapshot/anonymise/anonymise.h"

#define DEVLINK_FAMILY 21
#define ETHTOOL_NUMBER 22
#define OTHER_FAMILY   23

static const uint8_t mac[6] = {0x0c, 0x42, 0xa1, 0xa1, 0xb2, 0xc0};
static const uint8_t guid[8] = {0x0c, 0x42, 0xa1, 0x03, 0x00, 0xa1, 0xb2, 0xc0};
static const uint8_t ip[4] = {10, 1, 2, 3};
static const uint8_t gid[16] = {0xfe, 0x80, [8] = 0x0e, 0x42, 0xa1, 0xff, 0xfe, 0xa1, 0xb2, 0xc0};

/* A recording of one request, and its anonymised form. */
struct scene {
	struct text_buffer text;
	struct contents contents;
	struct anonymiser *anonymiser;
	struct recording *recording;
	struct strings dropped;
	size_t answers;
};

static struct scene begin(void)
{
	struct scene scene = {.answers = 0};

	assert_int_equal(anonymiser_new("key", 3, &scene.anonymiser), 0);
	recording_begin(&scene.text);
	return scene;
}

static void exchange(struct scene *scene, uint32_t protocol, const struct recorded_message *asked,
		     const struct recorded_message *answer)
{
	recording_ask(&scene->text, protocol, asked);
	recording_got(&scene->text, answer);
	text_buffer_add(&scene->text, "end\n");
}

/* One message, both as a request and as its answer. */
static void both(struct scene *scene, uint32_t protocol, uint16_t type, const struct bytes *bytes)
{
	const struct recorded_message message = {
		.type = type, .length = (uint32_t)bytes->length, .payload = bytes->data};

	exchange(scene, protocol, &message, &message);
}

/* Names the families of generic netlink. */
static void families(struct scene *scene)
{
	static const struct {
		const char *name;
		uint16_t number;
	} list[] = {
		{DEVLINK_GENL_NAME, DEVLINK_FAMILY},
		{ETHTOOL_GENL_NAME, ETHTOOL_NUMBER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		const struct genlmsghdr header = {.cmd = CTRL_CMD_GETFAMILY};
		struct bytes bytes = {.length = 0};

		bytes_put(&bytes, &header, sizeof(header));
		put_attribute(&bytes, CTRL_ATTR_FAMILY_NAME, list[i].name,
			      strlen(list[i].name) + 1);
		put_u16(&bytes, CTRL_ATTR_FAMILY_ID, list[i].number);
		both(scene, NETLINK_GENERIC, GENL_ID_CTRL, &bytes);
	}
}

static void anonymise(struct scene *scene)
{
	const size_t length = scene->text.length;
	const struct content *content;
	char *copy;

	contents_take(&scene->contents, CONTENT_FILE, RECORDING_NETLINK_FILE,
		      text_buffer_take(&scene->text), length);
	contents_add(&scene->contents, CONTENT_FILE, "root/proc/sys/kernel/hostname", "node17\n",
		     7);
	contents_add(&scene->contents, CONTENT_FILE, "root/sys/class/net/e/address",
		     "0c:42:a1:a1:b2:c0\n", 18);
	contents_sort(&scene->contents);
	anonymise_contents(scene->anonymiser, &scene->contents, &scene->dropped, &scene->answers);
	content = contents_find(&scene->contents, RECORDING_NETLINK_FILE);
	assert_non_null(content);
	copy = mem_string(content->bytes);
	assert_int_equal(recording_parse(copy, content->length, &scene->recording, NULL), 0);
}

static void end(struct scene *scene)
{
	strings_free(&scene->dropped);
	recording_free(scene->recording);
	contents_clear(&scene->contents);
	anonymiser_free(scene->anonymiser);
}

static bool holds(const struct recorded_message *message, const void *bytes, size_t length)
{
	return message->length && memmem(message->payload, message->length, bytes, length);
}

/* The first message of that type in the answer; the recording is sorted by requests. */
static const struct recorded_message *answer_of(const struct scene *scene, uint16_t type)
{
	struct recorded_exchange found;

	for (size_t i = 0; recording_at(scene->recording, i, &found); i++)
		for (size_t j = 0; j < found.count; j++)
			if (found.messages[j].type == type)
				return &found.messages[j];
	fail_msg("no answer of type %u", type);
	return NULL;
}

static void assert_changed(struct scene *scene, const void *before, const void *after,
			   size_t length, uint16_t type)
{
	const struct recorded_message *message = answer_of(scene, type);

	assert_true(memcmp(before, after, length));
	assert_false(holds(message, before, length));
	assert_true(holds(message, after, length));
}

static void devices_of_rdma_netlink(void **state)
{
	const uint16_t type = nldev_message_type(RDMA_NLDEV_CMD_GET);
	struct scene scene = begin();
	struct bytes bytes = {.length = 0};
	uint8_t changed[8];
	uint64_t number;

	(void)state;
	memcpy(&number, guid, sizeof(number));
	number = be64toh(number);
	put_u32(&bytes, RDMA_NLDEV_ATTR_DEV_INDEX, 7);
	put_attribute(&bytes, RDMA_NLDEV_ATTR_DEV_NAME, "rocex0c42a10300a1b2c0", 22);
	put_u64(&bytes, RDMA_NLDEV_ATTR_NODE_GUID, number);
	put_u64(&bytes, RDMA_NLDEV_ATTR_SUBNET_PREFIX, 0xfe80000000000000);
	put_u32(&bytes, RDMA_NLDEV_ATTR_LID, 17);
	both(&scene, NETLINK_RDMA, type, &bytes);
	anonymise(&scene);
	assert_int_equal(scene.dropped.count + scene.answers, 0);
	memcpy(changed, guid, sizeof(changed));
	anonymise_guid(scene.anonymiser, changed);
	memcpy(&number, changed, sizeof(number));
	number = be64toh(number);
	assert_true(holds(answer_of(&scene, type), &number, sizeof(number)));
	assert_false(holds(answer_of(&scene, type), "0c42a10300a1b2c0", 16));
	assert_true(holds(answer_of(&scene, type), "rocex0c42a1", 11));
	number = 0xfe80000000000000;
	assert_true(holds(answer_of(&scene, type), &number, sizeof(number)));
	assert_int_equal(answer_of(&scene, type)->length, bytes.length);
	end(&scene);
}

static void addresses_of_resources(void **state)
{
	const uint16_t type = nldev_message_type(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	struct scene scene = begin();
	struct bytes bytes = {.length = 0}, entry = {.length = 0}, table = {.length = 0};
	struct sockaddr_storage storage = {.ss_family = AF_INET};
	uint8_t changed_ip[4], changed_gid[16];

	(void)state;
	memcpy(&((struct sockaddr_in *)&storage)->sin_addr, ip, sizeof(ip));
	((struct sockaddr_in *)&storage)->sin_port = htons(4791);
	put_attribute(&entry, RDMA_NLDEV_ATTR_RES_SRC_ADDR, &storage, sizeof(storage));
	memset(&storage, 0xee, sizeof(storage));
	storage.ss_family = AF_INET6;
	memcpy(&((struct sockaddr_in6 *)&storage)->sin6_addr, gid, sizeof(gid));
	put_attribute(&entry, RDMA_NLDEV_ATTR_RES_DST_ADDR, &storage, sizeof(storage));
	put_attribute(&entry, RDMA_NLDEV_ATTR_RES_KERN_NAME, "node17", 7);
	put_attribute(&table, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, entry.data, entry.length);
	put_attribute(&bytes, RDMA_NLDEV_ATTR_RES_CM_ID | NLA_F_NESTED, table.data, table.length);
	both(&scene, NETLINK_RDMA, type, &bytes);
	anonymise(&scene);
	memcpy(changed_ip, ip, sizeof(ip));
	anonymise_ipv4(scene.anonymiser, changed_ip);
	assert_changed(&scene, ip, changed_ip, sizeof(ip), type);
	memcpy(changed_gid, gid, sizeof(gid));
	anonymise_gid(scene.anonymiser, changed_gid);
	assert_changed(&scene, gid, changed_gid, sizeof(gid), type);
	assert_true(holds(answer_of(&scene, type), "\x12\xb7", 2));
	assert_false(holds(answer_of(&scene, type), "node17", 6));
	assert_true(holds(answer_of(&scene, type), "host-", 5));
	/* Nothing after an address is kept. */
	assert_false(holds(answer_of(&scene, type), "\xee\xee\xee\xee\xee", 5));
	end(&scene);
}

static void links_and_virtual_functions(void **state)
{
	struct scene scene = begin();
	struct bytes bytes = {.length = 0}, vf = {.length = 0}, list = {.length = 0};
	const struct ifinfomsg header = {.ifi_index = 3};
	struct ifla_vf_mac vf_mac = {.vf = 1};
	struct ifla_vf_guid vf_guid = {.vf = 1};
	uint8_t changed[6];

	(void)state;
	memcpy(vf_mac.mac, mac, sizeof(mac));
	memset(vf_mac.mac + sizeof(mac), 0xee, 8);
	memcpy(&vf_guid.guid, guid, sizeof(guid));
	vf_guid.guid = be64toh(vf_guid.guid);
	bytes_put(&bytes, &header, sizeof(header));
	put_attribute(&bytes, IFLA_ADDRESS, mac, sizeof(mac));
	put_attribute(&bytes, IFLA_PERM_ADDRESS, mac, sizeof(mac));
	put_attribute(&bytes, IFLA_PHYS_SWITCH_ID, mac, sizeof(mac));
	put_attribute(&bytes, IFLA_IFALIAS, "node17", 7);
	put_attribute(&vf, IFLA_VF_MAC, &vf_mac, sizeof(vf_mac));
	put_attribute(&vf, IFLA_VF_IB_PORT_GUID, &vf_guid, sizeof(vf_guid));
	put_attribute(&list, IFLA_VF_INFO, vf.data, vf.length);
	put_attribute(&bytes, IFLA_VFINFO_LIST, list.data, list.length);
	both(&scene, NETLINK_ROUTE, RTM_NEWLINK, &bytes);
	anonymise(&scene);
	memcpy(changed, mac, sizeof(mac));
	anonymise_mac(scene.anonymiser, changed);
	assert_changed(&scene, mac, changed, sizeof(mac), RTM_NEWLINK);
	assert_false(holds(answer_of(&scene, RTM_NEWLINK), &vf_guid.guid, sizeof(vf_guid.guid)));
	assert_false(holds(answer_of(&scene, RTM_NEWLINK), "\xee\xee", 2));
	assert_false(holds(answer_of(&scene, RTM_NEWLINK), "node17", 6));
	end(&scene);
}

/* The length of the list is that of all VFs modulo 65536, before and after: see vf_take(). */
static void many_virtual_functions(void **state)
{
	enum { VFS = 1500 };
	_cleanup_(vf_list_clear) struct vf_list list = {.count = 0};
	const struct ifinfomsg header = {.ifi_index = 3};
	struct nlattr nest = {.nla_type = IFLA_VFINFO_LIST};
	struct ifla_vf_trust trust = {.setting = 1};
	struct bytes start = {.length = 0};
	struct scene scene = begin();
	_cleanup_(freep) uint8_t *payload = NULL;
	struct recorded_message message = {.type = RTM_NEWLINK};

	(void)state;
	bytes_put(&start, &header, sizeof(header));
	put_u32(&start, IFLA_NUM_VF, VFS);
	payload = mem_alloc_zero(VFS, 512);
	memcpy(payload, start.data, start.length);
	message.length = (uint32_t)(start.length + sizeof(nest));
	for (uint32_t i = 0; i < VFS; i++) {
		struct ifla_vf_mac vf_mac = {.vf = i};
		struct bytes vf = {.length = 0}, entry = {.length = 0};

		trust.vf = i;
		memcpy(vf_mac.mac, mac, sizeof(mac));
		put_attribute(&vf, IFLA_VF_MAC, &vf_mac, sizeof(vf_mac));
		put_attribute(&vf, IFLA_VF_TRUST, &trust, sizeof(trust));
		put_attribute(&vf, IFLA_VF_STATS, "node17", 7);
		put_attribute(&entry, IFLA_VF_INFO, vf.data, vf.length);
		memcpy(payload + message.length, entry.data, entry.length);
		message.length += (uint32_t)entry.length;
	}
	nest.nla_len = (uint16_t)(message.length - start.length);
	memcpy(payload + start.length, &nest, sizeof(nest));
	message.payload = payload;
	exchange(&scene, NETLINK_ROUTE, &message, &message);
	anonymise(&scene);
	message = *answer_of(&scene, RTM_NEWLINK);
	assert_false(holds(&message, mac, sizeof(mac)));
	assert_false(holds(&message, "node17", 6));
	assert_int_equal(vf_take(&list, message.payload, message.length), 0);
	assert_int_equal(list.count, VFS);
	assert_int_equal(list.items[VFS - 1].index.value, VFS - 1);
	assert_int_equal(list.items[VFS - 1].trust.value, 1);
	end(&scene);
}

/* The hardware address of a tunnel is an IP address, here and in sysfs. */
static void tunnels(void **state)
{
	struct scene scene = begin();
	struct bytes bytes = {.length = 0};
	const struct ifinfomsg header = {.ifi_index = 3};
	const struct content *content;
	uint8_t changed[4];
	char text[16];

	(void)state;
	bytes_put(&bytes, &header, sizeof(header));
	put_attribute(&bytes, IFLA_ADDRESS, ip, sizeof(ip));
	both(&scene, NETLINK_ROUTE, RTM_NEWLINK, &bytes);
	contents_add(&scene.contents, CONTENT_FILE, "root/sys/class/net/t/address", "0a:01:02:03\n",
		     12);
	anonymise(&scene);
	memcpy(changed, ip, sizeof(ip));
	anonymise_ipv4(scene.anonymiser, changed);
	assert_changed(&scene, ip, changed, sizeof(ip), RTM_NEWLINK);
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x\n", changed[0], changed[1], changed[2],
		 changed[3]);
	content = contents_find(&scene.contents, "root/sys/class/net/t/address");
	assert_string_equal(content->bytes, text);
	end(&scene);
}

/* A request for an address finds its answer under the changed address. */
static void routes(void **state)
{
	const struct rtmsg header = {.rtm_family = AF_INET, .rtm_dst_len = 24};
	const uint8_t network[4] = {10, 1, 2, 0};
	struct scene scene = begin();
	struct bytes bytes = {.length = 0};
	uint8_t changed[4];

	(void)state;
	bytes_put(&bytes, &header, sizeof(header));
	put_attribute(&bytes, RTA_DST, network, sizeof(network));
	put_attribute(&bytes, RTA_PREFSRC, ip, sizeof(ip));
	put_u32(&bytes, RTA_OIF, 3);
	both(&scene, NETLINK_ROUTE, RTM_GETROUTE, &bytes);
	anonymise(&scene);
	memcpy(changed, ip, sizeof(ip));
	anonymise_ipv4(scene.anonymiser, changed);
	assert_changed(&scene, ip, changed, sizeof(ip), RTM_GETROUTE);
	changed[3] = 0;
	assert_changed(&scene, network, changed, sizeof(network), RTM_GETROUTE);
	end(&scene);
}

/* The permitted error correction is still there; the names of its modes are not. */
static void error_correction(void **state)
{
	const struct genlmsghdr header = {.cmd = ETHTOOL_MSG_FEC_GET};
	struct bytes bytes = {.length = 0}, netdev = {.length = 0}, set = {.length = 0};
	struct bytes list = {.length = 0}, mode = {.length = 0};
	struct ethtool_fec fec = {.active.known = false};
	struct scene scene = begin();
	const struct recorded_message *answer;

	(void)state;
	families(&scene);
	put_u32(&netdev, ETHTOOL_A_HEADER_DEV_INDEX, 3);
	put_u32(&mode, ETHTOOL_A_BITSET_BIT_INDEX, ETHTOOL_LINK_MODE_FEC_RS_BIT);
	put_attribute(&mode, ETHTOOL_A_BITSET_BIT_NAME, "node17", 7);
	put_attribute(&list, ETHTOOL_A_BITSET_BITS_BIT, mode.data, mode.length);
	put_attribute(&set, ETHTOOL_A_BITSET_BITS, list.data, list.length);
	bytes_put(&bytes, &header, sizeof(header));
	put_attribute(&bytes, ETHTOOL_A_FEC_HEADER, netdev.data, netdev.length);
	put_attribute(&bytes, ETHTOOL_A_FEC_MODES, set.data, set.length);
	put_u8(&bytes, ETHTOOL_A_FEC_AUTO, 1);
	both(&scene, NETLINK_GENERIC, ETHTOOL_NUMBER, &bytes);
	anonymise(&scene);
	answer = answer_of(&scene, ETHTOOL_NUMBER);
	assert_false(holds(answer, "node17", 6));
	assert_int_equal(ethtool_parse_fec(&fec, answer->payload, answer->length), 0);
	assert_true(fec.configured.known);
	assert_int_equal(fec.configured.value, 1 << 1 | 1 << 4);
	end(&scene);
}

/* What identifies a module of 40 or 100 Gb/s, with the checksums of SFF-8636 */
static void module_memory(void **state)
{
	static const char serial[16] = "MT2012VS04711   ";
	struct scene scene = begin();
	const struct genlmsghdr header = {.cmd = ETHTOOL_MSG_MODULE_EEPROM_GET};
	const struct recorded_message *answer;
	uint8_t memory[2][128] = {{0}}, sum = 0;
	const uint8_t *found;
	const char *kept = "Mellanox        ";

	(void)state;
	families(&scene);
	memory[0][0] = 0x11;
	memory[0][22] = 33;
	memcpy(memory[0] + 119, "pass", 4);
	memcpy(memory[1] + 148 - 128, kept, 16);
	memcpy(memory[1] + 196 - 128, serial, sizeof(serial));
	memcpy(memory[1] + 224 - 128, "node17 vendor", 13);
	for (uint8_t part = 0; part < 2; part++) {
		struct bytes bytes = {.length = 0}, netdev = {.length = 0};

		put_u32(&netdev, ETHTOOL_A_HEADER_DEV_INDEX, 3);
		bytes_put(&bytes, &header, sizeof(header));
		put_attribute(&bytes, ETHTOOL_A_MODULE_EEPROM_HEADER, netdev.data, netdev.length);
		put_u32(&bytes, ETHTOOL_A_MODULE_EEPROM_OFFSET, part ? 128u : 0u);
		put_u8(&bytes, ETHTOOL_A_MODULE_EEPROM_PAGE, 0);
		put_u8(&bytes, ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, 0x50);
		put_attribute(&bytes, ETHTOOL_A_MODULE_EEPROM_DATA, memory[part], 128);
		both(&scene, NETLINK_GENERIC, ETHTOOL_NUMBER, &bytes);
	}
	anonymise(&scene);
	assert_int_equal(scene.answers, 0);
	answer = NULL;
	for (size_t i = 0, at = 0; !answer; i++) {
		struct recorded_exchange each;

		assert_true(recording_at(scene.recording, i, &each));
		for (at = 0; at < each.count; at++) {
			assert_false(holds(&each.messages[at], serial, 13));
			assert_false(holds(&each.messages[at], "node17", 6));
			assert_false(holds(&each.messages[at], "pass", 4));
			if (holds(&each.messages[at], kept, 16))
				answer = &each.messages[at];
		}
	}
	found = memmem(answer->payload, answer->length, kept, 16);
	assert_non_null(found);
	found += 192 - 148;
	for (size_t i = 0; i < 223 - 192; i++)
		sum = (uint8_t)(sum + found[i]);
	assert_int_equal(sum, found[223 - 192]);
	assert_memory_equal(found + 196 - 192 + 13, "   ", 3);
	end(&scene);
}

static void verbs_answers(void **state)
{
	struct scene scene = begin();
	uint8_t limits[4 + 8 + sizeof(struct ibv_device_attr_ex) + 8];
	struct ibv_gid_entry entry = {.gid_index = 5};
	uint8_t gids[sizeof(int32_t) + sizeof(entry)] = {0};
	struct recorded_message asked = {.type = VERBS_ASK_LIMITS,
					 .length = 21,
					 .payload = (const uint8_t *)"rocex0c42a10300a1b2c0"};
	struct recorded_message answer = {
		.type = VERBS_ASK_LIMITS, .length = sizeof(limits), .payload = limits};
	uint8_t changed[16];

	(void)state;
	memset(limits, 0, sizeof(limits));
	strcpy((char *)limits + 12, "16.35");
	memset(limits + 12 + 20, 0xee, 8);
	memcpy(limits + 12 + offsetof(struct ibv_device_attr, node_guid), guid, sizeof(guid));
	memset(limits + sizeof(limits) - 8, 0xdd, 8);
	exchange(&scene, RECORDING_VERBS, &asked, &answer);
	memcpy(entry.gid.raw, gid, sizeof(gid));
	memcpy(gids + sizeof(int32_t), &entry, sizeof(entry));
	asked.type = answer.type = VERBS_ASK_GIDS;
	answer.length = sizeof(gids);
	answer.payload = gids;
	exchange(&scene, RECORDING_VERBS, &asked, &answer);
	asked.type = 99;
	exchange(&scene, RECORDING_VERBS, &asked, &answer);
	anonymise(&scene);
	assert_int_equal(scene.answers, 1);
	memcpy(changed, guid, sizeof(guid));
	anonymise_guid(scene.anonymiser, changed);
	assert_changed(&scene, guid, changed, sizeof(guid), VERBS_ASK_LIMITS);
	assert_false(holds(answer_of(&scene, VERBS_ASK_LIMITS), "\xee", 1));
	assert_false(holds(answer_of(&scene, VERBS_ASK_LIMITS), "\xdd", 1));
	assert_true(holds(answer_of(&scene, VERBS_ASK_LIMITS), "16.35", 6));
	memcpy(changed, gid, sizeof(gid));
	anonymise_gid(scene.anonymiser, changed);
	assert_changed(&scene, gid, changed, sizeof(gid), VERBS_ASK_GIDS);
	end(&scene);
}

/* An error repeats the request; only its text is kept, without addresses. */
static void errors(void **state)
{
	struct scene scene = begin();
	struct bytes bytes = {.length = 0};
	struct nlmsgerr refusal = {.error = -22, .msg.nlmsg_len = NLMSG_HDRLEN + 8};
	const struct recorded_message asked = {.type = RTM_GETLINK};
	struct recorded_message answer = {.type = NLMSG_ERROR, .flags = NLM_F_ACK_TLVS};

	(void)state;
	refusal.msg.nlmsg_seq = 0xeeeeeeee;
	bytes_put(&bytes, &refusal, sizeof(refusal));
	bytes_put(&bytes, guid, sizeof(guid));
	put_attribute(&bytes, NLMSGERR_ATTR_MSG, "no 0c:42:a1:a1:b2:c0", 21);
	put_attribute(&bytes, NLMSGERR_ATTR_COOKIE, guid, sizeof(guid));
	answer.payload = bytes.data;
	answer.length = (uint32_t)bytes.length;
	exchange(&scene, NETLINK_ROUTE, &asked, &answer);
	anonymise(&scene);
	assert_int_equal(scene.answers, 0);
	assert_false(holds(answer_of(&scene, NLMSG_ERROR), guid, sizeof(guid)));
	assert_false(holds(answer_of(&scene, NLMSG_ERROR), "a1:b2:c0", 8));
	assert_false(holds(answer_of(&scene, NLMSG_ERROR), "\xee", 1));
	assert_true(holds(answer_of(&scene, NLMSG_ERROR), "no 0c:42:a1:", 12));
	assert_true(answer_of(&scene, NLMSG_ERROR)->flags & NLM_F_CAPPED);
	end(&scene);
}

/* The attributes of a message type through which sixteen bytes may pass unchanged. */
struct passing {
	uint32_t protocol;
	uint16_t type, command; /* of generic netlink */
	size_t header;
	unsigned int attributes[40]; /* texts and tables of numbers */
};

static const struct passing all[] = {
	{NETLINK_RDMA,
	 RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET),
	 0,
	 0,
	 {RDMA_NLDEV_ATTR_DEV_NAME, RDMA_NLDEV_ATTR_FW_VERSION,
	  RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, RDMA_NLDEV_ATTR_RES_KERN_NAME,
	  RDMA_NLDEV_ATTR_NDEV_NAME, RDMA_NLDEV_ATTR_DRIVER_STRING, RDMA_NLDEV_ATTR_LINK_TYPE,
	  RDMA_NLDEV_ATTR_DEV_PROTOCOL, RDMA_NLDEV_ATTR_CHARDEV_TYPE, RDMA_NLDEV_ATTR_CHARDEV_NAME,
	  RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, NLDEV_ATTR_RES_SUBTYPE,
	  NLDEV_ATTR_PARENT_NAME}},
	{NETLINK_ROUTE, RTM_NEWLINK, 0, sizeof(struct ifinfomsg), {IFLA_IFNAME}},
	{NETLINK_ROUTE, RTM_NEWADDR, 0, sizeof(struct ifaddrmsg), {0}},
	{NETLINK_ROUTE, RTM_NEWROUTE, 0, sizeof(struct rtmsg), {0}},
	{NETLINK_ROUTE, RTM_NEWSTATS, 0, sizeof(struct if_stats_msg), {IFLA_STATS_LINK_64}},
	{NETLINK_ROUTE, RTM_GETDCB, 0, sizeof(struct dcbmsg), {DCB_ATTR_IFNAME}},
	{NETLINK_GENERIC, GENL_ID_CTRL, 0, GENL_HDRLEN, {CTRL_ATTR_FAMILY_NAME}},
	{NETLINK_GENERIC,
	 DEVLINK_FAMILY,
	 DEVLINK_CMD_INFO_GET,
	 GENL_HDRLEN,
	 {DEVLINK_ATTR_BUS_NAME, DEVLINK_ATTR_DEV_NAME, DEVLINK_ATTR_PARAM_NAME,
	  DEVLINK_ATTR_INFO_VERSION_NAME, DEVLINK_ATTR_INFO_VERSION_VALUE,
	  DEVLINK_ATTR_HEALTH_REPORTER_NAME}},
	{NETLINK_GENERIC, ETHTOOL_NUMBER, ETHTOOL_MSG_PAUSE_GET, GENL_HDRLEN, {0}},
	{NETLINK_GENERIC, ETHTOOL_NUMBER, ETHTOOL_MSG_FEC_GET, GENL_HDRLEN, {0}},
	{NETLINK_GENERIC, ETHTOOL_NUMBER, ETHTOOL_MSG_LINKSTATE_GET, GENL_HDRLEN, {0}},
	{NETLINK_GENERIC, ETHTOOL_NUMBER, ETHTOOL_MSG_MODULE_GET, GENL_HDRLEN, {0}},
	{NETLINK_GENERIC, ETHTOOL_NUMBER, ETHTOOL_MSG_MODULE_EEPROM_GET, GENL_HDRLEN, {0}},
};

static bool may_pass(const struct passing *passing, unsigned int attribute)
{
	for (size_t i = 0; i < ARRAY_SIZE(passing->attributes); i++)
		if (attribute && passing->attributes[i] == attribute)
			return true;
	return false;
}

/* Whether the bytes in an attribute of that number survive. */
static bool passes(const struct passing *passing, unsigned int attribute, const void *secret,
		   size_t length)
{
	struct scene scene = begin();
	struct bytes bytes = {.length = 0};
	uint8_t header[32] = {(uint8_t)passing->command};
	struct recorded_exchange found;
	bool passed = false;

	families(&scene);
	bytes_put(&bytes, header, passing->header);
	put_attribute(&bytes, attribute, secret, length);
	both(&scene, passing->protocol, passing->type, &bytes);
	anonymise(&scene);
	for (size_t i = 0; recording_at(scene.recording, i, &found); i++) {
		passed |= holds(&found.question, secret, length);
		for (size_t j = 0; j < found.count; j++)
			passed |= holds(&found.messages[j], secret, length);
	}
	end(&scene);
	return passed;
}

static void no_unknown_attribute_passes(void **state)
{
	static const char secret[] = "Wh0-kN0ws-m3-now";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (unsigned int attribute = 0; attribute < 320; attribute++)
			if (passes(&all[i], attribute, secret, 16) != may_pass(&all[i], attribute))
				fail_msg("message %zu, attribute %u", i, attribute);
}

/* No attribute of any number passes an address on, not even those for texts and numbers. */
static void no_address_passes_anywhere(void **state)
{
	static const char name[] = "node17", text[] = "0c:42:a1:a1:b2:c0";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (unsigned int attribute = 0; attribute < 320; attribute++) {
			/* Bytes that are neither text nor a table of numbers. */
			if (passes(&all[i], attribute, mac, sizeof(mac)) &&
			    !may_pass(&all[i], attribute))
				fail_msg("message %zu, attribute %u: a MAC", i, attribute);
			if (passes(&all[i], attribute, gid, sizeof(gid)) &&
			    !may_pass(&all[i], attribute))
				fail_msg("message %zu, attribute %u: a GID", i, attribute);
			if (passes(&all[i], attribute, name, sizeof(name)))
				fail_msg("message %zu, attribute %u: a name", i, attribute);
			if (passes(&all[i], attribute, text, sizeof(text)))
				fail_msg("message %zu, attribute %u: a text", i, attribute);
		}
}

static void unknown_messages_are_left_out(void **state)
{
	struct scene scene = begin();
	struct bytes bytes = {.length = 0};
	struct recorded_exchange found;

	(void)state;
	put_attribute(&bytes, 1, guid, sizeof(guid));
	both(&scene, NETLINK_GENERIC, OTHER_FAMILY, &bytes);
	both(&scene, NETLINK_ROUTE, RTM_GETQDISC, &bytes);
	/* Routing tables are omitted entirely, which is not reported as a loss. */
	both(&scene, NETLINK_ROUTE, RTM_GETNEIGH, &bytes);
	both(&scene, NETLINK_RDMA, RDMA_NL_GET_TYPE(RDMA_NL_LS, 1), &bytes);
	both(&scene, 9, 99, &bytes);
	anonymise(&scene);
	assert_int_equal(scene.answers, 4);
	assert_false(recording_at(scene.recording, 0, &found));
	end(&scene);
}

static void a_damaged_recording_is_left_out(void **state)
{
	struct scene scene = begin();
	struct contents contents = {.count = 0};

	(void)state;
	contents_add(&contents, CONTENT_FILE, RECORDING_VERBS_FILE, "node17", 6);
	anonymise_contents(scene.anonymiser, &contents, &scene.dropped, &scene.answers);
	assert_int_equal(scene.dropped.count, 1);
	assert_string_equal(scene.dropped.items[0], RECORDING_VERBS_FILE);
	assert_int_equal(contents.count, 0);
	contents_clear(&contents);
	free(text_buffer_take(&scene.text));
	end(&scene);
}

/* A host may have the name of a directory that every snapshot contains. */
static void paths_that_every_host_has_stay(void **state)
{
	static const char *const names[] = {"net", "netlink", "verbs", "root", "ports"};
	static const char port[] = "root/sys/class/infiniband/a/ports/1/state";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct contents contents = {.count = 0};
		struct scene scene = begin();

		contents_add(&contents, CONTENT_FILE, RECORDING_NETLINK_FILE, scene.text.text,
			     scene.text.length);
		contents_add(&contents, CONTENT_FILE, RECORDING_VERBS_FILE, scene.text.text,
			     scene.text.length);
		contents_add(&contents, CONTENT_FILE, "root/proc/sys/kernel/hostname", names[i],
			     strlen(names[i]));
		contents_add(&contents, CONTENT_FILE, port, "4: ACTIVE", 9);
		contents_add(&contents, CONTENT_LINK, "root/sys/class/net/e",
			     "../../devices/pci0000:00/net/e", 30);
		contents_sort(&contents);
		anonymise_contents(scene.anonymiser, &contents, &scene.dropped, &scene.answers);
		assert_int_equal(scene.dropped.count, 0);
		assert_non_null(contents_find(&contents, RECORDING_NETLINK_FILE));
		assert_non_null(contents_find(&contents, RECORDING_VERBS_FILE));
		assert_non_null(contents_find(&contents, port));
		assert_string_equal(contents_find(&contents, "root/sys/class/net/e")->bytes,
				    "../../devices/pci0000:00/net/e");
		assert_memory_equal(
			contents_find(&contents, "root/proc/sys/kernel/hostname")->bytes, "host-",
			5);
		contents_clear(&contents);
		free(text_buffer_take(&scene.text));
		end(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_of_rdma_netlink),
		cmocka_unit_test(addresses_of_resources),
		cmocka_unit_test(links_and_virtual_functions),
		cmocka_unit_test(many_virtual_functions),
		cmocka_unit_test(tunnels),
		cmocka_unit_test(routes),
		cmocka_unit_test(error_correction),
		cmocka_unit_test(module_memory),
		cmocka_unit_test(verbs_answers),
		cmocka_unit_test(errors),
		cmocka_unit_test(no_unknown_attribute_passes),
		cmocka_unit_test(no_address_passes_anywhere),
		cmocka_unit_test(unknown_messages_are_left_out),
		cmocka_unit_test(a_damaged_recording_is_left_out),
		cmocka_unit_test(paths_that_every_host_has_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
