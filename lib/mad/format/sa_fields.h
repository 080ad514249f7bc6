/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The schemas of the SA records (15.2.5), by the file that has their fields. An SA record is
 * answered by the SA for anyone, so none shows whom was asked. Numbers of components are those of
 * rdma-core's umad_sa_mcm.h, the kernel's include/rdma/ib_sa.h and opensm; fields whose number none
 * of them has are not to be asked for.
 */
#pragma once

#include "mad/format/attribute.h"

extern const struct schema sa_node_schema; /* sa_ports.c */
extern const struct schema sa_port_info_schema;
extern const struct schema sa_switch_info_schema;
extern const struct schema sa_sm_info_schema;
extern const struct schema sa_link_schema;
extern const struct schema sa_notice_schema;
extern const struct schema sa_path_schema; /* sa_records.c */
extern const struct schema sa_mcmember_schema;
extern const struct schema sa_inform_info_schema;
extern const struct schema sa_inform_schema;
extern const struct schema sa_service_schema;		/* sa_service.c */
extern const struct schema sa_linear_forwarding_schema; /* sa_tables.c */
extern const struct schema sa_multicast_forwarding_schema;
extern const struct schema sa_pkey_table_schema;
extern const struct schema sa_sl2vl_schema;
extern const struct schema sa_vl_arbitration_schema;
extern const struct schema sa_guid_info_schema;
