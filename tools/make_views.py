#!/usr/bin/env python3
"""Generates typed views, editors and keys of API objects: api/{view,edit,key}/GROUP.h.

usage: make_views.py REPOSITORY OUTPUT_FOLDER

Reads the tables of built-in and foreign kinds and of documents that are no API objects (their form:
src/api/schema/table_reader.h), and the described structs of our own kinds. What the headers offer: src/api/view/view.h. A file is written
only if it changes, so that nothing is compiled again for nothing.
"""
import pathlib
import re
import sys

# The kinds that our structs describe; all have metadata beside these.
OWN_KINDS = {
    'grove': {
        'PodCliqueSet': ('PodCliqueSetSpec', 'PodCliqueSetStatus'),
        'PodClique': ('PodCliqueSpec', 'PodCliqueStatus'),
        'PodCliqueScalingGroup': ('ScalingGroupSpec', 'ScalingGroupStatus'),
        'ClusterTopologyBinding': ('ClusterTopologyBindingSpec', 'ClusterTopologyBindingStatus'),
        'PodGang': ('PodGangSpec', 'PodGangStatus'),
    },
    'kai': {
        'BindRequest': ('BindRequestSpec', 'BindRequestStatus'),
        'Config': ('ConfigSpec', 'ConditionsStatus'),
        'PodGroup': ('PodGroupSpec', 'PodGroupStatus'),
        'Queue': ('QueueSpec', 'QueueStatus'),
        'SchedulingShard': ('SchedulingShardSpec', 'ConditionsStatus'),
        'Topology': ('TopologySpec', None),
    },
}

# What C++ reserves, of the names that fields have.
RESERVED = {'bool', 'class', 'continue', 'default', 'delete', 'enum', 'int', 'namespace', 'not', 'operator', 'or', 'private',
            'register', 'requires', 'static', 'template', 'volatile'}

TEXT = {'string', 'time', 'microtime', 'bytes'}
WHOLE = {'int32', 'int64'}
AS_IT_IS = {'quantity', 'intorstring', 'object', 'any'}
CPP_SCALARS = {'std::string': 'string', 'bool': 'bool', 'int32_t': 'int32', 'int64_t': 'int64',
               'int': 'int32', 'double': 'number', 'base::Quantity': 'quantity',
               'IntOrString': 'intorstring', 'api::IntOrString': 'intorstring',
               'json::Value': 'any'}


def namespace_of(group):
    """core/v1 is core, scheduling/v1alpha1 is scheduling_v1alpha1."""
    name, version = group.split('/')
    return name if version == 'v1' else f'{name}_{version}'


def read_tables(folder):
    """{namespace: {type: {field: type}}}, with types as `ns.Name` where they are structs."""
    groups = {}
    for path in sorted(folder.glob('*.inc')):
        space = current = None
        for line in path.read_text().splitlines():
            line = line.removeprefix('R"table(').removesuffix(')table"')
            words = line.split()
            if not words:
                continue
            if line.startswith(' '):
                current[words[0].rstrip('!')] = words[1]
            elif words[0] == 'group':
                space = groups.setdefault(namespace_of(words[1]), {})
            else:  # `kind` or `type`.
                current = space.setdefault(words[1], {})
    for space, types in groups.items():
        for fields in types.values():
            for field, kind in fields.items():
                fields[field] = qualified(kind, space)
    return groups


def qualified(kind, space):
    """With its group where it is a struct, and without the marks of pointers."""
    prefix, _, kind = re.fullmatch(r'((\[\]|\{\}|\*)*)(.*)', kind).groups()
    prefix = prefix.replace('*', '')
    if kind in TEXT | WHOLE | AS_IT_IS | {'bool', 'number'}:
        return prefix + kind
    if '.' in kind:
        group, _, name = kind.rpartition('.')
        return f'{prefix}{namespace_of(group)}.{name}'
    return f'{prefix}{space}.{kind}'


def read_structs(folder, space):
    """The described structs of a folder, and the aliases that they use."""
    text = '\n'.join(path.read_text() for path in sorted(folder.glob('*.h')))
    aliases = dict(re.findall(r'^using (\w+) = ([^;]+);', text, re.M))
    enums = set(re.findall(r'^BOOST_DESCRIBE_ENUM\((\w+)', text, re.M)) | set(
        re.findall(r'^enum class (\w+)', text, re.M))
    found = {}
    for name, base, body in re.findall(r'^struct (\w+)(?: : (\w+))? \{\n(.*?)^\};', text,
                                       re.M | re.S):
        described = re.search(rf'BOOST_DESCRIBE_STRUCT\({name}, \([^)]*\),\s*\(([^)]*)\)', text)
        if not described:
            continue
        fields = dict(found.get(base, {}))
        for member in re.split(r'[,\s]+', described.group(1).strip()):
            if not member:
                continue
            line = re.search(rf'^  (\S.*?) {member}\b(?: = [^;]*)?;(?:\s*// view: (\S+))?', body,
                             re.M)
            if not line:
                sys.exit(f'make_views: {space}: no line for {name}.{member}')
            kind = line.group(2) or from_cpp(line.group(1), aliases, enums, space)
            fields[member.rstrip('_')] = qualified(kind, space) if line.group(2) else kind
        found[name] = fields
    return found


def from_cpp(kind, aliases, enums, space):
    kind = kind.strip()
    if match := re.fullmatch(r'std::optional<(.*)>', kind):
        return from_cpp(match.group(1), aliases, enums, space)
    if match := re.fullmatch(r'std::vector<(.*)>', kind):
        return '[]' + from_cpp(match.group(1), aliases, enums, space)
    if match := re.fullmatch(r'std::map<std::string, (.*)>', kind):
        return '{}' + from_cpp(match.group(1), aliases, enums, space)
    if kind in CPP_SCALARS:
        return CPP_SCALARS[kind]
    if kind in enums:
        return 'string'
    if kind in aliases:
        return from_cpp(aliases[kind], aliases, enums, space)
    return kind.replace('::', '.') if '::' in kind else f'{space}.{kind}'


def add_own(groups, source):
    for space, kinds in OWN_KINDS.items():
        types = groups[space] = read_structs(source / 'api' / space, space)
        for kind, (spec, status) in kinds.items():
            types[kind] = {'apiVersion': 'string', 'kind': 'string',
                           'metadata': 'meta.ObjectMeta', 'spec': f'{space}.{spec}'}
            if status:
                types[kind]['status'] = f'{space}.{status}'


def check_links(groups):
    for space, types in groups.items():
        for name, fields in types.items():
            for field, kind in fields.items():
                target = kind.replace('[]', '').replace('{}', '')
                if '.' not in target:
                    continue
                group, part = target.split('.')
                if part not in groups.get(group, {}):
                    sys.exit(f'make_views: {space}.{name}.{field}: there is no {target}')


def cpp_name(field):
    name = re.sub(r'\W', '_', field)
    return name + '_' if name in RESERVED else name


def spaced(target, space, outer):
    group, name = target.split('.')
    return name if group == space else f'{outer}::{group}::{name}'


def item_type(kind, space):
    if kind in TEXT:
        return 'std::string_view'
    if kind in WHOLE:
        return 'int64_t'
    if kind == 'bool':
        return 'bool'
    if kind == 'number':
        return 'double'
    if '.' in kind and not kind.startswith(('[', '{')):
        return spaced(kind, space, 'view')
    return 'const json::Value&'


def reader(field, kind, space, owner):
    """(what stands in the class, what stands behind all classes)."""
    name = cpp_name(field)
    key = f'Field("{field}")'
    has = f'  bool has_{name}() const {{ return HasField("{field}"); }}\n'
    if kind in TEXT:
        return has + (f'  std::string_view {name}(std::string_view fallback = {{}}) const '
                      f'{{ return {key}.AsString(fallback); }}\n'), ''
    if kind in WHOLE:
        return has + (f'  int64_t {name}(int64_t fallback = 0) const '
                      f'{{ return {key}.AsInt(fallback); }}\n'), ''
    if kind == 'bool':
        return has + (f'  bool {name}(bool fallback = false) const '
                      f'{{ return {key}.AsBool(fallback); }}\n'), ''
    if kind == 'number':
        return has + (f'  double {name}(double fallback = 0) const '
                      f'{{ return {key}.AsDouble(fallback); }}\n'), ''
    if kind.startswith('[]'):
        kind = f'List<{item_type(kind[2:], space)}>'
        return has + f'  {kind} {name}() const {{ return {kind}({key}); }}\n', ''
    if kind.startswith('{}'):
        kind = f'Map<{item_type(kind[2:], space)}>'
        return has + f'  {kind} {name}() const {{ return {kind}({key}); }}\n', ''
    if '.' in kind:
        kind = spaced(kind, space, 'view')
        return (has + f'  {kind} {name}() const;\n',
                f'inline {kind} {owner}::{name}() const {{ return {kind}({key}); }}\n')
    return has + f'  const json::Value& {name}() const {{ return {key}; }}\n', ''


def writer(field, kind, space, owner):
    name = cpp_name(field)
    clear = f'  void clear_{name}() const {{ ClearField("{field}"); }}\n'

    def setter(argument):
        return (f'  const {owner}& set_{name}({argument} value) const '
                f'{{ return SetField("{field}", value), *this; }}\n')
    by_value = (f'  const {owner}& set_{name}(json::Value value) const '
                f'{{ return SetField("{field}", std::move(value)), *this; }}\n')
    if kind in TEXT:
        return clear + setter('std::string_view'), ''
    if kind in WHOLE:
        return clear + setter('int64_t'), ''
    if kind == 'bool':
        return clear + setter('bool'), ''
    if kind == 'number':
        return clear + setter('double'), ''
    if kind.startswith('[]') and '.' in kind and not kind.startswith(('[][]', '[]{}')):
        item = spaced(kind[2:], space, 'edit')
        return (clear + by_value +
                f'  List<{item}> {name}() const {{ return List<{item}>(Field("{field}")); }}\n'
                f'  {item} add_{name}() const;\n',
                f'inline {item} {owner}::add_{name}() const {{ return {name}().Add(); }}\n')
    if kind.startswith('{}'):
        return clear + by_value + f'  Map {name}() const {{ return Map(Field("{field}")); }}\n', ''
    if '.' in kind and not kind.startswith('[]'):
        kind = spaced(kind, space, 'edit')
        return (clear + by_value + f'  {kind} {name}() const;\n',
                f'inline {kind} {owner}::{name}() const {{ return {kind}(Field("{field}")); }}\n')
    return clear + by_value, ''


def classes(name, base, types, space, make):
    out = [f'namespace coppice::{name}::{space} {{\n\n']
    out += [f'class {kind};\n' for kind in types]
    behind = []
    for owner, fields in types.items():
        out.append(f'\nclass {owner} : public {base} {{\n public:\n  using {base}::{base};\n')
        for field, kind in fields.items():
            inside, after = make(field, kind, space, owner)
            out.append(inside)
            behind.append(after)
        out.append('};\n')
    return ''.join(out + ['\n'] + behind + [f'\n}}  // namespace coppice::{name}::{space}\n'])


def header(name, base, space, types, make):
    others = sorted({kind.replace('[]', '').replace('{}', '').split('.')[0]
                     for fields in types.values() for kind in fields.values() if '.' in kind}
                    - {space})
    includes = ''.join(f'#include "api/{name}/{other}.h"\n' for other in others)
    return ('// Generated by tools/make_views.py: see api/view/view.h.\n#pragma once\n\n'
            f'{includes}#include "api/view/view.h"\n\n' + classes(name, base, types, space, make))


def keys(space, types):
    """Names of fields as constants, for what takes a name: patches, paths, fields to keep."""
    out = ['// Generated by tools/make_views.py: see api/view/view.h.\n#pragma once\n\n'
           f'#include <string_view>\n\nnamespace coppice::key::{space} {{\n']
    for owner, fields in types.items():
        out.append(f'\nstruct {owner} {{\n')
        out += [f'  static constexpr std::string_view {cpp_name(field)} = "{field}";\n'
                for field in fields]
        out.append('};\n')
    return ''.join(out + [f'\n}}  // namespace coppice::key::{space}\n'])


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(repository, output):
    source = pathlib.Path(repository) / 'src'
    groups = read_tables(source / 'api/schema/tables')
    groups |= read_tables(source / 'api/foreign')
    groups |= read_tables(source / 'api/documents')
    add_own(groups, source)
    check_links(groups)
    for space, types in groups.items():
        for name, base, make in (('view', 'View', reader), ('edit', 'Edit', writer)):
            write(pathlib.Path(output) / 'api' / name / f'{space}.h',
                  header(name, base, space, types, make))
        write(pathlib.Path(output) / 'api/key' / f'{space}.h', keys(space, types))


if __name__ == '__main__':
    main(*sys.argv[1:3])
