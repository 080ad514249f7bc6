/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which driver and which module belong to a PCI function with RDMA. */
#include "saved_tree.h"

#include "host/pci/rdma_drivers.h"
#include "kernel/verbs/verbs.h"

static void is_found_by_id(void **state)
{
	(void)state;
	assert_string_equal(rdma_driver_of_id(0x15b3, 0x1017)->module, "mlx5_ib");
	assert_string_equal(rdma_driver_of_id(0x15b3, 0x101f)->module, "mlx5_ib");
	assert_string_equal(rdma_driver_of_id(0x15b3, 0x1010)->module, "mlx4_ib");
	assert_string_equal(rdma_driver_of_id(0x15b3, 0x6282)->driver, "ib_mthca");
	assert_string_equal(rdma_driver_of_id(0x14e4, 0x1750)->module, "bnxt_re");
	assert_string_equal(rdma_driver_of_id(0x1425, 0x640d)->module, "iw_cxgb4");
	/* The other functions of a T6, an X710, a tg3 and a switch have no RDMA. */
	assert_null(rdma_driver_of_id(0x1425, 0x600d));
	assert_null(rdma_driver_of_id(0x8086, 0x1572));
	assert_null(rdma_driver_of_id(0x14e4, 0x16dd));
	assert_null(rdma_driver_of_id(0x15b3, 0xcb84));
}

static void is_found_by_name(void **state)
{
	(void)state;
	assert_string_equal(rdma_driver_find("ice")->module, "irdma");
	assert_null(rdma_driver_find("irdma"));
	assert_null(rdma_driver_find(NULL));
	assert_string_equal(rdma_driver_of_module("mlx5_core")->module, "mlx5_ib");
	assert_string_equal(rdma_driver_of_module("mlx5_ib")->driver, "mlx5_core");
	assert_string_equal(verbs_provider(rdma_driver_of_module("rdma_rxe")->module), "rxe");
	assert_string_equal(verbs_provider(rdma_driver_of_module("hfi1")->module), "hfi1verbs");
	assert_null(verbs_provider(rdma_driver_of_module("usnic_verbs")->module));
	assert_true(verbs_is_provider("bnxt_re"));
	assert_true(verbs_is_provider("hfi1verbs"));
	assert_true(verbs_is_provider("vmw_pvrdma"));
	assert_false(verbs_is_provider("hfi1"));
	assert_false(verbs_is_provider("mlx"));
	assert_false(verbs_is_provider(""));
	assert_null(rdma_driver_of_module("e1000e"));
	assert_null(rdma_driver_of_module(NULL));
}

/* Returns a function whose attributes have already been read. */
static struct pci_function make(unsigned int vendor, unsigned int device, unsigned int class,
				char *driver)
{
	return (struct pci_function){
		.facts = PCI_ID | PCI_DRIVER,
		.vendor_id = number_of(vendor),
		.device_id = number_of(device),
		.class_code = number_of(class),
		.driver = driver,
	};
}

static const char *driver_of(struct pci_function function)
{
	const struct root root = {.fd = -1};
	char address[] = "0000:3b:00.0";
	const struct rdma_driver *driver;

	function.address = address;
	driver = rdma_driver_of(&root, &function, NULL);
	return driver ? driver->driver : "none";
}

static void of_a_function(void **state)
{
	(void)state;
	assert_string_equal(driver_of(make(0x15b3, 0x1017, 0x020700, NULL)), "mlx5_core");
	/* A function assigned to a guest is the same hardware. */
	assert_string_equal(driver_of(make(0x15b3, 0x1017, 0x020000, (char[]){"vfio-pci"})),
			    "mlx5_core");
	/* The driver supports more IDs than the table lists. */
	assert_string_equal(driver_of(make(0x15b3, 0x7777, 0x020000, (char[]){"mlx5_core"})),
			    "mlx5_core");
	assert_string_equal(driver_of(make(0x15b3, 0x7777, 0x020700, NULL)), "mlx5_core");
	assert_string_equal(driver_of(make(0x15b3, 0x7777, 0x020000, NULL)), "none");
	/* X722 and X710 have the same driver. */
	assert_string_equal(driver_of(make(0x8086, 0x37d2, 0x020000, (char[]){"i40e"})), "i40e");
	assert_string_equal(driver_of(make(0x8086, 0x1572, 0x020000, (char[]){"i40e"})), "none");
	/* An ID from the table on a function that is not a network controller. */
	assert_string_equal(driver_of(make(0x15b3, 0x1017, 0x088000, NULL)), "none");
}

static void auxiliary_devices(void **state)
{
	(void)state;
	assert_true(rdma_is_auxiliary("mlx5_core.rdma.0"));
	assert_true(rdma_is_auxiliary("mlx5_core.rdma-rep.1"));
	assert_true(rdma_is_auxiliary("mlx4_core.ib.0"));
	assert_true(rdma_is_auxiliary("ice.roce.2"));
	assert_true(rdma_is_auxiliary("i40e.iwarp.0"));
	assert_true(rdma_is_auxiliary("idpf.8086.rdma.core.0"));
	assert_false(rdma_is_auxiliary("mlx5_core.eth.0"));
	assert_false(rdma_is_auxiliary("mlx5_core.sf.2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_found_by_id),
		cmocka_unit_test(is_found_by_name),
		cmocka_unit_test(of_a_function),
		cmocka_unit_test(auxiliary_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
