# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs many commands of the program with sanitizers in one process (tests/many.c). A program that
is built without it starts once for each command."""

import collections
import os
import select
import subprocess
import tempfile

Run = collections.namedtuple("Run", "out err status")


class Many:
    """The process lives as long as the `with` block, or from start() to end(). It ends with a leak
    check, unless it is run with options of the sanitizer against it."""

    def __init__(self, binary, environment=None):
        self.binary, self.environment = binary, environment
        self.folder = tempfile.TemporaryDirectory()
        self.files = [os.path.join(self.folder.name, name) for name in ("out", "err")]
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        status, errors = self.end()
        if status and kind is None:
            raise ChildProcessError(errors)

    def start(self):
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

    def end(self):
        """Returns the exit status of the process and what the sanitizers report."""
        self.folder.cleanup()
        if not self.process:
            return 0, ""
        _, errors = self.process.communicate()
        return self.process.returncode, errors.decode("utf-8", "backslashreplace")

    def run(self, *words, name=None, patience=None):
        """Runs a command, as a program with another name if one is given. The process cannot be
        used any more after an exception, which is raised when it crashes, or is not done after
        `patience` seconds."""
        words = [name or self.binary, *words]
        if not self.process:
            done = subprocess.run(
                words,
                executable=self.binary,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self.environment,
                timeout=patience,
                check=False,
            )
            return Run(done.stdout, done.stderr, done.returncode)
        try:
            self.process.stdin.write(os.fsencode("\t".join([*self.files, *words]) + "\n"))
            self.process.stdin.flush()
        except BrokenPipeError as error:
            _, errors = self.process.communicate()
            raise ChildProcessError("it ended before %s: %s" % (words, errors.decode("utf-8", "replace"))) from error
        if not select.select([self.process.stdout], [], [], patience)[0]:
            self.process.kill()
        answer = self.process.stdout.readline()
        texts = []
        for path in self.files:
            with open(path, "rb") as stream:
                texts.append(stream.read())
        if not answer:
            _, errors = self.process.communicate()
            raise ChildProcessError("%s: %s" % (" ".join(words), b"".join([errors, *texts]).decode("utf-8", "replace")))
        return Run(*texts, int(answer))
