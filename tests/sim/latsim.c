/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes the simulator's instant fabric behave like a real one. A library to preload before umad2sim
 * (but after a sanitizer's): it intercepts the system calls on umad descriptors, so it works for
 * programs that are linked to libibumad, that open it at run time, or that do not use it.
 *
 *	cc -shared -fPIC -O2 -o latsim.so latsim.c
 *	LATSIM_RTT_USEC=100 LD_PRELOAD=latsim.so:libumad2sim.so rdmactl ...
 *
 * LATSIM_RTT_USEC	minimum time between a request and its answer; all run at the same time
 * LATSIM_DROP_PERCENT	percentage of the datagrams sent that are lost, half of them on the way
 *			back (after the other end has acted on the request); a real number
 * LATSIM_INTERRUPT	number of the datagram after which nothing arrives any more, and the program
 *			gets a SIGINT
 * LATSIM_SEED		seed of the losses, default 1: the same seed loses the same datagrams
 * LATSIM_FILL=1	descriptions of nodes that fill 63 bytes get a 64th one: the simulator
 *			always ends them with a NUL
 * LATSIM_MODULE	file of three times 128 bytes: lower half, page 00h and page 03h of a QSFP
 *			module (SFF-8636), which is in every port. The simulator has no CableInfo.
 *			The serial number ends with the number of the port, and the first lane
 *			receives ten microwatts times that number.
 * LATSIM_REGISTERS	file of the answers of nodes to NVIDIA's class 0x0a: see register_kind()
 * LATSIM_LOG		file for a line of counts, written when the program ends
 * LATSIM_ANSWERS	file of answers, which answer_for_agent() describes
 *
 * The simulator immediately returns what it cannot deliver, with status ETIMEDOUT, and supports
 * neither timeout_ms nor retries. Here both work as in the kernel (drivers/infiniband/core/mad.c):
 * the request is sent again after timeout_ms, `retries` times, and is returned after the last
 * timeout_ms; an answer that arrives later is dropped.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/ib_user_mad.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The header for programs that request P_Key indexes, which libibumad does */
#define HEADER	    sizeof(struct ib_user_mad_hdr)
#define PACKET_MOST (HEADER + 256)
#define PACKETS	    4096 /* maximum in flight */
#define ANSWERS	    64	 /* maximum number of lines */
#define PORTS	    16	 /* maximum of open descriptors */
#define SLICE_MSEC  10	 /* longest wait, as another thread may have sent meanwhile */

/* A request in flight, or an arrival that is held back. */
struct packet {
	bool used, arrived, answer_is_lost;
	int fd;
	unsigned int retries;
	int64_t timeout, deadline; /* microseconds */
	int64_t due;		   /* not to be delivered earlier */
	size_t bytes;
	unsigned char data[PACKET_MOST];
};

static struct packet packets[PACKETS];
static size_t packets_used; /* slots from here on are unused */
static int ports[PORTS];
static size_t port_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t round_trip;
static double drop_percent;
static uint64_t random_state = 1;
static bool fill;
static bool has_module;
static unsigned char module[3][128];
static struct answer {
	unsigned int mgmt_class, method, attribute, status;
	char bytes[2 * 232 + 1];
	bool used;
} answers[ANSWERS];
static size_t answer_count;
static struct {
	unsigned int lid;
	char kind[16];
} kinds[ANSWERS];
static size_t kind_count;
static unsigned char module_page[2][208]; /* of PDDR: in dBm, and in microwatts */
static unsigned char tag[2]; /* from the last Set of PortSamplesControl: IBA 1, 16.1.3.2 */
static unsigned long last;   /* the datagram after which nothing arrives; 0: none */
static unsigned long sent, lost, resent, timed_out, answered, refused;

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
	return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static double setting(const char *name, double fallback)
{
	const char *text = getenv(name);

	return text && *text ? strtod(text, NULL) : fallback;
}

static void read_module(const char *path)
{
	FILE *file = path && *path ? fopen(path, "re") : NULL;

	if (!file)
		return;
	has_module = fread(module, sizeof(module), 1, file) == 1;
	fclose(file);
}

static void read_answers(const char *path)
{
	FILE *file = path && *path ? fopen(path, "re") : NULL;
	struct answer *answer = answers;

	while (file && answer_count < ANSWERS &&
	       fscanf(file, "%x %x %x %x %464s", &answer->mgmt_class, &answer->method,
		      &answer->attribute, &answer->status, answer->bytes) == 5)
		answer = &answers[++answer_count];
	if (file)
		fclose(file);
}

static void read_registers(const char *path)
{
	FILE *file = path && *path ? fopen(path, "re") : NULL;
	char digits[3] = "";

	for (size_t i = 0; file && i < 2; i++)
		for (size_t j = 0; j < sizeof(module_page[i]) && fscanf(file, "%2s", digits) == 1;
		     j++)
			module_page[i][j] = (unsigned char)strtoul(digits, NULL, 16);
	while (file && kind_count < ANSWERS &&
	       fscanf(file, "%u %15s", &kinds[kind_count].lid, kinds[kind_count].kind) == 2)
		kind_count++;
	if (file)
		fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
	round_trip = (int64_t)setting("LATSIM_RTT_USEC", 0);
	drop_percent = setting("LATSIM_DROP_PERCENT", 0);
	last = (unsigned long)setting("LATSIM_INTERRUPT", 0);
	random_state = (uint64_t)setting("LATSIM_SEED", 1) * 0x9e3779b97f4a7c15u | 1;
	fill = setting("LATSIM_FILL", 0) != 0;
	read_module(getenv("LATSIM_MODULE"));
	read_answers(getenv("LATSIM_ANSWERS"));
	read_registers(getenv("LATSIM_REGISTERS"));
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("LATSIM_LOG");
	FILE *log = path && *path && sent ? fopen(path, "ae") : NULL;

	if (log) {
		fprintf(log,
			"sent=%lu lost=%lu resent=%lu refused=%lu timed_out=%lu answered=%lu\n",
			sent, lost, resent, refused, timed_out, answered);
		fclose(log);
	}
}

/* A number from 0 to 1, by a xorshift generator. */
static double random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / (double)(1ull << 53);
}

static bool is_port(int fd)
{
	for (size_t i = 0; i < port_count; i++)
		if (ports[i] == fd)
			return true;
	return false;
}

/* The kernel keeps the low half of a transaction ID: bytes 12 to 15. Byte 1 is the class. */
static bool same_transaction(const unsigned char *one, const unsigned char *other)
{
	return one[1] == other[1] && !memcmp(one + 12, other + 12, 4);
}

static struct packet *take_slot(int fd, const unsigned char *data, size_t bytes)
{
	size_t i = 0;

	while (i < packets_used && packets[i].used)
		i++;
	if (i == PACKETS)
		abort();
	if (i == packets_used)
		packets_used++;
	packets[i] = (struct packet){.used = true, .fd = fd, .bytes = bytes};
	memcpy(packets[i].data, data, bytes);
	return &packets[i];
}

/* Returns what write() does. A loss is not an error. */
static ssize_t transmit(struct packet *packet, int fd, const void *data, size_t bytes)
{
	double chance = random_number() * 100;
	bool drop = chance < drop_percent || (last && sent >= last);

	sent++;
	lost += drop;
	if (sent == last)
		kill(getpid(), SIGINT);
	if (packet) {
		packet->due = now() + round_trip;
		packet->answer_is_lost = chance < drop_percent && chance >= drop_percent / 2;
	}
	if (drop && !(packet && packet->answer_is_lost))
		return (ssize_t)bytes;
	return NEXT(write)(fd, data, bytes);
}

/* Get(CableInfo) by a directed route: mlx4_get_module_info(), mlx4/port.c of the kernel. */
static bool asks_for_module(const unsigned char *mad)
{
	return has_module && mad[1] == 0x81 && mad[3] == 0x01 && mad[16] == 0xff && mad[17] == 0x60;
}

/* A byte from a page of the module in a port; digits and power depend on the port. */
static unsigned char module_byte(unsigned int page, unsigned int offset, unsigned int port)
{
	const unsigned int part = page ? 2 : offset / 128, at = offset % 128;

	if (!part && (at == 34 || at == 35))
		return (unsigned char)(at == 34 ? port * 100 >> 8 : port * 100);
	if (part == 1 && (at == 206 - 128 || at == 207 - 128))
		return (unsigned char)('0' + (at == 206 - 128 ? port / 10 : port % 10));
	return module[part][at];
}

/* The data has address, page, offset and size, then the bytes. Page 03h has an upper half only. */
static void answer_for_module(unsigned char *mad)
{
	unsigned char *data = mad + 64;
	const unsigned int page = data[1], offset = (unsigned int)data[2] << 8 | data[3];
	const unsigned int size = (unsigned int)data[6] << 8 | data[7];
	const bool bad = data[0] != 0x50 || (page && (page != 3 || offset < 128)) || !size ||
			 size > 48 || offset + size > 256;

	mad[3] = 0x81;
	mad[4] = bad ? 0x86 : 0x80; /* the direction, and the device's own code */
	mad[5] = 0;
	for (unsigned int i = 0; !bad && i < size; i++)
		data[16 + i] = module_byte(page, offset + i, mad[23]);
}

/*
 * The kind of a node. The file has two Module_info pages, in dBm and in microwatts, as hexadecimal
 * bytes, and then lines with a LID and a kind: `none` does not have the class, `bare` has no
 * registers according to GeneralInfo, `dbm` has one unit only, `poor` has no PDDR, `refuses`
 * accepts no port, `wrong` answers for the next port, `empty` has no module, `mute` does not answer
 * for ports, `dead` does not answer at all; any other word is a good node. LID 0 is for all nodes
 * without a line.
 */
static const char *register_kind(unsigned int lid)
{
	const char *rest = "none";

	for (size_t i = 0; i < kind_count; i++) {
		if (kinds[i].lid == lid)
			return kinds[i].kind;
		if (!kinds[i].lid)
			rest = kinds[i].kind;
	}
	return rest;
}

/*
 * The register comes after the VS_Key and a word: byte 36 of the datagram. The serial number ends
 * with the number of the port, and the first lane receives ten microwatts times that number, or as
 * many dBm below zero.
 */
static unsigned int tell_module(unsigned char *mad, const char *kind)
{
	unsigned char *head = mad + 36, *page = head + 8;
	const unsigned int port = head[1], unit = (head[4] & 0x60) >> 5;
	const int power = unit ? 10 * (int)port : -(int)port;

	if (mad[32] || mad[33] || mad[34] || mad[35] || head[2] != 0x40 || head[7] != 3 || !port ||
	    unit > (strcmp(kind, "dbm") != 0) || !strcmp(kind, "refuses"))
		return 0x1c;
	if (!strcmp(kind, "poor"))
		return 0x14;
	memcpy(page, module_page[unit], sizeof(module_page[unit]));
	page[0x3c + 10] = (unsigned char)('0' + port / 10);
	page[0x3c + 11] = (unsigned char)('0' + port % 10);
	page[0x50] = (unsigned char)((unsigned int)power >> 8);
	page[0x51] = (unsigned char)power;
	if (!strcmp(kind, "empty"))
		page[4] = 4 << 4;
	head[1] = (unsigned char)(port + !strcmp(kind, "wrong"));
	return 0;
}

/* Get of GeneralInfo (0x17) and AccessRegisterGMP (0x51): mtcr_ib_ofed.c of mstflint. */
static bool answer_for_registers(struct packet *packet)
{
	const struct ib_user_mad_hdr *head = (const void *)packet->data;
	unsigned char *mad = packet->data + HEADER;
	const unsigned int number = (unsigned int)mad[22] << 8 | mad[23];
	unsigned int status = 0;
	const char *kind;

	if (!kind_count || mad[1] != 0x0a || mad[3] != 0x01 || mad[16] ||
	    (mad[17] != 0x17 && mad[17] != 0x51))
		return false;
	kind = register_kind(ntohs(head->lid));
	if (!strcmp(kind, "dead") || (!strcmp(kind, "mute") && number == 0x5031)) {
		packet->retries = 0;
		return true;
	}
	if (!strcmp(kind, "none"))
		status = 0x0c;
	else if (mad[17] == 0x17)
		mad[32 + 0x80 + 1] = strcmp(kind, "bare") ? 1 << 4 : (unsigned char)~(1 << 4);
	else if (number == 0x507f)
		mad[36 + 0x28 + 7] = strcmp(kind, "dbm") ? 1 << 2 : (unsigned char)~(1 << 2);
	else
		status = number == 0x5031 ? tell_module(mad, kind) : 0x14;
	mad[3] = 0x81;
	mad[4] = 0;
	mad[5] = (unsigned char)status;
	packet->arrived = true;
	packet->due = now() + round_trip;
	answered++;
	return true;
}

/* The next answer to such a request, or NULL. */
static struct answer *find_answer(const unsigned char *mad)
{
	struct answer *last = NULL;

	for (size_t i = 0; i < answer_count; i++) {
		struct answer *answer = &answers[i];

		if (answer->mgmt_class != mad[1] || answer->method != mad[3] ||
		    answer->attribute != ((unsigned int)mad[16] << 8 | mad[17]))
			continue;
		last = answer;
		if (!answer->used)
			break;
	}
	return last;
}

static unsigned char answer_byte(const char *digits)
{
	unsigned char byte = 0;

	if (digits[0] == 't')
		return tag[digits[1] == '1'];
	sscanf(digits, "%2hhx", &byte);
	return byte;
}

/*
 * Answers instead of agents that the simulator does not have. A line of the file has the class,
 * method and attribute of a request, and the status of the answer, all in hexadecimal, and the
 * bytes of the answer from byte 24 on; or `echo` for those of the request, or `lost` for no answer.
 * Successive requests of a kind get successive answers, and the last one repeats. Bytes `t0` and
 * `t1` are those of the tag in the request that started to sample a port.
 */
static bool answer_for_agent(struct packet *packet)
{
	unsigned char *mad = packet->data + HEADER;
	struct answer *answer = find_answer(mad);

	if (!answer)
		return false;
	answer->used = true;
	if (!strcmp(answer->bytes, "lost")) {
		packet->retries = 0;
		return true;
	}
	if (mad[1] == 0x04 && mad[3] == 0x02 && mad[17] == 0x10)
		memcpy(tag, mad + 64 + 36, sizeof(tag));
	/* GetResp also answers a Set. */
	mad[3] = mad[3] == 0x02 ? 0x81 : mad[3] | 0x80;
	mad[4] = (unsigned char)(answer->status >> 8);
	mad[5] = (unsigned char)answer->status;
	if (strcmp(answer->bytes, "echo")) {
		memset(mad + 24, 0, 256 - 24);
		for (size_t i = 0; answer->bytes[2 * i]; i++)
			mad[24 + i] = answer_byte(answer->bytes + 2 * i);
	}
	packet->bytes = HEADER + 256;
	packet->arrived = true;
	packet->due = now() + round_trip;
	answered++;
	return true;
}

static void fill_description(unsigned char *mad)
{
	/* GetResp(NodeDescription) of both SM classes: IBA 1, 14.2.5.2 */
	if (fill && (mad[1] & 0x7f) == 0x01 && mad[3] == 0x81 && !mad[16] && mad[17] == 0x10 &&
	    !memchr(mad + 64, 0, 63))
		mad[64 + 63] = 'Z';
}

static void arrive(int fd, unsigned char *data, size_t bytes)
{
	struct ib_user_mad_hdr *head = (void *)data;
	unsigned char *mad = data + HEADER;
	bool is_answer = mad[3] & 0x80 || head->status;
	struct packet *packet = NULL;

	for (size_t i = 0; is_answer && !packet && i < packets_used; i++)
		if (packets[i].used && !packets[i].arrived && packets[i].fd == fd &&
		    same_transaction(packets[i].data + HEADER, mad))
			packet = &packets[i];
	refused += head->status != 0;
	if (is_answer && (!packet || head->status || packet->answer_is_lost))
		return;
	fill_description(mad);
	if (packet) {
		memcpy(packet->data, data, bytes);
		packet->bytes = bytes;
	} else {
		packet = take_slot(fd, data, bytes);
	}
	packet->arrived = true;
	answered++;
}

/* Handles timeouts of requests. Returns the time until the next event, or 0 if one is due. */
static int64_t run_timers(int fd)
{
	int64_t next = INT64_MAX, time = now();

	for (size_t i = 0; i < packets_used; i++) {
		struct packet *packet = &packets[i];

		if (!packet->used || packet->fd != fd)
			continue;
		if (!packet->arrived && packet->deadline <= time && packet->retries) {
			packet->retries--;
			packet->deadline = time + packet->timeout;
			resent++;
			transmit(packet, fd, packet->data, packet->bytes);
		} else if (!packet->arrived && packet->deadline <= time) {
			((struct ib_user_mad_hdr *)packet->data)->status = ETIMEDOUT;
			packet->arrived = true;
			packet->due = time;
			timed_out++;
		}
		if ((packet->arrived ? packet->due : packet->deadline) < next)
			next = packet->arrived ? packet->due : packet->deadline;
	}
	while (packets_used && !packets[packets_used - 1].used)
		packets_used--;
	return next > time ? next - time : 0;
}

/* Receives everything that the simulator has. */
static void pump(int fd)
{
	unsigned char data[PACKET_MOST];
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	while (NEXT(poll)(&ready, 1, 0) > 0 && ready.revents & POLLIN) {
		ssize_t bytes = NEXT(read)(fd, data, PACKET_MOST);

		if (bytes < (ssize_t)HEADER)
			break;
		arrive(fd, data, (size_t)bytes);
	}
}

static struct packet *first_due(int fd)
{
	struct packet *first = NULL;
	int64_t time = now();

	for (size_t i = 0; i < packets_used; i++)
		if (packets[i].used && packets[i].fd == fd && packets[i].arrived &&
		    packets[i].due <= time && (!first || packets[i].due < first->due))
			first = &packets[i];
	return first;
}

/* Microseconds until there may be something to read; 0: there is something. */
static int64_t look(int fd)
{
	int64_t next;

	pthread_mutex_lock(&lock);
	pump(fd);
	next = run_timers(fd);
	pthread_mutex_unlock(&lock);
	return next;
}

int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list list;
	int fd;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	fd = NEXT(open)(path, flags, mode);
	if (fd < 0 || strncmp(path, "/dev/infiniband/umad", 20))
		return fd;
	pthread_mutex_lock(&lock);
	if (port_count < PORTS)
		ports[port_count++] = fd;
	pthread_mutex_unlock(&lock);
	return fd;
}

int close(int fd)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < port_count; i++)
		if (ports[i] == fd)
			ports[i--] = ports[--port_count];
	for (size_t i = 0; i < packets_used; i++)
		packets[i].used = packets[i].used && packets[i].fd != fd;
	pthread_mutex_unlock(&lock);
	return NEXT(close)(fd);
}

ssize_t write(int fd, const void *data, size_t bytes)
{
	const struct ib_user_mad_hdr *head = data;
	struct packet *packet = NULL;
	ssize_t rc;

	if (!is_port(fd) || bytes < HEADER + 24 || bytes > PACKET_MOST)
		return NEXT(write)(fd, data, bytes);
	pthread_mutex_lock(&lock);
	if (head->timeout_ms) {
		packet = take_slot(fd, data, bytes);
		packet->timeout = (int64_t)head->timeout_ms * 1000;
		packet->deadline = now() + packet->timeout;
		packet->retries = head->retries;
	}
	if (packet && asks_for_module(packet->data + HEADER)) {
		answer_for_module(packet->data + HEADER);
		packet->arrived = true;
		packet->due = now() + round_trip;
		answered++;
		rc = (ssize_t)bytes;
	} else if (packet && (answer_for_agent(packet) || answer_for_registers(packet))) {
		rc = (ssize_t)bytes;
	} else {
		rc = transmit(packet, fd, data, bytes);
	}
	if (rc < 0 && packet)
		packet->used = false;
	pthread_mutex_unlock(&lock);
	return rc;
}

/* libibumad opens its descriptors O_NONBLOCK. */
ssize_t read(int fd, void *data, size_t bytes)
{
	struct packet *packet;

	if (!is_port(fd))
		return NEXT(read)(fd, data, bytes);
	look(fd);
	pthread_mutex_lock(&lock);
	packet = first_due(fd);
	if (packet) {
		if (bytes > packet->bytes)
			bytes = packet->bytes;
		memcpy(data, packet->data, bytes);
		packet->used = false;
	}
	pthread_mutex_unlock(&lock);
	if (packet)
		return (ssize_t)bytes;
	errno = EAGAIN;
	return -1;
}

/* One round over all descriptors; *ret_next is the time until the next event. */
static int poll_once(struct pollfd *fds, nfds_t count, int64_t *ret_next)
{
	int ready = 0;

	*ret_next = count > 1 ? 1000 : SLICE_MSEC * 1000;
	for (nfds_t i = 0; i < count; i++) {
		int64_t next;

		fds[i].revents = 0;
		if (!is_port(fds[i].fd)) {
			ready += NEXT(poll)(&fds[i], 1, 0) > 0;
			continue;
		}
		next = look(fds[i].fd);
		if (!next)
			fds[i].revents = fds[i].events & POLLIN;
		fds[i].revents |= fds[i].events & POLLOUT;
		ready += fds[i].revents != 0;
		if (next < *ret_next)
			*ret_next = next;
	}
	return ready;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int64_t until = timeout < 0 ? INT64_MAX : now() + (int64_t)timeout * 1000, left, next;
	nfds_t ours = 0;

	while (ours < count && !is_port(fds[ours].fd))
		ours++;
	if (ours == count)
		return NEXT(poll)(fds, count, timeout);
	for (;;) {
		struct pollfd arrival = {.fd = fds[ours].fd, .events = POLLIN};
		int ready = poll_once(fds, count, &next);

		left = until - now();
		if (ready || left <= 0)
			return ready;
		if (left < next)
			next = left;
		/* Also wait for what may arrive before the next event is due. */
		if (next < 1000)
			usleep((useconds_t)next);
		else
			NEXT(poll)(&arrival, 1, (int)(next / 1000));
	}
}
