/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Codes and flags of struct caps and their words. An entry without a word ends each table. */
#pragma once

#include "schema/value.h"

extern const struct enum_name atomic_names[];
extern const struct enum_name device_cap_names[]; /* all 64 bits of device_cap_flags_ex */
extern const struct enum_name odp_general_names[];
extern const struct enum_name odp_transport_names[];
extern const struct enum_name raw_packet_names[];
extern const struct enum_name qp_type_flag_names[]; /* bit n is type n of enum ibv_qp_type */
extern const struct enum_name rss_hash_function_names[];
extern const struct enum_name rss_hash_field_names[];
extern const struct enum_name tag_cap_names[];
extern const struct enum_name pci_atomic_names[];
extern const struct enum_name port_speed_names[]; /* words of the kernel's rate_show() */
