#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the checks of documents in guests and on the simulator (tests/vm/program.py), which have
no jsonschema, with jsonschema: both must accept and refuse the same values, for every field of
every schema.

usage: RDMACTL=build/asan/rdmactl schema_checks.py

Prints the differences, and exits 1 if there are any; the last line is the number of comparisons.
"""

import json
import os
import sys

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vm"))

import program

# Values of each type, and on both sides of each bound. 1.0 is an integer for jsonschema, but not
# for readers in C.
VALUES = (None, True, False, 0, -1, 1, 1.5, -0.5, 2**64 - 1, "", "x", "unknown-7", "unknown-", "-", [], [None],
          [1], ["x"], [{}], {}, {"x": 1})
# The errors reported for a wrong value, for each keyword.
MESSAGES = (
    ({"type": "integer"}, True, ["it is True, not integer"]),
    ({"type": ["string", "null"]}, 1, ["it is 1, not string/null"]),
    ({"type": "number"}, 1, []),
    ({"const": "a/1"}, "a/2", ["it is 'a/2', not 'a/1'"]),
    ({"enum": ["up", "down"]}, "Up", ["it is 'Up', not one of ['up', 'down']"]),
    ({"anyOf": [{"type": "null"}, {"enum": ["up"]}]}, 1, ["it is 1, which matches no alternative"]),
    ({"pattern": "^un"}, "run", ["it is 'run', which does not match ^un"]),
    ({"pattern": "^un"}, 7, []),
    ({"minimum": 0, "type": "integer"}, -1, ["it is -1, less than 0"]),
    ({"required": ["a", "b"]}, {"a": 1}, ["it has no b"]),
    ({"required": ["a"]}, None, []),
    ({"properties": {"a": {"type": "null"}}}, {"a": 1, "b": 2}, ["it.a is 1, not null", "it.b is not in the schema"]),
    ({"items": {"properties": {"a": {"minimum": 2}}}}, [{"a": 2}, {"a": 1}, {}], ["it[1].a is 1, less than 2"]),
    ({"title": "t", "description": "d", "$id": "i", "$schema": "s"}, 1, []),
    ({"type": "integer", "maximum": 3}, 1,
     ["it has a schema with the keyword maximum, which this test does not know"]),
)


def close(schema):
    """The same schema, but without permission for keys that it does not name."""
    if isinstance(schema, dict):
        closed = {key: close(inner) for key, inner in schema.items()}
        if isinstance(schema.get("properties"), dict):
            closed["additionalProperties"] = False
        return closed
    return [close(inner) for inner in schema] if isinstance(schema, list) else schema


def good(schema):
    """A value that the schema allows."""
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if "anyOf" in schema:
        return good(schema["anyOf"][0])
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if kind == "object":
        return {key: good(inner) for key, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [good(schema["items"])] if "items" in schema else []
    return {"string": "unknown-7", "integer": 1, "number": 1.5, "boolean": True, "null": None}[kind]


def variants(schema):
    """Values, some right and some wrong."""
    yield from VALUES
    whole = good(schema)
    yield whole
    yield from schema.get("enum", ())
    if isinstance(whole, dict):
        yield dict(whole, another=1)
        for key in whole:
            yield {name: value for name, value in whole.items() if name != key}
            yield dict(whole, **{key: {"x": 1}})
    if isinstance(whole, list):
        yield whole * 2 + [{"x": [1]}]


def fields(schema):
    """The schema and all schemas inside it."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from fields(inner)
    if "items" in schema:
        yield from fields(schema["items"])


def bare(schema):
    """A key that is equal for two fields that differ only in their descriptions."""
    return json.dumps({key: value for key, value in schema.items() if key != "description"}, sort_keys=True)


def main():
    wrong, compared, refused = [], 0, 0
    for schema, value, wanted in MESSAGES:
        found = program.errors(value, schema, "it")
        if found != wanted:
            wrong.append("%s of %s: %s" % (value, schema, found))
    names = program.rdmactl("schema", "--tsv", "--no-headings", "-o", "schema").text().split()
    distinct = {bare(field): field for name in names for field in fields(program.schema(name))}
    for field in distinct.values():
        theirs = jsonschema.Draft202012Validator(close(field))
        for value in variants(field):
            compared += 1
            ours = not program.errors(value, field, "")
            refused += not ours
            if ours != theirs.is_valid(value):
                wrong.append("%s %s: %s" % ("taken" if ours else "refused", json.dumps(value), json.dumps(field)))
    if len(names) < 100 or not refused or refused == compared:
        wrong.append("%d schemas, %d of %d values refused" % (len(names), refused, compared))
    print("\n".join([line[:300] for line in wrong[:20]] + ["%d comparisons" % compared]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
