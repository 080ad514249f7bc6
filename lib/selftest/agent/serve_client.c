/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/serve_client.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "selftest/agent/agent.h"
#include "selftest/agent/agent_serve.h"
#include "selftest/wire/exchange.h"
#include "selftest/wire/socket_address.h"

/* A client knows what it wants: it greets at once. */
#define HELLO_MSEC	  5000
#define IDLE_MSEC	  600000u
#define SEND_MSEC	  5000
#define GUESS_MSEC	  500  /* a wrong token costs so much time */
#define FAREWELL_MSEC	  1000 /* to read the refusal */
#define DEAD_AFTER_PROBES 4
#define PROBE_SECONDS	  15

/* What one client's buffers may take, and what else it may make its process allocate. */
#define MOST_BUFFER_BYTES (64ull << 20)
#define MOST_OTHER_BYTES  (1ull << 30)

struct service_visit {
	const struct selftest_service *service;
	int channel;
	struct selftest_client client;
	struct serve_report *report;
};

static void end_with(struct serve_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void end_with(struct serve_report *report, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(report->text, sizeof(report->text), format, values);
	va_end(values);
}

/*
 * The end of what a client can make this process allocate, beside the limits of each order.
 * RLIMIT_DATA counts private writable memory, so queues of an adapter's provider, too, but not
 * mappings of the device, which are shared (is_data_mapping(), mm/mmap.c).
 */
static void limit_memory(void)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages;
	struct rlimit limit;
	rlim_t most;

	if (!file || fscanf(file, "%*s %*s %*s %*s %*s %llu", &pages) != 1 ||
	    getrlimit(RLIMIT_DATA, &limit))
		return;
	most = pages * (unsigned long long)sysconf(_SC_PAGESIZE) + MOST_BUFFER_BYTES +
	       MOST_OTHER_BYTES;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	setrlimit(RLIMIT_DATA, &limit);
}

/* A host that is switched off says no good-bye. */
static void prepare_channel(int channel)
{
	const int on = 1, probes = DEAD_AFTER_PROBES, seconds = PROBE_SECONDS;

	setsockopt(channel, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(channel, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(channel, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	setsockopt(channel, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	setsockopt(channel, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
}

static void local_address(int channel, struct ip_address *ret_address)
{
	struct sockaddr_storage storage = {0};
	socklen_t length = sizeof(storage);

	if (!getsockname(channel, (struct sockaddr *)&storage, &length))
		*ret_address = socket_address_ip(&storage);
}

static void make_refusal(enum refusal refusal, const char *text, struct message *message)
{
	*message = (struct message){
		.type = MESSAGE_REFUSED,
		.refused = {.refusal = refusal,
			    .lowest = MESSAGE_VERSION,
			    .highest = MESSAGE_VERSION},
	};
	snprintf(message->refused.text, sizeof(message->refused.text), "%s", text);
}

void serve_refuse(int channel, enum refusal refusal, const char *text)
{
	uint8_t unread[MESSAGE_MOST_BYTES];
	struct message message;

	make_refusal(refusal, text, &message);
	exchange_send(channel, &message, 0);
	/* Closing a socket with unread bytes resets the connection, the refusal maybe with it. */
	shutdown(channel, SHUT_WR);
	for (int i = 0; i < 4; i++)
		if (recv(channel, unread, sizeof(unread), MSG_DONTWAIT) <= 0)
			break;
}

/* Sleeps, but for a signal of the service; true: one came. */
static bool pause_for(const struct service_visit *visit, int msec)
{
	struct pollfd signals = {.fd = visit->service->signals, .events = POLLIN};

	return poll(&signals, 1, msec) > 0;
}

static int refuse(struct service_visit *visit, enum refusal refusal, const char *text)
{
	struct pollfd reader = {.fd = visit->channel, .events = POLLRDHUP};

	if (refusal == REFUSAL_TOKEN && pause_for(visit, GUESS_MSEC))
		return -EINTR;
	serve_refuse(visit->channel, refusal, text);
	poll(&reader, 1, FAREWELL_MSEC);
	end_with(visit->report, "refused: %s", text);
	return -EPERM;
}

/* In a time that does not tell where they differ. */
static bool is_token(const char *token, const char *offered, size_t size)
{
	char expected[sizeof(((struct message_hello *)0)->token)] = {0};
	volatile unsigned char differences = 0;

	snprintf(expected, sizeof(expected), "%s", token);
	for (size_t i = 0; i < size; i++)
		differences |= (unsigned char)(expected[i] ^ offered[i]);
	return !differences;
}

static int receive_hello(struct service_visit *visit, struct message_hello *ret_hello)
{
	struct serve_report *report = visit->report;
	const char *complaint = NULL;
	struct message message;
	struct watch watch;
	enum stop stop;
	int rc;

	watch_init(&watch, NULL, -1, visit->service->signals);
	rc = exchange_receive(visit->channel, &watch, HELLO_MSEC, &message, &stop, &complaint);
	if (!rc && message.type == MESSAGE_HELLO) {
		*ret_hello = message.hello;
		return 0;
	}
	if (complaint)
		end_with(report, "dropped: sent no valid message (%s)", complaint);
	else if (!rc)
		end_with(report, "dropped: began with '%s' instead of hello",
			 message_name(message.type));
	else if (rc == -ETIMEDOUT)
		end_with(report, "dropped: sent no hello within %d s", HELLO_MSEC / 1000);
	else if (stop == STOP_INTERRUPTED)
		end_with(report, "dropped: the server ends");
	else
		end_with(report, "closed the connection before it said hello");
	return rc ? rc : -EPROTO;
}

static int send_welcome(struct service_visit *visit)
{
	struct message welcome = {
		.type = MESSAGE_WELCOME,
		.welcome = {.version = MESSAGE_VERSION,
			    .pairs = LIMIT_PAIRS,
			    .bytes = MOST_BUFFER_BYTES},
	};
	int rc;

	snprintf(welcome.welcome.release, sizeof(welcome.welcome.release), "%s", RDMACTL_VERSION);
	/* A name that does not fit may come without its end. */
	gethostname(welcome.welcome.host, sizeof(welcome.welcome.host) - 1);
	rc = exchange_send(visit->channel, &welcome, SEND_MSEC);
	if (rc)
		end_with(visit->report, "closed the connection after its hello");
	return rc;
}

static int shake_hands(struct service_visit *visit)
{
	const char *token = visit->service->token;
	struct message_hello hello = {0};
	char text[sizeof(((struct message_refused *)0)->text)];
	int rc = receive_hello(visit, &hello);

	if (rc)
		return rc;
	if (hello.lowest > MESSAGE_VERSION || hello.highest < MESSAGE_VERSION) {
		snprintf(text, sizeof(text),
			 "version %u to %u of the exchange protocol (release %s), "
			 "this server has version %u (release %s)",
			 hello.lowest, hello.highest, hello.release, MESSAGE_VERSION,
			 RDMACTL_VERSION);
		return refuse(visit, REFUSAL_VERSION, text);
	}
	if (token && !is_token(token, hello.token, sizeof(hello.token)))
		return refuse(visit, REFUSAL_TOKEN, "not the token of this server");
	return send_welcome(visit);
}

static int find_port(void *context, const struct message_open *open, struct endpoint *ret_endpoint,
		     char **ret_reason, char **ret_hint)
{
	struct service_visit *visit = context;
	int rc;

	visit->client.endpoint = open->near;
	visit->client.gid_index = (struct number){0};
	if (open->with_gid_index)
		number_set(&visit->client.gid_index, open->gid_index);
	visit->report->remote = open->near;
	rc = visit->service->find(visit->service->find_context, &visit->client, ret_endpoint,
				  ret_reason, ret_hint);
	if (!rc)
		visit->report->local = *ret_endpoint;
	return rc;
}

static void judge(const struct agent *agent, const struct agent_served *served,
		  unsigned int idle_msec, struct serve_report *report)
{
	if (agent->watch.device_gone)
		end_with(report, "the device was removed");
	else if (served->complaint)
		end_with(report, "the client sent no valid message (%s)", served->complaint);
	else if (served->stop == STOP_INTERRUPTED)
		end_with(report, "the server was ended");
	else if (served->stop == STOP_TIMED_OUT)
		end_with(report, "the client was silent for %u s, or did not read an answer",
			 idle_msec / 1000);
	else if (served->refused[0])
		end_with(report, "an order was refused: %s", served->refused);
	else if (served->stop)
		end_with(report, "the connection ended without a good-bye");
	else
		report->well = true;
}

void serve_client(const struct selftest_service *service, int channel,
		  const struct ip_address *address, struct serve_report *ret_report)
{
	struct service_visit visit = {.service = service,
				      .channel = channel,
				      .client.address = *address,
				      .report = ret_report};
	unsigned int idle_msec = service->idle_msec ? service->idle_msec : IDLE_MSEC;
	struct agent_served served;
	struct agent *agent;

	memset(ret_report, 0, sizeof(*ret_report));
	local_address(channel, &visit.client.local);
	prepare_channel(channel);
	if (shake_hands(&visit))
		return;
	ret_report->welcomed = true;
	limit_memory();
	agent = agent_new(channel, service->signals);
	agent->most_bytes = MOST_BUFFER_BYTES;
	agent->find = find_port;
	agent->find_context = &visit;
	agent_serve(agent, channel, idle_msec, &served);
	ret_report->orders = served.orders;
	judge(agent, &served, idle_msec, ret_report);
	agent_free(agent);
}
