#!/usr/bin/env python3
"""Checks the links of all Markdown files: files, folders and headings that they lead to exist.

usage: check_links.py REPOSITORY

Links to other hosts are not followed; we have none but in the text of licences. A document of docs/ that no other
links to is an error, too: nobody would find it.
"""
import pathlib
import re
import sys

FENCE = re.compile(r'^```.*?^```$', re.M | re.S)
CODE = re.compile(r'`[^`\n]*`')
LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')
HEADING = re.compile(r'^#+ (.*)$', re.M)
OUTSIDE = re.compile(r'^[a-z]+:')


def anchor(heading):
    """As forges make it: lower case, without punctuation, blanks as dashes."""
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def anchors(path):
    """Of a document; headings of the same text are numbered."""
    found = {}
    for heading in HEADING.findall(FENCE.sub('', path.read_text(encoding='utf-8'))):
        name = anchor(heading)
        found[name] = found.get(name, 0) + 1
    return {name + (f'-{index}' if index else '') for name, count in found.items()
            for index in range(count)}


def documents(repository):
    for path in sorted(repository.rglob('*.md')):
        top = path.relative_to(repository).parts[0]
        if not top.startswith(('build', '.')):
            yield path


def check(repository):
    reached = set()
    listed = list(documents(repository))
    for document in listed:
        text = CODE.sub('', FENCE.sub('', document.read_text(encoding='utf-8')))
        where = document.relative_to(repository)
        for link in LINK.findall(text):
            if OUTSIDE.match(link):
                continue
            name, _, heading = link.partition('#')
            target = (document.parent / name).resolve() if name else document.resolve()
            if target != document.resolve():
                reached.add(target)
            if not target.exists():
                yield f'{where}: {link}: no such file'
            elif heading and target.suffix == '.md' and heading not in anchors(target):
                yield f'{where}: {link}: no such heading'
    for document in listed:
        name = document.relative_to(repository)
        found = document.resolve() in reached or document.resolve().parent in reached
        if name.parts[0] == 'docs' and not found and name.as_posix() != 'docs/README.md':
            yield f'{name}: no document links to it'


def main(repository):
    problems = list(check(repository.resolve()))
    print('\n'.join(problems) or 'links: all lead somewhere')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
