/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of node_exporter's infiniband collector, for dashboards that use them. A test compares them
 * with those that release 1.5.0 prints.
 */
#include <string.h>

#include "base/mem.h"
#include "counter/names/counter_names.h"
#include "metric/metric_parts.h"

#define PREFIX "node_infiniband_"

/* The kernel's name of a counter of the port's agent, and the collector's family. */
static const struct row {
	const char *kernel_name, *family;
} agent_rows[] = {
	{"VL15_dropped", PREFIX "vl15_dropped"},
	{"excessive_buffer_overrun_errors", PREFIX "excessive_buffer_overrun_errors"},
	{"link_downed", PREFIX "link_downed"},
	{"link_error_recovery", PREFIX "link_error_recovery"},
	{"local_link_integrity_errors", PREFIX "local_link_integrity_errors"},
	{"multicast_rcv_packets", PREFIX "multicast_packets_received"},
	{"multicast_xmit_packets", PREFIX "multicast_packets_transmitted"},
	{"port_rcv_constraint_errors", PREFIX "port_constraint_errors_received"},
	{"port_rcv_data", PREFIX "port_data_received_bytes"},
	{"port_rcv_errors", PREFIX "port_errors_received"},
	{"port_rcv_packets", PREFIX "port_packets_received"},
	{"port_rcv_remote_physical_errors", PREFIX "port_receive_remote_physical_errors"},
	{"port_rcv_switch_relay_errors", PREFIX "port_receive_switch_relay_errors"},
	{"port_xmit_constraint_errors", PREFIX "port_constraint_errors_transmitted"},
	{"port_xmit_data", PREFIX "port_data_transmitted_bytes"},
	{"port_xmit_discards", PREFIX "port_discards_transmitted"},
	{"port_xmit_packets", PREFIX "port_packets_transmitted"},
	{"port_xmit_wait", PREFIX "port_transmit_wait"},
	{"symbol_error", PREFIX "symbol_error"},
	{"unicast_rcv_packets", PREFIX "unicast_packets_received"},
	{"unicast_xmit_packets", PREFIX "unicast_packets_transmitted"},
	/*
	 * The same counters with 64 bits in counters_ext; the loader drops their 32-bit versions.
	 * The collector has them as legacy_*, beside those that have stopped.
	 */
	{"port_multicast_rcv_packets", PREFIX "multicast_packets_received"},
	{"port_multicast_xmit_packets", PREFIX "multicast_packets_transmitted"},
	{"port_rcv_data_64", PREFIX "port_data_received_bytes"},
	{"port_rcv_packets_64", PREFIX "port_packets_received"},
	{"port_unicast_rcv_packets", PREFIX "unicast_packets_received"},
	{"port_unicast_xmit_packets", PREFIX "unicast_packets_transmitted"},
	{"port_xmit_data_64", PREFIX "port_data_transmitted_bytes"},
	{"port_xmit_packets_64", PREFIX "port_packets_transmitted"},
};

/*
 * The same for counters of the driver, which later releases print (collector/infiniband_linux.go):
 * the kernel's names are those of mlx5.
 */
static const struct row driver_rows[] = {
	{"duplicate_request", PREFIX "duplicate_requests_packets"},
	{"implied_nak_seq_err", PREFIX "implied_nak_seq_errors"},
	{"local_ack_timeout_err", PREFIX "local_ack_timeout_errors"},
	{"np_cnp_sent", PREFIX "np_cnp_packets_sent"},
	{"np_ecn_marked_roce_packets", PREFIX "np_ecn_marked_roce_packets_received"},
	{"out_of_buffer", PREFIX "out_of_buffer_drops"},
	{"out_of_sequence", PREFIX "out_of_sequence_packets_received"},
	{"packet_seq_err", PREFIX "packet_sequence_errors"},
	{"req_cqe_error", PREFIX "req_cqes_errors"},
	{"req_cqe_flush_error", PREFIX "req_cqes_flush_errors"},
	{"req_remote_access_errors", PREFIX "req_remote_access_errors"},
	{"req_remote_invalid_request", PREFIX "req_remote_invalid_request_errors"},
	{"resp_cqe_error", PREFIX "resp_cqes_errors"},
	{"resp_cqe_flush_error", PREFIX "resp_cqes_flush_errors"},
	{"resp_local_length_error", PREFIX "resp_local_length_errors"},
	{"resp_remote_access_errors", PREFIX "resp_remote_access_errors"},
	{"rnr_nak_retry_err", PREFIX "rnr_nak_retry_packets_received"},
	{"roce_adp_retrans", PREFIX "roce_adp_retransmits"},
	{"roce_adp_retrans_to", PREFIX "roce_adp_retransmits_timeout"},
	{"roce_slow_restart", PREFIX "roce_slow_restart_used"},
	{"roce_slow_restart_cnps", PREFIX "roce_slow_restart_cnps"},
	{"roce_slow_restart_trans", PREFIX "roce_slow_restart"},
	{"rp_cnp_handled", PREFIX "rp_cnp_packets_handled"},
	{"rp_cnp_ignored", PREFIX "rp_cnp_ignored_packets_received"},
	{"rx_atomic_requests", PREFIX "rx_atomic_requests"},
	{"rx_dct_connect", PREFIX "rx_dct_connect_requests"},
	{"rx_read_requests", PREFIX "rx_read_requests"},
	{"rx_write_requests", PREFIX "rx_write_requests"},
	{"rx_icrc_encapsulated", PREFIX "rx_icrc_encapsulated_errors"},
};

const char *node_exporter_counter(const struct counter_reading *reading)
{
	const bool driver = reading->source == COUNTER_SOURCE_HW;
	const struct row *rows = driver ? driver_rows : agent_rows;
	const size_t count = driver ? ARRAY_SIZE(driver_rows) : ARRAY_SIZE(agent_rows);

	if (!driver && reading->source != COUNTER_SOURCE_PMA)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].kernel_name, reading->kernel_name))
			return rows[i].family;
	return NULL;
}

void node_exporter_add_device(struct metrics *metrics, const struct device *device)
{
	struct metric_sample *sample = metric_add(
		metrics_family(metrics, "node_infiniband", METRIC_INFO, NULL,
			       "What the device is; the value is always 1."),
		1);

	metric_label(sample, "board_id", device->board_id ? device->board_id : "");
	metric_label(sample, "device", device->name);
	metric_label(sample, "firmware_version", device->firmware);
	metric_label(sample, "hca_type", device->hca_type ? device->hca_type : "");
}

void node_exporter_add_port(struct metrics *metrics, const struct port *port)
{
	const struct {
		const char *name, *help;
		const struct number *value;
	} states[] = {
		{PREFIX "state_id", "Logical state of the port as the kernel's number.",
		 &port->state},
		{PREFIX "physical_state_id", "Physical state of the port as the kernel's number.",
		 &port->physical_state},
	};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].value->known)
			metric_label_port(metric_add(metrics_family(metrics, states[i].name,
								    METRIC_GAUGE, NULL,
								    states[i].help),
						     states[i].value->value),
					  port);
	if (port->rate_gbps.known)
		metric_label_port(metric_add_real(metrics_family(metrics,
								 PREFIX "rate_bytes_per_second",
								 METRIC_GAUGE, "bytes_per_second",
								 "Rate of the link, all lanes."),
						  port->rate_gbps.value * METRIC_BYTES_PER_GBIT),
				  port);
}
