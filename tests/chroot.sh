# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2016
#
# Makes Debian trees to build and install in, so that a test changes nothing on its host. Sourced by
# tests/cross and tests/packages. A tree is kept until FRESH=1 makes it again. Needs root, for
# debootstrap and chroot.

suite=${SUITE:-bookworm}

# chroot_make DIR PACKAGE...: makes the tree if it does not exist, and installs missing packages.
chroot_make()
{
	local dir=$1

	shift
	[ "$(id -u)" = 0 ] || { echo "$0: needs root, for debootstrap and chroot" >&2; return 1; }
	command -v debootstrap >/dev/null ||
		{ echo "$0: debootstrap not found (tests/deps packages installs it)" >&2; return 1; }
	[ -z "${FRESH:-}" ] || rm -rf --one-file-system "$dir"
	if [ ! -e "$dir.made" ] || [ ! -d "$dir" ]; then
		rm -rf --one-file-system "$dir"
		mkdir -p "${dir%/*}"
		echo "  TREE  $dir ($suite)"
		debootstrap --variant=minbase "$suite" "$dir" ${MIRROR:+"$MIRROR"} >"$dir.log" 2>&1 ||
			{ tail -n 5 "$dir.log" >&2; return 1; }
		# dpkg need not survive a power cut, and no package may start a service.
		echo force-unsafe-io >"$dir/etc/dpkg/dpkg.cfg.d/unsafe"
		printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
		chmod 755 "$dir/usr/sbin/policy-rc.d"
		touch "$dir.made"
	fi
	[ $# = 0 ] || chroot_install "$dir" "$@"
}

chroot_install()
{
	local dir=$1 missing=() package

	shift
	for package; do
		case $(chroot "$dir" dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
		*" installed") ;;
		*) missing+=("$package") ;;
		esac
	done
	[ ${#missing[@]} = 0 ] && return
	echo "  APT   ${missing[*]}"
	{
		chroot_run "$dir" apt-get update -qq &&
			chroot_run "$dir" env DEBIAN_FRONTEND=noninteractive \
				apt-get install -y -qq --no-install-recommends "${missing[@]}"
	} >>"$dir.log" 2>&1 || { tail -n 5 "$dir.log" >&2; return 1; }
}

# chroot_run DIR COMMAND...: runs a command in a tree with /proc, and with the project read-only in /src.
# The namespaces with its mounts and processes end with the command.
chroot_run()
{
	local dir=$1

	shift
	mkdir -p "$dir/src"
	LC_ALL=C.UTF-8 unshare --mount --pid --fork --kill-child bash -c '
		mount --bind "$2" "$1/src" && mount -o remount,bind,ro "$1/src" &&
			mount -t proc proc "$1/proc" && mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts" ||
			exit
		dir=$1
		shift 2
		exec chroot "$dir" "$@"' bash "$dir" "$(pwd -P)" "$@"
}
