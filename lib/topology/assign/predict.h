/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What NCCL chooses, by the rules of its version 2.30.7: src/graph/topo.cc,
 * ncclTopoGetLocalNetType() with NCCL_NETDEVS_POLICY=AUTO, ports of one card as one device. This is
 * a prediction: other versions and settings have other rules, NCCL is assumed to number GPUs in bus
 * order, and the link between CPUs is assumed to carry 16 GB/s, although that depends on the CPU.
 */
#pragma once

#include "topology/assign/assign.h"

#define PREDICTED_NCCL "2.30.7"

/* Fills the nics of each accelerator. */
void predict_nccl(const struct topology *topology, struct assignment_list *list);
