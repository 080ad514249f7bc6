/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Macros for the tables of this directory; nothing but the tables and counter_names.c uses them. */
#pragma once

#include "base/mem.h"
#include "counter/names/counter_names.h"

/* Unit, direction, group and severity, without the prefixes of the enumerators. */
#define COUNTS(unit_, direction_, group_, severity_) \
	COUNTER_UNIT_##unit_, COUNTER_##direction_, COUNTER_GROUP_##group_, COUNTER_##severity_

#define COUNTER_TABLE(source_, driver_, rows_)                                        \
	{                                                                             \
		.source = COUNTER_SOURCE_##source_, .driver = driver_, .rows = rows_, \
		.count = ARRAY_SIZE(rows_)                                            \
	}

extern const struct counter_names counter_names_pma;
extern const struct counter_names counter_names_rxe;
extern const struct counter_names counter_names_mlx5;
extern const struct counter_names counter_names_mlx4;
extern const struct counter_names counter_names_bnxt_re;
extern const struct counter_names counter_names_irdma;
extern const struct counter_names counter_names_cxgb4;
extern const struct counter_names counter_names_hns;
extern const struct counter_names counter_names_efa;
extern const struct counter_names counter_names_erdma;
extern const struct counter_names counter_names_mana;
extern const struct counter_names counter_names_mana_device;
extern const struct counter_names counter_names_ionic;
extern const struct counter_names counter_names_hfi1;
extern const struct counter_names counter_names_cm;
extern const struct counter_names counter_names_netdev;
