#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdmactl mesh --fabric in rehearsal: to which switch each host is attached, and what bad pairs
# share.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	local i

	failures=0
	count=8
	dir=$BATS_TEST_TMPDIR
	net=$top/tests/fixtures/subnets/two-leaves.txt
	mkdir "$dir/run"
	printf '%s\n' 'hosts n[1-8]' 'all rails 1 gbps 190 latency 1.8 noise 2' >"$dir/good"
	cp "$dir/good" "$dir/leaf"
	for i in 5 6 7 8; do
		echo "host n$i gbps 90" >>"$dir/leaf"
	done
}

# mesh REHEARSAL OPTION...: the eight hosts of the two leaves.
mesh()
{
	local rehearsal=$1

	shift
	try mesh run --hosts "$count" --address 127.0.0.1 --wait 60s --seed 1 --rehearse "$dir/$rehearsal" "$@" \
		-- "$BATS_TEST_DIRNAME/mesh_launcher" "$dir/run" "$count"
}

@test "mesh --fabric: hosts at one switch that are slow with everybody: the switch is named" {
	mesh leaf --fabric "$net" --stages loopback,by-switch,cross-switch,full --json
	[ "$status" = 4 ]
	[ "$(jq -r '.mesh[] | select(.severity == "error") | .finding + " " + .object' <<<"$output")" = 'switch leaf B' ]
	[ "$(jq -r .problems <<<"$output")" = '[]' ]
}

@test "mesh --fabric: everything between two switches is slow: the distance is named" {
	local a b

	for a in 1 2 3 4; do
		for b in 5 6 7 8; do
			echo "pair n$a n$b gbps 90"
		done
	done | cat "$dir/good" - >"$dir/up"
	mesh up --fabric "$net" --stages loopback,by-switch:3,cross-switch:4 --json
	[ "$status" = 4 ]
	[ "$(jq -r '.mesh[] | select(.finding == "distance") | .severity + " " + .object' <<<"$output")" = 'warning rail 0, 3 switches apart' ]
	[[ $(jq -r '.mesh[] | select(.finding == "distance").evidence' <<<"$output") == *'4'[78]' % of the '*' Gb/s of those that have 1 switch between them' ]]
	[[ $(jq -r '.mesh[] | select(.finding == "distance").evidence' <<<"$output") == 'the median of '* ]]
	# Most pairs are far slower, so the upper quartile is used as the normal value.
	sed '/^pair/{/n[12] /s/90/100/; /n[34] /s/90/20/; /n1 n[5678]/s/100/20/}' "$dir/up" >"$dir/most"
	mesh most --fabric "$net" --stages loopback,by-switch:3,cross-switch:4 --json
	[[ $(jq -r '.mesh[] | select(.finding == "distance").evidence' <<<"$output") == 'the upper quartile of '* ]]
	mesh good --fabric "$net" --stages loopback,by-switch:3,cross-switch:4 --json
	[ "$status" = 0 ]
	[ "$(jq -r '[.mesh[] | select(.severity != "info")] | length' <<<"$output")" = 0 ]
}

@test "mesh --fabric: with forwarding tables in the scan, the cable between switches is named" {
	local routes=$top/tests/fixtures/subnets/two-spines.json a b

	# The pairs whose packets cross leaf A/5: to n4, n6 and n8, and from there back to n1 and n3.
	sed -i 's/n\[1-8\]/n[1-9]/' "$dir/good"
	cp "$dir/good" "$dir/cable"
	for a in 1 2 3; do
		for b in 4 6 8; do
			echo "pair n$a n$b send_gbps 90"
		done
	done >>"$dir/cable"
	for a in 4 5 6 7 8 9; do
		for b in 1 3; do
			echo "pair n$a n$b send_gbps 90"
		done
	done >>"$dir/cable"
	count=9
	mesh cable --fabric "$routes" --stages loopback,full --json
	[ "$status" = 4 ]
	[ "$(jq -r '.mesh[] | select(.severity == "error") | .finding + " " + .object' <<<"$output")" = 'cable leaf A/5 to spine 1/1' ]
	mesh good --fabric "$routes" --stages loopback,full --json
	[ "$status" = 0 ]
	# The same figures with a scan that has no tables name no cable.
	jq 'del(.fabric[0].details)' "$routes" >"$dir/no-routes"
	mesh cable --fabric "$dir/no-routes" --stages loopback,full --json
	[ "$status" = 4 ]
	[ "$(jq -r '.mesh[] | select(.finding == "cable")' <<<"$output")" = '' ]
}

@test "mesh --fabric: neighbours are at the same switch, others are not" {
	local pair at=([1]=A [2]=A [3]=A [4]=A [5]=B [6]=B [7]=B [8]=B)

	mesh good --fabric "$net" --stages by-switch --jsonl
	[ "$status" = 0 ]
	[ "$(grep -c '"pass"' <<<"$output")" -ge 4 ]
	for pair in $(jq -r '"\(.host)-\(.peer)"' <<<"$output" | tr -d n); do
		[ "${at[${pair%-*}]}" = "${at[${pair#*-}]}" ] || wrong "by-switch: $pair"
	done
	mesh good --fabric "$net" --stages cross-switch --jsonl
	[ "$status" = 0 ]
	[ "$(grep -c '"pass"' <<<"$output")" -ge 4 ]
	for pair in $(jq -r '"\(.host)-\(.peer)"' <<<"$output" | tr -d n); do
		[ "${at[${pair%-*}]}" != "${at[${pair#*-}]}" ] || wrong "cross-switch: $pair"
	done
	nothing_wrong
}

@test "mesh --fabric: a scan that knows none of the hosts, no scan, and options that need one" {
	sed 's/"n\([1-8]\) mlx5_0"/"m\1 mlx5_0"/' "$net" >"$dir/other"
	mesh good --fabric "$dir/other" --stages loopback
	[ "$status" = 3 ]
	[[ $stderr == *'no rail of these hosts is at a switch of that scan'* ]]
	mesh good --fabric "$dir/nothing" --stages loopback
	expect 1 '' "rdmactl mesh: cannot read $dir/nothing: No such file or directory
  rdmactl fabric scan --routes --save FILE writes one"
	echo 'no topology' >"$dir/text"
	mesh good --fabric "$dir/text" --stages loopback
	expect 1 '' "rdmactl mesh: cannot use $dir/text: it is not a scan from rdmactl fabric --save or ibnetdiscover
  rdmactl fabric scan --routes --save FILE writes one"
	mesh good --stages by-switch,cross-switch
	[ "$status" = 3 ]
	[ "$stderr" = $'rdmactl mesh: by-switch needs to know which host is at which switch, from --fabric\nrdmactl mesh: cross-switch needs to know which host is at which switch, from --fabric\n' ]
}
