/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/hmac.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"

LIBRARY_NOTE(LIBGNUTLS, "token", "selftest --token");

#define GNUTLS_FUNCTIONS(MUST) MUST(gnutls_hmac_fast, "GNUTLS_3_4")

struct gnutls_functions {
	GNUTLS_FUNCTIONS(LIBRARY_MEMBER)
};

#define LIBRARY_RECORD struct gnutls_functions

static const struct library_symbol symbols[] = {GNUTLS_FUNCTIONS(LIBRARY_MUST)};

int hmac_sha256(const void *key, size_t key_bytes, const void *text, size_t text_bytes,
		uint8_t ret_mac[static HMAC_BYTES])
{
	struct gnutls_functions call;
	uint8_t mac[HMAC_BYTES];
	int rc = library_open(LIBGNUTLS, symbols, ARRAY_SIZE(symbols), &call);

	if (rc)
		return rc;
	if (call.gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_bytes, text, text_bytes, mac))
		return -EIO;
	memcpy(ret_mac, mac, sizeof(mac));
	return 0;
}

const char *hmac_failure(int rc)
{
	return rc == -EIO ? "libgnutls.so.30, which checks tokens, refuses to compute HMAC-SHA256"
			  : "libgnutls.so.30, which checks tokens, cannot be loaded";
}

char *hmac_hint(int rc)
{
	return rc == -EIO ? mem_string("a self-test of GnuTLS failed, or its FIPS mode forbids it: "
				       "check with gnutls-cli --fips140-mode")
			  : library_hint(LIBGNUTLS, rc,
					 "install GnuTLS: package libgnutls30 (Debian, Ubuntu) or "
					 "gnutls (Fedora, RHEL)");
}
