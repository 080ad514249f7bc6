#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The examples for monitoring systems, run as these systems run them.

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
@test "contrib: the Nagios plugin, read by a program of Nagios" {
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

# Stand-ins for programs of Slurm that write down how they were called; the node is drained if
# DRAINED is set.
slurm()
{
	cat >"$BATS_TEST_TMPDIR/bin/scontrol" <<-'END'
	#!/bin/sh
	[ "$1" != show ] || { echo "NodeName=$3 State=IDLE${DRAINED:++DRAIN} "; exit; }
	printf '%s\n' "$*" >>"$CALLS"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/scontrol"
	export CALLS=$BATS_TEST_TMPDIR/calls SLURMD_NODENAME=n7
	: >"$CALLS"
}

@test "contrib: the health check of Slurm drains a node with the reason" {
	slurm
	RDMACTL_ROOT=$roots/cx5-ib-edr "$top/contrib/slurm/healthcheck" --only port-state
	same 'a good node' '' "$(<"$CALLS")"
	broken
	RDMACTL_ROOT=$root DRAINED=1 "$top/contrib/slurm/healthcheck" --only port-state
	same 'a node that is drained already' '' "$(<"$CALLS")"
	RDMACTL_ROOT=$root "$top/contrib/slurm/healthcheck" --only port-state
	same 'a bad node' 'update nodename=n7 state=drain reason=rdmactl: mlx5_1/1: the link is up, but no subnet manager has configured the port' \
		"$(sed 's/;*$//' "$CALLS")"
}

# The self-test needs the live system: a stand-in program ends as it would.
@test "contrib: the prolog of Slurm refuses a host on which data does not flow" {
	local code

	slurm
	rm "$BATS_TEST_TMPDIR/bin/rdmactl"
	cat >"$BATS_TEST_TMPDIR/bin/rdmactl" <<-'END'
	#!/bin/sh
	[ "$*" = '--timeout 20s selftest --test rc-write' ] || exit 2
	echo 'rdmactl selftest: mlx5_0/1 rc-write: wrong data' >&2
	exit "$CODE"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/rdmactl"
	for code in 0 1 3 5; do
		CODE=$code "$top/contrib/slurm/prolog"
		same "status $code" '' "$(<"$CALLS")"
	done
	CODE=4 run "$top/contrib/slurm/prolog"
	[ "$status" = 1 ]
	same 'status 4' 'update nodename=n7 state=drain reason=rdmactl: mlx5_0/1 rc-write: wrong data' \
		"$(<"$CALLS")"
	# The program accepts this command line.
	"$binary" --timeout 20s selftest --test rc-write --help >/dev/null
}

@test "contrib: the recipe for ClusterShell, with rehearsing agents" {
	printf 'hosts n[1-4]\nall rails 1 gbps 95 latency 2 msec 5\nhost n3 refuse no RDMA here\n' \
		>"$BATS_TEST_TMPDIR/rehearsal"
	CLUSH_OPTIONS='-R exec' run "$top/contrib/clustershell/rdmactl-mesh" 'n[1-4]' --address 127.0.0.1 \
		--name %h --rehearse "$BATS_TEST_TMPDIR/rehearsal" --stages loopback,ring
	[ "$status" = 3 ]
	[[ $output == *'no RDMA here'* ]]
}

# An Indexed Job and its headless service need these to find each other.
@test "contrib: the manifest for Kubernetes" {
	/usr/bin/python3 - "$top/contrib/kubernetes/rdmactl-mesh.yaml" <<-'END' >"$BATS_TEST_TMPDIR/words"
	import sys, yaml
	service, job = yaml.safe_load_all(open(sys.argv[1]))
	assert (service['apiVersion'], service['kind']) == ('v1', 'Service')
	assert (job['apiVersion'], job['kind']) == ('batch/v1', 'Job')
	spec, pod = job['spec'], job['spec']['template']['spec']
	assert spec['completionMode'] == 'Indexed' and spec['completions'] == spec['parallelism']
	assert service['spec']['clusterIP'] == 'None' and service['spec']['publishNotReadyAddresses']
	labels = job['spec']['template']['metadata']['labels']
	assert service['spec']['selector'].items() <= labels.items()
	assert pod['subdomain'] == service['metadata']['name'] and pod['restartPolicy'] == 'Never'
	container, = pod['containers']
	words = container['command']
	host = [word for word in words if word.startswith('--coordinator=')][0].split('=')[1]
	assert host.split(':')[0] == '%s-0.%s' % (job['metadata']['name'], pod['subdomain'])
	assert '--hosts=%d' % spec['completions'] in words
	names = {entry['name'] for entry in container['env']}
	assert names == {'NODE_NAME', 'RDMACTL_TOKEN'} and '--name=$(NODE_NAME)' in words
	assert 'IPC_LOCK' in container['securityContext']['capabilities']['add']
	print('\n'.join(words[1:]))
	END
	mapfile -t words <"$BATS_TEST_TMPDIR/words"
	[ "${words[0]} ${words[1]}" = 'mesh step' ]
	# The program accepts these words: it fails because it does not know its task, not because of an
	# option.
	run "$binary" "${words[@]}"
	[[ $output == *'nothing in the environment says which task this is'* ]]
}
