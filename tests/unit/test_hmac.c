/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* HMAC-SHA256 with the test vectors of RFC 4231, and the proof of a token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "selftest/wire/handshake.h"

/* RFC 4231, 4.2 to 4.8. A NULL key or text means this byte, repeated. */
static const struct vector {
	const char *key;
	uint8_t key_byte;
	size_t key_bytes;
	const char *text;
	uint8_t text_byte;
	size_t text_bytes;
	const char *mac; /* in hexadecimal */
} vectors[] = {
	{.key_byte = 0x0b,
	 .key_bytes = 20,
	 .text = "Hi There",
	 .mac = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
	{.key = "Jefe",
	 .text = "what do ya want for nothing?",
	 .mac = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
	{.key_byte = 0xaa,
	 .key_bytes = 20,
	 .text_byte = 0xdd,
	 .text_bytes = 50,
	 .mac = "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
	{.key = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14"
		"\x15"
		"\x16\x17\x18\x19",
	 .text_byte = 0xcd,
	 .text_bytes = 50,
	 .mac = "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
	{.key_byte = 0xaa,
	 .key_bytes = 131,
	 .text = "Test Using Larger Than Block-Size Key - Hash Key First",
	 .mac = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
	{.key_byte = 0xaa,
	 .key_bytes = 131,
	 .text = "This is a test using a larger than block-size key and a larger than block-size "
		 "data. The key needs to be hashed before being used by the HMAC algorithm.",
	 .mac = "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

/* Stores one part of a vector; returns its number of bytes. */
static size_t part(const char *string, uint8_t byte, size_t count, uint8_t bytes[static 256])
{
	if (!string) {
		memset(bytes, byte, count);
		return count;
	}
	memcpy(bytes, string, strlen(string));
	return strlen(string);
}

static void rfc_4231(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *vector = &vectors[i];
		uint8_t key[256], text[256], mac[HMAC_BYTES];
		char words[2 * HMAC_BYTES + 1];
		size_t key_bytes = part(vector->key, vector->key_byte, vector->key_bytes, key);
		size_t text_bytes = part(vector->text, vector->text_byte, vector->text_bytes, text);

		assert_int_equal(hmac_sha256(key, key_bytes, text, text_bytes, mac), 0);
		for (size_t j = 0; j < sizeof(mac); j++)
			snprintf(words + 2 * j, 3, "%02x", mac[j]);
		assert_string_equal(words, vector->mac);
	}
}

static bool says_install(int rc)
{
	_cleanup_(freep) char *hint = hmac_hint(rc);

	return strstr(hint, "install GnuTLS");
}

/* A library that refuses is installed all the same. */
static void failures(void **state)
{
	(void)state;
	assert_non_null(strstr(hmac_failure(-ELIBACC), "cannot be loaded"));
	assert_true(says_install(-ELIBACC));
	assert_false(says_install(-ELIBBAD));
	assert_non_null(strstr(hmac_failure(-EIO), "refuses"));
	assert_false(says_install(-EIO));
}

/* Each input changes the proof. */
static void proofs(void **state)
{
	const struct message_challenge challenges[] = {
		{.version = 2, .nonce = "server"},
		{.version = 3, .nonce = "server"},
		{.version = 2, .nonce = "client"},
	};
	const struct message_response responses[] = {{.nonce = "client"}, {.nonce = "server"}};
	char macs[24][NONCE_BYTES];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(challenges); i++)
		for (size_t j = 0; j < ARRAY_SIZE(responses); j++)
			for (int role = HANDSHAKE_CLIENT; role <= HANDSHAKE_SERVER; role++)
				for (int k = 0; k < 2; k++)
					assert_int_equal(handshake_mac(k ? "word" : "Word",
								       (enum handshake_role)role,
								       &challenges[i],
								       &responses[j],
								       macs[count++]),
							 0);
	assert_int_equal(count, ARRAY_SIZE(macs));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			assert_int_equal(nonce_equal(macs[i], macs[j]), i == j);
}

/* Computed by another implementation: hmac.new() of Python's standard library. */
static void known_proof(void **state)
{
	const struct message_challenge challenge = {.version = 2, .nonce = "server"};
	const struct message_response response = {.nonce = "client"};
	static const uint8_t expected[] = {0xcf, 0x10, 0xe2, 0x00, 0x7a, 0x69, 0x64, 0x11,
					   0xa5, 0x80, 0x9c, 0xc3, 0xb7, 0x04, 0x46, 0xd4,
					   0x24, 0x7d, 0xee, 0x39, 0x0c, 0x77, 0xb7, 0x7e,
					   0xa8, 0x73, 0x90, 0xb4, 0xb4, 0xa0, 0xff, 0xe5};
	char mac[NONCE_BYTES];

	(void)state;
	assert_int_equal(handshake_mac("word", HANDSHAKE_CLIENT, &challenge, &response, mac), 0);
	assert_memory_equal(mac, expected, sizeof(mac));
}

static void nonces(void **state)
{
	char first[NONCE_BYTES] = {0}, second[NONCE_BYTES] = {0};

	(void)state;
	assert_int_equal(nonce_make(first), 0);
	assert_int_equal(nonce_make(second), 0);
	assert_true(nonce_equal(first, first));
	assert_false(nonce_equal(first, second));
	for (size_t i = 0; i < NONCE_BYTES; i++) {
		memcpy(second, first, sizeof(second));
		second[i] ^= 1;
		assert_false(nonce_equal(first, second));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc_4231),    cmocka_unit_test(failures), cmocka_unit_test(proofs),
		cmocka_unit_test(known_proof), cmocka_unit_test(nonces),
	};

	return cmocka_run_group_tests_name("hmac", tests, NULL, NULL);
}
