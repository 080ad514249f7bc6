/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/server/server_client.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/text.h"
#include "selftest/agent/agent.h"
#include "selftest/server/crowd.h"
#include "selftest/wire/message.h"
#include "selftest/agent/watch.h"
#include "selftest/wire/handshake.h"

/* A client must send its hello at once. */
#define HELLO_MSEC	  5000
#define DEFAULT_IDLE_MSEC 600000u
#define RUN_MSEC	  60000u /* longest run that is granted */
#define ANSWER_MSEC	  5000
#define GUESS_MSEC	  500  /* delay after a wrong token */
#define FAREWELL_MSEC	  1000 /* time to read the refusal */

/* Limits on one client's buffers, and on the other memory of its process. */
#define MOST_BUFFER_BYTES (64ull << 20)
#define MOST_OTHER_BYTES  (256ull << 20)

/* Enough for the longest measurement by intervals, and for what precedes it. */
#define DEFAULT_LIFE_MSEC (2 * (uint64_t)LIMIT_MSEC)

static uint64_t granted_msec(const struct selftest_service *service)
{
	return service->run_msec ? service->run_msec : RUN_MSEC;
}

__attribute__((format(printf, 2, 3))) static void end_with(struct serve_report *report,
							   const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(report->text, sizeof(report->text), format, values);
	va_end(values);
}

/*
 * Limits what a client can make this process allocate, in addition to the limits of each order.
 * RLIMIT_DATA counts private writable memory, including the queues of an adapter's provider, but
 * not mappings of the device, which are shared (is_data_mapping(), mm/mmap.c).
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
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	setrlimit(RLIMIT_DATA, &limit);
}

void serve_refuse(int channel, enum refusal refusal, const char *text)
{
	struct message message = {
		.type = MESSAGE_REFUSED,
		.refused = {.refusal = refusal,
			    .lowest = PROTOCOL_VERSION,
			    .highest = PROTOCOL_VERSION},
	};

	snprintf(message.refused.text, sizeof(message.refused.text), "%s", text);
	exchange_send(channel, &message, 0);
	exchange_end(channel);
}

static int refuse(struct serve_client *client, enum refusal refusal, const char *text)
{
	struct pollfd signals = {.fd = client->service->signals, .events = POLLIN};
	struct pollfd reader = {.fd = client->channel, .events = POLLRDHUP};

	end_with(&client->report, "refused: %s", text);
	if (refusal == REFUSAL_TOKEN && poll(&signals, 1, GUESS_MSEC) > 0)
		return -EINTR;
	serve_refuse(client->channel, refusal, text);
	poll(&reader, 1, FAREWELL_MSEC);
	return -EPERM;
}

/* Receives a message of that type, which a client must send at once. */
static int receive(struct serve_client *client, uint32_t type, struct message *ret_message)
{
	struct serve_report *report = &client->report;
	const char *complaint = NULL, *name = message_name(type);
	struct message message;
	int rc = exchange_receive(client->channel, client->service->signals, HELLO_MSEC, &message,
				  &complaint);

	if (!rc && message.type == type) {
		*ret_message = message;
		return 0;
	}
	if (complaint)
		end_with(report, "dropped: sent no valid message (%s)", complaint);
	else if (!rc)
		end_with(report, "dropped: sent '%s' instead of %s", message_name(message.type),
			 name);
	else if (rc == -ETIMEDOUT)
		end_with(report, "dropped: sent no %s within %d s", name, HELLO_MSEC / 1000);
	else if (rc == -EINTR)
		end_with(report, "dropped: the server is shutting down");
	else
		end_with(report, "closed the connection before its %s", name);
	return rc ? rc : -EPROTO;
}

static int answer(struct serve_client *client, const struct message *message)
{
	int rc = exchange_send(client->channel, message, ANSWER_MSEC);

	if (rc)
		end_with(&client->report, "closed the connection during the handshake");
	return rc;
}

/*
 * Asks the server for a client's place, and refuses the client if there is none. The server's
 * answer arrives in one piece.
 */
static int ask_for_place(struct serve_client *client)
{
	struct pollfd polls[] = {
		{.fd = client->line, .events = POLLIN},
		{.fd = client->service->signals, .events = POLLIN},
	};
	const char ask = 1;
	struct serve_answer answer;

	if (send(client->line, &ask, sizeof(ask), MSG_NOSIGNAL) == sizeof(ask))
		poll(polls, ARRAY_SIZE(polls), ANSWER_MSEC);
	if (recv(client->line, &answer, sizeof(answer), MSG_DONTWAIT) != (ssize_t)sizeof(answer)) {
		end_with(&client->report, "dropped: the server is shutting down");
		return -EINTR;
	}
	answer.text[sizeof(answer.text) - 1] = '\0';
	return answer.granted ? 0 : refuse(client, REFUSAL_BUSY, answer.text);
}

/* Without a token both proofs are zero. */
static int check_token(struct serve_client *client, const struct message_challenge *challenge,
		       const struct message_response *response, char ret_mac[static NONCE_BYTES])
{
	static const char none[NONCE_BYTES];
	const char *token = client->service->token;
	char expected[NONCE_BYTES];
	int rc = handshake_mac(token, HANDSHAKE_CLIENT, challenge, response, expected);

	if (!rc && !nonce_equal(expected, response->mac))
		return refuse(client, REFUSAL_TOKEN,
			      nonce_equal(none, response->mac)
				      ? "this server requires a token: --token or RDMACTL_TOKEN"
				      : "this server has another token");
	if (!rc)
		rc = handshake_mac(token, HANDSHAKE_SERVER, challenge, response, ret_mac);
	if (rc)
		end_with(&client->report, "dropped: %s", hmac_failure(rc));
	return rc;
}

/* Both sides prove that they know the token, which does not cross the network. */
static int challenge(struct serve_client *client)
{
	struct message sent = {
		.type = MESSAGE_CHALLENGE,
		.challenge = {.version = PROTOCOL_VERSION,
			      .token_wanted = client->service->token != NULL},
	};
	struct message admitted = {
		.type = MESSAGE_ADMITTED,
		.admitted = {.qps = LIMIT_QPS,
			     .bytes = MOST_BUFFER_BYTES,
			     .run_msec = granted_msec(client->service)},
	};
	struct message received;
	int rc = nonce_make(sent.challenge.nonce);

	if (rc)
		end_with(&client->report, "dropped: cannot get random numbers: %s", strerror(-rc));
	rc = rc ?: answer(client, &sent) ?: receive(client, MESSAGE_RESPONSE, &received);
	if (!rc && client->service->token)
		rc = check_token(client, &sent.challenge, &received.response,
				 admitted.admitted.mac);
	return rc ?: ask_for_place(client) ?: answer(client, &admitted);
}

static int shake_hands(struct serve_client *client)
{
	char text[sizeof(((struct message_refused *)0)->text)];
	struct message received;
	int rc = receive(client, MESSAGE_HELLO, &received);
	const struct message_hello *hello = &received.hello;

	if (rc)
		return rc;
	if (hello->lowest <= PROTOCOL_VERSION && hello->highest >= PROTOCOL_VERSION)
		return challenge(client);
	snprintf(text, sizeof(text),
		 "versions %u to %u of the exchange protocol (release %s), but this server has "
		 "version %u (release %s)",
		 hello->lowest, hello->highest, hello->release, PROTOCOL_VERSION, RDMACTL_VERSION);
	return refuse(client, REFUSAL_VERSION, text);
}

static int find_port(void *context, const struct message_open *order, struct endpoint *ret_endpoint,
		     char **ret_reason, char **ret_hint)
{
	struct serve_client *client = context;
	int rc = serve_find_port(client->service, &client->local, order, ret_endpoint, ret_reason,
				 ret_hint);

	client->report.remote = order->near;
	if (!rc)
		client->report.local = *ret_endpoint;
	return rc;
}

static int list_ports(void *context, uint32_t first, struct message_listed *ret_ports,
		      char **ret_reason)
{
	const struct serve_client *client = context;

	if (!client->service->lists_ports)
		return -EOPNOTSUPP;
	return serve_list_ports(client->service, first, ret_ports, ret_reason);
}

static void report_end(const struct agent *agent, const struct agent_served *served,
		       unsigned int idle_msec, bool life_over, struct serve_report *report)
{
	if (agent->watch.device_gone)
		end_with(report, "the device was removed");
	else if (served->cut_short && served->stop == STOP_TIMED_OUT)
		end_with(report,
			 "the client did not send the rest of a message, or its host is gone");
	else if (served->cut_short)
		end_with(report, "the connection ended in the middle of a message");
	else if (served->complaint)
		end_with(report, "the client sent no valid message (%s)", served->complaint);
	else if (served->stop == STOP_INTERRUPTED && life_over)
		end_with(report, "it reached the time limit for a client");
	else if (served->stop == STOP_INTERRUPTED)
		end_with(report, "the server was stopped");
	else if (served->lost)
		end_with(report, "%s", served->lost);
	else if (served->stop == STOP_TIMED_OUT)
		end_with(report, "the client was silent for %u %s",
			 idle_msec < 1000 ? idle_msec : idle_msec / 1000,
			 idle_msec < 1000 ? "ms" : "s");
	else if (served->refused[0])
		end_with(report, "a request was refused: %s", served->refused);
	else if (served->stop)
		end_with(report, "the connection ended without a goodbye");
	else
		report->well = true;
}

uint64_t serve_life_msec(const struct selftest_service *service)
{
	return service->life_msec ? service->life_msec : DEFAULT_LIFE_MSEC;
}

/* Sends this process SIGTERM when its time is over, as if somebody ended it. */
static void limit_life(uint64_t msec)
{
	const struct itimerspec end = {
		.it_value = {.tv_sec = (time_t)(msec / 1000),
			     .tv_nsec = (long)(msec % 1000) * 1000000},
	};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
	timer_t timer;

	/* Without a timer, the server kills the process a little later. */
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &end, NULL);
}

static int reserve(void *context, int64_t bytes)
{
	const struct serve_client *client = context;

	return budget_take(client->budget, client->place, bytes);
}

static void carry_out(struct serve_client *client)
{
	const struct selftest_service *service = client->service;
	const uint64_t life_msec = serve_life_msec(service), begin_msec = clock_msec();
	const unsigned int idle_msec = service->idle_msec ? service->idle_msec : DEFAULT_IDLE_MSEC;
	struct agent *agent = agent_new(client->channel, service->signals);
	struct agent_served served;

	limit_life(life_msec);
	agent->most_bytes = MOST_BUFFER_BYTES;
	agent->guard = (struct guard){
		.strict = true, .client = client->address, .most_msec = granted_msec(service)};
	agent->find = find_port;
	agent->list = list_ports;
	agent->reserve = reserve;
	agent->owner = client;
	agent_serve(agent, client->channel, idle_msec, &served);
	client->report.orders = served.orders;
	report_end(agent, &served, idle_msec, clock_msec() - begin_msec >= life_msec,
		   &client->report);
	agent_free(agent);
}

void serve_client(struct serve_client *client)
{
	struct sockaddr_storage local = {0};
	socklen_t length = sizeof(local);
	const int on = 1;

	if (!getsockname(client->channel, (struct sockaddr *)&local, &length))
		client->local = socket_address_ip(&local);
	socket_keep_alive(client->channel);
	setsockopt(client->channel, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	limit_memory();
	if (shake_hands(client))
		return;
	client->report.welcomed = true;
	carry_out(client);
}

void serve_report_set_crash(struct serve_report *report, int status, bool stopping,
			    const char *ended)
{
	*report = (struct serve_report){.welcomed = true};
	if (ended)
		end_with(report, "%s", ended);
	else if (stopping && WIFSIGNALED(status))
		end_with(report, "the server was stopped");
	else if (WIFSIGNALED(status))
		end_with(report, "the process that served it was killed by signal %d",
			 WTERMSIG(status));
	else
		end_with(report, "the process that served it failed with status %d",
			 WEXITSTATUS(status));
}

char *serve_report_line(const struct serve_report *report, uint64_t msec)
{
	const struct endpoint *local = &report->local;
	_cleanup_(freep) char *port = local->device[0]
					      ? mem_format(" by %s/%u", local->device, local->port)
					      : mem_string("");

	if (!report->welcomed)
		return mem_string(report->text);
	return mem_format("served%s, %" PRIu64 " request%s in %.1f s%s%s", port, report->orders,
			  text_plural_s(report->orders), (double)msec / 1000,
			  report->well ? "" : "; ", report->text);
}

void serve_report_fill_row(const struct serve_report *report, const struct ip_address *address,
			   uint64_t msec, struct selftest_result *row)
{
	char name[IP_TEXT_SIZE];

	ip_format(address, name);
	row->peer = mem_string(name);
	row->group = number_of(SELFTEST_SERVE);
	row->test = mem_string("serve");
	row->summary = mem_string("serves the requests of a client");
	row->verdict = number_of(report->well ? SELFTEST_PASS : SELFTEST_FAIL);
	if (!report->well)
		row->reason = text_clean(report->text, sizeof(report->text));
	row->iterations = number_of(report->orders);
	row->duration_msec = real_of((double)msec);
	selftest_result_set_local(row, &report->local);
	selftest_result_set_peer(row, &report->remote);
}
