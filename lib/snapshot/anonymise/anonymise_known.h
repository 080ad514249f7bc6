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

/* Values of one size, zeros behind them, sorted once learning has ended. */
struct known {
	uint64_t *items;
	size_t count, size;
};

struct anonymiser {
	uint8_t key[HMAC_BYTES];
	struct known macs, guids;
	struct strings names; /* of hosts */
	char *domain;	      /* of this host, without the dot before it; NULL: not known */
};

void known_add(struct known *known, const uint8_t *bytes);
bool known_has(const struct known *known, const uint8_t *bytes);
/* Whether it is the multicast group, also of IPoIB, of addresses that end alike: RFC 4291. */
bool is_solicited(const uint8_t *gid);

/* Whether a letter may be inside the name of a host. */
bool is_of_name(char c);
/* Adds what stands for the host whose name the text begins with. Returns its length; 0: none. */
size_t anonymise_host(const struct anonymiser *anonymiser, const char *text,
		      struct text_buffer *out);
/* The same for a MAC address with dashes or points; `before`: the letter before the text. */
size_t anonymise_other_mac(const struct anonymiser *anonymiser, const char *text, char before,
			   struct text_buffer *out);
