/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capabilities in a PCI function's configuration space, and its error counters. */
#include "saved_tree.h"

#include "base/text.h"
#include "host/pci/pci.h"
#include "host/pci/config.h"

struct space {
	uint8_t bytes[PCI_CONFIG_EXTENDED];
};

static void put16(struct space *space, size_t offset, unsigned int value)
{
	space->bytes[offset] = (uint8_t)value;
	space->bytes[offset + 1] = (uint8_t)(value >> 8);
}

static void put32(struct space *space, size_t offset, uint32_t value)
{
	put16(space, offset, value & 0xffff);
	put16(space, offset + 2, value >> 16);
}

/* A capability of this kind, followed by the one at `next`. */
static void put_capability(struct space *space, size_t offset, unsigned int kind, size_t next)
{
	put16(space, offset, kind | (unsigned int)next << 8);
}

static void put_extended(struct space *space, size_t offset, unsigned int kind, size_t next)
{
	put32(space, offset, kind | 1U << 16 | (uint32_t)next << 20);
}

/* An adapter: power management at 0x40, PCI Express at 0x60, MSI-X at 0x9c; AER, then ACS. */
static void make(struct space *space)
{
	*space = (struct space){.bytes = {0}};
	put16(space, 0, 0x15b3);
	put16(space, 2, 0x1021);
	put16(space, 6, 0x0010);
	space->bytes[0x34] = 0x40;
	put_capability(space, 0x40, 0x01, 0x60);
	put_capability(space, 0x60, 0x10, 0x9c);
	put16(space, 0x68, 5 << 12 | 0x0010 | 0x2f);
	put_capability(space, 0x9c, 0x11, 0);
	put_extended(space, 0x100, 0x01, 0x150);
	put_extended(space, 0x150, 0x0d, 0);
	put16(space, 0x156, 0x001d);
}

static void device_control(void **state)
{
	struct pci_device_control control;
	struct space space;

	(void)state;
	make(&space);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control), 0);
	assert_int_equal(control.max_read_request_bytes, 4096);
	assert_true(control.relaxed_ordering);
	put16(&space, 0x68, 0);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control), 0);
	assert_int_equal(control.max_read_request_bytes, 128);
	assert_false(control.relaxed_ordering);
	put16(&space, 0x68, 6 << 12);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -EBADMSG);
}

/* An ordinary user's view ends before the first capability, wherever it is truncated. */
static void cut_short(void **state)
{
	struct pci_device_control control = {.max_read_request_bytes = 77};
	struct space space;
	unsigned int acs = 77;

	(void)state;
	make(&space);
	for (size_t length = 0; length < 0x6a; length++)
		assert_int_equal(pci_config_device_control(space.bytes, length, &control), -EPERM);
	for (size_t length = 0; length < 0x158; length++)
		assert_int_equal(pci_config_acs(space.bytes, length, &acs),
				 length == PCI_CONFIG_SIZE ? -EOPNOTSUPP : -EPERM);
	assert_int_equal(control.max_read_request_bytes, 77);
	assert_int_equal(acs, 77);
	assert_int_equal(pci_config_device_control(space.bytes, 0x6a, &control), 0);
	assert_int_equal(control.max_read_request_bytes, 4096);
	assert_int_equal(pci_config_acs(space.bytes, 0x158, &acs), 0);
	assert_int_equal(acs, PCI_ACS_SOURCE_VALIDATION | PCI_ACS_REQUEST_REDIRECT |
				      PCI_ACS_COMPLETION_REDIRECT | PCI_ACS_UPSTREAM_FORWARDING);
}

static void absent(void **state)
{
	struct pci_device_control control;
	struct space space;
	unsigned int acs;

	(void)state;
	make(&space);
	space.bytes[0x60] = 0x05;
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -ENODATA);
	put16(&space, 6, 0);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -ENODATA);
	put_extended(&space, 0x150, 0x0e, 0);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -ENODATA);
	put32(&space, 0x100, 0);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -ENODATA);
	put32(&space, 0x100, UINT32_MAX);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -ENODATA);
	make(&space);
	space.bytes[0x0e] = 2;
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -ENODATA);
	/* Conventional PCI's complete space: nothing is missing, and root would not get more. */
	make(&space);
	space.bytes[0x60] = 0x05;
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_SIZE, &acs), -ENODATA);
	memset(space.bytes, 0xff, sizeof(space.bytes));
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -ENODEV);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -ENODEV);
}

/* Lists that form a circle, lead into the header, or lead to the end of the space. */
static void damaged(void **state)
{
	struct pci_device_control control;
	struct space space;
	unsigned int acs;

	(void)state;
	make(&space);
	put_capability(&space, 0x40, 0x01, 0x40);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -EBADMSG);
	put_capability(&space, 0x40, 0x01, 0x9c);
	put_capability(&space, 0x9c, 0x11, 0x40);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -EBADMSG);
	put_capability(&space, 0x40, 0x01, 0x10);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -EBADMSG);
	put_capability(&space, 0x40, 0x01, 0xfc);
	put_capability(&space, 0xfc, 0x10, 0);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -EBADMSG);
	/* The last place where it fits, and the next one. */
	put_capability(&space, 0x40, 0x01, 0xf4);
	put_capability(&space, 0xf4, 0x10, 0);
	put16(&space, 0xfc, 0x2000);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control), 0);
	assert_int_equal(control.max_read_request_bytes, 512);
	put_capability(&space, 0x40, 0x01, 0xf8);
	put_capability(&space, 0xf8, 0x10, 0);
	assert_int_equal(pci_config_device_control(space.bytes, PCI_CONFIG_SIZE, &control),
			 -EBADMSG);
	put_extended(&space, 0x100, 0x01, 0xff8);
	put_extended(&space, 0xff8, 0x0d, 0);
	put16(&space, 0xffe, 0x04);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), 0);
	assert_int_equal(acs, PCI_ACS_REQUEST_REDIRECT);
	put_extended(&space, 0x100, 0x01, 0x100);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -EBADMSG);
	put_extended(&space, 0x100, 0x01, 0x40);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -EBADMSG);
	put_extended(&space, 0x100, 0x01, 0xffc);
	put_extended(&space, 0xffc, 0x0d, 0);
	assert_int_equal(pci_config_acs(space.bytes, PCI_CONFIG_EXTENDED, &acs), -EBADMSG);
}

/*
 * Whatever the bytes, nothing is read outside them and no walk is endless: the sanitizers and the
 * clock check that.
 */
static void any_bytes(void **state)
{
	struct pci_device_control control;
	uint32_t seed = 1;
	unsigned int acs;

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		size_t length = round * 37 % (PCI_CONFIG_EXTENDED + 1);
		uint8_t *bytes = mem_alloc_zero(length ? length : 1, 1);

		for (size_t i = 0; i < length; i++) {
			seed = seed * 1664525 + 1013904223;
			/* Mostly small numbers and offsets, so that lists are long. */
			bytes[i] = (uint8_t)(seed >> 24 & (round % 2 ? 0xfc : 0xff));
		}
		if (length > 7)
			bytes[6] |= 0x10;
		pci_config_device_control(bytes, length, &control);
		pci_config_acs(bytes, length, &acs);
		free(bytes);
	}
}

struct counted {
	char text[512];
};

static void note_count(void *context, const char *name, uint64_t count)
{
	struct counted *counted = context;
	size_t used = strlen(counted->text);

	snprintf(counted->text + used, sizeof(counted->text) - used, "%s=%llu;", name,
		 (unsigned long long)count);
}

static int parse(struct counted *counted, const char *line)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", line);
	counted->text[0] = '\0';
	return pci_aer_parse(text, note_count, counted);
}

static void error_counters(void **state)
{
	struct counted counted;

	(void)state;
	assert_int_equal(parse(&counted, "RxErr 2\nBadTLP 0\nTOTAL_ERR_COR 1\n"), 0);
	assert_string_equal(counted.text, "RxErr=2;BadTLP=0;TOTAL_ERR_COR=1;");
	assert_int_equal(parse(&counted, "Receiver Error 2\nReplay Timer Timeout 7"), 0);
	assert_string_equal(counted.text, "Receiver Error=2;Replay Timer Timeout=7;");
	assert_int_equal(parse(&counted, ""), 0);
	assert_string_equal(counted.text, "");
	assert_int_equal(parse(&counted, "A 18446744073709551615"), 0);
	assert_string_equal(counted.text, "A=18446744073709551615;");
	assert_int_equal(parse(&counted, "A\033[2J 1"), 0);
	assert_string_equal(counted.text, "A\\x1b[2J=1;");
	assert_int_equal(parse(&counted, "RxErr 2\nBadTLP many"), -EINVAL);
	assert_string_equal(counted.text, "RxErr=2;");
	assert_int_equal(parse(&counted, "RxErr"), -EINVAL);
	assert_int_equal(parse(&counted, " 1"), -EINVAL);
	assert_int_equal(parse(&counted, "RxErr -1"), -EINVAL);
	assert_int_equal(parse(&counted, "RxErr 18446744073709551616"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_control), cmocka_unit_test(cut_short),
		cmocka_unit_test(absent),	  cmocka_unit_test(damaged),
		cmocka_unit_test(any_bytes),	  cmocka_unit_test(error_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
