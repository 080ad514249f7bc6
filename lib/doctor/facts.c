/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/frame/facts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/adapter/adapters.h"
#include "doctor/frame/check.h"
#include "doctor/expect/expect.h"
#include "doctor/frame/growth.h"
#include "doctor/roce/roce.h"
#include "doctor/limits/limits.h"
#include "doctor/stack/stack.h"
#include "host/pci/rdma_drivers.h"
#include "doctor/port/port_facts.h"
#include "kernel/procfs.h"
#include "kernel/sysfs.h"
#include "topology/topology.h"

int doctor_root_open(struct doctor_facts *facts)
{
	_cleanup_(freep) char *message = NULL, *clean = NULL;
	int rc = root_open(facts->request->root, &facts->root);
	const char *hint;

	facts->environment = facts->request->root ? NULL : facts->request->environment;
	if (!rc)
		return 0;
	message = root_failure_text(facts->request->root, rc, &hint);
	clean = text_clean(message, strlen(message));
	problem_add_text(facts->problems, NULL, NULL, NULL, clean, hint);
	return rc;
}

const struct pci_list *doctor_pci(struct doctor_facts *facts)
{
	if (doctor_is_first(&facts->pci_was_read))
		facts->pci_rc = pci_list_read(&facts->root, &facts->pci, facts->problems);
	return &facts->pci;
}

int doctor_read_signed(const struct doctor_facts *facts, int64_t *ret_value, const char *format,
		       ...)
{
	_cleanup_(freep) char *path = NULL;
	char text[SYSFS_TEXT_SIZE], *end;
	va_list arguments;
	ssize_t length;
	long long value;

	va_start(arguments, format);
	path = mem_format_list(format, arguments);
	va_end(arguments);
	length = sysfs_read(&facts->root, text, "%s", path);
	if (length < 0)
		return (int)length;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

const char *doctor_environment(const struct doctor_facts *facts, const char *name)
{
	const size_t length = strlen(name);

	for (char *const *entry = facts->environment; entry && *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

bool doctor_has_accelerator(struct doctor_facts *facts)
{
	const struct pci_list *pci = doctor_pci(facts);

	for_each (function, pci)
		if (pci_kind(&facts->root, function, NULL) == PCI_KIND_ACCELERATOR)
			return true;
	return false;
}

/* The images of Apptainer and Singularity have this directory. */
bool doctor_in_apptainer(struct doctor_facts *facts)
{
	return doctor_in_container(facts) && sysfs_has_directory(&facts->root, ".singularity.d");
}

/*
 * Docker and Podman leave a file in the root directory, systemd-nspawn and LXC identify themselves
 * to process 1 and below /run, Kubernetes sets a variable (https://systemd.io/CONTAINER_INTERFACE).
 */
static bool looks_like_container(const struct doctor_facts *facts)
{
	static const char *const files[] = {".dockerenv", "run/.containerenv",
					    "run/systemd/container"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(closep) int fd = root_open_path(&facts->root, files[i], 0);

		if (fd >= 0)
			return true;
	}
	return sysfs_has_directory(&facts->root, ".singularity.d") ||
	       doctor_environment(facts, "KUBERNETES_SERVICE_HOST");
}

/*
 * Returns the device and the directory in it that a process sees as /, such as "254:0 /", the third
 * and fourth field of its mountinfo (proc(5)); NULL if unknown. The last mount covers the others.
 */
static char *root_of(const struct root *root, const char *process)
{
	_cleanup_(freep) char *text = NULL;
	char *rest, *line, *found = NULL;

	if (sysfs_read_file(root, &text, "proc/%s/mountinfo", process))
		return NULL;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		struct procfs_root_mount mount;

		if (!procfs_parse_root_mount(line, &mount))
			continue;
		free(found);
		found = mem_format("%.*s", mount.end - mount.device, line + mount.device);
	}
	return found;
}

/*
 * Whether this process is in the first PID namespace (PROC_PID_INIT_INO, include/linux/proc_ns.h)
 * and has the root directory of its process 1, which no container has. The files above also lie in
 * hosts that were installed from the image of a container, and the variable may come from a pod
 * whose shell entered the host.
 */
static bool is_beside_init(const struct root *root)
{
	_cleanup_(freep) char *namespace = NULL, *own = NULL, *first = NULL;

	if (sysfs_link(root, &namespace, "proc/self/ns/pid") ||
	    strcmp(namespace, "pid:[4026531836]") != 0)
		return false;
	own = root_of(root, "self");
	first = root_of(root, "1");
	return own && first && !strcmp(own, first);
}

bool doctor_in_container(struct doctor_facts *facts)
{
	if (facts->container == TRISTATE_UNKNOWN)
		facts->container = looks_like_container(facts) && !is_beside_init(&facts->root)
					   ? TRISTATE_YES
					   : TRISTATE_NO;
	return facts->container == TRISTATE_YES;
}

const char *doctor_hypervisor(struct doctor_facts *facts)
{
	const size_t count = facts->problems->count;

	if (doctor_is_first(&facts->hypervisor_was_read)) {
		facts->hypervisor = topology_hypervisor(&facts->root, facts->problems);
		facts->hypervisor_hidden = facts->problems->count > count;
	}
	return facts->hypervisor;
}

struct pci_function *doctor_function_of(struct doctor_facts *facts, const struct device *device)
{
	return device->pci_address ? pci_list_find(doctor_pci(facts), device->pci_address) : NULL;
}

const struct device *doctor_device_at(const struct doctor_facts *facts, const char *address)
{
	for_each (device, &facts->inventory.devices)
		if (device->pci_address && !strcmp(device->pci_address, address))
			return device;
	return NULL;
}

uint64_t doctor_transports(const struct device *device, const struct port *port)
{
	uint64_t transports = 0;

	if (!device->transport.known)
		return 0;
	if (port)
		return UINT64_C(1) << device_port_transport(device, port);
	for (size_t i = 0; i < device->port_count; i++)
		transports |= doctor_transports(device, &device->ports[i]);
	return device->port_count ? transports : UINT64_C(1) << device->transport.value;
}

bool doctor_is_selected(struct doctor_facts *facts, struct pci_function *function)
{
	if (doctor_device_at(facts, function->address))
		return true;
	if (facts->request->objects->count)
		return false;
	return rdma_driver_of(&facts->root, function, facts->problems);
}

bool doctor_has_rdma(struct doctor_facts *facts, struct pci_function *function)
{
	bool certain;

	return doctor_device_at(facts, function->address) ||
	       (doctor_rdma_driver(facts, function, &certain) && certain);
}

bool doctor_has_hardware(struct doctor_facts *facts)
{
	const struct pci_list *pci;

	if (facts->inventory.devices.count)
		return true;
	pci = doctor_pci(facts);
	for_each (function, pci)
		if (doctor_has_rdma(facts, function))
			return true;
	return false;
}

char *doctor_pci_source(const struct pci_function *function, const char *file)
{
	return mem_format("/" PCI_FUNCTION "/%s", function->address, file);
}

void doctor_facts_free(struct doctor_facts *facts)
{
	inventory_free(&facts->inventory);
	free(facts->hypervisor);
	free(facts->filters);
	pci_list_clear(&facts->pci);
	doctor_growth_free(facts->growth);
	doctor_ports_free(facts->ports);
	doctor_adapters_free(facts->adapters);
	doctor_expect_free(facts->expect);
	doctor_roce_free(facts->roce);
	doctor_limits_free(facts->limits);
	doctor_stack_free(facts->stack);
	root_close(&facts->root);
}
