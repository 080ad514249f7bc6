/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's part in transfers of several segments, which the simulator lacks: reassembles and
 * acknowledges the segments of an answer (drivers/infiniband/core/mad_rmpp.c). A request has one
 * segment. A library to preload before umad2sim.
 *
 *	cc -shared -fPIC -O2 -o rmpp.so rmpp.c
 *	RMPP_SA=/path/of/socket LD_PRELOAD=rmpp.so:libumad2sim.so rdmactl sa trace ...
 *
 * SubnAdmGetTraceTable() and SubnAdmGetMulti() go to the socket on which sa_agent.py listens: each
 * packet is a datagram. All others go to the simulator. As in the kernel, a response to a request
 * that was sent without a timeout is dropped (mad.c, ib_mad_complete_recv()), an acknowledgement of
 * the last segment is acknowledged, and the client does not learn that a transfer was aborted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/ib_user_mad.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HEADER	   sizeof(struct ib_user_mad_hdr)
#define MAD	   256
#define DATA_AT	   56		   /* of an SA datagram: IBA 1, 15.2.1.1 */
#define SEGMENT	   (MAD - DATA_AT) /* bytes of the records in one segment */
#define PAYLOAD	   (SEGMENT + 20)  /* with the SA's header from SM_Key on */
#define SEGMENTS   256
#define TRANSFERS  16
#define WINDOW	   64 /* window_size(): an eighth of the receive queue of 512 */
#define SLICE_MSEC 2
#define ACTIVE	   1
#define LAST	   4

enum { TYPE_DATA = 1, TYPE_ACK = 2 };

/* A request, and the segments of its answer. */
struct transfer {
	bool used, done;
	struct ib_user_mad_hdr head;
	unsigned char request[MAD];
	int64_t deadline; /* milliseconds */
	unsigned char answer[SEGMENTS][MAD];
	bool has[SEGMENTS];
	unsigned int in_order, last, answer_window;
	size_t answer_bytes;
};

static struct transfer transfers[TRANSFERS];
static int port = -1, agent = -1;

/* The next library's function of this name. */
#define NEXT(name)                                                      \
	({                                                              \
		static __typeof__(name) *next_call;                     \
		next_call = next_call ? next_call : next_symbol(#name); \
		next_call;                                              \
	})

static void *next_symbol(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	return symbol ? symbol : (abort(), NULL);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static unsigned int word(const unsigned char *at)
{
	return (unsigned int)at[0] << 24 | (unsigned int)at[1] << 16 | (unsigned int)at[2] << 8 |
	       at[3];
}

static void set_word(unsigned char *at, unsigned int number)
{
	for (int i = 3; i >= 0; i--, number >>= 8)
		at[i] = (unsigned char)number;
}

static void deliver(const unsigned char mad[MAD])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("RMPP_SA");

	if (agent < 0 && path && strlen(path) < sizeof(address.sun_path)) {
		strcpy(address.sun_path, path);
		agent = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		if (agent < 0 || connect(agent, (struct sockaddr *)&address, sizeof(address)))
			abort();
	}
	if (send(agent, mad, MAD, MSG_NOSIGNAL) != MAD)
		abort();
}

static void acknowledge(const unsigned char *mad, unsigned int segment, unsigned int window)
{
	unsigned char ack[MAD] = {0};

	memcpy(ack, mad, DATA_AT);
	ack[3] ^= 0x80;
	ack[25] = TYPE_ACK;
	ack[26] = ACTIVE;
	set_word(ack + 28, segment);
	set_word(ack + 32, window);
	deliver(ack);
}

/* ack_ds_ack(): the request has arrived, and the direction changes. */
static void take_ack(const unsigned char *mad)
{
	if (word(mad + 28) == 1)
		acknowledge(mad, 0, 1);
}

static void finish(struct transfer *transfer, size_t bytes)
{
	transfer->done = true;
	transfer->answer_bytes = bytes;
	transfer->head.status = 0;
}

static void take_data(struct transfer *transfer, const unsigned char *mad)
{
	const unsigned int segment = word(mad + 28);
	unsigned int pad;

	if (!segment || segment > SEGMENTS || segment > transfer->answer_window)
		return;
	if (segment <= transfer->in_order)
		acknowledge(mad, transfer->in_order, transfer->answer_window);
	memcpy(transfer->answer[segment - 1], mad, MAD);
	transfer->has[segment - 1] = true;
	if (mad[26] & LAST)
		transfer->last = segment;
	while (transfer->in_order < SEGMENTS && transfer->has[transfer->in_order])
		transfer->in_order++;
	if (transfer->last && transfer->in_order == transfer->last) {
		pad = PAYLOAD - word(transfer->answer[transfer->last - 1] + 32);
		finish(transfer,
		       DATA_AT + (size_t)SEGMENT * transfer->last - (pad > SEGMENT ? 0 : pad));
		acknowledge(mad, transfer->last, transfer->last);
	} else if (transfer->in_order == 1 || transfer->in_order == transfer->answer_window) {
		transfer->answer_window += WINDOW;
		acknowledge(mad, transfer->in_order, transfer->answer_window);
	}
}

static void take(const unsigned char *mad)
{
	for (size_t i = 0; i < TRANSFERS; i++) {
		struct transfer *transfer = &transfers[i];

		if (!transfer->used || transfer->done ||
		    memcmp(transfer->request + 12, mad + 12, 4))
			continue;
		if (!(mad[26] & ACTIVE)) {
			memcpy(transfer->answer[0], mad, MAD);
			finish(transfer, MAD);
		} else if (mad[25] == TYPE_ACK) {
			take_ack(mad);
		} else if (mad[25] == TYPE_DATA) {
			take_data(transfer, mad);
		} else {
			transfer->used = false; /* stopped or aborted */
		}
		return;
	}
}

/* Takes what has arrived. Returns an open transfer that is done or too late, or NULL. */
static struct transfer *look(void)
{
	unsigned char mad[MAD];

	while (agent >= 0 && recv(agent, mad, MAD, MSG_DONTWAIT) == MAD)
		take(mad);
	for (size_t i = 0; i < TRANSFERS; i++) {
		struct transfer *transfer = &transfers[i];

		if (!transfer->used)
			continue;
		if (!transfer->done && now() >= transfer->deadline) {
			transfer->done = true;
			transfer->head.status = ETIMEDOUT;
		}
		if (transfer->done)
			return transfer;
	}
	return NULL;
}

static void begin(const unsigned char *data)
{
	const struct ib_user_mad_hdr *head = (const void *)data;
	struct transfer *transfer = transfers;
	const unsigned char *mad = data + HEADER;

	while (transfer->used)
		if (++transfer == transfers + TRANSFERS)
			abort();
	memset(transfer, 0, sizeof(*transfer));
	transfer->head = *head;
	transfer->used = head->timeout_ms;
	transfer->deadline = now() + head->timeout_ms;
	transfer->answer_window = 1;
	memcpy(transfer->request, mad, MAD);
	deliver(mad);
}

int open(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;
	int fd;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	fd = NEXT(open)(path, flags, mode);
	if (fd >= 0 && !strncmp(path, "/dev/infiniband/umad", 20))
		port = fd;
	return fd;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
	const unsigned char *mad = (const unsigned char *)data + HEADER;

	if (port < 0 || fd != port || bytes != HEADER + MAD || mad[1] != 0x03 ||
	    (mad[3] != 0x13 && mad[3] != 0x14))
		return NEXT(write)(fd, data, bytes);
	begin(data);
	return (ssize_t)bytes;
}

/* As in the kernel's ib_umad_read(): a MAD that does not fit stays; the header has its length. */
static ssize_t hand_over(struct transfer *transfer, unsigned char *data, size_t room)
{
	const bool late = transfer->head.status;
	const size_t bytes = late ? DATA_AT : transfer->answer_bytes;

	transfer->head.length = (uint32_t)(HEADER + bytes);
	memcpy(data, &transfer->head, HEADER);
	if (late) {
		memcpy(data + HEADER, transfer->request, DATA_AT);
	} else {
		const size_t most = room < HEADER + bytes ? MAD : bytes;

		memcpy(data + HEADER, transfer->answer[0], most < MAD ? most : MAD);
		for (size_t at = MAD, i = 1; at < most; at += SEGMENT, i++)
			memcpy(data + HEADER + at, transfer->answer[i] + DATA_AT,
			       most - at < SEGMENT ? most - at : SEGMENT);
	}
	if (room < HEADER + bytes) {
		errno = ENOSPC;
		return -1;
	}
	transfer->used = false;
	return (ssize_t)(HEADER + bytes);
}

ssize_t read(int fd, void *data, size_t bytes)
{
	struct transfer *done = port >= 0 && fd == port ? look() : NULL;

	return done ? hand_over(done, data, bytes) : NEXT(read)(fd, data, bytes);
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	const int64_t until = timeout < 0 ? INT64_MAX : now() + timeout;

	if (count != 1 || port < 0 || fds[0].fd != port)
		return NEXT(poll)(fds, count, timeout);
	for (;;) {
		int64_t left;
		int ready;

		if (look()) {
			fds[0].revents = POLLIN;
			return 1;
		}
		left = until - now();
		ready = NEXT(poll)(fds, 1,
				   left < SLICE_MSEC ? (left > 0 ? (int)left : 0) : SLICE_MSEC);
		if (ready || left <= 0)
			return ready;
	}
}
