#!/usr/bin/env python3
"""Rejects an #include that goes against the layer order of LAYOUT.md.

usage: check_layers.py [REPOSITORY]
"""
import os
import re
import sys

# Which folders of src/ a folder may include, besides itself.
ALLOWED = {
    'base': [],
    'cel': ['base'],
    'json': ['base', 'cel'],
    'api': ['base', 'cel', 'json'],
    'http': ['base', 'json'],
    'kube': ['base', 'cel', 'json', 'api', 'http'],
    'store': ['base', 'json'],
    'server': ['base', 'cel', 'json', 'api', 'http', 'kube', 'store'],
    'engine': ['base', 'cel'],
    'backends': ['base', 'cel', 'json', 'api', 'http', 'kube'],
    'operator': ['base', 'cel', 'json', 'api', 'http', 'kube', 'backends'],
    'services': ['base', 'cel', 'json', 'api', 'http', 'kube', 'engine', 'backends'],
}
ALL = list(ALLOWED) + ['sim', 'cli']
ALLOWED['sim'] = [x for x in ALLOWED if x != 'cli']
ALLOWED['cli'] = [x for x in ALLOWED] + ['sim']
# Tests may also stand on the embedded server, which makes them run against the real thing.
TEST = re.compile(r'_(test|testing|bench)\.(cpp|h)$')
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z]+)/')


def check(root):
    errors = []
    for folder in ALL:
        for directory, _, names in os.walk(os.path.join(root, 'src', folder)):
            for name in names:
                if not name.endswith(('.h', '.cpp')):
                    continue
                path = os.path.join(directory, name)
                with open(path, encoding='utf-8') as source:
                    for number, line in enumerate(source, 1):
                        match = INCLUDE.match(line)
                        if not match or match[1] == folder or match[1] not in ALL:
                            continue
                        if TEST.search(name) and match[1] in ('server', 'store'):
                            continue
                        if match[1] not in ALLOWED[folder]:
                            errors.append(f'{os.path.relpath(path, root)}:{number}: '
                                          f'{folder} may not include {match[1]}')
    return errors


if __name__ == '__main__':
    found = check(sys.argv[1] if len(sys.argv) > 1 else '.')
    print('\n'.join(found) or 'layers: in order')
    sys.exit(1 if found else 0)
