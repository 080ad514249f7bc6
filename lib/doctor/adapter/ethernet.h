/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The verdicts on a netdev's error correction and pause frames, separate from the queries. Each
 * function gives exactly one verdict, or returns false: the netdev is of a software device and has
 * none.
 */
#pragma once

#include "doctor/adapter/adapters.h"
#include "doctor/frame/check.h"

struct roce_dcb;

/*
 * `rc` is the result of the query; `fec` is valid only if it is 0. No verdict for a software device
 * whose netdev does not support the query.
 */
void fec_judge(struct doctor_context *run, const struct link *netdev, int rc,
	       const struct ethtool_fec *fec);
void pause_judge(struct doctor_context *run, const struct link *netdev, int rc,
		 const struct ethtool_pause *pause, const struct roce_dcb *dcb);
