/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Netlink over libnl-3: sockets, batches of requests, dumps, multicast groups and attributes, for
 * every protocol (RDMA, routing, uevents, generic). A socket serves one exchange at a time. struct
 * netlink owns its socket and receive buffers; messages passed to a handler are gone when it
 * returns. Functions return 0 or -errno, always with the kernel's own error numbers: libnl maps
 * several of those to one of its codes, so calls that can fail in the kernel are made on libnl's
 * descriptor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* The most data that the kernel puts into one datagram of a dump: netlink_dump(), af_netlink.c. */
#define NETLINK_LARGEST_MESSAGE 32768

struct netlink;
struct netlink_record;
struct nl_msg;
struct nla_policy;
struct nlattr;
struct nlmsghdr;
struct number;
struct root;

/*
 * Requests in one batch. The kernel answers all of them before the send returns, and the replies
 * (at most 8 KiB of socket memory each) must fit the default receive buffer of 212,992 bytes.
 */
#define NETLINK_BATCH 16

/* A taker or handler may return this besides 0 and -errno: this message of a dump had no record. */
#define NETLINK_NOTHING 1

/* Starts as {0}. Sending a request frees its messages, even if it fails. */
struct netlink_request {
	struct nl_msg *messages[NETLINK_BATCH];
	unsigned int count;
	bool overflow;
};

struct netlink_answer {
	int error;	     /* 0, or -errno if the kernel refused */
	const char *text;    /* the kernel's explanation of the error, cleaned, or NULL */
	const void *payload; /* the data after the netlink header; NULL for an acknowledgement */
	size_t length;
};

/* `index` counts the requests of a batch. */
typedef int netlink_handler(void *context, unsigned int index, const struct netlink_answer *answer);
/* Gets the payload of a reply that is no error, or of a message of a dump. */
typedef int netlink_taker(void *context, const void *payload, size_t length);

/* The state of one exchange; only tests and fuzz targets build one themselves. */
struct netlink_exchange {
	uint32_t sequence;  /* of the first request */
	unsigned int count; /* requests */
	unsigned int left;  /* requests whose answer is not yet complete */
	bool answered[NETLINK_BATCH];
	bool dump;
	bool interrupted;	       /* the tables changed while the kernel dumped them */
	bool refused;		       /* the request itself was refused: the dump never began */
	unsigned int empty;	       /* messages without a record, in a row */
	int error;		       /* the first error */
	struct netlink_record *record; /* records the answers or supplies them; or NULL */
	netlink_handler *handle;
	void *context;
};

/*
 * `root`: the system to query; a snapshot answers as its kernel did, or with -ENODATA if this was
 * not asked. NULL is the live system. -EOPNOTSUPP: a saved tree has no answers. `largest`: room for
 * one datagram, in bytes; the kernel limits datagrams of dumps to this size, up to 32 KiB.
 */
int netlink_open(const struct root *root, int protocol, size_t largest,
		 struct netlink **ret_netlink);
/*
 * Opens a socket that never waits and listens to multicast groups (numbered from 1).
 * -EPROTONOSUPPORT: the kernel has no such protocol; -EPERM: the group is not open to everyone;
 * -EINVAL: the protocol has no such group.
 */
int netlink_open_groups(int protocol, const unsigned int *groups, size_t group_count,
			size_t largest, struct netlink **ret_netlink);
/* For tests: any socket that preserves datagrams. Takes ownership of the descriptor. */
struct netlink *netlink_from_fd(int fd, size_t largest);
void netlink_free(struct netlink *netlink);
DEFINE_CLEANUP(struct netlink, netlink_free)
/* Whether its requests are recorded for a snapshot. */
bool netlink_is_recorded(const struct netlink *netlink);
/* For poll(). With groups: readable once messages came or (POLLERR) were lost: netlink_read(). */
int netlink_fd(const struct netlink *netlink);
/*
 * From now on receives at most `count` datagrams of that size per system call. The kernel sizes the
 * messages of its dumps accordingly, starting with the next but one; they never shrink again.
 */
void netlink_offer(struct netlink *netlink, size_t largest, unsigned int count);

/*
 * Adds a message with the fixed header of its protocol (NULL, 0: none); attributes added next
 * belong to this message. If it becomes too large, sending the request fails with -EMSGSIZE.
 */
void netlink_add(struct netlink_request *request, uint16_t type, uint16_t flags, const void *header,
		 size_t header_length);
void netlink_put(struct netlink_request *request, uint16_t type, const void *data, size_t length);
void netlink_put_u32(struct netlink_request *request, uint16_t type, uint32_t value);
void netlink_put_string(struct netlink_request *request, uint16_t type, const char *string);
/* Adds an attribute that nests these numbers as attributes of type `entry`; added even if empty. */
void netlink_put_list(struct netlink_request *request, uint16_t type, uint16_t entry,
		      const uint32_t *values, size_t count);
/* Begins an attribute that nests those added before netlink_nest_end(); nests may contain nests. */
struct nlattr *netlink_nest_begin(struct netlink_request *request, uint16_t type);
void netlink_nest_end(struct netlink_request *request, struct nlattr *nest);

/* Frees the messages of a request that is not sent. */
void netlink_request_clear(struct netlink_request *request);

/*
 * Sends all requests at once; `handle` gets one answer for each, in any order. An error means that
 * some were not answered (-ETIMEDOUT, -ENOBUFS: lost), or comes from a handler.
 */
int netlink_ask_batch(struct netlink *netlink, struct netlink_request *request,
		      netlink_handler *handle, void *context);
/* Sends one request, whose reply needs a payload: -EBADMSG if not, or the kernel's error. */
int netlink_ask(struct netlink *netlink, struct netlink_request *request, netlink_taker *take,
		void *context);
/*
 * The same for a reply that fills a record of `size` bytes: `take` gets a zeroed one, which becomes
 * *ret_record if nothing fails.
 */
int netlink_ask_record(struct netlink *netlink, struct netlink_request *request,
		       netlink_taker *take, void *ret_record, size_t size);
/*
 * Any number of requests, sent in batches. `put` adds the single message of a request; `take` gets
 * one answer for each, and must not use the socket. A request whose answer was lost is sent again
 * alone; after a second loss `take` gets the error. Once the kernel does not answer at all
 * (-ETIMEDOUT), the remaining requests are not sent and fail, too.
 */
struct netlink_series {
	size_t count;
	void (*put)(void *context, size_t which, struct netlink_request *request);
	void (*take)(void *context, size_t which, const struct netlink_answer *answer);
	void *context;
};

void netlink_ask_all(struct netlink *netlink, const struct netlink_series *series);

/* Sends a request that is answered only by success or an error. ret_text may be NULL. */
int netlink_ask_plain(struct netlink *netlink, struct netlink_request *request, char **ret_text);
/*
 * Passes every message of a dump to `take`. -EINTR: the dump is complete, but the tables changed
 * meanwhile: repeat it.
 */
int netlink_dump(struct netlink *netlink, struct netlink_request *request, netlink_taker *take,
		 void *context);
/* A dump that is restarted if the table changed meanwhile, a limited number of times. */
struct netlink_table {
	uint16_t type;
	const void *question; /* payload of the request: a header and attributes */
	size_t question_length;
	netlink_taker *take;
	void (*restart)(void *context); /* called before each dump, to drop old messages; or NULL */
	void *context;
};

/* -EINTR: the table changed each time; the last dump arrived in full, but may lack entries. */
int netlink_dump_table(struct netlink *netlink, const struct netlink_table *table);
/*
 * A dump step by step, for tables too large to keep: begin with `handle` and `context` of the
 * exchange set, then step until `left` is 0 or an error is returned. Each step takes some
 * datagrams; the result of the dump is in exchange->error. A dump abandoned before its end keeps
 * the socket busy: free the socket.
 */
int netlink_dump_begin(struct netlink *netlink, struct netlink_request *request,
		       struct netlink_exchange *exchange);
int netlink_dump_step(struct netlink *netlink, struct netlink_exchange *exchange);
/* Takes one datagram, aligned to 4 bytes. -EBADMSG: it is damaged. */
int netlink_take(struct netlink_exchange *exchange, const void *datagram, size_t length);

/* Gets each datagram of a group, aligned to 4 bytes. */
typedef void netlink_datagram_handler(void *context, const void *datagram, size_t length);
/*
 * Reads datagrams of the groups until none is left, or until it is time to let other work run (then
 * the descriptor is still readable). -ENOBUFS: some were lost, before or after those that were
 * read; messages from now on are complete again, so state read from now on misses nothing. Any
 * other error is permanent.
 */
int netlink_read(struct netlink *netlink, netlink_datagram_handler *handle, void *context);

/*
 * Calls `handle` for each message of a datagram, aligned to 4 bytes, until it returns an error or 1
 * (stop). -EBADMSG: the datagram is damaged.
 */
typedef int netlink_message_handler(void *context, const struct nlmsghdr *message);
int netlink_walk(const void *datagram, size_t length, netlink_message_handler *handle,
		 void *context);

/*
 * Fills a table of `count` attributes by type, NULL if absent; higher types are skipped. `policy`
 * has `count` entries. The attributes, aligned to 4 bytes, follow a fixed header of `header_length`
 * bytes. -EBADMSG: they do not fit `length`, or violate the policy.
 */
int netlink_parse(const void *payload, size_t length, size_t header_length, struct nlattr **table,
		  size_t count, const struct nla_policy *policy);
int netlink_parse_nest(const struct nlattr *nest, struct nlattr **table, size_t count,
		       const struct nla_policy *policy);
/* Calls `take` for each attribute of that type in a nest, until it returns an error. */
int netlink_each(const struct nlattr *nest, unsigned int type,
		 int (*take)(void *context, const struct nlattr *entry), void *context);
/*
 * Reads one attribute into a member that is still unknown; an absent attribute (NULL) changes
 * nothing. Numbers have 1, 2, 4 or 8 bytes in host order, else -EBADMSG. Text is cleaned.
 */
int netlink_get_number(const struct nlattr *attribute, struct number *number);
void netlink_get_text(const struct nlattr *attribute, char **text);
/* Whether this attribute (not NULL) is that text, with or without a terminating NUL. */
bool netlink_is_text(const struct nlattr *attribute, const char *text);
