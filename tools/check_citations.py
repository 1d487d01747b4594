#!/usr/bin/env python3
"""Checks that what comments and documents cite is in the repository.

usage: check_citations.py [REPOSITORY]

  NAME.md            exists: from the root, or beside the file that names it
  NAME.md#heading    has that heading
  NAME.md S-12       defines that paragraph: **S-12**
  S-12               is a row of docs/conformance
  [text](PATH)       links to a file, or a heading of the document, that exists (documents)
  `src/PATH`         exists (documents)
  **12 files**       is how many sources docs/walk.md names, and **3 hand-overs** its numbered sections

Each row S, G, B and K of docs/conformance has its paragraph in docs/behaviour, once. References to
sections and registers of documents that are not here are rejected.
"""
import os
import re
import sys

SOURCES = re.compile(r'\.(h|cpp|c|py|go|sh|md|ya?ml|cmake|tpl|js|html|css|txt)$')
FOLDERS = ['src', 'tests', 'tools', 'cmd', 'deploy', 'examples', 'docs', 'cmake']
# A comment that goes on in the next line is one text.
CONTINUED = re.compile(r'\n[ \t]*(?://|#|\*)[ \t]?')
IDS = r'[SGBKF]-\d{2,3}\b'
CITED = re.compile(r'(?<![\w*/.-])/?((?:[\w.-]+/)*[\w-]+\.md)\b(#[\w-]+)?'
                   rf'((?:(?:\s|,|and|to)+{IDS})*)')
ID = re.compile(rf'\b{IDS}')
ROW = re.compile(rf'^\|\s*({IDS})\s*\|', re.MULTILINE)
DEFINED = re.compile(rf'\*\*({IDS})\*\*')
HEADING = re.compile(r'^#+ (.*)$', re.MULTILINE)
LINK_TEXT = re.compile(r'\[[^\]\n]*\](?=\()')
LINK = re.compile(r'\]\(([^)\s]+)\)')
PATH = re.compile(r'`((?:src|tests|tools|cmd|deploy|docs|examples|cmake)/[\w./-]*\w)`')
OUTSIDE = [(re.compile('§'), 'a section of something else'),
           (re.compile(r'\bQ-?\d+\b'), 'a register that is not here'),
           (re.compile(r'(?<!semver\.org )\bspec \d+(\.\d+)*\b'), 'a specification that is not here')]
WALK = 'docs/walk.md'
WALK_FILE = re.compile(r'`(src/[\w./-]+\.(?:cpp|h))`')
WALK_SECTION = re.compile(r'^## \d+\.', re.MULTILINE)
# This file says what it looks for.
SELF = 'tools/check_citations.py'


def files(root):
    listed = [name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name))]
    for folder in FOLDERS:
        for directory, _, names in os.walk(os.path.join(root, folder)):
            listed += [os.path.relpath(os.path.join(directory, name), root) for name in names]
    for path in sorted(listed):
        hidden = os.path.basename(path).startswith('.')
        if path != SELF and not hidden and (SOURCES.search(path) or '.' not in path):
            yield path, os.path.join(root, path)


def read(path):
    try:
        with open(path, encoding='utf-8') as source:
            return source.read()
    except UnicodeDecodeError:
        return None


def slug(heading):
    text = re.sub(r'[^\w\s-]', '', heading.strip().lower())
    return re.sub(r'\s', '-', text)


class Documents:
    """The documents of the repository, by path."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def find(self, name, beside):
        for folder in ('', os.path.dirname(beside)):
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(os.path.join(self.root, path)):
                return path
        return None

    def text(self, path):
        if path not in self.known:
            self.known[path] = read(os.path.join(self.root, path)) or ''
        return self.known[path]

    def headings(self, path):
        return {slug(heading) for heading in HEADING.findall(self.text(path))}

    def defined(self, path):
        return set(DEFINED.findall(self.text(path)))


def check_citations(documents, path, text):
    for match in CITED.finditer(text):
        name, anchor, ids = match[1], match[2], ID.findall(match[3])
        found = documents.find(name, path)
        if not found:
            yield match.start(), f'{name} does not exist'
            continue
        if anchor and anchor[1:] not in documents.headings(found):
            yield match.start(), f'{name} has no heading {anchor}'
        for row in ids:
            if row not in documents.defined(found):
                yield match.start(), f'{name} does not define {row}'


def check_text(documents, rows, path, text):
    if not os.path.basename(path).startswith('check_conformance'):
        for match in ID.finditer(text):
            if match[0] not in rows:
                yield match.start(), f'{match[0]} is no row of docs/conformance'
    for pattern, what in OUTSIDE:
        for match in pattern.finditer(text):
            yield match.start(), f'"{match[0]}" cites {what}'
    yield from check_citations(documents, path, text)


def check_document(documents, path, text):
    for match in LINK.finditer(text):
        target = match[1]
        if target.startswith('#'):
            if target[1:] not in documents.headings(path):
                yield match.start(), f'there is no heading {target}'
        elif '://' not in target and '.md' not in target:
            if not os.path.exists(os.path.join(documents.root, os.path.dirname(path), target)):
                yield match.start(), f'{target} does not exist'
    for match in PATH.finditer(text):
        if not os.path.exists(os.path.join(documents.root, match[1])):
            yield match.start(), f'{match[1]} does not exist'


def check_walk(text):
    for what, found in (('files', set(WALK_FILE.findall(text))),
                        ('hand-overs', WALK_SECTION.findall(text))):
        stated = re.search(rf'\*\*(\d+) {what}\*\*', text)
        if not stated or int(stated[1]) != len(found):
            yield stated.start() if stated else 0, f'it names {len(found)} {what}'


def ledger(documents, root):
    rows = set()
    for name in sorted(os.listdir(os.path.join(root, 'docs/conformance'))):
        rows |= set(ROW.findall(documents.text(f'docs/conformance/{name}')))
    return rows


def check_paragraphs(documents, root, rows):
    counts = {}
    for name in sorted(os.listdir(os.path.join(root, 'docs/behaviour'))):
        for row in DEFINED.findall(documents.text(f'docs/behaviour/{name}')):
            counts[row] = counts.get(row, 0) + 1
    for row in sorted(rows | set(counts)):
        expected = 0 if row.startswith('F') else 1
        if counts.get(row, 0) != expected:
            yield f'docs/behaviour: {row} has {counts.get(row, 0)} paragraphs, not {expected}'


def check(root):
    documents = Documents(root)
    rows = ledger(documents, root)
    errors = list(check_paragraphs(documents, root, rows))
    for path, full in files(root):
        text = read(full)
        if text is None:
            continue
        checks = [check_text(documents, rows, path, joined(path, text))]
        if path.endswith('.md'):
            checks.append(check_document(documents, path, text))
        if path == WALK:
            checks.append(check_walk(text))
        for found in checks:
            errors += [f'{path}:{text.count(chr(10), 0, at) + 1}: {what}' for at, what in found]
    return errors


def joined(path, text):
    """Comments as one line each, and links without their text; nothing moves."""
    if path.endswith('.md'):
        return LINK_TEXT.sub(lambda match: ' ' * len(match[0]), text)
    return CONTINUED.sub(lambda match: ' ' * len(match[0]), text)


if __name__ == '__main__':
    wrong = check(sys.argv[1] if len(sys.argv) > 1 else '.')
    print('\n'.join(wrong) or 'citations: all of them are here')
    sys.exit(1 if wrong else 0)
