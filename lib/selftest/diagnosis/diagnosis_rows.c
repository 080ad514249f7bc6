/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis_rows.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <limits.h>

#include "base/mem.h"
#include "host/port.h"
#include "base/gid.h"

#define ANY INT_MIN

#define KERNEL_LOG \
	"look at the kernel logs of both hosts (dmesg) and the firmware version (rdmactl devices)"
#define START	  "start there: {serve}"
#define ADVICE	  "run on the other host: {serve}"
#define ROUTE	  "ip route get {peer} shows how the kernel routes it"
#define CONTAINER "a container needs --device /dev/infiniband"
#define SM	  "rdmactl smp sminfo shows whether a subnet manager runs; opensm is one"
#define REJECTION "look at the program there: its messages, and the kernel log (dmesg)"
/* Packets of adapters bypass the kernel; rxe (rxe_net.c) and siw (siw_cm.c) use its sockets. */
#define HOST_FIREWALLS "for rxe and siw also the firewalls of both hosts (nft list ruleset)"
#define SECURITY_GROUP                                                                          \
	"both adapters must be in a security group that allows all traffic from itself and to " \
	"itself, inbound and outbound"
#define UNSENT "{lead}: {near} has not sent a single packet"
#define LOST \
	"{lead}: packets are lost on the path, though some get through: {sent}, {arrived}{again}"
#define OVER_LIMIT "cannot lock {wanted} for {device}: RLIMIT_MEMLOCK is {limit}"
#define RAISE_LIMIT                                                              \
	"raise it: ulimit -l unlimited (memlock in /etc/security/limits.conf), " \
	"LimitMEMLOCK=infinity in a systemd unit, --ulimit memlock=-1 for a container"
#define MTUS_DIFFER "the MTUs differ: {near} has {near_mtu} bytes, {far} has {far_mtu}"
#define GID_GONE    "GID index {gid_index} of {gid_port}, {gid}, was removed during the test"
#define UNPROVEN                                                                                \
	"a packet from {far} to GID {gid} of {near} did not arrive, so the server cannot tell " \
	"whose port that is, and runs no tests with it"

static const struct diagnosis_row {
	unsigned int list;
	int code;
	const char *sentence; /* NULL: the row shares the texts of the next one */
	const char *hint;     /* NULL: there is nothing to do */
} rows[] = {
	{LIST_STOP, STOP_INTERRUPTED, "interrupted before the test was done", NULL},
	{LIST_STOP, STOP_DEVICE_GONE, "device {device} was removed during the test",
	 "look for the cause in the kernel log (dmesg): a driver unloaded, rdmactl link del, a "
	 "reset of the adapter"},
	{LIST_STOP, STOP_PORT_DOWN, "port {near} went down during the test",
	 "rdmactl ports {near} shows its state now, the kernel log (dmesg) when it went down"},

	{LIST_LEFT, STOP_TIMED_OUT,
	 "{peer} ended the exchange during the test: it heard nothing from this side for longer "
	 "than its --idle",
	 "start it there with a larger --idle, or ask for less at a time: fewer --iterations"},
	{LIST_LEFT, STOP_INTERRUPTED,
	 "{peer} ended the exchange during the test: its rdmactl was stopped, or this side reached "
	 "its time limit for a client",
	 START},
	{LIST_LEFT, ANY,
	 "{peer} ended the exchange during the test: its rdmactl was stopped or killed", START},

	{LIST_TIMEOUT, true,
	 "{peer} stopped answering, with no reply for {msec} ms: its rdmactl was stopped, the host "
	 "hangs, or the network to it broke",
	 "ping {peer} shows whether it can be reached; then " START},
	{LIST_TIMEOUT, ANY,
	 "{peer} did not answer within {msec} ms on TCP port {port}: another program may listen "
	 "there, or the host hangs",
	 START},

	{LIST_REFUSAL, REFUSAL_VERSION},
	{STAGE_HANDSHAKE, EPROTONOSUPPORT,
	 "this side speaks version {version} of the exchange protocol, {peer} speaks {versions}",
	 "install the same release on both hosts: rdmactl --version shows it"},
	{LIST_REFUSAL, REFUSAL_TOKEN, "{peer} refused: the token is missing or wrong{refusal}",
	 "give the same token on both sides: --token or RDMACTL_TOKEN"},
	{LIST_REFUSAL, REFUSAL_BUSY, "{peer} refused: it accepts no more clients now{refusal}",
	 "wait until other tests end, or start the server there with a larger --max-clients or "
	 "--memory: one address may use half of them, and --all-ports is one client per port"},
	{LIST_REFUSAL, REFUSAL_LIMIT,
	 "{peer} refused: the test asks for more than it grants{refusal}",
	 "ask for less: smaller --sizes, fewer --qps or a smaller --depth"},
	{LIST_REFUSAL, REFUSAL_ORDER,
	 "{peer} refused: it does not accept a request with these values{refusal}",
	 "the releases may be incompatible: compare rdmactl --version on both hosts"},
	{LIST_REFUSAL, REFUSAL_NO_PORT,
	 "{peer} refused: it has no matching active port and GID{refusal}",
	 "rdmactl gids lists them there; {choose}"},

	{STAGE_TCP, ECONNREFUSED,
	 "{peer} refused the connection: nothing listens on its TCP port {port}", START},
	{STAGE_TCP, ETIMEDOUT,
	 "no answer from {peer} on TCP port {port}: a firewall drops it, or the address is wrong",
	 "ping {peer}, and let TCP port {port} pass in its firewall (nft list ruleset)"},
	{STAGE_TCP, EHOSTUNREACH,
	 "{peer} cannot be reached: no host answers for the address, or a firewall rejects it",
	 "ping {peer}: if it answers, let TCP port {port} pass in its firewall (nft list ruleset); "
	 "ip neigh shows FAILED if there is no such host"},
	{STAGE_RESOLVE, ANY},
	{STAGE_TCP, ENETUNREACH},
	{STAGE_TCP, EHOSTDOWN, "no route to {peer}: {error}", ROUTE},
	{STAGE_TCP, ANY, "cannot connect to {peer} on TCP port {port}: {error}",
	 "ping {peer} shows whether the host is up"},

	{STAGE_HANDSHAKE, EPROTO},
	{STAGE_HANDSHAKE, EBADMSG},
	{STAGE_HANDSHAKE, EMSGSIZE,
	 "the program on TCP port {port} of {peer} does not speak this protocol", START},
	{STAGE_HANDSHAKE, ETIMEDOUT,
	 "{peer} accepted the connection on TCP port {port} but sent nothing", START},
	{STAGE_HANDSHAKE, 0, "{peer} closed the connection during the exchange", START},
	{STAGE_HANDSHAKE, ANY, "{peer} closed the connection during the exchange: {error}", START},

	{STAGE_LIBRARY, ENOSYS},
	{STAGE_LIBRARY, ENOENT, "the kernel does not offer verbs to programs",
	 "modprobe -a ib_uverbs rdma_ucm"},
	{STAGE_LIBRARY, ANY, "libibverbs or librdmacm cannot be loaded: {error}",
	 "install them: libibverbs1, librdmacm1 and ibverbs-providers, or rdma-core"},

	{STAGE_OPEN, EACCES},
	{STAGE_OPEN, EPERM, "cannot open the uverbs device file of {device}: {error}",
	 "run as root, or join the group that ls -l /dev/infiniband shows; " CONTAINER},
	{STAGE_OPEN, ENOENT},
	{STAGE_OPEN, ENXIO},
	{STAGE_OPEN, ENOSYS, "{device} has no uverbs device file",
	 "modprobe ib_uverbs; " CONTAINER},
	{STAGE_OPEN, ENODEV,
	 "libibverbs does not know {device}: its provider library or its uverbs device file is "
	 "missing",
	 "install the providers (ibverbs-providers, or rdma-core) and look for "
	 "/dev/infiniband/uverbs*"},
	{STAGE_OPEN, ANY, "cannot open {device}: {error}", KERNEL_LOG},

	{LIST_MEMORY, MEMORY_OTHER, "cannot register {wanted} for {device}: {error}", KERNEL_LOG},
	{LIST_MEMORY, MEMORY_UNLIMITED,
	 "cannot register {wanted} for {device}: {error}, though RLIMIT_MEMLOCK sets no limit",
	 "free memory on the host, or ask for less with --sizes, --qps and --depth"},
	{LIST_MEMORY, MEMORY_LIMIT_UNKNOWN, "cannot register {wanted} for {device}: {error}",
	 "free memory on the host, or ask for less with --sizes, --qps and --depth; ulimit -l "
	 "shows the limit of locked memory"},
	{LIST_MEMORY, MEMORY_WITHIN_LIMIT,
	 OVER_LIMIT ", which also counts memory that is already locked", RAISE_LIMIT},
	{LIST_MEMORY, MEMORY_OVER_LIMIT, OVER_LIMIT, RAISE_LIMIT},

	{STAGE_CREATE_QP, EINVAL,
	 "{device} cannot create such queues: they have more entries, elements or inline data than "
	 "it supports",
	 "ask for less with --depth and --qps; rdmactl caps {device} shows its limits"},
	/*
	 * The driver's queues are also locked memory; but mlx5's firmware has limits of its own:
	 * cmd_status_to_err(), mlx5/core/cmd.c.
	 */
	{STAGE_CREATE_QP, ENOMEM, "{device} cannot create queues: {error}",
	 "ask for less with --depth and --qps: the memory of the host, the limit of locked memory "
	 "(ulimit -l) or the capacity of the device (rdmactl resources) is used up"},
	{STAGE_CREATE_QP, EOPNOTSUPP},
	{STAGE_CREATE_QP, ENOSYS, "{device} does not support queue pairs of that type",
	 "rdmactl caps {device} shows what it supports"},
	{STAGE_CREATE_QP, ANY, "{device} cannot create queues: {error}", KERNEL_LOG},

	{STAGE_CONNECT_QP, ETIMEDOUT},
	{STAGE_CONNECT_QP, EHOSTUNREACH},
	{STAGE_CONNECT_QP, EHOSTDOWN,
	 "no host answers for the GID of {far}: {netdev} finds no hardware address for it",
	 "ip neigh show dev {netdev} shows FAILED for it: both GIDs must be in one subnet, or a "
	 "router must connect theirs"},
	{STAGE_CONNECT_QP, ENETUNREACH, "no route from {near} to the GID of {far}",
	 "ip route get ADDRESS shows how the kernel routes the address of that GID (rdmactl gids)"},
	{STAGE_CONNECT_QP, ANY, "{near} cannot connect its queue pair to {far}: {error}",
	 "check that the GID still exists: rdmactl gids {near}; then look at the kernel log "
	 "(dmesg)"},

	{STAGE_CM, EACCES},
	{STAGE_CM, EPERM, "cannot open /dev/infiniband/rdma_cm: {error}",
	 "run as root, or give the group of the device file access (ls -l "
	 "/dev/infiniband); " CONTAINER},
	{STAGE_CM, ENOENT},
	{STAGE_CM, ENXIO},
	{STAGE_CM, ENOSYS, "there is no device file /dev/infiniband/rdma_cm",
	 "modprobe rdma_ucm; " CONTAINER},
	{STAGE_CM, ENODEV},
	{STAGE_CM, EADDRNOTAVAIL, "librdmacm finds no RDMA device for the address of {near}",
	 "the netdev of an RDMA device must have that address: rdmactl netdevs, ip addr"},
	{STAGE_CM, EADDRINUSE, "another program uses port {port} of librdmacm",
	 "choose another --port; rdmactl resources cm_id lists the programs"},
	{STAGE_CM, EXDEV, "rdma_cm uses device {call} for the address of {near}",
	 "two RDMA devices share this address, and rdma_cm can only use one of them: test that "
	 "one, or remove it"},
	{STAGE_CM, ETIMEDOUT, "{near} got no answer to its connection request from {far}",
	 "rdma_cm uses the IP addresses of the RDMA netdevs: check them and the routes between "
	 "them, and let UDP port 4791 (RoCE v2) pass; rping runs the same test"},
	{STAGE_CM, ANY, "{call} failed on {near}: {error}", "look at the kernel log (dmesg)"},

	{LIST_CM_ADDRESS, ENODEV, "the route to {peer} leaves by a netdev without an RDMA device",
	 "ip route get {peer} shows the netdev, rdmactl netdevs those with an RDMA device"},
	{LIST_CM_ADDRESS, ETIMEDOUT},
	{LIST_CM_ADDRESS, EHOSTUNREACH, "no host answers for the address of {peer}",
	 "ping {peer}; ip neigh shows FAILED if there is no such host"},
	{LIST_CM_ADDRESS, ANY, "no route to {peer}: {cm_error}", ROUTE},

	{LIST_CM_GROUP, ENODEV,
	 "the route to the multicast group {group} leaves by a netdev without an RDMA device",
	 "ip route get {group} shows the netdev, rdmactl netdevs those with an RDMA device"},
	{LIST_CM_GROUP, ETIMEDOUT, "{near} could not join the multicast group {group} in time",
	 "on InfiniBand the subnet manager admits members: rdmactl smp sminfo shows whether one "
	 "runs"},
	{LIST_CM_GROUP, ANY, "no route to the multicast group {group}: {cm_error}",
	 "ip route get {group} shows how the kernel routes it"},

	{LIST_CM_ROUTE, CARRIER_INFINIBAND,
	 "the subnet manager knows no path from {near} to {far}: {cm_error}",
	 "rdmactl smp sminfo shows whether one runs; both ports must be in one subnet and one "
	 "partition (rdmactl pkeys)"},
	{LIST_CM_ROUTE, ANY, "no path from {near} to {far}: {cm_error}", ROUTE},

	{LIST_CM_REJECTED, REJECT_SERVICE_ID,
	 "{far} refused the connection: nothing listens on port {port} of its librdmacm", START},
	/*
	 * iWARP drivers differ in which of the two they report: siw_proc_mpareply(), siw_cm.c, and
	 * irdma_cm_event_handler(), irdma/cm.c.
	 */
	{LIST_CM_REJECTED, -ECONNRESET},
	{LIST_CM_REJECTED, -ECONNREFUSED,
	 "{far} refused the connection: nothing listens on port {port} of its librdmacm, or the "
	 "program there rejected it",
	 START},
	{LIST_CM_REJECTED, ANY, "{far} rejected the connection: {cm_error} (reason {cm_status})",
	 REJECTION},

	{LIST_CM_MULTICAST, CARRIER_INFINIBAND,
	 "{near} could not join the multicast group: status {cm_status}",
	 "the subnet manager admits members: rdmactl smp sminfo shows whether one runs"},
	{LIST_CM_MULTICAST, ANY, "{near} could not join the multicast group: status {cm_status}",
	 "the switches must pass multicast (IGMP), and the adapter must support it: rdmactl caps"},

	{LIST_CM_EVENT, 1, "librdmacm gave up on {far}: {cm_event}, {cm_error}",
	 "look at the kernel logs of both hosts (dmesg)"},
	{LIST_CM_EVENT, ANY, "librdmacm gave up on {far}: {cm_event}, status {cm_status}",
	 "look at the kernel logs of both hosts (dmesg)"},

	{STAGE_TRANSFER, EOVERFLOW,
	 "a completion queue of {device} is in error (IBV_EVENT_CQ_ERR): it overflowed, and "
	 "completions are lost",
	 "try a smaller --depth; if that does not help, report it to the maker of the device, with "
	 "its firmware version (rdmactl devices)"},
	{STAGE_TRANSFER, ENOTRECOVERABLE,
	 "a shared receive queue of {device} is in error (IBV_EVENT_SRQ_ERR): it takes no more "
	 "messages",
	 "look at the kernel log (dmesg), and report it to the maker of the device, with its "
	 "firmware version (rdmactl devices)"},
	{STAGE_TRANSFER, ANY, "the transfer from {near} to {far} failed: {error}", KERNEL_LOG},
	{LIST_STATUS, IBV_WC_RNR_RETRY_EXC_ERR,
	 "{far} was not ready to receive ({status}): it had no receive buffer posted when the "
	 "messages came{rnr}",
	 "the program there is too slow or hangs: try a smaller --depth, and check its load (top)"},
	{LIST_STATUS, ANY, "{near} to {far}: {status} (status {status_number}): {meaning}",
	 KERNEL_LOG},

	{LIST_MTU, CARRIER_INFINIBAND, MTUS_DIFFER,
	 "the subnet manager sets the MTU of InfiniBand ports: rdmactl smp portinfo LID shows what "
	 "each port supports"},
	/* The adapter determines it: efa_query_port(), efa_verbs.c. */
	{LIST_MTU, CARRIER_EFA, MTUS_DIFFER,
	 "the MTU of an EFA adapter is fixed: compare the adapter models (rdmactl devices -o "
	 "+pci_device_id on both hosts)"},
	/* It is the netdev's MTU less the headers: iboe_get_mtu(), include/rdma/ib_addr.h. */
	{LIST_MTU, ANY, MTUS_DIFFER,
	 "set the same MTU on the netdevs of both sides and on the switches between them: "
	 "{smaller_netdev} has the smaller one (a netdev MTU of 1500 gives 1024, 4200 gives 4096)"},

	{LIST_GID, CARRIER_INFINIBAND, GID_GONE,
	 "rdmactl gids{gid_host} shows the current GIDs; the subnet manager assigns a port its "
	 "prefix"},
	{LIST_GID, CARRIER_EFA, GID_GONE,
	 "the GID comes from the adapter itself: rdmactl gids{gid_host} shows the current GIDs, "
	 "and the kernel log (dmesg) whether the adapter was reset"},
	{LIST_GID, ANY, GID_GONE,
	 "give {gid_netdev}{gid_host} that address again (ip addr show dev {gid_netdev}), or name "
	 "another entry with {gid_option}: rdmactl gids"},

	{LIST_BLOCKED, CARRIER_ROCE_V2, "UDP port 4791 (RoCE v2) seems to be blocked",
	 "let UDP port 4791 pass in both directions: check the access lists of the network between "
	 "the hosts, and " HOST_FIREWALLS "; if rdmactl selftest --test rc-one-byte passes, the "
	 "path has a smaller MTU than the ports"},
	{LIST_BLOCKED, CARRIER_ROCE_V1, "RoCE v1 frames (Ethertype 0x8915) do not get through",
	 "no router forwards them: both ports must be in one VLAN; or choose RoCE v2 GIDs with "
	 "--gid-index"},
	{LIST_BLOCKED, CARRIER_IWARP, "iWARP's TCP segments do not get through",
	 "check the path between the hosts (ip route get, ping), and " HOST_FIREWALLS},
	{LIST_BLOCKED, CARRIER_INFINIBAND, "packets do not get from LID to LID",
	 "check the path with rdmactl fabric route LID LID; both ports must be in one subnet and "
	 "one partition, at least one of them as a full member (rdmactl pkeys); rdmactl selftest "
	 "--pkey tries another P_Key"},
	{LIST_BLOCKED, CARRIER_EFA, "EFA's packets do not get through", SECURITY_GROUP},
	{LIST_BLOCKED, ANY, "packets do not get through", "check the path between the two ports"},

	{LIST_UNPROVEN, CARRIER_ROCE_V2, UNPROVEN,
	 "let UDP port 4791 (RoCE v2) pass, or give --peer an address in the network of that GID"},
	{LIST_UNPROVEN, CARRIER_ROCE_V1, UNPROVEN,
	 "no router forwards RoCE v1: both ports must be in one VLAN; or choose RoCE v2 GIDs with "
	 "--gid-index and --peer-gid-index"},
	{LIST_UNPROVEN, CARRIER_IWARP, UNPROVEN,
	 "give --peer an address in the network of that port"},
	{LIST_UNPROVEN, CARRIER_INFINIBAND, UNPROVEN,
	 "see whether both ports are in one subnet: rdmactl ports"},
	{LIST_UNPROVEN, CARRIER_EFA, UNPROVEN, SECURITY_GROUP},
	{LIST_UNPROVEN, ANY, UNPROVEN, "check the path between the two ports"},

	{LIST_DELIVERY, DELIVERY_NO_LID, "{lead}: port {without_lid} has no LID",
	 "no subnet manager has configured it: " SM},
	{LIST_DELIVERY, DELIVERY_BLOCKED, "{lead}: {blocked}{lids}: {sent}, {arrived}",
	 "{unblock}"},
	{LIST_DELIVERY, DELIVERY_BLOCKED_BACK,
	 "{lead}: {blocked} on the return path{lids}: {arrived}, but {near} received no packets",
	 "{unblock}"},
	{LIST_DELIVERY, DELIVERY_UNKNOWN,
	 "{lead}: {sent}{none_back}; whether they arrived is unknown, because the counters of "
	 "{uncounted} are not known",
	 "if no packet arrived there: {unblock}"},
	{LIST_DELIVERY, DELIVERY_ARRIVED,
	 "{lead}, and the counters show no lost packets: {sent}, {arrived}{again}",
	 "a program, driver or adapter of one side may have stopped: look at the load (top) and "
	 "the kernel logs (dmesg) of both hosts, and run it again; if other programs use these "
	 "ports, their packets can hide a loss"},

	{LIST_UNSENT, CARRIER_INFINIBAND},
	{LIST_UNSENT, CARRIER_EFA, UNSENT,
	 "the port or its firmware holds them back: look at the kernel log (dmesg)"},
	{LIST_UNSENT, ANY, UNSENT,
	 "the port, its netdev or its firmware holds them back: look at ip neigh and the kernel "
	 "log (dmesg)"},

	{LIST_LOST, CARRIER_INFINIBAND, LOST,
	 "look for ports with errors on the path: rdmactl fabric errors; then check cables and "
	 "buffers"},
	{LIST_LOST, CARRIER_EFA, LOST,
	 "see whether an adapter drops them: rdmactl counters shows rx_discards, on both hosts"},
	{LIST_LOST, ANY, LOST,
	 "look for drops on the path (ip -s link show {netdev}, ethtool -S, the switches' "
	 "counters), for flow control (PFC) that is not enabled everywhere, and for an MTU between "
	 "the ports that is smaller than theirs (ping -M do -s SIZE)"},

	{LIST_INTEROP_REFUSED, ANY, "{detail}", NULL},
	{LIST_INTEROP_BYTES, -1,
	 "messages of {bytes} bytes: {program} accepts no less than {detail}",
	 "give a larger size"},
	{LIST_INTEROP_BYTES, ANY, "messages of {bytes} bytes: the test goes up to {detail}",
	 "give a smaller size"},
	{LIST_INTEROP_ITERATIONS, -1, "{iterations} messages at once: the test goes up to {detail}",
	 "give fewer iterations"},
	{LIST_INTEROP_ITERATIONS, -2,
	 "{iterations} iterations: {program} accepts no less than {detail}",
	 "give more iterations"},
	{LIST_INTEROP_ITERATIONS, ANY, "{iterations} iterations: {program} counts up to {detail}",
	 "give fewer iterations"},
	{LIST_INTEROP_THREAD, ANY, "cannot start a thread: {error}", NULL},
	{LIST_INTEROP_IWARP, EOPNOTSUPP, "iWARP has no datagrams, and so no multicast groups",
	 "rping uses connections: try --proto rping"},
	{LIST_INTEROP_IWARP, ANY,
	 "only rdma_cm can connect iWARP queue pairs, and {program} does not use it on this side",
	 "rping uses rdma_cm: try --proto rping"},
	{LIST_INTEROP_LISTEN, EADDRINUSE, "cannot listen on TCP port {port}: {error}",
	 "choose another --port: ss -ltnp lists the programs"},
	{LIST_INTEROP_LISTEN, EADDRNOTAVAIL, "cannot listen on TCP port {port}: {error}",
	 "ip addr shows the addresses of this host"},
	{LIST_INTEROP_LISTEN, ANY, "cannot listen on TCP port {port}: {error}", NULL},
	{LIST_INTEROP_IPV6, ANY,
	 "{peer} refused the connection: nothing listens on TCP port {port} of that IPv6 address",
	 "{program} usually listens on IPv4 addresses only: give the host's IPv4 address (its GID "
	 "may still be IPv6); start there: {serve}"},
	{LIST_INTEROP_ADDRESS, -1,
	 "the {program} on {peer} was started without -g: RoCE needs a GID", ADVICE},
	{LIST_INTEROP_ADDRESS, ANY,
	 "GIDs of different families cannot talk to each other: {peer} has {detail}", ADVICE},
	{LIST_INTEROP_CLOSED, 1,
	 "{peer} closed the connection after it got this side's address: its {program} cannot "
	 "connect to it, for example without -g, or with a GID of another type or family",
	 ADVICE},
	{LIST_INTEROP_CLOSED, ANY,
	 "{peer} closed the connection: its {program} ended, and its output there says why",
	 ADVICE},
	{LIST_INTEROP_LINE, EPROTO,
	 "the program that connected from {peer} is not {program}: its first bytes are not an "
	 "address",
	 ADVICE},
	{LIST_INTEROP_LINE, ETIMEDOUT, "{peer} is connected, but sent nothing for {detail} ms",
	 ADVICE},
	{LIST_INTEROP_LINE, EHOSTDOWN,
	 "{peer} is connected, but its host no longer answers: TCP gave up the connection",
	 "ping {peer} shows whether the host is up"},
	{LIST_INTEROP_LINE, ANY, "{peer} closed the connection before the addresses were exchanged",
	 ADVICE},
	{LIST_INTEROP_DEVICE, ANY, "librdmacm uses device {detail} for that address, not {device}",
	 "rdmactl netdevs shows which device has which address"},
	{LIST_INTEROP_NO_IP, ANY, "{device} has no IP address, which librdmacm needs",
	 "add one to its netdev: ip addr add"},
	{LIST_INTEROP_STOPPED, 1,
	 "{peer} stopped after {done} of {iterations} iterations ({detail}): its {program} ended, "
	 "or its options ask for fewer",
	 "start it again on {peer}: {serve}"},
	{LIST_INTEROP_STOPPED, ANY,
	 "{peer} stopped after {done} iterations ({detail}): its {program} ended",
	 "start it again on {peer}: {serve}"},
	{LIST_INTEROP_SILENT, GID_TYPE_ROCE_V2,
	 "{peer} connected, but its first message did not arrive within {msec} ms",
	 "let UDP port 4791 (RoCE v2) pass: check the network between the hosts, "
	 "and " HOST_FIREWALLS "; otherwise its options may be wrong: " ADVICE},
	{LIST_INTEROP_SILENT, ANY,
	 "{peer} connected, but its first message did not arrive within {msec} ms",
	 "its options may be wrong: " ADVICE},
	{LIST_INTEROP_TOO_LONG, -1,
	 "{peer} sends messages of more than {bytes} bytes ({detail}): its {program} has a larger "
	 "size",
	 ADVICE},
	{LIST_INTEROP_TOO_LONG, ANY,
	 "{peer} does not accept messages of {bytes} bytes in packets of up to {mtu} ({detail}): "
	 "its {program} has a smaller size, or another MTU",
	 ADVICE},
	{LIST_INTEROP_DATA, ANY, "wrong data in iteration {next}: {detail} of {bytes} bytes differ",
	 "data were damaged in transit: look at the counters of both ports, and for memory and "
	 "PCIe errors in the kernel logs (dmesg)"},
	{LIST_INTEROP_LENGTH, ANY, "{peer} sends messages of {detail} bytes instead of {bytes}",
	 ADVICE},
	{LIST_INTEROP_RPING_LENGTH, ANY, "{peer} sent a message of {detail} bytes: rping's have 16",
	 ADVICE},
	{LIST_INTEROP_RPING_MOVE, ANY, "{peer} asks to move {detail} bytes: rping moves 1 to 65535",
	 ADVICE},
	{LIST_INTEROP_NO_ROUND, 1,
	 "{peer} disconnected before the first round was done: its {program} gives up if its -S is "
	 "smaller than {bytes}",
	 ADVICE},
	{LIST_INTEROP_NO_ROUND, ANY, "{peer} connected and disconnected without a complete round",
	 ADVICE},
	{LIST_INTEROP_LOST, ANY,
	 "nothing arrived for {msec} ms after {done} of {iterations} iterations: {program} ended, "
	 "or one of its messages or ours was lost, and nothing retransmits it",
	 "start both again; if it happens again, packets are lost: look at the counters of both "
	 "ports and at ip -s link show {netdev}"},
	{LIST_INTEROP_QPS, -1,
	 "the {program} on {peer} has more than {detail} queue pairs, the limit of this side",
	 ADVICE},
	{LIST_INTEROP_QPS, ANY,
	 "the {program} on {peer} has {detail} queue pairs, and both sides need the same number",
	 ADVICE},
	{LIST_INTEROP_VERSION, ANY,
	 "the {program} on {peer} is from perftest {detail}, but this side needs 5.70 or later",
	 "install a newer perftest on {peer}"},
	{LIST_INTEROP_KEYS, 1,
	 "the queue pair data from {peer} is not an address with a GID, as {program} sends on RoCE",
	 "another program of perftest may run there, or one with other options: " ADVICE},
	{LIST_INTEROP_KEYS, ANY,
	 "the queue pair data from {peer} is not an address without a GID, as {program} sends",
	 "omit -x on InfiniBand: " ADVICE},
	{LIST_INTEROP_REPORT, ANY, "the results from {peer} are not a report of {program}",
	 "another program of perftest may run there, or one with other options: " ADVICE},
	{LIST_INTEROP_OTHER, ANY,
	 "the {program} on {peer} has several queue pairs (-q), but this side has one", ADVICE},
	{LIST_INTEROP_CYCLE, ANY, "{peer} asks for a cycle buffer of {detail} bytes", ADVICE},
	{LIST_INTEROP_LOOPBACK, ANY,
	 "{device} cannot hide a queue pair's own datagrams from it (--no-loopback): {error}",
	 "omit --no-loopback"},
	{LIST_INTEROP_UNMAPPED, ANY,
	 "a group given as a GID (--group-gid) is for InfiniBand only: RoCE derives the GIDs of "
	 "groups from their IP addresses",
	 "name the group by an IP address: --group"},
	{LIST_INTEROP_MEMBERSHIP, ANY,
	 "{near} is no longer a member of the multicast group: the kernel ends membership when the "
	 "port goes down, or when its LID, its P_Keys or the subnet manager change",
	 "without --once this side joins again; rdmactl smp sminfo shows whether a subnet manager "
	 "runs"},
	{LIST_INTEROP_UNSENT, ANY,
	 "{done} of {iterations} messages to the group arrived within {msec} ms",
	 "start the sender once this side says that it is waiting: {serve}; mckey sends each "
	 "message once, and lost ones are not repeated: otherwise check IGMP snooping and the "
	 "multicast rules of the switches"},

	{STAGE_NONE, ANY, "failed: {error}", NULL},
};

bool diagnosis_say(struct diagnosis *diagnosis, const struct diagnosis_words *words,
		   unsigned int list, int code)
{
	const struct diagnosis_row *row = &rows[0];

	while (row < rows + ARRAY_SIZE(rows) - 1 &&
	       (row->list != list || (row->code != code && row->code != ANY)))
		row++;
	while (!row->sentence)
		row++;
	diagnosis->sentence = diagnosis_expand(words, row->sentence);
	diagnosis->hint = row->hint ? diagnosis_expand(words, row->hint) : NULL;
	return true;
}
