/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA adapters on the PCI bus of a host without an RDMA device: what is there, what is missing. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/inventory/reading.h"
#include "host/pci/pci.h"

/*
 * Drivers of adapters, and the module that makes their RDMA devices: drivers/infiniband/hw. Only
 * `sure` ones drive nothing but RDMA adapters.
 */
static const struct half {
	const char *driver, *module;
	bool sure;
} halves[] = {
	{"mlx5_core", "mlx5_ib", true},	   {"mlx4_core", "mlx4_ib", true},
	{"ib_mthca", "ib_mthca", true},	   {"hfi1", "hfi1", true},
	{"ib_qib", "ib_qib", true},	   {"efa", "efa", true},
	{"erdma", "erdma", true},	   {"vmw_pvrdma", "vmw_pvrdma", true},
	{"bnxt_en", "bnxt_re", false},	   {"ice", "irdma", false},
	{"i40e", "irdma", false},	   {"cxgb4", "iw_cxgb4", false},
	{"qede", "qedr", false},	   {"be2net", "ocrdma", false},
	{"hns3", "hns_roce_hw_v2", false}, {"mana", "mana_ib", false},
	{"ionic", "ionic_rdma", false},
};

/*
 * Functions that are RDMA adapters, whatever drives them: by vendor, device and class
 * (include/linux/pci_ids.h, and the tables of device ids in drivers/infiniband/hw).
 */
static const struct adapter {
	unsigned int vendor;		  /* 0: any */
	unsigned int device, device_mask; /* mask 0: any */
	unsigned int class, class_shift;  /* class >> shift */
	const char *modules;
} adapters[] = {
	{0x15b3, 0, 0, 0x02, 16, "mlx5_core and mlx5_ib (ConnectX-3: mlx4_core and mlx4_ib)"},
	{0x1077, 0, 0, 0x0c06, 8, "ib_qib"},
	{0x1fc1, 0, 0, 0x0c06, 8, "ib_qib"},
	{0x8086, 0x24f0, 0xfffe, 0x0208, 8, "hfi1"},
	{0x1d0f, 0xefa0, 0xfff0, 0x02, 16, "efa"},
	{0x1ded, 0x107f, 0xffff, 0x02, 16, "erdma"},
	/* InfiniBand controllers of any vendor, by the present class and the older one */
	{0, 0, 0, 0x0207, 8, "the driver of the adapter"},
	{0, 0, 0, 0x0c06, 8, "the driver of the adapter"},
};

static const struct half *find_half(const char *driver)
{
	for (size_t i = 0; driver && i < ARRAY_SIZE(halves); i++)
		if (!strcmp(halves[i].driver, driver))
			return &halves[i];
	return NULL;
}

static const struct adapter *find_adapter(const struct pci_function *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(adapters); i++) {
		const struct adapter *adapter = &adapters[i];

		if ((!adapter->vendor || function->vendor_id.value == adapter->vendor) &&
		    (function->device_id.value & adapter->device_mask) == adapter->device &&
		    function->class_code.known &&
		    function->class_code.value >> adapter->class_shift == adapter->class)
			return adapter;
	}
	return NULL;
}

static bool is_loaded(const struct root *root, const char *module)
{
	_cleanup_(freep) char *path = mem_format("sys/module/%s", module);

	return sysfs_has_directory(root, path);
}

static void note_half(const struct root *root, const struct pci_function *function,
		      const struct half *half, struct problems *problems)
{
	_cleanup_(freep) char *text = NULL, *hint = NULL;

	if (is_loaded(root, half->module)) {
		text = mem_format("bound to %s, and %s is loaded, but there is no RDMA device",
				  half->driver, half->module);
		hint = mem_string("the kernel log says why: dmesg");
	} else if (sysfs_has_directory(root, "sys/module")) {
		text = mem_format("bound to %s, whose RDMA module %s is not loaded", half->driver,
				  half->module);
		hint = mem_format("load %s%s", half->module,
				  half->sure ? "" : ", if the adapter supports RDMA");
	} else {
		text = mem_format("bound to %s, but there is no RDMA device", half->driver);
		hint = mem_format("load %s%s", half->module,
				  half->sure ? "" : ", if the adapter supports RDMA");
	}
	problem_add_text(problems, function->address, NULL, "sysfs", text, hint);
}

/* Returns true if the function is an RDMA adapter for sure. */
static bool note_function(const struct root *root, struct pci_function *function,
			  struct problems *problems)
{
	_cleanup_(freep) char *text = NULL, *hint = NULL;
	const struct adapter *adapter;
	const struct half *half;

	pci_read(root, function, PCI_ID | PCI_DRIVER | PCI_VIRTUAL, NULL);
	/* The virtual functions of this host have no driver until a virtual machine has them. */
	if (function->physfn || function->driver_unknown)
		return false;
	half = find_half(function->driver);
	if (half && (half->sure || !is_loaded(root, half->module)))
		note_half(root, function, half, problems);
	if (half)
		return half->sure;
	adapter = find_adapter(function);
	if (!adapter)
		return false;
	if (function->driver) {
		text = mem_format("this RDMA adapter is bound to %s, which makes no RDMA device",
				  function->driver);
		hint = mem_string("if no virtual machine or program owns it, bind its own driver");
	} else {
		text = mem_string("no driver is bound to this RDMA adapter");
		hint = mem_format("load %s", adapter->modules);
	}
	problem_add_text(problems, function->address, NULL, "sysfs", text, hint);
	return true;
}

bool note_adapters(const struct root *root, struct problems *problems)
{
	struct pci_list list = {0};
	bool found = false;

	pci_list_read(root, &list, NULL);
	for (size_t i = 0; i < list.count; i++)
		found |= note_function(root, &list.items[i], problems);
	pci_list_clear(&list);
	return found;
}
