/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The Ethernet and IPoIB side of the host: netdevs (`link`), their addresses and a route, as
 * reported by rtnetlink (or read from a saved /sys/class/net), and the netdev of each port, with
 * those stacked on it (`netdev`).
 */
#pragma once

#include "host/device.h"
#include "schema/schema.h"

struct link {
	struct number index;
	char *name;
	struct number type;	 /* ARPHRD_*: 1 Ethernet, 32 InfiniBand */
	struct number operstate; /* IF_OPER_* */
	enum tristate enabled;	 /* IFF_UP: set by the administrator */
	enum tristate running;	 /* IFF_RUNNING: operationally up, or the operstate is unknown */
	enum tristate carrier;	 /* IFF_LOWER_UP */
	/* The maximum is what the driver allows; 0: any. */
	struct number mtu_bytes, max_mtu_bytes;
	char *kind;		    /* vlan, bond, ipoib, veth ... ; NULL for plain hardware */
	char *address;		    /* hardware address, aa:bb:... */
	struct number master_index; /* the bond, bridge or VRF above it */
	struct number lower_index;  /* IFLA_LINK: the netdev below a VLAN, macvlan or IPoIB child */
	bool lower_unknown, master_unknown; /* unreadable, so one may exist */
	bool lower_elsewhere;		    /* lower_index refers to another network namespace */
	struct number vlan_id;
	struct number pkey;	  /* IPoIB only, like the next two */
	struct number ipoib_mode; /* enum ipoib_mode */
	struct number umcast;	  /* 1: programs may join multicast groups themselves */
	struct number carrier_changes;
	struct number port_guid; /* IPoIB: the low 8 bytes of the 20-byte address */
	struct number
		speed_mbps;	/* from /sys/class/net; unknown if the driver does not report it */
	struct number dev_port; /* IPoIB: port of its device, from 0 */
};

struct link_list {
	struct link *items;
	size_t count;
	bool missing;	 /* some netdev is missing */
	bool incomplete; /* for some netdev, its name or its RDMA device could not be read */
	/* After link_list_sort(): the links with a name, and those with an index. */
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
	bool missing; /* some may be missing: they changed during the read */
};

/* The result of a routing table lookup for one destination. */
struct route {
	struct number link_index; /* netdev through which packets leave */
	struct known_ip source;	  /* preferred source address */
	struct known_ip gateway;
	bool local; /* the destination is an address of this host */
};

/* IPOIB_MODE_* of include/uapi/linux/if_link.h */
enum ipoib_mode { IPOIB_DATAGRAM, IPOIB_CONNECTED };

extern const struct enum_name operstate_names[];
extern const struct enum_name ipoib_mode_names[];
/* Facts that sysfs and rtnetlink have: the readers of both walk this table. */
extern const struct attributes link_attributes;

/* Enough for VLANs on VLANs on bonds; also ends the loop between the two ends of a veth. */
enum { LINK_MOST_LEVELS = 8 };

struct link *link_list_add(struct link_list *list);
/* Lets the next two find one link among thousands quickly, until the list changes. */
void link_list_sort(struct link_list *list);
const struct link *link_by_index(const struct link_list *list, const struct number *index);
const struct link *link_by_name(const struct link_list *list, const char *name);
bool link_is_bond(const struct link *link); /* false if NULL, like the next */
bool link_is_vrf(const struct link *link);
/* Returns the index of the VRF that the netdev is or belongs to; 0 if none or if `link` is NULL. */
uint32_t link_vrf_index(const struct link_list *list, const struct link *link);
void link_clear(struct link *link); /* frees the strings it owns */
void link_list_clear(struct link_list *list);
void link_address_list_clear(struct link_address_list *list);
/* Whether the link is known to be of type InfiniBand, like a bond of IPoIB netdevs. */
bool link_is_ipoib(const struct link *link);
/* Whether both have the same GUID; a bond has that of its active member. */
bool link_has_guid_of(const struct link *link, const struct port *port);
/* Whether the link is the port's IPoIB netdev, or its P_Key child, judged by the port GUID. */
bool link_is_ipoib_of(const struct link *link, const struct port *port);
/*
 * Like link_is_ipoib_of(), for a port whose netdev has been searched: if the port has none, a link
 * with its GUID belongs to another port. A sub-device of a multi-plane port shares the GUID of that
 * port.
 */
bool port_has_ipoib(const struct port *port, const struct link *link);

/*
 * Reads the needed facts of all netdevs from /sys/class/net and /proc/net/vlan. Returns 0 or
 * -errno. A value that cannot be read is a problem with the netdev's name as the object; the caller
 * decides which of these matter. A netdev whose directory cannot be opened is also a problem, and
 * is missing from the list.
 */
int link_list_read_sysfs(const struct root *root, struct link_list *list, uint64_t needs,
			 struct problems *problems);
/* Reads facts that are needed (bits of host/need.h) and still unknown from the link's directory. */
void link_read_sysfs(const struct root *root, struct link *link, uint64_t needs,
		     struct problems *problems);
/*
 * Derives the port GUID of an IPoIB netdev from its address: the last eight bytes, RFC 4391 9.1.1.
 * -EINVAL if they are not hexadecimal.
 */
int link_find_port_guid(struct link *link);
/* Returns the PCI function of a netdev, freed by the caller; NULL for virtual netdevs. */
char *link_pci_address(const struct root *root, const char *name);
/*
 * Whether a netdev and an RDMA device (by kernel name) belong to the very same device. Devices of a
 * subfunction do not belong directly to its PCI function.
 */
bool link_is_beside(const struct root *root, const char *name, const char *rdma_device);

enum netdev_namespace { NETDEV_NAMESPACE_OWN, NETDEV_NAMESPACE_UNKNOWN, NETDEV_NAMESPACE_NONE };

struct netdev {
	char *device; /* borrowed from the device */
	struct number port;
	char *netdev;		/* borrowed from the port */
	struct number netns;	/* enum netdev_namespace */
	struct link link;	/* unknown if it is not here; borrows its strings */
	char *master;		/* borrowed; the bond above it */
	struct strings members; /* of a bond */
	struct strings vlans;	/* VLAN netdevs on it, or on its master */
	struct strings ipoib;	/* IPoIB netdevs of the port, including children */
};

struct netdev_list {
	struct netdev *items;
	size_t count;
};

extern const struct schema netdev_schema;

/* Makes one record for each port of the devices, borrowing from them and from the links. */
void netdev_list_make(struct netdev_list *list, const struct device_list *devices,
		      const struct link_list *links);
void netdev_list_clear(struct netdev_list *list);
