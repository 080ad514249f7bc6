/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * GUIDs and GIDs (InfiniBand Architecture Specification volume 1, 4.1): their text forms and what
 * a GID says about itself. A GUID is held in host order, a GID as its 16 bytes in wire order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GUID_TEXT_SIZE 20 /* 0011:2233:4455:6677 and NUL */
#define GID_TEXT_SIZE  40 /* eight groups and NUL */
#define IP_TEXT_SIZE   46 /* INET6_ADDRSTRLEN */

struct gid {
	uint8_t raw[16];
};

/* An IPv4 or IPv6 address, in wire order. */
struct ip_address {
	uint8_t family; /* AF_INET, AF_INET6, or 0 for none */
	uint8_t raw[16];
};

void guid_format(uint64_t guid, char text[static GUID_TEXT_SIZE]);
/* Parses 0011:2233:4455:6677, 0x0011223344556677 and 0011223344556677. Returns 0 or -EINVAL. */
int guid_parse(const char *text, uint64_t *ret_guid);

void gid_format(const struct gid *gid, char text[static GID_TEXT_SIZE]);
/* Parses any textual form of an IPv6 address. Returns 0 or -EINVAL. */
int gid_parse(const char *text, struct gid *ret_gid);

bool gid_is_zero(const struct gid *gid);
/* ::ffff:a.b.c.d, the form of a RoCE GID made from an IPv4 address. */
bool gid_is_ipv4_mapped(const struct gid *gid);
/* fe80::/10: made from the MAC address, valid on one link only. */
bool gid_is_link_local(const struct gid *gid);
/* The low 64 bits: the port GUID of an InfiniBand port's GID 0. */
uint64_t gid_interface_id(const struct gid *gid);
/* The high 64 bits: the subnet prefix. */
uint64_t gid_subnet_prefix(const struct gid *gid);
/* The IP address that a RoCE GID was made from. */
struct ip_address gid_to_ip(const struct gid *gid);

/*
 * Parses a numeric address; names are not resolved. The %zone that IPv6 may carry is ignored.
 * Returns 0 or -EINVAL.
 */
int ip_parse(const char *text, struct ip_address *ret_address);
void ip_format(const struct ip_address *address, char text[static IP_TEXT_SIZE]);
/* True for fe80::/10, and never for IPv4. */
bool ip_is_link_local(const struct ip_address *address);
/* True for 127.0.0.0/8 and ::1. */
bool ip_is_loopback(const struct ip_address *address);
bool ip_equal(const struct ip_address *a, const struct ip_address *b);

/* All addresses with the same first bits. */
struct ip_network {
	struct ip_address address;
	unsigned int bits;
};

/* Parses 10.0.0.0/8, fd00::/8, or an address, which is a network of one. Returns 0 or -EINVAL. */
int ip_network_parse(const char *text, struct ip_network *ret_network);
bool ip_network_contains(const struct ip_network *network, const struct ip_address *address);
/* The GID of the address on a RoCE port. */
struct gid ip_to_gid(const struct ip_address *address);
