/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ClassPortInfo: what the agent of a management class says about itself, the same layout in every
 * class but subnet management (IBA 1, 13.4.8.1). What the bits of the capability masks mean is the
 * class's own: a schema for each class that has words for them, and one for all others, which
 * class_attributes has.
 */
#pragma once

#include "mad/format/attribute.h"

extern const struct schema class_port_info_schema;
extern const struct schema perf_class_port_info_schema;
extern const struct schema sa_class_port_info_schema;
