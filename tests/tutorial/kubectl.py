#!/usr/bin/env python3
"""The few commands of kubectl that the documents use, for machines without kubectl.

usage: kubectl apply -f FILE | get KIND [NAME] [-o wide] | annotate KIND NAME KEY=VALUE | KEY-
       kubectl cordon NODE | uncordon NODE | delete KIND NAME | scale KIND NAME --replicas=N
       kubectl create configmap NAME

It prints what kubectl prints, and sends the documents of a file as they are, by server-side apply.
"""
import argparse
import base64
import http.client
import json
import os
import re
import ssl
import sys
import tempfile
import urllib.parse

TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
MERGE = 'application/merge-patch+json'
APPLY = 'application/apply-patch+yaml'


class Server:
    """The API server of $KUBECONFIG, which `coppice up` has written."""

    def __init__(self):
        with open(os.environ['KUBECONFIG'], encoding='utf-8') as source:
            text = source.read()
        field = lambda name: re.search(name + r': "?([^"\s}]+)', text).group(1)
        self.url = urllib.parse.urlparse(field('server'))
        self.tls = ssl.create_default_context(
            cadata=base64.b64decode(field('certificate-authority-data')).decode())
        with tempfile.NamedTemporaryFile() as pair:
            for name in ('client-certificate-data', 'client-key-data'):
                pair.write(base64.b64decode(field(name)) + b'\n')
            pair.flush()
            self.tls.load_cert_chain(pair.name)

    def call(self, method, path, body=None, kind='application/json', accept='application/json'):
        connection = http.client.HTTPSConnection(self.url.hostname, self.url.port,
                                                 context=self.tls, timeout=10)
        connection.request(method, path, body, {'Content-Type': kind, 'Accept': accept})
        answer = connection.getresponse()
        content = json.loads(answer.read())
        if answer.status >= 400:
            raise SystemExit(f'Error from server ({content.get("reason")}): {content["message"]}')
        return answer.status, content

    def resources(self):
        """(path, group, resource) of everything served."""
        groups = [('/api/v1', '')]
        for group in self.call('GET', '/apis')[1]['groups']:
            groups.append(('/apis/' + group['preferredVersion']['groupVersion'], group['name']))
        for path, group in groups:
            for resource in self.call('GET', path)[1]['resources']:
                if '/' not in resource['name']:
                    yield path, group, resource

    def find(self, word):
        word = word.lower().split('.')[0]
        for path, group, resource in self.resources():
            names = [resource['name'], resource['kind'].lower(), resource.get('singularName')]
            if word in names + resource.get('shortNames', []):
                return path, group, resource
        raise SystemExit(f'error: the server doesn\'t have a resource type "{word}"')


def address(path, resource, name='', namespace='default'):
    middle = f'/namespaces/{namespace}' if resource['namespaced'] else ''
    return f'{path}{middle}/{resource["name"]}' + (f'/{name}' if name else '')


def called(group, resource, name):
    """As kubectl names an object: podcliqueset.grove.io/train."""
    return f'{resource["kind"].lower()}{"." + group if group else ""}/{name}'


def apply(server, arguments):
    text = sys.stdin.read() if arguments.filename == '-' else open(arguments.filename).read()
    for document in re.split(r'^---$', text, flags=re.M):
        kind = re.search(r'^kind: (\w+)', document, re.M)
        if not kind:
            continue
        name = re.search(r'^metadata:(?:\n(?:  .*\n)*?  | *\{.*?)name: ([\w.-]+)', document, re.M)
        path, group, resource = server.find(kind.group(1))
        where = address(path, resource, name.group(1)) + '?fieldManager=kubectl'
        status, _ = server.call('PATCH', where, document.encode(), APPLY)
        done = 'created' if status == 201 else 'configured'
        print(called(group, resource, name.group(1)), done)


def get(server, arguments):
    path, _, resource = server.find(arguments.words[0])
    where = address(path, resource, ''.join(arguments.words[1:2]), arguments.namespace)
    table = server.call('GET', where, accept=TABLE)[1]
    shown = [index for index, column in enumerate(table['columnDefinitions'])
             if column['priority'] == 0 or arguments.output == 'wide']
    rows = [[table['columnDefinitions'][index]['name'].upper() for index in shown]]
    text = lambda cell: '' if cell is None else str(cell)
    rows += [[text(row['cells'][index]) for index in shown] for row in table.get('rows', [])]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('   '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def annotate(server, arguments):
    path, group, resource = server.find(arguments.words[0])
    name, change = arguments.words[1:3]
    key, _, value = change.rstrip('-').partition('=')
    body = {'metadata': {'annotations': {key: None if change.endswith('-') else value}}}
    server.call('PATCH', address(path, resource, name), json.dumps(body), MERGE)
    print(called(group, resource, name), 'annotated')


def cordon(server, arguments):
    name, on = arguments.words[0], arguments.verb == 'cordon'
    body = {'spec': {'unschedulable': True if on else None}}
    server.call('PATCH', f'/api/v1/nodes/{name}', json.dumps(body), MERGE)
    print(f'node/{name} {arguments.verb}ed')


def scale(server, arguments):
    path, group, resource = server.find(arguments.words[0])
    body = json.dumps({'spec': {'replicas': arguments.replicas}})
    server.call('PATCH', address(path, resource, arguments.words[1]) + '/scale', body, MERGE)
    print(called(group, resource, arguments.words[1]), 'scaled')


def create(server, arguments):
    path, group, resource = server.find(arguments.words[0])
    body = json.dumps({'metadata': {'name': arguments.words[1]}})
    server.call('POST', address(path, resource), body)
    print(called(group, resource, arguments.words[1]), 'created')


def delete(server, arguments):
    path, group, resource = server.find(arguments.words[0])
    body = json.dumps({'propagationPolicy': 'Background'})
    server.call('DELETE', address(path, resource, arguments.words[1]), body)
    print(f'{called(group, resource, "")[:-1]} "{arguments.words[1]}" deleted')


def main():
    parser = argparse.ArgumentParser()
    verbs = {'apply': apply, 'get': get, 'annotate': annotate, 'cordon': cordon,
             'uncordon': cordon, 'delete': delete, 'scale': scale, 'create': create}
    parser.add_argument('verb', choices=verbs)
    parser.add_argument('words', nargs='*')
    parser.add_argument('-f', '--filename')
    parser.add_argument('-o', '--output')
    parser.add_argument('-n', '--namespace', default='default')
    parser.add_argument('--replicas', type=int)
    arguments = parser.parse_args()
    verbs[arguments.verb](Server(), arguments)


if __name__ == '__main__':
    main()
