/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which task of which launcher this is, from its environment, and where the coordinator is, from
 * the command line.
 */
#include <ifaddrs.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/socket.h"
#include "mesh/mesh.h"
#include "mesh/place.h"

static void expect_place(const char *const *variables, const char *by, int rank, int hosts,
			 const char *name, const char *first)
{
	char *none[] = {NULL}, **own = environ;
	struct mesh_place place;

	/* cmocka itself needs the original environment. */
	environ = none;
	for (; *variables; variables += 2)
		setenv(variables[0], variables[1], 1);
	mesh_place_read(&place);
	environ = own;
	assert_int_equal(!place.by, !by);
	if (by)
		assert_string_equal(place.by, by);
	assert_int_equal(place.rank.known, rank >= 0);
	if (rank >= 0)
		assert_int_equal(place.rank.value, rank);
	assert_int_equal(place.hosts.known, hosts >= 0);
	if (hosts >= 0)
		assert_int_equal(place.hosts.value, hosts);
	assert_int_equal(!place.name, !name);
	if (name)
		assert_string_equal(place.name, name);
	assert_int_equal(!place.first_host, !first);
	if (first)
		assert_string_equal(place.first_host, first);
	mesh_place_clear(&place);
	assert_null(place.first_host);
	assert_null(place.by);
}

#define PLACE(by, rank, hosts, name, first, ...) \
	expect_place((const char *const[]){__VA_ARGS__, NULL}, by, rank, hosts, name, first)

static void launchers(void **state)
{
	char most[16], more[16];

	(void)state;
	PLACE(NULL, -1, -1, NULL, NULL, "HOME", "/");
	PLACE("OMPI_COMM_WORLD_RANK", 3, 8, NULL, NULL, "OMPI_COMM_WORLD_RANK", "3",
	      "OMPI_COMM_WORLD_SIZE", "8");
	PLACE("PMIX_RANK", 1, -1, NULL, NULL, "PMIX_RANK", "1", "PMI_SIZE", "8");
	PLACE("PMI_RANK", 0, 2, NULL, NULL, "PMI_RANK", "0", "PMI_SIZE", "2");
	PLACE("SLURM_PROCID", 1, 4, "n02", "n01", "SLURM_PROCID", "1", "SLURM_STEP_NUM_NODES", "4",
	      "SLURMD_NODENAME", "n02", "SLURM_STEP_NODELIST", "n[01-04],x");
	PLACE("JOB_COMPLETION_INDEX", 7, -1, NULL, NULL, "JOB_COMPLETION_INDEX", "7");
	/* mpirun in a Slurm allocation: the launcher that started the task counts. */
	PLACE("OMPI_COMM_WORLD_RANK", 2, -1, NULL, "a", "OMPI_COMM_WORLD_RANK", "2", "SLURM_PROCID",
	      "0", "SLURM_STEP_NUM_NODES", "4", "SLURM_STEP_NODELIST", "a,b");
	/*
	 * srun with PMIx: the task has the variables of both, and only one gives the number of
	 * tasks.
	 */
	PLACE("PMIX_RANK", 3, 4, "n04", "n01", "PMIX_RANK", "3", "SLURM_PROCID", "3",
	      "SLURM_STEP_NUM_NODES", "4", "SLURMD_NODENAME", "n04", "SLURM_STEP_NODELIST",
	      "n[01-04]");
	PLACE("PMIX_RANK", 3, -1, NULL, "a", "PMIX_RANK", "3", "SLURM_PROCID", "0",
	      "SLURM_STEP_NUM_NODES", "4", "SLURM_STEP_NODELIST", "a,b");
	/* An invalid rank is ignored. */
	PLACE("PMI_RANK", 5, -1, NULL, NULL, "OMPI_COMM_WORLD_RANK", "x", "PMIX_RANK", "",
	      "PMI_RANK", "5", "PMI_SIZE", "-1");
	PLACE(NULL, -1, -1, NULL, NULL, "SLURM_PROCID", "-1", "SLURM_STEP_NODELIST", "n[");
	snprintf(most, sizeof(most), "%u", MESH_MOST_HOSTS - 1);
	snprintf(more, sizeof(more), "%u", MESH_MOST_HOSTS);
	PLACE("PMI_RANK", MESH_MOST_HOSTS - 1, -1, NULL, NULL, "PMI_RANK", most, "PMI_SIZE", more);
	PLACE(NULL, -1, -1, NULL, NULL, "PMI_RANK", more);
}

static void targets(void **state)
{
	static const struct {
		const char *text, *addresses; /* NULL: refused */
		uint16_t port;
	} cases[] = {
		{"n1", "n1", 18778},
		{"n1:1", "n1", 1},
		{"n1:65535", "n1", 65535},
		{"10.0.0.1:99", "10.0.0.1", 99},
		{"10.0.0.1,10.1.0.1,n1:99", "10.0.0.1 10.1.0.1 n1", 99},
		/* The last colon of an IPv6 address belongs to it, unless there are brackets. */
		{"fd00::1", "fd00::1", 18778},
		{"[fd00::1]:99", "fd00::1", 99},
		{"[fd00::1]", "fd00::1", 18778},
		{"[fd00::1],[fd00::2]:99", "fd00::1 fd00::2", 99},
		{"fd00::1,fd00::2", "fd00::1 fd00::2", 18778},
		{"fd00::1,10.0.0.1", "fd00::1 10.0.0.1", 18778},
		{"fd00::1,n1", "fd00::1 n1", 18778},
		{"fd00::1,n1:99", "fd00::1 n1", 99},
		{"n1,fd00::2:18778", "n1 fd00::2", 18778},
		{"fd00::1,[fd00::2]", "fd00::1 fd00::2", 18778},
		/* No netdev has a colon in its name. */
		{"fe80::1%eth0", "fe80::1%eth0", 18778},
		{"fe80::1%eth0:99", "fe80::1%eth0", 99},
		{"[fe80::1%eth0]:99", "fe80::1%eth0", 99},
		{"fe80::1%eth0,fe80::2%eth1:99", "fe80::1%eth0 fe80::2%eth1", 99},
		{"fe80::1%eth0,fd00::2", "fe80::1%eth0 fd00::2", 18778},
		{"fe80::1%eth0:x", NULL, 0},
		{"n1:0", NULL, 0},
		{"n1:65536", NULL, 0},
		{"n1:", NULL, 0},
		{"n1:x", NULL, 0},
		{"", NULL, 0},
		{":99", NULL, 0},
		{"n1,", NULL, 0},
		{",n1", NULL, 0},
		{"n1,,n2", NULL, 0},
		{"[]", NULL, 0},
		{"-n1", NULL, 0},
		{"n1,-n2:99", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = mem_string("");
		struct strings addresses = {.known = true};
		uint16_t port = 0;

		if (mesh_parse_target(cases[i].text, 18778, &addresses, &port) !=
		    !!cases[i].addresses)
			fail_msg("'%s'", cases[i].text);
		for (size_t j = 0; j < addresses.count; j++)
			mem_extend(&text, "%s%s", j ? " " : "", addresses.items[j]);
		assert_string_equal(text, cases[i].addresses ?: "");
		assert_int_equal(port, cases[i].port);
		strings_free(&addresses);
	}
}

/* The text given to agents parses to the same address, with any port. */
static void own(void **state)
{
	static const struct {
		const char *address, *text;
	} cases[] = {
		{"10.0.0.1", "10.0.0.1"},
		{"fd00::1", "fd00:0000:0000:0000:0000:0000:0000:0001"},
		{"2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002:0003:0004:0005:0006"},
	};
	static const uint16_t ports[] = {1, 9999, 18778, 65535};
	static const char *const names[] = {"localhost", "login1.cluster"};
	_cleanup_(freep) char *system = mesh_own_addresses(NULL);
	struct ip_address address;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = mesh_own_addresses(cases[i].address);

		assert_string_equal(text, cases[i].text);
		for (size_t j = 0; j < ARRAY_SIZE(ports); j++) {
			_cleanup_(freep) char *target = mem_format("%s:%u", text, ports[j]);
			struct strings addresses = {.known = true};
			uint16_t port = 0;

			assert_true(mesh_parse_target(target, 7, &addresses, &port));
			assert_int_equal(port, ports[j]);
			assert_int_equal(addresses.count, 1);
			assert_string_equal(addresses.items[0], text);
			strings_free(&addresses);
		}
	}
	/* Agents resolve names themselves. */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(freep) char *text = mesh_own_addresses(names[i]);

		assert_string_equal(text, names[i]);
	}
	/* There is always at least one address. */
	for (char *rest = system, *word; (word = strsep(&rest, ","));)
		assert_int_equal(ip_parse(word, &address), 0);
}

/* Addresses that other hosts may reach are listed, wherever they are in the list. */
static void of_interfaces(void **state)
{
	enum { UP = IFF_UP | IFF_RUNNING };
	static const struct {
		const char *address;
		unsigned int flags;
	} rows[] = {
		{NULL, UP}, /* a link-layer address */
		{"127.0.0.1", UP | IFF_LOOPBACK},
		{"10.0.0.1", IFF_RUNNING},
		{"172.17.0.1", IFF_UP}, /* no carrier */
		{"fe80::1", UP},
	};
	enum { OTHERS = ARRAY_SIZE(rows), ALL = OTHERS + 40 };
	struct sockaddr_storage addresses[ALL] = {{.ss_family = AF_UNSPEC}};
	struct ifaddrs list[ALL] = {{NULL}};
	_cleanup_(freep) char *wanted = NULL;

	(void)state;
	for (unsigned int i = 0; i < ALL; i++) {
		_cleanup_(freep) char *name = mem_format("10.1.0.%u", i);
		const char *address = i < OTHERS ? rows[i].address : name;
		struct ip_address ip;

		list[i].ifa_flags = i < OTHERS ? rows[i].flags : (unsigned int)UP;
		list[i].ifa_next = i + 1 < ALL ? &list[i + 1] : NULL;
		if (!address)
			continue;
		assert_int_equal(ip_parse(address, &ip), 0);
		socket_address(&ip, 0, 0, &addresses[i]);
		list[i].ifa_addr = (struct sockaddr *)&addresses[i];
		if (i >= OTHERS && i < OTHERS + 32)
			mem_extend(&wanted, "%s%s", wanted ? "," : "", name);
	}
	for (unsigned int i = 0; i < 2; i++) {
		_cleanup_(freep) char *text = mesh_list_addresses(list);

		assert_string_equal(text, i ? "127.0.0.1" : wanted);
		/* None leads to another host: a mesh of this host alone. */
		list[OTHERS - 1].ifa_next = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launchers),
		cmocka_unit_test(targets),
		cmocka_unit_test(own),
		cmocka_unit_test(of_interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
