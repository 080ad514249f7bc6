# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs many commands of the program with sanitizers in one process (tests/many.c). A program that
is built without it starts once for each command."""

import collections
import os
import subprocess
import tempfile

Run = collections.namedtuple("Run", "out err status")


class Many:
    """The process lives as long as the `with` block. It ends with a leak check, unless it is run
    with options of the sanitizer against it."""

    def __init__(self, binary, environment=None):
        self.binary, self.environment = binary, environment
        self.folder = tempfile.TemporaryDirectory()
        self.files = [os.path.join(self.folder.name, name) for name in ("out", "err")]
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.binary, "__many"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        if self.process.stdout.readline() != b"ready\n":
            self.process.communicate()
            self.process = None
        return self

    def __exit__(self, kind, *_):
        self.folder.cleanup()
        if not self.process:
            return
        _, errors = self.process.communicate()
        if self.process.returncode and kind is None:
            raise ChildProcessError(errors.decode("utf-8", "backslashreplace"))

    def run(self, *words):
        if not self.process:
            done = subprocess.run(
                [self.binary, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self.environment,
                check=False,
            )
            return Run(done.stdout, done.stderr, done.returncode)
        self.process.stdin.write(os.fsencode("\t".join([*self.files, *words]) + "\n"))
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        texts = []
        for path in self.files:
            with open(path, "rb") as stream:
                texts.append(stream.read())
        if not answer:
            _, errors = self.process.communicate()
            raise ChildProcessError("%s: %s" % (" ".join(words), b"".join([errors, *texts]).decode("utf-8", "replace")))
        return Run(*texts, int(answer))
