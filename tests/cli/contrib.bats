#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The examples for monitoring systems, run as their readers run them.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$binary" "$BATS_TEST_TMPDIR/bin/rdmactl"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# The function of an NHC script calls die with a status and a reason if the check fails.
@test "contrib: the check of Node Health Check" {
	die()
	{
		died="$1 $2"
	}
	died=
	source "$top/contrib/nhc/rdmactl.nhc"
	RDMACTL_ROOT=$roots/cx5-ib-edr check_rdma --only port-state
	[ -z "$died" ]
	RDMACTL_ROOT=$roots/nowhere check_rdma && false
	[[ $died == '1 check_rdma:  '*nowhere*'No such file or directory'* ]]
	broken
	died=
	RDMACTL_ROOT=$root check_rdma --only port-state && false
	same 'reason' '1 check_rdma:  mlx5_1/1: the link is up, but no subnet manager has configured the port' "$died"
}

# A tree on which one InfiniBand port waits for a subnet manager, in root.
broken()
{
	root=$BATS_TEST_TMPDIR/broken
	cp -a "$roots/cx5-ib-edr" "$root"
	echo '2: INIT' >"$root/sys/class/infiniband/mlx5_1/ports/1/state"
}

# https://www.monitoring-plugins.org/doc/guidelines.html: status, one line, performance data
@test "contrib: the plugin of Nagios, read by one of its own programs" {
	local words negate

	words=$(sed -n 's/^[[:space:]]*command_line[[:space:]]*//p' "$top/contrib/nagios/rdmactl.cfg")
	words=${words#/usr/bin/}
	read -ra words <<<"${words/\$ARG1\$/--only port-state}"
	RDMACTL_ROOT=$roots/cx5-ib-edr run "${words[@]}"
	[ "$status" = 0 ]
	[[ $output =~ ^RDMA\ OK\ -\ [^|]+\ \|(\ [a-z_]+=[0-9]+)+$ ]]
	broken
	RDMACTL_ROOT=$root run "${words[@]}"
	[ "$status" = 2 ]
	[[ $output == 'RDMA CRITICAL - mlx5_1/1: the link is up, but no subnet manager has configured the port | '* ]]
	negate=$(echo /usr/lib*/nagios/plugins/negate)
	RDMACTL_ROOT=$root run "$negate" -s -c OK "$BATS_TEST_TMPDIR/bin/${words[0]}" "${words[@]:1}"
	[ "$status" = 0 ]
	[[ $output == 'RDMA OK - mlx5_1/1: '* ]]
	RDMACTL_ROOT=$roots/no-rdma run "${words[@]}"
	[ "$status" = 3 ]
	[[ $output == 'RDMA UNKNOWN - no RDMA hardware | '* ]]
}

# https://github.com/kubernetes/node-problem-detector/blob/master/docs/custom_plugin_monitor.md
@test "contrib: the rules of node-problem-detector" {
	local file=$top/contrib/node-problem-detector/rdmactl.json words

	jq -e '.plugin == "custom" and (.rules | length) == 1 and
		(.rules[0] | .type == "permanent" and (.reason | test("^[A-Z][A-Za-z]+$"))) and
		.rules[0].condition == .conditions[0].type' "$file"
	mapfile -t words < <(jq -r '.rules[0] | (.path | ltrimstr("/usr/bin/")), .args[]' "$file")
	RDMACTL_ROOT=$roots/cx5-ib-edr run "${words[@]}" --only port-state
	[ "$status" = 0 ]
	broken
	RDMACTL_ROOT=$root run "${words[@]}" --only port-state
	[ "$status" = 1 ]
	same 'message' 'mlx5_1/1: the link is up, but no subnet manager has configured the port' "$output"
	[ ${#output} -lt "$(jq .pluginConfig.max_output_length "$file")" ]
}
