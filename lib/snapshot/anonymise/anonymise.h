/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Other values for whatever tells one host from another: GUIDs, GIDs, MAC and IP addresses, host
 * names, serial numbers. The same value always becomes the same other one under one key, and what
 * belongs together still does: vendors (the first three bytes), neighbours (the lowest four bits),
 * a GUID made from a MAC address, a GID of a prefix and a GUID, link-local and well-known prefixes,
 * IPv4 addresses in one subnet. Nothing here reads a file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hmac.h"
#include "schema/value.h"
#include "snapshot/content.h"

struct anonymiser;

/* 0 or an error of hmac_sha256(). The caller frees it. */
int anonymiser_new(const void *key, size_t length, struct anonymiser **ret_anonymiser);
void anonymiser_free(struct anonymiser *anonymiser);

/*
 * Learns what is an address where its form alone does not say it. All texts are learned before the
 * first is changed.
 */
void anonymiser_learn_text(struct anonymiser *anonymiser, const char *text);
/* Words of a node description; those that name a kind of device are no names. */
void anonymiser_learn_names(struct anonymiser *anonymiser, const char *words);
/* The host's name, which may be like that of a model: bluefield3-rack7. */
void anonymiser_learn_host(struct anonymiser *anonymiser, const char *name);
/* Ends the learning. */
void anonymiser_prepare(struct anonymiser *anonymiser);

void anonymise_mac(const struct anonymiser *anonymiser, uint8_t mac[static 6]);
void anonymise_guid(const struct anonymiser *anonymiser, uint8_t guid[static 8]);
uint64_t anonymise_guid_number(const struct anonymiser *anonymiser, uint64_t number);
void anonymise_gid(const struct anonymiser *anonymiser, uint8_t gid[static 16]);
void anonymise_ipv4(const struct anonymiser *anonymiser, uint8_t address[static 4]);
/* Letters for letters, digits for digits. */
void anonymise_word(const struct anonymiser *anonymiser, char *text, size_t length);
/* A name that stands for this one: host-3f2a91c0; to be freed. */
char *anonymise_name(const struct anonymiser *anonymiser, const char *name, size_t length);
/* The same for a control group: group-3f2a91c0d4e7. */
char *anonymise_group(const struct anonymiser *anonymiser, const char *name, size_t length);

/* Replaces addresses and learned names in a text; `ipv4`: also what looks like an IPv4 address,
 * as versions of firmware do. The caller frees the result. */
char *anonymise_text(const struct anonymiser *anonymiser, const char *text, bool ipv4);

/* The path of a member, or a text that begins with one. The caller frees the result. */
char *anonymise_member(const struct anonymiser *anonymiser, const char *path);

/*
 * Changes all of a snapshot: paths, targets, texts by what their files hold, binary files and
 * recorded answers. Members in which addresses may be that cannot be found are dropped: their
 * changed paths are added to `dropped`. *ret_answers: how many answers of those that are kept are
 * dropped.
 */
void anonymise_contents(struct anonymiser *anonymiser, struct contents *contents,
			struct strings *dropped, size_t *ret_answers);
