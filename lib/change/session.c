/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/netdev.h"
#include "host/rtnl.h"
#include "kernel/procfs.h"
#include "kernel/sysfs.h"

enum {
	MOST_ANCESTORS = 64,
	CONNECTED_STATE = 1, /* TCP_ESTABLISHED, include/net/tcp_states.h */
	NO_PEER_STATE = 7,   /* TCP_CLOSE, also used for UDP without a peer */
	WORD_DIGITS = 8,     /* per 32-bit word of an address */
};

/* The sockets of one process. */
struct inodes {
	uint64_t *items;
	size_t count;
};

static int read_inodes(const struct root *root, uint64_t process, struct inodes *inodes)
{
	_cleanup_(strings_free) struct strings names = {0};
	int rc = sysfs_list(root, &names, "proc/%" PRIu64 "/fd", process);

	for (size_t i = 0; !rc && i < names.count; i++) {
		_cleanup_(freep) char *target = NULL;
		uint64_t inode;

		if (sysfs_link(root, &target, "proc/%" PRIu64 "/fd/%s", process, names.items[i]) ||
		    sscanf(target, "socket:[%" SCNu64, &inode) != 1)
			continue;
		MEM_ADD(inodes->items, inodes->count) = inode;
	}
	return rc;
}

static bool has_inode(const struct inodes *inodes, uint64_t inode)
{
	for (size_t i = 0; i < inodes->count; i++)
		if (inodes->items[i] == inode)
			return true;
	return false;
}

/*
 * Parses an address as written by get_tcp4_sock(), net/ipv4/tcp_ipv4.c, and get_tcp6_sock(): 32-bit
 * words in wire order, each printed as a number of the host. Mapped IPv4 becomes IPv4.
 */
static bool parse_address(const char *digits, struct ip_address *address)
{
	const size_t length = strspn(digits, "0123456789ABCDEF");
	struct gid gid = {{0}};

	if (length != WORD_DIGITS && length != 4 * WORD_DIGITS)
		return false;
	for (size_t i = 0; i * WORD_DIGITS < length; i++) {
		char word[WORD_DIGITS + 1] = {0};
		uint32_t value;

		memcpy(word, digits + i * WORD_DIGITS, WORD_DIGITS);
		value = (uint32_t)strtoul(word, NULL, 16);
		memcpy(gid.raw + i * sizeof(value), &value, sizeof(value));
	}
	if (length == WORD_DIGITS) {
		*address = (struct ip_address){.family = AF_INET};
		memcpy(address->raw, gid.raw, sizeof(gid.raw));
	} else {
		*address = gid_to_ip(&gid);
	}
	return true;
}

/*
 * Parses a line of /proc/net/tcp, or of udp, which has the same columns: udp4_format_sock(),
 * net/ipv4/udp.c. False: it is not one of these sockets, or not in that state.
 */
static bool parse_line(const char *line, const struct inodes *inodes, unsigned int wanted,
		       struct session_socket *found)
{
	char local[40], remote[40];
	unsigned int state;
	uint64_t inode;

	return sscanf(line,
		      " %*u: %39[0-9A-F]:%*x %39[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %*u %*u "
		      "%" SCNu64,
		      local, remote, &state, &inode) == 4 &&
	       state == wanted && has_inode(inodes, inode) && parse_address(local, &found->local) &&
	       parse_address(remote, &found->remote);
}

/* Searches a table of the process's own network namespace. */
static bool find_in(const struct root *root, const char *table, const struct inodes *inodes,
		    unsigned int state, struct session_socket *found)
{
	_cleanup_(freep) char *text = NULL;

	if (!inodes->count ||
	    sysfs_read_file(root, &text, "proc/%" PRIu64 "/net/%s", found->process, table))
		return false;
	/* sscanf() measures the whole text that it is given. */
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
		if (parse_line(line, inodes, state, found))
			return true;
	return false;
}

/* mosh-server answers anyone who has the key, so the kernel knows no peer of its socket. */
static bool find_mosh(const struct root *root, const struct procfs_task *task,
		      const struct inodes *inodes, struct session_socket *found)
{
	if (!task->name || strcmp(task->name, "mosh-server") ||
	    (!find_in(root, "udp", inodes, NO_PEER_STATE, found) &&
	     !find_in(root, "udp6", inodes, NO_PEER_STATE, found)))
		return false;
	found->remote = (struct ip_address){.family = AF_UNSPEC};
	return true;
}

/*
 * Whether it is a server that keeps terminals for changing clients: by the name that it gives
 * itself, proc_pid_comm(5).
 */
static bool keeps_terminals(const struct procfs_task *task)
{
	return task->name && (!strcmp(task->name, "tmux: server") || !strcmp(task->name, "screen"));
}

int session_find_socket(const struct root *root, uint64_t process, struct session_socket *ret)
{
	bool hidden = false, kept = false;

	for (unsigned int i = 0; i < MOST_ANCESTORS && process; i++) {
		struct session_socket found = {.process = process};
		_cleanup_(procfs_task_clear) struct procfs_task task = {0};
		struct inodes inodes = {0};
		int rc = read_inodes(root, process, &inodes);
		bool ends = procfs_read_task(root, process, &task) != 0;
		bool good = !rc && (find_in(root, "tcp", &inodes, CONNECTED_STATE, &found) ||
				    find_in(root, "tcp6", &inodes, CONNECTED_STATE, &found) ||
				    find_mosh(root, &task, &inodes, &found));

		free(inodes.items);
		/* Process 1 is nobody's session. */
		hidden |= rc && process > 1;
		kept |= keeps_terminals(&task);
		process = task.parent.known ? task.parent.value : 0;
		if (good) {
			*ret = found;
			return 0;
		}
		if (ends)
			break;
	}
	return kept ? -ENOTCONN : hidden ? -EACCES : -ENOENT;
}

bool session_goes_over(const struct link_list *links, const struct number *index,
		       const char *netdev)
{
	_cleanup_(freep) bool *marks = mem_alloc_zero(links->count, sizeof(*marks));
	const struct link *way = link_by_index(links, index), *link = link_by_name(links, netdev);

	if (!way || !link)
		return false;
	marks[link - links->items] = true;
	netdev_mark(links, marks, NULL);
	return marks[way - links->items];
}

/*
 * Whether the session goes over the netdev. Packets may leave by another netdev than the one that
 * has the local address (an address on lo, or two routes to the same peer), so both count.
 * *ret_near: the peer is an IPv4 neighbour.
 */
static int is_way(struct change_host *host, const struct session_socket *session,
		  const char *netdev, bool *ret_is, bool *ret_near)
{
	const struct route_question question = {.destination = session->remote};
	_cleanup_(link_address_list_clear) struct link_address_list addresses = {0};
	const struct link_list *links;
	struct route route = {0};
	struct netlink *rtnl;
	int rc = netdev_links(host, &links)
			?: change_host_rtnl(host, &rtnl)
			?: rtnl_get_addresses(rtnl, &addresses);

	for (size_t i = 0; !rc && i < addresses.count; i++)
		if (ip_equal(&addresses.items[i].ip, &session->local))
			*ret_is |= session_goes_over(links, &addresses.items[i].link_index, netdev);
	if (!rc && session->remote.family != AF_UNSPEC &&
	    !rtnl_get_route(rtnl, &question, &route)) {
		*ret_is |= session_goes_over(links, &route.link_index, netdev);
		*ret_near = session->remote.family == AF_INET && !route.gateway.known;
	}
	if (!rc && !*ret_is && (links->missing || addresses.missing))
		return -EAGAIN;
	return rc;
}

/* The socket found, or the -errno of the search. */
struct session_search {
	int rc;
	struct session_socket socket;
};

/*
 * Searches only once, because the result is the same for all changes of a call and there may be
 * many descriptors.
 */
static int find_session(struct change_host *host, struct session_socket *ret)
{
	struct session_search *search = change_host_base(host)->session;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (!search) {
		search = mem_alloc_zero(1, sizeof(*search));
		change_host_base(host)->session = search;
		search->rc = root_open(NULL, &root);
		if (!search->rc)
			search->rc = session_find_socket(&root, (uint64_t)getpid(),
							 &search->socket);
	}
	*ret = search->socket;
	return search->rc;
}

/* Returns "10.1.1.5 from 10.9.9.9", for the caller to free. */
static char *describe_session(const struct session_socket *session)
{
	char local[IP_TEXT_SIZE], remote[IP_TEXT_SIZE];

	ip_format(&session->local, local);
	if (session->remote.family == AF_UNSPEC)
		return mem_format("%s via mosh", local);
	ip_format(&session->remote, remote);
	return mem_format("%s from %s", local, remote);
}

static void note_unseen(struct change *change, const char *netdev, const char *why)
{
	change_note(change, "cannot tell whether this session comes over %s: %s", netdev, why);
}

void change_guard_way(struct change *change, const char *netdev, enum way_back back)
{
	_cleanup_(freep) char *ends = NULL;
	struct session_socket session;
	bool is = false, near = false;
	int rc = find_session(change->host, &session);

	if (rc == -ENOENT)
		return;
	if (!rc)
		rc = is_way(change->host, &session, netdev, &is, &near);
	if (rc)
		note_unseen(change, netdev,
			    rc == -EAGAIN ? "the netdevs changed while they were read"
			    : rc == -ENOTCONN
				    ? "tmux or screen keeps it for a client that may be anywhere"
				    : strerror(-rc));
	else if (ip_equal(&session.local, &(struct ip_address){.family = session.local.family}))
		note_unseen(change, netdev, "mosh accepts its packets at every address");
	if (!is)
		return;
	ends = describe_session(&session);
	/*
	 * A netdev that goes down loses its IPv6 addresses, addrconf_ifdown(), and all routes
	 * except those of its addresses, fib_disable_ip(), net/ipv4/fib_frontend.c.
	 */
	if (back == WAY_IS_GONE || (back == WAY_COMES_UP && !near))
		change_disturbs(change,
				"this session, which comes over %s (%s): undoing the change does "
				"not restore the address or route that the session uses",
				netdev, ends);
	else if (change->host->reverts)
		change_note(change,
			    "this session comes over %s (%s); the change is undone unless you "
			    "confirm it",
			    netdev, ends);
	else
		change_disturbs(change,
				"this session, which comes over %s (%s): --revert-after 30s undoes "
				"the change unless you confirm it",
				netdev, ends);
}
