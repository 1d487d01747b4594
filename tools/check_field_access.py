#!/usr/bin/env python3
"""Counts where code names a field of an API object by a string instead of its typed view.

usage: check_field_access.py REPOSITORY [--count]

Fields are read and written through api/view, api/edit and api/key, where a misspelt one does not
compile. Tests, and the folders that work on documents of any kind (src/api, src/json, src/server,
src/cel, src/store, src/http), are free. tools/field_access.txt lists how many places each remaining
file may have, and why; the number can only fall. --count prints the list as it is now.
"""
import pathlib
import re
import sys

FREE = ('src/api/', 'src/json/', 'src/server/', 'src/cel/', 'src/store/', 'src/http/', 'src/base/')
TEST = re.compile(r'(_test|_testing|_bench|_fuzz)\.(h|cpp)$')
ACCESS = re.compile(r'\["[A-Za-z$][\w.]*"\]'
                    r'|[.>](?:Set|Mutable|Has|Find|Erase|SetDefault|FindMutable)\("[A-Za-z$]'
                    r'|Object\(\s*\{\s*\{"[A-Za-z$]')


def count(repository):
    found = {}
    for path in sorted((repository / 'src').rglob('*')):
        name = path.relative_to(repository).as_posix()
        if path.suffix not in ('.h', '.cpp') or name.startswith(FREE) or TEST.search(name):
            continue
        lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith('//')]
        places = len(ACCESS.findall('\n'.join(lines)))
        if places:
            found[name] = places
    return found


def allowed(repository):
    """{file: (places, reason)}."""
    out = {}
    for line in (repository / 'tools/field_access.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            places, name, reason = (line.split(maxsplit=2) + [''])[:3]
            out[name] = int(places), reason
    return out


def main(repository, *flags):
    repository = pathlib.Path(repository)
    found = count(repository)
    known = allowed(repository)
    if '--count' in flags:
        for name, places in found.items():
            print(f'{places} {name} {known.get(name, (0, ""))[1]}'.rstrip())
        return 0
    wrong = [f'{name}: {places} fields named by strings, {known.get(name, (0,))[0]} allowed: use '
             'api/view, api/edit or api/key' for name, places in found.items()
             if places > known.get(name, (0,))[0]]
    wrong += [f'{name}: {places} allowed, {found.get(name, 0)} there: lower the number in '
              'tools/field_access.txt' for name, (places, _) in known.items()
              if places > found.get(name, 0)]
    print('\n'.join(wrong) or f'field access: {sum(found.values())} places by string, all listed')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
