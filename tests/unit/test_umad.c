/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagrams through libibumad, whose functions are replaced here: which port and agent each goes
 * to, each member of an address in both directions, and the meaning of the library's errors. The
 * simulator has neither global routes nor separate ports.
 */
#include "saved_tree.h"

#include <endian.h>

#include <arpa/inet.h>

#include "base/mem.h"
#include "kernel/umad_library.h"

enum { ROOM = 256 };

/* The last arguments of the library's functions, and what they return. */
static struct library {
	int opened, closed[2];
	const char *devices[2];
	int port_numbers[2];
	int port, agent_id, pkey_index, length, timeout_msec, retries;
	int mgmt_class, version, rmpp_version;
	uint8_t oui[3];
	unsigned long methods[16 / sizeof(long)];
	bool with_oui;
	ib_user_mad_t sent;
	/* Results of the functions; errno is set with them, unless `error` is 0. */
	int open_result, register_result, send_result, poll_result, error;
	/* Result of umad_recv() for each port, and the datagram. */
	struct {
		int result, error, length;
		ib_user_mad_t mad;
	} arrivals[2];
} library;

/* Some failures of the library do not set errno. */
static void set_error(int error)
{
	if (error)
		errno = error;
}

static int get_ready(void)
{
	return 0;
}

/* Returns port 100 or 101. */
static int open_one(const char *device, int number)
{
	library.devices[library.opened] = device;
	library.port_numbers[library.opened] = number;
	if (library.open_result < 0 && library.opened == library.port) {
		set_error(library.error);
		return library.open_result;
	}
	return 100 + library.opened++;
}

static int close_one(int port)
{
	assert_in_range(port, 100, 101);
	library.closed[port - 100]++;
	return 0;
}

static size_t header_size(void)
{
	return sizeof(ib_user_mad_t);
}

static ib_mad_addr_t *address_of(void *buffer)
{
	return &((ib_user_mad_t *)buffer)->addr;
}

static int put_pkey(void *buffer, int pkey_index)
{
	((ib_user_mad_t *)buffer)->addr.pkey_index = (uint16_t)pkey_index;
	return 0;
}

static int get_pkey(void *buffer)
{
	return ((ib_user_mad_t *)buffer)->addr.pkey_index;
}

static int get_status(void *buffer)
{
	return (int)((ib_user_mad_t *)buffer)->status;
}

static int take(int port, int agent_id, void *buffer, int length, int timeout_msec, int retries)
{
	library.port = port;
	library.agent_id = agent_id;
	library.length = length;
	library.timeout_msec = timeout_msec;
	library.retries = retries;
	memcpy(&library.sent, buffer, sizeof(library.sent));
	set_error(library.error);
	return library.send_result;
}

static int give(int port, void *buffer, int *length, int timeout_msec)
{
	const int side = port - 100;

	library.port = port;
	library.timeout_msec = timeout_msec;
	memcpy(buffer, &library.arrivals[side].mad, sizeof(library.arrivals[side].mad));
	*length = library.arrivals[side].length;
	set_error(library.arrivals[side].error);
	return library.arrivals[side].result;
}

static int wait_for_one(int port, int timeout_msec)
{
	library.port = port;
	library.timeout_msec = timeout_msec;
	set_error(library.error);
	return library.poll_result;
}

static int add_receiver(int port, int mgmt_class, int version, uint8_t rmpp_version,
			long methods[16 / sizeof(long)])
{
	library.port = port;
	library.mgmt_class = mgmt_class;
	library.version = version;
	library.rmpp_version = rmpp_version;
	library.with_oui = false;
	memcpy(library.methods, methods, sizeof(library.methods));
	set_error(library.error);
	return library.register_result;
}

static int add_vendor(int port, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3],
		      long methods[16 / sizeof(long)])
{
	add_receiver(port, mgmt_class, -1, rmpp_version, methods);
	library.with_oui = true;
	memcpy(library.oui, oui, sizeof(library.oui));
	return library.register_result;
}

static const struct umad_functions functions = {
	.umad_init = get_ready,
	.umad_open_port = open_one,
	.umad_close_port = close_one,
	.umad_size = header_size,
	.umad_get_mad_addr = address_of,
	.umad_set_pkey = put_pkey,
	.umad_get_pkey = get_pkey,
	.umad_status = get_status,
	.umad_send = take,
	.umad_recv = give,
	.umad_poll = wait_for_one,
	.umad_register = add_receiver,
	.umad_register_oui = add_vendor,
};

/* Opens a transport with one port, or with two. */
static struct mad_transport open_transport(bool apart)
{
	struct mad_transport transport;

	library = (struct library){.opened = 0};
	for (int i = 0; i < 2; i++)
		library.arrivals[i].result = -EAGAIN;
	assert_int_equal(umad_open_ports(&functions, "mlx5_0", 1, apart ? "mlx5_1" : "mlx5_0", 1,
					 &transport),
			 0);
	assert_int_equal(library.opened, apart ? 2 : 1);
	assert_int_equal(transport.headroom, sizeof(ib_user_mad_t));
	return transport;
}

static void close_transport(const struct mad_transport *transport, bool apart)
{
	transport->close(transport->context);
	assert_int_equal(library.closed[0], 1);
	assert_int_equal(library.closed[1], apart);
}

/* Which ports are the same: an omitted name or number is that of the other port. */
static void ports(void **state)
{
	static const struct {
		const char *smi_device;
		unsigned int smi_port;
		int count;
	} samples[] = {{NULL, 0, 1}, {"mlx5_0", 2, 1}, {"mlx5_0", 1, 2}, {"smi0", 2, 2}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct mad_transport transport;

		library = (struct library){.opened = 0};
		assert_int_equal(umad_open_ports(&functions, "mlx5_0", 2, samples[i].smi_device,
						 samples[i].smi_port, &transport),
				 0);
		assert_int_equal(library.opened, samples[i].count);
		assert_string_equal(library.devices[0], "mlx5_0");
		assert_int_equal(library.port_numbers[0], 2);
		if (samples[i].count == 2) {
			assert_string_equal(library.devices[1], samples[i].smi_device);
			assert_int_equal(library.port_numbers[1], (int)samples[i].smi_port);
		}
		close_transport(&transport, samples[i].count == 2);
	}
}

/* The library's result and errno, and the caller's result; a port that was open is closed. */
static void ports_that_do_not_open(void **state)
{
	static const struct {
		int result, error, wanted;
	} samples[] = {
		{-EINVAL, 0, -ENODEV},	 {-ENODEV, 0, -ENODEV},	  {-EIO, 0, -EIO},
		{-EIO, EACCES, -EACCES}, {-EIO, ENOENT, -ENOENT}, {-EIO, EIO, -EIO},
		{-ENODEV, EIO, -ENODEV}, {-1, 0, -EIO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		for (int which = 0; which < 2; which++) {
			struct mad_transport transport = {.context = &library};

			library = (struct library){.open_result = samples[i].result,
						   .error = samples[i].error,
						   .port = which};
			errno = EBADF;
			assert_int_equal(umad_open_ports(&functions, "a", 1, "b", 1, &transport),
					 samples[i].wanted);
			assert_int_equal(library.opened, which);
			assert_int_equal(library.closed[0], which);
			assert_int_equal(library.closed[1], 0);
			assert_ptr_equal(transport.context, &library);
		}
}

/*
 * Subnet management (classes 0x01 and 0x81) uses the second port, if there is one; vendor classes
 * from 0x30 to 0x4f have an OUI: IB_VENDOR_RANGE2_START_CLASS, infiniband/mad.h.
 */
static void agents(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		bool smp, with_oui;
	} samples[] = {
		{0x01, true, false},  {0x81, true, false},  {0x03, false, false},
		{0x04, false, false}, {0x2f, false, false}, {0x30, false, true},
		{0x32, false, true},  {0x4f, false, true},  {0x50, false, false},
	};

	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct mad_transport transport = open_transport(apart);

		for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
			const struct mad_agent agent = {
				.mgmt_class = samples[i].mgmt_class,
				.version = 2,
				.rmpp_version = 1,
				.oui = 0x1405fe,
				.methods = {0x9abcdef0, 0x76543210},
			};
			const int side = apart && samples[i].smp;

			library.register_result = 7;
			assert_int_equal(transport.add_agent(transport.context, &agent), 14 + side);
			assert_int_equal(library.port, 100 + side);
			assert_int_equal(library.mgmt_class, samples[i].mgmt_class);
			assert_int_equal(library.rmpp_version, 1);
			assert_int_equal(library.with_oui, samples[i].with_oui);
			assert_memory_equal(library.methods, agent.methods, 16);
			if (samples[i].with_oui)
				assert_memory_equal(library.oui, "\x14\x05\xfe", 3);
			else
				assert_int_equal(library.version, 2);
			library.register_result = -1;
			library.error = EINVAL;
			assert_int_equal(transport.add_agent(transport.context, &agent), -EINVAL);
			library.error = 0;
			errno = EBADF;
			assert_int_equal(transport.add_agent(transport.context, &agent), -EPERM);
		}
		close_transport(&transport, apart);
	}
}

static struct mad_address far_away(void)
{
	struct mad_address address = {
		.lid = 0x1234,
		.sl = 5,
		.path_bits = 3,
		.qpn = 0x00abcdef,
		.qkey = 0x80010000,
		.pkey_index = 0x0102,
		.has_grh = true,
		.gid_index = 6,
		.hop_limit = 64,
		.traffic_class = 0x7a,
		.flow_label = 0x000fedcb,
	};

	for (uint8_t i = 0; i < 16; i++)
		address.gid.raw[i] = (uint8_t)(0xa0 + i);
	return address;
}

/* In wire order, ib_user_mad_hdr of rdma/ib_user_mad.h. */
static void sent_addresses(void **state)
{
	struct mad_transport transport = open_transport(true);
	const struct mad_address grh = far_away();
	struct mad_address plain = grh;
	unsigned char buffer[sizeof(ib_user_mad_t) + ROOM];
	const ib_mad_addr_t *address = &library.sent.addr;

	(void)state;
	plain.has_grh = false;
	memset(buffer, 0xff, sizeof(buffer));
	assert_int_equal(transport.send(transport.context, 15, &grh, buffer, ROOM, 70), 0);
	assert_int_equal(library.port, 101);
	assert_int_equal(library.agent_id, 7);
	assert_int_equal(library.length, ROOM);
	assert_int_equal(library.timeout_msec, 70);
	assert_int_equal(library.retries, 0);
	assert_int_equal(address->lid, htobe16(0x1234));
	assert_int_equal(address->sl, 5);
	assert_int_equal(address->path_bits, 3);
	assert_int_equal(address->qpn, htobe32(0x00abcdef));
	assert_int_equal(address->qkey, htobe32(0x80010000));
	assert_int_equal(address->pkey_index, 0x0102);
	assert_int_equal(address->grh_present, 1);
	assert_int_equal(address->gid_index, 6);
	assert_int_equal(address->hop_limit, 64);
	assert_int_equal(address->traffic_class, 0x7a);
	assert_int_equal(address->flow_label, htobe32(0x000fedcb));
	assert_memory_equal(address->gid, grh.gid.raw, 16);
	/* The MAD after the header is unchanged, and the header has nothing left from before. */
	assert_int_equal(buffer[sizeof(ib_user_mad_t)], 0xff);
	assert_int_equal(library.sent.agent_id, 0);
	memset(buffer, 0xff, sizeof(buffer));
	assert_int_equal(transport.send(transport.context, 14, &plain, buffer, 24, 0), 0);
	assert_int_equal(library.port, 100);
	assert_int_equal(library.agent_id, 7);
	assert_int_equal(library.length, 24);
	assert_int_equal(library.timeout_msec, 0);
	assert_int_equal(address->lid, htobe16(0x1234));
	assert_int_equal(address->grh_present, 0);
	assert_int_equal(address->gid_index, 0);
	assert_int_equal(address->hop_limit, 0);
	assert_int_equal(address->flow_label, 0);
	library.send_result = -1;
	library.error = ENOMEM;
	assert_int_equal(transport.send(transport.context, 14, &plain, buffer, 24, 0), -ENOMEM);
	library.error = 0;
	errno = EBADF;
	assert_int_equal(transport.send(transport.context, 14, &plain, buffer, 24, 0), -EIO);
	close_transport(&transport, true);
}

static void put_arrival(int side, int agent_id, const struct mad_address *from)
{
	ib_mad_addr_t *address = &library.arrivals[side].mad.addr;

	library.arrivals[side].result = agent_id;
	library.arrivals[side].length = 232;
	*address = (ib_mad_addr_t){
		.qpn = htobe32(from->qpn),
		.qkey = htobe32(from->qkey),
		.lid = htobe16(from->lid),
		.sl = from->sl,
		.path_bits = from->path_bits,
		.grh_present = from->has_grh,
		.gid_index = from->gid_index,
		.hop_limit = from->hop_limit,
		.traffic_class = from->traffic_class,
		.flow_label = htobe32(from->flow_label),
		.pkey_index = from->pkey_index,
	};
	memcpy(address->gid, from->gid.raw, 16);
}

static void assert_same_address(const struct mad_address *got, const struct mad_address *wanted)
{
	assert_int_equal(got->lid, wanted->lid);
	assert_int_equal(got->sl, wanted->sl);
	assert_int_equal(got->path_bits, wanted->path_bits);
	assert_int_equal(got->qpn, wanted->qpn);
	assert_int_equal(got->qkey, wanted->qkey);
	assert_int_equal(got->pkey_index, wanted->pkey_index);
	assert_int_equal(got->has_grh, wanted->has_grh);
	assert_int_equal(got->gid_index, wanted->gid_index);
	assert_int_equal(got->hop_limit, wanted->hop_limit);
	assert_int_equal(got->traffic_class, wanted->traffic_class);
	assert_int_equal(got->flow_label, wanted->flow_label);
	assert_memory_equal(got->gid.raw, wanted->gid.raw, 16);
}

static void received_addresses(void **state)
{
	struct mad_transport transport = open_transport(false);
	const struct mad_address grh = far_away();
	const struct mad_address near = {.lid = grh.lid,
					 .sl = 5,
					 .path_bits = 3,
					 .qpn = grh.qpn,
					 .qkey = grh.qkey,
					 .pkey_index = grh.pkey_index};
	struct mad_address noise = grh;
	unsigned char buffer[sizeof(ib_user_mad_t) + ROOM];
	struct mad_arrival arrival;
	size_t bytes = ROOM;

	(void)state;
	put_arrival(0, 4, &grh);
	library.arrivals[0].mad.status = ETIMEDOUT;
	assert_int_equal(transport.receive(transport.context, buffer, &bytes, &arrival), 0);
	assert_int_equal(library.port, 100);
	assert_int_equal(library.timeout_msec, 0);
	assert_int_equal(bytes, 232);
	assert_int_equal(arrival.agent, 8);
	assert_int_equal(arrival.error, ETIMEDOUT);
	assert_same_address(&arrival.from, &grh);
	/* Without a GRH, its fields have no meaning. */
	noise.has_grh = false;
	put_arrival(0, 0, &noise);
	library.arrivals[0].mad.status = 0;
	library.arrivals[0].length = -1;
	assert_int_equal(transport.receive(transport.context, buffer, &bytes, &arrival), 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(arrival.agent, 0);
	assert_int_equal(arrival.error, 0);
	assert_same_address(&arrival.from, &near);
	close_transport(&transport, false);
}

/* The library's result and errno; only a MAD that does not fit changes the length. */
static void nothing_received(void **state)
{
	static const struct {
		int result, error, length, wanted;
		size_t bytes;
	} samples[] = {
		{-EAGAIN, 0, 0, -EAGAIN, ROOM},
		{-1, EAGAIN, 0, -EAGAIN, ROOM},
		{-ENOSPC, ENOSPC, 4000, -ENOSPC, 4000},
		{-ENOSPC, ENOSPC, ROOM + 1, -ENOSPC, ROOM + 1},
		/* A useless length: an error like any other. */
		{-ENOSPC, ENOSPC, ROOM, -ENOSPC, ROOM},
		{-ENOSPC, ENOSPC, -5, -ENOSPC, ROOM},
		{-EIO, EIO, 4000, -EIO, ROOM},
		{-1, ENODEV, 0, -ENODEV, ROOM},
		{-1, 0, 0, -EIO, ROOM},
	};
	struct mad_transport transport = open_transport(false);
	unsigned char buffer[sizeof(ib_user_mad_t) + ROOM];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct mad_arrival arrival = {.agent = 77};
		size_t bytes = ROOM;

		library.arrivals[0].result = samples[i].result;
		library.arrivals[0].error = samples[i].error;
		library.arrivals[0].length = samples[i].length;
		errno = EBADF;
		assert_int_equal(transport.receive(transport.context, buffer, &bytes, &arrival),
				 samples[i].wanted);
		assert_int_equal(bytes, samples[i].bytes);
		assert_int_equal(arrival.agent, 77);
	}
	close_transport(&transport, false);
}

/* Neither port keeps the other waiting, and a failure of one is reported. */
static void turns(void **state)
{
	struct mad_transport transport = open_transport(true);
	const struct mad_address from = far_away();
	unsigned char buffer[sizeof(ib_user_mad_t) + ROOM];
	struct mad_arrival arrival;
	size_t bytes = ROOM;
	int seen[2] = {0, 0};

	(void)state;
	assert_int_equal(transport.receive(transport.context, buffer, &bytes, &arrival), -EAGAIN);
	for (int side = 0; side < 2; side++) {
		put_arrival(side, 3, &from);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(
				transport.receive(transport.context, buffer, &bytes, &arrival), 0);
			assert_int_equal(arrival.agent, 6 + side);
		}
		library.arrivals[side].result = -EAGAIN;
	}
	put_arrival(0, 3, &from);
	put_arrival(1, 3, &from);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(transport.receive(transport.context, buffer, &bytes, &arrival), 0);
		seen[arrival.agent & 1]++;
	}
	assert_int_equal(seen[0], 2);
	assert_int_equal(seen[1], 2);
	library.arrivals[0].result = library.arrivals[1].result = -EIO;
	library.arrivals[0].error = library.arrivals[1].error = EIO;
	assert_int_equal(transport.receive(transport.context, buffer, &bytes, &arrival), -EIO);
	close_transport(&transport, true);
}

static void waits_for_one_port(void **state)
{
	static const struct {
		int result, error, wanted;
	} samples[] = {
		{0, 0, 0}, {-ETIMEDOUT, 0, -ETIMEDOUT}, {-EIO, EINTR, -EINTR}, {-1, 0, -EIO}};
	struct mad_transport transport = open_transport(false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		library.poll_result = samples[i].result;
		library.error = samples[i].error;
		errno = EBADF;
		assert_int_equal(transport.wait(transport.context, 50 + (int)i), samples[i].wanted);
		assert_int_equal(library.port, 100);
		assert_int_equal(library.timeout_msec, 50 + (int)i);
	}
	close_transport(&transport, false);
}

/* A port is its file descriptor: umad_get_fd(3). Here both are pipes. */
static int pipes[2][2];

static int open_pipe(const char *device, int number)
{
	(void)device;
	return pipes[number][0];
}

static int close_nothing(int port)
{
	(void)port;
	return 0;
}

static void waits_for_two_ports(void **state)
{
	struct umad_functions of_pipes = functions;
	struct mad_transport transport;
	char byte = 0;

	(void)state;
	of_pipes.umad_open_port = open_pipe;
	of_pipes.umad_close_port = close_nothing;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pipe(pipes[i]), 0);
	assert_int_equal(umad_open_ports(&of_pipes, "a", 0, "a", 1, &transport), 0);
	assert_int_equal(transport.wait(transport.context, 0), -ETIMEDOUT);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(write(pipes[i][1], &byte, 1), 1);
		assert_int_equal(transport.wait(transport.context, -1), 0);
		assert_int_equal(read(pipes[i][0], &byte, 1), 1);
		assert_int_equal(transport.wait(transport.context, 0), -ETIMEDOUT);
	}
	transport.close(transport.context);
	for (int i = 0; i < 4; i++)
		close(pipes[i / 2][i % 2]);
}

/* For both kinds of keys, full members of a partition come first, wherever they are. */
static void pkeys(void **state)
{
	static const struct {
		const char *name, *text;
	} slots[] = {
		{"0", "0x7fff"}, {"1", "0x8001"}, {"2", "0x0000"},
		{"3", "0xffff"}, {"4", "0xffff"}, {"5", "0x0002"},
	};
	struct saved_tree tree;

	(void)state;
	tree_open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), SYSFS_RDMA_CLASS "/a/ports/300/pkeys/%s",
			 slots[i].name);
		tree_write(&tree, path, slots[i].text);
	}
	assert_int_equal(umad_find_pkey(&tree.root, "a", 300, 0xffff), 3);
	assert_int_equal(umad_find_pkey(&tree.root, "a", 300, 0x7fff), 3);
	assert_int_equal(umad_find_pkey(&tree.root, "a", 300, 0x8001), 1);
	assert_int_equal(umad_find_pkey(&tree.root, "a", 300, 0x0001), 1);
	assert_int_equal(umad_find_pkey(&tree.root, "a", 300, 0x8002), 5);
	assert_int_equal(umad_find_pkey(&tree.root, "a", 300, 0x8003), -ENOENT);
	assert_int_equal(umad_find_pkey(&tree.root, "b", 1, 0xffff), -ENOENT);
	tree_close(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports),
		cmocka_unit_test(ports_that_do_not_open),
		cmocka_unit_test(agents),
		cmocka_unit_test(sent_addresses),
		cmocka_unit_test(received_addresses),
		cmocka_unit_test(nothing_received),
		cmocka_unit_test(turns),
		cmocka_unit_test(waits_for_one_port),
		cmocka_unit_test(waits_for_two_ports),
		cmocka_unit_test(pkeys),
	};

	return cmocka_run_group_tests_name("umad", tests, NULL, NULL);
}
