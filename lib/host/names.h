/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Codes and their words, each table ended by an entry without a word. Facts: see names.c. */
#pragma once

#include "schema/value.h"

extern const struct enum_name node_type_names[];
extern const struct enum_name transport_names[];
extern const struct enum_name link_layer_names[];
extern const struct enum_name port_state_names[];
extern const struct enum_name physical_state_names[];
extern const struct enum_name gid_type_names[];
extern const struct enum_name port_cap_names[];	 /* PortInfo:CapabilityMask bits */
extern const struct enum_name driver_id_names[]; /* enum rdma_driver_id: kernel module names */
