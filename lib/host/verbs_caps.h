/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fills records from the structures of libibverbs. Nothing here calls the library. */
#pragma once

#include "host/caps/caps.h"
#include "host/port.h"

struct ibv_device_attr_ex;
struct ibv_port_attr;

/* The bytes of an MTU code of enum ibv_mtu; unknown for a code that is none. */
struct number verbs_mtu_bytes(unsigned int code);

/* Fills everything that belongs to the device; `extended`: attr has more than attr->orig_attr. */
void verbs_caps_set_device(struct caps *caps, const struct ibv_device_attr_ex *attr, bool extended);
/*
 * Rate, width and speed name as in the kernel's rate_show() (core/sysfs.c); unknown for a width or
 * speed that is not in its tables.
 */
void verbs_set_rate(struct port *port, const struct ibv_port_attr *attr);
void verbs_caps_set_port(struct port_caps *port, const struct ibv_port_attr *attr);
/* From enum ibv_transport_type; RoCE is known by the link layer of the first port. */
void verbs_caps_set_transport(struct caps *caps, int type);
