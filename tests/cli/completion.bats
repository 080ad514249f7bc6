#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The candidates for the shells, and the scripts that pass them on.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$binary" "$BATS_TEST_TMPDIR/bin/rdmactl"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	r=$roots/cx5-ib-edr
}

# completes WANTED WORD...: checks the candidates for the last word, without their help, on one
# line.
completes()
{
	local wanted=$1

	shift
	quickly try __complete -- "$@"
	first_cells
	if [ "$status" != 0 ] || [ -n "$stderr" ] || [ "$output" != "$wanted" ]; then
		wrong "${*@Q}: $output$stderr, not $wanted"
	fi
}

# The global options as completion offers them.
globals='--json --jsonl --tsv --columns --no-headings --verbose --quiet --color --root --timeout --help --version'

# As in the manual: dev set DEV SETTING VALUE..., and system set SETTING VALUE..., without an
# object.
@test "completion: settings and their values, after the object" {
	local settings='name netns adaptive-moderation node-description'

	completes 'mlx5_0 mlx5_1' dev set --root "$r" ''
	completes "$settings" dev set --root "$r" mlx5_0 ''
	completes 'name netns node-description' dev set --root "$r" mlx5_0 n
	completes 'on off' dev set --root "$r" mlx5_0 adaptive-moderation ''
	completes '' dev set --root "$r" mlx5_0 name ''
	completes "$settings" dev set --root "$r" mlx5_0 adaptive-moderation on ''
	completes 'on off' dev set --root "$r" mlx5_0 name x adaptive-moderation ''
	completes 'netns-mode privileged-qkey' system set --root "$r" ''
	completes 'eno1 ib0 ib0.8001 ib1 lo' link add --root "$r" rxe0 type rxe netdev ''
	completes 'rxe siw' link add --root "$r" rxe0 netdev ib0 type ''
	completes 'ib0 ib0.8001 ib1' roce set --root "$r" ib
	completes 'mlx5_1 mlx5_1/1' roce set --root "$r" mlx5_1
	completes 'mlx5_0 mlx5_1 eno1 ib0 ib0.8001 ib1 lo' sriov set --root "$r" ''
	completes 'mlx5_0 mlx5_1' dev add --root "$r" smi0 type smi parent ''
	completes 'exclusive shared' system set --root "$r" netns-mode ''
	completes 'netns-mode privileged-qkey' system set --root "$r" netns-mode shared ''
	nothing_wrong
}

@test "completion: commands" {
	completes "$commands" ''
	completes "$commands"
	completes 'caps counters cables cc change completion compat' c
	completes devices devices
	completes '' frobnicate
	completes '' __
	completes "$commands" help ''
	completes 'version' help v
	completes 'ports pkeys perf ping' --json --root "$r" p
	completes '' version ''
	nothing_wrong
}

@test "completion: every candidate is followed by a tab and its help" {
	try __complete -- ''
	expect 0
	[ "$(grep -c $'^[a-z]*\t[a-z].*[a-zA-Z]$' <<<"$output")" = "$(wc -w <<<"$commands")" ]
	try __complete -- devices -o ''
	[[ $output == $'device\tname of the device\n'* ]]
	try __complete -- gids --ty
	expect 0 $'--type\tonly entries of this type: ib, roce-v1 or roce-v2' ''
}

@test "completion: options, also of the command" {
	completes "$globals" --
	completes "$globals" -
	completes "$globals" devices -
	completes "$globals --all --type --netdev --ip --to --env" gids --
	completes "$globals --all" pkeys --
	completes '--json --jsonl' devices --js
	completes '--tsv --timeout --type --to' gids mlx5_0 --t
	completes '' devices --frobnicate
	nothing_wrong
}

@test "completion: values of options" {
	completes 'auto always never' --color ''
	completes 'auto always' devices --color a
	completes '--color=auto --color=always' devices --color=a
	completes 'ib roce-v1 roce-v2' gids --type ''
	completes '--type=roce-v1 --type=roce-v2' gids --type=roce
	completes 'pix pxb phb node sys' topo --require ''
	completes '--require=pix' topo --require=pi
	completes ':file' --root ''
	completes ':file' devices --root /et
	completes ':file' devices --root=/et
	completes '' devices --timeout ''
	completes '' gids --ip ''
	completes '' gids --to ''
	nothing_wrong
}

@test "completion: columns, the last one of a list" {
	completes 'device' devices -o de
	completes 'pcie_speed_gtps pcie_width_lanes pcie_max_speed_gtps pcie_max_width_lanes' devices -o pcie
	completes 'device,firmware' devices -o device,fi
	completes '+index' devices -o +in
	completes '+index,+system_image_guid' devices -o +index,+sy
	completes '-numa_node' devices -o -nu
	completes 'device,-state' devices --columns device,-st
	completes '--columns=device,firmware' devices --columns=device,fi
	completes '--columns=+irq_count' devices --columns=+irq
	completes 'link_layer lid lmc' ports -o l
	completes '' help -o ''
	nothing_wrong
	# After a comma, all columns are offered.
	[ "$("$binary" __complete -- ports -o lid, | wc -l)" = "$("$binary" __complete -- ports -o '' | wc -l)" ]
	[ "$("$binary" __complete -- ports -o lid, | cut -f 1 | head -n 1)" = lid,device ]
}

@test "completion: 'all' is offered as a column" {
	completes 'all' devices -o al
	completes '+all' devices -o +al
	# That would leave no column, and is refused.
	completes '' devices -o -al
	completes '' devices -o +firmware,-al
	nothing_wrong
}

@test "completion: devices of a snapshot, and of a file that is not a snapshot" {
	local file=$BATS_TEST_TMPDIR/host.tar

	"$binary" snapshot "$file" --root "$r" >/dev/null 2>&1 || [ $? = 3 ]
	completes 'mlx5_0 mlx5_1' devices --root "$file" ''
	completes 'mlx5_1/1' ports --root="$file" mlx5_1/
	echo 'no archive' >"$file"
	completes '' devices --root "$file" ''
	nothing_wrong
}

@test "completion: devices and ports of a tree" {
	completes 'mlx5_0 mlx5_1' devices --root "$r" ''
	completes 'mlx5_0 mlx5_1' --root="$r" caps mlx
	completes 'set mlx5_0 mlx5_1 mlx5_0/1 mlx5_1/1' ports --root "$r" ''
	completes 'mlx5_0/1' ports --root "$r" mlx5_0/
	completes 'mlx5_1 mlx5_1/1' --root "$r" gids mlx5_0 mlx5_1
	completes '' ports --root "$r" bnxt
	completes 'smi1 smi1/1 smi1/2 smi1/3 smi1/4' ports --root "$roots/planes" smi
	completes 'mlx5_3 mlx5_30 mlx5_31 mlx5_32 mlx5_33 mlx5_34 mlx5_35 mlx5_36 mlx5_37 mlx5_38 mlx5_39' \
		devices --root "$roots/forty" mlx5_3
	RDMACTL_ROOT=$r completes 'mlx5_0 mlx5_1' devices ''
	RDMACTL_ROOT=$r completes 'efa_1 rdmap0s31' devices --root "$roots/efa" ''
	nothing_wrong
}

@test "completion: netdevs of a tree" {
	completes 'ib0 ib0.8001 ib1' gids --root "$r" --netdev ib
	completes '--netdev=ib0 --netdev=ib0.8001' gids --root "$r" --netdev=ib0
	nothing_wrong
}

@test "completion: words of completion and schema" {
	completes 'bash zsh fish' completion ''
	completes 'zsh' completion z
	completes "$("$binary" schema --tsv --no-headings -o schema | paste -sd ' ')" schema ''
	completes 'smp_pkeys' schema smp_pk
	local name
	for name in $("$binary" __complete -- schema '' | cut -f 1); do
		quickly try schema "$name" # schema.bats starts a program for each, with a leak check
		[ "$status" = 0 ] || wrong "schema $name: $stderr"
	done
	nothing_wrong
}

@test "completion: each object has its words, and none follows the last" {
	completes 'mlx5_0/1' counters --root "$r" auto mlx5_0/
	completes 'off type pid type,pid' counters --root "$r" auto mlx5_0/1 ''
	completes '' counters --root "$r" auto mlx5_0/1 off ''
	completes '' sysstat ''
	completes 'ping host cpu' sysstat 17 ''
	completes '' sysstat 17 cpu ''
	completes '' completion bash ''
	completes '' schema ports ''
	completes '' snapshot a.tar ''
	completes ':file' diff a.tar ''
	completes '' diff a.tar b.tar ''
	nothing_wrong
}

@test "completion: no candidates, and no complaint, without devices" {
	completes 'mlx5_0 mlx5_1' devices --root "$r" ''
	completes '' devices --root "$roots/no-rdma" ''
	completes 'set' ports --root "$roots/empty-class" ''
	completes 'set' ports --root "$BATS_TEST_TMPDIR/none" ''
	completes '' devices --root "$BATS_TEST_TMPDIR/none/" ''
	nothing_wrong
}

@test "completion: objects after --" {
	completes 'mlx5_0 mlx5_1' devices --root "$r" -- ''
	completes 'mlx5_0 mlx5_1' devices --root "$r" -- m
	nothing_wrong
}

@test "completion: no control byte of a name reaches the shell" {
	local command

	for command in devices ports 'gids --netdev'; do
		# shellcheck disable=SC2086 # words
		try __complete -- --root "$roots/hostile" $command ''
		expect 0 || wrong "$command"
		! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f-\xff]' "$BATS_TEST_TMPDIR/out" || wrong "$command: control byte"
		# One candidate per line, each with a tab.
		! grep -vq $'\t' "$BATS_TEST_TMPDIR/out" || wrong "$command: $(grep -v $'\t' "$BATS_TEST_TMPDIR/out")"
	done
	grep -q '^eth0' "$BATS_TEST_TMPDIR/out"
	nothing_wrong
}

@test "completion: the script of each shell is printed" {
	local shell

	for shell in bash zsh fish; do
		quickly try completion $shell
		expect 0 || wrong "$shell"
		cmp "$BATS_TEST_TMPDIR/out" "$top/completions/rdmactl.$shell" || wrong "$shell: not completions/rdmactl.$shell"
	done
	nothing_wrong
	try completion tcsh
	expect_error 2 completion 'no completion for this shell' 'bash, zsh and fish have one'
}

# The words that bash offers at the end of a line.
in_bash()
{
	output=$(ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 bash --norc -c '
		source "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		# Breaks words as readline does: at blanks, = and :.
		read -ra COMP_WORDS <<<"${2//=/ = }"
		[[ $2 != *[[:space:]=] ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_rdmactl rdmactl "${COMP_WORDS[COMP_CWORD]}" ""
		printf "%s\n" "${COMPREPLY[@]}"' bash "$top/completions/rdmactl.bash" "$1")
	output=${output//$'\n'/ }
}

@test "completion: the script for bash" {
	bash -n "$top/completions/rdmactl.bash"
	in_bash 'rdmactl devi'
	[ "$output" = devices ] || wrong "command: $output"
	in_bash 'rdmactl '
	[ "$output" = "$commands" ] || wrong "commands: $output"
	in_bash "rdmactl devices --root $r "
	[ "$output" = 'mlx5_0 mlx5_1' ] || wrong "devices: $output"
	in_bash "rdmactl --root=$r ports mlx5_0/"
	[ "$output" = 'mlx5_0/1' ] || wrong "port: $output"
	in_bash 'rdmactl devices --color='
	[ "$output" = 'auto always never' ] || wrong "value: $output"
	in_bash 'rdmactl devices --color al'
	[ "$output" = always ] || wrong "value: $output"
	in_bash 'rdmactl devices -o device,fi'
	[ "$output" = device,firmware ] || wrong "column: $output"
	in_bash 'rdmactl devices --columns=device,fi'
	[ "$output" = device,firmware ] || wrong "column: $output"
	in_bash "rdmactl --root $BATS_TEST_TMPDIR/bi"
	[ "$output" = "$BATS_TEST_TMPDIR/bin" ] || wrong "file: $output"
	in_bash "rdmactl --root=$BATS_TEST_TMPDIR/bi"
	[ "$output" = "$BATS_TEST_TMPDIR/bin" ] || wrong "file: $output"
	in_bash 'rdmactl sa nodes node_t'
	[ "$output" = node_type= ] || wrong "field: $output"
	in_bash 'rdmactl sa nodes node_type=sw'
	[ "$output" = switch ] || wrong "value of a field: $output"
	in_bash 'rdmactl smp portinfo 1 --set lmc=0,physical_st'
	[ "$output" = 0,physical_state= ] || wrong "second field: $output"
	in_bash 'rdmactl frobnicate'
	[ "$output" = '' ] || wrong "rdmactl frobnicate: $output"
	nothing_wrong
	# The completion is registered for the command.
	[ "$(bash --norc -c 'source "$1"; complete -p rdmactl' bash "$top/completions/rdmactl.bash")" = 'complete -F _rdmactl rdmactl' ]
}

# The words that zsh would offer: _describe and _files are replaced to print their arguments.
in_zsh()
{
	output=$(ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 zsh -f -c '
		compdef() { }
		_describe() { print -rl -- "${(@P)2}" "${@[3,-1]}" }
		_files() { print files }
		source $1
		shift
		words=("$@") CURRENT=$#
		_rdmactl' zsh "$top/completions/rdmactl.zsh" rdmactl "$@")
}

@test "completion: the script for zsh" {
	zsh -n "$top/completions/rdmactl.zsh"
	in_zsh dev
	[[ $output == 'devices:list RDMA devices'* ]] || wrong "command: $output"
	in_zsh devices --root "$r" ''
	[ "$output" = $'mlx5_0\nmlx5_1' ] || wrong "devices: $output"
	in_zsh devices --color=al
	[ "$output" = '--color=always' ] || wrong "value: $output"
	in_zsh devices -o device,firm
	[ "$output" = 'device,firmware:firmware version' ] || wrong "column: $output"
	in_zsh sa nodes node_t
	[ "$output" = $'node_type=:type of the node\n-S' ] || wrong "field: $output"
	in_zsh --root ''
	[ "$output" = files ] || wrong "file: $output"
	nothing_wrong
}

in_fish()
{
	output=$(HOME=$BATS_TEST_TMPDIR XDG_CONFIG_HOME=$BATS_TEST_TMPDIR XDG_DATA_HOME=$BATS_TEST_TMPDIR \
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 fish --no-config -c "
		source '$top/completions/rdmactl.fish'
		complete -C '$1'")
}

@test "completion: the script for fish" {
	fish --no-config -n "$top/completions/rdmactl.fish"
	in_fish 'rdmactl devi'
	[[ $output == $'devices\tlist RDMA devices'* ]] || wrong "command: $output"
	in_fish "rdmactl devices --root $r "
	[ "$output" = $'mlx5_0\nmlx5_1' ] || wrong "devices: $output"
	in_fish 'rdmactl devices --color=al'
	[ "$output" = '--color=always' ] || wrong "value: $output"
	in_fish 'rdmactl devices -o device,firm'
	[ "$output" = $'device,firmware\tfirmware version' ] || wrong "column: $output"
	in_fish "rdmactl --root $BATS_TEST_TMPDIR/bi"
	[[ $output == "$BATS_TEST_TMPDIR/bin/"* ]] || wrong "file: $output"
	nothing_wrong
}

# A folder with trees, one for each name that a shell would run, and files with such names.
hostile_names()
{
	local name number=0

	mkdir -p "$BATS_TEST_TMPDIR/in"
	# shellcheck disable=SC2016 # the shells that complete them are to expand these, not this one
	for name in 'mlx5_0;touch${IFS}PWNED;#' 'mlx5_0$(touch PWNED)' 'mlx5_0`touch PWNED`' \
		'mlx5_0&touch PWNED&' $'mlx5_0\ntouch PWNED\n' "mlx5_0';touch PWNED;'" '--jsonl'; do
		number=$((number + 1))
		mkdir -p "$BATS_TEST_TMPDIR/in/tree$number/sys/class/infiniband/$name/ports/1" \
			"$BATS_TEST_TMPDIR/in/tree$number/sys/class/net/$name"
		echo 1 >"$BATS_TEST_TMPDIR/in/tree$number/sys/class/net/$name/ifindex"
		mkdir "$BATS_TEST_TMPDIR/in/files$number"
		: >"$BATS_TEST_TMPDIR/in/files$number/$name"
	done
	trees=$number
}

@test "completion: a name that contains code is not offered" {
	local number

	hostile_names
	for ((number = 1; number <= trees; number++)); do
		completes '' devices --root "$BATS_TEST_TMPDIR/in/tree$number" ''
		completes '' ports --root "$BATS_TEST_TMPDIR/in/tree$number" m
		completes '' gids --root "$BATS_TEST_TMPDIR/in/tree$number" --netdev m
	done
	nothing_wrong
	# After --, such a word is not an option.
	completes '--jsonl' devices --root "$BATS_TEST_TMPDIR/in/tree$trees" -- ''
	nothing_wrong
}

@test "completion: no name runs as code when Tab and Enter are pressed" {
	local lines=() number shell setup

	hostile_names
	for ((number = 1; number <= trees; number++)); do
		lines+=("rdmactl devices --root tree$number m" "rdmactl counters --since files$number/m")
	done
	# The shell does complete: a plain name appears.
	lines+=("rdmactl devices -o devi" "rdmactl devices --no-headings --root $r mlx5_1 -o port_c")
	for shell in bash zsh fish; do
		setup="source '$top/completions/rdmactl.$shell'"
		[ $shell != zsh ] || setup="autoload -Uz compinit; compinit -D -u; $setup"
		(cd "$BATS_TEST_TMPDIR/in" && ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 HOME=$BATS_TEST_TMPDIR \
			"$top/tests/cli/press_tab.py" $shell "$setup" "${lines[@]}" >"$BATS_TEST_TMPDIR/typed" 2>&1) ||
			wrong "$shell: it did not end"
		[ ! -e "$BATS_TEST_TMPDIR/in/PWNED" ] || wrong "$shell: it ran code: $(<"$BATS_TEST_TMPDIR/typed")"
		rm -f "$BATS_TEST_TMPDIR/in/PWNED"
		grep -q port_count "$BATS_TEST_TMPDIR/typed" || wrong "$shell: $(<"$BATS_TEST_TMPDIR/typed")"
	done
	nothing_wrong
}

# Two Tabs complete two folders, after a blank and after the =.
@test "completion: Tab completes the file of an option" {
	local shell setup start='rdmactl devices --no-headings -o device --root'

	mkdir -p "$BATS_TEST_TMPDIR/in/only"
	ln -s "$r" "$BATS_TEST_TMPDIR/in/only/tree"
	for shell in bash zsh fish; do
		setup="source '$top/completions/rdmactl.$shell'"
		[ $shell != zsh ] || setup="autoload -Uz compinit; compinit -D -u; $setup"
		(cd "$BATS_TEST_TMPDIR/in" && ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 HOME=$BATS_TEST_TMPDIR \
			"$top/tests/cli/press_tab.py" $shell "$setup" "$start=" "$start=o" "$start o" \
			>"$BATS_TEST_TMPDIR/typed" 2>&1) || wrong "$shell: it did not end"
		[ "$(grep -c mlx5_1 "$BATS_TEST_TMPDIR/typed")" = 3 ] || wrong "$shell: $(<"$BATS_TEST_TMPDIR/typed")"
	done
	nothing_wrong
}

# The shell passes the words on as they were typed.
@test "completion: Tab completes words after a ~" {
	local shell setup line=' ports --no-headings -o netdev,device --root ~/tree mlx5_1/'

	ln -s "$r" "$BATS_TEST_TMPDIR/tree"
	for shell in bash zsh fish; do
		setup="source '$top/completions/rdmactl.$shell'"
		[ $shell != zsh ] || setup="autoload -Uz compinit; compinit -D -u; $setup"
		(ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 HOME=$BATS_TEST_TMPDIR \
			"$top/tests/cli/press_tab.py" $shell "$setup" '~'"/bin/rdmactl$line" "rdmactl$line" \
			>"$BATS_TEST_TMPDIR/typed" 2>&1) || wrong "$shell: it did not end"
		[ "$(grep -c 'ib1 *mlx5_1' "$BATS_TEST_TMPDIR/typed")" = 2 ] ||
			wrong "$shell: $(<"$BATS_TEST_TMPDIR/typed")"
	done
	nothing_wrong
}

@test "completion: Tab completes words after a quoted one, and in it" {
	local shell setup line='rdmactl ports --no-headings -o netdev,device --root'

	mkdir -p "$BATS_TEST_TMPDIR/in/my dir"
	ln -s "$r" "$BATS_TEST_TMPDIR/in/my dir/tree"
	for shell in bash zsh fish; do
		setup="source '$top/completions/rdmactl.$shell'"
		[ $shell != zsh ] || setup="autoload -Uz compinit; compinit -D -u; $setup"
		(cd "$BATS_TEST_TMPDIR/in" && ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 HOME=$BATS_TEST_TMPDIR \
			"$top/tests/cli/press_tab.py" $shell "$setup" "$line my\\ dir/tree mlx5_1/" \
			"$line 'my dir/tree' mlx5_1/" "$line=\"my dir/tree\" mlx5_1/" "$line=my" "$line ~/in/my" \
			"$line 'my dir/tree' mlx5_1 \"--color=nev" \
			>"$BATS_TEST_TMPDIR/typed" 2>&1) || wrong "$shell: it did not end"
		[ "$(grep -c 'ib1 *mlx5_1' "$BATS_TEST_TMPDIR/typed")" = 6 ] ||
			wrong "$shell: $(<"$BATS_TEST_TMPDIR/typed")"
	done
	nothing_wrong
}

# bash takes the : for the end of a word, and replaces only the part after it.
@test "completion: Tab completes words with a : or a = in them" {
	local shell setup

	for shell in bash zsh fish; do
		setup="source '$top/completions/rdmactl.$shell'"
		[ $shell != zsh ] || setup="autoload -Uz compinit; compinit -D -u; $setup"
		(RDMACTL_ROOT=$roots/no-rdma ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 HOME=$BATS_TEST_TMPDIR \
			"$top/tests/cli/press_tab.py" $shell "$setup" \
			'rdmactl selftest --peer-memory dmabuf:sy' 'rdmactl selftest --peer-memory=dmabuf:sy' \
			>"$BATS_TEST_TMPDIR/typed" 2>&1) || wrong "$shell: it did not end"
		[ "$(grep -c 'a saved tree cannot transfer data' "$BATS_TEST_TMPDIR/typed")" = 2 ] ||
			wrong "$shell: $(<"$BATS_TEST_TMPDIR/typed")"
	done
	nothing_wrong
}
