#!/usr/bin/env python3
"""Finds names that only one file should know and that another one would see, too.

usage: check_local_names.py SOURCE_ROOT

The release build compiles several files of a folder at a time. Two local functions of one name then
overload each other: a call may silently go to the other file's. So a name in an unnamed namespace
must be the only one among the library's files (or its tests' files) of that namespace, and none
that a header declares there or around it.
"""
import pathlib
import re
import sys

# Compiled one by one; a name may come again there.
APART = {'api', 'base', 'cel', 'json', 'http', 'store', 'engine'}
KIND = re.compile(r'_(test|testing|bench|fuzz)\.cpp$')
NAMESPACE = re.compile(r'namespace ([\w:]*) ?\{(?!.*\})')
TYPE = re.compile(r'(?:struct|class|enum class|enum) (\w+)[^;]*\{')
OTHER = re.compile(r'(?:inline |constexpr |const |static )*'
                   r'[\w:]+(?:<.*>)?(?:::\w+)*[\s&*]+(?:const )?(\w+)(?:\(|\[| =|\{)')
SKIPPED = ('TEST', 'INSTANTIATE', 'namespace', 'using')
NOT_NAMES = {'if', 'for', 'while', 'switch', 'return', 'operator'}


def declared(path):
    """Yields (namespace, whether it is unnamed, name) of what stands at the left margin."""
    scopes, raw = [], False
    for line in path.read_text(encoding='utf-8').splitlines():
        if raw:
            raw = ')"' not in line
            continue
        raw = 'R"(' in line and ')"' not in line.split('R"(', 1)[1]
        if found := NAMESPACE.match(line):
            scopes.append(found[1])
        elif line.startswith('}  // namespace'):
            while scopes and scopes.pop() != line[14:].strip():
                pass
        elif scopes and line[:1].isalpha() and not line.startswith(SKIPPED):
            found = TYPE.match(line) or OTHER.match(line)
            name = found and next(filter(None, found.groups()))
            if name and name not in NOT_NAMES:
                yield '::'.join(filter(None, scopes)), '' in scopes, name


def targets(root):
    """Yields the files of each program or library that is compiled several files at a time."""
    for folder in sorted((root / 'src').iterdir()):
        files = sorted(folder.rglob('*.cpp'))
        if folder.name not in APART:
            yield [file for file in files if not KIND.search(file.name)]
        yield [file for file in files if re.search(r'_(test|testing)\.cpp$', file.name)]
    for folder in ('packaging', 'vectors'):
        yield sorted((root / 'tests' / folder).glob('*.cpp'))


def main(root):
    public = {}
    headers = (root / 'src').rglob('*.h')
    for header in sorted(file for file in headers if not file.name.endswith('_testing.h')):
        for namespace, unnamed, name in declared(header):
            if not unnamed:
                public.setdefault((namespace, name), header)
    problems = []
    for files in targets(root):
        seen = {}
        for file in files:
            for namespace, name in sorted({(n, x) for n, unnamed, x in declared(file) if unnamed}):
                other = seen.setdefault((namespace, name), file)
                around = namespace
                while other == file and around:
                    other = public.get((around, name), file)
                    around = around.rpartition('::')[0]
                if other != file:
                    problems.append(f'{file.relative_to(root)}: {name}: also in '
                                    f'{other.relative_to(root)}')
    print('\n'.join(problems) or 'local names: every one is of one file')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
