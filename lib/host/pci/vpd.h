/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Vital product data of a PCI function: text from its vendor, in fields with two-letter keywords
 * (PCI Local Bus Specification 3.0, appendix I). Only root may read it, from the function's file
 * vpd, which the kernel ends after the end tag (drivers/pci/vpd.c).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A part of the data, without a terminating NUL. */
struct vpd_text {
	const char *text;
	size_t length;
};

/*
 * Finds NAME=VALUE in a vendor-specific field, which may hold several, separated by colons. Returns
 * 0; -ENOENT: there is none; -EBADMSG: the data are damaged where it could have been.
 */
int vpd_find(const uint8_t *data, size_t length, const char *name, struct vpd_text *ret_value);
/* Finds a field of the read-only part by its two letters; it stays empty if it is not found. */
void vpd_field(const uint8_t *data, size_t length, const char *keyword, struct vpd_text *ret_value);
/* Finds the product's name and part number; those not found before any damage stay empty. */
void vpd_product(const uint8_t *data, size_t length, struct vpd_text *ret_name,
		 struct vpd_text *ret_part_number);
