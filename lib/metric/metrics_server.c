/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "metric/metrics_server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/text.h"

LIBRARY_NOTE(LIBMICROHTTPD, "metrics", "metrics --listen");

/* The library has no symbol versions. */
#define HTTP_FUNCTIONS(MUST)                        \
	MUST(MHD_start_daemon, NULL)                \
	MUST(MHD_stop_daemon, NULL)                 \
	MUST(MHD_run, NULL)                         \
	MUST(MHD_get_timeout, NULL)                 \
	MUST(MHD_get_daemon_info, NULL)             \
	MUST(MHD_get_connection_info, NULL)         \
	MUST(MHD_create_response_from_buffer, NULL) \
	MUST(MHD_destroy_response, NULL)            \
	MUST(MHD_add_response_header, NULL)         \
	MUST(MHD_lookup_connection_value, NULL)     \
	MUST(MHD_queue_response, NULL)

struct http_functions {
	HTTP_FUNCTIONS(LIBRARY_MEMBER)
};

#define LIBRARY_RECORD struct http_functions

static const struct library_symbol symbols[] = {HTTP_FUNCTIONS(LIBRARY_MUST)};

enum {
	MOST_CONNECTIONS = 64,
	MOST_OF_AN_ADDRESS = 48,
	CONNECTION_BYTES = 16 * 1024, /* for the request's head */
	SILENCE_SECONDS = 10,	      /* of a connection */
	LIFE_MSEC = 30000,	      /* of a connection, even one that still talks */
	FRESH_MSEC = 500,	      /* a page younger than this is sent again */
	BACKLOG = 64,
	LISTEN_FDS_START = 3, /* SD_LISTEN_FDS_START, sd-daemon.h */
};

/* An open connection; the library reports when one begins and ends. */
struct guest {
	int fd;
	uint64_t end_msec;
	struct guest *next;
};

struct page {
	char *text;
	size_t length;
	uint64_t made_msec;
};

struct server {
	const struct metrics_service *service;
	struct http_functions call;
	struct guest *guests;
	struct page pages[2]; /* by enum metrics_format */
};

static enum MHD_Result answer_text(struct server *server, struct MHD_Connection *connection,
				   unsigned int status, const char *type, const char *text,
				   size_t length)
{
	/* The library copies the text, so the page may be replaced while it is being sent. */
	struct MHD_Response *response = server->call.MHD_create_response_from_buffer(
		length, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	server->call.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		server->call.MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = server->call.MHD_queue_response(connection, status, response);
	server->call.MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_line(struct server *server, struct MHD_Connection *connection,
				   unsigned int status, const char *line)
{
	return answer_text(server, connection, status, "text/plain; charset=utf-8", line,
			   strlen(line));
}

static enum metrics_format choose_format(const struct server *server,
					 struct MHD_Connection *connection)
{
	const char *accept;

	if (server->service->fixed)
		return server->service->format;
	accept = server->call.MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							  MHD_HTTP_HEADER_ACCEPT);
	return accept && strstr(accept, "application/openmetrics-text") ? METRICS_OPENMETRICS
									: METRICS_PROMETHEUS;
}

/* Several scrapers at the same moment get the same page. */
static int make_page(struct server *server, enum metrics_format format)
{
	struct page *page = &server->pages[format];
	char *text = NULL;
	size_t length = 0;
	int rc;

	if (page->text && clock_msec() - page->made_msec < FRESH_MSEC)
		return 0;
	rc = server->service->make(server->service->context, format, &text, &length);
	if (rc)
		return rc;
	free(page->text);
	*page = (struct page){.text = text, .length = length, .made_msec = clock_msec()};
	return 0;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_length, void **state)
{
	struct server *server = context;
	enum metrics_format format;

	(void)version;
	(void)upload;
	(void)state;
	/* Uploads of clients are neither wanted nor read. */
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_length = 0;
		return answer_line(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   "only GET and HEAD\n");
	}
	if (!strcmp(url, "/"))
		return answer_line(server, connection, MHD_HTTP_OK, "rdmactl: see /metrics\n");
	if (strcmp(url, "/metrics"))
		return answer_line(server, connection, MHD_HTTP_NOT_FOUND,
				   "not here: see /metrics\n");
	format = choose_format(server, connection);
	if (make_page(server, format))
		return answer_line(server, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "the metrics cannot be read now\n");
	return answer_text(server, connection, MHD_HTTP_OK, metrics_content_type(format),
			   server->pages[format].text, server->pages[format].length);
}

static void note_connection(void *context, struct MHD_Connection *connection, void **state,
			    enum MHD_ConnectionNotificationCode code)
{
	struct server *server = context;
	const union MHD_ConnectionInfo *info = server->call.MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct guest *guest, **place;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		guest = mem_alloc_zero(1, sizeof(*guest));
		*guest = (struct guest){.fd = info ? info->connect_fd : -1,
					.end_msec = clock_msec() + LIFE_MSEC,
					.next = server->guests};
		server->guests = guest;
		*state = guest;
		return;
	}
	for (place = &server->guests; *place && *place != *state; place = &(*place)->next)
		;
	guest = *place;
	if (guest)
		*place = guest->next;
	free(guest);
}

/* The library ends silent connections; this ends those that talk, but too slowly. */
static void end_slow(struct server *server)
{
	for (struct guest *guest = server->guests; guest; guest = guest->next)
		if (clock_msec() >= guest->end_msec && guest->fd >= 0)
			shutdown(guest->fd, SHUT_RDWR);
}

static void run(struct server *server, struct MHD_Daemon *daemon, const struct signals *signals)
{
	const union MHD_DaemonInfo *info = server->call.MHD_get_daemon_info(
		daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[] = {{.fd = info->epoll_fd, .events = POLLIN},
			       {.fd = signals->fd, .events = POLLIN}};

	for (;;) {
		MHD_UNSIGNED_LONG_LONG timeout = 1000;

		if (server->call.MHD_get_timeout(daemon, &timeout) != MHD_YES || timeout > 1000)
			timeout = 1000;
		if (poll(fds, ARRAY_SIZE(fds), (int)timeout) < 0 && errno != EINTR)
			return;
		if (fds[1].revents && signals_take(signals))
			return;
		end_slow(server);
		server->call.MHD_run(daemon);
	}
}

/* Tells systemd that the service is ready: sd_notify(3). Does nothing if it did not ask. */
static void notify_ready(void)
{
	static const char ready[] = "READY=1";
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const size_t length = path ? strlen(path) : 0;
	int fd;

	if (!length || length >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, ready, strlen(ready), MSG_NOSIGNAL, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}

int metrics_serve(const struct metrics_service *service)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, 0};
	struct server server = {.service = service};
	struct signals signals = SIGNALS_NONE;
	struct MHD_Daemon *daemon;
	int fd, rc = library_open(LIBMICROHTTPD, symbols, ARRAY_SIZE(symbols), &server.call);

	if (rc)
		return rc;
	/* The library closes the socket that it is given. */
	fd = dup(service->listen_fd);
	if (fd < 0)
		return -errno;
	daemon = server.call.MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, answer, &server, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MOST_CONNECTIONS,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned int)MOST_OF_AN_ADDRESS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)SILENCE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, &server, MHD_OPTION_END);
	if (!daemon) {
		close(fd);
		return -EIO;
	}
	signals_catch(&signals, ends);
	service->begun(service->context);
	notify_ready();
	run(&server, daemon, &signals);
	server.call.MHD_stop_daemon(daemon);
	signals_release(&signals);
	for (size_t i = 0; i < ARRAY_SIZE(server.pages); i++)
		free(server.pages[i].text);
	return 0;
}

/* "[::1]:9879", "127.0.0.1:9879", "9879": PORT follows the last colon that is not in brackets. */
static int split_address(const char *text, char **ret_host, const char **ret_port)
{
	const char *colon = strrchr(text, ':'), *bracket = strrchr(text, ']');
	uint64_t port;

	if (colon && bracket && colon < bracket)
		return -EINVAL;
	*ret_port = colon ? colon + 1 : text;
	if (text_parse_u64(*ret_port, 10, UINT16_MAX, &port))
		return -EINVAL;
	if (!colon)
		*ret_host = mem_string("127.0.0.1");
	else if (text[0] == '[' && bracket && colon == bracket + 1)
		*ret_host = mem_format("%.*s", (int)(bracket - text - 1), text + 1);
	else
		*ret_host = mem_format("%.*s", (int)(colon - text), text);
	return **ret_host ? 0 : -EINVAL;
}

static int bind_and_listen(const struct addrinfo *info, int *ret_fd)
{
	const int on = 1;
	int rc, fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, info->ai_addr, info->ai_addrlen) || listen(fd, BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}

int metrics_listen(const char *text, int *ret_fd)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	_cleanup_(freep) char *host = NULL;
	struct addrinfo *info = NULL;
	const char *port;
	int rc = split_address(text, &host, &port);

	if (rc)
		return rc;
	if (getaddrinfo(host, port, &hints, &info))
		return -EINVAL;
	rc = bind_and_listen(info, ret_fd);
	freeaddrinfo(info);
	return rc;
}

int metrics_inherit(int *ret_fd)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	uint64_t number, fds;

	if (!pid || !count || text_parse_u64(pid, 10, INT32_MAX, &number) ||
	    number != (uint64_t)getpid() || text_parse_u64(count, 10, INT32_MAX, &fds) || !fds)
		return -ENOENT;
	*ret_fd = LISTEN_FDS_START;
	return 0;
}

char *metrics_address(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(fd, (struct sockaddr *)&address, &length) ||
	    (address.ss_family != AF_INET && address.ss_family != AF_INET6) ||
	    getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return mem_string("the socket that was handed over");
	return mem_format(address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}
