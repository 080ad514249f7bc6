/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces whatever identifies a host: GUIDs, GIDs, MAC and IP addresses, host names, serial
 * numbers. Under one key, the same value always becomes the same other one, and what belongs
 * together still does: vendors (the first three bytes), neighbours (the lowest four bits), a GUID
 * made from a MAC address, a GID made from a prefix and a GUID, link-local and well-known prefixes,
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

/* Returns 0 or an error of hmac_sha256(). The caller frees the anonymiser. */
int anonymiser_new(const void *key, size_t length, struct anonymiser **ret_anonymiser);
void anonymiser_free(struct anonymiser *anonymiser);

/*
 * Learns addresses that cannot be recognised by their form alone. All texts are learned before the
 * first is changed.
 */
void anonymiser_learn_text(struct anonymiser *anonymiser, const char *text);
/* Words of a node description, except those that name a kind of device. */
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
/* Replaces letters by letters and digits by digits. */
void anonymise_word(const struct anonymiser *anonymiser, char *text, size_t length);
/* Returns a replacement for a name in any case: host-3f2a91c0; the caller frees it. */
char *anonymise_name(const struct anonymiser *anonymiser, const char *name, size_t length);
/* The same for a control group: group-3f2a91c0d4e7. */
char *anonymise_group(const struct anonymiser *anonymiser, const char *name, size_t length);

/*
 * Replaces addresses and learned names in a text; with `ipv4` also what looks like an IPv4 address,
 * as firmware versions do. The caller frees the result.
 */
char *anonymise_text(const struct anonymiser *anonymiser, const char *text, bool ipv4);

/* Changes the path of a member, or a text that begins with one. The caller frees the result. */
char *anonymise_member(const struct anonymiser *anonymiser, const char *path);

/*
 * Changes a complete snapshot: paths, link targets, texts according to their files, binary files
 * and recorded answers. Members that may contain addresses which cannot be found are dropped: their
 * changed paths are added to `dropped`. *ret_answers: number of answers dropped from the recordings
 * that are kept.
 */
void anonymise_contents(struct anonymiser *anonymiser, struct contents *contents,
			struct strings *dropped, size_t *ret_answers);
