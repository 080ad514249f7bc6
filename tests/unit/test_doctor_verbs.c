/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of the chain from the RDMA device to the programs, and of what a container was given:
 * everything that they report in each state.
 */
#include <errno.h>

#include "doctor/stack/stack.h"
#include "doctor_told.h"

#define CLASS "sys/class/infiniband_verbs"

static struct device *add_device(struct bed *bed, const char *name, enum transport transport)
{
	struct device *device = device_list_add(&bed->facts.inventory.devices, name);

	device->transport = number_of(transport);
	return device;
}

static void set(char **member, const char *text)
{
	free(*member);
	*member = mem_string_or_null(text);
}

/* Reads everything again, and runs the check, on that device if there is one. */
static void run_on(struct bed *bed, enum doctor_check_id id, const struct device *device)
{
	doctor_stack_free(bed->facts.stack);
	bed->facts.stack = NULL;
	bed->facts.container = TRISTATE_UNKNOWN;
	bed->run.device = device;
	bed_run(bed, id);
}

#define NEEDED "warning -: a module for user space is not loaded"
#define ON_DEMAND                                                                            \
	"note -: a module for user space is not loaded; the kernel tries to load it when a " \
	"program "                                                                           \
	"needs it"

/* The modules that devices of each kind need: rdma_cap_ib_cm(), rdma_cap_iw_cm(), ib_umad.rst. */
static void modules(void **state)
{
	static const struct {
		enum transport first, second; /* 0: none */
		const char *missing;	      /* "": nothing */
	} cases[] = {
		{TRANSPORT_INFINIBAND, 0, "rdma_ucm ib_umad"},
		{TRANSPORT_OPA, 0, "rdma_ucm ib_umad"},
		{TRANSPORT_ROCE, 0, "rdma_ucm"},
		{TRANSPORT_IWARP, 0, "rdma_ucm"},
		{TRANSPORT_USNIC, 0, ""},
		{TRANSPORT_UNSPECIFIED, 0, ""},
		{TRANSPORT_UNSPECIFIED, TRANSPORT_ROCE, "rdma_ucm"},
		{TRANSPORT_USNIC, TRANSPORT_INFINIBAND, "rdma_ucm ib_umad"},
		{TRANSPORT_INFINIBAND, TRANSPORT_USNIC, "rdma_ucm ib_umad"},
	};
	struct bed *bed = *state;

	tree_directory(&bed->tree, "sys/module");
	tree_directory(&bed->tree, CLASS);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		device_list_clear(&bed->facts.inventory.devices);
		bed->facts.inventory.devices = (struct device_list){.items = NULL};
		add_device(bed, "a", cases[i].first);
		if (cases[i].second)
			add_device(bed, "b", cases[i].second);
		run_on(bed, CHECK_ID_verbs_modules, NULL);
		if (*cases[i].missing)
			assert_told(bed,
				    "%s | not loaded: %s < /sys/class -> modprobe -a %s; to load "
				    "them at "
				    "every start, list them in /etc/modules-load.d/rdma.conf\n",
				    strstr(cases[i].missing, "ib_umad") ? NEEDED : ON_DEMAND,
				    cases[i].missing, cases[i].missing);
		else
			assert_told(bed, "ok -: the modules for user space are loaded | ib_uverbs "
					 "< /sys/class\n");
	}
	bed->facts.inventory.devices.items[0].transport.known = false;
	run_on(bed, CHECK_ID_verbs_modules, NULL);
	assert_told(bed, "ok -: the modules for user space are loaded | ib_uverbs < /sys/class\n");
}

/* The setting that blocks each module, which a container cannot see. */
static void kept_away(void **state)
{
	static const char verdict[] =
		"programs cannot use the RDMA devices: ib_uverbs is not loaded | not loaded: "
		"ib_uverbs rdma_ucm";
	static const char step[] = "modprobe -a ib_uverbs rdma_ucm; to load them at every start, "
				   "list them in /etc/modules-load.d/rdma.conf";
	struct bed *bed = *state;

	add_device(bed, "mlx5_0", TRANSPORT_ROCE);
	/* A copy of the class of the RDMA devices alone does not show what was loaded. */
	run_on(bed, CHECK_ID_verbs_modules, NULL);
	assert_told(bed, "not-checked -: the saved tree lacks the loaded modules | the saved tree "
			 "has no /sys/module < /sys/module needs 2\n");
	tree_directory(&bed->tree, "sys/module");
	tree_write(&bed->tree, "proc/cmdline", "modprobe.blacklist=ib_umad");
	run_on(bed, CHECK_ID_verbs_modules, NULL);
	assert_told(bed,
		    ON_DEMAND " | not loaded: ib_uverbs rdma_ucm < /sys/class -> %s and blocks\n",
		    step);
	tree_write(&bed->tree, "proc/cmdline", "module_blacklist=rdma_ucm");
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "install ib_uverbs /bin/false");
	run_on(bed, CHECK_ID_verbs_modules, NULL);
	assert_told(bed,
		    "error -: %s; /proc/cmdline: module_blacklist=rdma_ucm; "
		    "/etc/modprobe.d/a.conf:1: install ib_uverbs /bin/false < /sys/class, "
		    "/proc/cmdline, /etc/modprobe.d/a.conf -> remove the line \"install ib_uverbs "
		    "/bin/false\" from /etc/modprobe.d/a.conf, rebuild the initial RAM disk "
		    "(update-initramfs -u, dracut -f), then: modprobe ib_uverbs and blocks\n",
		    verdict);
	bed->run.profile = PROFILE_CONTAINER;
	run_on(bed, CHECK_ID_verbs_modules, NULL);
	assert_told(bed,
		    ON_DEMAND " | not loaded: ib_uverbs rdma_ucm < /sys/class -> on the host: "
			      "%s and blocks\n",
		    step);
	bed->run.profile = PROFILE_HPC;
	tree_directory(&bed->tree, CLASS);
	tree_link(&bed->tree, "sys/class/misc/rdma_cm", "!EIO");
	run_on(bed, CHECK_ID_verbs_modules, NULL);
	assert_told(bed,
		    "not-checked -: a class directory cannot be read | %s < "
		    "/sys/class/misc/rdma_cm\n"
		    "unread -: a class directory < /sys/class/misc/rdma_cm: %s\n",
		    strerror(EIO), strerror(EIO));
}

/* A device without a uverbs device, which sub-devices may lack. */
static void no_uverbs(void **state)
{
	struct bed *bed = *state;
	struct device *device = add_device(bed, "mlx5_0", TRANSPORT_INFINIBAND);

	run_on(bed, CHECK_ID_uverbs_abi, device);
	assert_told(bed, "%s", "");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "error mlx5_0: ib_uverbs has created no device for it | no entry for "
			 "mlx5_0 < /sys/class/infiniband_verbs -> dmesg | grep uverbs\n");
	device->uverbs_unknown = true;
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "not-checked mlx5_0: its uverbs device is not known\n");
	bed->request.root = bed->tree.path;
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "not-checked mlx5_0: it has no uverbs device, which only sub-devices may "
			 "lack needs 2\n");
	device->parent = mem_string("mlx5_1");
	run_on(bed, CHECK_ID_device_nodes, device);
	set(&device->parent, NULL);
	device->sub_type = number_of(1);
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", "");
}

/* The files in /dev/infiniband, whose names a saved tree includes. */
static void nodes(void **state)
{
	static const char umad[] =
		"note mlx5_0: a device file for management datagrams is missing | uverbs0 is "
		"there; rdma_cm is there; %s is missing < /dev/infiniband/uverbs0, "
		"/dev/infiniband/rdma_cm, /dev/infiniband/%s -> udevadm trigger --action=add "
		"--subsystem-match=infiniband_mad\n";
	static const char there[] = "ok mlx5_0: the device files are there | uverbs0 is there; "
				    "rdma_cm is there < /dev/infiniband/uverbs0, "
				    "/dev/infiniband/rdma_cm\n";
	static const char without_cm[] = "ok mlx5_0: the device files are there | uverbs0 is there "
					 "< /dev/infiniband/uverbs0\n";
	static const char missing[] =
		"error mlx5_0: the uverbs device file is missing | uverbs0 is missing < "
		"/dev/infiniband/uverbs0 -> udevadm trigger --action=add "
		"--subsystem-match=infiniband_verbs; without udev: mknod with the number in "
		"/sys/class/infiniband_verbs/uverbs0/dev\n";
	struct bed *bed = *state;
	struct device *device = add_device(bed, "mlx5_0", TRANSPORT_INFINIBAND);

	device->uverbs = mem_string("uverbs0");
	strings_add(&device->umads, "umad0");
	strings_add(&device->umads, "umad1");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "not-checked mlx5_0: the saved tree has no device files needs 2\n");
	tree_directory(&bed->tree, "dev/infiniband");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", missing);
	/* In a container, the check container-devices reports it, if it is made. */
	bed->run.profile = PROFILE_CONTAINER;
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", missing);
	bed->request.run[CHECK_ID_container_devices] = true;
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "not-checked mlx5_0: not checked because of container-devices | uverbs0 "
			 "is missing < /dev/infiniband/uverbs0\n");
	bed->run.profile = PROFILE_HPC;
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", missing);
	tree_write(&bed->tree, "dev/infiniband/uverbs0", "");
	tree_write(&bed->tree, "dev/infiniband/umad0", "");
	tree_write(&bed->tree, "dev/infiniband/umad1", "");
	/* Without the module rdma_ucm there is no such file. */
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", without_cm);
	tree_directory(&bed->tree, "sys/class/misc/rdma_cm");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed,
		    "warning mlx5_0: connections by IP address fail: rdma_cm cannot be opened | "
		    "uverbs0 is there; rdma_cm is missing < /dev/infiniband/uverbs0, "
		    "/dev/infiniband/rdma_cm -> udevadm trigger --action=add "
		    "--subsystem-match=misc; in a container, add the device "
		    "/dev/infiniband/rdma_cm\n");
	device->transport = number_of(TRANSPORT_UNSPECIFIED);
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", without_cm);
	device->transport = number_of(TRANSPORT_IWARP);
	tree_write(&bed->tree, "dev/infiniband/rdma_cm", "");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", there);
	device->transport = number_of(TRANSPORT_OPA);
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", there);
	tree_delete(&bed->tree, "dev/infiniband/umad1");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, umad, "umad1", "umad1");
	tree_delete(&bed->tree, "dev/infiniband/umad0");
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, umad, "umad0", "umad0");
	device->transport = number_of(TRANSPORT_ROCE);
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", there);
	device->transport = number_of(TRANSPORT_INFINIBAND);
	bed->run.profile = PROFILE_CONTAINER;
	run_on(bed, CHECK_ID_device_nodes, device);
	assert_told(bed, "%s", there);
}

static void libraries(void **state)
{
	static const char none[] =
		"warning d: libibverbs is not installed: no program can use the device through "
		"verbs | no libibverbs.so.1 in the loader's directories -> apt install libibverbs1 "
		"ibverbs-providers, or dnf install libibverbs\n";
	struct bed *bed = *state;
	struct device *device = add_device(bed, "d", TRANSPORT_ROCE);

	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "not-checked d: the driver of the device is not known\n");
	device->driver = mem_string("other");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "not-checked d: the provider of other is not known\n");
	/* usNIC is used through libfabric. */
	set(&device->driver, "enic");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "%s", "");
	set(&device->driver, "mlx5_core");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "%s", none);
	bed->request.root = bed->tree.path;
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "not-checked d: the saved tree has no libraries needs 2\n");
	tree_write(&bed->tree, "etc/libibverbs.d/a.driver", "driver mlx4");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "%s", none);
	tree_write(&bed->tree, "usr/lib64/libibverbs.so.1", "no such text");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "error d: libibverbs is not configured to load the provider mlx5 | no "
			 "line \"driver mlx5\" < /etc/libibverbs.d -> the remedy\n");
	tree_write(&bed->tree, "usr/lib64/libibverbs.so.1", "lib%%s-rdmav34.so");
	tree_write(&bed->tree, "usr/lib64/libmlx5-rdmav34.so", "");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed,
		    "error d: libibverbs is not configured to load the provider mlx5 | libibverbs "
		    "expects libmlx5-rdmav34.so; no line \"driver mlx5\"; the library is there: "
		    "libmlx5-rdmav34.so < /usr/lib64, /etc/libibverbs.d -> the remedy\n");
	tree_write(&bed->tree, "etc/libibverbs.d/a.driver", "driver mlx5");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "ok d: the library for the driver is installed | libibverbs expects "
			 "libmlx5-rdmav34.so; libmlx5-rdmav34.so is there < /usr/lib64, "
			 "/etc/libibverbs.d\n");
	tree_delete(&bed->tree, "usr/lib64/libmlx5-rdmav34.so");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed,
		    "error d: the library of the provider mlx5 is missing | libibverbs expects "
		    "libmlx5-rdmav34.so; no libmlx5-rdmav*.so < /usr/lib64 -> the remedy\n");
	tree_write(&bed->tree, "usr/lib64/libmlx5-rdmav35.so", "");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(
		bed,
		"error d: the provider mlx5 is from another rdma-core than libibverbs | libibverbs "
		"expects libmlx5-rdmav34.so; there is only libmlx5-rdmav35.so < /usr/lib64 -> "
		"install libibverbs and its providers from one source, in one release\n");
	tree_write(&bed->tree, "etc/libibverbs.d/a.driver", "driver /opt/libmlx5");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed, "not-checked d: the provider mlx5 is configured by its path | libibverbs "
			 "expects libmlx5-rdmav34.so < /usr/lib64\n");
	tree_link(&bed->tree, "etc/libibverbs.d/a.driver", "!EIO");
	run_on(bed, CHECK_ID_provider, device);
	assert_told(bed,
		    "not-checked d: the configuration of libibverbs is not known | %s < "
		    "/etc/libibverbs.d\n"
		    "unread -: configuration of libibverbs < /etc/libibverbs.d: %s\n",
		    strerror(EIO), strerror(EIO));
}

/* libibverbs 65 supports the kernel's ABI 3 to 6, and providers a range of their driver's. */
static void abis(void **state)
{
	static const struct {
		const char *driver, *core, *own, *told;
	} cases[] = {
		{"mlx4_core", "6", "1", "mlx4_ib 1 (rdma-core 65 takes 2 to 4)"},
		{"mlx4_core", "3", "2", "mlx4_ib 2 (rdma-core 65 takes 2 to 4)"},
		{"mlx4_ib", "6", "4", "mlx4_ib 4 (rdma-core 65 takes 2 to 4)"},
		{"mlx4_core", "6", "5", "mlx4_ib 5 (rdma-core 65 takes 2 to 4)"},
		{"ice", "6", "0", "irdma 0 (rdma-core 65 takes 0 to 5)"},
		{"mlx5_core", "6", "1", "mlx5_ib 1 (rdma-core 65 takes 1)"},
		{"hfi1", "6", "99", "hfi1 99 (its provider takes any)"},
		{"mlx5_core", "2", "1", NULL},
		{"mlx5_core", "7", "1", NULL},
	};
	static const bool fits[] = {false, true, true, false, true, true, true};
	struct bed *bed = *state;
	struct device *device = add_device(bed, "d", TRANSPORT_ROCE);

	device->uverbs = mem_string("uverbs0");
	run_on(bed, CHECK_ID_uverbs_abi, device);
	assert_told(bed,
		    "not-checked d: the ABI version cannot be read | %s < "
		    "/sys/class/infiniband_verbs\n"
		    "unread d: the ABI version < /sys/class/infiniband_verbs: %s\n",
		    strerror(ENOENT), strerror(ENOENT));
	bed->request.root = bed->tree.path;
	run_on(bed, CHECK_ID_uverbs_abi, device);
	assert_told(bed, "not-checked d: the saved tree has no ABI version needs 2\n");
	bed->request.root = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set(&device->driver, cases[i].driver);
		tree_write(&bed->tree, CLASS "/abi_version", cases[i].core);
		tree_write(&bed->tree, CLASS "/uverbs0/abi_version", cases[i].own);
		run_on(bed, CHECK_ID_uverbs_abi, device);
		if (cases[i].told)
			assert_told(bed,
				    "%s | kernel %s (libibverbs takes 3 to 6); %s < "
				    "/sys/class/infiniband_verbs/abi_version%s\n",
				    fits[i] ? "ok d: kernel and library can speak the same ABI"
					    : "warning d: the driver's ABI most likely does not "
					      "match the library's",
				    cases[i].core, cases[i].told, fits[i] ? "" : " -> the remedy");
		else
			assert_told(bed,
				    "error d: libibverbs does not know the kernel's verbs ABI | "
				    "kernel %s (libibverbs takes 3 to 6) < "
				    "/sys/class/infiniband_verbs/abi_version -> the remedy\n",
				    cases[i].core);
	}
	tree_write(&bed->tree, CLASS "/abi_version", "6");
	set(&device->driver, "other");
	run_on(bed, CHECK_ID_uverbs_abi, device);
	assert_told(bed, "not-checked d: the ABI of this driver's provider is not known | kernel 6 "
			 "(libibverbs takes 3 to 6) < /sys/class/infiniband_verbs/abi_version\n");
}

/* Four devices are named, and those without uverbs are not counted. */
static void container(void **state)
{
	static const char source[] = "< /dev/infiniband";
	struct bed *bed = *state;
	char name[16], path[64];

	bed->run.check = doctor_check(CHECK_ID_container_devices);
	bed->run.profile = PROFILE_CONTAINER;
	assert_false(bed->run.check->applies(&bed->run));
	for (unsigned int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "mlx5_%u", i);
		add_device(bed, name, TRANSPORT_ROCE);
	}
	assert_true(bed->run.check->applies(&bed->run));
	bed->run.profile = PROFILE_HPC;
	assert_false(bed->run.check->applies(&bed->run));
	run_on(bed, CHECK_ID_container_devices, NULL);
	assert_told(bed,
		    "error -: the container has no RDMA device | devices with uverbs: 0, with a "
		    "device file: 0 %s -> the remedy\n",
		    source);
	/* The first device has none. */
	for (unsigned int i = 1; i < 6; i++) {
		snprintf(name, sizeof(name), "uverbs%u", i);
		bed->facts.inventory.devices.items[i].uverbs = mem_string(name);
	}
	run_on(bed, CHECK_ID_container_devices, NULL);
	assert_told(bed, "not-checked -: the saved tree has no device files needs 2\n");
	tree_directory(&bed->tree, "dev/infiniband");
	run_on(bed, CHECK_ID_container_devices, NULL);
	assert_told(bed,
		    "error -: the container has no RDMA device | devices with uverbs: 5, with a "
		    "device file: 0 %s -> the remedy\n",
		    source);
	for (unsigned int i = 5; i > 0; i--) {
		snprintf(path, sizeof(path), "dev/infiniband/uverbs%u", i);
		tree_write(&bed->tree, path, "");
		if (i > 2)
			continue;
		run_on(bed, CHECK_ID_container_devices, NULL);
		if (i == 2)
			assert_told(bed,
				    "note -: the container has some of the host's RDMA devices | "
				    "devices with uverbs: 5, with a device file: 4 (mlx5_2, "
				    "mlx5_3, mlx5_4, mlx5_5) %s -> nothing to do if the container "
				    "is meant to have only these\n",
				    source);
		else
			assert_told(
				bed,
				"ok -: the container has all RDMA devices | devices with uverbs: "
				"5, with a device file: 5 (mlx5_1, mlx5_2, mlx5_3, mlx5_4 and "
				"1 more) %s\n",
				source);
	}
}

static void put_half(struct bed *bed, const char *name, bool bound)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/pci0000:00/0000:01:00.0/%s", name);
	tree_directory(&bed->tree, path);
	snprintf(path, sizeof(path), "sys/devices/pci0000:00/0000:01:00.0/%s/driver", name);
	if (bound)
		tree_link(&bed->tree, path, "../x");
	snprintf(path, sizeof(path), "sys/bus/auxiliary/devices/%s", name);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/0000:01:00.0/%s", name);
	tree_link(&bed->tree, path, target);
}

/* Devices are in another namespace if an RDMA half has its driver. */
static void namespaces(void **state)
{
#define MODE "/sys/module/ib_core/parameters/netns_mode"
	static const char one[] = "note -: each RDMA device is in only one network namespace | N: "
				  "exclusive; %s here < " MODE
				  ", /sys/class/infiniband -> the remedy\n";
	static const char others[] =
		"%s -: the RDMA devices are in another network namespace | N: exclusive; 0 RDMA "
		"devices here < " MODE ", /sys/class/infiniband -> the remedy\n";
	struct bed *bed = *state;

	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed, "%s", "");
	tree_write(&bed->tree, MODE + 1, "Y");
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed,
		    "ok -: every network namespace sees all RDMA devices | Y: shared < " MODE "\n");
	tree_write(&bed->tree, MODE + 1, "N");
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed, one, "0 RDMA devices");
	put_half(bed, "mlx5_core.eth.0", true);
	put_half(bed, "mlx5_core.rdma.0", false);
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed, one, "0 RDMA devices");
	put_half(bed, "mlx5_core.rdma.1", true);
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed, others, "note");
	bed->run.profile = PROFILE_CONTAINER;
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed, others, "error");
	add_device(bed, "mlx5_0", TRANSPORT_ROCE);
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed, one, "1 RDMA device");
	tree_write(&bed->tree, MODE + 1, "Yes");
	run_on(bed, CHECK_ID_netns_mode, NULL);
	assert_told(bed,
		    "not-checked -: the namespace mode cannot be read | %s < " MODE "\n"
		    "unread -: the namespace mode < " MODE ": %s\n",
		    strerror(EINVAL), strerror(EINVAL));
#undef MODE
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(modules),	 TEST(kept_away), TEST(no_uverbs), TEST(nodes),
		TEST(libraries), TEST(abis),	  TEST(container), TEST(namespaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
