# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Measures which test executes which line: each test runs once on the unchanged program, whose basic
blocks record that they were executed (cover.c). The result is kept in build/mutate/covered until code
or tests change."""

import bisect
import collections
import concurrent.futures
import glob
import hashlib
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time

from bed import BUILD, Bed
from changes import TOP

KEPT = os.path.join(BUILD, 'covered')
KEPT_GUEST = os.path.join(BUILD, 'covered.guest')
SCENE_SECONDS = 900
GUEST_SECONDS = 3600


class Blocks:
    """The basic blocks of the library, in the order of their addresses, and the lines of each."""

    def __init__(self, library):
        self.addresses = []
        self.lines = collections.defaultdict(set)
        listing = subprocess.Popen(['objdump', '-d', '-l', '--no-show-raw-insn', library],
                                   stdout=subprocess.PIPE, text=True)
        path, line, waiting, block, early = None, 0, False, None, []
        for text in listing.stdout:
            found = re.match(r'(/\S+):(\d+)(?: \(discriminator \d+\))?$', text)
            if found:
                path, line = os.path.relpath(found.group(1), TOP), int(found.group(2))
                continue
            found = re.match(r' *([0-9a-f]+):\t(.*)$', text)
            if not found:
                if text.endswith('>:\n'):
                    block, path, early = None, None, []
                continue
            if waiting:
                self.addresses.append(int(found.group(1), 16))
                block, waiting = len(self.addresses) - 1, False
                for place in early:
                    self.lines[place].add(block)
                early = []
            waiting = '<__sanitizer_cov_trace_pc' in found.group(2)
            if waiting:
                # Another block follows, and begins in this line.
                early.append((path, line))
                block = None
            elif block is None:
                early.append((path, line))
            else:
                self.lines[path, line].add(block)
        if listing.wait() != 0:
            raise SystemExit('objdump failed')

    def of_line(self, path, line):
        """Returns the blocks of a line (from 1), or of the nearest line above in which a statement begins."""
        for number in range(line, max(line - 12, 0), -1):
            if (path, number) in self.lines:
                return self.lines[path, number]
        return set()

    def lines_of(self, bits):
        """The lines of these blocks, by file."""
        result = collections.defaultdict(set)
        for (path, line), numbers in self.lines.items():
            if path and any(bits >> number & 1 for number in numbers):
                result[path].add(line)
        return result

    def of_lines(self, lines):
        """The blocks of these lines, as bits; approximate for files that have changed since."""
        bits = bytearray(len(self.addresses) // 8 + 1)
        for path, numbers in lines.items():
            for line in numbers:
                for number in self.lines.get((path, line), ()):
                    bits[number // 8] |= 1 << number % 8
        return int.from_bytes(bits, 'little')

    def executed(self, file):
        """The blocks that a test executed according to its file, as bits."""
        with open(file, 'rb') as stream:
            data, bits = stream.read(), bytearray(len(self.addresses) // 8 + 1)
        at = data.find(1)
        while at >= 0:
            number = bisect.bisect_left(self.addresses, at * 4)
            while number < len(self.addresses) and self.addresses[number] // 4 == at:
                bits[number // 8] |= 1 << number % 8
                number += 1
            at = data.find(1, at + 1)
        return int.from_bytes(bits, 'little')


class Covered:
    """tests maps (kind, name, file) to (bits of its blocks, seconds). Kinds: unit, bats, scene, guest."""

    def __init__(self, blocks):
        self.blocks, self.tests, self.failed = blocks, {}, []

    def of(self, path, line):
        """The tests that execute a line, with the seconds that each takes, by kind."""
        mask, result = 0, collections.defaultdict(list)
        for number in self.blocks.of_line(path, line):
            mask |= 1 << number
        for (kind, name, file), (bits, seconds) in self.tests.items():
            if bits & mask:
                result[kind].append((name, file, seconds))
        return result


def digest():
    """Returns a digest of everything that a run depends on."""
    names = subprocess.run(['git', 'ls-files', 'lib', 'cmd', 'tests', 'man', 'Makefile'], cwd=TOP, text=True,
                           stdout=subprocess.PIPE, check=True).stdout.split('\n')
    result = hashlib.sha256()
    for name in names:
        path = os.path.join(TOP, name)
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                result.update(name.encode() + b'\0' + file.read())
    return result.hexdigest()


def run_units(bed, folder, covered):
    for name in bed.units:
        good, _, seconds = bed.unit(name, 300, COVER=folder, SCENE=name)
        if good:
            add(covered, folder, ('unit', name, None), name, seconds)
        else:
            covered.failed.append(name)


def run_bats(bed, file, folder, covered):
    """Adds each test of the file, with an equal share of the time that the file takes."""
    _, text, seconds = bed.bats(file, None, 1200, COVER=folder)
    lines = re.findall(r'^(not ok|ok) (\d+) ([^\n]*)$', text, re.M)
    for state, number, name in lines:
        if state == 'not ok' or '# skip' in name:
            covered.failed.append('%s: %s' % (file, name))
        else:
            add(covered, folder, ('bats', name, file), '%s.%s' % (file, number), seconds / len(lines))


def scenes_of(suite):
    """All scenes of the suite, in its order."""
    with open(os.path.join(TOP, suite), encoding='utf-8') as file:
        table = re.search(r'^SCENES = [{(](.*?)[})]$', file.read(), re.M | re.S).group(1)
    return re.findall(r"'([a-z-]+)'", table)


def run_scenes(bed, folder, covered):
    """Runs and times the scenes of the simulator, one after another; notes those that fail."""
    for name in scenes_of('tests/sim/suite'):
        good, _, seconds = bed.scene(name, SCENE_SECONDS, COVER=folder)
        if good:
            add(covered, folder, ('scene', name, None), name, seconds)
        else:
            covered.failed.append('scene ' + name)


def run_scenes_of_guest(folder, covered, names):
    """Runs these scenes in one guest, which can write only to /out. Returns those that fail, and those
    without a result because the guest died or hung."""
    out = tempfile.mkdtemp(dir=BUILD)
    # Some tests run the program as an ordinary user.
    os.chmod(out, 0o755)
    # The guest does not see this machine's /dev/shm.
    bed = Bed(os.path.join(out, 'bed'), 'cover', False)
    script = os.path.join(out, 'script')
    with open(script, 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\nmkdir -p /run/cover && chmod 777 /run/cover\nCOVER=/run/cover tests/vm/suite %s\n'
                   'cd /run/cover && for name in *; do [ -e "$name" ] && gzip -c "$name" >"/out/$name.gz"; done\n'
                   % ' '.join(names))
    os.chmod(script, 0o755)
    _, text, _ = bed.run(['tests/vm/guest', '-k', '6.1', '-c', '1', '-t', str(GUEST_SECONDS), '-o', out, '-e',
                          'RDMACTL=' + bed.program, script], GUEST_SECONDS + 60)
    # The line with the time of a scene follows its tests.
    parts = re.split(r'^# scene ([a-z-]+): ([\d.]+) s$', text, flags=re.M)
    seconds = dict(zip(parts[1::3], parts[2::3]))
    bad = {name for name, tests in zip(parts[1::3], parts[0::3]) if re.search('^not ok', tests, re.M)}
    bad |= set(names) - set(seconds)
    for file in glob.glob(out + '/*.gz'):
        name = os.path.basename(file)[:-3]
        subprocess.run(['gzip', '-d', file], check=True)
        shutil.move(file[:-3], os.path.join(folder, name))
        if name not in bad:
            add(covered, folder, ('guest', name, None), name, float(seconds.get(name, 600)))
    shutil.rmtree(out)
    return sorted(bad)


def run_guest(folder, covered):
    """A scene that fails among the others, perhaps because the machine is busy, is tried again alone."""
    subprocess.run([os.path.join(TOP, 'tests/vm/modules'), '6.1'], check=True)
    for name in run_scenes_of_guest(folder, covered, scenes_of('tests/vm/suite')):
        if run_scenes_of_guest(folder, covered, [name]):
            covered.failed.append('guest ' + name)


def keep_guest(covered):
    """Keeps the lines that the guest executes, because running it after each change of a test takes too
    long."""
    rows = {name: (covered.blocks.lines_of(bits), seconds)
            for (kind, name, _), (bits, seconds) in covered.tests.items() if kind == 'guest'}
    with open(KEPT_GUEST, 'wb') as file:
        pickle.dump(rows, file)


def take_guest(covered):
    if os.path.exists(KEPT_GUEST):
        with open(KEPT_GUEST, 'rb') as file:
            for name, (lines, seconds) in pickle.load(file).items():
                covered.tests['guest', name, None] = covered.blocks.of_lines(lines), seconds


def add(covered, folder, key, name, seconds):
    path = os.path.join(folder, name)
    bits = 0
    if os.path.exists(path):
        bits = covered.blocks.executed(path)
        os.unlink(path)
    covered.tests[key] = bits, seconds


def measure(guest, stream):
    """Runs all tests, two jobs at a time, in addition to the guest."""
    begin = time.monotonic()
    top = tempfile.mkdtemp(prefix='cover.', dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else None)
    folder = os.path.join(top, 'tests')
    os.mkdir(folder)
    os.chmod(top, 0o755)
    os.chmod(folder, 0o777)
    try:
        bed = Bed(os.path.join(top, 'bed'), 'cover')
        covered = Covered(Blocks(bed.library))
        with concurrent.futures.ThreadPoolExecutor(2 + guest) as pool:
            jobs = [pool.submit(run_guest, folder, covered)] if guest else []
            jobs.append(pool.submit(run_units, bed, folder, covered))
            jobs += [pool.submit(run_bats, bed, file, folder, covered)
                     for file in sorted(os.listdir(os.path.join(TOP, 'tests/cli'))) if file.endswith('.bats')]
            jobs.append(pool.submit(run_scenes, bed, folder, covered))
            for job in jobs:
                job.result()
        if guest:
            keep_guest(covered)
        else:
            take_guest(covered)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print('# %d tests run in %.0f s to measure what each executes' %
          (len(covered.tests), time.monotonic() - begin), file=stream, flush=True)
    for name in covered.failed:
        print('# not used, because it fails or is skipped on the unchanged build: %s' % name, file=stream,
              flush=True)
    return covered


def load(keep, guest, stream=sys.stdout):
    """Returns the kept measurement if it is still valid, or if KEEP says so; otherwise measures."""
    now = digest() + (' guest' if guest else '')
    if os.path.exists(KEPT):
        with open(KEPT, 'rb') as file:
            then, covered = pickle.load(file)
        if keep or then in (now, digest() + ' guest'):
            return covered
    covered = measure(guest, stream)
    with open(KEPT, 'wb') as file:
        pickle.dump((now, covered), file)
    return covered
