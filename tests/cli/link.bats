#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Software devices on a host without RDMA: arguments, names, and errors that precede any attempt.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "link: a host without RDMA" {
	try link
	expect 5 '' "rdmactl link: this system has no RDMA core: no /sys/class/infiniband
  $no_core_hint"
	try link --json
	[ "$status" = 5 ]
	jq -e '.schema == "rdmactl/links/1" and .links == []' <<<"$output"
	on rxe-host link
	[ "$status" = 2 ]
}

@test "link: wrong arguments" {
	local words usage='rdmactl link add --help lists the settings'

	for words in 'rxe0' 'rxe0 type rxe' 'rxe0 type rxe netdev'; do
		# shellcheck disable=SC2086
		try link add $words
		expect 2 '' "rdmactl link: too few words: it takes NAME type rxe|siw netdev IF
  rdmactl link add --help"
	done
	try link add rxe0 type rxe type siw
	expect 2 '' "rdmactl link: 'type' is given twice
  $usage"
	try link add rxe0 kind rxe netdev lo
	expect 2 '' "rdmactl link: unknown word 'kind'
  $usage"
	try link add rxe0 type rxf netdev lo
	expect 2 '' "rdmactl link: unknown type 'rxf'
  the types are rxe (RoCE) and siw (iWARP)"
	try link del
	[ "$status" = 2 ]
	try link remove rxe0
	[ "$status" = 2 ]
	on rxe-host link add rxe0 type rxe netdev lo
	[ "$status" = 2 ]
}

@test "link: names that sysfs cannot show" {
	local name long

	for name in a/b .. . a%b .a _a '' 'a b' $'a\nb' $'a\e[1m' ä; do
		try link add "$name" type rxe netdev lo --dry-run
		[ "$status" = 2 ]
		[[ $stderr = *"cannot be a name"* ]]
	done
	printf -v long %063d 0
	try link add "$long" type rxe netdev lo --dry-run
	[ "$status" = 0 ]
	try link add "${long}0" type rxe netdev lo --dry-run
	[ "$status" = 2 ]
	[[ $stderr = *'at most 63 characters'* ]]
}

@test "link: a name that no device can have is not deleted" {
	local name

	for name in '' a/b ../rxe0 "$(printf '%064d' 0)"; do
		try link del rxe0 "$name" --dry-run
		expect 2 '' "rdmactl link: '$name' cannot be the name of an RDMA device
  rdmactl link lists the software devices"
	done
	try link del "$(printf '%063d' 0)" 'a b' --dry-run
	[ "$status" = 0 ]
}

# A user who writes the file from the document gets the same file as from the other output.
@test "link: --json has the lines of the file that makes the change persistent" {
	local words=(link add soft type rxe netdev lo --dry-run)

	try "${words[@]}" --json
	[ "$(jq -j '.change[0].persist_text' <<<"$output" | head -n 2)" = '[Unit]
Description=RDMA device soft: rxe on lo' ]
	jq -r '.change[0].persist_text' <<<"$output" >"$BATS_TEST_TMPDIR/json"
	try "${words[@]}" --persist
	sed '1,/^to make it last, put this into/d' <<<"$output" | head -n "$(wc -l <"$BATS_TEST_TMPDIR/json")" |
		cmp - "$BATS_TEST_TMPDIR/json"
	# Each object of this format is one line.
	try "${words[@]}" --jsonl
	[ "$(wc -l <<<"${output%$'\n'}")" = 1 ]
}

@test "link: --dry-run needs no privilege and loads no module" {
	try link add soft type rxe netdev lo --dry-run --json
	[ "$status" = 0 ]
	jq -e '.changed == false and (.change | length) == 1' <<<"$output"
	jq -e '.change[0] | .object == "soft" and .setting == "link" and .before == "absent" and
		.wanted == "rxe on lo" and .state == "planned" and .undo == "rdmactl link del soft"' <<<"$output"
	[ ! -e /sys/class/infiniband ]
	try link add soft type rxe netdev no-such-one --dry-run --json
	[ "$status" = 1 ]
	jq -e '.change[0] | .state == "refused" and .reason == "no netdev '\''no-such-one'\''"' <<<"$output"
}

@test "link: deleting an absent device changes nothing" {
	try link del soft rxe7 --json
	[ "$status" = 0 ]
	jq -e '.changed == false and ([.change[].state] == ["unchanged", "unchanged"])' <<<"$output"
	jq -e '[.change[].notes[]] == ["there is no software device soft, so nothing is deleted",
		"there is no software device rxe7, so nothing is deleted"]' <<<"$output"
}

@test "link: --persist prints a unit that waits for its netdev" {
	try link add soft type rxe netdev lo --dry-run --persist
	[ "$status" = 0 ]
	[[ $output = *'put this into /etc/systemd/system/rdma-link-soft.service:'* ]]
	[[ $output = *$'\nBindsTo=sys-subsystem-net-devices-lo.device\n'* ]]
	[[ $output = *$'\nExecStart=/usr/bin/env rdmactl link add soft type rxe netdev lo\n'* ]]
	[[ $output = *$'\nWantedBy=rdma-hw.target sys-subsystem-net-devices-lo.device\n'* ]]
}

@test "link: completion" {
	try __complete link ''
	[[ $output = *add* && $output = *del* ]]
	try __complete link add rxe0 type ''
	[[ $output = *rxe* && $output = *siw* ]]
}
