/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Vital product data of PCI functions: complete, damaged and hostile. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/pci/vpd.h"

/* A name, a read-only resource with a part number and a vendor's field, and the end. */
#define NAME           \
	"\x82\x04\x00" \
	"card"
#define FIELDS   \
	"PN\x03" \
	"123"    \
	"VA\x1d" \
	"MLX:MODL=X:SMDL=SW_MNG:UUID=1"
#define RESOURCE "\x90\x26\x00" FIELDS
#define END	 "\x78"

static void assert_finds(const char *data, size_t length, const char *name, const char *wanted)
{
	/* In a copy of the exact size, a read past the end is noticed. */
	uint8_t *copy = malloc(length ? length : 1);
	struct vpd_text value = {NULL, 0};

	assert_non_null(copy);
	memcpy(copy, data, length);
	assert_int_equal(vpd_find(copy, length, name, &value), 0);
	assert_int_equal(value.length, strlen(wanted));
	assert_memory_equal(value.text, wanted, value.length);
	free(copy);
}

static void assert_fails(const char *data, size_t length, const char *name, int rc)
{
	uint8_t *copy = malloc(length ? length : 1);
	struct vpd_text value = {NULL, 0};

	assert_non_null(copy);
	memcpy(copy, data, length);
	assert_int_equal(vpd_find(copy, length, name, &value), rc);
	assert_null(value.text);
	free(copy);
}

#define FINDS(data, name, wanted) assert_finds(data, sizeof(data) - 1, name, wanted)
#define FAILS(data, name, rc)	  assert_fails(data, sizeof(data) - 1, name, rc)

static void test_finds(void **state)
{
	(void)state;
	FINDS(NAME RESOURCE END, "SMDL", "SW_MNG");
	FINDS(NAME RESOURCE END, "MODL", "X");
	FINDS(NAME RESOURCE END, "UUID", "1");
	FINDS(RESOURCE END "garbage", "SMDL", "SW_MNG");
	/* In the writable resource, and in the second of two resources. */
	FINDS("\x91\x09\x00V1\x06SMDL=Y" END, "SMDL", "Y");
	FINDS("\x90\x06\x00V0\x03"
	      "A=1"
	      "\x91\x06\x00V1\x03"
	      "B=2" END,
	      "B", "2");
	/* An empty value is valid; small resources are skipped. */
	FINDS("\x39z"
	      "\x90\x05\x00V0\x02"
	      "A=" END,
	      "A", "");
}

/* The length of a resource has two bytes, the lower one first (PCI Local Bus 3.0, appendix I). */
static void test_finds_far_away(void **state)
{
	char data[3 + 3 + 255 + 3 + 3 + 1] = "\x90\x08\x01PN\xff";
	char *end = data + 3 + 3 + 255;

	(void)state;
	memset(data + 6, 'x', 255);
	memcpy(end,
	       "V0\x03"
	       "A=1" END,
	       7);
	assert_finds(data, sizeof(data), "A", "1");
	/* One byte less than the fields need. */
	data[1] = 7;
	assert_fails(data, sizeof(data), "A", -EBADMSG);
}

static void test_finds_nothing(void **state)
{
	(void)state;
	FAILS(NAME RESOURCE END, "SMD", -ENOENT);
	FAILS(NAME RESOURCE END, "DL", -ENOENT);
	FAILS(NAME RESOURCE END, "MLX", -ENOENT);
	FAILS(NAME END, "SMDL", -ENOENT);
	FAILS(END, "SMDL", -ENOENT);
	/* The same text in other keywords and other resources does not match. */
	FAILS("\x90\x0e\x00PN\x0bSMDL=SW_MNG" END, "SMDL", -ENOENT);
	FAILS("\x82\x0b\x00SMDL=SW_MNG" END, "SMDL", -ENOENT);
	FAILS("\x90\x00\x00" END, "SMDL", -ENOENT);
}

static void test_damaged(void **state)
{
	static const char whole[] = NAME RESOURCE END;
	const size_t before = sizeof(NAME) - 1 + sizeof(RESOURCE) - 1;

	(void)state;
	/* Truncated anywhere. */
	for (size_t length = 0; length <= before; length++)
		assert_fails(whole, length, "NONE", -EBADMSG);
	FAILS("", "SMDL", -EBADMSG);
	FAILS("\x90", "SMDL", -EBADMSG);
	FAILS("\x90\xff\xff", "SMDL", -EBADMSG);
	/* A field that is longer than its resource, and half a header. */
	FAILS("\x90\x06\x00V0\x04"
	      "A=1" END,
	      "A", -EBADMSG);
	FAILS("\x90\x0a\x00PN\x01xV0\x04"
	      "A=1" END,
	      "A", -EBADMSG);
	FAILS("\x90\x02\x00V0" END, "A", -EBADMSG);
	/* The answer of an absent function. */
	FAILS("\xff\xff\xff\xff\xff\xff", "SMDL", -EBADMSG);
	FAILS("\x00\x00\x00\x00", "SMDL", -EBADMSG);
}

static void assert_product(const char *data, size_t length, const char *name, const char *part)
{
	uint8_t *copy = malloc(length ? length : 1);
	struct vpd_text found, number;

	assert_non_null(copy);
	memcpy(copy, data, length);
	vpd_product(copy, length, &found, &number);
	assert_int_equal(found.length, strlen(name));
	assert_memory_equal(found.text, name, found.length);
	assert_int_equal(number.length, strlen(part));
	assert_memory_equal(number.text, part, number.length);
	free(copy);
}

#define PRODUCT(data, name, part) assert_product(data, sizeof(data) - 1, name, part)

static void test_product(void **state)
{
	(void)state;
	PRODUCT(NAME RESOURCE END, "card", "123");
	/* In any order, and after a small resource. */
	PRODUCT("\x39z" RESOURCE NAME END, "card", "123");
	PRODUCT(NAME END RESOURCE, "card", "");
	/* Data before the damage is used. */
	PRODUCT(NAME "\x90\xff\xff" FIELDS, "card", "");
	PRODUCT(NAME "\x90\x09\x00PN\x03"
		     "123V0\x05",
		"card", "123");
	PRODUCT("\x82\x05\x00"
		"card",
		"", "");
	PRODUCT("", "", "");
	PRODUCT("\x90", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds),	      cmocka_unit_test(test_finds_far_away),
		cmocka_unit_test(test_finds_nothing), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
