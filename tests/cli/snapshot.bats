#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdmactl snapshot and --root FILE: an archive gives the same answers as the tree, an anonymised one
# reveals nothing about the host, hostile archives are refused, and nothing is left behind.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir tmp
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	archive=$BATS_TEST_TMPDIR/host.tar.zst
}

# snap FIXTURE FILE [OPTION...]: takes a snapshot of a fixture.
snap()
{
	quickly try snapshot "$2" --root "$roots/$1" "${@:3}"
}

# compare FOLDER COMMAND... -- ROOT...: what they print from snapshots, and the originals that are left.
compare()
{
	[ -z "$1" ] || mkdir -p "$1"
	RDMACTL=$binary "$BATS_TEST_DIRNAME/snapshots" "$@" || wrong 'not the same from snapshots'
}

has_unpacked()
{
	compgen -G "$TMPDIR/*" >/dev/null || compgen -G "$TMPDIR/.[!.]*" >/dev/null
}

# The private folder of --root FILE disappears, at once or, after a signal, soon.
nothing_stays()
{
	local tries=0

	while has_unpacked && [ $((tries += 1)) -lt 3000 ]; do
		pause 0.02
	done
	! has_unpacked || wrong "$1: left behind: $(ls -A "$TMPDIR")"
}

# listing ROOT COMMAND: its JSON and status, without the path of the root.
listing()
{
	quickly try "$2" --root "$1" --json
	printf '%s\nstatus %s\n' "${output//"$3"/ROOT}" "$status"
}

@test "snapshot: what it writes and prints" {
	snap cx6dx-roce "$archive" -o members,unreadable,left_out,anonymised --tsv --no-headings
	expect 0 "$(tar --zstd -tf "$archive" | wc -l)"$'\t0\t0\tno' ''
	[ "$(stat -c %a "$archive")" = 600 ]
	[ "$(tar --zstd -tf "$archive" | grep -vc '^rdmactl-snapshot/')" = 0 ]
	tar --zstd -xf "$archive"
	"$binary" schema snapshot >printed
	mkdir documents
	cp rdmactl-snapshot/manifest.json documents/manifest.json
	snap cx6dx-roce other.tar.gz --json
	[ "$status" = 0 ]
	cp out documents/printed.json
	"$top/tests/cli/validate" printed documents
	"$binary" schema version >printed
	rm documents/*
	cp rdmactl-snapshot/versions.json documents/versions.json
	"$top/tests/cli/validate" printed documents
	[ "$(jq -r '.snapshot[0].archive_bytes' out)" = "$(stat -c %s other.tar.gz)" ]
}

@test "snapshot: each form of archive, and standard output" {
	local name

	on cx5-ib-edr ports --json
	mv out ports
	for name in a.tar.zst a.tzst a.tar.gz a.tgz a.tar.xz a.txz a.tar; do
		snap cx5-ib-edr "$name"
		[ "$status" = 0 ] || wrong "$name: $stderr"
		quickly try ports --root "$name" --json
		cmp out ports || wrong "$name"
	done
	snap cx5-ib-edr -
	[ "$status" = 0 ]
	mv out b
	quickly try ports --root b --json
	cmp out ports
	nothing_stays end
	nothing_wrong
}

@test "snapshot: commands print the same from a snapshot as from the tree, and anonymised the same but for names" {
	local tree all topo=() others=() few=('doctor --all --json' 'topo --all --json' 'devices -o all --json'
		'gids --all -o all --json' 'netdevs -o all --json' 'metrics')

	all=('ports -o all --json' 'pkeys --all --json' 'counters --all --json' 'cables --json'
		'roce -o all --json' 'sriov -o all --json' 'ipoib --json' 'dev --json' 'caps'
		'resources' 'version --json' "${few[@]}")
	for tree in "$roots"/*; do
		case $tree in
		# Machines made for topo have little else; metrics read their ports and counters.
		*/topo-*) topo+=("$tree") ;;
		*) others+=("$tree") ;;
		esac
	done
	compare "$BATS_FILE_TMPDIR/originals" "${few[@]}" -- "${topo[@]}"
	compare "$BATS_FILE_TMPDIR/originals" "${all[@]}" -- "${others[@]}"
	nothing_wrong
}

@test "snapshot: a machine whose comparison does not finish is named, and the others are compared" {
	run compare found version -- none "$roots/no-driver" nothing
	[ "$(grep -c ': the comparison did not finish: no snapshot: ' <<<"$output")" = 2 ]
	grep '^none: ' <<<"$output"
	grep '^nothing: ' <<<"$output"
	[ "$(ls found)" = no-driver ]
	run compare '' version --
	[[ $output = 'Compares '*'not the same from snapshots' ]]
}

@test "snapshot: the same of a snapshot with recorded answers" {
	local kind

	for kind in optional resources objects exclusive; do
		with_answers $kind
		compare '' 'counters --optional --json' \
			'counters qp --all --json' 'counters mr --all --json' 'resources --json' \
			'resources --by process --json' 'resources qp -o all --json' \
			'resources cm_id -o all --json' \
			'resources mr -o device,mrn,length_bytes,iova,pdn,pid --json' \
			'resources srq -o all --json' 'dev -o all --json' 'system --json' 'link --json' \
			-- "$snapshot"
	done
	nothing_wrong
}

@test "snapshot: the same with --root FILE, RDMACTL_ROOT, and a personality" {
	local command

	snap cx5-ib-edr "$archive"
	for command in devices ports gids counters doctor topo; do
		listing "$roots/cx5-ib-edr" $command "$roots/cx5-ib-edr" >wanted
		listing "$archive" $command "$archive" >got
		cmp wanted got || wrong "$command"
	done
	quickly on cx5-ib-edr devices
	mv out wanted
	RDMACTL_ROOT=$archive quickly try devices
	cmp wanted out || wrong RDMACTL_ROOT
	ln -s "$binary" ibstat
	RDMACTL_ROOT=$roots/cx5-ib-edr ./ibstat >wanted
	RDMACTL_ROOT=$archive ./ibstat >got
	cmp wanted got || wrong ibstat
	nothing_stays end
	nothing_wrong
}

@test "snapshot: doctor sees the same container, libraries and records of crashes" {
	local tree=$BATS_TEST_TMPDIR/tree what='.doctor[] | select(.check | IN("pstore", "memlock", "rdma-cgroup", "provider", "container-devices")) | [.object, .verdict, .summary, .next_step]'

	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree"/.singularity.d "$tree"/proc/self "$tree"/sys/fs/pstore
	printf '28 22 0:29 / /sys/fs/%s\n' 'pstore rw,nosuid shared:10 - pstore pstore rw' \
		'cgroup rw - cgroup2 cgroup2 rw' >"$tree/proc/self/mountinfo"
	mkdir -p "$tree"/sys/fs/cgroup/jobs/17 "$tree"/lib64/libibverbs "$tree"/etc/libibverbs.d "$tree"/dev/infiniband
	echo 0::/jobs/17 >"$tree/proc/self/cgroup"
	echo 'mlx5_0 hca_handle=0 hca_object=max' >"$tree/sys/fs/cgroup/jobs/17/rdma.max"
	echo 'mlx5_0 hca_handle=0 hca_object=0' >"$tree/sys/fs/cgroup/jobs/17/rdma.current"
	echo 'driver mlx5' >"$tree/etc/libibverbs.d/mlx5.driver"
	echo 'lib%s-rdmav34.so' >"$tree/lib64/libibverbs.so.1"
	echo >"$tree/lib64/libibverbs/libmlx5-rdmav34.so"
	echo >"$tree/dev/infiniband/uverbs0"
	ln -s '!EPERM' "$tree/dev/infiniband/uverbs1"
	echo x >"$tree/sys/fs/pstore/dmesg-efi_pstore-1"
	echo 'Max locked memory         8388608              8388608              bytes     ' >"$tree/proc/self/limits"
	quickly try doctor --all --json --root "$tree"
	jq -c "$what" out >wanted
	grep 'saved a record of a crash' wanted
	grep 'raise the limit of the job or login that starts the container' wanted
	grep "a control group's quota of RDMA objects is used up" wanted
	grep 'the library for the driver is installed' wanted
	grep "the container has some of the host's RDMA devices" wanted
	for option in '' --anonymise; do
		# shellcheck disable=SC2086 # none or one
		quickly try snapshot a.tar --force --root "$tree" $option
		quickly try doctor --all --json --root a.tar
		jq -c "$what" out >got
		diff wanted got
		# The archive does not have the time of the record.
		jq -e '[.doctor[] | select(.check == "pstore").evidence] == ["1 dmesg record"]' out
	done
}

@test "snapshot: doctor sees which directories the loader searches" {
	local tree=$BATS_TEST_TMPDIR/tree what='.doctor[] | select(.check == "provider" and .object == "mlx5_0") | [.verdict, .summary, .evidence]' named

	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree"/lib64 "$tree"/usr/local/lib64 "$tree"/etc/{libibverbs.d,ld.so.conf.d}
	echo 'driver mlx5' >"$tree/etc/libibverbs.d/mlx5.driver"
	echo 'lib%s-rdmav34.so' >"$tree/lib64/libibverbs.so.1"
	echo >"$tree/usr/local/lib64/libmlx5-rdmav34.so"
	echo 'include ld.so.conf.d/*.conf' >"$tree/etc/ld.so.conf"
	for named in /usr/local/lib64 /home/alice/lib; do
		echo "$named" >"$tree/etc/ld.so.conf.d/alice.conf"
		quickly try doctor --all --json --root "$tree"
		jq -c "$what" out >wanted
		[ "$(jq -r '.[0]' wanted)" = "$([ $named = /usr/local/lib64 ] && echo ok || echo warning)" ]
		for option in '' --anonymise; do
			# shellcheck disable=SC2086 # none or one
			quickly try snapshot a.tar --force --root "$tree" $option
			quickly try doctor --all --json --root a.tar
			jq -c "$what" out >got
			diff wanted got
		done
		! tar -xOf a.tar | grep -a /home/alice || wrong 'a directory'
	done
}

# same_of TREE: doctor prints the same of a tree and of its snapshots, the last of which is anonymised.
same_of()
{
	local option

	quickly try doctor -a --root "$1"
	mv out wanted
	for option in '' --anonymise; do
		# shellcheck disable=SC2086 # none or one
		quickly try snapshot a.tar --force --root "$1" $option
		quickly try doctor -a --root a.tar
		diff wanted out
	done
}

@test "snapshot: doctor knows a provider by its path, also of an anonymised one" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree"/lib64/libibverbs "$tree"/etc/libibverbs.d
	echo 'lib%s-rdmav34.so' >"$tree/lib64/libibverbs.so.1"
	printf 'driver /home/alice/%s\n' libalice libmlx5 >"$tree/etc/libibverbs.d/mlx5.driver"
	same_of "$tree"
	grep 'the provider mlx5 is configured by its path' wanted
	run ! grep -a alice <(tar -xOf a.tar)
}

@test "snapshot: doctor knows a host with the files of a container, also of an anonymised one" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree"/lib64/libibverbs "$tree"/etc/libibverbs.d "$tree"/proc/self/ns "$tree"/proc/1
	echo 'lib%s-rdmav34.so' >"$tree/lib64/libibverbs.so.1"
	: >"$tree/.dockerenv"
	ln -s 'pid:[4026531836]' "$tree/proc/self/ns/pid"
	echo '27 1 254:0 /alice/root / rw,relatime - ext4 /dev/mapper/alice-root rw' >"$tree/proc/1/mountinfo"
	printf '%s\n' '90 1 0:2 / / rw - rootfs none rw' \
		'91 90 254:0 /alice/root / rw shared:1 - ext4 /dev/mapper/alice-root rw' >"$tree/proc/self/mountinfo"
	same_of "$tree"
	grep 'profile hpc' wanted
	run ! grep -a alice <(tar -xOf a.tar)
	# A container that sees the processes of its host.
	echo '91 90 254:0 /alice/box / rw shared:1 - ext4 /dev/mapper/alice-root rw' >"$tree/proc/self/mountinfo"
	same_of "$tree"
	grep 'profile container' wanted
	run ! grep -a alice <(tar -xOf a.tar)
}

@test "snapshot: doctor knows the settings of Amazon's libfabric, also of an anonymised one" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/efa" "$tree"
	mkdir -p "$tree/opt/amazon/efa/etc" "$tree/etc"
	printf '%s\n' '# of alice' FI_LOG_LEVEL=alice FI_PROVIDER=tcp >"$tree/opt/amazon/efa/etc/libfabric.conf"
	same_of "$tree"
	grep 'FI_PROVIDER=tcp (/opt/amazon/efa/etc/libfabric.conf)' wanted
	run ! grep -a alice <(tar -xOf a.tar)
	# It has none, and does not read the host's.
	mv "$tree/opt/amazon/efa/etc/libfabric.conf" "$tree/etc"
	mv "$tree/opt/amazon/efa/etc" "$tree/opt/amazon/efa/lib"
	same_of "$tree"
	run ! grep FI_PROVIDER=tcp wanted
	run ! grep -a alice <(tar -xOf a.tar)
}

@test "snapshot: doctor knows the limits that CRI-O sets, also of an anonymised one" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree"/proc/850 "$tree"/etc/crio/crio.conf.d
	echo crio >"$tree/proc/850/comm"
	printf '%s\n' 'Name:	crio' 'Tgid:	850' 'PPid:	1' 'Uid:	0	0	0	0' >"$tree/proc/850/status"
	echo 'Max locked memory         8388608              8388608              bytes' >"$tree/proc/850/limits"
	printf '%s\n' '[crio.image]' '"https_proxy" = "alice"' >"$tree/etc/crio/crio.conf"
	printf '%s\n' '[crio.runtime]' 'conmon_env = [' '"USER=alice"' ']' '# "memlock=1" # of alice' \
		'default_ulimits = [ # of alice' '	"nofile=1:2",' "	'memlock=-1:-1', # of alice" ']' \
		>"$tree/etc/crio/crio.conf.d/99-rdma"
	same_of "$tree"
	grep '^ok  *crio\[850]: processes that it starts can pin memory without a limit' wanted
	run ! grep -a alice <(tar -xOf a.tar)
	quickly try snapshot b.tar --root "$tree"
	tar -xOf b.tar --wildcards '*/etc/crio/crio.conf.d/99-rdma' >kept
	diff kept - <<<$']\ndefault_ulimits = [ # of alice\n\t\'memlock=-1:-1\', # of alice\n]'
	run ! grep crio.conf$ <(tar -tf b.tar)
}

@test "snapshot: a snapshot of an archive is the same again" {
	snap roce-bond-vlan one.tar
	quickly try snapshot two.tar --root one.tar
	[ "$status" = 0 ]
	mkdir one two
	tar -xf one.tar -C one
	tar -xf two.tar -C two
	diff -r --no-dereference one/rdmactl-snapshot/root two/rdmactl-snapshot/root
}

@test "snapshot: nothing is left behind, however the command ends" {
	local signal pid

	snap cx5-ib-edr "$archive"
	quickly try ports --root "$archive" --no-such-option
	[ "$status" = 2 ]
	quickly try devices no_such_device --root "$archive"
	[ "$status" = 5 ]
	nothing_stays errors
	for signal in INT TERM HUP KILL; do
		mkfifo $signal
		exec 4<>$signal
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$binary" metrics --listen 127.0.0.1:0 --root "$archive" \
			>&4 2>&1 </dev/null 3>&- 4>&- &
		pid=$!
		read -rt 120 -n 1 <&4
		has_unpacked || wrong "$signal: not unpacked"
		kill -$signal $pid
		wait $pid || :
		exec 4>&-
		nothing_stays $signal
	done
	quickly try ports --root "$archive" --timeout 1ms
	nothing_stays timeout
	nothing_wrong
}

# Its rates would all be 0, as if nothing was going on. A directory may be the /sys of a host.
@test "snapshot: an archive is not watched" {
	snap cx6dx-roce "$archive"
	quickly try counters --watch --count 1 --root "$archive" mlx5_0
	expect_error 2 counters 'a snapshot never changes, so there is nothing to watch' \
		'without --watch its counters are shown; --save of one snapshot and --since of a later one show the growth'
	quickly try top --count 1 --root "$archive"
	expect_error 2 top 'a snapshot never changes, so there is nothing to watch' \
		'rdmactl ports and rdmactl counters show what it holds'
	mkdir unpacked
	tar --zstd -xf "$archive" -C unpacked
	quickly try counters --watch --interval 100ms --count 1 --no-headings -o counter \
		--root unpacked/rdmactl-snapshot mlx5_0/1
	expect 0 $'tx_bytes\nrx_bytes\ntx_packets\nrx_packets' ''
	nothing_wrong
}

@test "snapshot: damaged archives, and files that are not archives" {
	local length

	snap cx6dx-roce "$archive"
	head -c 3000 "$archive" >cut.tar.zst
	quickly try ports --root cut.tar.zst
	[ "$status" = 1 ]
	[[ $stderr == 'rdmactl ports: cut.tar.zst is '*damaged* ]]
	snap cx6dx-roce plain.tar
	head -c 300000 plain.tar >cut.tar
	quickly try ports --root cut.tar
	expect_error 1 ports 'cut.tar is damaged or cut off' \
		"--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"
	# Cut between two members, where the library sees a regular end.
	length=$(python3 -c 'import sys, tarfile; print(tarfile.open(sys.argv[1]).getmembers()[1200].offset)' plain.tar)
	head -c "$length" plain.tar >cut.tar
	quickly try ports --root cut.tar
	expect_error 1 ports 'cut.tar is damaged or cut off' \
		"--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"
	quickly try ports --root plain.tar
	[ "$status" = 0 ]
	cp "$archive" flipped
	printf 'XXXXXXXX' | dd of=flipped bs=1 seek=9000 conv=notrunc status=none
	quickly try ports --root flipped
	[ "$status" = 1 ]
	echo text >text
	quickly try ports --root text --json
	[ "$status" = 1 ]
	jq -e '.ports == [] and (.problems | length) == 1' out
	: >empty
	quickly try ports --root empty
	[ "$status" = 1 ]
	nothing_stays end
	nothing_wrong
}

@test "snapshot: only a library that is missing is to be installed" {
	local real needed other need="snapshots need libarchive.so.13, which cannot be loaded"

	real=$(ldconfig -p | awk '$1 == "libarchive.so.13" { print $NF; exit }')
	needed=$(readelf -d "$real" | awk -F '[][]' '/NEEDED/ && $2 !~ /^lib[cm]\./ { print $2; exit }')
	# As many letters, which no library has.
	other=${needed//[a-z]/q}
	mkdir broken
	export LD_LIBRARY_PATH=$PWD/broken
	echo text >broken/libarchive.so.13
	try snapshot x.tar
	expect_error 1 snapshot "$need" "$PWD/broken/libarchive.so.13: file too short"
	# It is there, but a library that it needs is not.
	LC_ALL=C sed "s/${needed//./\\.}/$other/g" "$real" >broken/libarchive.so.13
	try snapshot x.tar
	expect_error 1 snapshot "$need" "$other: cannot open shared object file: No such file or directory"
	echo >archive
	try ports --root archive
	expect_error 1 ports "$need" "$other: cannot open shared object file: No such file or directory"
	# Another library under its name: as an old one, it lacks functions.
	cp "$(ldconfig -p | awk '$1 == "libnl-3.so.200" { print $NF; exit }')" broken/libarchive.so.13
	try snapshot x.tar
	expect_error 1 snapshot "$need" 'it is there, but lacks a function: it may be too old'
	[ ! -e x.tar ]
}

@test "snapshot: hostile archives are refused with one line" {
	local name words

	mkdir bad
	python3 "$BATS_TEST_DIRNAME/archives.py" bad >cases
	quickly try devices --root bad/good.tar
	[ "$status" = 5 ]
	[ "$(wc -l <cases)" -gt 20 ]
	while read -r name words; do
		quickly try devices --root "bad/$name"
		[ "$status" = 1 ] || wrong "$name: status $status"
		[[ $stderr == "rdmactl devices: bad/$name is "*"$words"* ]] || wrong "$name: $stderr"
		[ "$(wc -l <err)" = 2 ] || wrong "$name: $(<err)"
		nothing_stays "$name"
	done <cases
	[ ! -e evil ]
	[ ! -e /tmp/rdmactl-evil ]
	nothing_wrong
}

@test "snapshot: no room to unpack" {
	snap cx5-ib-edr "$archive"
	TMPDIR=$BATS_TEST_TMPDIR/none quickly try ports --root "$archive"
	expect_error 1 ports "cannot make a folder to unpack $archive: No such file or directory" \
		'TMPDIR=DIRECTORY chooses another place'
	cp "$archive" $'\e.tar.zst'
	TMPDIR=$BATS_TEST_TMPDIR/none quickly try ports --root $'\e.tar.zst'
	[[ $stderr == *'unpack \x1b.tar.zst: '* ]]
}

@test "snapshot: a signal leaves no unfinished archive behind" {
	local signal pid tries

	for signal in INT TERM HUP ALRM; do
		"$binary" snapshot big.tar.xz --timeout 1h --root "$roots/forty" >out 2>err </dev/null 3>&- &
		pid=$!
		tries=0
		until compgen -G 'big.tar.xz.*' >temporary || [ $((tries += 1)) -gt 12000 ]; do
			pause 0.01
		done
		[ -s temporary ]
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		[ "$status" != 0 ] || wrong "$signal: it was ready"
		[ -z "$(compgen -G 'big.tar.xz*')" ] || wrong "$signal: $(ls)"
	done
	[ "$(<err)" = 'rdmactl: gave up after --timeout' ]
	nothing_wrong
}

@test "snapshot: errors of the output" {
	snap cx5-ib-edr "$archive"
	snap cx5-ib-edr "$archive"
	expect_error 1 snapshot "$archive exists" '--force replaces it'
	snap cx5-ib-edr "$archive" --force
	[ "$status" = 0 ]
	snap cx5-ib-edr host.zip
	expect_error 2 snapshot "'host.zip' does not say which kind of archive to write" \
		'end the name with .tar.zst, .tar.gz, .tar.xz or .tar'
	snap cx5-ib-edr none/host.tar
	expect_error 1 snapshot 'cannot write none/host.tar: No such file or directory' \
		'name a file in a directory that exists and is writable'
	snap cx5-ib-edr host.tar --since yesterday
	expect_error 2 snapshot '--since: not a time' 'such as 30m, 2h, 7d or 2026-01-31T12:00:00Z'
	for time in 2026-01-31T12:00:00Z 90s 1.5h 7d; do
		snap cx5-ib-edr host.tar --since $time
		expect_error 2 snapshot '--since selects from the kernel log of this host, not from that of --root'
	done
	snap cx5-ib-edr host.tar --anonymise-key "$archive"
	[ "$status" = 2 ]
	quickly try snapshot host.tar --root none
	expect_error 1 snapshot 'cannot open the root directory none: No such file or directory' \
		"--root takes a directory, or an archive that \`rdmactl snapshot\` wrote"
	RDMACTL_ROOT=none quickly try snapshot host.tar
	expect_error 1 snapshot 'cannot open the root directory none: No such file or directory' \
		'unset RDMACTL_ROOT to read the live system'
	quickly try snapshot
	[ "$status" = 2 ]
	[ "$(find . -name 'host.tar*' | sort | tr '\n' ' ')" = './host.tar.zst ' ]
}

# The key, which is read after the first check, comes from a pipe. A program that ends before it opens
# the pipe fails the test.
@test "snapshot: a file that appears meanwhile is not replaced" {
	local option status pid

	mkfifo key
	for option in -v --force; do
		"$binary" snapshot "$archive" --root "$roots/cx6dx-roce" --anonymise --anonymise-key key "$option" \
			>out 2>err 3>&- &
		pid=$!
		exec {pipe}<>key
		until [[ $(readlink "/proc/$pid/fd/"*) = *"$PWD/key"* ]]; do
			kill -0 "$pid"
			pause 0.02
		done
		echo theirs >"$archive"
		printf secret >&"$pipe"
		exec {pipe}>&-
		status=0
		wait "$pid" || status=$?
		if [ "$option" = --force ]; then
			[ "$status" = 0 ]
			[ "$(head -c 6 "$archive")" != theirs ]
		else
			[ "$status" = 1 ]
			[ "$(<err)" = "rdmactl snapshot: $archive exists"$'\n  --force replaces it' ]
			[ "$(<"$archive")" = theirs ]
			[ -z "$(compgen -G "$archive.*")" ]
			rm "$archive"
		fi
	done
}

@test "snapshot: a full disk leaves nothing behind" {
	(
		ulimit -f 4
		snap cx5-ib-edr big.tar
		expect_error 1 snapshot 'cannot write big.tar: File too large' \
			"raise the limit of a file's size (ulimit -f)"
	)
	[ -z "$(find . -name 'big.tar*')" ]
}

@test "snapshot: standard output that fails" {
	status=0
	"$binary" snapshot - --root "$roots/cx5-ib-edr" >/dev/full 2>err || status=$?
	[ "$status" = 1 ]
	grep -q 'No space left on device' err
}

@test "snapshot: a file that cannot be read is reported, and is in the archive as its error" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -a "$roots/cx5-ib-edr" "$tree"
	ln -sfn '!EACCES' "$tree/sys/class/infiniband/mlx5_0/ports/1/rate"
	quickly try snapshot a.tar --root "$tree" --json
	[ "$status" = 0 ]
	quickly try ports --root a.tar
	mv out got
	mv err got.err
	quickly try ports --root "$tree"
	cmp out got
	cmp err got.err
	[[ $stderr == *'Permission denied'* ]]
	[ "$(id -u)" = 0 ] || skip 'only root can become another user'
	rm "$tree/sys/class/infiniband/mlx5_0/ports/1/rate"
	echo secret >"$tree/sys/class/infiniband/mlx5_0/ports/1/rate"
	chmod 000 "$tree/sys/class/infiniband/mlx5_0/ports/1/rate"
	try_as_nobody snapshot b.tar --json
	[ "$status" = 3 ]
	grep -q 'ports/1/rate -> !EACCES' <(tar -tvf b.tar)
	jq -e '.snapshot[0].unreadable == 1 and .problems[0].error == "Permission denied"' out
	grep -q 'run it as root' err
}

@test "snapshot: keys are never included" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree"/etc/modprobe.d "$tree"/etc/systemd/system "$tree"/sys/module/mlx5_core/parameters "$tree"/proc
	echo 'options mlx5_core auth_key=hunter1 prof_sel=2 sa_key: hunter2' >"$tree/etc/modprobe.d/a.conf"
	echo 'options x password "hunter3" token = hunter4' >"$tree/etc/modprobe.d/b.conf"
	# After a crash of the host, zeros may be in the place of what was written last.
	printf 'options x key=hunter9\n\0\0options y key=hunter10\n\0' >"$tree/etc/modprobe.d/c.conf"
	printf '[Service]\nEnvironment=TOKEN=hunter5\nLimitMEMLOCK=infinity\n' >"$tree/etc/systemd/system/x.service"
	echo hunter6 >"$tree/sys/module/mlx5_core/parameters/m_key"
	echo 3 >"$tree/sys/module/mlx5_core/parameters/prof_sel"
	echo 'quiet luks.key=hunter7 mlx5_core.sa_key=hunter8 pkey=0x8001' >"$tree/proc/cmdline"
	quickly try snapshot a.tar --root "$tree"
	[ "$status" = 3 ]
	[[ $stderr == *'sys/module/mlx5_core/parameters/m_key: left out, because it may be a key'* ]]
	tar -xf a.tar
	run ! grep -r hunter rdmactl-snapshot
	grep -q prof_sel=2 rdmactl-snapshot/root/etc/modprobe.d/a.conf
	grep -q pkey=0x8001 rdmactl-snapshot/root/proc/cmdline
	[ "$(<rdmactl-snapshot/root/etc/systemd/system/x.service)" = LimitMEMLOCK=infinity ]
	[ "$(<rdmactl-snapshot/root/sys/module/mlx5_core/parameters/prof_sel)" = 3 ]
	[ -s rdmactl-snapshot/root/sys/class/infiniband/mlx5_0/ports/1/pkeys/0 ]
}

@test "snapshot: --anonymise leaves no original of any machine" {
	local tree found=$BATS_FILE_TMPDIR/originals left=()

	# The test of all commands has looked for them, unless a comparison did not finish.
	for tree in "$roots"/*; do
		[ -e "$found/${tree##*/}" ] || left+=("$tree")
	done
	[ ${#left[@]} = 0 ] || compare "$found" -- "${left[@]}"
	for tree in "$found"/*; do
		[[ $(<"$tree") =~ ^[0-9]+\ originals$ ]] || wrong "${tree##*/}: $(<"$tree")"
	done
	nothing_wrong
}

@test "snapshot: --anonymise changes the problems that it reports, too" {
	local tree=$BATS_TEST_TMPDIR/tree host=gpu17.example.org

	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree/proc/sys/kernel" "$tree/etc/modprobe.d"
	echo $host >"$tree/proc/sys/kernel/hostname"
	# More than is taken from one file.
	truncate -s 8M "$tree/etc/modprobe.d/$host.conf"
	quickly try snapshot a.tar --root "$tree" --json
	[ "$status" = 3 ]
	jq -e --arg file "etc/modprobe.d/$host.conf" '.problems[0] | .object == $file and .error == "only the beginning was taken"' out
	[[ $stderr == *$host* ]]
	quickly try snapshot b.tar --root "$tree" --json --anonymise
	[ "$status" = 3 ]
	jq -e '.problems[0].object | test("^etc/modprobe.d/host-[0-9a-f]+.conf$")' out
	run ! grep -E 'gpu17|example' out err
}

@test "snapshot: --anonymise changes the names of groups that it could not read" {
	local tree=$BATS_TEST_TMPDIR/tree groups

	[ "$(id -u)" = 0 ] || skip 'only root can become another user'
	cp -a "$roots/cx5-ib-edr" "$tree"
	groups=$tree/sys/fs/cgroup
	mkdir -p "$groups/alice.slice/job_17" "$groups/bob.slice"
	echo 'mlx5_0 hca_handle=2' >"$groups/alice.slice/job_17/rdma.max"
	chmod 000 "$groups/alice.slice/job_17/rdma.max" "$groups/bob.slice"
	try_as_nobody snapshot a.tar --anonymise -o unreadable,left_out --tsv --no-headings
	[ "$status" = 3 ]
	# Each is reported once, although several sources lead to the folder.
	[ "$(<out)" = $'2\t2' ]
	[ "$(sed -nE 's/group-[0-9a-f]{12}/GROUP/g; s/.*cannot read (.*):.*/\1/p' err)" = $'sys/fs/cgroup/GROUP\nsys/fs/cgroup/GROUP/GROUP/rdma.max' ]
	run ! grep -aE 'alice|bob|job_17' out err a.tar
	tar -tvf a.tar | grep -q 'group-[0-9a-f]*/rdma.max -> !EACCES'
}

@test "snapshot: --anonymise says what is missing of the control groups" {
	local tree=$BATS_TEST_TMPDIR/tree

	# Together they have more than fits.
	mkdir -p "$tree/sys/class/infiniband" "$tree/sys/fs/cgroup/alice"{1..60}
	truncate -s 8M "$tree/sys/fs/cgroup/alice"{1..60}/rdma.max
	quickly try snapshot a.tar.zst --root "$tree" --anonymise --json
	[ "$status" = 3 ]
	jq -e '[.problems[] | select(.error == "the rest was left out: a snapshot has at most 512 MiB")] | length == 1' out
	run ! grep alice out err
}

@test "snapshot: --anonymise omits files that it cannot look into" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree/etc/modprobe.d"
	printf 'options\0' >"$tree/etc/modprobe.d/one.conf"
	try snapshot a.tar --root "$tree" --anonymise -o members --tsv --no-headings
	[ "$status" = 3 ]
	[ "$stderr" = "rdmactl snapshot: etc/modprobe.d/one.conf: left out: what is in it is not known, so addresses there cannot be replaced
  a snapshot without --anonymise has them all
" ]
	mkdir -p "$tree/proc/sys/kernel"
	echo gpu17.example.org >"$tree/proc/sys/kernel/hostname"
	mv "$tree/etc/modprobe.d/one.conf" "$tree/etc/modprobe.d/gpu17.conf"
	cp "$tree/etc/modprobe.d/gpu17.conf" "$tree/etc/modprobe.d/"$'\a.gpu17.conf'
	try snapshot b.tar --root "$tree" --anonymise --json
	[ "$status" = 3 ]
	[ "$(sed -E 's/host-[0-9a-f]{8}/HOST/' err)" = 'rdmactl snapshot: etc/modprobe.d/\x07.HOST.conf: left out: what is in it is not known, so addresses there cannot be replaced
  a snapshot without --anonymise has them all
rdmactl snapshot: etc/modprobe.d/HOST.conf: left out: what is in it is not known, so addresses there cannot be replaced' ]
	jq -e '.snapshot[0].left_out == 2' out
	run ! grep 'modprobe.d/.*conf' <(tar -tf b.tar)
	run ! grep -a gpu17 out <(tar -xOf b.tar)
	# The host name is then unknown, because its own file is one of those.
	rm "$tree/etc/modprobe.d"/*
	echo '# of gpu17' >"$tree/etc/modprobe.d/a.conf"
	printf 'gpu17\0' >"$tree/proc/sys/kernel/hostname"
	try snapshot c.tar --root "$tree" --anonymise --json
	[ "$status" = 3 ]
	jq -e '.snapshot[0].host == null' out
	run ! grep -a gpu17 out <(tar -xOf c.tar)
}

@test "snapshot: --anonymise drops comments and users' files, and doctor says the same" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -a "$roots/no-driver" "$tree"
	mkdir -p "$tree"/etc/modprobe.d "$tree"/etc/security/limits.d "$tree"/proc/sys/kernel
	echo gpu17.acme.org >"$tree/proc/sys/kernel/hostname"
	printf '# alice of nfs.acme.org\n#\\\nalice\ninstall mlx5_core /bin/false\n' >"$tree/etc/modprobe.d/a.conf"
	echo 'alice - memlock 64' >"$tree/etc/security/limits.d/alice.conf"
	echo '* - memlock unlimited # alice' >"$tree/etc/security/limits.d/rdma.conf"
	quickly try snapshot a.tar --root "$tree" --anonymise --json
	[ "$status" = 0 ]
	jq -e '.snapshot[0].left_out == 0' out
	run ! grep -iE 'alice|acme' <(tar -tf a.tar) <(tar -xOf a.tar)
	tar -tf a.tar | grep -q limits.d/rdma.conf
	quickly try doctor -a --root "$tree"
	grep -q '/etc/modprobe.d/a.conf:4: install mlx5_core /bin/false' out
	mv out wanted
	quickly try doctor -a --root a.tar
	diff wanted out
}

@test "snapshot: --anonymise keeps the mistakes in nccl.conf that doctor reports" {
	local tree=$BATS_TEST_TMPDIR/tree value

	cp -R "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree/etc"
	for value in "'mlx5_0'" ' mlx5_7' 'mlx5_0, mlx5_1' 'mlx5_0:1,	mlx5_8'; do
		printf 'NCCL_IB_HCA=%s\n' "$value" >"$tree/etc/nccl.conf"
		quickly try snapshot a.tar --force --root "$tree" --anonymise
		[ "$status" = 0 ]
		quickly try doctor -a --root "$tree" --only stale-env
		grep -q 'correct NCCL_IB_HCA: ' out
		mv out wanted
		quickly try doctor -a --root a.tar --only stale-env
		diff wanted out
	done
}

@test "snapshot: --anonymise keeps it that node descriptions name the host" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree/proc/sys/kernel"
	echo node017.acme.org >"$tree/proc/sys/kernel/hostname"
	quickly try snapshot a.tar --root "$tree" --anonymise
	quickly try doctor --root a.tar --only node-desc -o verdict,summary --tsv --no-headings mlx5_0
	expect 0 $'ok\tthe node description names the host' ''
}

@test "snapshot: --anonymise is stable under one key, and differs under another" {
	printf 'one key' >one
	printf 'another' >another
	snap cx6dx-roce a.tar --anonymise --anonymise-key one
	snap cx6dx-roce b.tar --anonymise --anonymise-key one
	snap cx6dx-roce c.tar --anonymise --anonymise-key another
	snap cx6dx-roce d.tar --anonymise
	for name in a b c d; do
		quickly try gids --root $name.tar --json
		mv out $name.json
	done
	cmp a.json b.json
	run ! cmp -s a.json c.json
	run ! cmp -s a.json d.json
	[ "$(jq .snapshot[0].anonymised <(tar -xOf a.tar rdmactl-snapshot/manifest.json))" = true ]
	: >empty
	snap cx6dx-roce e.tar --anonymise --anonymise-key empty
	expect_error 1 snapshot 'cannot read the key empty: it is empty' 'make one: head -c 32 /dev/urandom >FILE'
}
