/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of the chain from the PCI bus to the RDMA device: everything that they report for
 * functions in each state, with the sources, the next step and what depends on it.
 */
#include <errno.h>

#include "doctor/stack/stack.h"
#include "doctor_told.h"

#define FUNCTIONS "sys/bus/pci/devices/"
#define AUXILIARY "sys/bus/auxiliary/devices/"
#define FIRST	  "0000:01:00.0"

static int set_up(void **state)
{
	bed_set_up(state);
	tree_directory(&((struct bed *)*state)->tree, "sys/bus/pci/devices");
	return 0;
}

static void put_driver(struct bed *bed, const char *address, const char *driver)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/pci0000:00/%s/driver", address);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	tree_link(&bed->tree, path, target);
}

/* An Ethernet function with these IDs, and a driver if there is one. */
static void put_function(struct bed *bed, const char *address, const char *vendor,
			 const char *device, const char *driver)
{
	_cleanup_(freep) char *place = mem_format("pci0000:00/%s", address);

	tree_function(&bed->tree, place, "0x020000", vendor, device, driver);
}

/* A device made by the driver of the function. */
static void put_half(struct bed *bed, const char *address, const char *name, bool bound)
{
	char path[160], target[160];

	snprintf(path, sizeof(path), "sys/devices/pci0000:00/%s/%s", address, name);
	tree_directory(&bed->tree, path);
	snprintf(path, sizeof(path), "sys/devices/pci0000:00/%s/%s/driver", address, name);
	if (bound)
		tree_link(&bed->tree, path, "../../../../bus/auxiliary/drivers/x");
	else
		tree_delete(&bed->tree, path);
	snprintf(path, sizeof(path), AUXILIARY "%s", name);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/%s/%s", address, name);
	tree_link(&bed->tree, path, target);
}

static struct device *add_device(struct bed *bed, const char *name, const char *address)
{
	struct device *device = device_list_add(&bed->facts.inventory.devices, name);

	device->pci_address = mem_string_or_null(address);
	return device;
}

/* Reads everything again, and runs the check on functions or on the host. */
static void run_on(struct bed *bed, enum doctor_check_id id, const char *address)
{
	doctor_stack_free(bed->facts.stack);
	bed->facts.stack = NULL;
	bed->facts.container = TRISTATE_UNKNOWN;
	pci_list_clear(&bed->facts.pci);
	bed->facts.pci = (struct pci_list){.items = NULL};
	bed->facts.pci_was_read = false;
	bed->run.function = NULL;
	if (address) {
		doctor_pci(&bed->facts);
		assert_int_equal(bed->facts.pci_rc, 0);
		bed->run.function = pci_list_find(&bed->facts.pci, address);
		assert_non_null(bed->run.function);
	}
	bed_run(bed, id);
}

/* A previous verdict on the function. */
static void earlier(struct bed *bed, enum doctor_check_id id, enum severity verdict)
{
	bed->run.id = id;
	bed->run.check = doctor_check(id);
	doctor_verdict(&bed->run, verdict, "before");
}

/* Four functions are named, the others counted. For some, the ID alone is not sufficient. */
static void hardware(void **state)
{
	static const char *const addresses[] = {"0000:01:00.0", "0000:02:00.0", "0000:03:00.0",
						"0000:04:00.0", "0000:05:00.0", "0000:06:00.0"};
	struct bed *bed = *state;

	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "note -: there is no RDMA hardware | 0 PCI functions, none certain to "
			 "have RDMA < /sys/bus/pci/devices -> the remedy\n");
	bed->facts.inventory_rc = -EMFILE;
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed,
		    "not-checked -: the list of RDMA devices is not known | 0 PCI functions, none "
		    "certain to have RDMA; %s < /sys/bus/pci/devices, /sys/class/infiniband\n",
		    strerror(EMFILE));
	bed->facts.inventory_rc = -ENODEV;
	for (size_t i = 0; i < 5; i++)
		put_function(bed, addresses[i], "0x8086", "0x1592", "ice");
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "note -: there is no RDMA hardware | 5 PCI functions, none certain to "
			 "have RDMA; 0000:01:00.0 (ice), 0000:02:00.0 (ice), 0000:03:00.0 (ice), "
			 "0000:04:00.0 (ice) and 1 more might have it, depending on the adapter < "
			 "/sys/bus/pci/devices -> the remedy\n");
	/* A function that has an RDMA half is RDMA hardware, and so is that of an RDMA device. */
	put_half(bed, addresses[1], "ice.sf.1", true);
	put_half(bed, addresses[2], "ice.roce.0", false);
	add_device(bed, "irdma0", addresses[4])->software = true;
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "ok -: there is RDMA hardware | 0000:03:00.0 (ice), 0000:05:00.0 (ice) "
			 "< /sys/bus/pci/devices\n");
	tree_delete(&bed->tree, "sys/bus/auxiliary");
	free(bed->facts.inventory.devices.items[0].pci_address);
	bed->facts.inventory.devices.items[0].pci_address = NULL;
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "note -: there is no RDMA hardware, only software devices | 5 PCI "
			 "functions, none certain to have RDMA; 0000:01:00.0 (ice), 0000:02:00.0 "
			 "(ice), 0000:03:00.0 (ice), 0000:04:00.0 (ice) and 1 more might have it, "
			 "depending on the adapter < /sys/bus/pci/devices -> the remedy\n");
	for (size_t i = 0; i < 4; i++)
		put_function(bed, addresses[i], "0x15b3", "0x1021", "mlx5_core");
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "ok -: there is RDMA hardware | 0000:01:00.0 (mlx5_core), 0000:02:00.0 "
			 "(mlx5_core), 0000:03:00.0 (mlx5_core), 0000:04:00.0 (mlx5_core) "
			 "< /sys/bus/pci/devices\n");
	for (size_t i = 4; i < 6; i++)
		put_function(bed, addresses[i], "0x15b3", "0x1021", "mlx5_core");
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "ok -: there is RDMA hardware | 0000:01:00.0 (mlx5_core), 0000:02:00.0 "
			 "(mlx5_core), 0000:03:00.0 (mlx5_core), 0000:04:00.0 (mlx5_core) and 2 "
			 "more < /sys/bus/pci/devices\n");
}

static void hardware_elsewhere(void **state)
{
	struct bed *bed = *state;

	add_device(bed, "rxe0", NULL)->software = true;
	add_device(bed, "hns_0", NULL);
	put_function(bed, FIRST, "0x1234", "0x1592", NULL);
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_told(bed, "ok -: there is RDMA hardware, but not on the PCI bus | 1 PCI function, "
			 "none certain to have RDMA < /sys/bus/pci/devices\n");
	tree_delete(&bed->tree, "sys/bus/pci/devices");
	tree_link(&bed->tree, "sys/bus/pci/devices", "!EIO");
	run_on(bed, CHECK_ID_pci_hardware, NULL);
	assert_true(bed->problems.count > 0);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_told(bed,
		    "not-checked -: the list of PCI functions is not known | %s "
		    "< /sys/bus/pci/devices\n",
		    strerror(EIO));
}

/* All ones in the first two bytes: PCI_ERROR_RESPONSE, include/linux/pci.h. */
static void fell_off(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *now, *verdict, *summary;
	} cases[] = {
		{"\xff\xff", 2, "ffff", "error", "the function no longer answers on the PCI bus"},
		{"\xff\xff\x11\x22", 4, "ffff", "error",
		 "the function no longer answers on the PCI bus"},
		{"\xb3\x15\xff\xff", 4, "15b3", "ok", "the function answers on the PCI bus"},
		{"\xff\x00\xff\xff", 4, "00ff", "ok", "the function answers on the PCI bus"},
		{"\x00\xff", 2, "ff00", "ok", "the function answers on the PCI bus"},
	};
	static const char config[] = "sys/devices/pci0000:00/" FIRST "/config";
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", "mlx5_core");
	run_on(bed, CHECK_ID_pci_dead, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the configuration space cannot be read | %s < "
		    "/" FUNCTIONS FIRST "/config\n"
		    "unread " FIRST ": the configuration space < /" FUNCTIONS FIRST "/config: %s\n",
		    strerror(ENOENT), strerror(ENOENT));
	bed->request.root = bed->tree.path;
	run_on(bed, CHECK_ID_pci_dead, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the saved tree has no configuration space needs 2\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write_bytes(&bed->tree, config, cases[i].bytes, cases[i].length);
		run_on(bed, CHECK_ID_pci_dead, FIRST);
		assert_told(bed,
			    "%s " FIRST
			    ": %s | vendor ID now %s, when found 15b3 < /" FUNCTIONS FIRST
			    "/config%s\n",
			    cases[i].verdict, cases[i].summary, cases[i].now,
			    *cases[i].verdict == 'e' ? " -> the remedy" : "");
	}
	for (size_t length = 0; length < 2; length++) {
		tree_write_bytes(&bed->tree, config, "\xff", length);
		run_on(bed, CHECK_ID_pci_dead, FIRST);
		assert_told(bed,
			    "not-checked " FIRST ": the configuration space cannot be read | %s < "
			    "/" FUNCTIONS FIRST "/config\n"
			    "unread " FIRST ": the configuration space < /" FUNCTIONS FIRST
			    "/config: %s\n",
			    strerror(ENODATA), strerror(ENODATA));
	}
	tree_write_bytes(&bed->tree, config, "\xff\xff", 2);
	tree_link(&bed->tree, "sys/devices/pci0000:00/" FIRST "/physfn", "../0000:02:00.0");
	run_on(bed, CHECK_ID_pci_dead, FIRST);
	assert_told(bed, "%s", "");
}

/* Files that a tree lacks, and a function for which no module has to be loaded. */
static void settings(void **state)
{
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x1234", "0x5678", NULL);
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	run_on(bed, CHECK_ID_module_absent, FIRST);
	run_on(bed, CHECK_ID_module_unsigned, FIRST);
	run_on(bed, CHECK_ID_module_mixed, FIRST);
	assert_told(bed, "%s", "");
	put_function(bed, FIRST, "0x15b3", "0x1021", NULL);
	bed->request.root = bed->tree.path;
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed, "not-checked " FIRST ": the saved tree has no modprobe.d needs 2\n");
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "blacklist b\nblacklist c");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed, "not-checked " FIRST ": the saved tree has no /proc/cmdline needs 2\n");
	bed->request.root = NULL;
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed,
		    "ok " FIRST ": no setting keeps the modules from being loaded | settings that "
		    "block modules: 2, none for mlx5_core < /etc/modprobe.d\n");
	bed->request.root = bed->tree.path;
	tree_write(&bed->tree, "proc/cmdline", "ro");
	tree_delete(&bed->tree, "etc");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed, "not-checked " FIRST ": the saved tree has no modprobe.d needs 2\n");
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "blacklist b");
	put_driver(bed, FIRST, "mlx5_core");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed, "ok " FIRST ": no setting keeps the modules from being loaded | settings "
			 "that block modules: 1, none for mlx5_ib < /etc/modprobe.d\n");
	tree_link(&bed->tree, "etc/modprobe.d/a.conf", "!EIO");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": a file that can block modules cannot be read | "
		    "/etc/modprobe.d/a.conf: %s < /etc/modprobe.d/a.conf\n"
		    "unread -: settings that block modules < /etc/modprobe.d/a.conf: %s\n",
		    strerror(EIO), strerror(EIO));
}

/* Modules that modprobe loads first count by their names; loaded ones do not. */
static void blocked(void **state)
{
	static const char off[] = ", rebuild the initial RAM disk (update-initramfs -u, dracut "
				  "-f), then: modprobe mlx5_core";
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", NULL);
	tree_write(&bed->tree, "proc/cmdline", "ro");
	tree_write(&bed->tree, "etc/modprobe.d/a.conf",
		   "\ninstall ib_uverbs /bin/true\ninstall ib-core /bin/false");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed,
		    "error " FIRST ": ib_core is replaced by a command in /etc/modprobe.d/a.conf:3 "
		    "| mlx5_core is not loaded; /etc/modprobe.d/a.conf:3: install ib-core "
		    "/bin/false < /etc/modprobe.d/a.conf -> remove the line \"install ib-core "
		    "/bin/false\" from /etc/modprobe.d/a.conf%s\n",
		    off);
	tree_directory(&bed->tree, "sys/module/ib_core");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed,
		    "error " FIRST ": ib_uverbs is replaced by a command in "
		    "/etc/modprobe.d/a.conf:2 | mlx5_core is not loaded; /etc/modprobe.d/a.conf:2: "
		    "install ib_uverbs /bin/true < /etc/modprobe.d/a.conf -> remove the line "
		    "\"install ib_uverbs /bin/true\" from /etc/modprobe.d/a.conf%s\n",
		    off);
	/* It is unknown whether the module is there, so it may be. */
	tree_link(&bed->tree, "sys/module/ib_uverbs", "!EACCES");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_told(bed,
		    "ok " FIRST ": no setting keeps the modules from being loaded | settings that "
		    "block modules: 2, none for mlx5_core < /etc/modprobe.d\n");
	/* A built-in module cannot be blocked. */
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "blacklist mlx5_core");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.12.1");
	tree_write(&bed->tree, "lib/modules/6.12.1/modules.builtin", "kernel/mlx5_core.ko");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(
		bed,
		"note " FIRST
		": mlx5_core is loaded, although a setting should keep it out | mlx5_core is "
		"loaded; /etc/modprobe.d/a.conf:1: blacklist mlx5_core < /etc/modprobe.d/a.conf -> "
		"nothing to do if it is intended; otherwise remove \"blacklist mlx5_core\"\n");
	/* A virtual function without a driver may be reserved for a guest. */
	tree_delete(&bed->tree, "lib");
	tree_link(&bed->tree, "sys/devices/pci0000:00/" FIRST "/physfn", "../0000:02:00.0");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(
		bed,
		"note " FIRST
		": mlx5_core is blacklisted in /etc/modprobe.d/a.conf:1 | mlx5_core is not loaded; "
		"/etc/modprobe.d/a.conf:1: blacklist mlx5_core < /etc/modprobe.d/a.conf -> nothing "
		"to do if it is intended; otherwise remove \"blacklist mlx5_core\"\n");
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "blacklist mlx5-ib");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed,
		    "note " FIRST
		    ": mlx5_ib is blacklisted in /etc/modprobe.d/a.conf:1 | mlx5_ib is not loaded; "
		    "/etc/modprobe.d/a.conf:1: blacklist mlx5-ib < /etc/modprobe.d/a.conf -> "
		    "nothing to do if it is intended; otherwise remove \"blacklist mlx5-ib\"\n");
	/* It is unknown whether this adapter is meant to do RDMA. */
	tree_delete(&bed->tree, "sys/devices/pci0000:00/" FIRST "/physfn");
	put_function(bed, FIRST, "0x14e4", "0x1750", "bnxt_en");
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "blacklist bnxt_re");
	run_on(bed, CHECK_ID_module_blocked, FIRST);
	assert_told(bed,
		    "note " FIRST
		    ": bnxt_re is blacklisted in /etc/modprobe.d/a.conf:1 | bnxt_re is not loaded; "
		    "/etc/modprobe.d/a.conf:1: blacklist bnxt_re < /etc/modprobe.d/a.conf -> "
		    "nothing to do if it is intended; otherwise remove \"blacklist bnxt_re\"\n");
}

static void absent(void **state)
{
	static const char *const releases[] = {"6.1", "6.2", "6.3", "6.4", "6.5"};
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", NULL);
	run_on(bed, CHECK_ID_module_absent, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the modules of the running kernel are not known\n");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.12");
	bed->request.root = bed->tree.path;
	run_on(bed, CHECK_ID_module_absent, FIRST);
	assert_told(bed, "not-checked " FIRST
			 ": the modules of the running kernel are not known needs 2\n");
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		char path[64];

		snprintf(path, sizeof(path), "lib/modules/%s", releases[i]);
		tree_directory(&bed->tree, path);
		if (i < 3)
			continue;
		run_on(bed, CHECK_ID_module_absent, FIRST);
		assert_told(bed,
			    "error " FIRST
			    ": the modules of the running kernel are not installed | the kernel is "
			    "6.12, /lib/modules has 6.1, 6.2, 6.3, 6.4%s < "
			    "/lib/modules/6.12/modules.dep -> restart with an installed kernel, or "
			    "reinstall the modules of 6.12\n",
			    i > 3 ? " and 1 more" : "");
	}
	tree_write(&bed->tree, "lib/modules/6.12/modules.dep", "kernel/x/mlx5_ib.ko:");
	run_on(bed, CHECK_ID_module_absent, FIRST);
	assert_told(bed, "error " FIRST
			 ": the running kernel has no module mlx5_core | no mlx5_core for kernel "
			 "6.12 < /lib/modules/6.12/modules.dep -> install the package that has it: "
			 "linux-modules-extra-6.12 (Ubuntu), kernel-modules-extra (RHEL, Fedora), "
			 "or the vendor's driver for this kernel\n");
	put_driver(bed, FIRST, "mlx5_core");
	run_on(bed, CHECK_ID_module_absent, FIRST);
	assert_told(bed, "ok " FIRST ": the running kernel has the modules of the function | "
			 "kernel/x/mlx5_ib.ko < /lib/modules\n");
	tree_directory(&bed->tree, "sys/module/mlx5_ib");
	run_on(bed, CHECK_ID_module_absent, FIRST);
	assert_told(bed, "ok " FIRST ": no module of the function is missing\n");
	tree_delete(&bed->tree, "sys/module/mlx5_ib");
	tree_link(&bed->tree, "lib/modules/6.12/modules.dep", "!EIO");
	run_on(bed, CHECK_ID_module_absent, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the list of modules cannot be read | %s < "
		    "/lib/modules\nunread " FIRST ": the list of modules < /lib/modules: %s\n",
		    strerror(EIO), strerror(EIO));
}

#define ENFORCE	   "sys/module/module/parameters/sig_enforce"
#define SECURITYFS "sys/kernel/security"
#define LOCKDOWN   SECURITYFS "/lockdown"
#define DKMS	   "lib/modules/6.12/updates/dkms/mlx5_core.ko"
#define SIGNED	   "some machine code~Module signature appended~"

/* sig_enforce, lockdown, modules.dep and the end of the file; NULL: missing, "": all of its folder.
 */
static void signatures(void **state)
{
	static const char refused[] = "error " FIRST ": the kernel refuses mlx5_core, which is not "
				      "signed";
	static const char accepted[] = "ok " FIRST ": the kernel accepts modules without a valid "
				       "signature";
	static const char unknown[] = "not-checked " FIRST ": only loading mlx5_core shows whether "
				      "the kernel accepts its signature";
	static const char unclear[] = "not-checked " FIRST ": whether the kernel refuses unsigned "
				      "modules is not known";
	static const char unread[] = "not-checked " FIRST ": the signature of the module cannot be "
				     "read";
	static const char dkms[] = "updates/dkms/mlx5_core.ko:";
	static const char code[] = "machine code without a signature at its end";
	static const struct {
		const char *enforce, *lockdown, *files, *file, *verdict;
	} cases[] = {
		{"Y", NULL, dkms, code, refused},
		{"N", "none [integrity] confidentiality", dkms, code, refused},
		{"N", "none integrity [confidentiality]", dkms, code, refused},
		{"N", "[none] integrity confidentiality", dkms, code, accepted},
		{"N", NULL, dkms, code, accepted},
		{"N", "", dkms, code, unclear}, /* securityfs is not mounted */
		{NULL, "none [integrity] confidentiality", dkms, code, unclear},
		{"N", "!EACCES", dkms, code, unclear},
		{"!EACCES", NULL, dkms, code, unclear},
		{"!EACCES", "none [integrity] confidentiality", dkms, code, unclear},
		{"Y", NULL, dkms, SIGNED, unknown},
		{"Y", NULL, "updates/dkms/mlx5_core.ko.xz:", code, unknown},
		{"Y", NULL, "kernel/x/mlx5_core.ko:", code, unknown},
		{"Y", NULL, "kernel/x/other.ko:", code, unknown},
		{"Y", NULL, dkms, "!EACCES", unread},
		{"Y", NULL, dkms, "short", unread},
	};
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", NULL);
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const paths[] = {ENFORCE, LOCKDOWN, DKMS};
		const char *const texts[] = {cases[i].enforce, cases[i].lockdown, cases[i].file};
		_cleanup_(freep) char *told = NULL;

		for (size_t j = 0; j < ARRAY_SIZE(paths); j++) {
			tree_delete(&bed->tree, paths[j]);
			if (texts[j] && *texts[j] == '!')
				tree_link(&bed->tree, paths[j], texts[j]);
			else if (texts[j] && *texts[j])
				tree_write(&bed->tree, paths[j], texts[j]);
		}
		tree_delete(&bed->tree, SECURITYFS "/lsm");
		if (!cases[i].lockdown || *cases[i].lockdown)
			tree_write(&bed->tree, SECURITYFS "/lsm", "lockdown,yama");
		tree_write(&bed->tree, "lib/modules/6.12/modules.dep", cases[i].files);
		run_on(bed, CHECK_ID_module_unsigned, FIRST);
		told = doctor_told(&bed->results, &bed->problems);
		if (strncmp(told, cases[i].verdict, strlen(cases[i].verdict)) != 0)
			fail_msg("case %zu: %s", i, told);
	}
}

/* The reader learns what to do, and which error to expect. */
static void signature_steps(void **state)
{
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", NULL);
	tree_write(&bed->tree, ENFORCE, "N");
	tree_directory(&bed->tree, SECURITYFS);
	run_on(bed, CHECK_ID_module_unsigned, FIRST);
	assert_int_equal(bed_last(bed)->needs.value, NEEDS_LIVE);
	bed->facts.root.live = bed->facts.root.below = true;
	bed_run(bed, CHECK_ID_module_unsigned);
	assert_string_equal(bed_last(bed)->finding.next_step,
			    "mount -t securityfs securityfs /sys/kernel/security, which shows "
			    "whether the kernel is locked down");
	assert_false(bed_last(bed)->needs.known);
	tree_directory(&bed->tree, LOCKDOWN);
	bed_run(bed, CHECK_ID_module_unsigned);
	assert_int_equal(bed_last(bed)->needs.value, NEEDS_ROOT);
	/* Neither the release of the kernel nor the file of the module is known. */
	tree_delete(&bed->tree, LOCKDOWN);
	tree_write(&bed->tree, LOCKDOWN, "none [integrity] confidentiality");
	bed_run(bed, CHECK_ID_module_unsigned);
	assert_string_equal(
		bed_last(bed)->finding.next_step,
		"modprobe mlx5_core as root; after \"Operation not permitted\", "
		"dmesg | grep Lockdown tells why: \"unsigned module loading is "
		"restricted\" means that the kernel does not know the key or "
		"its algorithm, or finds no signature; without this line the kernel loads no "
		"module at all (kernel.modules_disabled), or not for this "
		"process (CAP_SYS_MODULE); \"Key was rejected by service\" means that "
		"the signature is wrong or its key revoked");
	tree_write(&bed->tree, ENFORCE, "Y");
	bed_run(bed, CHECK_ID_module_unsigned);
	assert_string_equal(bed_last(bed)->finding.next_step,
			    "modprobe mlx5_core as root; after \"Key was rejected by "
			    "service\", dmesg | grep rejected tells why: \"unavailable key\" "
			    "means that the kernel does not know the key, \"unsupported "
			    "crypto\" its algorithm, no line that the signature is wrong or its "
			    "key revoked");
}

static void put_taint(struct bed *bed, const char *module, const char *taint)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/module/%s/taint", module);
	tree_write(&bed->tree, path, taint);
}

/* A driver whose module has its name is shown once. */
static void mixed(void **state)
{
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x8086", "0x24f0", "hfi1");
	put_taint(bed, "ib_core", "O");
	put_taint(bed, "hfi1", "");
	run_on(bed, CHECK_ID_module_mixed, FIRST);
	assert_told(bed, "warning " FIRST
			 ": the RDMA core and the driver are from different stacks | ib_core is "
			 "out of tree, hfi1 is the kernel's own < /sys/module -> the remedy\n");
	put_taint(bed, "hfi1", "O");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.12");
	tree_write(&bed->tree, "lib/modules/6.12/modules.dep",
		   "updates/ib_core.ko:\nkernel/hfi1.ko:\nkernel/rdma_cm.ko:");
	run_on(bed, CHECK_ID_module_mixed, FIRST);
	assert_told(bed,
		    "warning " FIRST
		    ": the loaded modules are not the installed ones | hfi1: the loaded one is out "
		    "of tree, the installed one kernel/hfi1.ko < /lib/modules -> the remedy\n");
	/* One without a file, one as installed, and one that is not loaded. */
	tree_write(&bed->tree, "lib/modules/6.12/modules.dep",
		   "updates/hfi1.ko:\nkernel/ib_uverbs.ko:");
	run_on(bed, CHECK_ID_module_mixed, FIRST);
	assert_told(bed, "ok " FIRST ": the modules of the function match each other | ib_core is "
			 "out of tree < /sys/module\n");
	put_taint(bed, "rdma_cm", "");
	tree_write(&bed->tree, "lib/modules/6.12/modules.dep", "updates/hfi1.ko:");
	run_on(bed, CHECK_ID_module_mixed, FIRST);
	assert_told(bed, "warning " FIRST
			 ": the RDMA core and the driver are from different stacks | ib_core is "
			 "out of tree, rdma_cm is the kernel's own < /sys/module -> the remedy\n");
	/* Nothing follows from a core of unknown origin. */
	tree_delete(&bed->tree, "sys/module/ib_core/taint");
	run_on(bed, CHECK_ID_module_mixed, FIRST);
	assert_told(bed, "not-checked " FIRST ": the origin of ib_core is not known\n");
}

/* X722: i40iw until Linux 5.13, irdma since. */
static void replaced_module(void **state)
{
	static const char words[] = "note " FIRST
				    ": %s is not loaded; not every adapter of this driver has RDMA "
				    "| %s is not loaded < /sys/module -> modprobe %s, if the "
				    "adapter is to do RDMA\n";
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x8086", "0x37d2", "i40e");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, words, "irdma", "irdma", "irdma");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "5.10");
	tree_write(&bed->tree, "lib/modules/5.10/modules.dep", "kernel/i40iw/i40iw.ko:");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, words, "i40iw", "i40iw", "i40iw");
	tree_delete(&bed->tree, "lib/modules/5.10/modules.dep");
	tree_directory(&bed->tree, "sys/module/i40iw");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "note " FIRST
			 ": i40iw is loaded, but has created no RDMA device for the function | "
			 "i40iw is loaded < /sys/module -> dmesg | grep i40iw\n");
	tree_directory(&bed->tree, "sys/module/irdma");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "note " FIRST
			 ": irdma is loaded, but has created no RDMA device for the function | "
			 "irdma is loaded < /sys/module -> dmesg | grep irdma\n");
}

static void drivers(void **state)
{
	static const char ids[] = "ID 15b3:1021 is served by mlx5_core";
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", NULL);
	/* It is unknown whether the module is there. */
	tree_link(&bed->tree, "sys/module/mlx5_core", "!EACCES");
	run_on(bed, CHECK_ID_pci_driver, FIRST);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_told(bed,
		    "error " FIRST ": no driver is bound to the function | no driver; %s; "
		    "mlx5_core is perhaps not loaded < /" FUNCTIONS FIRST "/driver -> modprobe "
		    "mlx5_core and blocks\n",
		    ids);
	tree_delete(&bed->tree, "sys/module/mlx5_core");
	for (size_t i = 0; i < 3; i++) {
		const enum doctor_check_id id = i == 2	 ? CHECK_ID_module_unsigned
						: i == 1 ? CHECK_ID_module_absent
							 : CHECK_ID_module_blocked;

		run_on(bed, CHECK_ID_pci_driver, FIRST);
		earlier(bed, id, SEVERITY_NOTICE);
		run_on(bed, CHECK_ID_pci_driver, FIRST);
		earlier(bed, id, SEVERITY_ERROR);
		run_on(bed, CHECK_ID_pci_driver, FIRST);
		assert_int_equal(bed->results.count, 5);
		assert_false(bed->results.items[2].because.known);
		assert_int_equal(bed->results.items[4].because.value, id);
		assert_string_equal(bed->results.items[4].finding.evidence, "no driver");
		free(doctor_told(&bed->results, &bed->problems));
	}
	tree_link(&bed->tree, "sys/devices/pci0000:00/" FIRST "/physfn", "../0000:02:00.0");
	run_on(bed, CHECK_ID_pci_driver, FIRST);
	assert_told(bed,
		    "note " FIRST ": no driver is bound to the virtual function | no driver; %s; "
		    "virtual function of 0000:02:00.0 < /" FUNCTIONS FIRST
		    "/driver -> nothing to do if it is meant for a guest; otherwise: echo " FIRST
		    " > /sys/bus/pci/drivers_probe and blocks\n",
		    ids);
	put_driver(bed, FIRST, "vfio-pci");
	run_on(bed, CHECK_ID_pci_driver, FIRST);
	assert_told(bed, "note " FIRST
			 ": the function is not for this host: it has another driver | driver "
			 "vfio-pci; RDMA on this host needs mlx5_core < /" FUNCTIONS FIRST
			 "/driver -> nothing to do if a guest or a user-space program is meant to "
			 "use it; otherwise bind mlx5_core to it and blocks\n");
	/* A function that has an RDMA device has a driver for it. */
	add_device(bed, "mlx5_0", FIRST);
	run_on(bed, CHECK_ID_pci_driver, FIRST);
	assert_told(bed, "ok " FIRST
			 ": the function has its driver | driver vfio-pci < /" FUNCTIONS FIRST
			 "/driver\n");
}

/* Each state of the RDMA half of a function that has a driver. */
static void halves(void **state)
{
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", "mlx5_core");
	put_half(bed, "0000:02:00.0", "mlx5_core.eth.0", false);
	put_half(bed, FIRST, "mlx5_core.eth.1", false);
	put_half(bed, FIRST, "mlx5_core.rdma.1", true);
	put_half(bed, FIRST, "mlx5_core.rdma.2", false);
	put_half(bed, FIRST, "mlx5_core.rdma.3", true);
	put_half(bed, "0000:02:00.0", "mlx5_core.rdma.4", false);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(
		bed,
		"error " FIRST
		": mlx5_ib is not loaded, so there is no RDMA device | mlx5_core.rdma.2 has no "
		"driver; mlx5_ib is not loaded < /sys/bus/auxiliary/devices -> modprobe mlx5_ib; "
		"to load it at every start: echo mlx5_ib >> /etc/modules-load.d/rdma.conf\n");
	tree_link(&bed->tree, "sys/module/mlx5_ib", "!EACCES");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_told(bed,
		    "error " FIRST ": mlx5_ib is perhaps not loaded, so there is no RDMA device | "
		    "mlx5_core.rdma.2 has no driver; mlx5_ib is perhaps not loaded < "
		    "/sys/bus/auxiliary/devices -> modprobe mlx5_ib; to load it at every "
		    "start: echo mlx5_ib >> /etc/modules-load.d/rdma.conf\n");
	put_half(bed, FIRST, "mlx5_core.rdma.2", true);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_told(bed,
		    "warning " FIRST ": the RDMA half has its driver, but shows no RDMA device | "
		    "mlx5_core.rdma.1 has its driver < /sys/bus/auxiliary/devices -> the "
		    "kernel log may have the reason: dmesg | grep " FIRST " and blocks\n");
	tree_delete(&bed->tree, "sys/module/mlx5_ib");
	/* A list that could not be read does not show that the device is missing. */
	bed->facts.inventory_rc = -EMFILE;
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the list of RDMA devices is not known | %s "
		    "< /sys/class/infiniband\n",
		    strerror(EMFILE));
	bed->facts.inventory_rc = 0;
	/* The device of a card's other port only replaces the missing one if it serves both. */
	add_device(bed, "mlx5_9", "0000:01:00.1");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed,
		    "warning " FIRST ": the RDMA half has its driver, but shows no RDMA device | "
		    "mlx5_core.rdma.1 has its driver < /sys/bus/auxiliary/devices -> the "
		    "kernel log may have the reason: dmesg | grep " FIRST " and blocks\n");
	tree_delete(&bed->tree, "sys/bus/auxiliary");
	put_half(bed, FIRST, "mlx5_core.multiport.1", true);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "ok " FIRST ": another function of the adapter has the RDMA device for "
			 "both | mlx5_9 on 0000:01:00.1 < /sys/class/infiniband\n");
	add_device(bed, "mlx5_0", FIRST);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "ok " FIRST ": the function has its RDMA device | mlx5_0 < "
			 "/sys/class/infiniband\n");
	put_half(bed, FIRST, "mlx5_core.rdma.7", false);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "warning " FIRST ": not every RDMA half of the function has its driver | "
			 "mlx5_0; mlx5_core.rdma.7 has no driver < /sys/class/infiniband, "
			 "/sys/bus/auxiliary/devices -> dmesg | grep " FIRST "\n");
}

/* A device of another card, whose address begins alike, does not count. */
static void no_halves(void **state)
{
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", "mlx5_core");
	add_device(bed, "mlx5_1", "0000:01:01.0");
	add_device(bed, "mlx5_2", "0001:01:00.1");
	add_device(bed, "rxe0", NULL);
	add_device(bed, "odd", "0000:01:00");
	put_half(bed, "0000:01:01.0", "mlx5_core.eth.1", true);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "error " FIRST ": mlx5_ib is not loaded, so there is no RDMA device | "
			 "mlx5_ib is not loaded < /sys/module -> modprobe mlx5_ib\n");
	put_half(bed, FIRST, "mlx5_core.eth.0", true);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	earlier(bed, CHECK_ID_rdma_disabled, SEVERITY_NOTICE);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed,
		    "note " FIRST ": the driver offers no RDMA: it is switched off, or the adapter "
		    "has none | mlx5_core created devices, but none for RDMA < "
		    "/sys/bus/auxiliary/devices -> devlink dev param show pci/" FIRST
		    " (enable_rdma, enable_roce, enable_iwarp); also look at the adapter's own "
		    "settings\n"
		    "note -: before -> the remedy\n"
		    "not-checked " FIRST ": not checked because of rdma-disabled\n");
	tree_delete(&bed->tree, "sys/bus/auxiliary");
	tree_link(&bed->tree, "sys/module/mlx5_ib", "!EACCES");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_told(bed, "error " FIRST ": mlx5_ib is perhaps not loaded, so there is no RDMA "
			 "device | mlx5_ib is perhaps not loaded < /sys/module -> modprobe "
			 "mlx5_ib\n");
	/* A driver that makes its devices itself has made none. */
	put_function(bed, FIRST, "0x8086", "0x24f0", "hfi1");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "warning " FIRST ": the function has its driver, but shows no RDMA device "
			 "| driver hfi1 < /" FUNCTIONS FIRST
			 "/driver -> the kernel log may have the reason: dmesg | grep " FIRST
			 " and blocks\n");
	tree_write(&bed->tree, "sys/module/ib_core/parameters/netns_mode", "N");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "not-checked " FIRST ": not checked because of netns-mode\n");
	tree_write(&bed->tree, "sys/module/ib_core/parameters/netns_mode", "Y");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_int_equal(bed_last(bed)->finding.severity.value, SEVERITY_WARNING);
	put_function(bed, FIRST, "0x14e4", "0x1750", "bnxt_en");
	free(doctor_told(&bed->results, &bed->problems));
	tree_directory(&bed->tree, "sys/module/bnxt_re");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "note " FIRST
			 ": bnxt_re is loaded, but has created no RDMA device for the function | "
			 "bnxt_re is loaded < /sys/module -> dmesg | grep bnxt_re\n");
	tree_write(&bed->tree, "sys/module/ib_core/parameters/netns_mode", "N");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "not-checked " FIRST ": not checked because of netns-mode\n");
}

/*
 * In a bond and switchdev mode, as on a DPU, both functions have a half with a driver, and one
 * device has the ports of both: mlx5_ib_vport_rep_load() of the other does nothing.
 */
static void shared_representors(void **state)
{
	static const char hidden[] =
		"warning " FIRST ": the RDMA half has its driver, but shows no RDMA device | "
		"mlx5_core.rdma-rep.0 has its driver < /sys/bus/auxiliary/devices "
		"-> the kernel log may have the reason: dmesg | grep " FIRST " and blocks\n";
	struct bed *bed = *state;
	struct device *device;

	put_function(bed, FIRST, "0x15b3", "0xa2dc", "mlx5_core");
	put_half(bed, FIRST, "mlx5_core.rdma-rep.0", true);
	device = add_device(bed, "mlx5_1", "0000:01:00.1");
	device_add_port(device, 1);
	/* Representors of the function's virtual functions are not ports of the other one. */
	device_add_port(device, 2);
	tree_directory(&bed->tree, "sys/devices/pci0000:00/" FIRST "/net/p0");
	tree_directory(&bed->tree, "sys/class/net/p0");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", hidden);
	tree_directory(&bed->tree, "sys/class/net/bond0/bonding");
	tree_link(&bed->tree, "sys/class/net/p0/master", "../bond0");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "ok " FIRST ": another function of the adapter has the RDMA device for "
			 "both | mlx5_1 on 0000:01:00.1 < /sys/class/infiniband\n");
	bed->facts.inventory.devices.count = 0;
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", hidden);
	bed->facts.inventory.devices.count = 1;
}

/* The other function's device serves both in a bond, or if it has a port for each. */
static void shared_device(void **state)
{
	static const char both[] = "ok " FIRST ": another function of the adapter has the RDMA "
				   "device for both | mlx5_1 on 0000:01:00.1 < "
				   "/sys/class/infiniband\n",
			  none[] =
				  "note " FIRST
				  ": the driver offers no RDMA: it is switched off, or the adapter "
				  "has none | mlx5_core created devices, but none for RDMA < "
				  "/sys/bus/auxiliary/devices -> devlink dev param show pci/" FIRST
				  " (enable_rdma, enable_roce, enable_iwarp); also look at the "
				  "adapter's own settings\n";
	struct bed *bed = *state;
	struct device *device;

	put_function(bed, FIRST, "0x15b3", "0x101d", "mlx5_core");
	put_half(bed, FIRST, "mlx5_core.eth.0", true);
	device = add_device(bed, "mlx5_1", "0000:01:00.1");
	device_add_port(device, 1);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "not-checked " FIRST ": another function of the adapter has an RDMA "
			 "device; whether it is for this one, too, is not known | mlx5_1 on "
			 "0000:01:00.1 < /sys/class/infiniband\n");
	tree_directory(&bed->tree, "sys/devices/pci0000:00/" FIRST "/net/eth0");
	tree_directory(&bed->tree, "sys/class/net/eth0");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", none);
	/* A master that is not a bond. */
	tree_directory(&bed->tree, "sys/class/net/br0/bridge");
	tree_link(&bed->tree, "sys/class/net/eth0/master", "../br0");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", none);
	tree_directory(&bed->tree, "sys/class/net/br0/bonding");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", both);
	tree_delete(&bed->tree, "sys/class/net/eth0/master");
	device_add_port(device, 2);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", both);
	/* A virtual function, and an InfiniBand one, need their own device. */
	tree_link(&bed->tree, "sys/devices/pci0000:00/" FIRST "/physfn", "../0000:01:00.1");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", none);
	tree_delete(&bed->tree, "sys/devices/pci0000:00/" FIRST "/physfn");
	tree_write(&bed->tree, "sys/devices/pci0000:00/" FIRST "/class", "0x020700");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed, "%s", none);
}

/* If something cannot be read the half is unknown, even if the function has a device. */
static void unreadable(void **state)
{
	struct bed *bed = *state;

	put_function(bed, FIRST, "0x15b3", "0x1021", "mlx5_core");
	tree_link(&bed->tree, "sys/bus/auxiliary/devices", "!EIO");
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the auxiliary devices cannot be read | %s < "
		    "/sys/bus/auxiliary/devices\n"
		    "unread " FIRST ": the auxiliary devices < /sys/bus/auxiliary/devices: %s\n",
		    strerror(EIO), strerror(EIO));
	tree_delete(&bed->tree, "sys/bus/auxiliary/devices");
	put_half(bed, FIRST, "mlx5_core.rdma.0", false);
	tree_link(&bed->tree, "sys/devices/pci0000:00/" FIRST "/mlx5_core.rdma.0/driver", "!EIO");
	put_half(bed, FIRST, "mlx5_core.rdma.1", true);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the auxiliary devices cannot be read | %s < "
		    "/sys/bus/auxiliary/devices\n"
		    "unread " FIRST ": the auxiliary devices < /sys/bus/auxiliary/devices: %s\n",
		    strerror(EIO), strerror(EIO));
	add_device(bed, "mlx5_0", FIRST);
	run_on(bed, CHECK_ID_rdma_module, FIRST);
	assert_told(bed,
		    "not-checked " FIRST ": the auxiliary devices cannot be read | mlx5_0; %s < "
		    "/sys/class/infiniband, /sys/bus/auxiliary/devices\n"
		    "unread " FIRST ": the auxiliary devices < /sys/bus/auxiliary/devices: %s\n",
		    strerror(EIO), strerror(EIO));
}

/* Each source is read once, however many checks use it. */
static void once(void **state)
{
	struct bed *bed = *state;
	struct number abi;
	int rc;

	put_half(bed, FIRST, "mlx5_core.rdma.0", true);
	tree_write(&bed->tree, "etc/modprobe.d/a.conf", "blacklist a");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.12");
	tree_write(&bed->tree, "sys/module/ib_core/parameters/netns_mode", "Y");
	tree_write(&bed->tree, "sys/module/ib_core/taint", "O");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/abi_version", "6");
	tree_write(&bed->tree, "etc/libibverbs.d/a.driver", "driver a");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(doctor_auxiliary_devices(&bed->facts)->count, 1);
		assert_int_equal(doctor_module_rules(&bed->facts)->count, 1);
		assert_string_equal(doctor_module_files(&bed->facts)->release, "6.12");
		assert_int_equal(doctor_has_module(&bed->facts, "ib_core"), TRISTATE_YES);
		assert_int_equal(doctor_module_origin(&bed->facts, "ib_core"), MODULE_ORIGIN_OTHER);
		assert_int_equal(doctor_has_module(&bed->facts, "ib_none"), TRISTATE_NO);
		assert_int_equal(doctor_namespaces_are_shared(&bed->facts, &rc), TRISTATE_YES);
		assert_int_equal(rc, 0);
		assert_int_equal(doctor_core_abi(&bed->facts, &abi), 0);
		assert_int_equal(abi.value, 6);
		assert_int_equal(doctor_providers(&bed->facts)->names.count, 1);
		tree_delete(&bed->tree, "sys");
		tree_delete(&bed->tree, "etc");
		tree_delete(&bed->tree, "proc");
	}
	assert_int_equal(bed->problems.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(hardware),
		TEST(hardware_elsewhere),
		TEST(fell_off),
		TEST(settings),
		TEST(blocked),
		TEST(absent),
		TEST(signatures),
		TEST(signature_steps),
		TEST(mixed),
		TEST(replaced_module),
		TEST(drivers),
		TEST(halves),
		TEST(no_halves),
		TEST(shared_device),
		TEST(shared_representors),
		TEST(unreadable),
		TEST(once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
