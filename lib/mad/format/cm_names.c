/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/cm_table.h"

/* enum ib_cm_rej_reason, include/rdma/ib_cm.h */
const struct enum_name cm_reject_reason_names[] = {
	{1, "no-qp"},
	{2, "no-eec"},
	{3, "no-resources"},
	{4, "timeout"},
	{5, "unsupported-request"},
	{6, "invalid-comm-id"},
	{7, "invalid-comm-instance"},
	{8, "invalid-service-id"}, /* nobody listens there */
	{9, "invalid-transport-type"},
	{10, "stale-connection"},
	{11, "rdc-does-not-exist"},
	{12, "invalid-gid"},
	{13, "invalid-lid"},
	{14, "invalid-sl"},
	{15, "invalid-traffic-class"},
	{16, "invalid-hop-limit"},
	{17, "invalid-packet-rate"},
	{18, "invalid-alternate-gid"},
	{19, "invalid-alternate-lid"},
	{20, "invalid-alternate-sl"},
	{21, "invalid-alternate-traffic-class"},
	{22, "invalid-alternate-hop-limit"},
	{23, "invalid-alternate-packet-rate"},
	{24, "port-and-cm-redirect"},
	{25, "port-redirect"},
	{26, "invalid-mtu"},
	{27, "insufficient-responder-resources"},
	{28, "consumer-reject"},
	{29, "invalid-rnr-retry-count"},
	{30, "duplicate-local-comm-id"},
	{31, "invalid-class-version"},
	{32, "invalid-flow-label"},
	{33, "invalid-alternate-flow-label"},
	{35, "vendor-option-not-supported"},
	{0, NULL},
};

/* enum cm_msg_response, drivers/infiniband/core/cm_msgs.h; of an MRA, 2 is a LAP */
const struct enum_name cm_response_names[] = {
	{0, "req"},
	{1, "rep"},
	{2, "other"},
	{0, NULL},
};

const struct enum_name cm_transport_names[] = {
	{0, "rc"}, {1, "uc"}, {2, "rd"}, {3, "extended"}, /* see the extended transport type */
	{0, NULL},
};

const struct enum_name cm_extended_transport_names[] = {
	{0, "none"},
	{1, "xrc"},
	{0, NULL},
};

/* 9.7.5.2.8: seven is without end */
const struct enum_name cm_rnr_retry_names[] = {
	{0, "0"}, {1, "1"}, {2, "2"},	     {3, "3"},	{4, "4"},
	{5, "5"}, {6, "6"}, {7, "infinite"}, {0, NULL},
};

const struct enum_name cm_failover_names[] = {
	{0, "accepted"},
	{1, "not-supported"},
	{2, "rejected"},
	{0, NULL},
};

/* enum ib_cm_apr_status, include/rdma/ib_cm.h */
const struct enum_name cm_apr_status_names[] = {
	{0, "success"},
	{1, "invalid-comm-id"},
	{2, "unsupported"},
	{3, "rejected"},
	{4, "redirect"},
	{5, "already-current"},
	{6, "invalid-qpn-or-eecn"},
	{7, "invalid-lid"},
	{8, "invalid-gid"},
	{9, "invalid-flow-label"},
	{10, "invalid-traffic-class"},
	{11, "invalid-hop-limit"},
	{12, "invalid-packet-rate"},
	{13, "invalid-sl"},
	{0, NULL},
};

/* enum ib_cm_sidr_status, include/rdma/ib_cm.h */
const struct enum_name cm_sidr_status_names[] = {
	{0, "success"},	 {1, "unsupported"}, /* the service */
	{2, "rejected"}, {3, "no-qp"},	     {4, "redirect"}, {5, "unsupported-version"}, {0, NULL},
};
