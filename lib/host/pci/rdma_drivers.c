/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/rdma_drivers.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/*
 * Modules: kernel-boot/rdma-hw-modules.rules of rdma-core, and the auxiliary or client drivers in
 * drivers/infiniband/hw (Linux 6.12; ionic, bng_re and idpf: 7.2). ABI ranges:
 * match_min_abi_version and match_max_abi_version in providers/ of rdma-core 65.
 */
static const struct rdma_driver drivers[] = {
	{"mlx5_core", "mlx5_ib", .min_abi = 1, .max_abi = 1},
	{"mlx4_core", "mlx4_ib", .min_abi = 2, .max_abi = 4},
	{"bnxt_en", "bnxt_re", .optional = true, .min_abi = 1, .max_abi = 1},
	{"bnge", "bng_re", .optional = true, .max_abi = RDMA_ABI_ANY},
	{"ice", "irdma", .optional = true, .max_abi = 5},
	/* irdma replaced i40iw in Linux 5.14. */
	{"i40e", "irdma", "i40iw", .optional = true, .listed_only = true, .max_abi = 5},
	{"idpf", "irdma", .optional = true, .max_abi = 5},
	{"qede", "qedr", .optional = true, .min_abi = 8, .max_abi = 8},
	{"hns3", "hns_roce_hw_v2", .listed_only = true, .max_abi = RDMA_ABI_ANY},
	{"be2net", "ocrdma", .optional = true, .listed_only = true, .min_abi = 2, .max_abi = 2},
	{"cxgb4", "iw_cxgb4", .optional = true, .listed_only = true, .max_abi = RDMA_ABI_ANY},
	{"mana", "mana_ib", .optional = true, .min_abi = 1, .max_abi = 1},
	{"ionic", "ionic_rdma", .optional = true, .min_abi = 1, .max_abi = 1},
	{"enic", "usnic_verbs", .optional = true, .listed_only = true, .max_abi = RDMA_ABI_ANY},
	{"usnic_verbs", "usnic_verbs", .max_abi = RDMA_ABI_ANY},
	{"efa", "efa", .min_abi = 1, .max_abi = 1},
	{"erdma", "erdma", .max_abi = 1},
	{"hfi1", "hfi1", .max_abi = RDMA_ABI_ANY},
	{"ib_qib", "ib_qib", .max_abi = RDMA_ABI_ANY},
	{"ib_mthca", "ib_mthca", .max_abi = 1},
	{"vmw_pvrdma", "vmw_pvrdma", .min_abi = 3, .max_abi = 3},
	/* Software: no PCI function. The 32-bit provider does not accept version 1. */
	{NULL, "rdma_rxe", .min_abi = sizeof(void *) == 8 ? 1 : 2, .max_abi = 2},
	{NULL, "siw", .min_abi = 1, .max_abi = 1},
};

/*
 * From the drivers' pci_device_id tables, Linux 6.12: ranges of consecutive numbers, or a number
 * alone. Functions that never have RDMA are omitted.
 */
enum { IDS_MOST = 6 };
static const struct {
	uint16_t vendor;
	const char *driver;
	struct {
		uint16_t first, last;
	} ids[IDS_MOST];
} functions[] = {
	{0x15b3, "mlx4_core", {{0x1002, 0x1010}}}, /* ConnectX-2 VF to ConnectX-3 Pro */
	/* ConnectX to ConnectX-2 */
	{0x15b3, "mlx4_core", {{0x6340}, {0x634a}, {0x6354}, {0x6368}, {0x6372}, {0x6732}}},
	{0x15b3, "mlx4_core", {{0x673c}, {0x6746}, {0x6750}, {0x675a}, {0x6764}, {0x676e}}},
	/* InfiniHost; also under Topspin's vendor ID */
	{0x15b3, "ib_mthca", {{0x5a44}, {0x5e8c}, {0x6274}, {0x6278}, {0x6282}}},
	{0x1867, "ib_mthca", {{0x5a44}, {0x5e8c}, {0x6274}, {0x6278}, {0x6282}}},
	{0x15b3, "mlx5_core", {{0x1011, 0x101f}}}, /* Connect-IB to ConnectX-6 Lx */
	/* ConnectX-7 to ConnectX-10 */
	{0x15b3, "mlx5_core", {{0x1021}, {0x1023}, {0x1025}, {0x1027}, {0x2101}}},
	{0x15b3, "mlx5_core", {{0xa2d2, 0xa2d3}, {0xa2d6}, {0xa2dc}, {0xa2df}}}, /* BlueField */
	/* NetXtreme-E, in several runs; 16dd belongs to tg3 */
	{0x14e4, "bnxt_en", {{0x1604, 0x1609}, {0x1614}, {0x16bd}, {0x16c0, 0x16c5}}},
	{0x14e4, "bnxt_en", {{0x16c8, 0x16d9}, {0x16dc}, {0x16de, 0x16df}}},
	{0x14e4, "bnxt_en", {{0x16e1, 0x16e3}, {0x16e5, 0x16f1}, {0x1750, 0x1752}}},
	{0x14e4, "bnxt_en", {{0x1760, 0x1763}, {0x1800, 0x1809}, {0x1819, 0x181b}}},
	{0x14e4, "bnxt_en", {{0xd800, 0xd804}}},
	{0x14e4, "bnge", {{0x1780}}},
	{0x8086, "ice", {{0x1591, 0x1593}, {0x1599, 0x159b}}}, /* E810 */
	{0x8086, "ice", {{0x12d1, 0x12de}}},		       /* E830 */
	/* E822, E823, E825 */
	{0x8086, "ice", {{0x124c, 0x124f}, {0x151d}, {0x188a, 0x188e}, {0x1890, 0x1894}}},
	{0x8086, "ice", {{0x1897, 0x189a}, {0x579c, 0x579f}}},
	/* X722, the only ones of this driver with iWARP */
	{0x8086, "i40e", {{0x37ce, 0x37d3}, {0x0dda}}},
	{0x8086, "idpf", {{0x1452}, {0x145c}}},
	/* FastLinQ 45000 and 41000 */
	{0x1077, "qede", {{0x1634}, {0x1636}, {0x1644}, {0x1654}, {0x1656}, {0x1664}}},
	{0x1077, "qede", {{0x1666}, {0x8070}, {0x8090}}},
	/* HNAE3_DEV_SUPPORT_ROCE_DCB_BITS */
	{0x19e5, "hns3", {{0xa222, 0xa226}, {0xa228}, {0xa22f}}},
	{0x10df, "be2net", {{0x0720}, {0x0728}}}, /* Skyhawk: OC_SKH_DEVICE_PF and _VF of ocrdma */
	/* T4 to T6: function 4, which owns the netdevs */
	{0x1425, "cxgb4", {{0x4400, 0x44ff}, {0x5400, 0x54ff}, {0x6400, 0x64ff}}},
	{0x1414, "mana", {{0x00b9, 0x00ba}}}, /* drivers/net/ethernet/microsoft/mana/gdma.h */
	{0x1dd8, "ionic", {{0x1002, 0x1003}}},
	{0x1137, "usnic_verbs", {{0x00cf}}},
	{0x1d0f, "efa", {{0xefa0, 0xefa4}}},
	{0x1ded, "erdma", {{0x107f}}},
	{0x8086, "hfi1", {{0x24f0, 0x24f1}}},
	{0x1fc1, "ib_qib", {{0x0010}}},
	{0x1077, "ib_qib", {{0x7220}, {0x7322}}},
	{0x15ad, "vmw_pvrdma", {{0x0820}}},
};

/* Two bytes of the class code: include/linux/pci_ids.h */
enum {
	CLASS_NETWORK_INFINIBAND = 0x0207,
};

const struct rdma_driver *rdma_driver_find(const char *driver)
{
	for (size_t i = 0; driver && i < ARRAY_SIZE(drivers); i++)
		if (drivers[i].driver && !strcmp(drivers[i].driver, driver))
			return &drivers[i];
	return NULL;
}

const struct rdma_driver *rdma_driver_of_module(const char *module)
{
	const struct rdma_driver *driver = rdma_driver_find(module);

	for (size_t i = 0; module && !driver && i < ARRAY_SIZE(drivers); i++)
		if (!strcmp(drivers[i].module, module))
			driver = &drivers[i];
	return driver;
}

const struct rdma_driver *rdma_driver_of_id(unsigned int vendor, unsigned int device)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		for (size_t j = 0; functions[i].vendor == vendor && j < IDS_MOST; j++) {
			const unsigned int first = functions[i].ids[j].first;
			const unsigned int last = functions[i].ids[j].last;

			if (first && (device == first || (first <= device && device <= last)))
				return rdma_driver_find(functions[i].driver);
		}
	return NULL;
}

const struct rdma_driver *rdma_driver_of(const struct root *root, struct pci_function *function,
					 struct problems *problems)
{
	const struct rdma_driver *by_id = NULL, *bound;

	pci_read(root, function, PCI_ID, problems);
	if (function->class_code.known && pci_kind(root, function, problems) != PCI_KIND_NETWORK)
		return NULL;
	pci_read(root, function, PCI_DRIVER, problems);
	if (function->vendor_id.known && function->device_id.known)
		by_id = rdma_driver_of_id((unsigned int)function->vendor_id.value,
					  (unsigned int)function->device_id.value);
	bound = rdma_driver_find(function->driver);
	if (bound && (!bound->listed_only || by_id == bound))
		return bound;
	if (by_id)
		return by_id;
	/* This is an InfiniBand adapter that is newer than the table. */
	if (function->class_code.known &&
	    function->class_code.value >> 8 == CLASS_NETWORK_INFINIBAND &&
	    number_is(&function->vendor_id, PCI_VENDOR_MELLANOX))
		return rdma_driver_find("mlx5_core");
	return NULL;
}

/*
 * MLX4_PCI_DEV_IS_VF of mlx4_pci_table[], mlx4/main.c; MLX5_PCI_DEV_IS_VF of
 * mlx5_core_pci_table[], mlx5/core/main.c.
 */
bool rdma_is_virtual(const struct root *root, struct pci_function *function,
		     struct problems *problems)
{
	static const uint16_t virtual[] = {0x1002, 0x1004, 0x1012, 0x1014, 0x1016,
					   0x1018, 0x101a, 0x101c, 0x101e, 0xa2d3};

	pci_read(root, function, PCI_ID | PCI_VIRTUAL, problems);
	if (function->physfn)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(virtual); i++)
		if (number_is(&function->vendor_id, PCI_VENDOR_MELLANOX) &&
		    number_is(&function->device_id, virtual[i]))
			return true;
	return false;
}

/*
 * Names that drivers/net/ethernet gives to these devices: mlx5_adev_devices[] of mlx5 (multiport:
 * the second port of an RDMA device), MLX4_INTF of mlx4, "iwarp" and "roce" of ice,
 * "idpf.8086.rdma.core" of idpf, "rdma" of the others.
 */
bool rdma_is_auxiliary(const char *name)
{
	static const char *const parts[] = {".rdma.", ".rdma-rep.", ".multiport.",
					    ".roce.", ".iwarp.",    ".ib."};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}
