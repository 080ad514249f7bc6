/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The Ethernet and IPoIB side of the host: netdevs (`link`), their addresses and a route, as
 * reported by rtnetlink (or read from a saved /sys/class/net), and the netdev of each port, with
 * those on top of it (`netdev`).
 */
#pragma once

#include "host/device.h"
#include "schema/schema.h"

struct attributes;
struct port;
struct problems;
struct root;

struct link {
	struct number index;
	char *name;
	struct number type;	 /* ARPHRD_*: 1 Ethernet, 32 InfiniBand */
	struct number operstate; /* IF_OPER_* */
	enum tristate enabled;	 /* IFF_UP: set by the administrator */
	enum tristate running;	 /* IFF_RUNNING: operationally up, or the operstate is unknown */
	enum tristate carrier;	 /* IFF_LOWER_UP */
	struct number mtu_bytes;
	char *kind;		    /* vlan, bond, ipoib, veth ... ; NULL for plain hardware */
	char *address;		    /* hardware address, aa:bb:... */
	struct number master_index; /* bond, bridge or VRF that it belongs to */
	struct number lower_index;  /* IFLA_LINK: the netdev below a VLAN, macvlan or IPoIB child */
	bool lower_unknown, master_unknown; /* they cannot be read, so there may be one */
	bool lower_elsewhere;		    /* lower_index refers to another network namespace */
	struct number vlan_id;
	struct number pkey;	  /* IPoIB only, like the next two */
	struct number ipoib_mode; /* enum ipoib_mode */
	struct number umcast;	  /* 1: programs may join multicast groups by themselves */
	struct number carrier_changes;
	struct number port_guid; /* IPoIB: the low 8 bytes of the 20-byte address */
	struct number
		speed_mbps;	/* from /sys/class/net; unknown if the driver does not report it */
	struct number dev_port; /* IPoIB: port of its device, from 0 */
};

struct link_list {
	struct link *items;
	size_t count;
	bool missing;	 /* some netdev is not in the list */
	bool incomplete; /* for some netdev, its name or its RDMA device could not be read */
	/* After link_list_sort(): those with a name, and those with an index. */
	const struct link **by_name, **by_index;
	size_t named, numbered;
};

struct link_address {
	struct number link_index;
	struct ip_address ip;
	struct number prefix_length;
};

struct link_address_list {
	struct link_address *items;
	size_t count;
	bool missing; /* some may not be in the list: they changed while they were read */
};

/* The result of a routing table lookup for one destination. */
struct route {
	struct number link_index; /* the netdev that the packet leaves by */
	struct known_ip source;	  /* preferred source address */
	struct known_ip gateway;
	bool local; /* the destination is an address of this host */
};

/* IPOIB_MODE_* of include/uapi/linux/if_link.h */
enum ipoib_mode { IPOIB_DATAGRAM, IPOIB_CONNECTED };

extern const struct enum_name operstate_names[];
extern const struct enum_name ipoib_mode_names[];
/* The facts of struct link that sysfs and rtnetlink have: both readers walk this table. */
extern const struct attributes link_attributes;

/* VLANs on VLANs on bonds; the limit also ends the loop between the two ends of a veth. */
enum { LINK_MOST_LEVELS = 8 };

struct link *link_list_add(struct link_list *list);
/* Lets the next two find one of thousands without looking at each, until the list changes. */
void link_list_sort(struct link_list *list);
const struct link *link_by_index(const struct link_list *list, const struct number *index);
const struct link *link_by_name(const struct link_list *list, const char *name);
bool link_is_bond(const struct link *link); /* false of NULL, as the next */
bool link_is_vrf(const struct link *link);
/* The index of the VRF that the netdev (NULL: none) is, or belongs to; 0: none. */
uint32_t link_vrf_index(const struct link_list *list, const struct link *link);
void link_clear(struct link *link); /* frees the strings it owns */
void link_list_clear(struct link_list *list);
void link_address_list_clear(struct link_address_list *list);
/* True if the link is known to be of type InfiniBand, as a bond of IPoIB netdevs is, too. */
bool link_is_ipoib(const struct link *link);
/* True if both have one GUID; a bond has that of its active member. */
bool link_has_guid_of(const struct link *link, const struct port *port);
/* True if the link is the IPoIB netdev of the port, or a P_Key child of it, by the port GUID. */
bool link_is_ipoib_of(const struct link *link, const struct port *port);
/*
 * The same for a port whose netdev has been looked for: what has the GUID of a port without one is
 * another port's. A sub-device of a multi-plane port has the GUID of that port.
 */
bool port_has_ipoib(const struct port *port, const struct link *link);

/*
 * Reads what is needed of all netdevs from /sys/class/net and /proc/net/vlan. Returns 0 or -errno.
 * A value that cannot be read is a problem with the netdev's name as the object; the caller decides
 * which of these matter. A netdev whose directory cannot be opened is also a problem, and is not in
 * the list.
 */
int link_list_read_sysfs(const struct root *root, struct link_list *list, uint64_t needs,
			 struct problems *problems);
/* Reads the facts that are needed (bits of host/need.h) and not known yet from its directory. */
void link_read_sysfs(const struct root *root, struct link *link, uint64_t needs,
		     struct problems *problems);
/*
 * Takes the port GUID of an IPoIB netdev from its address: the last eight bytes, RFC 4391 9.1.1.
 * -EINVAL if they are not hexadecimal.
 */
int link_find_port_guid(struct link *link);
/* The PCI function of a netdev, freed by the caller; NULL for virtual netdevs. */
char *link_pci_address(const struct root *root, const char *name);
/*
 * True if a netdev and an RDMA device (by the kernel's name) belong to exactly the same device.
 * Devices of a subfunction are not on its PCI function directly.
 */
bool link_is_beside(const struct root *root, const char *name, const char *rdma_device);

enum netdev_namespace { NETDEV_NAMESPACE_OWN, NETDEV_NAMESPACE_UNKNOWN, NETDEV_NAMESPACE_NONE };

struct netdev {
	char *device; /* borrowed from the device */
	struct number port;
	char *netdev;		/* borrowed from the port */
	struct number netns;	/* enum netdev_namespace */
	struct link link;	/* its facts, unknown if it is not here; borrows its strings */
	char *master;		/* borrowed; the bond that it belongs to */
	struct strings members; /* if it is a bond: its members */
	struct strings vlans;	/* VLAN netdevs on top of it, or of its master */
	struct strings ipoib;	/* IPoIB netdevs of the port, including children */
};

struct netdev_list {
	struct netdev *items;
	size_t count;
};

extern const struct schema netdev_schema;

/* Makes one record for each port of the devices; it borrows from them and from the links. */
void netdev_list_make(struct netdev_list *list, const struct device_list *devices,
		      const struct link_list *links);
void netdev_list_clear(struct netdev_list *list);
