/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * The messages of the connection manager, drivers/infiniband/core/cm.c: InfiniBand Architecture
 * Specification, volume 1, 12.6. The kernel's name is directory/file.
 */
#define MESSAGES(MESSAGE)                                                                        \
	MESSAGE("req", "Connection requests (REQ)", INFO, "", "")                                \
	MESSAGE("mra", "Message receipt acknowledgements (MRA), which ask for more time,", INFO, \
		"", "")                                                                          \
	MESSAGE("rej", "Rejects (REJ)", WARNING,                                                 \
		": connections refused here, usually because nothing listens",                   \
		": connections that the far end refused, or that came to a port nobody listens " \
		"on")                                                                            \
	MESSAGE("rep", "Connection replies (REP)", INFO, "", "")                                 \
	MESSAGE("rtu", "Ready-to-use messages (RTU)", INFO, "", "")                              \
	MESSAGE("dreq", "Disconnect requests (DREQ)", INFO, "", "")                              \
	MESSAGE("drep", "Disconnect replies (DREP)", INFO, "", "")                               \
	MESSAGE("sidr_req", "Service resolution requests (SIDR REQ)", INFO, "", "")              \
	MESSAGE("sidr_rep", "Service resolution replies (SIDR REP)", INFO, "", "")               \
	MESSAGE("lap", "Load alternate path messages (LAP)", INFO, "", "")                       \
	MESSAGE("apr", "Alternate path responses (APR)", INFO, "", "")

#define SENT(name_, what_, severity_, sent_, received_)                                \
	{"cm_tx_msgs/" name_, "cm_tx_msgs_" name_, TX(MESSAGES, CM, severity_, OTHER), \
	 what_ " sent" sent_ "."},
#define RETRY(name_, what_, severity_, sent_, received_)                                           \
	{"cm_tx_retries/" name_, "cm_tx_retries_" name_, TX(MESSAGES, CM, WARNING, OTHER),         \
	 what_ " sent again because no answer came in time: the far end is slow or gone, or they " \
	       "were lost."},
#define RECEIVED(name_, what_, severity_, sent_, received_)                            \
	{"cm_rx_msgs/" name_, "cm_rx_msgs_" name_, RX(MESSAGES, CM, severity_, OTHER), \
	 what_ " received" received_ "."},
#define DUPLICATE(name_, what_, severity_, sent_, received_)                                     \
	{"cm_rx_duplicates/" name_, "cm_rx_duplicates_" name_, RX(MESSAGES, CM, WARNING, OTHER), \
	 what_ " received a second time: the answer was lost, or came too late for the far end."},

static const struct counter_name rows[] = {MESSAGES(SENT) MESSAGES(RETRY) MESSAGES(RECEIVED)
						   MESSAGES(DUPLICATE)};

const struct counter_names counter_names_cm = COUNTER_TABLE(CM, NULL, rows);
