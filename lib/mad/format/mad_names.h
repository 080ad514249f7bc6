/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Codes of the attributes and their words. An entry without a word ends each table. The words of a
 * `_numbers` table are the numbers that the codes represent, as MAD_CODED() expects them; fractions
 * are written with the digits that a table of output shows, so that they can be read back. Codes
 * that sysfs and verbs share are in codes.h. Sources: see mad_names.c.
 */
#pragma once

#include "schema/value.h"

/* PortInfo, SwitchInfo */
extern const struct enum_name link_width_names[]; /* for the bits of widths supported and enabled */
extern const struct enum_name link_width_numbers[]; /* lanes */
extern const struct enum_name link_speed_names[];   /* for both bits and active codes */
extern const struct enum_name link_speed_ext_names[];
extern const struct enum_name link_speed_ext_bit_names[];
extern const struct enum_name link_speed_ext2_names[];
extern const struct enum_name link_speed_ext2_bit_names[];
extern const struct enum_name mellanox_speed_names[];
extern const struct enum_name down_default_names[];
extern const struct enum_name mtu_numbers[]; /* bytes */
extern const struct enum_name vl_numbers[];  /* data VLs */
extern const struct enum_name init_type_names[];
extern const struct enum_name init_reply_names[];
extern const struct enum_name optimized_sl2vl_names[];
extern const struct enum_name port_ext_cap_names[]; /* PortInfoExtended:CapMask */
extern const struct enum_name fec_active_names[];
extern const struct enum_name fec_mode_names[]; /* bits */
/* SMInfo, Notice, InformInfo */
extern const struct enum_name sm_state_names[];
extern const struct enum_name notice_type_names[];
extern const struct enum_name notice_producer_names[];
extern const struct enum_name trap_names[];
/* SA records */
extern const struct enum_name selector_names[];
extern const struct enum_name lifetime_selector_names[];
extern const struct enum_name rate_numbers[];	   /* gigabits per second */
extern const struct enum_name time_usec_numbers[]; /* 4.096 us * 2 ^ code, codes 0 to 63 */
extern const struct enum_name scope_names[];
extern const struct enum_name join_state_names[];
