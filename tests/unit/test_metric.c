/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of what a monitoring system scrapes: commands that hold memory, the doctor's verdicts,
 * node_exporter's names, samples as records, and the words of --listen.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "borrowed.h"
#include "counter/names/counter_names.h"
#include "metric/metric_parts.h"
#include "metric/metrics_server.h"

/* Compares the samples of all families, without the lines about them; clears the list. */
static void assert_samples(struct metrics *metrics, const char *wanted)
{
	char *text, *samples = mem_string("");
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_metrics(out, metrics, METRICS_PROMETHEUS), 0);
	assert_int_equal(fclose(out), 0);
	for (char *state, *line = strtok_r(text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state))
		if (*line != '#')
			mem_extend(&samples, "%s\n", line);
	assert_string_equal(samples, wanted);
	free(samples);
	free(text);
	metrics_clear(metrics);
}

static void add_usage(struct process_usage_list *usages, const char *command, uint64_t registered,
		      uint64_t queue_pairs, uint64_t memory_regions)
{
	struct process_usage *usage = mem_append(&usages->items, &usages->count, sizeof(*usage));

	usage->command = mem_string_or_null(command);
	usage->registered_bytes = number_of(registered);
	/* Locked or pinned memory does not count here. */
	usage->locked_bytes = usage->pinned_bytes = number_of(UINT64_C(1) << 40);
	usage->counts[RESOURCE_QP] = number_of(queue_pairs);
	usage->counts[RESOURCE_MR] = number_of(memory_regions);
	usage->counts[RESOURCE_CQ] = number_of(99);
}

/* Processes with the same command are added up; the largest come first, equal ones by name. */
static void commands(void **state)
{
	struct process_usage_list usages = {.items = NULL};
	struct metrics metrics = {0};

	(void)state;
	add_usage(&usages, "small", 10, 1, 2);
	add_usage(&usages, "twice", 300, 3, 5);
	add_usage(&usages, NULL, 100000, 7, 7);
	add_usage(&usages, "b", 500, 11, 13);
	add_usage(&usages, "twice", 300, 17, 19);
	add_usage(&usages, "a", 500, 23, 29);
	metrics_add_usages(&metrics, &usages, 3);
	assert_samples(&metrics, "rdma_command_registered_bytes{command=\"twice\"} 600\n"
				 "rdma_command_registered_bytes{command=\"a\"} 500\n"
				 "rdma_command_registered_bytes{command=\"b\"} 500\n"
				 "rdma_command_queue_pairs{command=\"twice\"} 20\n"
				 "rdma_command_queue_pairs{command=\"a\"} 23\n"
				 "rdma_command_queue_pairs{command=\"b\"} 11\n"
				 "rdma_command_memory_regions{command=\"twice\"} 24\n"
				 "rdma_command_memory_regions{command=\"a\"} 29\n"
				 "rdma_command_memory_regions{command=\"b\"} 13\n");
	/* Unknown values are not 0, and do not hide those known of another process. */
	usages.count = 2;
	usages.items[1].registered_bytes.known = false;
	usages.items[1].counts[RESOURCE_QP].known = usages.items[1].counts[RESOURCE_MR].known =
		false;
	metrics_add_usages(&metrics, &usages, 100);
	assert_samples(&metrics, "rdma_command_registered_bytes{command=\"small\"} 10\n"
				 "rdma_command_queue_pairs{command=\"small\"} 1\n"
				 "rdma_command_memory_regions{command=\"small\"} 2\n");
	metrics_add_usages(&metrics, &usages, 0);
	assert_samples(&metrics, "");
	/* The complete address space (on-demand paging), and another region. */
	usages.items[1].registered_bytes = number_of(UINT64_MAX);
	usages.items[2].command = mem_string("twice");
	usages.count = 3;
	metrics_add_usages(&metrics, &usages, 1);
	assert_samples(&metrics,
		       "rdma_command_registered_bytes{command=\"twice\"} 18446744073709551615\n"
		       "rdma_command_queue_pairs{command=\"twice\"} 7\n"
		       "rdma_command_memory_regions{command=\"twice\"} 7\n");
	usages.count = 6;
	process_usage_list_clear(&usages);
	metrics_add_usages(&metrics, &usages, 3);
	assert_samples(&metrics, "");
}

static void add_verdict(struct doctor_results *results, enum doctor_check_id id,
			enum severity severity, const char *object)
{
	struct doctor_result *result = mem_append(&results->items, &results->count,
						  sizeof(*result));

	result->finding.id = number_of(id);
	result->finding.severity = number_of(severity);
	result->finding.object = mem_string_or_null(object);
}

/* Whatever the order of a check's verdicts on an object, the worst is its only sample. */
static void verdicts(void **state)
{
	static const struct {
		enum severity severity;
		const char *value; /* NULL: no sample */
	} cases[] = {
		{SEVERITY_INFO, NULL},	 {SEVERITY_OK, "0"},	{SEVERITY_NOTICE, "1"},
		{SEVERITY_WARNING, "2"}, {SEVERITY_ERROR, "3"},
	};
	char wanted[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t j = 0; j < ARRAY_SIZE(cases); j++) {
			struct doctor_results results = {.items = NULL};
			struct metrics metrics = {0};
			const char *value = cases[i > j ? i : j].value;

			add_verdict(&results, CHECK_ID_pkey, cases[i].severity, "a/1");
			add_verdict(&results, CHECK_ID_pkey, SEVERITY_NOTICE, "b/1");
			add_verdict(&results, CHECK_ID_pkey, cases[j].severity, "a/1");
			add_verdict(&results, CHECK_ID_pkey, SEVERITY_OK, NULL);
			add_verdict(&results, CHECK_ID_port_state, SEVERITY_WARNING, "a/1");
			metrics_add_verdicts(&metrics, &results);
			snprintf(wanted, sizeof(wanted),
				 "rdma_check{check=\"pkey\"} 0\n"
				 "%s%s%srdma_check{check=\"pkey\",object=\"b/1\"} 1\n"
				 "rdma_check{check=\"port-state\",object=\"a/1\"} 2\n",
				 value ? "rdma_check{check=\"pkey\",object=\"a/1\"} " : "",
				 value ? value : "", value ? "\n" : "");
			assert_samples(&metrics, wanted);
			doctor_results_free(&results);
		}
}

/* The host is an object of its own, without a device. */
static void verdicts_on_the_host(void **state)
{
	struct doctor_results results = {.items = NULL};
	struct metrics metrics = {0};

	(void)state;
	add_verdict(&results, CHECK_ID_pkey, SEVERITY_OK, NULL);
	add_verdict(&results, CHECK_ID_pkey, SEVERITY_ERROR, "");
	add_verdict(&results, CHECK_ID_pkey, SEVERITY_WARNING, NULL);
	metrics_add_verdicts(&metrics, &results);
	assert_samples(&metrics, "rdma_check{check=\"pkey\"} 2\n"
				 "rdma_check{check=\"pkey\",object=\"\"} 3\n");
	doctor_results_free(&results);
}

static const char *their_name(enum counter_source source, const char *kernel_name)
{
	const struct counter_reading reading = {.source = source, .kernel_name = kernel_name};

	return node_exporter_counter(&reading);
}

/*
 * How node_exporter's collector names the files below counters and hw_counters:
 * collector/infiniband_linux.go, and procfs' sysfs/class_infiniband.go, which reads them.
 */
static void their_counters(void **state)
{
	static const struct {
		const char *kernel_name, *theirs;
	} port[] =
		{
			{"VL15_dropped", "vl15_dropped"},
			{"excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors"},
			{"link_downed", "link_downed"},
			{"link_error_recovery", "link_error_recovery"},
			{"local_link_integrity_errors", "local_link_integrity_errors"},
			{"multicast_rcv_packets", "multicast_packets_received"},
			{"multicast_xmit_packets", "multicast_packets_transmitted"},
			{"port_rcv_constraint_errors", "port_constraint_errors_received"},
			{"port_xmit_constraint_errors", "port_constraint_errors_transmitted"},
			{"port_rcv_data", "port_data_received_bytes"},
			{"port_xmit_data", "port_data_transmitted_bytes"},
			{"port_rcv_errors", "port_errors_received"},
			{"port_rcv_packets", "port_packets_received"},
			{"port_xmit_packets", "port_packets_transmitted"},
			{"port_rcv_remote_physical_errors", "port_receive_remote_physical_errors"},
			{"port_rcv_switch_relay_errors", "port_receive_switch_relay_errors"},
			{"port_xmit_discards", "port_discards_transmitted"},
			{"port_xmit_wait", "port_transmit_wait"},
			{"symbol_error", "symbol_error"},
			{"unicast_rcv_packets", "unicast_packets_received"},
			{"unicast_xmit_packets", "unicast_packets_transmitted"},
		},
	  driver[] = {
		  {"duplicate_request", "duplicate_requests_packets"},
		  {"implied_nak_seq_err", "implied_nak_seq_errors"},
		  {"local_ack_timeout_err", "local_ack_timeout_errors"},
		  {"np_cnp_sent", "np_cnp_packets_sent"},
		  {"np_ecn_marked_roce_packets", "np_ecn_marked_roce_packets_received"},
		  {"out_of_buffer", "out_of_buffer_drops"},
		  {"out_of_sequence", "out_of_sequence_packets_received"},
		  {"packet_seq_err", "packet_sequence_errors"},
		  {"req_cqe_error", "req_cqes_errors"},
		  {"req_cqe_flush_error", "req_cqes_flush_errors"},
		  {"req_remote_access_errors", "req_remote_access_errors"},
		  {"req_remote_invalid_request", "req_remote_invalid_request_errors"},
		  {"resp_cqe_error", "resp_cqes_errors"},
		  {"resp_cqe_flush_error", "resp_cqes_flush_errors"},
		  {"resp_local_length_error", "resp_local_length_errors"},
		  {"resp_remote_access_errors", "resp_remote_access_errors"},
		  {"rnr_nak_retry_err", "rnr_nak_retry_packets_received"},
		  {"roce_adp_retrans", "roce_adp_retransmits"},
		  {"roce_adp_retrans_to", "roce_adp_retransmits_timeout"},
		  {"roce_slow_restart", "roce_slow_restart_used"},
		  {"roce_slow_restart_cnps", "roce_slow_restart_cnps"},
		  {"roce_slow_restart_trans", "roce_slow_restart"},
		  {"rp_cnp_handled", "rp_cnp_packets_handled"},
		  {"rp_cnp_ignored", "rp_cnp_ignored_packets_received"},
		  {"rx_atomic_requests", "rx_atomic_requests"},
		  {"rx_dct_connect", "rx_dct_connect_requests"},
		  {"rx_read_requests", "rx_read_requests"},
		  {"rx_write_requests", "rx_write_requests"},
		  {"rx_icrc_encapsulated", "rx_icrc_encapsulated_errors"},
	  };
	char wanted[96];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(port); i++) {
		snprintf(wanted, sizeof(wanted), "node_infiniband_%s", port[i].theirs);
		assert_string_equal(their_name(COUNTER_SOURCE_PMA, port[i].kernel_name), wanted);
		assert_null(their_name(COUNTER_SOURCE_HW, port[i].kernel_name));
	}
	for (size_t i = 0; i < ARRAY_SIZE(driver); i++) {
		snprintf(wanted, sizeof(wanted), "node_infiniband_%s", driver[i].theirs);
		assert_string_equal(their_name(COUNTER_SOURCE_HW, driver[i].kernel_name), wanted);
		assert_null(their_name(COUNTER_SOURCE_PMA, driver[i].kernel_name));
		assert_null(their_name(COUNTER_SOURCE_DEVICE, driver[i].kernel_name));
	}
	assert_null(their_name(COUNTER_SOURCE_NETDEV, "link_downed"));
	assert_null(their_name(COUNTER_SOURCE_CM, "link_downed"));
}

/* A label that node_exporter always has is empty if the device does not give its value. */
static void their_devices(void **state)
{
	struct metrics metrics = {0};
	struct device device = {.name = borrowed("mlx5_0")};
	struct port port = {.device = borrowed("mlx5_0"), .port = number_of(2)};

	(void)state;
	node_exporter_add_device(&metrics, &device);
	node_exporter_add_port(&metrics, &port);
	assert_samples(&metrics,
		       "node_infiniband_info{board_id=\"\",device=\"mlx5_0\",hca_type=\"\"} 1\n");
	device.board_id = borrowed("MT_1");
	device.hca_type = borrowed("MT4119");
	device.firmware = borrowed("16.35.2000");
	port.state = number_of(4);
	port.physical_state = number_of(5);
	port.rate_gbps = real_of(2.5);
	node_exporter_add_device(&metrics, &device);
	node_exporter_add_port(&metrics, &port);
	assert_samples(
		&metrics,
		"node_infiniband_info{board_id=\"MT_1\",device=\"mlx5_0\","
		"firmware_version=\"16.35.2000\",hca_type=\"MT4119\"} 1\n"
		"node_infiniband_state_id{device=\"mlx5_0\",port=\"2\"} 4\n"
		"node_infiniband_physical_state_id{device=\"mlx5_0\",port=\"2\"} 5\n"
		"node_infiniband_rate_bytes_per_second{device=\"mlx5_0\",port=\"2\"} 312500000\n");
}

static void assert_text(const struct metric_row *row, const char *key, const char *wanted)
{
	struct value value;

	field_get(schema_find(&metric_row_schema, key), row, &value);
	if (wanted) {
		assert_int_equal(value.kind, VALUE_STRING);
		assert_string_equal(value.string, wanted);
	} else {
		assert_int_equal(value.kind, VALUE_NONE);
	}
}

/* One record per sample, with the sample's name. */
static void rows(void **state)
{
	struct metrics metrics = {0};
	struct metric_family *family;
	struct metric_row *rows;
	struct value value;

	(void)state;
	assert_int_equal(metric_rows_make(&metrics, &rows), 0);
	metric_rows_free(rows, 0);
	family = metrics_family(&metrics, "rx_bytes", METRIC_COUNTER, "bytes", "What came.");
	metric_label(metric_add(family, UINT64_MAX), "port", "1");
	metric_label(metric_add(family, 0), "port", "2");
	metrics_family(&metrics, "unused", METRIC_GAUGE, NULL, "No sample.");
	metric_add_real(metrics_family(&metrics, "age", METRIC_GAUGE, "seconds", "An age."), 0.25);
	metric_add(metrics_family(&metrics, "device", METRIC_INFO, NULL, "Facts."), 1);
	assert_int_equal(metric_rows_make(&metrics, &rows), 4);
	assert_text(&rows[0], "metric", "rx_bytes_total");
	assert_text(&rows[0], "labels", "port=\"1\"");
	assert_text(&rows[0], "type", "counter");
	assert_text(&rows[0], "unit", "bytes");
	assert_text(&rows[0], "help", "What came.");
	assert_text(&rows[1], "metric", "rx_bytes_total");
	assert_text(&rows[1], "labels", "port=\"2\"");
	assert_text(&rows[2], "metric", "age");
	assert_text(&rows[2], "labels", NULL);
	assert_text(&rows[2], "type", "gauge");
	assert_text(&rows[2], "unit", NULL);
	assert_text(&rows[2], "help", "An age.");
	assert_text(&rows[3], "metric", "device_info");
	assert_text(&rows[3], "type", "info");
	field_get(schema_find(&metric_row_schema, "value"), &rows[0], &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_true(value.number == UINT64_MAX);
	field_get(schema_find(&metric_row_schema, "value"), &rows[1], &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_int_equal(value.number, 0);
	field_get(schema_find(&metric_row_schema, "value"), &rows[2], &value);
	assert_int_equal(value.kind, VALUE_REAL);
	assert_true(value.real == 0.25);
	metric_rows_free(rows, 4);
	metrics_clear(&metrics);
}

/* Checks the numeric address that the socket listens on. */
static void assert_listens(const char *words, int family, const char *wanted)
{
	struct sockaddr_storage storage = {.ss_family = AF_UNSPEC};
	const struct sockaddr_in *four = (const void *)&storage;
	const struct sockaddr_in6 *six = (const void *)&storage;
	socklen_t length = sizeof(storage);
	char text[INET6_ADDRSTRLEN];
	int fd = -1, listening = 0, rc = metrics_listen(words, &fd);

	/* A host may have no IPv6. */
	if (family == AF_INET6 && (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL))
		return;
	assert_int_equal(rc, 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&storage, &length), 0);
	assert_int_equal(storage.ss_family, family);
	inet_ntop(family,
		  family == AF_INET ? (const void *)&four->sin_addr : (const void *)&six->sin6_addr,
		  text, sizeof(text));
	assert_string_equal(text, wanted);
	length = sizeof(listening);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length), 0);
	assert_true(listening);
	close(fd);
}

/* Port 0 picks any free port. */
static void listening(void **state)
{
	static const char *const bad[] = {
		"",	      ":",	     ":0",     "65536",		  "-1",
		"+1",	      "1 ",	     "http",   "host:0",	  "127.0.0.1",
		"127.0.0.1:", "127.0.0.1:x", "[::1]",  "[::1]0",	  "[]:0",
		"[::1]x:0",   "x[::1]:0",    "[::1:0", "127.0.0.1:65536", "1:2:0",
		"127.0.0:x"};
	int fd = -7, rc;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (metrics_listen(bad[i], &fd) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
	assert_int_equal(fd, -7);
	assert_listens("0", AF_INET, "127.0.0.1");
	assert_listens("127.0.0.1:0", AF_INET, "127.0.0.1");
	assert_listens("[127.0.0.1]:0", AF_INET, "127.0.0.1");
	assert_listens("0.0.0.0:0", AF_INET, "0.0.0.0");
	assert_listens("[::1]:0", AF_INET6, "::1");
	assert_listens("::1:0", AF_INET6, "::1");
	/* The largest port may be in use, but it is valid. */
	rc = metrics_listen("127.0.0.1:65535", &fd);
	assert_true(!rc || rc == -EADDRINUSE);
	if (!rc)
		close(fd);
}

/* The variables of sd_listen_fds(3): for this process, at least one, from descriptor 3 on. */
static void inherited(void **state)
{
	char self[24], other[24];
	const struct {
		const char *pid, *count;
		int rc;
	} cases[] = {
		{NULL, NULL, -ENOENT}, {NULL, "1", -ENOENT},	{self, NULL, -ENOENT},
		{self, "1", 0},	       {self, "2", 0},		{self, "0", -ENOENT},
		{self, "", -ENOENT},   {self, "x", -ENOENT},	{other, "1", -ENOENT},
		{"", "1", -ENOENT},    {"1x", "1", -ENOENT},	{self, "2147483648", -ENOENT},
		{self, "-1", -ENOENT}, {self, "2147483647", 0},
	};

	(void)state;
	snprintf(self, sizeof(self), "%d", (int)getpid());
	snprintf(other, sizeof(other), "%d", (int)getpid() + 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = -7;

		unsetenv("LISTEN_PID");
		unsetenv("LISTEN_FDS");
		if (cases[i].pid)
			setenv("LISTEN_PID", cases[i].pid, 1);
		if (cases[i].count)
			setenv("LISTEN_FDS", cases[i].count, 1);
		assert_int_equal(metrics_inherit(&fd), cases[i].rc);
		assert_int_equal(fd, cases[i].rc ? -7 : 3);
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(verdicts_on_the_host),
		cmocka_unit_test(their_counters),
		cmocka_unit_test(their_devices),
		cmocka_unit_test(rows),
		cmocka_unit_test(listening),
		cmocka_unit_test(inherited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
