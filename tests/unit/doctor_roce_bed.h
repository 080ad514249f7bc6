/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of the checks of RoCE that need the live host: an inventory made by hand, a saved
 * tree for the files, and a kernel at the other end of a socket pair.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include "base/mem.h"
#include "doctor/roce/roce.h"
#include "netlink_message.h"
#include "saved_tree.h"

/* What the kernel answers. */
struct answers {
	uint8_t pfc[3];		 /* of eth0, eth1, eth2 */
	uint8_t dscp_26;	 /* the priority of DSCP 26 on both; 0: no entry */
	int dcb_error;		 /* for each DCB request, instead of an answer */
	int dcb_error_of[3];	 /* the same, for one netdev only */
	unsigned int best_link;	 /* of the best route, whatever netdev was asked for */
	int table_error;	 /* of a route by a netdev */
	unsigned int table_link; /* the netdev of that route; 0: it has several */
	unsigned int only_peer;	 /* the only neighbour without -ENODATA; 0: all are answered */
	unsigned int last_peer;	 /* last byte of the address of the neighbour asked about last */
	unsigned int peers;	 /* number of queries for neighbours */
};

/* Two ports, mlx5_0 on eth0 (10.0.0.5/24) and mlx5_1 on eth1 (10.0.0.6/24). */
struct bed {
	struct saved_tree tree;
	struct doctor_facts facts;
	struct doctor_request request;
	struct doctor_results results;
	struct problems problems;
	struct doctor_context run;
	struct fake_kernel kernel;
	struct answers answers;
	char *environment[3];
};

static inline void put_dcb(const struct answers *answers, unsigned int which, struct bytes *payload)
{
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_GET};
	const struct ieee_pfc pfc = {.pfc_en = answers->pfc[which]};
	const struct dcb_app app = {.selector = IEEE_8021QAZ_APP_SEL_DSCP,
				    .priority = answers->dscp_26,
				    .protocol = 26};
	struct bytes ieee = {0}, apps = {0};

	bytes_put(payload, &header, sizeof(header));
	put_attribute(&ieee, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	if (answers->dscp_26)
		put_attribute(&apps, DCB_ATTR_IEEE_APP, &app, sizeof(app));
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &apps);
	put_nest(payload, DCB_ATTR_IEEE, &ieee);
}

static inline unsigned int last_byte_of_destination(const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	int left = (int)(message->nlmsg_len - NLMSG_LENGTH(sizeof(struct rtmsg)));

	for (const struct rtattr *attribute = RTM_RTA(NLMSG_DATA(message)); RTA_OK(attribute, left);
	     attribute = RTA_NEXT(attribute, left))
		if (attribute->rta_type == RTA_DST)
			return ((const uint8_t *)RTA_DATA(attribute))[RTA_PAYLOAD(attribute) - 1];
	return 0;
}

static inline void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct answers *answers = kernel->context;
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct rtmsg route = {.rtm_family = AF_INET, .rtm_type = RTN_UNICAST};
	const struct rtmsg *question = NLMSG_DATA(message);
	struct bytes payload = {0}, datagram = {0};
	int error = 0;

	if (message->nlmsg_type == RTM_GETDCB) {
		const unsigned int which =
			requests->data[NLMSG_HDRLEN + sizeof(struct dcbmsg) + NLA_HDRLEN + 3] - '0';

		error = answers->dcb_error ? answers->dcb_error : answers->dcb_error_of[which];
		put_dcb(answers, which, &payload);
	} else {
		const bool in_table = question->rtm_flags & RTM_F_FIB_MATCH;
		const unsigned int link = in_table ? answers->table_link : answers->best_link;

		bytes_put(&payload, &route, sizeof(route));
		if (in_table) {
			answers->peers++;
			answers->last_peer = last_byte_of_destination(requests);
			error = answers->only_peer && answers->only_peer != answers->last_peer
					? -ENODATA
					: answers->table_error;
		}
		if (link)
			put_u32(&payload, RTA_OIF, link);
	}
	if (error)
		put_error(&datagram, message->nlmsg_seq, error, NULL);
	else
		put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq, payload.data,
			    payload.length);
	fake_send(kernel, &datagram);
}

/* One entry of a device's GID table. */
static inline void put_gid(struct bed *bed, unsigned int which, unsigned int slot, const char *gid,
			   const char *type, const char *netdev)
{
	const char *directory = "sys/class/infiniband/mlx5_";
	char path[128];

	snprintf(path, sizeof(path), "%s%u/ports/1/gids/%u", directory, which, slot);
	tree_write(&bed->tree, path, gid);
	snprintf(path, sizeof(path), "%s%u/ports/1/gid_attrs/types/%u", directory, which, slot);
	tree_write(&bed->tree, path, type);
	snprintf(path, sizeof(path), "%s%u/ports/1/gid_attrs/ndevs/%u", directory, which, slot);
	tree_write(&bed->tree, path, netdev);
}

static inline void add_port(struct bed *bed, unsigned int which)
{
	struct inventory *inventory = &bed->facts.inventory;
	char device_name[] = "mlx5_0", link_name[] = "eth0";
	struct link_address *address;
	struct device *device;
	struct link *link;
	struct port *port;

	device_name[5] = link_name[3] = (char)('0' + which);
	device = device_list_add(&inventory->devices, device_name);
	device->driver = mem_string("mlx5_core");
	device->transport = number_of(TRANSPORT_ROCE);
	port = device_add_port(device, 1);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->state = number_of(PORT_STATE_ACTIVE);
	port->netdev = mem_string(link_name);
	link = link_list_add(&inventory->links);
	link->name = mem_string(link_name);
	link->index = number_of(3 + which);
	link->enabled = TRISTATE_YES;
	address = mem_append(&inventory->addresses.items, &inventory->addresses.count,
			     sizeof(*address));
	*address = (struct link_address){
		.link_index = link->index,
		.ip = {.family = AF_INET, .raw = {10, 0, 0, (uint8_t)(5 + which)}},
		.prefix_length = number_of(24),
	};
}

static inline int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct doctor_roce *roce;

	tree_open(&bed->tree);
	*state = bed;
	bed->facts.root = (struct root){.fd = dup(bed->tree.root.fd)};
	bed->facts.inventory.answers = true;
	bed->facts.request = &bed->request;
	bed->facts.problems = &bed->problems;
	bed->facts.environment = bed->environment;
	add_port(bed, 0);
	add_port(bed, 1);
	bed->answers = (struct answers){.pfc = {8, 8}, .dscp_26 = 3, .best_link = 3};
	bed->kernel = (struct fake_kernel){.serve = serve, .context = &bed->answers};
	roce = DOCTOR_PART(&bed->facts, roce);
	roce->rtnl = netlink_from_fd(fake_start(&bed->kernel), 32768);
	roce->rtnl_was_opened = true;
	bed->run = (struct doctor_context){
		.facts = &bed->facts,
		.results = &bed->results,
	};
	return 0;
}

static inline int tear_down(void **state)
{
	struct bed *bed = *state;

	doctor_facts_free(&bed->facts);
	fake_stop(&bed->kernel);
	doctor_results_free(&bed->results);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* Runs the check on the port, and returns what it reported. */
static inline const struct doctor_result *run(struct bed *bed, enum doctor_check_id id,
					      unsigned int which)
{
	bed->run.id = id;
	bed->run.check = doctor_check(id);
	bed->run.device = &bed->facts.inventory.devices.items[which];
	bed->run.port = &bed->run.device->ports[0];
	bed->run.check->check(&bed->run);
	return &bed->results.items[bed->results.count - 1];
}

static inline void expect(struct bed *bed, enum doctor_check_id id, unsigned int which,
			  enum severity verdict, const char *summary, const char *evidence)
{
	const struct doctor_result *result = run(bed, id, which);

	assert_string_equal(result->finding.summary, summary);
	assert_int_equal(result->finding.severity.value, verdict);
	if (evidence)
		assert_string_equal(result->finding.evidence, evidence);
	else
		assert_null(result->finding.evidence);
	/* All answers are available here, so no check asks for more. */
	assert_false(result->needs.known);
}
