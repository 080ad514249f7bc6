# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Builds the program as a shared library, so that a change costs one compilation and one link, whatever
the number of test programs, and runs each kind of test on it."""

import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

from changes import TOP

BUILD = os.path.join(TOP, 'build/mutate')
UNITS = os.path.join(TOP, 'tests/unit')
SANITIZE = '-fsanitize=address,undefined -fno-sanitize-recover=undefined -fsanitize-undefined-trap-on-error'
# The builds. Almost all work is done with the first; the last is for changes that it did not show.
FLAGS = {
    'plain': '-O0 -fPIC -w',
    'cover': '-O0 -g -fPIC -w -fsanitize-coverage=trace-pc',
    'asan': '-O0 -fPIC -w -fno-omit-frame-pointer ' + SANITIZE,
}
LIBRARY = 'librdmactl.so'


def build(name):
    """Compiles everything for one of the builds: BUILD/NAME/lib/x.o ..."""
    subprocess.run(['make', '-s', '-j%d' % (os.cpu_count() or 1), '-C', TOP, 'DEV=', 'HARDEN=',
                    'BUILD=build/mutate/' + name, 'CFLAGS=' + FLAGS[name],
                    *([] if name == 'plain' else ['UNIT_TESTS=']), 'mutants'], check=True,
                   stdout=subprocess.DEVNULL)


def words_of(name, file):
    with open(os.path.join(BUILD, name, file), encoding='utf-8') as text:
        return shlex.split(text.read())


def objects_of(name):
    return [os.path.join(BUILD, name, path) for path in words_of(name, 'objects')]


def compile_one(name, source, target, folder, *flags):
    """Returns whether the source compiles. FOLDER is that of the unchanged file, for its includes."""
    return subprocess.run([*words_of(name, 'compile'), '-iquote', folder, *flags, '-c', '-o', target, source], cwd=TOP,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Bed:
    """A folder with the library, the program, and the unit tests."""

    def __init__(self, top, name, with_units=True):
        self.top, self.name = top, name
        self.library = os.path.join(top, LIBRARY)
        self.sanitizers = shlex.split(SANITIZE) if name == 'asan' else []
        os.makedirs(top, exist_ok=True)
        self.objects = objects_of(name)
        self.objects += [self.compile('cover')] if name == 'cover' else []
        hooks = [self.compile('plain')] if name != 'asan' else []
        self.link({})
        self.program = self.link_program('rdmactl', [])
        self.add_programs_of_guest(hooks)
        self.units = {}
        for file in sorted(os.listdir(UNITS)) if with_units else ():
            if file.startswith('test_') and file.endswith('.c'):
                target = os.path.join(BUILD, 'plain/tests/unit', file[:-2] + '.o')
                self.units[file[:-2]] = self.link_program(file[:-2], [target, *hooks, '-lcmocka'])
        # Copies of trees that the tests make and damage take a tenth of the time in memory.
        self.temporary = os.path.join(top, 'tmp')
        os.makedirs(self.temporary, exist_ok=True)
        os.chmod(self.temporary, 0o777)
        self.quiet = os.path.join(top, 'setup_suite.bash')
        with open(self.quiet, 'w', encoding='utf-8') as file:
            file.write('setup_suite() { :; }\n')

    def add_programs_of_guest(self, hooks):
        """Puts VM_PROGRAMS of tests.mk where tests/vm/program.py looks for them: in vm, beside the program.
        Those that have an object file call the library's functions, so they are linked with the one that
        changes."""
        objects = os.path.join(BUILD, self.name, 'tests/vm')
        shutil.copytree(os.path.join(BUILD, 'plain/vm'), os.path.join(self.top, 'vm'), dirs_exist_ok=True)
        for file in glob.glob(objects + '/*.o'):
            name = os.path.join('vm', os.path.basename(file)[:-2])
            self.link_program(name, [file, *hooks])

    def compile(self, name):
        target = os.path.join(self.top, name + '.o')
        subprocess.run(['gcc', '-O2', '-fPIC', '-c', '-o', target, os.path.join(TOP, 'tests/mutation', name + '.c')],
                       check=True)
        return target

    def link_program(self, name, words):
        path = os.path.join(self.top, name)
        subprocess.run(['gcc', *self.sanitizers, '-o', path, *words, '-L' + self.top, '-Wl,-rpath,' + self.top,
                        '-Wl,--no-as-needed', '-lrdmactl', *words_of(self.name, 'libs')], check=True)
        return path

    def link(self, replaced):
        """Links the library; REPLACED maps objects to those to link instead."""
        temporary = self.library + '.new'
        subprocess.run(['gcc', '-shared', *self.sanitizers, '-o', temporary,
                        '-Wl,--version-script=' + os.path.join(TOP, 'tests/mutation/versions'),
                        *(replaced.get(path, path) for path in self.objects),
                        *words_of(self.name, 'libs')], check=True)
        os.replace(temporary, self.library)

    def environment(self, **more):
        more.setdefault('ASAN_OPTIONS', 'exitcode=99:detect_leaks=1:abort_on_error=0:handle_sigill=1:'
                                        'intercept_tls_get_addr=0')
        environment = dict(os.environ, RDMACTL=self.program, ROOTS=os.path.join(TOP, 'build/roots'),
                           MALLOC_PERTURB_='85', TMPDIR=self.temporary, **more)
        for name in ('UPDATE', 'RDMACTL_ROOT', 'NO_COLOR'):
            environment.pop(name, None)
        return environment

    def start(self, argv, **more):
        return subprocess.Popen(['env', '--default-signal=HUP,INT,QUIT,TERM', *argv], cwd=TOP,
                                env=self.environment(**more), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                stdin=subprocess.DEVNULL, start_new_session=True)

    def run(self, argv, seconds, stop=False, **more):
        """Returns whether the command succeeds in time, what it printed, and how long it took. With STOP,
        the first TAP line of a failed test ends it. All processes that remain are killed."""
        process = self.start(argv, **more)
        begin, text, good = time.monotonic(), [], True
        os.set_blocking(process.stdout.fileno(), False)
        try:
            while good:
                ended = process.poll() is not None
                part = process.stdout.read()
                if part:
                    text.append(part)
                    good = not (stop and re.search(rb'^not ok(?!.*# (TODO|SKIP))', b''.join(text), re.M | re.I))
                elif part == b'' or ended:
                    break
                elif time.monotonic() - begin > seconds:
                    good = False
                else:
                    time.sleep(0.005)
            good = good and process.wait(5) == 0
        except subprocess.TimeoutExpired:
            good = False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stdout.close()
        return good, b''.join(text).decode('utf-8', 'replace'), time.monotonic() - begin

    def unit(self, name, seconds, **more):
        return self.run([self.units[name]], seconds, **more)

    def bats(self, file, names, seconds, **more):
        """Runs the named tests of a file until one fails, or all of them if NAMES is None."""
        argv = ['bats', '--tap', '--setup-suite-file', self.quiet]
        if names is not None:
            argv += ['-f', '^(%s)$' % '|'.join(re.sub(r'([][\\.^$*+?(){}|])', r'\\\1', name) for name in names)]
        return self.run([*argv, 'tests/cli/' + file], seconds, names is not None, **more)

    def scene(self, name, seconds, **more):
        return self.run(['tests/sim/suite', name], seconds, True, **more)

    def guest(self, names, seconds, **more):
        return self.run(['tests/vm/guest', '-k', '6.1', '-c', '1', '-t', str(seconds), '-e',
                         'RDMACTL=' + self.program, 'tests/vm/suite', *names], seconds + 30, True, **more)

    def remove(self):
        shutil.rmtree(self.top, ignore_errors=True)
