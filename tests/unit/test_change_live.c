/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What changes look at on the live system, here a saved tree and a hand-made kernel: the path of
 * the session, the users of a device, files of sysfs and configfs.
 */
#include "rooted.h"

#include <net/if.h>

#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "change/holders.h"
#include "change/link/link.h"
#include "change/port.h"
#include "change/roce.h"
#include "change/session.h"
#include "kernel/netlink/nldev.h"
#include "netlink_message.h"
#include "roce/cma.h"

enum { ETH0 = 11, BOND0 = 12, ETH1 = 13, IB0 = 14, DEVICE_INDEX = 3 };

/* The netdevs eth0, bond0 with its member eth1, and ib0; and an RDMA device with that name. */
struct machine {
	struct fake_kernel kernel;
	unsigned int address_on, route_over; /* of the session; 0: none */
	int link_error, address_error;
	bool addresses_change; /* each time they are read */
	bool by_gateway;       /* the route has a gateway */
	char device[64];
	bool device_is_elsewhere;
	int rename_error;
};

static void put_link(struct bytes *datagram, const struct nlmsghdr *message, int index,
		     const char *name, unsigned int master)
{
	const struct ifinfomsg header = {.ifi_index = index, .ifi_type = ARPHRD_ETHER};
	struct bytes payload = {0};

	bytes_put(&payload, &header, sizeof(header));
	put_string(&payload, IFLA_IFNAME, name);
	if (master)
		put_u32(&payload, IFLA_MASTER, master);
	put_message(datagram, RTM_NEWLINK, NLM_F_MULTI, message->nlmsg_seq, payload.data,
		    payload.length);
}

static void put_links(struct bytes *datagram, const struct nlmsghdr *message)
{
	put_link(datagram, message, ETH0, "eth0", 0);
	put_link(datagram, message, BOND0, "bond0", 0);
	put_link(datagram, message, ETH1, "eth1", BOND0);
	put_link(datagram, message, IB0, "ib0", 0);
	put_done(datagram, message->nlmsg_seq, 0);
}

/* 10.1.1.5 is the session's local address, 10.1.1.6 a different one. */
static void put_addresses(struct bytes *datagram, const struct nlmsghdr *message,
			  const struct machine *machine)
{
	const unsigned int flags = NLM_F_MULTI | (machine->addresses_change ? NLM_F_DUMP_INTR : 0);

	for (uint8_t last = 5; last <= 6; last++) {
		const uint8_t address[] = {10, 1, 1, last};
		const struct ifaddrmsg header = {.ifa_family = AF_INET,
						 .ifa_prefixlen = 24,
						 .ifa_index = last == 5 ? machine->address_on
									: ETH0};
		struct bytes payload = {0};

		if (!header.ifa_index)
			continue;
		bytes_put(&payload, &header, sizeof(header));
		put_attribute(&payload, IFA_ADDRESS, address, sizeof(address));
		put_attribute(&payload, IFA_LOCAL, address, sizeof(address));
		put_message(datagram, RTM_NEWADDR, flags, message->nlmsg_seq, payload.data,
			    payload.length);
	}
	put_done(datagram, message->nlmsg_seq, 0);
}

static void put_route(struct bytes *datagram, const struct nlmsghdr *message,
		      const struct machine *machine)
{
	const struct rtmsg header = {.rtm_family = AF_INET, .rtm_type = RTN_UNICAST};
	struct bytes payload = {0};

	if (!machine->route_over) {
		put_error(datagram, message->nlmsg_seq, -ENETUNREACH, NULL);
		return;
	}
	bytes_put(&payload, &header, sizeof(header));
	put_u32(&payload, RTA_OIF, machine->route_over);
	if (machine->by_gateway)
		put_attribute(&payload, RTA_GATEWAY, (const uint8_t[]){10, 1, 1, 1}, 4);
	put_message(datagram, RTM_NEWROUTE, 0, message->nlmsg_seq, payload.data, payload.length);
}

static void put_device(struct bytes *datagram, const struct nlmsghdr *message,
		       const struct machine *machine)
{
	const bool dump = message->nlmsg_flags & NLM_F_DUMP;
	struct bytes payload = {0};

	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE_INDEX);
	put_string(&payload, RDMA_NLDEV_ATTR_DEV_NAME, machine->device);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	if (!machine->device_is_elsewhere)
		put_message(datagram, message->nlmsg_type, dump ? NLM_F_MULTI : 0,
			    message->nlmsg_seq, payload.data, payload.length);
	if (dump)
		put_done(datagram, message->nlmsg_seq, 0);
	else if (machine->device_is_elsewhere)
		put_error(datagram, message->nlmsg_seq, -EINVAL, NULL);
}

static void rename_device(struct bytes *datagram, const struct nlmsghdr *message,
			  struct machine *machine)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	char *name = NULL;

	if (!machine->rename_error &&
	    !nldev_parse(message + 1, message->nlmsg_len - NLMSG_HDRLEN, table))
		name = nldev_get_kernel_name(table[RDMA_NLDEV_ATTR_DEV_NAME]);
	if (name)
		snprintf(machine->device, sizeof(machine->device), "%s", name);
	free(name);
	put_error(datagram, message->nlmsg_seq, machine->rename_error, NULL);
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct machine *machine = kernel->context;

	for_each_message (message, requests) {
		struct bytes datagram = {0};

		switch (message->nlmsg_type) {
		case RTM_GETLINK:
			if (machine->link_error)
				put_error(&datagram, message->nlmsg_seq, machine->link_error, NULL);
			else
				put_links(&datagram, message);
			break;
		case RTM_GETADDR:
			if (machine->address_error)
				put_error(&datagram, message->nlmsg_seq, machine->address_error,
					  NULL);
			else
				put_addresses(&datagram, message, machine);
			break;
		case RTM_GETROUTE:
			put_route(&datagram, message, machine);
			break;
		default:
			if ((message->nlmsg_type & 0x3ff) == RDMA_NLDEV_CMD_SET)
				rename_device(&datagram, message, machine);
			else
				put_device(&datagram, message, machine);
		}
		fake_send(kernel, &datagram);
	}
}

/* A host whose sockets are those of a hand-made kernel, which ends with the process. */
static void start(struct machine *machine, struct change_host *host)
{
	machine->kernel.serve = serve;
	machine->kernel.context = machine;
	host->rtnl = host->nldev = netlink_from_fd(fake_start(&machine->kernel),
						   NETLINK_LARGEST_MESSAGE);
}

static void tell(FILE *out, const struct change *change)
{
	for (size_t i = 0; i < change->disturbs.count; i++)
		fprintf(out, "disturbs %s\n", change->disturbs.items[i]);
	for (size_t i = 0; i < change->notes.count; i++)
		fprintf(out, "note %s\n", change->notes.items[i]);
	if (change->reason)
		fprintf(out, "reason %s\n", change->reason);
	if (change->next_step)
		fprintf(out, "next %s\n", change->next_step);
}

/* This process is a mosh server with that address. */
static void log_in_by_mosh(const struct saved_tree *tree, const uint8_t local[static 4])
{
	_cleanup_(freep) char *status = mem_format("proc/%d/status", (int)getpid());
	_cleanup_(freep) char *fd = mem_format("proc/%d/fd/4", (int)getpid());
	_cleanup_(freep) char *table = mem_format("proc/%d/net/udp", (int)getpid());
	_cleanup_(freep) char *line = NULL;
	uint32_t at;

	memcpy(&at, local, sizeof(at));
	line = mem_format("  177: %08X:EA61 00000000:0000 07 00000000:00000000 00:00000000 "
			  "00000000  1000        0 51 2 0000000000000000 0",
			  at);
	tree_write(tree, status, "Name:\tmosh-server\nPPid:\t0");
	tree_link(tree, fd, "socket:[51]");
	tree_write(tree, table, line);
}

/* This process, which has a socket, or another one has the connection from 10.9.9.9 to 10.1.1.5. */
static void log_in(const struct saved_tree *tree, bool logged_in)
{
	const uint8_t local[] = {10, 1, 1, 5}, remote[] = {10, 9, 9, 9};
	_cleanup_(freep) char *status = mem_format("proc/%d/status", (int)getpid());
	_cleanup_(freep) char *fd = mem_format("proc/%d/fd/4", (int)getpid());
	_cleanup_(freep) char *table = mem_format("proc/%d/net/tcp", (int)getpid());
	_cleanup_(freep) char *line = NULL;
	uint32_t from, to;

	memcpy(&from, local, sizeof(from));
	memcpy(&to, remote, sizeof(to));
	line = mem_format("   1: %08X:0016 %08X:C001 01 00000000:00000000 02:000A7D4E 00000000     "
			  "0        0 51 4 0000000000000000 20 4 31 10 -1",
			  from, to);
	tree_write(tree, status, "Name:\tx\nPPid:\t0");
	tree_link(tree, fd, logged_in ? "socket:[51]" : "socket:[52]");
	tree_write(tree, table, line);
}

struct way {
	unsigned int address_on, route_over;
	const char *netdev;
	bool reverts, logged_in;
	int link_error, address_error;
	bool addresses_change, by_gateway;
	enum way_back back;
};

static void look_for_way(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct way *way = context;
	struct machine machine = {.address_on = way->address_on,
				  .route_over = way->route_over,
				  .link_error = way->link_error,
				  .address_error = way->address_error,
				  .addresses_change = way->addresses_change,
				  .by_gateway = way->by_gateway};
	struct change_host host = {.reverts = way->reverts};
	struct change change = {.host = &host};

	log_in(tree, way->logged_in);
	start(&machine, &host);
	change_guard_way(&change, way->netdev, way->back);
	tell(out, &change);
}

static void look_for_mosh(const struct saved_tree *tree, FILE *out, void *context)
{
	static const uint8_t any[4] = {0}, own[4] = {10, 1, 1, 5};
	/* There is a route over eth1 to somebody else than the peer. */
	struct machine machine = {.address_on = ETH0, .route_over = ETH1};
	const bool *is_any = context;
	struct change_host host = {.reverts = false};
	struct change change = {.host = &host};

	log_in_by_mosh(tree, *is_any ? any : own);
	start(&machine, &host);
	change_guard_way(&change, "eth0", WAY_COMES_BACK);
	change_guard_way(&change, "eth1", WAY_COMES_BACK);
	tell(out, &change);
}

/* The lines of a file have separate hosts, which share the sockets and the session. */
static void look_from_lines(const struct saved_tree *tree, FILE *out, void *context)
{
	struct machine machine = {.address_on = ETH0};
	struct change_host base = {.reverts = false};
	struct change_host lines[] = {{.base = &base}, {.base = &base, .reverts = true}};

	(void)context;
	start(&machine, &base);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct change change = {.host = &lines[i]};

		log_in(tree, i == 0);
		change_guard_way(&change, "eth0", WAY_COMES_BACK);
		tell(out, &change);
		assert_null(lines[i].rtnl);
		assert_null(lines[i].session);
	}
}

/* They share the daemons, too; each is looked for among all processes. */
static void find_from_lines(const struct saved_tree *tree, FILE *out, void *context)
{
	static const char *const names[] = {"lldpad", "rdma-ndd", "lldpad", "rdma-ndd", "lldpad"};
	struct change_host base = {.reverts = false};
	struct change_host lines[] = {{.base = &base}, {.base = &base}};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct change change = {.host = &lines[i % 2]};
		const char *found = change_find_processes(&change, names[i]);

		fprintf(out, "%s %s\n", names[i], found ? found : "none");
		if (i == 1)
			tree_write(tree, "proc/7/comm", "rdma-ndd");
	}
	change_host_close(&base);
}

#define DISTURBS(name)                                                                \
	"disturbs this session, which comes over " name " (10.1.1.5 from 10.9.9.9): " \
	"--revert-after 30s undoes the change unless you confirm it\n"
#define REVERTS(name)                                                                    \
	"note this session comes over " name " (10.1.1.5 from 10.9.9.9); the change is " \
	"undone unless you confirm it\n"

#define LASTS(name)                                                                           \
	"disturbs this session, which comes over " name " (10.1.1.5 from 10.9.9.9): undoing " \
	"the change does not restore the address or route that the session uses\n"

/* Undoing does not help a session that loses its address or route meanwhile. */
static void ways_back(void **state)
{
	static const struct {
		struct way way;
		const char *text;
	} rows[] = {
		{{ETH0, ETH0, "eth0", true, true, .back = WAY_COMES_UP}, REVERTS("eth0")},
		{{ETH0, ETH0, "eth0", false, true, .back = WAY_COMES_UP}, DISTURBS("eth0")},
		{{ETH0, ETH0, "eth0", true, true, .by_gateway = true, .back = WAY_COMES_UP},
		 LASTS("eth0")},
		{{ETH0, 0, "eth0", false, true, .back = WAY_COMES_UP}, LASTS("eth0")},
		{{ETH0, ETH0, "eth0", true, true, .by_gateway = true}, REVERTS("eth0")},
		{{ETH0, ETH0, "eth0", true, true, .back = WAY_IS_GONE}, LASTS("eth0")},
		{{ETH1, ETH1, "eth0", true, true, .back = WAY_IS_GONE}, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct way way = rows[i].way;

		rooted_expect(*state, look_for_way, &way, rows[i].text);
		tree_delete(*state, "proc");
	}
}

/* By its address, by its route, by a member; and by none of them. */
static void ways(void **state)
{
	static const struct {
		struct way way;
		const char *text;
	} rows[] = {
		{{ETH0, 0, "eth0", false, true, 0, 0}, DISTURBS("eth0")},
		{{ETH0, 0, "eth0", true, true, 0, 0}, REVERTS("eth0")},
		{{0, ETH0, "eth0", false, true, 0, 0}, DISTURBS("eth0")},
		{{BOND0, 0, "eth1", false, true, 0, 0}, DISTURBS("eth1")},
		{{IB0, BOND0, "eth1", true, true, 0, 0}, REVERTS("eth1")},
		{{ETH0, ETH0, "bond0", false, true, 0, 0}, ""},
		{{ETH0, ETH0, "ib0", false, true, 0, 0}, ""},
		{{0, 0, "eth0", false, true, 0, 0}, ""},
		{{BOND0, BOND0, "eth0", true, true, 0, 0}, ""},
		{{ETH0, ETH0, "eth0", false, false, 0, 0}, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct way way = rows[i].way;

		rooted_expect(*state, look_for_way, &way, rows[i].text);
		tree_delete(*state, "proc");
	}
}

static void way_of_lines(void **state)
{
	rooted_expect(*state, look_from_lines, NULL, DISTURBS("eth0") REVERTS("eth0"));
	tree_delete(*state, "proc");
}

static void daemons_of_lines(void **state)
{
	tree_write(*state, "proc/7/comm", "lldpad");
	rooted_expect(*state, find_from_lines, NULL,
		      "lldpad 7\nrdma-ndd none\nlldpad 7\nrdma-ndd none\nlldpad 7\n");
}

static void way_of_mosh(void **state)
{
	bool any = false;

	rooted_expect(*state, look_for_mosh, &any,
		      "disturbs this session, which comes over eth0 (10.1.1.5 via mosh): "
		      "--revert-after 30s undoes the change unless you confirm it\n");
	tree_delete(*state, "proc");
	any = true;
	rooted_expect(*state, look_for_mosh, &any,
		      "note cannot tell whether this session comes over eth0: mosh accepts its "
		      "packets at every address\n"
		      "note cannot tell whether this session comes over eth1: mosh accepts its "
		      "packets at every address\n");
}

static void ways_not_seen(void **state)
{
	_cleanup_(freep) char *text = mem_format(
		"note cannot tell whether this session comes over eth0: %s\n", strerror(EPERM));
	struct way no_links = {ETH0, ETH0, "eth0", false, true, -EPERM, 0};
	struct way no_addresses = {ETH0, ETH0, "eth0", false, true, 0, -EPERM};
	struct way seen = {ETH0, 0, "eth0", false, true, .addresses_change = true};
	struct way doubtful = {ETH1, 0, "eth0", false, true, .addresses_change = true};

	rooted_expect(*state, look_for_way, &no_links, text);
	rooted_expect(*state, look_for_way, &no_addresses, text);
	rooted_expect(*state, look_for_way, &seen, DISTURBS("eth0"));
	rooted_expect(*state, look_for_way, &doubtful,
		      "note cannot tell whether this session comes over eth0: the netdevs changed "
		      "while they were read\n");
}

/* The IPoIB netdev of an InfiniBand port goes with its device; that of another port does not. */
static void guard_netns(const struct saved_tree *tree, FILE *out, void *context)
{
	struct machine machine = {.address_on = IB0, .device_is_elsewhere = true};
	struct inventory inventory = {.answers = true};
	struct change_host host = {.inventory = &inventory};
	struct change change = {.host = &host, .object = mem_string("mlx5_0")};

	(void)context;
	for (unsigned int i = 0; i < 2; i++) {
		char name[] = "mlx5_0";
		struct device *device;
		struct port *port;

		name[5] = (char)('0' + i);
		device = device_list_add(&inventory.devices, name);
		device->index = number_of(i);
		device->transport = number_of(TRANSPORT_INFINIBAND);
		port = device_add_port(device, 1);
		port->netdev = mem_string(i ? "ib0" : "eth0");
	}
	log_in(tree, true);
	start(&machine, &host);
	for (unsigned int i = 0; i < 3; i++) {
		change.device_index = number_of(i % 2);
		if (i == 2)
			inventory.devices.items[0].transport = number_of(TRANSPORT_ROCE);
		if (i == 2)
			inventory.devices.items[0].ports[0].netdev[0] = 'i';
		device_netns_setting.guard(&change);
		tell(out, &change);
		fprintf(out, "-\n");
		change.disturbs.count = change.notes.count = 0;
	}
}

#define LOST                                                                                     \
	"note all programs lose their contexts of the device, and netdevs on top of it (IPoIB) " \
	"are removed\n"                                                                          \
	"note when the last process of that network namespace ends, the kernel returns the "     \
	"device to the initial one\n"

static void netns(void **state)
{
	rooted_expect(*state, guard_netns, NULL, LOST "-\n" LASTS("ib0") LOST "-\n" LOST "-\n");
}

/* An Ethernet port that goes down: the users of its device, and the path of the session. */
static void guard_port(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct setting *setting = port_netdev_setting_table[0];
	struct machine machine = {
		.address_on = ETH0, .route_over = ETH0, .device_is_elsewhere = true};
	struct change_host host = {.nldev = NULL};
	struct change change = {.host = &host,
				.setting = setting,
				.object = mem_string("mlx5_0/1"),
				.netdev_index = {ETH0, true},
				.wanted = mem_string(context)};

	log_in(tree, true);
	start(&machine, &host);
	setting->guard(&change);
	tell(out, &change);
}

#define ROUTES                                                                                  \
	"note the routes over eth0 via gateways, and others that were added, are lost when it " \
	"goes down\n"

static void ports(void **state)
{
	char down[] = "down", up[] = "up";

	tree_write(*state, "sys/class/infiniband/mlx5_0/device/net/ib7/type", "32");
	tree_write(*state, "sys/class/infiniband/mlx5_0/device/net/ib7/flags", "0x1003");
	tree_write(*state, "sys/class/infiniband/mlx5_0/device/net/ib8/type", "32");
	tree_write(*state, "sys/class/infiniband/mlx5_0/device/net/ib8/flags", "0x1002");
	tree_write(*state, "sys/class/infiniband/mlx5_0/device/net/eth7/type", "1");
	tree_write(*state, "sys/class/infiniband/mlx5_0/device/net/eth7/flags", "0x1003");
	tree_link(*state, "proc/self/ns/pid", "pid:[4026531836]");
	rooted_expect(*state, guard_port, up, "");
	rooted_expect(*state, guard_port, down,
		      "disturbs IPoIB interface ib7, which is up\n" DISTURBS(
			      "eth0") "note the users of the device could not be listed: RDMA "
				      "netlink does not list it\n"
				      "note eth0 has the address 10.1.1.5\n"
				      "note eth0 has the address 10.1.1.6\n" ROUTES);
	/* A container may hide more users, which is reported. */
	tree_link(*state, "proc/self/ns/pid", "pid:[4026531837]");
	tree_delete(*state, "sys/class/infiniband/mlx5_0");
	rooted_expect(*state, guard_port, down,
		      DISTURBS("eth0") "note the users of the device could not be listed: RDMA "
				       "netlink does not list it\n"
				       "note processes outside this container cannot be seen\n"
				       "note eth0 has the address 10.1.1.5\n"
				       "note eth0 has the address 10.1.1.6\n" ROUTES);
	/* Without an RDMA core there are no users to look for. */
	tree_delete(*state, "sys/class/infiniband");
	rooted_expect(*state, guard_port, down,
		      DISTURBS("eth0") "note eth0 has the address 10.1.1.5\n"
				       "note eth0 has the address 10.1.1.6\n" ROUTES);
}

static const struct setting *description(void)
{
	size_t i = 0;

	while (strcmp(device_setting_table[i]->keyword.word, "node-description"))
		i++;
	return device_setting_table[i];
}

static void read_into(FILE *out, struct change *change)
{
	char *value = NULL;
	int rc = change->setting->read(change, &value);

	if (rc)
		fprintf(out, "read: %s\n", strerror(-rc));
	else
		fprintf(out, "read: '%s'\n", value);
}

static void write_and_tell(FILE *out, struct change *change, const char *value)
{
	int rc = change->setting->write(change, value);

	if (rc)
		fprintf(out, "write: %s\n", strerror(-rc));
	tell(out, change);
}

/* The bytes of a file, with @ instead of NUL. */
static char *bytes_of(const struct saved_tree *tree, const char *path)
{
	int fd = openat(tree->root.fd, path, O_RDONLY | O_CLOEXEC);
	char bytes[128];
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	close(fd);
	for (ssize_t i = 0; i < length; i++)
		bytes[i] = bytes[i] ? bytes[i] : '@';
	return length < 0 ? mem_string("none") : text_clean(bytes, (size_t)length);
}

/*
 * The file is found under the current name. The kernel overwrites the entire text, a file only its
 * beginning. The old text is restored byte by byte, and an empty text is a NUL.
 */
static void describe(const struct saved_tree *tree, FILE *out, void *context)
{
	struct machine machine = {.device = "rdma9"};
	struct change_host host = {.nldev = NULL};
	struct change change = {.host = &host,
				.setting = description(),
				.before = mem_string("old\\x01name"),
				.device_index = {DEVICE_INDEX, true}};
	static const char *const values[] = {"new text, longer", "old\\x01name", ""};

	(void)context;
	device_begin_change(&change);
	start(&machine, &host);
	read_into(out, &change);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_(freep) char *bytes = NULL;

		write_and_tell(out, &change, values[i]);
		bytes = bytes_of(tree, "sys/class/infiniband/rdma9/node_desc");
		fprintf(out, "file: '%s'\n", bytes);
	}
	strcpy(machine.device, "other");
	read_into(out, &change);
	write_and_tell(out, &change, "x");
	machine.device_is_elsewhere = true;
	read_into(out, &change);
	write_and_tell(out, &change, "x");
}

static void descriptions(void **state)
{
	_cleanup_(freep) char *wanted = mem_format("read: 'old\\x01name'\n"
						   "file: 'new text, longer'\n"
						   "file: 'old\\x01name, longer'\n"
						   "file: '@ld\\x01name, longer'\n"
						   "read: %s\nwrite: %s\nread: %s\nwrite: %s\n",
						   strerror(ENODEV), strerror(ENODEV),
						   strerror(ENODEV), strerror(ENODEV));

	tree_write(*state, "sys/class/infiniband/rdma9/node_desc", "old\x01name");
	rooted_expect(*state, describe, NULL, wanted);
}

/* A daemon that rewrites the description is reported, whatever else runs. */
static void guard_description(const struct saved_tree *tree, FILE *out, void *context)
{
	struct change_host host = {.nldev = NULL};
	struct change change = {.host = &host, .setting = description()};

	(void)tree, (void)context;
	change.setting->guard(&change);
	tell(out, &change);
	change_host_close(&host);
}

static void daemons(void **state)
{
	tree_write(*state, "proc/12/comm", "rdma-nd");
	tree_write(*state, "proc/13/comm", "rdma-ndd2");
	tree_write(*state, "proc/sys/comm", "rdma-ndd");
	rooted_expect(*state, guard_description, NULL, "");
	tree_write(*state, "proc/9/comm", "rdma-ndd");
	rooted_expect(*state, guard_description, NULL,
		      "note rdma-ndd is running: it writes its own text when it starts, when a "
		      "device appears and when the host name changes (--persist)\n");
	tree_delete(*state, "proc/9");
	tree_write(*state, "proc/1/comm", "rdma-ndd");
	rooted_expect(*state, guard_description, NULL,
		      "note rdma-ndd is running: it writes its own text when it starts, when a "
		      "device appears and when the host name changes (--persist)\n");
}

/* The file of a description is that of the kernel's name; other settings have no file. */
static void fill(FILE *out, const struct setting *setting, const struct device *device)
{
	struct change change = {.setting = setting};

	device_begin_change(&change);
	device_fill_change(&change, device);
	fprintf(out, "%u %s %s\n", (unsigned int)change.device_index.value,
		((struct device_data *)change.data)->name, change.path ? change.path : "-");
}

static void fill_both(const struct saved_tree *tree, FILE *out, void *context)
{
	char name[] = "a\\x1bb", kernel_name[] = "a\x1b"
						 "b";
	const struct device device = {.name = name, .kernel_name = kernel_name, .index = {7, true}};

	(void)tree, (void)context;
	fill(out, description(), &device);
	fill(out, &device_name_setting, &device);
}

static void files_of_devices(void **state)
{
	rooted_expect(*state, fill_both, NULL,
		      "7 a\\x1bb /sys/class/infiniband/a\x1b"
		      "b/node_desc\n7 a\\x1bb -\n");
}

struct renaming {
	const char *to;
	int error;
};

static void rename_it(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct renaming *renaming = context;
	struct machine machine = {.device = "mlx5_0", .rename_error = renaming->error};
	struct change_host host = {.nldev = NULL};
	struct change change = {.host = &host,
				.setting = &device_name_setting,
				.device_index = {DEVICE_INDEX, true}};

	(void)tree;
	start(&machine, &host);
	write_and_tell(out, &change, renaming->to);
	read_into(out, &change);
}

/* The class follows the name at once, or belongs to another network namespace. */
static void renamed(void **state)
{
	_cleanup_(
		freep) char *lost = mem_format("write: %s\n"
					       "reason RDMA netlink accepted the name, but "
					       "/sys/class/infiniband/rdma1 does not exist\n"
					       "next ls /sys/class/infiniband shows what is there\n"
					       "read: 'rdma1'\n",
					       strerror(ENOENT));
	_cleanup_(freep) char *taken = mem_format(
		"write: %s\n"
		"reason another device has the name rdma1, perhaps in another network namespace\n"
		"next rdmactl devices lists the names\n"
		"read: 'mlx5_0'\n",
		strerror(EEXIST));
	struct renaming good = {"rdma0", 0}, bad = {"rdma1", 0}, refused = {"rdma1", -EEXIST};

	tree_directory(*state, "sys/class/infiniband/mlx5_0");
	tree_directory(*state, "sys/class/infiniband/rdma0");
	rooted_expect(*state, rename_it, &good, "read: 'rdma0'\n");
	rooted_expect(*state, rename_it, &bad, lost);
	rooted_expect(*state, rename_it, &refused, taken);
	tree_delete(*state, "sys/class/infiniband/mlx5_0");
	rooted_expect(*state, rename_it, &good,
		      "note /sys/class/infiniband here belongs to another network namespace\n"
		      "read: 'rdma0'\n");
}

/* The first number that no device has. */
static void tell_free_names(const struct saved_tree *tree, FILE *out, void *context)
{
	static const char *const types[] = {"rxe", "siw"};

	(void)tree, (void)context;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		_cleanup_(freep) char *name = software_link_free_name(types[i]);

		fprintf(out, "%s\n", name);
	}
}

static void free_names(void **state)
{
	rooted_expect(*state, tell_free_names, NULL, "rxe0\nsiw0\n");
	tree_directory(*state, "sys/class/infiniband/rxe0");
	tree_directory(*state, "sys/class/infiniband/rxe1");
	tree_directory(*state, "sys/class/infiniband/rxe3");
	tree_directory(*state, "sys/class/infiniband/siw1");
	rooted_expect(*state, tell_free_names, NULL, "rxe2\nsiw0\n");
}

/* Modules that the kernel cannot load: forbidden, not installed, or for an unknown reason. */
static void explain_module(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct link_wish wish = {context, "eth0"};
	struct change change = {.setting = &link_setting};

	(void)tree;
	link_explain_add(&change, &wish, -EINVAL);
	tell(out, &change);
}

static void modules(void **state)
{
	_cleanup_(freep) char *list = NULL, *missing = NULL;
	char rxe[] = "rxe", siw[] = "siw";
	struct utsname names;

	assert_int_equal(uname(&names), 0);
	list = mem_format("lib/modules/%s/modules.dep", names.release);
	missing = mem_format("reason Linux %s is installed without the module rdma_rxe\n"
			     "next install the package with the additional modules of Linux %s "
			     "(linux-modules-extra, kernel-modules-extra), or another kernel\n",
			     names.release, names.release);
	tree_directory(*state, "sys/module");
	/* Without a list, it is unknown what is installed. */
	rooted_expect(*state, explain_module, rxe,
		      "reason the kernel could not load the module rdma_rxe\n"
		      "next modprobe rdma_rxe says why\n");
	tree_write(*state, list,
		   "kernel/drivers/infiniband/sw/siw/siw.ko: kernel/x.ko\nkernel/x.ko:");
	rooted_expect(*state, explain_module, siw,
		      "reason the kernel could not load the module siw\n"
		      "next modprobe siw says why\n");
	rooted_expect(*state, explain_module, rxe, missing);
	tree_write(*state, "etc/modprobe.d/no.conf", "# no\ninstall siw /bin/false");
	rooted_expect(*state, explain_module, siw,
		      "reason the kernel is not allowed to load the module siw: "
		      "/etc/modprobe.d/no.conf:2\n"
		      "next remove 'install siw /bin/false' from /etc/modprobe.d/no.conf:2\n");
	/* The module is there, so it is the netdev that does not fit. */
	tree_directory(*state, "sys/module/siw");
	rooted_expect(*state, explain_module, siw,
		      "reason siw does not work on a netdev such as eth0\n"
		      "next choose an Ethernet netdev\n");
}

struct software {
	const char *object, *wanted;
};

static void plan_software(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct software *software = context;
	struct change_host host = {.nldev = NULL};
	struct changes changes = {.items = NULL};
	const struct change *change = changes_add(&changes, &host, &link_setting, software->object,
						  software->wanted);

	(void)tree;
	changes_prepare(&changes, CHANGE_DRY);
	fprintf(out, "%s %u\n", change->before, (unsigned int)change->state.value);
	tell(out, change);
	if (change->undo)
		fprintf(out, "undo %s\n", change->undo);
}

/* What can be made on a netdev, before the kernel is asked; and what is already being removed. */
static void software_devices(void **state)
{
	struct software good = {"rxe0", "rxe on eth0"}, vlan = {"rxe0", "rxe on v7"},
			on_vlan = {"siw0", "siw on v7"}, none = {"rxe0", "rxe on eth9"},
			gone = {"rxe0", CHANGE_ABSENT}, leaving = {"gone9", CHANGE_ABSENT};

	tree_directory(*state, "sys/module");
	tree_write(*state, "sys/class/net/eth0/ifindex", "11");
	tree_write(*state, "sys/class/net/eth0/type", "1");
	tree_write(*state, "sys/class/net/v7/ifindex", "12");
	tree_write(*state, "sys/class/net/v7/type", "1");
	tree_write(*state, "sys/class/net/v7/uevent", "DEVTYPE=vlan\nINTERFACE=v7");
	rooted_expect(*state, plan_software, &good,
		      "absent 0\nnote the kernel loads the module rdma_rxe for it\n"
		      "undo rdmactl link del rxe0\n");
	rooted_expect(*state, plan_software, &vlan,
		      "absent 3\nreason v7 is a VLAN, on which the kernel allows no device of type "
		      "rxe\nnext create it on the netdev below the VLAN: it also gets the VLAN's "
		      "addresses as GIDs\n");
	tree_directory(*state, "sys/module/siw");
	rooted_expect(*state, plan_software, &on_vlan, "absent 0\nundo rdmactl link del siw0\n");
	rooted_expect(*state, plan_software, &none,
		      "absent 3\nreason no netdev 'eth9'\n"
		      "next ip link lists those of this network namespace\n");
	rooted_expect(*state, plan_software, &gone,
		      "absent 1\nnote there is no software device rxe0, so nothing is deleted\n");
	tree_directory(*state, "sys/class/infiniband/gone9");
	rooted_expect(*state, plan_software, &leaving,
		      "leaving 3\nreason gone9 is being deleted, and waits until it is no longer "
		      "used\nnext end the processes that use it\n");
}

/* Settings of rdma_cm: the file of this port and of no other. */
static void set_defaults(const struct saved_tree *tree, FILE *out, void *context)
{
	static const char *const values[][2] = {{"roce-v1", "7"}, {"roce-v2", "106"}};
	const char *device = context;

	(void)tree;
	for (size_t i = 0; i < 2; i++) {
		struct change change = {.setting = cma_setting_table[i],
					.data = mem_string(device),
					.port = {2, true}};

		for (size_t j = 0; j < ARRAY_SIZE(values); j++) {
			read_into(out, &change);
			write_and_tell(out, &change, values[j][i]);
		}
		fprintf(out, "path %s\n", change.path);
	}
	for (unsigned int port = 1; port <= 2; port++) {
		struct number tos = cma_default_tos(device, port);

		fprintf(out, "tos %d\n", tos.known ? (int)tos.value : -1);
	}
}

/* Finds the device that has that index now, not the one that has its old name. */
static void set_default_of_renamed(const struct saved_tree *tree, FILE *out, void *context)
{
	struct machine machine = {.device = "rdma0"};
	struct change_host host = {.nldev = NULL};
	struct change change = {.host = &host,
				.setting = cma_setting_table[1],
				.data = mem_string("mlx5_0"),
				.device_index = {DEVICE_INDEX, true},
				.port = {1, true}};

	(void)tree, (void)context;
	start(&machine, &host);
	read_into(out, &change);
	write_and_tell(out, &change, "106");
	fprintf(out, "tos %d %d\n", (int)cma_default_tos("mlx5_0", 1).value,
		(int)cma_default_tos("rdma0", 1).value);
}

static void rdma_cm_of_renamed(void **state)
{
	tree_write(*state, "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "9");
	tree_write(*state, "sys/kernel/config/rdma_cm/rdma0/ports/1/default_roce_tos", "5");
	rooted_expect(*state, set_default_of_renamed, NULL, "read: '5'\ntos 9 106\n");
}

static void rdma_cm(void **state)
{
	_cleanup_(freep) char *none = mem_format("read: %s\nwrite: %s\nreason "
						 "there is no /sys/kernel/config/rdma_cm: rdma_cm "
						 "is not loaded, or configfs is not mounted\nnext "
						 "modprobe rdma_cm; mount -t configfs none "
						 "/sys/kernel/config\n",
						 strerror(ENOSYS), strerror(ENOSYS));
	_cleanup_(freep) char *all = mem_format("%s%spath /sys/kernel/config/rdma_cm\n", none,
						none);
	_cleanup_(freep) char *twice = mem_format("%s%stos -1\ntos -1\n", all, all);
	char device[] = "mlx5_0";

	rooted_expect(*state, set_defaults, device, twice);
	tree_write(*state, "sys/kernel/config/rdma_cm/mlx5_0/ports/2/default_roce_mode", "RoCE v2");
	tree_write(*state, "sys/kernel/config/rdma_cm/mlx5_0/ports/2/default_roce_tos", "0");
	tree_write(*state, "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "9");
	rooted_expect(*state, set_defaults, device,
		      "read: 'roce-v2'\nread: 'roce-v1'\npath /sys/kernel/config/rdma_cm\n"
		      "read: '0'\nread: '7'\npath /sys/kernel/config/rdma_cm\n"
		      "tos 9\ntos 106\n");
}

/* A directory made for reading is removed again, and a name cannot lead elsewhere. */
static void read_none(const struct saved_tree *tree, FILE *out, void *context)
{
	static const char *const names[] = {"mlx5_9", "mlx5_8", "", ".", "..", "a/b"};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[SYSFS_TEXT_SIZE];
		const ssize_t length = cma_defaults_read(NULL, names[i], 1, CMA_TOS, text);

		if (length < 0)
			fprintf(out, "%s\n", strerror((int)-length));
		else
			fprintf(out, "%s\n", text);
	}
	/* A directory made for a write that fails is removed, too. */
	fprintf(out, "%s\n", strerror(-cma_defaults_write(names[0], 1, CMA_TOS, "5")));
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(freep) char *path = mem_format("sys/kernel/config/rdma_cm/%s", names[i]);

		fprintf(out, "%s\n", faccessat(tree->root.fd, path, F_OK, 0) ? "gone" : "there");
	}
}

static void rdma_cm_of_none(void **state)
{
	const char *none = strerror(ENODEV);
	_cleanup_(freep) char *wanted = mem_format("%s\n5\n%s\n%s\n%s\n%s\n%s\ngone\nthere\n", none,
						   none, none, none, none, none);

	tree_write(*state, "sys/kernel/config/rdma_cm/mlx5_8/ports/1/default_roce_tos", "5");
	rooted_expect(*state, read_none, NULL, wanted);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(ways),
		TEST(ways_back),
		TEST(way_of_lines),
		TEST(daemons_of_lines),
		TEST(way_of_mosh),
		TEST(ways_not_seen),
		TEST(netns),
		TEST(ports),
		TEST(descriptions),
		TEST(daemons),
		TEST(files_of_devices),
		TEST(renamed),
		TEST(free_names),
		TEST(modules),
		TEST(software_devices),
		TEST(rdma_cm),
		TEST(rdma_cm_of_renamed),
		TEST(rdma_cm_of_none),
	};

	if (rooted_is_possible())
		return cmocka_run_group_tests(tests, NULL, NULL);
	puts("1..0 # SKIP this process can have no other root");
	return 0;
}
