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

	/* So few bytes come all at once (getrandom(2)), but for a signal before the first one. */
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

int handshake_mac(const char *token, enum handshake_role role,
		  const struct message_challenge *challenge,
		  const struct message_response *response, char ret_mac[static NONCE_BYTES])
{
	struct {
		char role[23]; /* without the NUL */
		char server_nonce[NONCE_BYTES], client_nonce[NONCE_BYTES];
		uint8_t version[4];
	} text;
	const uint32_t version = htonl(challenge->version);

	_Static_assert(sizeof(text) == 23 + 2 * NONCE_BYTES + 4, "it has no gaps");
	memcpy(text.role,
	       role == HANDSHAKE_CLIENT ? "rdmactl selftest client" : "rdmactl selftest server",
	       sizeof(text.role));
	memcpy(text.server_nonce, challenge->nonce, NONCE_BYTES);
	memcpy(text.client_nonce, response->nonce, NONCE_BYTES);
	memcpy(text.version, &version, sizeof(text.version));
	return hmac_sha256(token, strlen(token), &text, sizeof(text), (uint8_t *)ret_mac);
}
