/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What RDMA netlink and rtnetlink have in common: requests, the exchange of messages with the
 * kernel, and attributes. One socket serves one exchange at a time. Sockets and the memory of their
 * receive buffers belong to struct netlink; what a handler is shown is gone when it returns.
 * Functions return 0 or -errno, with the kernel's own error numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netlink;
struct nlattr;
struct nlmsghdr;
struct number;

/*
 * Requests in one batch. The kernel answers all of them before the send returns, and the answers
 * (at most 8 KiB of socket memory each) must fit the default receive buffer of 212,992 bytes.
 */
#define NETLINK_BATCH 16

/* What a handler may return besides 0 and -errno: the message of a dump held no record. */
#define NETLINK_NOTHING 1

struct netlink_request {
	unsigned int count; /* messages */
	size_t start;	    /* of the last message */
	size_t length;
	bool overflow;
	_Alignas(4) uint8_t buffer[NETLINK_BATCH * 64];
};

struct netlink_answer {
	int error;	     /* 0 or -errno: the kernel refused */
	const char *text;    /* its words about that, cleaned, or NULL */
	const void *payload; /* what follows the netlink header; NULL for a bare acknowledgement */
	size_t length;
};

/* `index` counts the requests of a batch. */
typedef int netlink_handler(void *context, unsigned int index, const struct netlink_answer *answer);

/* The state of one exchange; only tests and fuzz targets make one themselves. */
struct netlink_exchange {
	uint32_t sequence;  /* of the first request */
	unsigned int count; /* requests */
	unsigned int left;  /* requests whose answer has not ended yet */
	bool answered[NETLINK_BATCH];
	bool dump;
	bool interrupted;   /* the tables changed while the kernel dumped them */
	bool refused;	    /* the error is about the request: the dump never began */
	unsigned int empty; /* messages without a record, in a row */
	int error;	    /* the first that went wrong */
	netlink_handler *handle;
	void *context;
};

/* `largest`: room for one datagram, in bytes; the kernel cuts dumps to this size, up to 32 KiB. */
int netlink_open(int protocol, size_t largest, struct netlink **ret_netlink);
/* For tests: any socket that keeps datagrams apart. Takes the descriptor over. */
struct netlink *netlink_from_fd(int fd, size_t largest);
void netlink_free(struct netlink *netlink);
/*
 * Takes at most `count` datagrams of that size with one system call from now on. What is on offer
 * grows the messages of the kernel's dumps, from the next but one on; they never shrink again.
 */
void netlink_offer(struct netlink *netlink, size_t largest, unsigned int count);

/* Adds a message with the fixed header of its protocol (NULL, 0: none); then its attributes. */
void netlink_add(struct netlink_request *request, uint16_t type, uint16_t flags, const void *header,
		 size_t header_length);
void netlink_put(struct netlink_request *request, uint16_t type, const void *data, size_t length);
void netlink_put_u32(struct netlink_request *request, uint16_t type, uint32_t value);

/*
 * Sends all requests at once; `handle` gets one answer for each, in any order. An error means that
 * some were not answered (-ETIMEDOUT, -ENOBUFS: lost) or that a handler returned it.
 */
int netlink_ask(struct netlink *netlink, struct netlink_request *request, netlink_handler *handle,
		void *context);
/*
 * `handle` gets every message of a dump. -EINTR: the dump is complete, but the tables changed
 * meanwhile: repeat it.
 */
int netlink_dump(struct netlink *netlink, struct netlink_request *request, netlink_handler *handle,
		 void *context);
/*
 * The same step by step, for tables that are too large to be kept: begin with `handle` and
 * `context` of the exchange set, then step until `left` is 0 or an error is returned. Each step
 * takes some datagrams; the result of the whole is in exchange->error. What is left off before its
 * end keeps the socket busy: free it.
 */
int netlink_dump_begin(struct netlink *netlink, struct netlink_request *request,
		       struct netlink_exchange *exchange);
int netlink_dump_step(struct netlink *netlink, struct netlink_exchange *exchange);

/* The messages of a datagram, which starts at a multiple of 4. */
struct netlink_walk {
	const uint8_t *at;
	size_t left;
};

/* The next one: 1; 0 at the end; -EBADMSG: the datagram is damaged. */
int netlink_next(struct netlink_walk *walk, const struct nlmsghdr **ret_message);

/* Works off one datagram, which starts at a multiple of 4. -EBADMSG: it is damaged. */
int netlink_take(struct netlink_exchange *exchange, const void *datagram, size_t length);

/*
 * Fills a table of `count` attributes by number, NULL where there is none; higher numbers are
 * skipped. The attributes start at a multiple of 4. -EBADMSG: they do not fit `length`.
 */
int netlink_parse(const void *attributes, size_t length, const struct nlattr **table, size_t count);
int netlink_parse_nest(const struct nlattr *nest, const struct nlattr **table, size_t count);
/*
 * One attribute into a member that is still unknown; a missing attribute (NULL) leaves it so.
 * Numbers of 1, 2, 4 and 8 bytes in host order, else -EBADMSG. Text is cleaned.
 */
int netlink_get_number(const struct nlattr *attribute, struct number *number);
void netlink_get_text(const struct nlattr *attribute, char **text);
