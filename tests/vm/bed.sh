# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=dash
# shellcheck disable=SC2119,SC2120 # an optional argument
#
# Shell functions that set up networks and software RDMA devices. To be sourced in the guest of
# tests/vm/guest, by bash or a POSIX shell: . "$RDMACTL_VM_DIR/bed.sh". Each may be called again
# without harm and returns 0, or prints what failed and returns nonzero. Starting a program takes
# tens of milliseconds under emulation, hence the batches. Hardware addresses are fixed, so GUIDs
# and GIDs are the same in each run.

bed_fail()
{
	echo "bed.sh: $*" >&2
	return 1
}

# Sets the defaults for later netdevs. One host talks to itself over a wire, so it accepts packets
# from its own addresses, and answers ARP only on the netdev that has the address. IPv6 addresses
# are usable at once and stay while the link is down.
bed_init()
{
	for bed_scope in all default; do
		echo 1 >/proc/sys/net/ipv4/conf/$bed_scope/accept_local
		echo 0 >/proc/sys/net/ipv4/conf/$bed_scope/rp_filter
		echo 1 >/proc/sys/net/ipv4/conf/$bed_scope/arp_ignore
		echo 0 >/proc/sys/net/ipv6/conf/$bed_scope/accept_dad
		echo 1 >/proc/sys/net/ipv6/conf/$bed_scope/keep_addr_on_down
		echo 0 >/proc/sys/net/ipv6/conf/$bed_scope/router_solicitations
	done
}

# bed_address NET4 NET6 DEV1 DEV2: prints lines for ip -batch that give DEV1 the addresses NET4.1
# and NET6::1, and DEV2 those with 2.
bed_address()
{
	cat <<-END
	addr replace $1.1/24 dev $3
	addr replace $1.2/24 dev $4
	addr replace $2::1/64 dev $3
	addr replace $2::2/64 dev $4
	END
}

# bed_route NET4 NET6 DEV1 DEV2: prints the lines that send packets between the two over the wire.
# The kernel drops routes when a link goes down: bed_rewire adds them again.
bed_route()
{
	cat <<-END
	route replace $1.2/32 dev $3 src $1.1 table 100
	route replace $1.1/32 dev $4 src $1.2 table 100
	route replace $2::2/128 dev $3 src $2::1 table 100
	route replace $2::1/128 dev $4 src $2::2 table 100
	END
}

# bed_rule DEV...: packets that arrive on DEV are for this host, packets that leave use table 100.
# Rules stay when their netdev goes, so the rules that exist are recorded.
bed_rule()
{
	bed_new=
	for bed_device; do
		grep -qsx "$bed_device" /run/bed.rules || bed_new="$bed_new $bed_device"
	done
	[ "$bed_new" ] || return 0
	for bed_family in -4 -6; do
		{
			# shellcheck disable=SC2086 # a list of names
			printf 'rule add pref 10 iif %s lookup local\n' $bed_new
			if [ ! -e /run/bed.rules ]; then
				echo rule add pref 12 lookup 100
				echo rule add pref 200 lookup local
				echo rule del pref 0
			fi
		} | ip $bed_family -batch - || return
	done
	# shellcheck disable=SC2086
	printf '%s\n' $bed_new >>/run/bed.rules
}

# The same for the wire, and for the addresses formed from hardware addresses, and so for GID 0.
bed_wire_route()
{
	bed_route 10.9.0 fd09 va vb
	echo route replace fe80::ff:fe00:902/128 dev va src fe80::ff:fe00:901 table 100
	echo route replace fe80::ff:fe00:901/128 dev vb src fe80::ff:fe00:902 table 100
}

# bed_rewire: adds the routes of the wire, and of the VLAN if there is one, again.
bed_rewire()
{
	{
		bed_wire_route
		[ ! -e /sys/class/net/va.5 ] || bed_route 10.9.5 fd09:5 va.5 vb.5
	} | ip -batch - || bed_fail "cannot lay the routes"
}

# bed_wire [MTU]: the netdevs va (10.9.0.1, fd09::1) and vb (10.9.0.2, fd09::2), joined by a wire,
# with the RDMA devices rxa and rxb.
bed_wire()
{
	[ ! -e /sys/class/infiniband/rxb ] || return 0
	if [ -e /sys/class/net/va ]; then
		bed_rewire && bed_wire_devices
		return
	fi
	bed_init
	{
		cat <<-END
		link add va address 02:00:00:00:09:01 type veth peer vb address 02:00:00:00:09:02
		link set va mtu ${1:-1500} up
		link set vb mtu ${1:-1500} up
		END
		bed_address 10.9.0 fd09 va vb
		bed_wire_route
	} | ip -batch - || bed_fail "cannot lay the wire" || return
	bed_rule va vb || return
	bed_wire_devices
}

bed_wire_devices()
{
	printf 'link add %s type rxe netdev %s\n' rxa va rxb vb | rdma -b -
}

# bed_vlan: VLAN 5 on that wire, va.5 (10.9.5.1, fd09:5::1) and vb.5 (10.9.5.2, fd09:5::2).
bed_vlan()
{
	[ ! -e /sys/class/net/vb.5 ] || return 0
	bed_wire || return
	{
		cat <<-END
		link add link va name va.5 type vlan id 5
		link add link vb name vb.5 type vlan id 5
		link set va.5 up
		link set vb.5 up
		END
		bed_address 10.9.5 fd09:5 va.5 vb.5
		bed_route 10.9.5 fd09:5 va.5 vb.5
	} | ip -batch - || bed_fail "cannot lay the VLAN" || return
	bed_rule va.5 vb.5
}

# bed_bond: bond0 (10.9.7.1, fd09:7::1; active-backup) with the dummy netdevs ba0 (active) and ba1,
# and an RDMA device on each: rxbond, rxba0, rxba1. The GIDs of all three name bond0. rxba0 has the
# bond's addresses, rxba1 has only GID 0; bed_failover swaps them.
bed_bond()
{
	[ ! -e /sys/class/infiniband/rxbond ] || return 0
	bed_init
	ip -batch - <<-END || bed_fail "cannot make the bond" || return
	link add ba0 address 02:00:00:00:07:01 type dummy
	link add ba1 address 02:00:00:00:07:02 type dummy
	link add bond0 address 02:00:00:00:07:00 type bond mode active-backup miimon 100
	link set ba0 master bond0
	link set ba1 master bond0
	link set bond0 up
	link set bond0 type bond active_slave ba0
	addr add 10.9.7.1/24 dev bond0
	addr add fd09:7::1/64 dev bond0
	END
	bed_up bond0
	printf 'link add %s type rxe netdev %s\n' rxba0 ba0 rxba1 ba1 rxbond bond0 | rdma -b -
}

# bed_up NETDEV: waits until it is up. The kernel reports carriers at most once a second.
bed_up()
{
	bed_tries=1200
	while ! read -r bed_state <"/sys/class/net/$1/operstate" || [ "$bed_state" != up ]; do
		bed_tries=$((bed_tries - 1))
		[ "$bed_tries" -gt 0 ] || { bed_fail "$1 does not come up"; return; }
		sleep 0.05
	done
}

# bed_failover DEV: makes ba0 or ba1 the active one.
bed_failover()
{
	ip link set bond0 type bond active_slave "$1" || bed_fail "cannot make $1 the active one"
}

# bed_siw [FILE]: the iWARP devices swa and swb on the wire. FILE is siw.ko; without it modprobe
# finds the module if tests/vm/module has built it.
bed_siw()
{
	[ ! -e /sys/class/infiniband/swb ] || return 0
	bed_wire || return
	if [ ! -e /sys/module/siw ]; then
		if [ -n "${1-}" ]; then
			modprobe libcrc32c && insmod "$1"
		else
			modprobe siw
		fi || bed_fail "cannot load siw" || return
	fi
	printf 'link add %s type siw netdev %s\n' swa va swb vb | rdma -b -
}

# bed_many N: the RDMA devices rxe0 to rxe(N-1) on the dummy netdevs d0 to d(N-1), which have one
# IPv4 address each.
bed_many()
{
	bed_init
	bed_each "$1" bed_many_netdev | ip -batch - || bed_fail "cannot make $1 netdevs" || return
	bed_each "$1" bed_many_rxe | rdma -b -
}

bed_many_netdev()
{
	[ ! -e "/sys/class/net/d$1" ] || return 0
	printf 'link add d%d address 02:00:00:01:%02x:%02x type dummy\n' \
		"$1" $(($1 / 256)) $(($1 % 256))
	echo "link set d$1 up"
	echo "addr add 10.$((64 + $1 / 256)).$(($1 % 256)).1/24 dev d$1"
}

bed_many_rxe()
{
	echo "link add rxe$1 type rxe netdev d$1"
}

# bed_each N FUNCTION: calls it for each number below N that has no rxe device yet.
bed_each()
{
	bed_number=0
	while [ "$bed_number" -lt "$1" ]; do
		[ -e "/sys/class/infiniband/rxe$bed_number" ] || "$2" "$bed_number"
		bed_number=$((bed_number + 1))
	done
}

# bed_gids DEV [SLOTS]: "INDEX GID TYPE NETDEV" of the GIDs in the first slots (default 16) of port
# 1.
bed_gids()
{
	bed_port=/sys/class/infiniband/$1/ports/1
	bed_slot=0
	while [ "$bed_slot" -lt "${2:-16}" ] && read -r bed_gid <"$bed_port/gids/$bed_slot"; do
		if [ "$bed_gid" != 0000:0000:0000:0000:0000:0000:0000:0000 ]; then
			read -r bed_type <"$bed_port/gid_attrs/types/$bed_slot"
			read -r bed_netdev <"$bed_port/gid_attrs/ndevs/$bed_slot"
			echo "$bed_slot $bed_gid ${bed_type:--} ${bed_netdev:--}"
		fi
		bed_slot=$((bed_slot + 1))
	done
}

# bed_second_wire: the netdevs vc (10.9.2.1) and vd (10.9.2.2) with the RDMA devices rxc and rxd:
# the second rail of the two hosts that bed_wire makes.
bed_second_wire()
{
	[ ! -e /sys/class/infiniband/rxd ] || return 0
	bed_wire || return
	{
		cat <<-END
		link add vc address 02:00:00:00:09:03 type veth peer vd address 02:00:00:00:09:04
		link set vc up
		link set vd up
		END
		bed_address 10.9.2 fd09:2 vc vd
		bed_route 10.9.2 fd09:2 vc vd
	} | ip -batch - || bed_fail "cannot lay the second wire" || return
	bed_rule vc vd || return
	printf 'link add %s type rxe netdev %s\n' rxc vc rxd vd | rdma -b -
}
