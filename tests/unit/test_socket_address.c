/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conversion of socket addresses, in both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>

#include "base/mem.h"
#include "selftest/agent/watch.h"

static struct ip_address ip_of(const char *text)
{
	struct ip_address ip;

	assert_int_equal(ip_parse(text, &ip), 0);
	return ip;
}

static void assert_back(const struct ip_address *ip, const struct sockaddr_storage *address)
{
	const struct ip_address back = socket_address_ip(address);

	assert_int_equal(back.family, ip->family);
	assert_memory_equal(back.raw, ip->raw, ip->family == AF_INET ? 4 : 16);
}

static void four(void **state)
{
	const struct ip_address ip = ip_of("10.9.0.1");
	struct sockaddr_storage address;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address;

	(void)state;
	assert_int_equal(socket_address(&ip, 7, 18777, &address), sizeof(*in));
	assert_int_equal(in->sin_family, AF_INET);
	assert_int_equal(ntohs(in->sin_port), 18777);
	assert_int_equal(ntohl(in->sin_addr.s_addr), 0x0a090001);
	assert_back(&ip, &address);
}

/* Only link-local addresses have a scope. */
static void six(void **state)
{
	static const struct {
		const char *text;
		uint32_t scope;
	} cases[] = {{"fe80::1", 7}, {"febf::1", 7}, {"fec0::1", 0}, {"fd09::2", 0}, {"::", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ip_address ip = ip_of(cases[i].text);
		struct sockaddr_storage address;
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;

		memset(&address, 0xff, sizeof(address));
		assert_int_equal(socket_address(&ip, 7, 65535, &address), sizeof(*in6));
		assert_int_equal(in6->sin6_family, AF_INET6);
		assert_int_equal(ntohs(in6->sin6_port), 65535);
		assert_int_equal(in6->sin6_flowinfo, 0);
		assert_int_equal(in6->sin6_scope_id, cases[i].scope);
		assert_back(&ip, &address);
	}
}

/* Errors that pass; after others, it is no use to wait, or there is nothing to wait for. */
static void exhaustion(void **state)
{
	static const int passing[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
	static const int others[] = {0, EAGAIN, ECONNABORTED, EINTR, EBADF};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(passing); i++)
		assert_true(socket_is_exhausted(passing[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(socket_is_exhausted(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four),
		cmocka_unit_test(six),
		cmocka_unit_test(exhaustion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
