/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/expect/expect_values.h"

#include <errno.h>
#include <math.h>

#include "doctor/limits/limits.h"

static void set_word(struct expect_value *value, const char *word)
{
	value->known = word;
	value->word = word;
}

static void set_number(struct expect_value *value, const struct number *number)
{
	value->known = number->known;
	value->number = (double)number->value;
}

static void set_real(struct expect_value *value, const struct real *real)
{
	value->known = real->known;
	value->number = real->value;
}

/* A link that is down reports its last rate, or none; without a netdev there is no MTU. */
static bool has_none(const struct device *device, const struct port *port, enum wanted_key key)
{
	const bool pcie = key == WANTED_PCIE_SPEED || key == WANTED_PCIE_WIDTH;

	if (!port)
		return (pcie && !device->pci_address) || (key == WANTED_DRIVER && device->software);
	if (key == WANTED_MTU && !port->netdev)
		return true;
	return key != WANTED_LINK_LAYER && port->state.known &&
	       port->state.value != PORT_STATE_ACTIVE;
}

/* Reads the PCIe link like the checks of PCI functions do. */
static void get_pcie(struct doctor_facts *facts, const struct device *device, enum wanted_key key,
		     struct expect_value *value)
{
	struct pci_function *function = doctor_function_of(facts, device);

	if (!function)
		return;
	pci_read(&facts->root, function, PCI_LINK, facts->problems);
	if (key == WANTED_PCIE_SPEED)
		set_real(value, &function->speed_gtps);
	else
		set_number(value, &function->width_lanes);
}

void expect_value_get(struct doctor_facts *facts, const struct device *device,
		      const struct port *port, enum wanted_key key, struct expect_value *ret_value)
{
	*ret_value = (struct expect_value){.none = has_none(device, port, key)};
	if (key == WANTED_FIRMWARE)
		set_word(ret_value, device->firmware);
	else if (key == WANTED_DRIVER)
		set_word(ret_value, device->driver);
	else if (key == WANTED_PCIE_SPEED || key == WANTED_PCIE_WIDTH)
		get_pcie(facts, device, key, ret_value);
	else if (port && key == WANTED_LINK_LAYER && port->link_layer.known)
		set_word(ret_value, enum_word(link_layer_names, port->link_layer.value, NULL));
	else if (port && key == WANTED_RATE)
		set_real(ret_value, &port->rate_gbps);
	else if (port && key == WANTED_MTU)
		set_number(ret_value, &port->netdev_mtu_bytes);
}

int expect_read_memlock(struct doctor_facts *facts, double *ret_bytes)
{
	struct limit soft = {{0}}, hard = {{0}};
	int rc = 0;
	const char *text = doctor_own_limits(facts, &rc);

	if (rc)
		return rc;
	procfs_parse_memlock(text, &soft, &hard);
	if (soft.unlimited == TRISTATE_UNKNOWN)
		return -EINVAL;
	*ret_bytes = soft.unlimited == TRISTATE_YES ? INFINITY : (double)soft.value.value;
	return 0;
}
