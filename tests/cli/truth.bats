#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A second, independent reading of the fixtures: golden files are only as right as their reviewer,
# so this compares every plain fact of every port with the file that holds it.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup_file()
{
	cat >"$BATS_FILE_TMPDIR/truth" <<-'END'
		import json, os, re, subprocess, sys

		binary, roots, fixture = sys.argv[1:]
		root = os.path.join(roots, fixture)
		net = os.path.join(root, "sys/class/net")
		NO_GID = ":".join(["0000"] * 8)
		WORDS = {
		    "CA": "ca", "RNIC": "rnic", "usNIC": "usnic", "usNIC UDP": "usnic-udp", "unspecified": "unspecified",
		    "Ethernet": "ethernet", "InfiniBand": "infiniband", "Unspecified": "unspecified", "Unknown": "unspecified",
		    "ACTIVE": "active", "DOWN": "down", "INIT": "init",
		    "LinkUp": "link-up", "Polling": "polling", "Disabled": "disabled",
		    "Training": "training", "PortConfigurationTraining": "training",
		}
		wrong = facts = 0


		def listing(command, *options):
		    words = [binary, command, "--json", "--root", root, *options]
		    document = json.loads(subprocess.run(words, capture_output=True).stdout)
		    return document[command]


		def names(*path):
		    try:
		        return os.listdir(os.path.join(*path))
		    except OSError:
		        return None


		def read(*path):
		    try:
		        with open(os.path.join(*path), encoding="utf-8") as stream:
		            return stream.read().rstrip()
		    except OSError:
		        return None


		def word(text):
		    return WORDS[text.split(": ")[-1]] if text else None


		def number(text, base=10):
		    try:
		        return int(text, base)
		    except (TypeError, ValueError):
		        return None


		def positive(text):
		    value = number(text)
		    return None if value is None or value < 0 else value


		def check(where, record, **wanted):
		    global wrong, facts
		    for key, value in wanted.items():
		        facts += 1
		        if record[key] != value:
		            wrong += 1
		            print("%s %s: %s is %r, not %r" % (fixture, where, key, record[key], value))


		def check_pci(device, directory):
		    speed = re.compile(r"([0-9.]+) GT/s")
		    path = os.path.realpath(directory).split("/")
		    functions = [i for i, part in enumerate(path) if re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", part)]
		    pci = "/".join(path[: functions[-1] + 1]) if functions else "/nowhere"
		    address = path[functions[-1]] if functions else None
		    if not os.path.islink(directory) and names(directory, "device"):
		        # A copy made by following the links.
		        pci = os.path.join(directory, "device")
		        address = re.search(r"^PCI_SLOT_NAME=(.*)$", read(pci, "uevent"), re.M)[1]
		    speeds = [speed.match(read(pci, name) or "") for name in ("current_link_speed", "max_link_speed")]
		    irqs = names(pci, "msi_irqs")
		    check(
		        device["device"], device,
		        pci_address=address,
		        pci_vendor_id=read(pci, "vendor"), pci_device_id=read(pci, "device"),
		        numa_node=positive(read(pci, "numa_node")),
		        irq_count=None if irqs is None else len(irqs),
		        pcie_speed_gtps=float(speeds[0][1]) if speeds[0] else None,
		        pcie_max_speed_gtps=float(speeds[1][1]) if speeds[1] else None,
		    )


		def nodes_of(device, directory, kind, module):
		    """The character devices, in a copy that followed the links those below the device; None if
		    the tree does not tell."""
		    place = os.path.join(root, "sys/class", kind)
		    if not os.path.isdir(place):
		        place = os.path.join(directory, "device", kind)
		    if not os.path.isdir(place):
		        modules = os.path.join(root, "sys/module")
		        told = os.path.isdir(os.path.join(modules, "ib_core"))
		        return [] if told and not os.path.isdir(os.path.join(modules, module)) else None
		    return sorted(node for node in names(place) if read(place, node, "ibdev") == device["device"])


		def check_device(device):
		    directory = os.path.join(root, "sys/class/infiniband", device["device"])
		    uverbs = nodes_of(device, directory, "infiniband_verbs", "ib_uverbs")
		    mads = nodes_of(device, directory, "infiniband_mad", "ib_umad")
		    ports = sorted(int(port) for port in names(directory, "ports"))
		    check(
		        device["device"], device,
		        node_type=word(read(directory, "node_type")),
		        firmware=read(directory, "fw_ver") or None,
		        node_guid=read(directory, "node_guid"), system_image_guid=read(directory, "sys_image_guid"),
		        board_id=read(directory, "board_id") or None, hca_type=read(directory, "hca_type") or None,
		        hardware_revision=read(directory, "hw_rev") or None, node_description=read(directory, "node_desc") or None,
		        uverbs=(uverbs or [None])[0],
		        umads=None if mads is None else [node for node in mads if node.startswith("umad")],
		        issms=None if mads is None else [node for node in mads if node.startswith("issm")],
		        port_count=len(ports),
		        user_contexts=number(read(directory, "nctxts")),
		        free_user_contexts=number(read(directory, "nfreectxts")),
		    )
		    check(device["device"], {"ports": [port["port"] for port in device["ports"]]}, ports=ports)
		    check_pci(device, directory)


		def lanes(directory):
		    direct = [read(directory, "sl2vl", str(level)) for level in range(16)]
		    channels = [read(directory, "sl2sc", str(level)) for level in range(32)]
		    through = [read(directory, "sc2vl", channel) for channel in channels if channel]
		    return direct if direct[0] else through or None


		def check_port(port):
		    where = "%s/%d" % (port["device"], port["port"])
		    directory = os.path.join(root, "sys/class/infiniband", port["device"], "ports", str(port["port"]))
		    layer = word(read(directory, "link_layer"))
		    rate = re.fullmatch(r"([0-9.]+) Gb/sec \(([0-9]+)X ?(\w*)\)", read(directory, "rate") or "")
		    subnet = layer == "infiniband"
		    sizes = [names(directory, table) for table in ("gids", "pkeys")]
		    check(
		        where, port,
		        link_layer=layer, state=word(read(directory, "state")), physical_state=word(read(directory, "phys_state")),
		        rate_gbps=float(rate[1]) if rate else None, width_lanes=int(rate[2]) if rate else None,
		        speed=(rate[3] or "SDR") if rate else None,
		        lid=number(read(directory, "lid"), 16) if subnet else None,
		        lmc=number(read(directory, "lid_mask_count")) if subnet else None,
		        sm_lid=number(read(directory, "sm_lid"), 16) if subnet else None,
		        sm_sl=number(read(directory, "sm_sl")) if subnet else None,
		        cap_mask=read(directory, "cap_mask"),
		        driver_status=(read(directory, "linkcontrol/status_str") or "").split() or None,
		        sl_to_vl=lanes(directory),
		        gid_table_length=None if sizes[0] is None else len(sizes[0]),
		        # A port of iWARP or usNIC has no such directory.
		        pkey_table_length=len(sizes[1]) if sizes[1] is not None
		        else 0 if (read(directory, "../../node_type") or "")[:2] in ("4:", "5:", "6:") else None,
		    )
		    if port["netdev"]:
		        netdev = os.path.join(net, port["netdev"])
		        check(
		            where, port, netdev_operstate=read(netdev, "operstate"),
		            carrier_changes=number(read(netdev, "carrier_changes")), netdev_mtu_bytes=number(read(netdev, "mtu")),
		        )
		    return where, directory, subnet


		def slots(directory, table):
		    """The slots of a table that can be read."""
		    found = [(int(name), read(directory, table, name)) for name in names(directory, table) or []]
		    return sorted(slot for slot in found if slot[1] is not None)


		def check_tables(where, directory, subnet, gids, pkeys):
		    mine = lambda rows: [row for row in rows if "%s/%d" % (row["device"], row["port"]) == where]
		    used = [
		        slot for slot in slots(directory, "gids")
		        if slot[1] != NO_GID and not (subnet and slot[1].endswith("0000:0000:0000:0000"))
		    ]
		    check(where, {"gids": [(row["index"], row["gid"]) for row in mine(gids)]}, gids=used)
		    for row in mine(gids):
		        kind = read(directory, "gid_attrs/types", str(row["index"]))
		        if kind:
		            check(where, {"v2": row["type"] == "roce-v2"}, v2=kind == "RoCE v2")
		        if row["netdev"]:
		            check(where, row, netdev=read(directory, "gid_attrs/ndevs", str(row["index"])))
		    used = [
		        (index, key, "full" if int(key, 16) & 0x8000 else "limited")
		        for index, key in slots(directory, "pkeys") if int(key, 16) & 0x7FFF
		    ]
		    check(where, {"pkeys": [(row["index"], row["pkey"], row["membership"]) for row in mine(pkeys)]}, pkeys=used)


		def check_netdev(row):
		    if not row["netdev"]:
		        return
		    netdev = os.path.join(net, row["netdev"])
		    master = os.path.realpath(os.path.join(netdev, "master")) if os.path.exists(os.path.join(netdev, "master")) else None
		    check(
		        "%s/%d" % (row["device"], row["port"]), row, operstate=read(netdev, "operstate"),
		        address=read(netdev, "address"), mtu_bytes=number(read(netdev, "mtu")),
		        speed_mbps=positive(read(netdev, "speed")), master=master and os.path.basename(master),
		        members=sorted(
		            name for name in names(net) or []
		            if os.path.realpath(os.path.join(net, name, "master")) == os.path.realpath(netdev)
		        ),
		    )


		devices = listing("devices")
		check("", {"names": sorted(device["device"] for device in devices)}, names=sorted(names(root, "sys/class/infiniband")))
		gids, pkeys = listing("gids"), listing("pkeys")
		for device in devices:
		    check_device(device)
		for port in listing("ports"):
		    check_tables(*check_port(port), gids, pkeys)
		for row in listing("netdevs"):
		    check_netdev(row)
		if facts < 40:
		    print("%s: %d facts" % (fixture, facts))
		sys.exit(bool(wrong) or facts < 40)
	END
}

@test "truth: every plain fact equals the fixture's file" {
	local fixture

	for fixture in $(fixtures); do
		case $fixture in
		# Either there are no ports, or no plain facts.
		no-rdma | no-driver | empty-class | hostile) ;;
		*)
			quickly env /usr/bin/python3 "$BATS_FILE_TMPDIR/truth" "$binary" "$roots" "$fixture" || wrong "$fixture"
			;;
		esac
	done
	nothing_wrong
}

@test "truth: a fact that differs from the fixture is found" {
	# The same machine with one file changed.
	mkdir "$BATS_TEST_TMPDIR/roots"
	cp -a "$roots/cx5-ib-edr" "$BATS_TEST_TMPDIR/roots/"
	printf '#!/bin/sh\nexec "%s" "$@" | sed "s/0x8001/0x8002/; s/\\"lid\\": 17/\\"lid\\": 18/; s/16.35.3502/16.35.3503/"\n' "$binary" \
		>"$BATS_TEST_TMPDIR/liar"
	chmod +x "$BATS_TEST_TMPDIR/liar"
	status=0
	output=$(/usr/bin/python3 "$BATS_FILE_TMPDIR/truth" "$BATS_TEST_TMPDIR/liar" "$BATS_TEST_TMPDIR/roots" cx5-ib-edr) || status=$?
	[ "$status" = 1 ]
	grep -q 'firmware is' <<<"$output"
	grep -q 'lid is 18, not 17' <<<"$output"
	grep -q 'pkeys is' <<<"$output"
}
