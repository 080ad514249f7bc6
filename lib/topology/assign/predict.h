/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What NCCL takes, by the rules of its version 2.30.7: src/graph/topo.cc, ncclTopoGetLocalNetType()
 * with NCCL_NETDEVS_POLICY=AUTO, ports of one card as one device. It is a prediction: other
 * versions and settings have other rules, NCCL's numbers of GPUs are taken to be in the order of
 * the bus, and the link between CPUs is taken to carry 16 GB/s, because which CPU it is decides
 * that.
 */
#pragma once

#include "topology/assign/assign.h"

#define PREDICTED_NCCL "2.30.7"

/* Fills nics of each accelerator. */
void predict_nccl(const struct topology *topology, struct assignment_list *list);
