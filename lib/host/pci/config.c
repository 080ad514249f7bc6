/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/config.h"

#include <errno.h>

#include "kernel/sysfs.h"

enum {
	STATUS = 0x06,
	STATUS_CAPABILITIES = 0x10,
	HEADER_TYPE = 0x0e,
	HEADER_TYPE_CARDBUS = 2,
	FIRST_CAPABILITY = 0x34,
	FIRST_EXTENDED = 0x100,

	CAPABILITY_EXPRESS = 0x10,
	DEVICE_CONTROL = 8,	   /* in the PCI Express capability */
	RELAXED_ORDERING = 0x0010, /* in device control */
	READ_REQUEST_SHIFT = 12,   /* three bits: 128 << n bytes */
	READ_REQUEST_MOST = 5,	   /* 4096 bytes; 6 and 7 are reserved */

	EXTENDED_ACS = 0x0d,
	ACS_CONTROL = 6,
};

ssize_t pci_config_read(const struct root *root, const struct pci_function *function, size_t most,
			uint8_t *bytes)
{
	return sysfs_read_bytes(root, bytes, most, PCI_FUNCTION "/config", function->address);
}

static unsigned int get16(const uint8_t *bytes, size_t offset)
{
	return bytes[offset] | (unsigned int)bytes[offset + 1] << 8;
}

static uint32_t get32(const uint8_t *bytes, size_t offset)
{
	return get16(bytes, offset) | (uint32_t)get16(bytes, offset + 2) << 16;
}

/*
 * Capabilities are a list: a byte with the kind, a byte with the offset of the next. They start
 * after the header and on multiples of four, so a list with more elements than fit is circular.
 */
static int find_capability(const uint8_t *bytes, size_t length, unsigned int wanted,
			   size_t *ret_offset)
{
	size_t offset;

	if (length < PCI_CONFIG_HEADER)
		return -EPERM;
	if (get16(bytes, 0) == 0xffff)
		return -ENODEV;
	if (!(get16(bytes, STATUS) & STATUS_CAPABILITIES))
		return -ENODATA;
	if ((bytes[HEADER_TYPE] & 0x7f) == HEADER_TYPE_CARDBUS)
		return -ENODATA;
	offset = bytes[FIRST_CAPABILITY] & ~3U;
	for (size_t steps = 0; offset; steps++) {
		if (offset < PCI_CONFIG_HEADER || steps > PCI_CONFIG_SIZE / 4)
			return -EBADMSG;
		if (offset + 2 > length)
			return -EPERM;
		if (bytes[offset] == 0xff)
			return -EBADMSG;
		if (bytes[offset] == wanted) {
			*ret_offset = offset;
			return 0;
		}
		offset = bytes[offset + 1] & ~3U;
	}
	return -ENODATA;
}

int pci_config_device_control(const uint8_t *bytes, size_t length, struct pci_device_control *ret)
{
	size_t offset = 0;
	unsigned int control, read_request;
	int rc = find_capability(bytes, length, CAPABILITY_EXPRESS, &offset);

	if (rc)
		return rc;
	if (offset + DEVICE_CONTROL + 2 > length)
		return offset + DEVICE_CONTROL + 2 > PCI_CONFIG_SIZE ? -EBADMSG : -EPERM;
	control = get16(bytes, offset + DEVICE_CONTROL);
	read_request = control >> READ_REQUEST_SHIFT & 7;
	if (read_request > READ_REQUEST_MOST)
		return -EBADMSG;
	*ret = (struct pci_device_control){
		.max_read_request_bytes = 128U << read_request,
		.relaxed_ordering = control & RELAXED_ORDERING,
	};
	return 0;
}

/*
 * Extended capabilities have a 32-bit header: the kind in the lower 16 bits, the offset of the next
 * in the upper 12. A space without any begins with zeros, or with ones if nothing answers. A file
 * of 256 bytes is complete (pci_cfg_space_size(), drivers/pci/probe.c), since ordinary users get
 * 64: the function is not PCI Express, or the kernel cannot reach the rest.
 */
static int find_extended(const uint8_t *bytes, size_t length, unsigned int wanted,
			 size_t *ret_offset)
{
	size_t offset = FIRST_EXTENDED, express;

	if (length >= 2 && get16(bytes, 0) == 0xffff)
		return -ENODEV;
	if (length == PCI_CONFIG_SIZE)
		return find_capability(bytes, length, CAPABILITY_EXPRESS, &express) == -ENODATA
			       ? -ENODATA
			       : -EOPNOTSUPP;
	for (size_t steps = 0; offset; steps++) {
		uint32_t header;

		if (offset < FIRST_EXTENDED || steps > PCI_CONFIG_EXTENDED / 8)
			return -EBADMSG;
		if (offset + 4 > length)
			return length < PCI_CONFIG_EXTENDED ? -EPERM : -EBADMSG;
		header = get32(bytes, offset);
		if (header == 0 || header == UINT32_MAX)
			return offset == FIRST_EXTENDED ? -ENODATA : -EBADMSG;
		if ((header & 0xffff) == wanted) {
			*ret_offset = offset;
			return 0;
		}
		offset = header >> 20 & 0xffc;
	}
	return -ENODATA;
}

int pci_config_acs(const uint8_t *bytes, size_t length, unsigned int *ret_control)
{
	size_t offset = 0;
	int rc = find_extended(bytes, length, EXTENDED_ACS, &offset);

	if (rc)
		return rc;
	if (offset + ACS_CONTROL + 2 > length)
		return length < PCI_CONFIG_EXTENDED ? -EPERM : -EBADMSG;
	*ret_control = get16(bytes, offset + ACS_CONTROL);
	return 0;
}
