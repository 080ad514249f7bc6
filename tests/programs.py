# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Loads programs of the tests as modules: to start Python for each use takes longer than most of them."""

import importlib.machinery
import importlib.util
import os
import sys

TESTS = os.path.dirname(os.path.abspath(__file__))


def load(program):
    """The program, which is named by its path below tests."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(os.path.basename(program), os.path.join(TESTS, program))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
