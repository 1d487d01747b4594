#!/usr/bin/env python3
"""Rejects an #include that goes against the order of the folders of src/.

Folders have the order of LAYOUT.md. Folders below one of them have an order, too: of two folders only
one may include the other, directly or through others. What lies directly in a folder counts as a folder
of its own. A folder holds no more files than a reader can take in.

usage: check_layers.py [REPOSITORY]
"""
import collections
import pathlib
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
    'sim': ['base', 'json', 'api', 'kube', 'backends', 'operator', 'services'],
}
for above in ('stack', 'scenario', 'page', 'cli'):
    ALLOWED[above] = list(ALLOWED)
MOST_FILES = 35  # About thirty, and room for one more idea before the folder is divided.
# Tests may also stand on the embedded server, which makes them run against the real thing.
TEST = re.compile(r'_(test|testing|bench|fuzz)\.(cpp|h)$')
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_/]+)/[^/"]+"')


def includes(source):
    """Yields (path below src, line number, folder that it includes, whether it is a test)."""
    for path in sorted(source.rglob('*')):
        if path.suffix not in ('.h', '.cpp'):
            continue
        relative = path.relative_to(source)
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1].split('/')[0] in ALLOWED:
                yield relative, number, match[1], bool(TEST.search(path.name))


def check_folders(found):
    for path, number, included, test in found:
        folder, target = path.parts[0], included.split('/')[0]
        if target == folder or target in ALLOWED[folder] or test and target in ('server', 'store'):
            continue
        yield f'src/{path}:{number}: {folder} may not include {target}'


def cycles(edges):
    """Sets of folders that include each other (Tarjan)."""
    index, low, stack, result = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in edges[node]:
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            cut = stack.index(node)
            result.append(stack[cut:])
            del stack[cut:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return [each for each in result if len(each) > 1]


def check_rooms(found):
    edges = collections.defaultdict(dict)
    for path, number, included, test in found:
        here = path.parent.as_posix()
        if not test and included != here and included.split('/')[0] == path.parts[0]:
            edges[here].setdefault(included, f'src/{path}:{number}')
            edges.setdefault(included, {})
    for cycle in cycles(edges):
        yield 'these folders include each other: ' + ', '.join(sorted(cycle))
        for here in sorted(cycle):
            for there in sorted(set(edges[here]) & set(cycle)):
                yield f'  {here} includes {there}: {edges[here][there]}'


def check_sizes(source):
    for folder in sorted(p for p in source.rglob('*') if p.is_dir()):
        count = sum(1 for p in folder.iterdir() if p.suffix in ('.h', '.cpp'))
        if count > MOST_FILES:
            yield f'src/{folder.relative_to(source)}: {count} files; divide it by subject'


def main(repository='.'):
    source = pathlib.Path(repository) / 'src'
    found = list(includes(source))
    errors = [*check_folders(found), *check_rooms(found), *check_sizes(source)]
    print('\n'.join(errors) or 'layers: in order')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
