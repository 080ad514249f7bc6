#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# golden MACHINE FILE WORDS...: compares the output of topo with tests/golden/topo-MACHINE/FILE.
golden()
{
	local file=$top/tests/golden/topo-$1/$2

	on "topo-$1" topo "${@:3}"
	[ "$status" = 0 ] || { echo "topo-$1: exit status $status: $stderr"; return 1; }
	if [ -n "${UPDATE:-}" ]; then
		mkdir -p "${file%/*}"
		cp "$BATS_TEST_TMPDIR/out" "$file"
	fi
	diff -u "$file" "$BATS_TEST_TMPDIR/out"
}

# cell MACHINE A B KEY: a value from the document about two nodes.
cell()
{
	quickly on "topo-$1" topo -j "$2"
	jq -r --arg to "$3" --arg key "$4" '.topo[0].distances[] | select(.to == $to)[$key]' \
		"$BATS_TEST_TMPDIR/out"
}

@test "topo: the matrix of every machine as in tests/golden" {
	local machine

	for machine in $("$top/tests/topo/machines"); do
		golden "$machine" topo.txt || wrong "$machine"
	done
	nothing_wrong
}

@test "topo: the document of a machine as in tests/golden, and valid" {
	golden switches topo.json -j -a
	mkdir "$BATS_TEST_TMPDIR/documents"
	cp "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/documents/topo.json"
	"$binary" schema topo >"$BATS_TEST_TMPDIR/schema"
	cd "$BATS_TEST_TMPDIR/documents"
	"$top/tests/cli/validate" ../schema .
}

@test "topo: properties that hold for every machine and every fixture" {
	RDMACTL=$binary "$top/tests/topo/properties" "$roots"/*/
}

@test "topo: the terms of NCCL and UCX" {
	golden switches nccl.txt --names nccl
	golden switches ucx.txt --names ucx
	golden grace nccl.txt --names nccl
}

@test "topo: an inherited NUMA node is marked as such" {
	quickly on topo-switches topo -o node,numa_node,numa_source mlx5_0 mlx5_11
	expect 0 $'NODE    NUMA NUMA SOURCE\nmlx5_0     0 inherited\nmlx5_11    1 measured' ''
}

@test "topo: node 0 everywhere in a Hyper-V guest with several nodes is not trusted" {
	quickly on topo-azure-ndv4-blind topo -o numa_node,numa_source gpu0
	expect 0 $'NUMA NUMA SOURCE\n   - unknown' ''
	quickly on topo-azure-ndv4 topo -o numa_node,numa_source gpu0
	expect 0 $'NUMA NUMA SOURCE\n   1 measured' ''
}

@test "topo: a virtual function is shown with its parent, unless requested" {
	quickly on topo-switches topo --tsv
	[[ $output != *mlx5_3* ]]
	quickly on topo-switches topo --tsv -a
	grep -q mlx5_3 <<<"$output"
	quickly on topo-switches topo -o node,role,parent mlx5_3
	expect 0 $'NODE   ROLE PARENT\nmlx5_3 vf   mlx5_1' ''
	[ "$(cell switches mlx5_3 mlx5_1 class)" = card ]
}

@test "topo: both functions of a bond" {
	quickly on cx7-ib-ndr topo -o node,role,functions mlx5_bond_0
	expect 0 $'NODE        ROLE FUNCTIONS\nmlx5_bond_0 bond 0000:5e:00.0,0000:5e:00.1' ''
}

@test "topo: the narrowest link of a pair, now and at best" {
	[ "$(cell switches mlx5_0 gpu0 bandwidth_gbps)" = 126.030769231 ]
	[ "$(cell switches mlx5_0 gpu0 max_bandwidth_gbps)" = 504.123076923 ]
}

@test "topo: integrated graphics and the display of a BMC are not accelerators" {
	quickly on topo-switches topo -o node,kind
	[ "$(grep -c accelerator <<<"$output")" = 3 ]
}

@test "topo: software devices have no place" {
	quickly on rxe-host topo -o node,role,numa_node,place_source
	expect 0
	[[ $output == *'rxe0 software    - unknown'* ]] || { echo "$output"; false; }
}

@test "topo: Xe Link, which only Level Zero shows" {
	local tree=$BATS_TEST_TMPDIR/tree gpu

	cp -r "$roots/topo-switches" "$tree"
	for gpu in "$tree"/sys/bus/pci/devices/0000:1[458]:00.0; do
		echo 0x8086 >"$gpu/vendor"
		echo 0x0bda >"$gpu/device"
	done
	try topo --root "$tree" gpu0
	[[ $output == *'?      after a word: this is the PCIe path; only Level Zero can see Xe Link'* ]]
	try topo --root "$tree" --why gpu0 gpu1
	[[ $output == *'Xe Link    not visible here: only Level Zero shows it'* ]]
	# Another of Intel's has none.
	echo 0x56c0 >"$tree/sys/bus/pci/devices/0000:15:00.0/device"
	try topo --root "$tree" --why gpu0 gpu1
	[[ $output == *gpu1* && $output != *'Xe Link'* ]]
}

@test "topo: nodes by name and address; an unknown one is reported" {
	quickly on topo-switches topo -o node 0000:14:00.0
	expect 0 $'NODE\ngpu0' ''
	on topo-switches topo gpu9
	expect 5 '' $'rdmactl topo: gpu9: no such RDMA device or accelerator\n  there are mlx5_0, mlx5_1, mlx5_2, mlx5_3, mlx5_10, mlx5_11, gpu0, gpu1, gpu2'
	on topo-switches topo -o node mlx5_0 nothing
	expect 3 $'NODE\nmlx5_0'
	on cx6dx-roce topo ens1f0np0
	expect 5 '' $'rdmactl topo: ens1f0np0: no such RDMA device or accelerator\n  that is a netdev of the adapter of mlx5_0: rdmactl netdevs shows which netdev belongs to which port'
	on cx6dx-roce topo mlx5_0 ''
	expect_error 2 topo 'a name is empty' 'rdmactl topo lists what is there'
	# Neither is the name of a netdev, though a folder exists.
	on cx6dx-roce topo . ../net
	[[ $stderr != *netdev* ]]
}

@test "topo: without RDMA devices there is nothing to do" {
	on no-rdma topo
	expect 5 ''
	[[ $stderr == *'no sys/class/infiniband'* ]]
}

@test "topo: unreadable files are reported, the rest is shown" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/topo-switches" "$tree"
	ln -sfn '!EACCES' "$tree/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/numa_node"
	ln -sfn '!EIO' "$tree/sys/devices/system/node/node1/distance"
	try topo --root "$tree" -o node,numa_node,numa_source mlx5_11
	expect 3 $'NODE    NUMA NUMA SOURCE\nmlx5_11    1 inherited'
	[[ $stderr == *'0000:81:00.0: cannot read numa_node: Permission denied'* ]]
	[[ $stderr == *'node1: cannot read distance: Input/output error'* ]]
	rm "$tree/sys/bus/pci/devices" -r
	ln -sfn '!EACCES' "$tree/sys/bus/pci/devices"
	try topo --root "$tree" --tsv mlx5_0
	expect 3
	[[ $stderr == *'cannot read PCI functions: Permission denied'* ]]
}

@test "topo: --why walks hop by hop" {
	golden switches why.txt --why gpu2 mlx5_0
	golden switches why-far.txt --why mlx5_0 mlx5_11
	golden switches why.json --why -j gpu2 mlx5_0
	golden grace why.txt --why gpu0 mlx5_0
	golden flat-vm why.txt --why gpu0 mlx5_0
	on topo-switches topo --why gpu0
	expect 2 '' $'rdmactl topo: --why needs two nodes\n  rdmactl topo --why gpu0 mlx5_0'
	on topo-switches topo --why gpu0 mlx5_99
	expect_error 5 topo 'mlx5_99: no such RDMA device or accelerator' \
		'there are mlx5_0, mlx5_1, mlx5_2, mlx5_3, mlx5_10, mlx5_11, gpu0, gpu1, gpu2'
	on topo-switches topo --why gpu0 gpu0
	expect 0
	[[ $output == 'distance   X: the same node'* ]]
}

@test "topo: --why's document is valid" {
	mkdir "$BATS_TEST_TMPDIR/documents"
	cd "$BATS_TEST_TMPDIR/documents"
	"$binary" topo --root "$roots/topo-switches" --why gpu2 mlx5_0 --json >path.json
	"$binary" schema topo_paths >../schema
	"$top/tests/cli/validate" ../schema .
}

@test "topo: --tree shows NUMA nodes, host bridges and switches" {
	local machine

	for machine in switches broadcom mi300x azure-ndv4-blind; do
		golden "$machine" tree.txt --tree || wrong "$machine"
	done
	nothing_wrong
}

@test "topo: --require fails for an accelerator without a near adapter" {
	quickly on topo-mi300x topo --require pxb
	expect 0
	quickly on topo-mi300x topo --require pix --tsv
	expect 4
	[[ $stderr == *'gpu0: the nearest active adapter, mlx5_0, is at PXB'* ]]
	[ "$(grep -c 'nearest active' <<<"$stderr")" = 8 ]
	quickly on topo-switches topo --require PIX --tsv gpu0 gpu1
	expect 0
	quickly on topo-switches topo --require PIX --tsv gpu2
	expect 4
	# An unknown answer does not pass.
	quickly on topo-flat-vm topo --require node --tsv
	expect 3
	[[ $stderr == *'gpu0: the distance to the adapters cannot be determined'* ]]
	quickly on topo-switches topo --require pxbb
	expect 2 '' $'rdmactl topo: --require: unknown class \'pxbb\'\n  pix, pxb, phb, node or sys'
	quickly on forty topo --require sys
	expect 5
}

@test "topo: for --require, an adapter without an active port does not count" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/topo-switches" "$tree"
	find "$tree/sys/devices" -path '*/infiniband/mlx5_0/ports/1/state' -exec sh -c 'echo "1: DOWN" >"$1"' - {} \;
	quickly try topo --root "$tree" --require pxb --tsv gpu0
	expect 4
	[[ $stderr == *'gpu0: the nearest active adapter, mlx5_1, is at PHB'* ]]
}

@test "topo: a topology file where NCCL looks for it shows what a virtual machine hides" {
	[ "$(cell ndv4-file gpu0 mlx5_ib0 class)" = switch ]
	[ "$(cell ndv4-file gpu0 mlx5_ib0 source)" = topology-file ]
	[ "$(cell azure-ndv4 gpu0 mlx5_ib0 class)" = numa ]
	[ "$(cell azure-ndv4 gpu0 mlx5_ib0 source)" = inferred ]
	golden ndv4-file why.txt --why gpu0 mlx5_ib1
	golden ndv4-file tree.txt --tree
}

@test "topo: --topology-file, and its errors" {
	local file=$BATS_TEST_TMPDIR/topology.xml

	quickly on topo-ndv4-file topo --nccl-xml
	expect 0
	cp "$BATS_TEST_TMPDIR/out" "$file"
	quickly on topo-azure-ndv4-blind topo --topology-file "$file" -o node,numa_node,numa_source gpu0
	expect 0 $'NODE NUMA NUMA SOURCE\ngpu0    1 topology-file' ''
	on topo-switches topo --topology-file "$file"
	expect 1 '' "rdmactl topo: $file: it has none of this host's devices"
	printf '<system version="1">\n<cpu>' >"$file"
	on topo-switches topo --topology-file "$file"
	expect 1 '' "rdmactl topo: $file: line 2: an element without its end"
	on topo-switches topo --topology-file /nonexistent
	expect 1 '' 'rdmactl topo: cannot read /nonexistent: No such file or directory'
}

@test "topo: a faulty file of the machine is reported, the rest is shown" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/topo-ndv4-file" "$tree"
	echo '<!DOCTYPE a [<!ENTITY b "c">]>' >"$tree/var/run/nvidia-topologyd/virtualTopology.xml"
	try topo --root "$tree" -o node,place_source gpu0
	expect 3 $'NODE PLACE SOURCE\ngpu0 measured' \
		'rdmactl topo: /var/run/nvidia-topologyd/virtualTopology.xml: line 1: a document type or marked section'
	ln -sfn '!EACCES' "$tree/var/run/nvidia-topologyd/virtualTopology.xml"
	try topo --root "$tree" -o node gpu0
	expect 3 $'NODE\ngpu0' \
		'rdmactl topo: cannot read /var/run/nvidia-topologyd/virtualTopology.xml: Permission denied'
}

@test "topo: --nccl-xml does not write a file that would state unknown facts" {
	golden switches nccl.xml --nccl-xml
	on topo-flat-vm topo --nccl-xml
	expect 1 '' "rdmactl topo: no topology file for this machine: it shows no PCIe switches, so the true distances are unknown
  use the topology file of its provider, if there is one"
}

@test "topo: --assign of every machine as in tests/golden" {
	local machine mode

	for machine in $("$top/tests/topo/machines"); do
		for mode in rail nccl; do
			golden "$machine" "assign-$mode.txt" --assign $mode || wrong "$machine $mode"
		done
	done
	nothing_wrong
}

@test "topo: --assign's document is valid; the rows are the requested ones" {
	mkdir "$BATS_TEST_TMPDIR/documents"
	cd "$BATS_TEST_TMPDIR/documents"
	golden mi300x assign.json --assign rail -j gpu2 gpu3
	cp "$BATS_TEST_TMPDIR/out" assign.json
	"$binary" schema topo_assignments >../schema
	"$top/tests/cli/validate" ../schema .
}

@test "topo: machines that cannot have an assignment" {
	on forty topo --assign rail
	expect 5 '' $'rdmactl topo: no accelerator, or no adapter with an active port\n  rdmactl topo and rdmactl ports list what is there'
	on no-rdma topo --env nccl
	expect 5 ''
}

@test "topo: --env names ports exactly" {
	quickly on topo-mi300x topo --env nccl
	expect 0 'NCCL_IB_HCA==mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_7:1' ''
	quickly on topo-mi300x topo --env nccl --gpu 3
	expect 0 'NCCL_IB_HCA==mlx5_3:1' ''
	quickly on topo-mi300x topo --env ucx --gpu 0000:15:00.0
	expect 0 'UCX_NET_DEVICES=mlx5_1:1' ''
	quickly on topo-mi300x topo --env ucx --gpu mlx5_0
	expect 5 '' $'rdmactl topo: mlx5_0: no such accelerator\n  there are gpu0, gpu1, gpu2, gpu3, gpu4, gpu5, gpu6, gpu7'
	quickly on topo-mi300x topo --env ucx --gpu gup1
	expect 5 '' $'rdmactl topo: gup1: no such accelerator\n  did you mean \'gpu1\'?'
	golden mi300x ucx.env --env ucx
	golden mi300x mpi.env --env mpi
	golden aws-p4d ucx.env --env ucx
}

@test "topo: the scripts of --env do what they say" {
	local script=$BATS_TEST_TMPDIR/wrap

	quickly on topo-mi300x topo --env mpi
	cp "$BATS_TEST_TMPDIR/out" "$script"
	printf '#!/bin/sh\necho "$@"\n' >"$BATS_TEST_TMPDIR/taskset"
	chmod +x "$script" "$BATS_TEST_TMPDIR/taskset"
	run env PATH="$BATS_TEST_TMPDIR:$PATH" OMPI_COMM_WORLD_LOCAL_RANK=5 "$script" program 'two words'
	[ "$output" = '-c 56-111 program two words' ]
	quickly on topo-mi300x topo --env ucx
	cp "$BATS_TEST_TMPDIR/out" "$script"
	run env SLURM_LOCALID=2 sh -c ". $script; echo \$UCX_NET_DEVICES"
	[ "$output" = mlx5_2:1 ]
	run env SLURM_LOCALID=8 sh -c ". $script"
	[ "$status" = 1 ]
	[ "$output" = 'the local rank is not between 0 and 7' ]
}

@test "topo: a name that a shell could misread is not put into any script" {
	local tree=$BATS_TEST_TMPDIR/tree name='mlx5_0;reboot'

	"$top/tests/topo/machines" flat-vm | sed "s/mlx5_0/$name/g" | python3 "$top/tests/mkroot" - "$tree"
	try topo --root "$tree" --env ucx
	expect 3
	[[ $output != *reboot* ]]
	[[ $stderr == *"$name: left out, because its name is not a plain word"* ]]
	# The rank that has that adapter is told about it.
	run env SLURM_LOCALID=0 sh -c "$output"
	[ "$status" = 1 ]
	[ "$output" = 'no adapter to name for gpu0' ]
	try topo --root "$tree" --env nccl
	expect 3 'NCCL_IB_HCA==mlx5_1:1'
}

@test "topo: --svg draws each node once, in XML" {
	local file=$BATS_TEST_TMPDIR/tree.svg

	quickly on topo-switches topo --svg "$file"
	expect 0 '' ''
	python3 - "$file" <<-'END'
		import sys, xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
		assert sum(t.startswith("mlx5_0 ") for t in texts) == 1, texts
		assert sum(t.startswith("gpu") for t in texts) == 3, texts
		paths = [e.get("class") for e in root.iter("{http://www.w3.org/2000/svg}path")]
		assert paths.count("slower") == 1, paths
	END
	quickly on topo-switches topo --svg -
	expect 0
	diff "$file" "$BATS_TEST_TMPDIR/out"
	on topo-switches topo --svg /nonexistent/file
	expect_error 1 topo 'cannot write /nonexistent/file: No such file or directory' \
		'name a file in a directory that exists and is writable'
	on topo-switches topo --svg /dev/full
	expect 1 '' 'rdmactl topo: cannot write /dev/full: it is not a regular file'
	(
		ulimit -f 1
		on topo-switches topo --svg "$file.small"
		expect_error 1 topo "cannot write $file.small: File too large" \
			"raise the limit of a file's size (ulimit -f)"
	)
	[ -z "$(compgen -G "$file.small*")" ]
}

@test "topo: --svg with hostile names is well-formed XML" {
	quickly on hostile topo -a --svg -
	python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$BATS_TEST_TMPDIR/out"
}

@test "topo: --locality supplies NUMA nodes, and the output says so" {
	local file=$BATS_TEST_TMPDIR/locality

	printf '# device NODE\n\n0000:81:00.0 0\npci0000:10 1 # all below\nmlx5_10 1\n' >"$file"
	quickly on topo-switches topo --locality "$file" -o node,numa_node,numa_source mlx5_11 mlx5_0 gpu2 mlx5_10
	expect 0 $'NODE    NUMA NUMA SOURCE\nmlx5_11    0 locality-file\nmlx5_0     1 locality-file\ngpu2       1 locality-file\nmlx5_10    1 locality-file' ''
	quickly on topo-switches topo --locality "$file" --why mlx5_11 mlx5_10
	[[ $output == *'SYS: different NUMA nodes (locality-file)'* ]]
	# Anything after a NUL is not ignored.
	printf 'mlx5_0 1\n\0mlx5_11 0\n' >"$file.nul"
	on topo-switches topo --locality "$file.nul"
	expect_error 1 topo "$file.nul is not a text file"
	printf 'mlx5_0 0\nmlx5_99 1\n' >"$file"
	on topo-switches topo --locality "$file"
	expect 1 '' "rdmactl topo: $file: line 2: there is no 'mlx5_99'"
	printf 'mlx5_0 zero' >"$file"
	on topo-switches topo --locality "$file"
	expect 1 '' "rdmactl topo: $file: line 1: expected a device, PCI address or host bridge, and a NUMA node"
}

@test "topo: a Data Direct function is the path to the accelerators, and marked as a guess" {
	golden data-direct why.txt --why gpu0 mlx5_0
	[ "$(cell data-direct gpu0 mlx5_0 class)" = switch ]
	[ "$(cell data-direct gpu0 mlx5_0 source)" = inferred ]
	[ "$(cell data-direct gpu1 mlx5_0 class)" = system ]
	quickly on topo-data-direct topo -a -o node,kind,role,functions,parent 0008:04:00.0
	expect 0 $'NODE         KIND     ROLE     FUNCTIONS    PARENT\n0008:04:00.0 function physical 0008:04:00.0 mlx5_0' ''
}

@test "topo: Data Direct functions that cannot be paired are skipped, and the output says so" {
	local tree=$BATS_TEST_TMPDIR/tree

	cp -r "$roots/topo-data-direct" "$tree"
	rm "$tree/sys/bus/pci/devices/0009:04:00.0"
	try topo --root "$tree"
	expect 0
	[[ $output == *'not known which ConnectX-8 adapters the Data Direct functions belong to'* ]]
	try topo --root "$tree" -j gpu0
	[ "$(jq -r '.topo[0].distances[] | select(.to == "mlx5_0").class' "$BATS_TEST_TMPDIR/out")" = numa ]
}

@test "topo: two functions of a ConnectX-8 have the same Data Direct function, which is listed once" {
	local tree=$BATS_TEST_TMPDIR/tree bus=sys/devices/pci0000:00/0000:00:00.0

	cp -r "$roots/topo-data-direct" "$tree"
	cp -r "$tree/$bus/0000:01:00.0" "$tree/$bus/0000:01:00.1"
	mv "$tree/$bus/0000:01:00.1/infiniband/mlx5_0" "$tree/$bus/0000:01:00.1/infiniband/mlx5_2"
	ln -s "../../../../$bus/0000:01:00.1" "$tree/sys/bus/pci/devices/0000:01:00.1"
	ln -s "../../../$bus/0000:01:00.1/infiniband/mlx5_2" "$tree/sys/class/infiniband/mlx5_2"
	try topo --root "$tree" -a -o node,parent --tsv --no-headings
	expect 0 $'mlx5_0\t\nmlx5_1\t\nmlx5_2\t\ngpu0\t\ngpu1\t\n0008:04:00.0\tmlx5_0\n0009:04:00.0\tmlx5_1' ''
	try topo --root "$tree" -j gpu0
	[ "$(jq -c '[.topo[0].distances[] | select(.to == ("mlx5_0", "mlx5_2")).class]' "$BATS_TEST_TMPDIR/out")" = '["switch","switch"]' ]
}

@test "topo: a subfunction is shown with its parent" {
	quickly on cx6dx-roce topo --tsv
	[[ $output != *mlx5_2* ]]
	quickly on cx6dx-roce topo -a -o node,role,parent mlx5_2
	expect 0 $'NODE   ROLE PARENT\nmlx5_2 sf   mlx5_0' ''
}

@test "topo: more nodes than can be compared, with and without --all" {
	local tree=$BATS_TEST_TMPDIR/many number

	mkdir -p "$tree/sys/class/infiniband/mlx5_"{0..256}/ports/1
	for number in {0..256}; do
		echo '1: CA' >"$tree/sys/class/infiniband/mlx5_$number/node_type"
	done
	try topo --root "$tree"
	[ "$status" = 1 ]
	[[ $stderr == *'too many nodes to compare: more than 256'* && $stderr != *--all* ]]
	try topo --root "$tree" --all
	[[ $stderr == *'too many nodes to compare: more than 256'*'omit --all'* ]]
	# Output that does not compare every pair has no such limit. 3: the tree lacks most files.
	try topo --root "$tree" --tree
	[ "$status" = 3 ]
	[ "$(grep -c mlx5_ "$BATS_TEST_TMPDIR/out")" = 257 ]
	try topo --root "$tree" --svg "$BATS_TEST_TMPDIR/picture.svg"
	[ "$status" = 3 ]
	[ "$(grep -c 'mlx5_[0-9]*<' "$BATS_TEST_TMPDIR/picture.svg")" = 257 ]
	try topo --root "$tree" --tsv -o node mlx5_256 mlx5_0
	[[ $status == 3 && $output == $'node\nmlx5_256\nmlx5_0\n' ]]
}

@test "topo: the NUMA node and link of a device whose links were copied as directories" {
	quickly on links-followed topo --tsv -o node,numa_node,numa_source,speed_gtps,width_lanes,max_speed_gtps,max_width_lanes
	expect 0 $'node\tnuma_node\tnuma_source\tspeed_gtps\twidth_lanes\tmax_speed_gtps\tmax_width_lanes\nmlx5_0\t1\tmeasured\t16\t16\t16\t16' ''
	quickly on links-followed topo --tree
	expect 0 $'NUMA node 1\n  mlx5_0  0000:86:00.0  gen4 x16' ''
}
