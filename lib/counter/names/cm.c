/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * The messages of the connection manager, drivers/infiniband/core/cm.c: InfiniBand Architecture
 * Specification, volume 1, 12.6. The kernel's name is directory/file.
 */
static const struct counter_name rows[] = {
	{"cm_tx_msgs/req", "cm_tx_msgs_req", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Connection requests (REQ) sent."},
	{"cm_tx_msgs/mra", "cm_tx_msgs_mra", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Message receipt acknowledgements (MRA), which ask for more time, sent."},
	{"cm_tx_msgs/rej", "cm_tx_msgs_rej", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Rejects (REJ) sent: connections refused here, usually because nothing "
	 "listens."},
	{"cm_tx_msgs/rep", "cm_tx_msgs_rep", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Connection replies (REP) sent."},
	{"cm_tx_msgs/rtu", "cm_tx_msgs_rtu", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Ready-to-use messages (RTU) sent."},
	{"cm_tx_msgs/dreq", "cm_tx_msgs_dreq", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Disconnect requests (DREQ) sent."},
	{"cm_tx_msgs/drep", "cm_tx_msgs_drep", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Disconnect replies (DREP) sent."},
	{"cm_tx_msgs/sidr_req", "cm_tx_msgs_sidr_req", COUNTS(MESSAGES, TX, CM, INFO),
	 COUNTER_OTHER, "Service resolution requests (SIDR REQ) sent."},
	{"cm_tx_msgs/sidr_rep", "cm_tx_msgs_sidr_rep", COUNTS(MESSAGES, TX, CM, INFO),
	 COUNTER_OTHER, "Service resolution replies (SIDR REP) sent."},
	{"cm_tx_msgs/lap", "cm_tx_msgs_lap", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Load alternate path messages (LAP) sent."},
	{"cm_tx_msgs/apr", "cm_tx_msgs_apr", COUNTS(MESSAGES, TX, CM, INFO), COUNTER_OTHER,
	 "Alternate path responses (APR) sent."},
	{"cm_tx_retries/req", "cm_tx_retries_req", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Connection requests (REQ) sent again because no answer came in time: the far end is slow "
	 "or gone, or they were lost."},
	{"cm_tx_retries/mra", "cm_tx_retries_mra", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Message receipt acknowledgements (MRA), which ask for more time, sent again because no "
	 "answer came in time: the far end is slow or gone, or they were lost."},
	{"cm_tx_retries/rej", "cm_tx_retries_rej", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Rejects (REJ) sent again because no answer came in time: the far end is slow or gone, or "
	 "they were lost."},
	{"cm_tx_retries/rep", "cm_tx_retries_rep", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Connection replies (REP) sent again because no answer came in time: the far end is slow "
	 "or gone, or they were lost."},
	{"cm_tx_retries/rtu", "cm_tx_retries_rtu", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Ready-to-use messages (RTU) sent again because no answer came in time: the far end is "
	 "slow or gone, or they were lost."},
	{"cm_tx_retries/dreq", "cm_tx_retries_dreq", COUNTS(MESSAGES, TX, CM, WARNING),
	 COUNTER_OTHER,
	 "Disconnect requests (DREQ) sent again because no answer came in time: the far end is "
	 "slow or gone, or they were lost."},
	{"cm_tx_retries/drep", "cm_tx_retries_drep", COUNTS(MESSAGES, TX, CM, WARNING),
	 COUNTER_OTHER,
	 "Disconnect replies (DREP) sent again because no answer came in time: the far end is slow "
	 "or gone, or they were lost."},
	{"cm_tx_retries/sidr_req", "cm_tx_retries_sidr_req", COUNTS(MESSAGES, TX, CM, WARNING),
	 COUNTER_OTHER,
	 "Service resolution requests (SIDR REQ) sent again because no answer came in time: the "
	 "far end is slow or gone, or they were lost."},
	{"cm_tx_retries/sidr_rep", "cm_tx_retries_sidr_rep", COUNTS(MESSAGES, TX, CM, WARNING),
	 COUNTER_OTHER,
	 "Service resolution replies (SIDR REP) sent again because no answer came in time: the far "
	 "end is slow or gone, or they were lost."},
	{"cm_tx_retries/lap", "cm_tx_retries_lap", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Load alternate path messages (LAP) sent again because no answer came in time: the far "
	 "end is slow or gone, or they were lost."},
	{"cm_tx_retries/apr", "cm_tx_retries_apr", COUNTS(MESSAGES, TX, CM, WARNING), COUNTER_OTHER,
	 "Alternate path responses (APR) sent again because no answer came in time: the far end is "
	 "slow or gone, or they were lost."},
	{"cm_rx_msgs/req", "cm_rx_msgs_req", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Connection requests (REQ) received."},
	{"cm_rx_msgs/mra", "cm_rx_msgs_mra", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Message receipt acknowledgements (MRA), which ask for more time, received."},
	{"cm_rx_msgs/rej", "cm_rx_msgs_rej", COUNTS(MESSAGES, RX, CM, WARNING), COUNTER_OTHER,
	 "Rejects (REJ) received: connections that the far end refused, or that came to a port "
	 "nobody listens on."},
	{"cm_rx_msgs/rep", "cm_rx_msgs_rep", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Connection replies (REP) received."},
	{"cm_rx_msgs/rtu", "cm_rx_msgs_rtu", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Ready-to-use messages (RTU) received."},
	{"cm_rx_msgs/dreq", "cm_rx_msgs_dreq", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Disconnect requests (DREQ) received."},
	{"cm_rx_msgs/drep", "cm_rx_msgs_drep", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Disconnect replies (DREP) received."},
	{"cm_rx_msgs/sidr_req", "cm_rx_msgs_sidr_req", COUNTS(MESSAGES, RX, CM, INFO),
	 COUNTER_OTHER, "Service resolution requests (SIDR REQ) received."},
	{"cm_rx_msgs/sidr_rep", "cm_rx_msgs_sidr_rep", COUNTS(MESSAGES, RX, CM, INFO),
	 COUNTER_OTHER, "Service resolution replies (SIDR REP) received."},
	{"cm_rx_msgs/lap", "cm_rx_msgs_lap", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Load alternate path messages (LAP) received."},
	{"cm_rx_msgs/apr", "cm_rx_msgs_apr", COUNTS(MESSAGES, RX, CM, INFO), COUNTER_OTHER,
	 "Alternate path responses (APR) received."},
	{"cm_rx_duplicates/req", "cm_rx_duplicates_req", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Connection requests (REQ) received a second time: the answer was lost, or came too late "
	 "for the far end."},
	{"cm_rx_duplicates/mra", "cm_rx_duplicates_mra", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Message receipt acknowledgements (MRA), which ask for more time, received a second time: "
	 "the answer was lost, or came too late for the far end."},
	{"cm_rx_duplicates/rej", "cm_rx_duplicates_rej", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Rejects (REJ) received a second time: the answer was lost, or came too late for the far "
	 "end."},
	{"cm_rx_duplicates/rep", "cm_rx_duplicates_rep", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Connection replies (REP) received a second time: the answer was lost, or came too late "
	 "for the far end."},
	{"cm_rx_duplicates/rtu", "cm_rx_duplicates_rtu", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Ready-to-use messages (RTU) received a second time: the answer was lost, or came too "
	 "late for the far end."},
	{"cm_rx_duplicates/dreq", "cm_rx_duplicates_dreq", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Disconnect requests (DREQ) received a second time: the answer was lost, or came too late "
	 "for the far end."},
	{"cm_rx_duplicates/drep", "cm_rx_duplicates_drep", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Disconnect replies (DREP) received a second time: the answer was lost, or came too late "
	 "for the far end."},
	{"cm_rx_duplicates/sidr_req", "cm_rx_duplicates_sidr_req",
	 COUNTS(MESSAGES, RX, CM, WARNING), COUNTER_OTHER,
	 "Service resolution requests (SIDR REQ) received a second time: the answer was lost, or "
	 "came too late for the far end."},
	{"cm_rx_duplicates/sidr_rep", "cm_rx_duplicates_sidr_rep",
	 COUNTS(MESSAGES, RX, CM, WARNING), COUNTER_OTHER,
	 "Service resolution replies (SIDR REP) received a second time: the answer was lost, or "
	 "came too late for the far end."},
	{"cm_rx_duplicates/lap", "cm_rx_duplicates_lap", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Load alternate path messages (LAP) received a second time: the answer was lost, or came "
	 "too late for the far end."},
	{"cm_rx_duplicates/apr", "cm_rx_duplicates_apr", COUNTS(MESSAGES, RX, CM, WARNING),
	 COUNTER_OTHER,
	 "Alternate path responses (APR) received a second time: the answer was lost, or came too "
	 "late for the far end."},
};

const struct counter_names counter_names_cm = COUNTER_TABLE(CM, NULL, rows);
