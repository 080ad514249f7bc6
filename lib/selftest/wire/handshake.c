/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/wire/handshake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/hmac.h"

_Static_assert(NONCE_BYTES == HMAC_BYTES, "a proof is as long as a nonce");

int nonce_make(char ret_nonce[static NONCE_BYTES])
{
	ssize_t got;

	/* getrandom(2) returns so few bytes all at once, unless a signal comes before the first. */
	do
		got = getrandom(ret_nonce, NONCE_BYTES, 0);
	while (got < 0 && errno == EINTR);
	if (got == NONCE_BYTES)
		return 0;
	return got < 0 ? -errno : -EIO;
}

bool nonce_equal(const char a[static NONCE_BYTES], const char b[static NONCE_BYTES])
{
	volatile unsigned char differences = 0;

	for (size_t i = 0; i < NONCE_BYTES; i++)
		differences |= (unsigned char)(a[i] ^ b[i]);
	return !differences;
}

int handshake_prove(const char *token, const char *role, uint32_t version,
		    const char first[static NONCE_BYTES], const char second[static NONCE_BYTES],
		    char ret_mac[static NONCE_BYTES])
{
	char text[HANDSHAKE_MOST_ROLE + 2 * NONCE_BYTES + sizeof(version)];
	const uint32_t order = htonl(version);
	const size_t length = strlen(role);

	if (length > HANDSHAKE_MOST_ROLE)
		return -EINVAL;
	memcpy(text, role, length);
	memcpy(text + length, first, NONCE_BYTES);
	memcpy(text + length + NONCE_BYTES, second, NONCE_BYTES);
	memcpy(text + length + NONCE_BYTES + NONCE_BYTES, &order, sizeof(order));
	return hmac_sha256(token, strlen(token), text, length + 2 * NONCE_BYTES + sizeof(order),
			   (uint8_t *)ret_mac);
}

int handshake_mac(const char *token, enum handshake_role role,
		  const struct message_challenge *challenge,
		  const struct message_response *response, char ret_mac[static NONCE_BYTES])
{
	return handshake_prove(token,
			       role == HANDSHAKE_CLIENT ? "rdmactl selftest client"
							: "rdmactl selftest server",
			       challenge->version, challenge->nonce, response->nonce, ret_mac);
}
