#!/usr/bin/env python3
"""Names of labels, annotations, gates and finalizers exist once, in src/api: fails for a string
literal that looks like one (domain/name) anywhere else in the sources, tests excepted."""

import pathlib
import re
import sys

# The engine knows no API, and the server also names what it stores (group/resource) in this form.
EXEMPT = ('src/api/', 'src/server/', 'src/engine/')
TEST = re.compile(r'_(test|testing|bench|fuzz)\.(cpp|h)$')
LITERAL = re.compile(r'"((?:[a-z0-9-]+\.)+[a-z0-9]+/[A-Za-z0-9._-]*|kai\.scheduler/[a-z-]*)"')
API_VERSION = re.compile(r'/v[0-9]+((alpha|beta)[0-9]+)?$')
MEDIA_TYPE = re.compile(r'^(application|text)/')
# Values in the same form: types of Secrets, provisioners, sources of priority, prefixes, samples.
VALUES = {
    'kubernetes.io/service-account-token', 'kubernetes.io/tls', 'kubernetes.io/no-provisioner',
    'scheduling.k8s.io/priorityclass', 'sim.coppice.dev/volumes', 'coppice.label/',
    'resource.k8s.io/v1alpha', 'topology.kubernetes.io/rack',
}


def names(root):
    for path in sorted((root / 'src').rglob('*')):
        relative = path.relative_to(root).as_posix()
        if path.suffix not in ('.h', '.cpp') or TEST.search(path.name):
            continue
        if relative.startswith(EXEMPT):
            continue
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            if line.lstrip().startswith(('#include', '//')):
                continue
            for match in LITERAL.finditer(line):
                name = match[1]
                if name in VALUES or API_VERSION.search(name) or MEDIA_TYPE.match(name):
                    continue
                yield f'{relative}:{number}: "{name}" belongs into src/api'


def main(root='.'):
    errors = list(names(pathlib.Path(root)))
    print('\n'.join(errors) or 'names: all in src/api')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
