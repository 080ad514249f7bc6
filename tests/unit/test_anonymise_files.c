/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshot files whose format tells which parts identify a host: vital product data, configuration
 * space, serial numbers, routes, command lines, addresses of tunnels.
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "route_text.h"
#include "snapshot/anonymise/anonymise.h"

/* Returns what one file becomes, and its length in bytes; NULL if the file is dropped. */
static char *changed(const char *path, const void *bytes, size_t length, size_t *ret_length)
{
	struct contents contents = {.items = NULL};
	struct anonymiser *anonymiser;
	struct strings dropped = {0};
	size_t answers = 1;
	char *result = NULL;

	assert_int_equal(anonymiser_new("key", 3, &anonymiser), 0);
	contents_add(&contents, CONTENT_FILE, path, bytes, length);
	anonymise_contents(anonymiser, &contents, &dropped, &answers);
	assert_int_equal(answers, 0);
	assert_int_equal(dropped.count + contents.count, 1);
	if (contents.count) {
		result = mem_alloc_zero(contents.items[0].length + 1, 1);
		memcpy(result, contents.items[0].bytes, contents.items[0].length);
		*ret_length = contents.items[0].length;
	}
	strings_free(&dropped);
	contents_clear(&contents);
	anonymiser_free(anonymiser);
	return result;
}

static char *changed_text(const char *path, const char *text)
{
	size_t length;
	char *result = changed(path, text, strlen(text), &length);

	assert_non_null(result);
	assert_int_equal(strlen(result), length);
	return result;
}

#define assert_stays(path_, text_)                                        \
	do {                                                              \
		_cleanup_(freep) char *now_ = changed_text(path_, text_); \
                                                                          \
		assert_string_equal(now_, text_);                         \
	} while (0)

/* ---- Binary files ---- */

/* PCI 3.0, appendix I: a resource has a tag, a length and data. */
static size_t put_resource(uint8_t *bytes, size_t at, uint8_t tag, const char *data, size_t length)
{
	bytes[at] = tag;
	bytes[at + 1] = (uint8_t)length;
	bytes[at + 2] = (uint8_t)(length >> 8);
	memcpy(bytes + at + 3, data, length);
	return at + 3 + length;
}

static unsigned int sum_of(const uint8_t *bytes, size_t length)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < length; i++)
		sum += bytes[i];
	return sum & 0xff;
}

/* Part number and revision stay, serial numbers do not; RV makes the sum of all bytes 0 again. */
static void vital_product_data(void **state)
{
	static const char fields[] = "PN\006MCX555EC\002A5SN\014MT1843X01234V0\004x123RV\003\0zz";
	static const char writable[] = "YA\005ab012RW\002\0\0";
	uint8_t bytes[256] = {0};
	size_t at = put_resource(bytes, 0, 0x82, "CX-5 PN\002ab", 10), identity = at, read_only,
	       length;
	_cleanup_(freep) char *now = NULL;

	(void)state;
	at = put_resource(bytes, at, 0x90, fields, sizeof(fields) - 1);
	read_only = at;
	at = put_resource(bytes, at, 0x91, writable, sizeof(writable) - 1);
	/* Nothing is known about bytes after the end tag. */
	bytes[at] = 0x78;
	memcpy(bytes + at + 1, "\010\0SN\005abcde", 10);
	now = changed("root/sys/devices/pci0000:00/0000:00:01.0/vpd", bytes, at + 11, &length);
	assert_non_null(now);
	assert_int_equal(length, at + 11);
	/* The product name is not a list of keywords. */
	assert_memory_equal(now, bytes, identity + 3);
	assert_memory_equal(now + identity + 3, "PN\006MCX555EC\002A5SN\014", 17);
	assert_memory_not_equal(now + identity + 20, "MT1843X01234", 12);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(now[identity + 20 + i] <= '9', "MT1843X01234"[i] <= '9');
	assert_memory_equal(now + identity + 32, "V0\004", 3);
	assert_memory_not_equal(now + identity + 35, "x123", 4);
	assert_memory_equal(now + identity + 39, "RV\003", 3);
	assert_memory_equal(now + read_only - 2, "zz", 2);
	assert_int_equal(sum_of((const uint8_t *)now, identity + 43), 0);
	assert_memory_equal(now + read_only + 3, "YA\005", 3);
	assert_memory_not_equal(now + read_only + 6, "ab012", 5);
	assert_memory_equal(now + at, "\x78\0\0\0\0\0\0\0\0\0\0", 11);
}

/* A field may contain an address as bytes. */
static void binary_product_data(void **state)
{
	static const char fields[] = "PN\006MCX555VA\006\x0c\x42\xa1\0a1V1\002a1";
	uint8_t bytes[64] = {0};
	size_t at = put_resource(bytes, 0, 0x90, fields, sizeof(fields) - 1), length;
	_cleanup_(freep) char *now = NULL;

	(void)state;
	bytes[at] = 0x78;
	now = changed("root/sys/devices/pci0000:00/0000:00:01.0/vpd", bytes, at + 1, &length);
	assert_non_null(now);
	assert_memory_equal(now + 3, "PN\006MCX555VA\006\0\0\0\0\0\0V1\002", 21);
	assert_true(now[24] >= 'a' && now[24] <= 'f' && now[25] >= '0' && now[25] <= '9');
}

/* A resource or field longer than the file keeps its length, and nothing else. */
static void damaged_product_data(void **state)
{
	static const char field[] = "SN\010abcd1234";
	uint8_t bytes[64] = {0};
	const size_t end = put_resource(bytes, 0, 0x90, field, sizeof(field) - 1);
	_cleanup_(freep) char *shorter = NULL, *longer = NULL, *right = NULL;
	size_t length;

	(void)state;
	right = changed("root/sys/vpd", bytes, end, &length);
	assert_memory_not_equal(right + 6, bytes + 6, 8);
	for (size_t cut = 1; cut < end; cut++) {
		static const uint8_t nothing[64];

		free(shorter);
		shorter = changed("root/sys/vpd", bytes, cut, &length);
		assert_int_equal(length, cut);
		assert_memory_equal(shorter, bytes, cut < 3 ? cut : 3);
		assert_memory_equal(shorter + 3, nothing, cut < 3 ? 0 : cut - 3);
	}
	bytes[5]++;
	longer = changed("root/sys/vpd", bytes, end, &length);
	assert_memory_equal(longer, bytes, 6);
	assert_memory_equal(longer + 6, "\0\0\0\0\0\0\0\0", 8);
}

/* Small resources may come before the others: the kernel and vpd_find() skip them. */
static void small_resource(void **state)
{
	static const char field[] = "SN\010abcd1234";
	uint8_t bytes[64] = {0x72, 'a', 'b'};
	const size_t end = put_resource(bytes, 3, 0x90, field, sizeof(field) - 1);
	_cleanup_(freep) char *now = NULL;
	size_t length;

	(void)state;
	now = changed("root/sys/vpd", bytes, end, &length);
	assert_int_equal(length, end);
	assert_memory_equal(now, bytes, 9);
	assert_memory_not_equal(now + 9, bytes + 9, 8);
}

static void put_capability(uint8_t *bytes, size_t at, uint16_t id, size_t next)
{
	bytes[at] = (uint8_t)id;
	bytes[at + 1] = (uint8_t)(id >> 8);
	bytes[at + 2] = (uint8_t)(1 | next << 4);
	bytes[at + 3] = (uint8_t)(next >> 4);
	memset(bytes + at + 4, 0xaa, 12);
}

/* The serial number, extended capability 3, becomes 0 wherever it is in the chain. */
static void configuration_space(void **state)
{
	uint8_t bytes[512] = {0x15, 0xb3}, wanted[512];
	_cleanup_(freep) char *now = NULL, *once = NULL, *cut = NULL;
	size_t length;

	(void)state;
	put_capability(bytes, 0x100, 0x0001, 0x148);
	put_capability(bytes, 0x148, 0x0103, 0x1f4);
	put_capability(bytes, 0x120, 0x0003, 0);
	memset(bytes + 0x1f4, 0, 12);
	put_capability(bytes, 0x1f0, 0x0003, 0);
	bytes[0x1f4] = 3;
	bytes[0x1f5] = 0;
	memset(bytes + 0x1f6, 0, 2);
	memset(bytes + 0x1f8, 0xbb, 8);
	memcpy(wanted, bytes, sizeof(bytes));
	memset(wanted + 0x1f8, 0, 8);
	now = changed("root/sys/devices/pci0000:00/0000:00:01.0/config", bytes, 512, &length);
	assert_int_equal(length, 512);
	assert_memory_equal(now, wanted, 512);
	/* One byte less than the capability needs. */
	cut = changed("root/sys/devices/pci0000:00/0000:00:01.0/config", bytes, 511, &length);
	assert_memory_equal(cut, bytes, 511);
	/* A chain that leads back to itself ends. */
	put_capability(bytes, 0x1f4 - 4, 0x0001, 0x100);
	put_capability(bytes, 0x100, 0x0003, 0x100);
	once = changed("root/sys/config", bytes, 512, &length);
	memcpy(wanted, bytes, sizeof(bytes));
	memset(wanted + 0x104, 0, 8);
	assert_memory_equal(once, wanted, 512);
}

/* Binary files of unknown format are dropped. */
static void opaque(void **state)
{
	size_t length;

	(void)state;
	assert_null(changed("root/sys/firmware/acpi/tables/other", "a\0b", 3, &length));
}

/* ---- Texts ---- */

/* Digits become digits and letters become letters, and the line end stays. */
static void serial_numbers(void **state)
{
	static const char *const paths[] = {"root/sys/class/infiniband/m/device/serial_number",
					    "root/sys/x/phys_port_id", "root/sys/x/ifalias",
					    "root/proc/sys/kernel/random/boot_id"};
	_cleanup_(freep) char *mac = NULL, *same = NULL, *guid = NULL, *hfi = NULL, *other = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_(freep) char *now = changed_text(paths[i], "MT1843X01234-z\n");

		assert_int_equal(strlen(now), 15);
		assert_string_not_equal(now, "MT1843X01234-z\n");
		assert_string_equal(now + 14, "\n");
		assert_int_equal(now[12], '-');
	}
	/* A switch's MAC address keeps its vendor, the first three bytes, and so does a GUID. */
	mac = changed_text("root/sys/class/net/e/phys_switch_id", "248a07b3e1f0\n");
	assert_int_equal(strlen(mac), 13);
	assert_memory_equal(mac, "248a07", 6);
	assert_memory_not_equal(mac + 6, "b3e1f0", 6);
	same = changed_text("root/sys/class/net/e/address", "24:8a:07:b3:e1:f0\n");
	for (size_t i = 0; i < 6; i++)
		assert_memory_equal(same + 3 * i, mac + 2 * i, 2);
	guid = changed_text("root/sys/class/net/e/phys_switch_id", "248a070300b3e1f0");
	assert_int_equal(strlen(guid), 16);
	assert_memory_equal(guid, "248a07", 6);
	assert_memory_not_equal(guid + 6, "0300b3e1f0", 10);
	/* hfi1 shows the last three bytes of its GUID. */
	hfi = changed_text("root/sys/class/infiniband/hfi1_0/serial", "0x00b3e1f4\n");
	assert_int_equal(strlen(hfi), 11);
	assert_memory_equal(hfi, "0x00", 4);
	assert_memory_not_equal(hfi + 4, "b3e1f4", 6);
	assert_int_equal(strspn(hfi + 4, "0123456789abcdef"), 6);
	assert_string_equal(hfi + 10, "\n");
	/* Nothing else is such a number. */
	other = changed_text("root/sys/class/infiniband/hfi1_0/serial", "0x00b3e1fg\n");
	assert_memory_not_equal(other, "0x00b3", 6);
}

/* The lines that NVIDIA's driver writes before each error of a GPU, and others. */
static void serial_numbers_in_the_log(void **state)
{
	static const char text[] =
		"6,0,1,-;NVRM: GPU at PCI:0000:5d:00: GPU-f1906b9b-557a-e961-045c-9fe4be3ce012\n"
		"6,0,2,-;NVRM: GPU Board Serial Number: 1653923026510\n"
		"6,0,3,-;NVRM: GPU 0000:5d:00.0: GPU serial number is 1653923026510.\n"
		"6,0,4,-;nvme nvme0: hostnqn: nqn.2014-08.org.nvmexpress:uuid:0f01fb42-9f7f-4856-"
		"b0b3-51e60b8de349\n"
		"6,0,5,-;mlx5_core 0000:5d:00.0: SerialNumber=MT1843X01234, rev 7\n"
		"6,0,6,-;mlx5_core serial console 8 serial8250 1653923026510\n"
		"6,0,7,-;NVRM: GPU Board Serial Number: [N/A]\n"
		"6,0,8,-;NVRM: GPU Board Serial Number:\n6,0,9,-;rdma 77\n"
		"6,0,9,-;cxgb4 0000:04:00.4: S/N: PT23170054, P/N: 1101234050, bus/n 77 s/n8\n";
	static const char *const stay[] = {
		"NVRM: GPU at PCI:0000:5d:00: GPU-",
		"NVRM: GPU Board Serial Number: ",
		"\n6,0,3,-;NVRM: GPU 0000:5d:00.0: GPU serial number is ",
		"nqn.2014-08.org.nvmexpress:uuid:",
		"\n6,0,5,-;mlx5_core 0000:5d:00.0: SerialNumber=",
		", rev 7\n6,0,6,-;mlx5_core serial console 8 serial8250 1653923026510\n",
		"Serial Number: [N/A]\n6,0,8,-;NVRM: GPU Board Serial Number:\n6,0,9,-;rdma 77\n",
		"cxgb4 0000:04:00.4: S/N: ",
		", P/N: 1101234050, bus/n 77 s/n8\n"};
	static const char *const go[] = {"f1906b9b",	     "9fe4be3ce012",
					 "0f01fb42",	     "51e60b8de349",
					 "MT1843X01234",     "Number: 1653923026510",
					 "is 1653923026510", "PT23170054"};
	_cleanup_(freep) char *now = changed_text("kmsg", text);

	(void)state;
	assert_int_equal(strlen(now), strlen(text));
	for (size_t i = 0; i < ARRAY_SIZE(stay); i++)
		if (!strstr(now, stay[i]))
			fail_msg("%s went", stay[i]);
	for (size_t i = 0; i < ARRAY_SIZE(go); i++)
		if (strstr(now, go[i]))
			fail_msg("%s stays", go[i]);
}

/* A host may have a name like that of a model, which node descriptions contain. */
static void hosts_called_like_models(void **state)
{
	static const char *const names[] = {
		"mt01.example.com\n", "bluefield3-rack7\n", "hca-2\n", "gpu17\n",
		"10-20-30-40\n",      "1-2-3-4\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(freep) char *now = changed_text("root/proc/sys/kernel/hostname",
							  names[i]);

		assert_memory_equal(now, "host-", 5);
	}
	assert_stays("root/proc/sys/kernel/hostname", "localhost\n");
	assert_stays("root/sys/class/infiniband/m/node_desc", "MT4119 ConnectX5 BlueField-2\n");
}

/* Module options contain addresses, and GUIDs that no port of this host has. */
static void module_options(void **state)
{
	static const char *const guids[] = {
		"options ib_srpt srpt_service_guid=0x0002c903001a2b3c\n",
		"options ib_srpt srpt_service_guid=0x2c903001a2b3c\n",
		"options ib_srpt srpt_service_guid=\"0x2c903001a2b3c\"\n",
	};
	static const char parameter[] = "root/sys/module/ib_srpt/parameters/srpt_service_guid";
	_cleanup_(freep) char *now = changed_text(
		"root/etc/modprobe.d/bonding.conf",
		"options bonding mode=1 arp_ip_target=192.168.77.5,10.9.8.7\n");
	_cleanup_(freep) char *guid = changed_text(parameter, "0x0002c903001a2b3c\n");

	(void)state;
	assert_memory_equal(now, "options bonding mode=1 arp_ip_target=192.168.", 45);
	assert_null(strstr(now, "192.168.77.5"));
	assert_non_null(strstr(now, ",10."));
	assert_null(strstr(now, "10.9.8.7"));
	assert_memory_equal(guid, "0x0002c90300", 12);
	assert_memory_not_equal(guid + 12, "1a2b3c\n", 7);
	assert_int_equal(strlen(guid), strlen("0x0002c903001a2b3c\n"));
	/* It is the same in the settings. */
	for (size_t i = 0; i < ARRAY_SIZE(guids); i++) {
		_cleanup_(freep) char *option = changed_text("root/etc/modprobe.d/srpt.conf",
							     guids[i]);
		_cleanup_(freep) char *wanted = mem_string(guids[i]);

		memcpy(strstr(wanted, "1a2b3c"), guid + 12, 6);
		assert_string_equal(option, wanted);
	}
	assert_stays("root/etc/modprobe.d/srpt.conf",
		     "options ib_srpt srpt_service_guid=0xffffffffffffffff\n");
	assert_stays(parameter, "0xffffffffffffffff\n");
	assert_stays(parameter, "0x0000000000000000\n");
}

/* show_admin_alias_guid() of mlx4; neither 0 nor all ones is a GUID. */
static void alias_guids(void **state)
{
	static const char folder[] = "root/sys/class/infiniband/mlx4_0/iov/ports/1/admin_guids/1";
	_cleanup_(freep) char *chosen = changed_text(folder, "147a3c5e00a1b2c3\n");
	_cleanup_(freep) char *vendor = changed_text(folder, "2c90300a1b2c3\n");
	_cleanup_(freep) char *same = changed_text("root/sys/class/infiniband/mlx4_0/node_guid",
						   "0002:c903:00a1:b2c3\n");

	(void)state;
	assert_string_not_equal(chosen, "147a3c5e00a1b2c3\n");
	assert_int_equal(strspn(chosen, "0123456789abcdef"), strlen(chosen) - 1);
	assert_memory_equal(vendor, "2c90300", 7);
	assert_memory_not_equal(vendor + 7, "a1b2c3", 6);
	assert_memory_equal(vendor + 7, same + 12, 2);
	assert_memory_equal(vendor + 9, same + 15, 5);
	assert_stays(folder, "0\n");
	assert_stays(folder, "ffffffffffffffff\n");
}

/* qib_qsfp_dump(): facts, then the memory that they come from, including the serial number. */
static void module_of_qib(void **state)
{
	_cleanup_(freep) char *now = changed_text(
		"root/sys/class/infiniband/qib0/ports/1/linkcontrol/qsfp",
		"PWR:1.5W\nVendor:Volex\nSerial:V0912A2265      \nDate:091014  \nLot:  \n"
		" 56 30 39 31 32 41 32 32\n FE E0\n");

	(void)state;
	assert_memory_equal(now, "PWR:1.5W\nVendor:Volex\nSerial:", 29);
	assert_memory_not_equal(now + 29, "V0912A2265", 10);
	assert_string_equal(now + 39, "      \nDate:091014  \nLot:  \n"
				      " 00 00 00 00 00 00 00 00\n 00 00\n");
}

static void kernel_command_line(void **state)
{
	_cleanup_(freep) char *now = changed_text(
		"root/proc/cmdline",
		"root=UUID=12 module_blacklist=a iommu=pt intel_iommu=on pci=noaer mlx5_core.x=1 "
		"ib_core.y=2 rdma_rxe.z=3 hugepages=8 default_hugepagesz=1G isolcpus=1 numa=off "
		"hostname=secret apci=1\n");
	_cleanup_(freep) char *none = changed_text("root/proc/cmdline", "quiet");

	(void)state;
	assert_string_equal(now,
			    "module_blacklist=a iommu=pt intel_iommu=on pci=noaer mlx5_core.x=1 "
			    "ib_core.y=2 rdma_rxe.z=3 hugepages=8 default_hugepagesz=1G "
			    "isolcpus=1 numa=off\n");
	assert_string_equal(none, "\n");
}

/* proc(5): addresses change together with their subnets; numbers and masks do not. */
static void routes(void **state)
{
	static const char header[] = "Iface\tDestination\tGateway\n";
	_cleanup_(freep) char *little = mem_format(
		"%seth0\t000200C0\t010200C0\t0003\t1\t2\t100\t"
		"00FFFFFF\t0\t0\t5\neth0\t00000000\t010200C0\t0003\t0\t0\t"
		"0\t00000000\t0\t0\t0\n",
		header);
	_cleanup_(freep) char *text = route_text(little);
	_cleanup_(freep) char *now = changed_text("root/proc/net/route", text);
	char name[16], rest[32];
	unsigned int to, gateway, flags, references, use, metric, mask, second_to, second_gateway;

	(void)state;
	assert_int_equal(strlen(now), strlen(text));
	assert_memory_equal(now, header, strlen(header));
	assert_int_equal(sscanf(now + strlen(header), "%15s %8x %8x %4x %u %u %u %8x%31[^\n]", name,
				&to, &gateway, &flags, &references, &use, &metric, &mask, rest),
			 9);
	assert_string_equal(name, "eth0");
	assert_int_equal(flags, 3);
	assert_int_equal(references, 1);
	assert_int_equal(use, 2);
	assert_int_equal(metric, 100);
	assert_int_equal(mask, htonl(0xffffff00));
	assert_string_equal(rest, "\t0\t0\t5");
	/* The gateway stays in the subnet, which ends with zeros. */
	assert_int_not_equal(to, htonl(0xc0000200));
	assert_int_equal(to & ~mask, 0);
	assert_int_equal(gateway & mask, to);
	assert_int_equal(sscanf(strchr(now + strlen(header), '\n'), " eth0 %8x %8x", &second_to,
				&second_gateway),
			 2);
	assert_int_equal(second_to, 0);
	assert_int_equal(second_gateway, gateway);
}

static void accelerators(void **state)
{
	_cleanup_(freep) char *now = changed_text(
		"root/sys/class/kfd/kfd/topology/nodes/1/properties",
		"cpu_cores_count 0\nunique_id 1234567890123\nsimd 4\n");

	(void)state;
	assert_int_equal(strlen(now),
			 strlen("cpu_cores_count 0\nunique_id 1234567890123\nsimd 4\n"));
	assert_memory_equal(now, "cpu_cores_count 0\nunique_id ", 28);
	assert_memory_not_equal(now + 28, "1234567890123", 13);
	assert_int_equal(strspn(now + 28, "0123456789"), 13);
	assert_string_equal(now + 41, "\nsimd 4\n");
	assert_stays("root/sys/class/kfd/kfd/topology/nodes/0/properties", "simd 4\n");
}

/* The hardware address of a tunnel is its IP address: four bytes, or sixteen. */
static void tunnels(void **state)
{
	_cleanup_(freep) char *four = changed_text("root/sys/class/net/tun/address",
						   "c0:00:02:07\n");
	_cleanup_(freep) char *last = changed_text("root/sys/class/net/tun/broadcast",
						   "c0:00:02:09");
	_cleanup_(
		freep) char *six = changed_text("root/sys/class/net/tun/address",
						"20:01:0d:b8:00:00:00:01:02:11:22:ff:fe:33:44:55");

	(void)state;
	assert_int_equal(strlen(four), 12);
	assert_string_equal(four + 11, "\n");
	assert_memory_not_equal(four, "c0:00:02", 8);
	/* Both are in one subnet, as before. */
	assert_memory_equal(four, last, 9);
	assert_int_equal(strlen(six), 47);
	assert_memory_not_equal(six + 24, "02:11:22:ff:fe:33:44:55", 23);
	for (size_t i = 2; i < 47; i += 3)
		assert_int_equal(six[i], ':');
	/* Five bytes, or something that is not hexadecimal, are not an address. */
	assert_stays("root/sys/class/net/tun/address", "c0:00:02:07:01\n");
	assert_stays("root/sys/class/net/tun/address", "c0:00:02:0g\n");
	assert_stays("root/sys/class/net/tun/address", "c0:00:02:0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vital_product_data),
		cmocka_unit_test(binary_product_data),
		cmocka_unit_test(damaged_product_data),
		cmocka_unit_test(small_resource),
		cmocka_unit_test(configuration_space),
		cmocka_unit_test(opaque),
		cmocka_unit_test(serial_numbers),
		cmocka_unit_test(kernel_command_line),
		cmocka_unit_test(serial_numbers_in_the_log),
		cmocka_unit_test(module_of_qib),
		cmocka_unit_test(module_options),
		cmocka_unit_test(alias_guids),
		cmocka_unit_test(hosts_called_like_models),
		cmocka_unit_test(routes),
		cmocka_unit_test(accelerators),
		cmocka_unit_test(tunnels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
