/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Vital product data of a PCI function: what its vendor wrote into it, in fields with keywords of
 * two letters (PCI Local Bus Specification 3.0, appendix I). Only root may read them, from the file
 * vpd of the function; the kernel ends that after the tag that ends the data (drivers/pci/vpd.c).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Finds NAME=VALUE in a field of the vendor, where colons stand between several. The value is a
 * part of the data and has no NUL at its end. 0; -ENOENT: there is none; -EBADMSG: the data are
 * damaged where it could have been.
 */
int vpd_find(const uint8_t *data, size_t length, const char *name, const char **ret_value,
	     size_t *ret_length);
