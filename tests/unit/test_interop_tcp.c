/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete runs of the pingpongs and perftest: our client against our server, with verbs simulated
 * in memory and a TCP connection within this host; and peers that send invalid data. tests/vm has
 * the programs themselves.
 */
#include "own_side.h"

#include <math.h>
#include <stdio.h>

#include "loopback.h"
#include "selftest/interop/perftest.h"

/* ---- Both sides ---- */

enum { LATENCY = 1, RATE = 2, BOTH = LATENCY | RATE };

/* Whatever the user does not set is the program's default. */
struct program {
	const char *name, *test;
	enum selftest_protocol protocol;
	unsigned int operation;
	bool latency;
	uint64_t bytes, iterations, queue_pairs;
	const char *options; /* in its command, before and after the common options */
	const char *mtu;
	int figures[2];
	unsigned int ways; /* one-way trips of a message per sample */
	const char *summaries[2];
	const char *remarks[2];
};

#define VERSION "the peer has perftest 6.06"
#define UNCHECKED                                                                   \
	{                                                                           \
		NULL, "the client sends other data, which were sent back unchecked" \
	}

static const struct program programs[] = {
	{"ibv_rc_pingpong",
	 "pingpong",
	 PROTOCOL_PINGPONG,
	 0,
	 false,
	 4096,
	 1000,
	 0,
	 "-g INDEX",
	 " -m 1024",
	 {BOTH, BOTH},
	 2,
	 {"messages to an ibv_rc_pingpong server and back",
	  "messages from an ibv_rc_pingpong client and replies to it"},
	 UNCHECKED},
	{"ibv_uc_pingpong",
	 "uc-pingpong",
	 PROTOCOL_UC_PINGPONG,
	 0,
	 false,
	 4096,
	 1000,
	 0,
	 "-g INDEX",
	 " -m 1024",
	 {BOTH, BOTH},
	 2,
	 {"messages to an ibv_uc_pingpong server and back",
	  "messages from an ibv_uc_pingpong client and replies to it"},
	 UNCHECKED},
	{"ibv_ud_pingpong",
	 "ud-pingpong",
	 PROTOCOL_UD_PINGPONG,
	 0,
	 false,
	 1024,
	 1000,
	 0,
	 "-g INDEX",
	 "",
	 {BOTH, BOTH},
	 2,
	 {"datagrams to an ibv_ud_pingpong server and back",
	  "datagrams from an ibv_ud_pingpong client and replies to it"},
	 UNCHECKED},
	{"ibv_srq_pingpong",
	 "srq-pingpong",
	 PROTOCOL_SRQ_PINGPONG,
	 0,
	 false,
	 4096,
	 1000,
	 16,
	 "-g INDEX",
	 " -m 1024",
	 {BOTH, BOTH},
	 0,
	 {"messages to an ibv_srq_pingpong server and back, on several queue pairs at once",
	  "messages from an ibv_srq_pingpong client and replies to it, on several queue pairs at "
	  "once"},
	 {NULL, NULL}},
	{"ib_send_bw",
	 "ib_send_bw",
	 PROTOCOL_PERFTEST,
	 SELFTEST_SEND,
	 false,
	 65536,
	 1000,
	 0,
	 "-x INDEX",
	 " -m 1024",
	 {RATE, RATE},
	 0,
	 {"messages to an ib_send_bw server, bandwidth",
	  "messages of an ib_send_bw client, bandwidth"},
	 {VERSION, VERSION}},
	{"ib_write_bw",
	 "ib_write_bw",
	 PROTOCOL_PERFTEST,
	 0, /* the default */
	 false,
	 65536,
	 5000,
	 0,
	 "-x INDEX",
	 " -m 1024",
	 {RATE, RATE},
	 0,
	 {"writes into the memory of an ib_write_bw server, bandwidth",
	  "writes of an ib_write_bw client, which measures them"},
	 {VERSION, VERSION "; measured by its client"}},
	{"ib_read_bw",
	 "ib_read_bw",
	 PROTOCOL_PERFTEST,
	 SELFTEST_READ,
	 false,
	 65536,
	 1000,
	 0,
	 "-x INDEX",
	 " -m 1024",
	 {RATE, RATE},
	 0,
	 {"reads of the memory of an ib_read_bw server, bandwidth",
	  "reads of an ib_read_bw client, which measures them"},
	 {VERSION, VERSION "; measured by its client"}},
	{"ib_send_lat",
	 "ib_send_lat",
	 PROTOCOL_PERFTEST,
	 SELFTEST_SEND,
	 true,
	 2,
	 1000,
	 0,
	 "-x INDEX",
	 " -m 1024",
	 {BOTH, BOTH},
	 2,
	 {"messages to an ib_send_lat server and back, latency",
	  "messages of an ib_send_lat client and back, latency"},
	 {VERSION, VERSION}},
	{"ib_write_lat",
	 "ib_write_lat",
	 PROTOCOL_PERFTEST,
	 SELFTEST_WRITE,
	 true,
	 2,
	 1000,
	 0,
	 "-x INDEX",
	 " -m 1024",
	 {BOTH, BOTH},
	 2,
	 {"writes to an ib_write_lat server and back, latency",
	  "writes of an ib_write_lat client and back, latency"},
	 {VERSION, VERSION}},
	{"ib_read_lat",
	 "ib_read_lat",
	 PROTOCOL_PERFTEST,
	 SELFTEST_READ,
	 true,
	 2,
	 1000,
	 0,
	 "-x INDEX",
	 " -m 1024",
	 {BOTH, 0},
	 1,
	 {"reads of the memory of an ib_read_lat server, latency",
	  "reads of an ib_read_lat client, which measures them"},
	 {VERSION, VERSION "; only its client knows the result"}},
};

enum { RC, UC, UD, SRQ, SEND_BW, WRITE_BW };

static struct bed {
	const struct program *program;
	struct selftest_request requests[2]; /* for the client and the server */
	struct selftest_results results[2];
	char said[4][512]; /* lines of the server */
	int lines, waits;  /* written when the server waits or has ended */
	int signals;	   /* ends the server */
	int status[2];
	pthread_t thread;
} bed;

static void run_side(unsigned int side)
{
	own_side = side;
	bed.status[side] = interop_run(bed.program->protocol, &bed.requests[side],
				       &soft.ports[side].endpoint, &bed.results[side]);
}

static void say(void *context, const char *text)
{
	(void)context;
	if (bed.lines < 4)
		snprintf(bed.said[bed.lines], sizeof(bed.said[0]), "%s", text);
	bed.lines++;
	eventfd_write(bed.waits, 1);
}

static void *serve(void *context)
{
	(void)context;
	run_side(1);
	eventfd_write(bed.waits, 1);
	return NULL;
}

static void begin(size_t which)
{
	const struct program *program = &programs[which];
	const uint32_t port = loopback_free_port();
	struct ip_address here;

	assert_int_equal(ip_parse("127.0.0.1", &here), 0);
	/* A failed test may have left state behind. */
	soft.next_qpn = 0;
	soft.lenient = soft.calls = 0;
	soft.spoil = NULL;
	soft.damage = NULL;
	soft_make_port(0);
	soft_make_port(1);
	bed = (struct bed){
		.program = program,
		.waits = eventfd(0, EFD_CLOEXEC),
		.signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	bed.requests[0] = (struct selftest_request){.peer = "hostb", .signals = -1};
	bed.requests[1] = (struct selftest_request){
		.signals = bed.signals, .server = true, .once = true, .say = say};
	for (unsigned int side = 0; side < 2; side++) {
		bed.requests[side].operations = program->operation;
		bed.requests[side].latency = program->latency;
		bed.requests[side].tcp_port = port;
	}
	bed.requests[0].peer_ip = bed.requests[1].bind = here;
}

/* Starts the server and waits until it listens or has ended. */
static void start_server(void)
{
	eventfd_t one;

	assert_int_equal(pthread_create(&bed.thread, NULL, serve, NULL), 0);
	assert_int_equal(eventfd_read(bed.waits, &one), 0);
}

static void play(void)
{
	start_server();
	run_side(0);
	/* The client may have failed before the server noticed it. */
	if (bed.results[0].items[0]->verdict.value != SELFTEST_PASS)
		eventfd_write(bed.signals, 1);
	pthread_join(bed.thread, NULL);
}

static void end(void)
{
	assert_int_equal(soft.objects, 0);
	for (size_t i = 0; i < SOFT_QPS; i++)
		assert_false(soft.qps[i].used);
	selftest_results_free(&bed.results[0]);
	selftest_results_free(&bed.results[1]);
	close(bed.waits);
	close(bed.signals);
}

/* The rate, bandwidth, latencies and duration of a row agree. */
static void expect_figures(const struct selftest_result *row, unsigned int side, uint64_t bytes,
			   uint64_t iterations)
{
	const int figures = bed.program->figures[side];
	const double rate = row->messages_per_second.value;
	const double gbps = rate * (double)bytes * 8 / 1e9;
	/* A server has one sample less, or does not time its first message. */
	const double timed = (double)(iterations - side);
	const double ways = bed.program->ways ? bed.program->ways : 1;

	assert_int_equal(row->latency_p50_usec.known, !!(figures & LATENCY));
	assert_int_equal(row->messages_per_second.known, !!(figures & RATE));
	assert_int_equal(row->bandwidth_gbps.known, !!(figures & RATE));
	if (!figures)
		return;
	assert_true(fabs(row->bandwidth_gbps.value - gbps) <= 1e-6 * gbps);
	assert_true(rate > 0);
	if (bed.program->protocol == PROTOCOL_SRQ_PINGPONG)
		assert_true((2 * timed) / rate * 1e3 <= row->duration_msec.value);
	else
		assert_true(timed * ways / rate * 1e3 <= row->duration_msec.value * 1.0001);
	if (!(figures & LATENCY))
		return;
	assert_true(row->latency_min_usec.value > 0);
	assert_true(row->latency_min_usec.value <= row->latency_p50_usec.value);
	assert_true(row->latency_p50_usec.value <= row->latency_max_usec.value);
	if (bed.program->protocol == PROTOCOL_SRQ_PINGPONG)
		return;
	/* The mean latency lies between minimum and maximum. */
	assert_true(1e6 / rate >= row->latency_min_usec.value * 0.999);
	assert_true(1e6 / rate <= row->latency_max_usec.value * 1.001);
}

static void expect_text(const char *what, const char *got, const char *wanted)
{
	if (!got != !wanted || (got && strcmp(got, wanted)))
		fail_msg("%s, %s: '%s' instead of '%s'", bed.program->name, what,
			 got ? got : "nothing", wanted ? wanted : "nothing");
}

/* A server of reads learns neither their number nor their size. */
static bool is_unseen(unsigned int side)
{
	return side == 1 && !strcmp(bed.program->test, "ib_read_lat");
}

static void expect_pass(unsigned int side, size_t at, uint64_t bytes, uint64_t iterations)
{
	const struct selftest_result *row = bed.results[side].items[at];
	const struct gid *gid = &soft.ports[!side].endpoint.gid;

	if (row->verdict.value != SELFTEST_PASS)
		fail_msg("%s, side %u: %s", bed.program->name, side, row->reason);
	expect_text("test", row->test, bed.program->test);
	expect_text("summary", row->summary, bed.program->summaries[side]);
	expect_text("peer", row->peer, side ? "127.0.0.1" : "hostb");
	/* Whether the last acknowledgements arrive depends on timing. */
	if (bed.program->protocol != PROTOCOL_SRQ_PINGPONG)
		expect_text("remark", row->reason, bed.program->remarks[side]);
	assert_true(row->peer_gid.known);
	assert_memory_equal(row->peer_gid.gid.raw, gid->raw, sizeof(gid->raw));
	assert_int_equal(row->connection.value, CONNECTION_EXCHANGE);
	assert_int_equal(row->group.value, SELFTEST_INTEROP);
	assert_int_equal(row->size_bytes.known, !is_unseen(side));
	assert_int_equal(row->size_bytes.value, is_unseen(side) ? 0 : bytes);
	assert_int_equal(row->iterations.known, !is_unseen(side));
	assert_int_equal(row->iterations.value, is_unseen(side) ? 0 : iterations);
	assert_int_equal(row->queue_pairs.known, bed.program->queue_pairs != 0);
	assert_true(row->rate_gbps.known && row->rate_gbps.value == 100);
	expect_figures(row, side, bytes, iterations);
}

#define ADVICE                                                                                  \
	"(rdmactl gids --to 10.9.0.2 there shows DEV and INDEX; add -i PORT unless that is 1; " \
	"without rdmactl: ibv_devinfo "                                                         \
	"-v, the index of an IPv4 GID of RoCE v2)"

static void expect_said(uint64_t bytes, uint64_t iterations)
{
	const struct program *program = bed.program;
	char *wanted = mem_format(
		"waiting for %s on TCP port %u; on the other host: %s -d DEV %s -p %u%s -s %u -n "
		"%u%s 127.0.0.1 " ADVICE,
		program->name, bed.requests[1].tcp_port, program->name, program->options,
		bed.requests[1].tcp_port, program->queue_pairs ? " -q 16" : "", (unsigned int)bytes,
		(unsigned int)iterations, program->mtu);

	expect_text("waiting", bed.said[0], wanted);
	free(wanted);
	wanted = is_unseen(1)
			 ? mem_format("127.0.0.1: %s: pass: %s", program->test,
				      bed.results[1].items[0]->reason)
			 : mem_format("127.0.0.1: %s: pass: %u iterations of %u bytes",
				      program->test, (unsigned int)iterations, (unsigned int)bytes);
	if (program->figures[1] & LATENCY)
		mem_extend(&wanted, ", median ");
	else
		expect_text("end", bed.said[1], wanted);
	if (strncmp(bed.said[1], wanted, strlen(wanted)))
		fail_msg("'%s' does not begin '%s'", bed.said[1], wanted);
	free(wanted);
	assert_int_equal(bed.lines, 2);
}

static void usual(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct program *program = &programs[i];

		begin(i);
		play();
		for (unsigned int side = 0; side < 2; side++) {
			assert_int_equal(bed.results[side].count, 1);
			assert_int_equal(bed.status[side], 0);
			expect_pass(side, 0, program->bytes, program->iterations);
			assert_int_equal(bed.results[side].items[0]->queue_pairs.value,
					 program->queue_pairs);
		}
		expect_said(program->bytes, program->iterations);
		/* The server's row has the rate that the client measured and reported. */
		if (i == WRITE_BW)
			assert_true(
				fabs(bed.results[0].items[0]->messages_per_second.value /
					     bed.results[1].items[0]->messages_per_second.value -
				     1) < 1e-5);
		end();
	}
}

/* The user's settings count. Clients follow one another until a signal ends the server. */
static void chosen(void **state)
{
	static const uint64_t iterations[] = {1, 2, 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		/* perftest requires at least 5 iterations. */
		const uint64_t count = iterations[i % 3] + (programs[i].operation ? 4 : 0);

		begin(i);
		bed.requests[1].once = false;
		for (unsigned int side = 0; side < 2; side++) {
			bed.requests[side].sizes[0] = 48;
			bed.requests[side].iterations = count;
			bed.requests[side].queue_pairs = 3;
		}
		start_server();
		for (int k = 0; k < 2; k++)
			run_side(0);
		/* The second row exists once its line was printed. */
		while (bed.lines < 3)
			usleep(1000);
		eventfd_write(bed.signals, 1);
		pthread_join(bed.thread, NULL);
		assert_int_equal(bed.status[0], 0);
		assert_int_equal(bed.status[1], -EINTR);
		assert_int_equal(bed.results[0].count, 2);
		assert_int_equal(bed.results[1].count, 2);
		for (unsigned int row = 0; row < 4; row++) {
			const struct selftest_result *of = bed.results[row % 2].items[row / 2];

			assert_int_equal(of->verdict.value, SELFTEST_PASS);
			assert_int_equal(of->size_bytes.value, is_unseen(row % 2) ? 0 : 48);
			assert_int_equal(of->iterations.value, is_unseen(row % 2) ? 0 : count);
			assert_int_equal(of->queue_pairs.value, programs[i].queue_pairs ? 3 : 0);
		}
		end();
	}
}

/* ---- Peers that send invalid data ---- */

/* Bytes that a peer sends before it falls silent. */
struct script {
	char bytes[16384];
	size_t length;
	int listener;
};

static void put(struct script *script, const void *bytes, size_t length)
{
	assert_true(script->length + length <= sizeof(script->bytes));
	memcpy(script->bytes + script->length, bytes, length);
	script->length += length;
}

static void tell(const struct script *script, int fd)
{
	char unread[4096];

	send(fd, script->bytes, script->length, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	while (recv(fd, unread, sizeof(unread), 0) > 0)
		;
	close(fd);
}

static void *answer(void *context)
{
	const struct script *script = context;

	tell(script, accept(script->listener, NULL, NULL));
	return NULL;
}

static const struct selftest_result *failed_row(unsigned int side, const char *reason)
{
	const struct selftest_result *row;

	assert_int_equal(bed.results[side].count, 1);
	row = bed.results[side].items[0];
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	expect_text("reason", row->reason, reason);
	return row;
}

/* Expects the client's reason and next step for a server with this script. */
static void expect_of_client(struct script *script, const char *reason, const char *step)
{
	const struct selftest_result *row;
	pthread_t thread;

	script->listener = loopback_socket(&bed.requests[0].tcp_port);
	assert_int_equal(listen(script->listener, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer, script), 0);
	run_side(0);
	pthread_join(thread, NULL);
	close(script->listener);
	row = failed_row(0, reason);
	if (strncmp(row->next_step, step, strlen(step)))
		fail_msg("'%s' does not begin '%s'", row->next_step, step);
	end();
	script->length = 0;
}

/* Expects the server's reason for a client with this script. */
static void expect_of_server(struct script *script, const char *reason)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct selftest_result *row;

	start_server();
	address.sin_port = htons((uint16_t)bed.requests[1].tcp_port);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	tell(script, fd);
	pthread_join(bed.thread, NULL);
	row = failed_row(1, reason);
	assert_int_equal(strncmp(row->next_step, "run on the other host: ib", 25), 0);
	assert_string_equal(row->peer, "127.0.0.1");
	end();
	script->length = 0;
}

static struct pingpong_address address_of(unsigned int side)
{
	return (struct pingpong_address){
		.qpn = 0x77, .psn = 5, .gid = soft.ports[side].endpoint.gid};
}

static void put_address(struct script *script, const struct pingpong_address *address)
{
	char line[PINGPONG_LINE_BYTES] = "";

	pingpong_format(address, line);
	put(script, line, sizeof(line));
}

static void put_addresses(struct script *script, size_t count)
{
	static char lines[PINGPONG_LINES * PINGPONG_LINE_BYTES];
	struct pingpong_address addresses[PINGPONG_LINES];

	memset(lines, 0, sizeof(lines));
	for (size_t i = 0; i < count; i++)
		addresses[i] = address_of(0);
	pingpong_format_list(addresses, count, lines);
	put(script, lines, sizeof(lines));
}

#define NO_GID " was started without -g: RoCE needs a GID"
#define OTHER_FAMILY                                                       \
	"GIDs of different families cannot talk to each other: hostb has " \
	"fd00:0000:0000:0000:0000:0000:0000:0002, but GID index 3 here is IPv4"

static void server_that_closes(void **state)
{
	static struct script script;

	(void)state;
	begin(RC);
	expect_of_client(&script,
			 "hostb closed the connection instead of sending its address: its "
			 "ibv_rc_pingpong may be unable to connect to this side, for example "
			 "without -g, or with a GID of another type or family",
			 "run on the other host: ibv_rc_pingpong -d DEV -g INDEX -p ");
}

static bool cuts_done; /* the connection ends before the client's last line */

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
	if (cuts_done && length == sizeof(PINGPONG_DONE) &&
	    memcmp(bytes, PINGPONG_DONE, length) == 0) {
		errno = EPIPE;
		return -1;
	}
	return sendto(fd, bytes, length, flags, NULL, 0);
}

/* Its address came, so it cannot be what was missing. */
static void server_that_closes_later(void **state)
{
	static struct script script;
	struct pingpong_address address;

	(void)state;
	begin(RC);
	address = address_of(1);
	put_address(&script, &address);
	cuts_done = true;
	expect_of_client(&script,
			 "hostb closed the connection: its ibv_rc_pingpong ended, and its output "
			 "there says why",
			 "run on the other host: ibv_rc_pingpong -d DEV -g INDEX -p ");
	cuts_done = false;
}

static void no_address(void **state)
{
	static struct script script;
	struct pingpong_address address;

	(void)state;
	begin(RC);
	address = address_of(1);
	memset(&address.gid, 0, sizeof(address.gid));
	put_address(&script, &address);
	expect_of_client(&script, "the ibv_rc_pingpong on hostb" NO_GID,
			 "run on the other host: ibv_rc_pingpong");
	begin(UD);
	address = address_of(0);
	memset(&address.gid, 0, sizeof(address.gid));
	put_address(&script, &address);
	expect_of_server(&script, "the ibv_ud_pingpong on 127.0.0.1" NO_GID);
	begin(UD);
	soft.ports[0].endpoint.gid_index = 3;
	address = address_of(1);
	memset(&address.gid, 0, sizeof(address.gid));
	address.gid.raw[0] = 0xfd;
	address.gid.raw[15] = 2;
	put_address(&script, &address);
	expect_of_client(&script, OTHER_FAMILY, "run on the other host: ibv_ud_pingpong");
}

static void wrong_clients_of_pingpong(void **state)
{
	static const char early[] = "127.0.0.1 closed the connection before the addresses were "
				    "exchanged";
	static struct script script;
	struct pingpong_address address;

	(void)state;
	begin(RC);
	expect_of_server(&script, early);
	begin(RC);
	for (size_t i = 0; i < PINGPONG_LINE_BYTES; i++)
		put(&script, "z", 1);
	expect_of_server(&script, "the program that connected from 127.0.0.1 is not "
				  "ibv_rc_pingpong: its first bytes are not an address");
	/* The client closes, or sends something else, instead of its last word. */
	begin(RC);
	address = address_of(0);
	put_address(&script, &address);
	expect_of_server(&script, early);
	begin(UC);
	address = address_of(0);
	put_address(&script, &address);
	put(&script, "dont", sizeof(PINGPONG_DONE));
	expect_of_server(&script, "the program that connected from 127.0.0.1 is not "
				  "ibv_uc_pingpong: its first bytes are not an address");
}

static void wrong_numbers_of_queue_pairs(void **state)
{
	static struct script script;

	(void)state;
	begin(SRQ);
	bed.requests[0].queue_pairs = 2;
	put_addresses(&script, 3);
	expect_of_client(&script,
			 "the ibv_srq_pingpong on hostb has 3 queue pairs, and both sides need the "
			 "same number",
			 "run on the other host: ibv_srq_pingpong -d DEV -g INDEX -p ");
	begin(SRQ);
	put_addresses(&script, PINGPONG_MOST_QPS + 1);
	expect_of_server(&script, "the ibv_srq_pingpong on 127.0.0.1 has more than 255 queue "
				  "pairs, the limit of this side");
}

/* ---- perftest ---- */

static void put_version(struct script *script, const char *text)
{
	char version[PERFTEST_VERSION_BYTES] = "";

	snprintf(version, sizeof(version), "%s", text);
	put(script, version, sizeof(version));
}

static void put_number(struct script *script, uint32_t number)
{
	number = htonl(number);
	put(script, &number, sizeof(number));
}

/* Everything before the keys. */
static void put_sizes(struct script *script, uint32_t cycle, const char *mtu)
{
	put_version(script, "6.06");
	put_number(script, cycle);
	put_number(script, 64);
	put(script, mtu, PERFTEST_MTU_BYTES);
}

static void put_keys(struct script *script, const struct perftest_keys *keys, bool with_gid)
{
	char line[PERFTEST_GID_BYTES] = "";

	perftest_format_keys(keys, with_gid, line);
	put(script, line, with_gid ? PERFTEST_GID_BYTES : PERFTEST_LINE_BYTES);
}

#define ENDED	"hostb closed the connection: its ib_write_bw ended, and its output there says why"
#define RESTART "run on the other host: ib_write_bw -d DEV -x INDEX -p "

static void wrong_versions_and_sizes(void **state)
{
	static const struct {
		const char *version;
		uint32_t cycle;
		const char *mtu, *reason, *step;
	} rows[] = {
		{NULL, 0, "", ENDED, RESTART},
		{"5.69", 0, "",
		 "the ib_write_bw on hostb is from perftest 5.69, but this side needs 5.70 or "
		 "later",
		 "install a newer perftest on hostb"},
		{"5.70", 0, "", ENDED, RESTART},
		{"6.06", (16 << 20) + 1, "3", "hostb asks for a cycle buffer of 16777217 bytes",
		 RESTART},
		{"6.06", 16 << 20, "3", ENDED, RESTART},
		{"6.06", 0, "5", ENDED, RESTART},
	};
	static struct script script;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(WRITE_BW);
		if (rows[i].mtu[0])
			put_sizes(&script, rows[i].cycle, rows[i].mtu);
		else if (rows[i].version)
			put_version(&script, rows[i].version);
		expect_of_client(&script, rows[i].reason, rows[i].step);
	}
}

/* Bytes of another protocol: the message also names the port. */
static void other_protocols(void **state)
{
	static const struct {
		size_t program;
		const char *version, *mtu;
	} rows[] = {{RC, NULL, ""}, {WRITE_BW, "x.06", ""}, {WRITE_BW, "6.06", "6"}};
	static struct script script;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pthread_t thread;
		char *reason;

		begin(rows[i].program);
		for (size_t k = 0; !rows[i].version && k < PINGPONG_LINE_BYTES; k++)
			put(&script, "z", 1);
		if (rows[i].mtu[0])
			put_sizes(&script, 4096, rows[i].mtu);
		else if (rows[i].version)
			put_version(&script, rows[i].version);
		script.listener = loopback_socket(&bed.requests[0].tcp_port);
		assert_int_equal(listen(script.listener, 1), 0);
		assert_int_equal(pthread_create(&thread, NULL, answer, &script), 0);
		run_side(0);
		pthread_join(thread, NULL);
		close(script.listener);
		reason = mem_format("the program on TCP port %u of hostb does not speak this "
				    "protocol",
				    bed.requests[0].tcp_port);
		failed_row(0, reason);
		free(reason);
		end();
		script.length = 0;
	}
}

static void wrong_keys(void **state)
{
	static const char several[] =
		"the ib_write_bw on hostb has several queue pairs (-q), but this side has one";
	static struct script script;
	struct perftest_keys keys = {.lid = 1, .reads = 1, .qpn = 0x77, .psn = 5, .rkey = 9};

	(void)state;
	begin(WRITE_BW);
	keys.gid = soft.ports[1].endpoint.gid;
	put_sizes(&script, 4096, "3");
	for (size_t i = 0; i < PERFTEST_GID_BYTES; i++)
		put(&script, "z", 1);
	expect_of_client(&script,
			 "the queue pair data from hostb is not an address with a GID, as "
			 "ib_write_bw sends on RoCE",
			 "another program of perftest may run there, or one with other options: "
			 "run on the other host: ib_write_bw");
	begin(WRITE_BW);
	soft.ports[0].endpoint.link_layer = LINK_LAYER_INFINIBAND;
	put_sizes(&script, 4096, "3");
	for (size_t i = 0; i < PERFTEST_LINE_BYTES; i++)
		put(&script, "z", 1);
	expect_of_client(&script,
			 "the queue pair data from hostb is not an address without a GID, as "
			 "ib_write_bw sends",
			 "omit -x on InfiniBand: run on the other host: ib_write_bw -d DEV -p ");
	for (int i = 0; i < 4; i++) {
		struct perftest_keys next = keys;

		begin(WRITE_BW);
		next.qpn += i == 0;
		next.psn += i == 1;
		next.lid += i == 2;
		/* Another rkey does not mean another queue pair. */
		next.rkey += i == 3;
		put_sizes(&script, 4096, "3");
		put_keys(&script, &keys, true);
		put_keys(&script, &next, true);
		expect_of_client(&script, i == 3 ? ENDED : several, RESTART);
	}
	begin(WRITE_BW);
	memset(&keys.gid, 0, sizeof(keys.gid));
	put_sizes(&script, 4096, "3");
	put_keys(&script, &keys, true);
	expect_of_client(&script, "the ib_write_bw on hostb" NO_GID, RESTART);
}

/* ---- What each side says, and when ---- */

enum { READ_BW = 6, SEND_LAT, WRITE_LAT, READ_LAT };

/* The steps before the test, and after it for a server that takes no part in it: perftest.h. */
static const struct {
	size_t program, keys, behind;
	size_t lengths[7];
	const char *remark;
	uint64_t bytes, iterations;
	bool rate;
} talks[] = {
	{SEND_BW, 4, 0, {0}, NULL, 0, 0, false},
	{WRITE_BW, 3, 7, {108, 8, 8, 8, 8, 8, 108}, "measured by its client", 48, 7, true},
	{READ_BW, 3, 7, {108, 8, 8, 8, 8, 8, 108}, "measured by its client", 48, 7, true},
	{SEND_LAT, 4, 0, {0}, NULL, 0, 0, false},
	{WRITE_LAT, 4, 0, {0}, NULL, 0, 0, false},
	{READ_LAT, 4, 1, {108}, "only its client knows the result", 0, 0, false},
};

/* The lengths of the version, the cycle, its lines and the MTU. */
static const size_t first_steps[] = {16, 4, 4, 2};

static size_t length_of(size_t talk, size_t step)
{
	if (step < 4)
		return first_steps[step];
	return step < 4 + talks[talk].keys ? 108 : talks[talk].lengths[step - 4 - talks[talk].keys];
}

static size_t length_to(size_t talk, size_t steps)
{
	size_t length = 0;

	for (size_t i = 0; i < steps; i++)
		length += length_of(talk, i);
	return length;
}

static struct perftest_keys peer_keys(unsigned int side)
{
	return (struct perftest_keys){.lid = 1,
				      .reads = 1,
				      .qpn = 0x77,
				      .psn = 5,
				      .rkey = 9,
				      .address = 4096,
				      .gid = soft.ports[side].endpoint.gid};
}

/* All steps of a peer; from step `other` on they name another queue pair. */
static void put_talk(struct script *script, size_t talk, unsigned int side, size_t other)
{
	uint64_t report[PERFTEST_REPORT_ITEMS];
	const size_t steps = 4 + talks[talk].keys + talks[talk].behind;
	struct perftest_keys keys = peer_keys(side);

	perftest_format_report(48, 7, 2, report);
	put_sizes(script, 4096, "3");
	for (size_t i = 4, k = 0; i < steps; i++) {
		keys.qpn = i >= other ? 0x78 : 0x77;
		if (length_of(talk, i) == 108)
			put_keys(script, &keys, true);
		else
			put(script, &report[k++], 8);
	}
	assert_int_equal(script->length, length_to(talk, steps));
}

static char heard[4096];
static size_t heard_length;

/* Sends the first `length` bytes of the script, and reads until the other side closes. */
static void say_first(const struct script *script, size_t length, int fd)
{
	ssize_t got;

	heard_length = 0;
	assert_int_equal(send(fd, script->bytes, length, MSG_NOSIGNAL), length);
	shutdown(fd, SHUT_WR);
	while ((got = recv(fd, heard + heard_length, sizeof(heard) - heard_length, 0)) > 0)
		heard_length += (size_t)got;
	close(fd);
}

static void say_to_server(const struct script *script, size_t length)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	start_server();
	address.sin_port = htons((uint16_t)bed.requests[1].tcp_port);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	say_first(script, length, fd);
	pthread_join(bed.thread, NULL);
	assert_int_equal(bed.results[1].count, 1);
}

static void *say_to_client(void *context)
{
	const struct script *script = context;

	say_first(script, script->length, accept(script->listener, NULL, NULL));
	return NULL;
}

/* What this program's side has sent: all lines of keys are equal. */
static void expect_heard(size_t talk, unsigned int side, size_t steps)
{
	static const char first[] = "6.06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\x40"
				    "3";
	static const char zeros[8];
	const bool reads = talks[talk].program == READ_BW || talks[talk].program == READ_LAT;
	const char *line = heard + sizeof(first);
	struct perftest_keys keys;

	if (heard_length < length_to(talk, steps))
		fail_msg("%s, side %u: %zu bytes in %zu steps", bed.program->name, side,
			 heard_length, steps);
	assert_memory_equal(heard, first, steps < 4 ? length_to(talk, steps) : sizeof(first));
	for (size_t i = 4, at = sizeof(first); i < steps; at += length_of(talk, i++)) {
		const bool has_keys = length_of(talk, i) == 108;

		assert_memory_equal(heard + at, has_keys ? line : zeros, has_keys ? 108 : 8);
	}
	if (steps <= 4)
		return;
	assert_int_equal(perftest_parse_keys(line, true, &keys), 0);
	assert_int_equal(keys.lid, 0);
	assert_int_equal(keys.reads, reads ? 16 : 1);
	assert_int_equal(keys.qpn, 0x101);
	assert_true(keys.address != 0 && keys.rkey != 0);
	assert_memory_equal(keys.gid.raw, soft.ports[side].endpoint.gid.raw, 16);
}

/* A server sends as many steps as it has received, and not a byte more. */
static void server_answers(void **state)
{
	static struct script script;

	(void)state;
	for (size_t talk = 0; talk < ARRAY_SIZE(talks); talk++) {
		const size_t steps = 4 + talks[talk].keys + talks[talk].behind;

		for (size_t i = 0; i < steps; i++) {
			begin(talks[talk].program);
			script.length = 0;
			put_talk(&script, talk, 0, SIZE_MAX);
			say_to_server(&script, length_to(talk, i));
			expect_heard(talk, 1, i);
			assert_int_equal(heard_length, length_to(talk, i));
			assert_int_equal(bed.results[1].items[0]->verdict.value, SELFTEST_FAIL);
			end();
		}
	}
}

/* The server sends its last word without waiting for an answer. */
static void server_that_waits(void **state)
{
	static struct script script;

	(void)state;
	for (size_t talk = 0; talk < ARRAY_SIZE(talks); talk++) {
		const size_t steps = 4 + talks[talk].keys + talks[talk].behind;
		const struct selftest_result *row;
		char *remark;

		if (!talks[talk].behind)
			continue;
		begin(talks[talk].program);
		script.length = 0;
		put_talk(&script, talk, 0, SIZE_MAX);
		say_to_server(&script, script.length);
		expect_heard(talk, 1, steps);
		assert_int_equal(heard_length, length_to(talk, steps) + 5);
		assert_memory_equal(heard + length_to(talk, steps), "done", 5);
		row = bed.results[1].items[0];
		assert_int_equal(row->verdict.value, SELFTEST_PASS);
		remark = mem_format("%s; %s", VERSION, talks[talk].remark);
		expect_text("remark", row->reason, remark);
		free(remark);
		assert_int_equal(row->size_bytes.known, talks[talk].bytes != 0);
		assert_int_equal(row->size_bytes.value, talks[talk].bytes);
		assert_int_equal(row->iterations.known, talks[talk].iterations != 0);
		assert_int_equal(row->iterations.value, talks[talk].iterations);
		assert_int_equal(row->messages_per_second.known, talks[talk].rate);
		if (talks[talk].rate)
			assert_true(fabs(row->messages_per_second.value - 2e6) < 2);
		end();
	}
}

/* A client sends one step more than it has received. */
static void client_begins(void **state)
{
	static struct script script;

	(void)state;
	for (size_t talk = 0; talk < ARRAY_SIZE(talks); talk++)
		for (size_t i = 0; i < 4 + talks[talk].keys; i++) {
			pthread_t thread;

			begin(talks[talk].program);
			script.length = 0;
			put_talk(&script, talk, 1, SIZE_MAX);
			script.length = length_to(talk, i);
			script.listener = loopback_socket(&bed.requests[0].tcp_port);
			assert_int_equal(listen(script.listener, 1), 0);
			assert_int_equal(pthread_create(&thread, NULL, say_to_client, &script), 0);
			run_side(0);
			pthread_join(thread, NULL);
			close(script.listener);
			expect_heard(talk, 0, i + 1);
			assert_int_equal(heard_length, length_to(talk, i + 1));
			assert_int_equal(bed.results[0].items[0]->verdict.value, SELFTEST_FAIL);
			end();
		}
}

/* Another queue pair in any line but the first means several of them, also after the test. */
static void other_keys(void **state)
{
	static struct script script;

	(void)state;
	for (size_t talk = 0; talk < ARRAY_SIZE(talks); talk++)
		for (size_t i = 5; i < 4 + talks[talk].keys + talks[talk].behind; i++) {
			char *reason;

			if (length_of(talk, i) != 108)
				continue;
			begin(talks[talk].program);
			script.length = 0;
			put_talk(&script, talk, 0, i);
			reason = mem_format("the %s on 127.0.0.1 has several queue pairs (-q), but "
					    "this side has one",
					    bed.program->name);
			expect_of_server(&script, reason);
			free(reason);
		}
}

/* ---- Problems known before connecting ---- */

static void not_possible(void **state)
{
	static const struct {
		size_t program;
		uint64_t bytes, iterations;
		bool iwarp;
		uint32_t mtu_bytes;
		const char *reason, *step;
	} rows[] = {
		{RC, 0, 0, true, 1024,
		 "only rdma_cm can connect iWARP queue pairs, and ibv_rc_pingpong does not use it "
		 "on this side",
		 "rping uses rdma_cm: try --proto rping"},
		{SEND_BW, 0, 0, true, 1024,
		 "only rdma_cm can connect iWARP queue pairs, and ib_send_bw does not use it on "
		 "this side",
		 "rping uses rdma_cm: try --proto rping"},
		{UD, 1025, 0, false, 1024, "messages of 1025 bytes: the test goes up to 1024",
		 "give a smaller size"},
		{UD, (64 << 20) + 1, 0, false, 0,
		 "messages of 67108865 bytes: the test goes up to 67108864", "give a smaller size"},
		{RC, (64 << 20) + 1, 0, false, 1024,
		 "messages of 67108865 bytes: the test goes up to 67108864", "give a smaller size"},
		{SRQ, (64 << 20) / 255 + 1, 0, false, 1024,
		 "messages of 263173 bytes: the test goes up to 263172", "give a smaller size"},
		{WRITE_BW, (64 << 20) + 1, 0, false, 1024,
		 "messages of 67108865 bytes: the test goes up to 67108864", "give a smaller size"},
		{READ_LAT, 0, 4, false, 1024, "4 iterations: ib_read_lat accepts no less than 5",
		 "give more iterations"},
		{RC, 0, UINT64_C(1) << 31, false, 1024,
		 "2147483648 iterations: ibv_rc_pingpong counts up to 2147483647",
		 "give fewer iterations"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const size_t at = i / 2, side = i % 2;
		const struct selftest_result *row;

		begin(rows[at].program);
		soft.ports[side].endpoint.mtu_bytes = rows[at].mtu_bytes;
		if (rows[at].iwarp)
			soft.ports[side].endpoint.transport = TRANSPORT_IWARP;
		bed.requests[side].sizes[0] = rows[at].bytes;
		bed.requests[side].iterations = rows[at].iterations;
		run_side((unsigned int)side);
		assert_int_equal(bed.status[side], 0);
		row = failed_row((unsigned int)side, rows[at].reason);
		expect_text("next step", row->next_step, rows[at].step);
		/* A server has no client yet, and logs the failure. */
		expect_text("peer", row->peer, side ? NULL : "hostb");
		if (side) {
			char *line = mem_format("server: %s: fail: %s; %s",
						programs[rows[at].program].test, rows[at].reason,
						rows[at].step);

			expect_text("line", bed.said[0], line);
			free(line);
		}
		end();
	}
}

/* The largest MTU that the port, the user and the program allow, as the command prints it. */
static void path_mtu(void **state)
{
	static const struct {
		size_t program;
		uint32_t wanted, active, got;
	} rows[] = {
		{RC, 0, 4096, 1024},	    {RC, 0, 512, 512},	    {RC, 0, 0, 1024},
		{WRITE_BW, 0, 4096, 4096},  {WRITE_BW, 0, 0, 1024}, {WRITE_BW, 0, 8192, 4096},
		{RC, 2048, 4096, 2048},	    {RC, 2048, 1024, 1024}, {RC, 2048, 0, 2048},
		{RC, 3000, 0, 2048},	    {RC, 256, 4096, 256},   {RC, 100, 4096, 256},
		{WRITE_BW, 512, 1024, 512},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		char *reason, *option = mem_format(" -m %u (", rows[i].got);

		begin(rows[i].program);
		soft.ports[0].endpoint.mtu_bytes = rows[i].active;
		bed.requests[0].mtu_bytes = rows[i].wanted;
		run_side(0);
		reason = mem_format("hostb refused the connection: nothing listens on its TCP "
				    "port %u, or a firewall rejects it",
				    bed.requests[0].tcp_port);
		row = failed_row(0, reason);
		assert_non_null(strstr(row->next_step, "; if not, start there: ib"));
		if (!strstr(row->next_step, option))
			fail_msg("'%s' does not have '%s'", row->next_step, option);
		free(option);
		free(reason);
		end();
	}
}

/* The programs listen on IPv4 addresses. */
static void refused_by_ipv6(void **state)
{
	const struct sockaddr_in6 loopback = {.sin6_family = AF_INET6,
					      .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *reason;

	(void)state;
	if (fd < 0 || bind(fd, (const struct sockaddr *)&loopback, sizeof(loopback)))
		skip();
	close(fd);
	begin(RC);
	assert_int_equal(ip_parse("::1", &bed.requests[0].peer_ip), 0);
	run_side(0);
	reason = mem_format("hostb refused the connection: nothing listens on TCP port %u of that "
			    "IPv6 address",
			    bed.requests[0].tcp_port);
	failed_row(0, reason);
	free(reason);
	end();
}

static void cannot_listen(void **state)
{
	const struct selftest_result *row;
	char *reason;
	int fd;

	(void)state;
	begin(RC);
	fd = loopback_socket(&bed.requests[1].tcp_port);
	assert_int_equal(listen(fd, 1), 0);
	run_side(1);
	reason = mem_format("cannot listen on TCP port %u: %s", bed.requests[1].tcp_port,
			    strerror(EADDRINUSE));
	row = failed_row(1, reason);
	expect_text("next step", row->next_step,
		    "choose another --port: ss -ltnp lists the programs");
	free(reason);
	close(fd);
	end();
	begin(SEND_BW);
	/* RFC 5737: reserved for documentation. */
	assert_int_equal(ip_parse("192.0.2.1", &bed.requests[1].bind), 0);
	run_side(1);
	reason = mem_format("cannot listen on TCP port %u: %s", bed.requests[1].tcp_port,
			    strerror(EADDRNOTAVAIL));
	row = failed_row(1, reason);
	expect_text("next step", row->next_step, "ip addr shows the addresses of this host");
	free(reason);
	end();
}

/* No client came, so there is nothing to report. */
static void interrupted(void **state)
{
	(void)state;
	for (size_t i = RC; i <= SEND_BW; i += SEND_BW - RC) {
		begin(i);
		start_server();
		eventfd_write(bed.signals, 1);
		pthread_join(bed.thread, NULL);
		assert_int_equal(bed.status[1], -EINTR);
		assert_int_equal(bed.results[1].count, 0);
		end();
	}
}

/* A client that the user ends has not failed, so that the exit status says that it was ended. */
static void interrupted_client(void **state)
{
	const struct selftest_result *row;
	int listener;

	(void)state;
	begin(RC);
	bed.requests[0].signals = bed.signals;
	listener = loopback_socket(&bed.requests[0].tcp_port);
	assert_int_equal(listen(listener, 1), 0);
	eventfd_write(bed.signals, 1);
	run_side(0);
	close(listener);
	assert_int_equal(bed.status[0], -EINTR);
	assert_int_equal(bed.results[0].count, 1);
	row = bed.results[0].items[0];
	assert_int_equal(row->verdict.value, SELFTEST_SKIP);
	assert_string_equal(row->reason, "interrupted before the test was done");
	assert_null(row->next_step);
	end();
}

/* On InfiniBand the LID is the address, and the GID only identifies the subnet. */
static void infiniband(void **state)
{
	const struct gid none = {.raw = {0}}, own = {.raw = {0xfe, 0x80, [15] = 1}};
	const struct gid other = {.raw = {0xfe, 0x80, [15] = 2}};
	const struct endpoint local = {.link_layer = LINK_LAYER_INFINIBAND, .gid = own};
	struct interop session = {.local = &local};
	struct gid told = interop_own_gid(&session);

	(void)state;
	assert_memory_equal(told.raw, none.raw, sizeof(told.raw));
	assert_int_equal(interop_set_remote(&session, 7, &none), 0);
	assert_int_equal(session.remote.lid, 7);
	/* It is not this port's. */
	assert_memory_equal(session.remote.gid.raw, none.raw, sizeof(none.raw));
	assert_int_equal(interop_set_remote(&session, 8, &other), 0);
	assert_int_equal(session.remote.lid, 8);
	assert_memory_equal(session.remote.gid.raw, other.raw, sizeof(other.raw));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual),
		cmocka_unit_test(chosen),
		cmocka_unit_test(server_that_closes),
		cmocka_unit_test(server_that_closes_later),
		cmocka_unit_test(no_address),
		cmocka_unit_test(wrong_clients_of_pingpong),
		cmocka_unit_test(wrong_numbers_of_queue_pairs),
		cmocka_unit_test(wrong_versions_and_sizes),
		cmocka_unit_test(other_protocols),
		cmocka_unit_test(wrong_keys),
		cmocka_unit_test(server_answers),
		cmocka_unit_test(server_that_waits),
		cmocka_unit_test(client_begins),
		cmocka_unit_test(other_keys),
		cmocka_unit_test(not_possible),
		cmocka_unit_test(path_mtu),
		cmocka_unit_test(refused_by_ipv6),
		cmocka_unit_test(cannot_listen),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(interrupted_client),
		cmocka_unit_test(infiniband),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
