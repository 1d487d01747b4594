#!/usr/bin/env python3
"""Checks the conformance ledger: docs/conformance/*.md.

usage: check_conformance.py [REPOSITORY]

A row is `| id | where it is shown | note |`. The middle column names tests (`Suite.Name`),
scenarios (`scenarios/…`), suites of the chart (`chart/…`), recorded cases (`vectors/FOLDER`), or is one of
  open          not shown yet
  not here      cannot be shown on one machine; the note says why
Fails when an id is missing or doubled, or a named test does not exist.
"""
import glob
import os
import re
import sys

LAST = {'S': 110, 'G': 102, 'B': 61, 'K': 109, 'F': 39}
ROW = re.compile(r'^\|\s*([SGBKF]-\d+)\s*\|([^|]*)\|([^|]*)\|')
TEST = re.compile(r'\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)|RC_GTEST_PROP\(\s*(\w+)\s*,\s*(\w+)')


def known_tests(root):
    names = set()
    for pattern in ('src/**/*_test.cpp', 'src/**/*_testing.h', 'tests/**/*_test.cpp'):
        for path in glob.glob(os.path.join(root, pattern), recursive=True):
            with open(path, encoding='utf-8') as source:
                for match in TEST.finditer(source.read()):
                    names.add(f'{match[1] or match[3]}.{match[2] or match[4]}')
    return names


def exists(root, name, tests):
    if name.startswith('scenarios/'):
        return os.path.exists(os.path.join(root, 'tests', name + '.yaml'))
    if name.startswith('chart/'):
        with open(os.path.join(root, 'tests/chart/suites.yaml'), encoding='utf-8') as suites:
            return f'- name: {name.removeprefix("chart/")}' in suites.read().splitlines()
    if name.startswith('vectors/') or name.startswith('real/'):
        return True  # Recorded cases and real components live outside; their runners are tested.
    return name in tests


def check(root):
    tests, rows, errors, open_rows = known_tests(root), {}, [], 0
    for path in sorted(glob.glob(os.path.join(root, 'docs/conformance/*.md'))):
        with open(path, encoding='utf-8') as ledger:
            for line in ledger:
                match = ROW.match(line)
                if not match:
                    continue
                row, shown, note = match[1], match[2].strip(), match[3].strip()
                if row in rows:
                    errors.append(f'{row} stands twice')
                rows[row] = shown
                if shown == 'open':
                    open_rows += 1
                elif shown == 'not here':
                    if not note:
                        errors.append(f'{row} gives no reason')
                else:
                    for name in re.findall(r'`([^`]+)`', shown) or ['']:
                        if not exists(root, name, tests):
                            errors.append(f'{row} names {name or "no test"}, which does not exist')
    for letter, last in LAST.items():
        for number in range(1, last + 1):
            row = f'{letter}-{number:02}'
            if row not in rows:
                errors.append(f'{row} is missing')
    return errors, len(rows), open_rows


if __name__ == '__main__':
    found, total, unshown = check(sys.argv[1] if len(sys.argv) > 1 else '.')
    print('\n'.join(found))
    print(f'conformance: {total} rows, {unshown} open, {len(found)} errors')
    sys.exit(1 if found else 0)
