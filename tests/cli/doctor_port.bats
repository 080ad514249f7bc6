#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

rdma=sys/class/infiniband
net=sys/class/net

# copy FIXTURE: $tree is a copy of it that the test may change.
copy()
{
	tree=$BATS_TEST_TMPDIR/tree
	rm -rf "$tree"
	cp -a "$roots/$1" "$tree"
}

# put PATH TEXT: a file of the tree.
put()
{
	[ -d "$(dirname "$tree/$1")" ] && rm -f "$tree/$1" && printf '%s\n' "$2" >"$tree/$1"
}

# break PATH ERRNO: a file of the tree that cannot be read.
break_file()
{
	rm -f "$tree/$1" && ln -s "!$2" "$tree/$1"
}

# check STATUS ID VERDICTS [OPTION...]: one line for each verdict, OBJECT VERDICT SUMMARY; if none of
# them is ok, of those that are not.
check()
{
	local got wanted=$3 which='select(.verdict != "ok")'

	[[ $wanted = *' ok '* ]] && which=.
	quickly try doctor --root "$tree" --only "$2" --json "${@:4}"
	got=$(jq -r ".doctor[] | $which | \"\(.object) \(.verdict) \(.summary)\"" <<<"$output")
	[ "$got" = "$wanted" ] && [ "$status" = "$1" ] && return
	printf 'status %s, wanted %s\n' "$status" "$1"
	diff -u <(echo "$wanted") <(echo "$got")
	return 1
}

# says OBJECT MEMBER TEXT: the member of the verdict on the object, in the last run.
says()
{
	same "$2 of $1" "$3" "$(jq -r ".doctor[] | select(.object == \"$1\").$2" <<<"$output")"
}

# down DEVICE NETDEV: a port without a link.
down()
{
	put "$rdma/$1/ports/1/state" '1: DOWN'
	put "$rdma/$1/ports/1/phys_state" "${3-3: Disabled}"
	put "$net/$2/operstate" down
}

@test "port-state: active, and no subnet manager" {
	copy cx5-ib-edr
	check 0 port-state $'mlx5_0/1 ok the port is active\nmlx5_1/1 ok the port is active'
	says mlx5_0/1 evidence 'state active, physical state link-up'
	put $rdma/mlx5_0/ports/1/state '2: INIT'
	put $rdma/mlx5_1/ports/1/state '2: INIT'
	quickly try doctor --root "$tree" --only port-state
	expect 4 "error    2 of 2 ports: the link is up, but no subnet manager has configured the port [port-state]
         state init, physical state link-up
         -> start a subnet manager, or connect the port to a subnet that has one: rdmactl smp sminfo shows whether one answers
1 checked: 1 error (profile hpc; -a lists all)" ''
	put $rdma/mlx5_0/ports/1/phys_state '4: PortConfigurationTraining'
	put $rdma/mlx5_1/ports/1/state '3: ARMED'
	check 4 port-state "mlx5_0/1 error the port is initialized, but not active
mlx5_1/1 error the subnet manager has configured the port, but not activated it"
	put $rdma/mlx5_0/ports/1/state '5: ACTIVE_DEFER'
	put $rdma/mlx5_1/ports/1/state '0: NOP'
	check 4 port-state "mlx5_0/1 error the link of the active port is lost, and trains again
mlx5_1/1 not-checked the driver does not tell the state of the port"
}

@test "port-state: it cannot be read" {
	copy cx5-ib-edr
	break_file $rdma/mlx5_0/ports/1/state EIO
	break_file $rdma/mlx5_1/ports/1/phys_state EACCES
	check 3 port-state "mlx5_0/1 not-checked the state of the port is not known
mlx5_1/1 not-checked the state of the port is not known"
	[ "$(jq -r '.problems[] | "\(.object) \(.attribute) \(.error)"' <<<"$output")" = \
		"mlx5_0/1 state Input/output error
mlx5_1/1 physical_state Permission denied" ]
	copy efa
	check 0 port-state "efa_1/1 not-checked the driver calls every port active, whatever its link does
rdmap0s31/1 not-checked the driver calls every port active, whatever its link does"
}

@test "port-state: a port that is down is a fault only if something wants it" {
	local cable='check the cable and the switch port: ethtool'

	copy cx6dx-roce
	check 0 port-state "mlx5_0/1 ok the port is active
mlx5_1/1 note the port is down, and nothing shows that it should be up
mlx5_2/1 ok the port is active"
	says mlx5_1/1 evidence 'state down, physical state disabled; netdev ens1f1np1 has no carrier'
	says mlx5_1/1 next_step "$cable ens1f1np1 tells more"
	put $net/ens1f1np1/flags 0x1002
	put $net/ens1f1np1/carrier_changes 6
	check 0 port-state 'mlx5_1/1 note the port is down, and nothing shows that it should be up'
	says mlx5_1/1 evidence 'state down, physical state disabled; netdev ens1f1np1 is administratively down; it was up before (6 carrier changes)'
	says mlx5_1/1 next_step 'switch it on: ip link set ens1f1np1 up'
	# A port that is down has no rate to judge.
	check 0 port-state,port-rate 'mlx5_1/1 note the port is down, and nothing shows that it should be up
mlx5_1/1 not-checked not checked because of port-state'

	# A member of a bond whose GIDs are its own.
	copy cx7-ib-ndr
	for slot in "$tree/$rdma"/mlx5_bond_0/ports/1/gid_attrs/ndevs/*; do
		[ -L "$slot" ] || echo ens6f0np0 >"$slot"
	done
	down mlx5_bond_0 ens6f0np0
	down mlx5_5 ibp171s0
	check 4 port-state 'mlx5_5/1 warning the port is down, and most others like it are up
mlx5_bond_0/1 error the port is down, and this host is set up to use it'
	says mlx5_bond_0/1 evidence 'state down, physical state disabled; netdev ens6f0np0 has no carrier; it was up before (2 carrier changes); ens6f0np0 is a member of bond0'
}

@test "port-state: a port that is down while others like it are up" {
	local down='the port is down, and'

	copy cx7-ib-ndr
	check 4 port-state "mlx5_5/1 warning $down most others like it are up"
	says mlx5_5/1 evidence 'state down, physical state polling; 7 of 7 other ports of the board MT_0000000838 in this position are active'
	says mlx5_5/1 next_step 'nothing answers on the link: check the cable, and that the port at its other end is switched on'
	# It had a carrier, and lost it.
	put $net/ibp171s0/carrier_changes 2
	put $rdma/mlx5_5/ports/1/phys_state '3: Disabled'
	check 4 port-state 'mlx5_5/1 error the port went down, and others like it are up'
	says mlx5_5/1 evidence 'state down, physical state disabled; it was up before (2 carrier changes); 7 of 7 other ports of the board MT_0000000838 in this position are active'
	says mlx5_5/1 next_step "the port is disabled: enable it from the subnet (as ibportstate does), or in the adapter's settings"
	put $net/ibp171s0/carrier_changes 1
	put $rdma/mlx5_5/ports/1/phys_state '4: PortConfigurationTraining'
	check 4 port-state "mlx5_5/1 warning $down most others like it are up"
	says mlx5_5/1 next_step 'the link trains without success: try another cable, and another port at the other end'
	# Two of eight, then three: too many for an accident.
	down mlx5_4 ibp154s0 '2: Polling'
	check 4 port-state "mlx5_4/1 warning $down most others like it are up
mlx5_5/1 warning $down most others like it are up"
	down mlx5_3 ibp79s0 '2: Polling'
	check 0 port-state "mlx5_3/1 note $down nothing shows that it should be up
mlx5_4/1 note $down nothing shows that it should be up
mlx5_5/1 note $down nothing shows that it should be up"

	# Another board, or the second function of a card, has no peers.
	copy cx7-ib-ndr
	put $rdma/mlx5_5/board_id MT_0000000999
	check 0 port-state "mlx5_5/1 note $down nothing shows that it should be up"
	# Without a name of the board, the PCI IDs tell.
	for device in "$tree/$rdma"/mlx5_?; do rm -f "$device/board_id"; done
	check 4 port-state "mlx5_5/1 warning $down most others like it are up"
	says mlx5_5/1 evidence 'state down, physical state polling; 7 of 7 other ports of this model in this position are active'
	put $rdma/mlx5_5/device/subsystem_device 0x0001
	check 0 port-state "mlx5_5/1 note $down nothing shows that it should be up"
}

@test "port-rate: slower than others like it" {
	copy cx7-ib-ndr
	check 4 port-rate 'mlx5_5/1 warning the link runs at the lowest speed there is
mlx5_6/1 warning the port is slower than others like it'
	says mlx5_6/1 evidence '200 Gb/s (2X NDR); mlx5_0/1 and more ports of the board MT_0000000838 in this position: 400 Gb/s (4X NDR)'
	put $rdma/mlx5_5/ports/1/rate '400 Gb/sec (4X NDR)'
	put $rdma/mlx5_6/ports/1/rate '400 Gb/sec (4X NDR)'
	check 0 port-rate ''
	put $rdma/mlx5_6/ports/1/rate '100 Gb/sec (1X NDR)'
	check 4 port-rate 'mlx5_6/1 warning the link runs with some of its lanes only'
	# Adapters of two lanes are a product: nothing is wrong if all are alike.
	for device in "$tree/$rdma"/mlx5_?; do
		echo '200 Gb/sec (2X NDR)' >"$device/ports/1/rate"
	done
	check 0 port-rate ''
	put $rdma/mlx5_6/ports/1/rate '50 Gb/sec (2X EDR)'
	check 4 port-rate 'mlx5_6/1 warning the link runs with some of its lanes only'
	break_file $rdma/mlx5_6/ports/1/rate EINVAL
	check 3 port-rate 'mlx5_6/1 not-checked the rate of the port is not known'
}

@test "port-rate: an Ethernet port has the speed of its netdev" {
	local text="mlx5_1/1 warning the port is slower than others like it"

	# Two cards of the same board, each with one port.
	copy bad-rate
	for n in 0 1 2; do put $rdma/mlx5_$n/ports/1/link_layer Ethernet; done
	put $rdma/mlx5_1/ports/1/phys_state '5: LinkUp'
	put $rdma/mlx5_1/ports/1/rate '200 Gb/sec (4X HDR)'
	check 0 port-rate 'mlx5_0/1 ok the port is as fast as others like it
mlx5_1/1 ok the port is as fast as others like it
mlx5_2/1 ok the port is as fast as others like it'
	put $rdma/mlx5_1/ports/1/rate '100 Gb/sec (4X EDR)'
	check 4 port-rate "$text"
	says mlx5_1/1 evidence '100 Gb/s; mlx5_0/1 and more ports of the board MT_0000000223 in this position: 200 Gb/s'
	# The driver's rate is rough; the netdev knows better.
	copy cx7-ib-ndr
	for n in 0:24 1:41 2:64; do
		put $rdma/mlx5_${n%:*}/ports/1/link_layer Ethernet
		mkdir -p "$tree/$rdma/mlx5_${n%:*}/ports/1/gid_attrs/ndevs"
		put $rdma/mlx5_${n%:*}/ports/1/gid_attrs/ndevs/0 ibp${n#*:}s0
	done
	check 0 port-rate '' --skip port-state mlx5_0 mlx5_1 mlx5_2
	put $net/ibp41s0/speed 200000
	check 4 port-rate "$text" mlx5_0 mlx5_1 mlx5_2
	says mlx5_1/1 evidence '200 Gb/s; mlx5_0/1 and more ports of the board MT_0000000838 in this position: 400 Gb/s'
	break_file $net/ibp41s0/speed EINVAL
	check 0 port-rate '' mlx5_0 mlx5_1 mlx5_2
}
