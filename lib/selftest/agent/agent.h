/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An agent carries out the orders of a test on one device: it owns the device context, protection
 * domains, buffers, completion queues and queue pairs, by slot numbers. The near side calls its own
 * agent; the far side's agent, in another thread, process or host, gets the same orders as messages
 * (trial/side.h). It trusts no order: slots, lengths, rights and limits are checked here.
 *
 * Functions return 0 or -errno; `agent->refused` holds the reply for the last failure. Not
 * thread-safe: an agent belongs to one thread.
 */
#pragma once

#include "base/statistics.h"
#include "host/endpoint/endpoint.h"
#include "kernel/root.h"
#include "selftest/agent/guard.h"
#include "selftest/memory/memory.h"
#include "selftest/agent/watch.h"

struct counter_list;
struct cpu_list;
struct verbs;
struct verbs_device;

/* The receive buffer of a UD queue pair begins with room for a GRH (IBTA 1, 11.4.1.2). */
#define DATAGRAM_HEADER_BYTES 40u
/*
 * Longest time without progress in a run: longer than the transport needs to give up on lost
 * packets, which ends with a more telling status, and than a few messages need if many packets are
 * lost.
 */
#define RUN_STILL_MSEC 15000u
/* Rough memory cost of each object in the driver and the kernel. */
#define OBJECT_BYTES 4096u

struct agent_buffer {
	uint8_t *bytes; /* page aligned; NULL: the slot is free */
	size_t length;
	uint64_t reserved;
	struct ibv_mr *mr;
	struct memory memory; /* `bytes` is its start */
};

/* A memory window, with its own memory region to bind to. */
struct agent_window {
	struct ibv_mw *mw; /* NULL: the slot is free */
	uint32_t rkey;
	struct ibv_mr *region;
	const struct agent_buffer *buffer; /* of the region */
	const struct agent_qp *qp;	   /* that the window was bound on */
};

struct agent_cq {
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel; /* or NULL */
	unsigned int unacknowledged;
	uint64_t reserved;
};

struct agent_qp {
	struct ibv_qp *qp;
	uint32_t kind; /* enum qp_kind */
	uint32_t psn;
	uint32_t inline_bytes;
	uint32_t sges;
	uint32_t depth; /* of its send and receive queue together */
	uint32_t pairs; /* device queue pairs, counted in `pairs` of the agent */
	uint32_t send_depth;
	uint64_t reserved;
	bool signal_all;
	struct ibv_ah *ah;	  /* of a UD queue pair */
	struct rdma_cm_id *cm_id; /* if rdma_cm connected it */
	bool connected;
	uint32_t target_qpn, target_qkey; /* of a run of a UD queue pair; 0: none */
	struct rdma_cm_id *group;	  /* multicast group that it joined */
	struct ibv_ah_attr group_path;	  /* of messages to the group, as its creator chose */
	uint32_t group_pkey_index;	  /* of its P_Key in the port's table */
	struct sockaddr_storage group_address;
	/* XRC: `qp` only sends. */
	struct ibv_qp *target;	      /* receives, in the agent's XRC domain */
	struct ibv_srq *shared;	      /* queue for its receives; NULL: no XRC */
	uint32_t peer_qpn, peer_srqn; /* of the peer's sending queue pair and its SRQ */
	/* While librdmacm connects it: start of the connection, and of its step. */
	uint64_t begin_nsec, step_nsec;
};

/* Returns whether the other side acknowledges what such a queue pair (enum qp_kind) sends. */
static inline bool agent_is_reliable(uint32_t kind)
{
	return kind == QP_RC || kind == QP_XRC;
}

enum connection_step {
	STEP_ADDRESS,
	STEP_ROUTE,
	STEP_QP,
	STEP_CONNECT,
	STEP_ALL, /* all of these */
	STEP_DISCONNECT,
	STEPS,
};

/* Many simultaneous connections (agent_connect.c). */
struct agent_many {
	struct agent_qp *items;
	uint32_t count;
	uint32_t begun, established, closed;
	uint64_t reserved;
	uint64_t *nsec[STEPS]; /* a sample per connection, in the order of arrival */
	uint32_t samples[STEPS];
};

/* The samples of the last run on this side. */
struct agent_samples {
	uint64_t *nsec; /* of one operation each; for a ping-pong, half of the round trip */
	size_t count;
	struct moments all; /* `nsec` may lack samples of a long run */
};

/*
 * Attributes that a queue pair got when it was connected, whether the exchange or rdma_cm chose
 * them. Those that were not set are unknown.
 */
struct agent_told {
	struct number pkey_index, sl, traffic_class, path_mtu_bytes;
	struct number psn, peer_psn, ack_timeout, retries, rnr_retries;
};

struct agent {
	struct api api;
	struct verbs *verbs;
	struct verbs_device *device;
	struct ibv_context *context; /* NULL: no device is open */
	struct ibv_device_attr limits;
	struct endpoint endpoint;
	bool needs_header; /* this port or the peer's takes no packet without a global header */
	struct ibv_pd *domains[2];
	struct ibv_srq *srq;
	struct ibv_xrcd *xrcd; /* NULL: no XRC queue pair yet */
	uint64_t srq_reserved, xrcd_reserved;
	struct agent_buffer buffers[LIMIT_BUFFERS];
	struct agent_cq cqs[LIMIT_CQS];
	struct agent_qp qps[LIMIT_QPS]; /* pages of unused slots are never touched */
	uint32_t qp_end;		/* slots from here on were never used */
	uint32_t work;			/* work requests for which all queues have room */
	uint32_t pairs;			/* device queue pairs of all slots */
	struct rdma_event_channel *cm;
	struct rdma_cm_id *listener;
	bool shares_processor; /* with the other side, which polls at the same time */
	uint64_t looked_nsec;  /* when a wait for events of rdma_cm last checked the watch */
	struct agent_samples samples;
	struct message_way way;
	struct message_reported report; /* of the last run */
	struct agent_many many;
	struct watch watch;
	struct guard guard;
	struct message_path path;
	bool has_class; /* near side: the traffic class of `path` was chosen, even if it is 0 */
	uint32_t pkey_index;	     /* for `path` */
	struct agent_told told;	     /* to the queue pair of the first slot */
	uint32_t vector;	     /* for future completion queues */
	struct memory_source source; /* memory for future buffers */
	struct agent_window windows[LIMIT_WINDOWS];
	unsigned int still_msec; /* RUN_STILL_MSEC */
	uint64_t most_bytes;	 /* limit on the sum of all buffers */
	uint32_t most_qps;
	uint32_t random; /* state of the generator of PSNs */
	struct message_refused refused;
	/*
	 * Finds the port and GID for an order to open; NULL: the order is refused. Returns 0 or
	 * -errno with the reason in words.
	 */
	int (*find)(void *context, const struct message_open *order, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint);
	/* Lists the ports from `first` on for an order to do so; NULL: the order is refused. */
	int (*list)(void *context, uint32_t first, struct message_listed *ret_ports,
		    char **ret_reason);
	/*
	 * Accounts for memory that orders make this host lock or allocate; negative bytes give it
	 * back. Returns 0, or -ENOMEM if the limit is reached. NULL: memory is not counted.
	 */
	int (*reserve)(void *context, int64_t bytes);
	void *owner; /* context of these functions */
};

/* Creates an agent. `channel` and `signals` end its waits (-1: none) and are borrowed. */
struct agent *agent_new(int channel, int signals);
/* Releases everything, even after the device was removed. */
void agent_free(struct agent *agent);
/* Opens the endpoint's device and its protection domains. */
int agent_open_device(struct agent *agent, const struct endpoint *endpoint);
/* Finds out whether the open device's port needs a global header in each packet. */
bool agent_find_header_need(const struct agent *agent);
/* Closes the device and its protection domains, if open. */
void agent_close_device(struct agent *agent);
/* Destroys everything except the device and its protection domains. */
void agent_reset(struct agent *agent);

/* The handlers of the orders in messages.def: agent_open(), agent_buffer(), agent_fill() ... */
#define ORDER(number, constant, name, record, reply, reply_record)        \
	int agent_##name(struct agent *agent, const struct record *order, \
			 struct reply_record *ret_reply);
#define COMMAND(number, constant, name, record) \
	int agent_##name(struct agent *agent, const struct record *order);
#include "selftest/wire/messages.def"

/*
 * Carries out an order and fills in the reply: the one that belongs to the order, MESSAGE_DONE, or
 * MESSAGE_REFUSED.
 */
void agent_execute(struct agent *agent, const struct message *order, struct message *reply);

struct agent_served {
	uint64_t orders;
	enum stop stop;	       /* STOP_NONE: the client said goodbye */
	const char *lost;      /* with STOP_TIMED_OUT: how, or NULL if it was silent for too long */
	const char *complaint; /* what was wrong with what the client sent, or NULL */
	bool cut_short;	       /* with complaint: its message ended in the middle */
	char refused[200];     /* last refusal, except for failed calls of a test, or empty */
};

/*
 * Carries out orders from a socket until the other side sends MESSAGE_BYE, closes the connection,
 * sends something that is not an order or is silent for `idle_msec`, or until a signal of the
 * agent's watch arrives.
 */
void agent_serve(struct agent *agent, int channel, unsigned int idle_msec,
		 struct agent_served *ret_served);

/* Reads the counters of the port into an empty list. Returns 0 or -errno. */
int agent_read_counters(const struct endpoint *endpoint, struct counter_list *list);
/* Counts an object's memory with agent->reserve. *reserved is the object's, 0 before. */
int agent_reserve(struct agent *agent, uint64_t bytes, uint64_t *reserved);
void agent_unreserve(struct agent *agent, uint64_t *reserved);
/*
 * Finds the processors near a PCI device, from its local_cpulist. Without a NUMA node that is every
 * online processor (drivers/pci/pci-sysfs.c), as in most virtual machines. Returns false if the
 * device has no such file, like software devices.
 */
bool agent_find_near(const struct root *root, const char *device, struct cpu_list *ret_list,
		     struct number *ret_node);
/* Returns whether the span lies within an existing buffer. */
bool agent_span_fits(const struct agent *agent, const struct span *span);
/* Refuses the order unless the span fits. */
int agent_check_span(struct agent *agent, const struct span *span);
/* Registers the memory in the way its kind requires. Returns NULL and sets errno on failure. */
struct ibv_mr *agent_register(struct agent *agent, struct ibv_pd *domain,
			      const struct agent_buffer *buffer, int access);
/*
 * Frees the windows of a queue pair or a buffer, which keep both in use. Either may be NULL; both
 * NULL: all windows.
 */
void agent_windows_forget(struct agent *agent, const struct agent_qp *qp,
			  const struct agent_buffer *buffer);
/* Returns the start of a block of a span that fits. */
uint8_t *agent_block(const struct agent *agent, const struct span *span, uint64_t block);
/* Fills in an element for each block of a span that fits. */
void agent_fill_elements(const struct agent *agent, const struct span *span,
			 struct ibv_sge *ret_elements);
void agent_cq_destroy(struct agent *agent, struct agent_cq *cq);
/* Records the attributes set on the queue pair, if it is that of the first slot. */
void agent_note_told(struct agent *agent, const struct agent_qp *qp, const struct ibv_qp_attr *attr,
		     int mask);
/* Returns the P_Key of the queue pair in the first slot; unknown if none was set. */
struct number agent_told_pkey(struct agent *agent);
/* Creates a queue pair that does not exist yet, without agent_qp()'s checks of slots and limits. */
int agent_qp_make(struct agent *agent, const struct message_qp *order, struct agent_qp *qp);
/* Like agent_modify(), for an existing queue pair. */
int agent_qp_modify(struct agent *agent, struct agent_qp *qp, const struct message_modify *order);
void agent_qp_destroy(struct agent *agent, struct agent_qp *qp);
/* Like ibv_create_qp_ex(). Returns NULL and sets errno on failure. */
struct ibv_qp *agent_create_qp(struct agent *agent, struct ibv_qp_init_attr_ex *attr);
/* Create and destroy the queue pairs and receive queue of an extended reliable connection. */
int agent_xrc_make(struct agent *agent, const struct message_qp *order, struct agent_qp *qp);
void agent_xrc_destroy(struct agent *agent, struct agent_qp *qp);
/* Closes the XRC domain. */
void agent_xrc_close(struct agent *agent);
/* Adds a sample: how long a step of one connection took. */
void agent_many_sample(struct agent_many *many, enum connection_step step, uint64_t nsec);
/* Ends the many connections, and frees their samples. */
void agent_many_release(struct agent *agent);
void agent_cm_release(struct agent *agent);
/* Names an enum ibv_qp_state: "RTS", or "unknown". */
const char *agent_state_word(uint32_t state);
/* Converts enum buffer_access to IBV_ACCESS_*. */
int agent_access(uint32_t access);
/* Sets where a work request goes: memory there or, for a datagram, a queue pair. */
void agent_fill_remote(const struct agent_qp *qp, const struct message_post *order,
		       struct ibv_send_wr *work);
extern const enum ibv_wr_opcode agent_opcodes[POST_OPERATIONS];
/* Returns the errno of a failed ibv_post_*(), which returns it, or -1 and sets errno (libsiw). */
int agent_post_error(int rc);

/* An event of librdmacm, already acknowledged. */
struct cm_news {
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;
	struct rdma_cm_id *listener; /* of a connect request */
	int status;
	uint32_t cookie;
	struct ibv_ah_attr group;
	uint32_t group_qkey, group_qpn;
};

/*
 * Waits for an event of that kind, until CLOCK_MONOTONIC `end_nsec`. Any other event is a failure,
 * unless it is about another id; a connect request is a stranger's, and is rejected.
 */
int agent_cm_await(struct agent *agent, struct rdma_cm_id *id, enum rdma_cm_event_type type,
		   uint64_t end_nsec, struct cm_news *news);

/* Records a failure for the reply and returns -errno; `error` is positive. */
int agent_fail(struct agent *agent, enum stage stage, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Records that memory could not be registered (errno), and the limit of locked memory. */
int agent_fail_memory(struct agent *agent, uint64_t bytes, bool is_dmabuf);
/* Records that an order makes no sense or exceeds a limit, and returns -EINVAL. */
int agent_refuse(struct agent *agent, enum refusal refusal, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
