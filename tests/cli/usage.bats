#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Good and bad words on the command line, the same for every command.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "usage: an output format that a command does not have" {
	local option name

	for option in --json --jsonl --tsv '--columns all' --no-headings; do
		name=${option% all}
		# shellcheck disable=SC2086 # words
		quickly try help $option
		expect_error 2 help "prints plain text only: $name cannot be used" 'rdmactl help --help' || wrong "help $option"
		# shellcheck disable=SC2086 # words
		quickly try completion bash $option
		expect_error 2 completion "prints plain text only: $name cannot be used" 'rdmactl completion --help' || wrong "completion $option"
	done
	for option in --jsonl --tsv --no-headings; do
		quickly try schema ports "$option"
		expect_error 2 schema 'a JSON Schema is one document' 'rdmactl schema ports prints it' || wrong "schema $option"
	done
	quickly try schema --jsonl
	expect 0
	nothing_wrong
}

@test "usage: no command prints the overview as an error" {
	try
	expect 2 ''
	[ "$stderr" = "$("$binary" help)"$'\n' ]
}

@test "usage: unknown subcommand of a command that takes no object" {
	try mesh rnu --hosts 2 -- true
	expect_error 2 mesh "unknown command 'rnu'" "did you mean 'run'?"
	try link dle rx0
	expect_error 2 link "unknown command 'dle'" "did you mean 'del'?"
	try system frobnicate
	expect_error 2 system "unknown command 'frobnicate'" 'rdmactl system --help lists the commands'
	try mesh
	expect_error 2 mesh 'no subcommand and no --agent' 'rdmactl mesh run -- LAUNCHER tests the hosts of a launcher'
}

@test "usage: a subcommand after the objects" {
	local command word

	while read -r command word; do
		quickly on cx6dx-roce "$command" mlx5_0 "$word"
		[[ $stderr == *"rdmactl $command: $word: no such RDMA device"$'\n'"  a subcommand comes before the objects: rdmactl $command $word"$'\n'* ]] ||
			wrong "$command: $stderr"
	done <<-'END'
		ports set
		counters qp
		dev set
		roce set
		sriov set
		ipoib add
	END
	nothing_wrong
	# A word that is not a subcommand of that command gets no such next step.
	on cx6dx-roce gids set
	expect_error 5 gids 'set: no such RDMA device' 'there are mlx5_0, mlx5_1, mlx5_2'
}

@test "usage: the words show, list and help of iproute2" {
	on cx6dx-roce dev help
	expect_error 5 dev 'help: no such RDMA device' 'rdmactl help dev'
	try link help
	expect_error 2 link "unknown command 'help'" 'rdmactl help link'
	on cx6dx-roce dev show
	expect_error 5 dev 'show: no such RDMA device' "leave 'show' out: rdmactl dev"
	on cx6dx-roce roce list
	expect_error 5 roce 'list: no such RDMA device' "leave 'list' out: rdmactl roce"
	try link show
	expect_error 2 link "unknown command 'show'" "leave 'show' out: rdmactl link"
	try fabric list
	expect_error 2 fabric "unknown command 'list'" "leave 'list' out: rdmactl fabric"
	# These print nothing without a word.
	try mesh show
	expect_error 2 mesh "unknown command 'show'" 'rdmactl mesh --help lists the commands'
	try mad show
	expect_error 2 mad "unknown command 'show'" 'rdmactl mad --help lists the commands'
}

@test "usage: unknown command" {
	try frobnicate
	expect_error 2 '' "unknown command 'frobnicate'" 'rdmactl help lists the commands'
	try devicse
	expect_error 2 '' "unknown command 'devicse'" "did you mean 'devices'?"
	try port
	expect_error 2 '' "unknown command 'port'" "did you mean 'ports' or 'fabric port'?"
	try --json gid mlx5_0
	expect_error 2 '' "unknown command 'gid'" "did you mean 'gids'?"
	try -q frobnicate
	expect_error 2 '' "unknown command 'frobnicate'"
	try ''
	expect_error 2 '' "unknown command ''" 'rdmactl help lists the commands'
	# The word of a subcommand names its command, and is not taken for a typing error.
	try hosts
	expect_error 2 '' "unknown command 'hosts'" "did you mean 'fabric hosts'?"
	try help nodes
	expect_error 2 help "unknown command 'nodes'" "did you mean 'sa nodes' or 'fabric nodes'?"
	# A hidden command is not suggested.
	try __complet
	expect_error 2 '' "unknown command '__complet'" 'rdmactl help lists the commands'
}

# names_command TOOL PLACE COMMAND...: the message for a user who types the name of an older tool
# names one of the commands that PLACE lists.
names_command()
{
	local command

	quickly try "$1"
	for command in "${@:3}"; do
		[[ ! $stderr =~ "rdmactl $command"([ ;]|$'\n') ]] || return 0
	done
	wrong "$1, which $2 replaces by rdmactl ${*:3}: $stderr"
}

@test "usage: an older tool that a command replaces" {
	local tool command known=0

	try perfquery
	expect_error 2 '' "unknown command 'perfquery'" 'the command for that is rdmactl perf DEST'
	try compat perfquery
	expect_error 2 compat "no personality 'perfquery'" 'the command for that is rdmactl perf DEST'
	try help ibping
	expect_error 2 help "unknown command 'ibping'" 'the command for that is rdmactl ping DEST'
	try show_gids
	expect_error 2 '' "unknown command 'show_gids'" \
		'the command for that is rdmactl gids; rdmactl compat show_gids prints what show_gids prints'
	while read -r tool; do
		quickly try "$tool"
		expect 2 || wrong "$tool"
		[[ $stderr =~ 'the command for that is rdmactl '([^$';\n']+) ]] || wrong "$tool: $stderr"
		# The program knows each word of it.
		# shellcheck disable=SC2086 # words
		quickly try ${BASH_REMATCH[1]} --help
		expect 0 || wrong "$tool: ${BASH_REMATCH[1]}"
		known=$((known + 1))
	done < <(sed -nE 's/^(OLDER_TOOL|PERSONALITY)\("?([^",]*).*/\2/p' \
		"$top/cmd/older_tools.def" "$top/cmd/compat/personalities.def")
	[ $known -gt 50 ] || wrong "$known tools"
	nothing_wrong
}

@test "usage: the commands for older tools are those that README.md and rdmactl(1) name" {
	local tools commands tool count=0

	# Names in code, without arguments, of programs that are not about many other things. An entry that
	# begins with an article is not a program: a loop over one, a script.
	while IFS='|' read -r _ tools commands _; do
		[[ $tools != ' a '* ]] || continue
		# shellcheck disable=SC2016 # code of Markdown
		mapfile -t commands < <(grep -oE '`rdmactl [a-z]+' <<<"$commands" | cut -d ' ' -f 2)
		# shellcheck disable=SC2016 # code of Markdown
		for tool in $(grep -oE '`[a-z0-9_.-]+`' <<<"$tools" | tr -d '`'); do
			case $tool in
			watch | htop | lsmod | dmesg | lstopo | sosreport) continue ;;
			esac
			names_command "$tool" README.md "${commands[@]}"
			count=$((count + 1))
		done
	done < <(grep '^| .*rdmactl' "$top/README.md")
	while read -r tool commands; do
		names_command "$tool" 'rdmactl(1)' "$commands"
		count=$((count + 1))
	done < <(sed -n '/^\.Sh WHAT IT REPLACES/,/^\.Ss/{s/^\.It \(Xr .*\) Ta Nm Cm \([a-z]*\).*/\2 \1/p}' "$top/man/rdmactl.1" |
		awk '{ for (i = 2; i < NF; i++) if ($i == "Xr") print $(i + 1), $1 }')
	[ $count -gt 60 ] || wrong "$count names"
	nothing_wrong
}

@test "usage: commands cannot be abbreviated" {
	try devic
	expect 2 '' "rdmactl: unknown command 'devic'
  did you mean 'devices'?"
	try d
	expect_error 2 '' "unknown command 'd'" 'rdmactl help lists the commands'
}

@test "usage: unknown option of every command" {
	local command hint

	for command in $commands; do
		# Without a word fabric is fabric scan.
		hint="rdmactl ${command/#fabric/fabric scan} --help"
		quickly try "$command" --frobnicate
		expect_error 2 "$command" "unknown option '--frobnicate'" "$hint" || wrong "$command"
		quickly try "$command" --jsn
		expect_error 2 "$command" "unknown option '--jsn'" "did you mean '--json'?" || wrong "$command"
		quickly try "$command" -Z
		expect_error 2 "$command" "unknown option '-Z'" "$hint" || wrong "$command"
		quickly try "$command" --quiet --frobnicate
		expect_error 2 "$command" "unknown option '--frobnicate'" || wrong "$command"
	done
	nothing_wrong
}

@test "usage: one dash before a long option" {
	try devices -json
	expect_error 2 devices "unknown option '-s'" "did you mean '--json'?"
	try ports -help
	expect_error 2 ports "unknown option '-e'" "did you mean '--help'?"
	try fabric links -load=file
	expect_error 2 fabric "unknown option '-l'" "did you mean '--load'?"
	try -version
	expect_error 2 '' "unknown option '-e'" "did you mean '--version'?"
	try devices -jp
	expect_error 2 devices "unknown option '-p'" 'rdmactl devices --help'
	try devices -Z -- -json
	expect_error 2 devices "unknown option '-Z'" 'rdmactl devices --help'
}

@test "usage: unknown option before the command" {
	try --frobnicate devices
	expect_error 2 '' "unknown option '--frobnicate'" 'rdmactl help'
	try --no-heading devices
	expect_error 2 '' "unknown option '--no-heading'" "did you mean '--no-headings'?"
	try -Z
	expect_error 2 '' "unknown option '-Z'" 'rdmactl help'
	# An option of a command cannot precede it.
	try --all gids
	expect_error 2 '' "unknown option '--all'" 'rdmactl help'
}

@test "usage: options cannot be abbreviated" {
	try devices --no-head
	expect 2 ''
	[ "${stderr%%$'\n'*}" = "rdmactl devices: unknown option '--no-head'" ]
	try gids --net eth0
	expect 2 ''
	[ "${stderr%%$'\n'*}" = "rdmactl gids: unknown option '--net'" ]
	on cx5-ib-edr devices --col=device
	expect 2 ''
	[ "${stderr%%$'\n'*}" = "rdmactl devices: unknown option '--col'" ] ||
		[ "${stderr%%$'\n'*}" = "rdmactl devices: unknown option '--col=device'" ]
}

@test "usage: an option without its value, a flag with one" {
	try devices -o
	expect_error 2 devices '--columns needs a value: LIST' 'rdmactl devices --help'
	try devices --columns
	expect_error 2 devices '--columns needs a value: LIST' 'rdmactl devices --help'
	try --root
	expect_error 2 '' '--root needs a value: DIR' 'rdmactl help'
	try gids --type
	expect_error 2 gids '--type needs a value: TYPE' 'rdmactl gids --help'
	try doctor --only --root x
	expect_error 2 doctor '--only is followed by --root: is its value missing?' \
		'a value that begins with -- is given as --only=VALUE'
	try fabric --via --mkey 5 check
	expect_error 2 fabric '--via is followed by --mkey: is its value missing?' \
		'a value that begins with -- is given as --via=VALUE'
	try --root --json devices
	expect_error 2 '' '--root is followed by --json: is its value missing?' \
		'a value that begins with -- is given as --root=VALUE'
	try doctor --only --help
	expect_error 2 doctor '--only is followed by --help: is its value missing?' 'rdmactl doctor --help'
	try devices --json=yes
	expect_error 2 devices '--json takes no value' 'rdmactl devices --help'
	try --help=devices
	expect_error 2 '' '--help takes no value' 'rdmactl help'
}

@test "usage: --color takes one of three words" {
	try devices --color=sometimes
	expect_error 2 devices "--color: 'sometimes' is not one of auto, always, never" 'rdmactl devices --help'
	try devices --color ''
	expect_error 2 devices "--color: '' is not one of auto, always, never" 'rdmactl devices --help'
	try --color=Always devices
	expect_error 2 '' "--color: 'Always' is not one of auto, always, never" "did you mean 'always'?"
}

@test "usage: --timeout takes a duration" {
	local value

	for value in 60000ms 20s 1m 1h 1d 50 100000s 30.5s; do
		quickly on cx5-ib-edr devices -o device --timeout "$value"
		expect 0 $'DEVICE\nmlx5_0\nmlx5_1' '' || wrong "$value"
	done
	for value in '' s 5x -1 +1 ' 5' '5 s' 1.5x 0x10 1w $'5\n' 5S; do
		quickly on cx5-ib-edr devices --timeout "$value"
		expect 2 '' || wrong "$value"
		[[ $stderr == "rdmactl devices: --timeout: "*" is not a duration (500ms, 2s, 1m)"$'\n  rdmactl devices --help\n' ]] ||
			wrong "$value: $stderr"
	done
	nothing_wrong
	on cx5-ib-edr devices --timeout 4294967296h
	expect_error 2 devices "--timeout: '4294967296h' is more than 4294967295h" \
		"rdmactl devices --help"
}

@test "usage: output formats exclude each other" {
	local one other words

	while read -r one other words; do
		# shellcheck disable=SC2086 # words
		quickly on cx5-ib-edr devices $words
		expect_error 2 devices "--$one cannot be used with --$other" 'rdmactl devices --help' ||
			wrong "$words"
	done <<-'END'
		json jsonl --json --jsonl
		json tsv --tsv --json
		jsonl tsv --jsonl --tsv
		json jsonl -j --jsonl --tsv
	END
	quickly try --json version --tsv
	expect_error 2 version '--json cannot be used with --tsv' 'rdmactl version --help' || wrong both
	nothing_wrong
}

@test "usage: too many arguments, too few" {
	try help devices ports
	expect_error 2 help "'devices' has no subcommands" 'rdmactl help devices'
	try help resources qp mr
	expect_error 2 help 'too many words: it takes [COMMAND [SUBCOMMAND]]' 'rdmactl help --help'
	try help resources cmid
	expect_error 2 help "unknown kind 'cmid'" "did you mean 'cm_id'?"
	try version now
	expect_error 2 version "'version' takes no object, but 'now' is given" 'rdmactl version --help'
	try completion
	expect_error 2 completion 'too few words: it takes bash|zsh|fish' 'rdmactl completion --help'
	try snapshot
	expect_error 2 snapshot 'too few words: it takes FILE' 'rdmactl snapshot --help'
	try schema devices ports
	expect_error 2 schema 'too many words: it takes [NAME]' 'rdmactl schema --help'
}

@test "usage: global options before and after the command" {
	local before after

	on cx5-ib-edr devices --json -o device
	before=$output
	[ -n "$before" ]
	for after in "--json -o device --root $roots/cx5-ib-edr devices" \
		"--root=$roots/cx5-ib-edr devices -jo device" \
		"-j devices --columns=device --root=$roots/cx5-ib-edr" \
		"-jv -odevice --root $roots/cx5-ib-edr -q devices" \
		"devices --no-headings --json --color=always --columns device --root $roots/cx5-ib-edr"; do
		# shellcheck disable=SC2086 # words
		quickly try $after
		expect 0 "${before%$'\n'}" '' || wrong "$after"
	done
	nothing_wrong
}

@test "usage: the last of several equal options counts" {
	local words first last once

	quickly try --root "$roots/efa" -o index devices --root "$roots/cx5-ib-edr" -o device
	expect 0 $'DEVICE\nmlx5_0\nmlx5_1' ''
	# A list, too, whether it is one of words or of names.
	while IFS=: read -r words first last; do
		# shellcheck disable=SC2086 # words
		on cx5-ib-edr $words $last
		once=$output
		# shellcheck disable=SC2086 # words
		on cx5-ib-edr $words $first $last
		[[ -n $once && $output == "$once" ]] || wrong "$words $first $last"
	done <<-'END'
		counters -o counter:-g errors:-g traffic
		doctor -a -o check:--only port-state:--only stack
	END
	nothing_wrong
}

@test "usage: conditions and changes are given once, separated by commas" {
	try resources qp --where state=rts --where type=rc
	expect_error 2 resources '--where is given twice: give all in one, FIELD=VALUE,FIELD=VALUE' \
		'rdmactl resources qp --help'
	try smp portinfo 5 --set mkey=1 --yes --set lid=2
	expect_error 2 smp '--set is given twice: give all in one, FIELD=VALUE,FIELD=VALUE' \
		'rdmactl smp portinfo --help'
}

@test "usage: options and objects may be mixed; -- ends the options" {
	quickly try ports mlx5_1 -o device --root "$roots/cx5-ib-edr" mlx5_0
	expect 0 $'DEVICE\nmlx5_0\nmlx5_1' ''
	quickly on cx5-ib-edr ports -o device -- mlx5_0
	expect 0 $'DEVICE\nmlx5_0' ''
	quickly on cx5-ib-edr ports -o device -- mlx5_0 --json
	expect 3 $'DEVICE\nmlx5_0' 'rdmactl ports: --json: no such RDMA device
  there are mlx5_0, mlx5_1'
}

@test "usage: --root overrides RDMACTL_ROOT" {
	RDMACTL_ROOT=$roots/cx5-ib-edr quickly try devices -o device
	expect 0 $'DEVICE\nmlx5_0\nmlx5_1' ''
	RDMACTL_ROOT=$roots/cx5-ib-edr quickly on efa devices -o device
	expect 0 $'DEVICE\nefa_1\nrdmap0s31' ''
	RDMACTL_ROOT=$BATS_TEST_TMPDIR/none quickly try devices
	expect_error 1 devices "cannot open the root directory $BATS_TEST_TMPDIR/none: No such file or directory
  unset RDMACTL_ROOT to read the live system"
	RDMACTL_ROOT=$BATS_TEST_TMPDIR/none quickly on efa devices -o device
	expect 0 $'DEVICE\nefa_1\nrdmap0s31' ''
}

@test "usage: --root with something other than a saved tree" {
	local command kinds="--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"

	mkdir "$BATS_TEST_TMPDIR/empty"
	echo text >"$BATS_TEST_TMPDIR/file"
	ln -s loop "$BATS_TEST_TMPDIR/loop"
	for command in $listings; do
		quickly try "$command" --root "$BATS_TEST_TMPDIR/file"
		expect_error 1 "$command" "$BATS_TEST_TMPDIR/file is not an archive, or is damaged" \
			"$kinds" ||
			wrong "$command file"
		quickly try "$command" --root "$BATS_TEST_TMPDIR/none"
		expect_error 1 "$command" "cannot open the root directory $BATS_TEST_TMPDIR/none: No such file or directory" "$kinds" ||
			wrong "$command none"
		quickly try "$command" --root "$BATS_TEST_TMPDIR/loop"
		expect_error 1 "$command" "cannot open the root directory $BATS_TEST_TMPDIR/loop: Too many levels of symbolic links" ||
			wrong "$command loop"
		quickly try "$command" --root "$BATS_TEST_TMPDIR/empty"
		expect 5 '' || wrong "$command empty"
		[ "$(wc -l <<<"${stderr%$'\n'}")" = 2 ] || wrong "$command empty: $stderr"
	done
	nothing_wrong
}

@test "usage: --root with control bytes in the name" {
	try devices --root $'no\e[31m\nsuch\xff'
	expect_error 1 devices 'cannot open the root directory no\x1b[31m\x0asuch\xff: No such file or directory' \
		"--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"
}

@test "usage: failures in JSON" {
	local documents=$BATS_TEST_TMPDIR/documents

	mkdir "$documents"
	keep()
	{
		mv "$BATS_TEST_TMPDIR/out" "$documents/$1.json"
		mv "$BATS_TEST_TMPDIR/err" "$documents/$1.err"
		echo "$status" >"$documents/$1.status"
	}
	"$binary" schema ports >"$BATS_TEST_TMPDIR/schema"
	on cx5-ib-edr ports --json -o frobnicate
	expect 2
	keep column
	on cx5-ib-edr ports --json mlx5_0/x
	expect 2
	keep object
	try ports --json --root "$BATS_TEST_TMPDIR/none"
	expect 1
	keep root
	on cx5-ib-edr ports --json mlx5_9
	expect 5
	keep device
	on cx5-ib-edr ports --json mlx5_0/9
	expect 5
	keep port
	on no-rdma ports --json
	expect 5
	keep core
	on bad-rate ports --json
	expect 3
	keep partial
	"$top/tests/cli/validate" "$BATS_TEST_TMPDIR/schema" "$documents"
	[ "$(jq -s 'map(.problems | length > 0) | all' "$documents"/*.json)" = true ]
	[ "$(jq -r '.problems[0].error' "$documents/column.json")" = "unknown column 'frobnicate'" ]
	[ "$(jq -r '.problems[0].error' "$documents/object.json")" = "'mlx5_0/x' is not DEV or DEV/PORT" ]
}

@test "usage: --quiet suppresses the next step, in every spelling" {
	on cx5-ib-edr devices mlx5_9
	expect_error 5 devices 'mlx5_9: no such RDMA device' 'there are mlx5_0, mlx5_1'
	on cx5-ib-edr devices mlx5_9 --quiet
	expect_error 5 devices 'mlx5_9: no such RDMA device'
	quickly try -q devices mlx5_9 --root "$roots/cx5-ib-edr"
	expect_error 5 devices 'mlx5_9: no such RDMA device'
	on no-rdma gids -q
	expect_error 5 gids 'no sys/class/infiniband in the saved tree'
	# The document still contains the next step.
	on cx5-ib-edr devices mlx5_9 -qj
	expect 5
	[ "$(jq -r '.problems[0].hint' <<<"$output")" = "there are mlx5_0, mlx5_1" ]
	[ "$stderr" = $'rdmactl devices: mlx5_9: no such RDMA device\n' ]
}

@test "usage: a file with an empty name" {
	try counters --since ''
	expect_error 2 counters '--since: the name of the file is empty' 'rdmactl counters --help'
	try fabric nodes --load=
	expect_error 2 fabric '--load: the name of the file is empty' 'rdmactl fabric nodes --help'
	try doctor --expect ''
	expect_error 2 doctor '--expect: the name of the file is empty' 'rdmactl doctor --help'
	try diff '' "$roots/cx5-ib-edr"
	expect_error 2 diff 'the name of a file is empty' 'rdmactl diff --help'
	try mad decode ''
	expect_error 2 mad 'the name of a file is empty' 'rdmactl mad decode --help'
	try snapshot ''
	expect_error 2 snapshot 'the name of a file is empty' 'rdmactl snapshot --help'
	# An empty root means the live system, as with RDMACTL_ROOT.
	RDMACTL_ROOT=$roots/cx5-ib-edr try version --root ''
	expect 0
}

@test "usage: a host with an empty name" {
	misuse doctor '--peer: the name of the host is empty' --peer ''
	misuse selftest '--peer: the name of the host is empty' --peer=
	misuse gids '--to: the name of the host is empty' --to ''
	nothing_wrong
}
