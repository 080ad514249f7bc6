/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Serial numbers, GUIDs and UUIDs in running text. */
#pragma once

#include "snapshot/anonymise/anonymise.h"

/* Numbers after "serial", "serial number", or S/N: NVRM: GPU Board Serial Number: 123. */
void anonymise_spoken_serials(const struct anonymiser *anonymiser, char *text);
/*
 * GUIDs of other nodes that are recognized only by the word before them: Neighbor Guid
 * 1175010265ab12 of hfi1, without leading zeros. The caller frees the result.
 */
char *anonymise_spoken_guids(const struct anonymiser *anonymiser, const char *text);
/* Names of hosts and targets in NVMe and iSCSI: iqn.2003-01.org.linux-iscsi.gpu17.x8664:sn.7a3c. */
void anonymise_qualified_names(const struct anonymiser *anonymiser, char *text);
/* UUIDs, such as those of accelerators and of NVMe hosts. */
void anonymise_uuids(const struct anonymiser *anonymiser, char *text);
/*
 * What qib reports about a cable's module: its serial number, and its memory in hexadecimal, which
 * also contains the number and is read by nobody: qib_qsfp_dump().
 */
void anonymise_module_text(const struct anonymiser *anonymiser, char *text);
