/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an anonymiser has learned; private to this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/value.h"
#include "snapshot/anonymise/anonymise.h"

struct text_buffer;

enum { IPOIB_BYTES = 20, GID_BYTES = 16, GUID_BYTES = 8, ETHERNET_BYTES = 6, IPV4_BYTES = 4 };

/* Values of one size, padded with zeros, sorted once learning has ended. */
struct known {
	uint64_t *items;
	size_t count, size;
};

struct anonymiser {
	uint8_t key[HMAC_BYTES];
	struct known macs, guids;
	struct strings names; /* of hosts */
	char *domain;	      /* of this host, without the leading dot; NULL: not known */
};

void known_add(struct known *known, const uint8_t *bytes);
bool known_has(const struct known *known, const uint8_t *bytes);
/* Whether the GID is a solicited-node multicast group, also of IPoIB: RFC 4291. */
bool is_solicited(const uint8_t *gid);

/* Whether the character may be part of a host name. */
bool is_of_name(char c);
/* Adds a replacement for the host name at the start of the text. Returns its length, or 0. */
size_t anonymise_host(const struct anonymiser *anonymiser, const char *text,
		      struct text_buffer *out);
/* The same for a MAC address with dashes or dots; `before` is the character before the text. */
size_t anonymise_other_mac(const struct anonymiser *anonymiser, const char *text, char before,
			   struct text_buffer *out);
