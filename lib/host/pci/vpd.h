/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Vital product data of a PCI function: what its vendor wrote into it, in fields with keywords of
 * two letters (PCI Local Bus Specification 3.0, appendix I). Only root may read them, from the file
 * vpd of the function; the kernel ends that after the tag that ends the data (drivers/pci/vpd.c).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A part of the data, without a NUL at its end. */
struct vpd_text {
	const char *text;
	size_t length;
};

/*
 * Finds NAME=VALUE in a field of the vendor, where colons stand between several. 0; -ENOENT: there
 * is none; -EBADMSG: the data are damaged where it could have been.
 */
int vpd_find(const uint8_t *data, size_t length, const char *name, struct vpd_text *ret_value);
/* The product's name and part number; those that the data do not have before damage stay empty. */
void vpd_product(const uint8_t *data, size_t length, struct vpd_text *ret_name,
		 struct vpd_text *ret_part_number);
