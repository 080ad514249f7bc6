/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests of code that queries netlink: a snapshot whose kernel gives the answers assembled here,
 * and whose files are those below root/.
 */
#pragma once

#include "saved_tree.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/nldev.h"
#include "kernel/recording.h"
#include "netlink_message.h"

#define ASK_DUMP (NLM_F_REQUEST | NLM_F_DUMP)

struct made_up_snapshot {
	struct saved_tree tree;
	struct text_buffer file;
};

static inline void snapshot_begin(struct made_up_snapshot *snapshot)
{
	tree_write(&snapshot->tree, "manifest.json", "{}");
	tree_directory(&snapshot->tree, "root");
	recording_begin(&snapshot->file);
}

static inline void snapshot_ask(struct made_up_snapshot *snapshot, uint32_t protocol, uint16_t type,
				uint16_t flags, const struct bytes *payload)
{
	recording_ask(&snapshot->file, protocol,
		      &(struct recorded_message){
			      .type = type,
			      .flags = flags,
			      .length = (uint32_t)payload->length,
			      .payload = payload->data,
		      });
}

static inline void snapshot_got(struct made_up_snapshot *snapshot, uint16_t type, uint16_t flags,
				const struct bytes *payload)
{
	recording_got(&snapshot->file, &(struct recorded_message){
					       .type = type,
					       .flags = flags,
					       .length = (uint32_t)payload->length,
					       .payload = payload->data,
				       });
}

static inline void snapshot_end(struct made_up_snapshot *snapshot)
{
	text_buffer_add(&snapshot->file, "end\n");
}

/* The end of a dump. */
static inline void snapshot_done(struct made_up_snapshot *snapshot, int error)
{
	struct bytes payload = {0};

	bytes_put(&payload, &error, sizeof(error));
	snapshot_got(snapshot, NLMSG_DONE, NLM_F_MULTI, &payload);
	snapshot_end(snapshot);
}

static inline void snapshot_refuse(struct made_up_snapshot *snapshot, int error)
{
	const struct nlmsgerr refusal = {.error = error};
	struct bytes payload = {0};

	bytes_put(&payload, &refusal, sizeof(refusal));
	snapshot_got(snapshot, NLMSG_ERROR, 0, &payload);
	snapshot_end(snapshot);
}

/* The answers so far; more may follow. */
static inline void snapshot_write(struct made_up_snapshot *snapshot)
{
	tree_write_bytes(&snapshot->tree, RECORDING_NETLINK_FILE, snapshot->file.text,
			 snapshot->file.length);
}

/* RDMA netlink: a command for a device and one of its ports, unless they are 0. */
static inline void snapshot_ask_rdma(struct made_up_snapshot *snapshot, unsigned int command,
				     uint16_t flags, uint32_t device, uint32_t port)
{
	struct bytes payload = {0};

	if (device)
		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	if (port)
		put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	snapshot_ask(snapshot, NETLINK_RDMA, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
		     flags, &payload);
}

static inline void snapshot_got_rdma(struct made_up_snapshot *snapshot, uint16_t flags,
				     const struct bytes *payload)
{
	snapshot_got(snapshot, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), flags,
		     payload);
}

static inline void snapshot_close(struct made_up_snapshot *snapshot)
{
	free(text_buffer_take(&snapshot->file));
	tree_close(&snapshot->tree);
}
