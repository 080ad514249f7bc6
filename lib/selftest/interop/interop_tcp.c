/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The TCP connection over which programs exchange the addresses of their queue pairs. */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/device.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop.h"

struct gid interop_own_gid(const struct interop *session)
{
	static const struct gid none;

	return session->local->link_layer == LINK_LAYER_INFINIBAND ? none : session->local->gid;
}

int interop_set_remote(struct interop *session, uint32_t lid, const struct gid *gid)
{
	const struct endpoint *local = session->local;
	char text[GID_TEXT_SIZE];

	session->remote.lid = lid;
	session->remote.gid = *gid;
	/* Without a GID only the LID is known, which suffices within a subnet. */
	if (local->link_layer == LINK_LAYER_INFINIBAND)
		return 0;
	if (gid_is_zero(gid))
		return interop_fail(session, LIST_INTEROP_ADDRESS, -1);
	if (gid_is_ipv4_mapped(gid) == gid_is_ipv4_mapped(&local->gid))
		return 0;
	gid_format(gid, text);
	return interop_fail_with(session, LIST_INTEROP_ADDRESS, 0,
				 "%s, but GID index %" PRIu32 " here is %s", text, local->gid_index,
				 gid_is_ipv4_mapped(&local->gid) ? "IPv4" : "IPv6");
}

/* Attributes of the queue pairs of both: 67 ms, 7 retries, RNR retries without limit. */
enum { EXCHANGE_ACK_TIMEOUT = 14, EXCHANGE_RETRIES = 7, EXCHANGE_RNR_RETRIES = 7 };

int interop_modify(struct interop *session, const struct message_modify *order)
{
	struct message_modify complete = *order;

	complete.to = session->remote;
	complete.mtu_bytes = session->mtu_bytes;
	complete.timeout = EXCHANGE_ACK_TIMEOUT;
	complete.retries = EXCHANGE_RETRIES;
	complete.rnr_retries = EXCHANGE_RNR_RETRIES;
	complete.rnr_timer = RNR_TIMER_CODE;
	return agent_modify(session->agent, &complete) ? interop_fail_agent(session) : 0;
}

int interop_connect_tcp(struct interop *session, int *ret_fd)
{
	const struct selftest_request *request = session->request;
	struct sockaddr_storage address;
	int rc;

	socket_address(&request->peer_ip, request->scope, session->port, &address);
	rc = tcp_connect(&session->agent->watch, &address, NULL, session->timeout_msec, ret_fd);
	if (rc == -ECONNREFUSED && request->peer_ip.family == AF_INET6)
		return interop_fail(session, LIST_INTEROP_IPV6, 0);
	return rc ? interop_fail_at(session, STAGE_TCP, -rc) : 0;
}

int interop_fail_exchange(struct interop *session, int rc, unsigned int msec)
{
	const bool closed = rc == -ECONNRESET || rc == -EPIPE;

	/* A server that cannot connect its queue pair closes the connection. */
	if (closed && !session->server)
		return interop_fail(session, LIST_INTEROP_CLOSED,
				    session->role->command == pingpong_command);
	if (rc == -EHOSTDOWN || (session->server && (closed || rc == -EPROTO || rc == -ETIMEDOUT)))
		return interop_fail_with(session, LIST_INTEROP_LINE, -rc, "%u", msec);
	return interop_fail_at(session, STAGE_HANDSHAKE, -rc);
}

void interop_serve_tcp(struct interop *session, void (*serve)(struct interop *session, int fd))
{
	const struct selftest_request *request = session->request;
	struct watch *watch = &session->agent->watch;
	_cleanup_(closep) int listener = -1;
	int rc = tcp_listen(&request->bind, request->scope, session->port, &listener);

	if (rc) {
		interop_fail(session, LIST_INTEROP_LISTEN, -rc);
		return;
	}
	interop_say(session, "waiting for %s on TCP port %" PRIu32 "; on the other host: %s",
		    session->role->program, session->port, session->command);
	while (!interop_is_over(session)) {
		struct sockaddr_storage address;
		int fd;

		rc = tcp_accept(watch, listener, &fd, &address);
		if (rc && interop_is_over(session) && !watch->device_gone)
			return;
		if (rc) {
			interop_fail_at(session, STAGE_TCP, -rc);
			return;
		}
		interop_client_came(session, &address);
		serve(session, fd);
		close(fd);
		interop_release(session);
		interop_row_end(session);
		if (request->once)
			return;
	}
}
