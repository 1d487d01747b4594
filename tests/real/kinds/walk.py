#!/usr/bin/env python3
"""Sends every method to every path of discovery, with and without a namespace, a name and a
subresource, as users with limited rights, to two clusters: both must answer with the same status,
and refuse in the same words.

usage: walk.py --kubectl PROGRAM KUBECONFIG REFERENCE_KUBECONFIG

Nothing is written: writes carry dryRun=All. What may differ is in MAY_DIFFER, with the reason.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import re
import shlex
import sys
import time

from direct import Direct

WRITES = ('POST', 'PUT', 'PATCH')
METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
UNKNOWN = itertools.cycle(['OPTIONS', 'LIST', 'DELETECOLLECTION', 'WATCH', 'CREATE', 'FOO', 'get'])
SELECTORS = ['fieldSelector=metadata.name%3Done', 'fieldSelector=metadata.name%3Dtwo']
RBAC = '/apis/rbac.authorization.k8s.io/v1'

# Of each user: the rule, and whether it holds in the namespace alone.
USERS = {
    'tenant': ({'verbs': ['*'], 'resources': ['*']}, True),
    'named': ({'verbs': ['*'], 'resources': ['*'], 'resourceNames': ['one']}, True),
    'named-everywhere': ({'verbs': ['*'], 'resources': ['*'], 'resourceNames': ['one']}, False),
    'status-writer': ({'verbs': ['*'], 'resources': ['*/status']}, False),
    'reader': ({'verbs': ['get', 'list', 'watch'], 'resources': ['*']}, False),
    'nobody': (None, False),
}
# What limited users are tried on: each kind of scope, of verbs and of subresources.
LIMITED = {'pods', 'secrets', 'serviceaccounts', 'namespaces', 'nodes', 'deployments',
           'selfsubjectaccessreviews', 'localsubjectaccessreviews', 'widgets', 'gadgets'}

# (Pattern of "USER METHOD PATH: their status, our status", why.)
MAY_DIFFER = [
    (r'/(log|exec|attach|portforward|proxy|resize)(/[a-z/]*)?: \d+, 501$', 'we have no kubelets'),
    (r' (HEAD|OPTIONS) \S+/proxy(/[a-z/]*)?: \d+, 405$', 'what is not proxied needs no more methods'),
    (r'/services/one/proxy: \d+, 404$', 'we look for the object before the way to it'),
    (r' PUT \S+/one(/status)?: 200, 404$', 'there, updates of some kinds create; never here'),
    (r' POST \S+/pods/one/binding: 500, 200$', 'there, a Binding without a target breaks'),
    (r' DELETE \S+/priorityclasses: 200, 403$', 'there, system classes are deleted in a collection'),
    (r' POST \S+/(widgets|gadgets)/one: 200, 405$', 'there, what the body names is created'),
    (r' (PUT|PATCH) \S+/(widgets|gadgets): 200, 405$', 'there, the name is found missing later'),
    (r'/(widgets|gadgets)/one/status/deeper: \d+, 404$', 'there, what follows is not looked at'),
    (r'/walk.example.com/v1/watch/\S+: (200|400), (404|405)$',
     'there, any method watches custom resources, and one name in all namespaces'),
    (r' /api/v1/(watch|proxy)/?: 500, 40[34]$', 'there, the path cannot be parsed'),
    (r'/pods//status: 400, 405$', 'there, the name is found missing later'),
    (r' (DELETE|FOO) (/|/metrics|/openapi/v[23]|/apis/?|/apis/[a-z.]+/?): 200, 405$',
     'there, some documents are served to any method'),
    (r' GET /openid/v1/jwks: 406, 200$', 'there, keys have a media type of their own'),
]

# What kube-apiserver has in a group that we serve and we have not, by "ROOT NAME".
NOT_HERE = {'/api/v1 bindings', '/api/v1 componentstatuses', '/apis/networking.k8s.io/v1 ipaddresses',
            '/apis/networking.k8s.io/v1 servicecidrs', '/apis/networking.k8s.io/v1 servicecidrs/status'}


def custom(scope, plural, kind):
    version = {'name': 'v1', 'served': True, 'storage': True,
               'subresources': {'status': {}, 'scale': {'specReplicasPath': '.spec.replicas',
                                                        'statusReplicasPath': '.status.replicas'}},
               'schema': {'openAPIV3Schema': {'type': 'object',
                                              'x-kubernetes-preserve-unknown-fields': True}}}
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
            'metadata': {'name': f'{plural}.walk.example.com'},
            'spec': {'group': 'walk.example.com', 'scope': scope, 'versions': [version],
                     'names': {'plural': plural, 'kind': kind}}}


def access(ns, user, rule, namespaced):
    role = {'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'ClusterRole',
            'metadata': {'name': f'walk-{user}'}, 'rules': [{'apiGroups': ['*'], **rule}]}
    kind = 'RoleBinding' if namespaced else 'ClusterRoleBinding'
    binding = {'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': kind,
               'metadata': {'name': f'walk-{user}'},
               'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole',
                           'name': f'walk-{user}'},
               'subjects': [{'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'User', 'name': user}]}
    where = f'{RBAC}/namespaces/{ns}/rolebindings' if namespaced else f'{RBAC}/clusterrolebindings'
    return [(f'{RBAC}/clusterroles', role), (where, binding)]


def objects(ns):
    def named(kind, name='one', version='v1', **rest):
        return {'apiVersion': version, 'kind': kind, 'metadata': {'name': name}, **rest}

    core = f'/api/v1/namespaces/{ns}'
    container = {'containers': [{'name': 'a', 'image': 'a'}]}
    labels = {'app': 'one'}
    yield from [('/api/v1/namespaces', named('Namespace', ns)),
                ('/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
                 custom('Namespaced', 'widgets', 'Widget')),
                ('/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
                 custom('Cluster', 'gadgets', 'Gadget'))]
    for user, (rule, namespaced) in USERS.items():
        yield from access(ns, user, rule, namespaced) if rule else []
    yield from [(f'{core}/serviceaccounts', named('ServiceAccount')),
                (f'{core}/secrets', named('Secret')), (f'{core}/secrets', named('Secret', 'two')),
                (f'{core}/pods', named('Pod', spec=container)),
                ('/api/v1/nodes', named('Node')),
                (f'/apis/apps/v1/namespaces/{ns}/deployments', named(
                    'Deployment', version='apps/v1', spec={
                        'selector': {'matchLabels': labels},
                        'template': {'metadata': {'labels': labels}, 'spec': container}})),
                (f'/apis/walk.example.com/v1/namespaces/{ns}/widgets',
                 named('Widget', version='walk.example.com/v1', spec={'replicas': 1})),
                ('/apis/walk.example.com/v1/gadgets',
                 named('Gadget', version='walk.example.com/v1', spec={'replicas': 1}))]


def prepare(cluster, ns):
    for path, value in objects(ns):
        for _ in range(100):
            status, text = cluster.send('POST', path, json.dumps(value),
                                        {'Content-Type': 'application/json'})
            if status in (201, 409):
                break
            time.sleep(0.1)  # Its kind or its namespace's account is on the way.
        else:
            sys.exit(f'{path}: {status} {text}')


def clean_up(cluster, ns):
    for path, value in reversed(list(objects(ns))):
        cluster.send('DELETE', f'{path}/{value["metadata"]["name"]}')


def discovery(cluster):
    """{root: {name of resource or resource/subresource: entry}}"""
    roots = ['/api/v1']
    for group in json.loads(cluster.send('GET', '/apis')[1])['groups']:
        roots += [f'/apis/{version["groupVersion"]}' for version in group['versions']]
    return {root: {entry['name']: entry for entry in json.loads(cluster.send('GET', root)[1])['resources']}
            for root in roots}


def discovery_differences(ours, theirs):
    """Of groups that both serve, entries with other verbs, kinds or scopes."""
    for root in ours.keys() & theirs.keys():
        for name in ours[root].keys() | theirs[root].keys():
            shown = [{key: sorted(entry[key]) if key == 'verbs' else entry.get(key)
                      for key in ('namespaced', 'kind', 'group', 'version', 'verbs')}
                     if entry else None for entry in (ours[root].get(name), theirs[root].get(name))]
            if shown[0] != shown[1] and f'{root} {name}' not in NOT_HERE:
                yield f'{root} {name}', *shown


def paths(root, resource, entries, ns):
    """(path, subresource)"""
    names = ['/nothing'] + [name[len(resource):] for name in entries if name.startswith(resource + '/')]
    tails = [('', ''), ('/one', '')] + [(f'/one{name}', name) for name in names]
    tails += [('/one/status/deeper', '')] if '/status' in names else []
    for prefix, scope, (tail, below) in itertools.product(['', '/watch'], ['', f'/namespaces/{ns}'], tails):
        yield f'{root}{prefix}{scope}/{resource}{tail}', below


def body_of(root, entry):
    version = root.split('/', 2)[2]
    if entry.get('group'):
        version = f'{entry["group"]}/{entry["version"]}'
    return json.dumps({'apiVersion': version, 'kind': entry['kind'], 'metadata': {'name': 'one'}})


def walk(served, ns):
    """(user, method, path, body)"""
    for root, entries in served.items():
        for resource in (name for name in entries if '/' not in name):
            users = [''] + (list(USERS) if resource in LIMITED else [])
            for (path, below), user in itertools.product(paths(root, resource, entries, ns), users):
                body = body_of(root, entries.get(f'{resource}{below}', entries[resource]))
                for method in METHODS + [next(UNKNOWN)]:
                    yield user, method, path, body
                if path.endswith(resource) or 'watch' in path:
                    yield from ((user, 'GET', f'{path}?{selector}', '') for selector in SELECTORS)


def odd_paths(ns):
    core = f'/api/v1/namespaces/{ns}'
    return [
        '//api/v1/pods', '/api//v1/pods', '/api/v1//pods', '/api/v1/pods/', '/api/v1/pods//',
        '/api/v1/namespaces//pods', '/api/v1/namespaces//pods/one', f'{core}//secrets',
        f'{core}/secrets//', f'{core}/secrets/one/', f'{core}/secrets//one', f'{core}/pods//status',
        f'{core}/pods/one//', f'{core}/pods/one/status/',
        f'{core}/secrets/.', f'{core}/secrets/..', f'{core}/secrets/%2e%2e', f'{core}/secrets/one%2f',
        f'{core}/secrets/%2fone', f'{core}/pods/one%2Fstatus', f'{core}%2Fsecrets',
        f'{core}/secrets/..%2f..', f'{core}/secrets/../secrets/one', f'{core}/secrets/on%65',
        f'{core}/secrets/a%25b', f'{core}/secrets/a%20b', f'{core}/secrets/one,x=y',
        f'{core}/Secrets', f'{core}/secrets/One', f'/api/V1/namespaces/{ns}/secrets',
        f'/API/v1/namespaces/{ns}/secrets', f'/api/v1/Namespaces/{ns}/secrets',
        f'/api/v1/namespaces/{ns}/namespaces', f'/api/v1/namespaces/{ns}/namespaces/{ns}',
        f'{core}/status/x', f'{core}/finalize/x', f'{core}/finalize', f'{core}/status',
        '/api/v1/watch', '/api/v1/watch/', '/api/v1/proxy', '/api/v1/proxy/nodes/one',
        f'/api/v1/proxy/namespaces/{ns}/pods/one', '/api/v1/watch/watch/pods',
        '/apis/apps/v1/namespaces', f'/apis/apps/v1/namespaces/{ns}', '/apis/apps/v1/pods',
        f'/apis/apps/v1/namespaces/{ns}/pods', '/apis/apps/v9/deployments', '/apis/nope/v1/things',
        '/apis/nope', '/apis/apps/v9', '/api/v2/pods', '/api/v1/nope', f'{core}/nope/one',
        '/apis/walk.example.com/v1/nope', '/apis/walk.example.com/v9/widgets', '/apis//v1/pods',
        f'{core}/pods/one/proxy/a/b', f'{core}/pods/one/log/a', '/api/v1/nodes/one/proxy/metrics',
        f'{core}/secrets?watch=', f'{core}/secrets?watch=yes', f'{core}/secrets?watch=false',
        f'{core}/secrets?watch=0', f'{core}/secrets?watch=1&timeoutSeconds=1',
        f'{core}/secrets?watch=1&fieldSelector=metadata.name%3Done',
        f'{core}/secrets?watch=1&fieldSelector=metadata.name%3Dtwo',
        f'{core}/secrets?fieldSelector=metadata.name%3D%3Done',
        f'{core}/secrets?fieldSelector=metadata.name%3Done,metadata.name%3Dtwo',
        f'{core}/secrets?fieldSelector=metadata.name%3Dtwo&fieldSelector=metadata.name%3Done',
        f'{core}/secrets?fieldSelector=metadata.name!%3Done', f'{core}/secrets?fieldSelector=oops',
        f'{core}/secrets?fieldSelector=metadata.name%3D..', f'{core}/secrets?fieldSelector=metadata.name%3D',
        f'/api/v1/watch/namespaces/{ns}/secrets/one?fieldSelector=metadata.namespace%3D{ns}',
        f'/api/v1/watch/namespaces/{ns}/secrets/one?fieldSelector=oops',
        f'{core}/secrets/one?watch=1', f'{core}/secrets/one?fieldSelector=metadata.name%3Dtwo',
        '/', '/api', '/api/', '/api/v1', '/api/v1/', '/apis', '/apis/', '/apis/apps', '/apis/apps/',
        '/apis/apps/v1', '/apis/apps/v1/', '/version', '/version/', '/healthz', '/healthz/', '/livez',
        '/livez/ping', '/readyz', '/metrics', '/openapi/v2', '/openapi/v3', '/nope', '/apiss',
        '/.well-known/openid-configuration', '/openid/v1/jwks',
    ]


def headers_of(user, method):
    headers = {'Impersonate-User': user} if user else {}
    if method in WRITES:
        headers['Content-Type'] = 'application/json'
        if method == 'PATCH':
            headers['Content-Type'] = 'application/merge-patch+json'
    return headers


def ask(cluster, request):
    user, method, path, body = request
    body = body if method in WRITES else ''
    if method not in ('GET', 'HEAD'):
        path += ('&' if '?' in path else '?') + 'dryRun=All'
    elif '/watch/' in path:
        path += ('&' if '?' in path else '?') + 'timeoutSeconds=1'
    status, text = cluster.send(method, path, body, headers_of(user, method))
    if status in (401, 403, 404, 405):
        return status, refusal(text)
    # What is wrong with a body is a matter of its kind, and of other files here.
    return 200 if method in WRITES and status < 500 else status, ''


def refusal(text):
    try:
        value = json.loads(text)
        return f"{value.get('reason')} {value.get('message')} {json.dumps(value.get('details'), sort_keys=True)}"
    except ValueError:
        return text.strip()


def reason_to_differ(request, ours, theirs):
    line = f'{" ".join(request[:3])}: {theirs[0]}, {ours[0]}'
    return next((why for pattern, why in MAY_DIFFER if re.search(pattern, line)), None)


def compare(requests, clusters):
    """Requests that are answered differently, with both answers."""
    with concurrent.futures.ThreadPoolExecutor(4) as ours, \
            concurrent.futures.ThreadPoolExecutor(4) as theirs:
        answers = [pool.map(lambda request, cluster=cluster: ask(cluster, request), requests,
                            chunksize=1) for pool, cluster in zip((ours, theirs), clusters)]
        return [(request, *pair) for request, *pair in zip(requests, *answers) if pair[0] != pair[1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--kubectl', required=True)
    parser.add_argument('kubeconfigs', nargs=2)
    options = parser.parse_args()
    began, ns = time.time(), f'walk-{int(time.time())}'
    clusters = [Direct(shlex.split(options.kubectl), path) for path in options.kubeconfigs]
    for cluster in clusters:
        prepare(cluster, ns)
    served = [discovery(cluster) for cluster in clusters]
    common = {root: entries for root, entries in served[0].items() if root in served[1]}
    requests = list(walk(common, ns))
    requests += itertools.product([''] + list(USERS), ['GET', 'DELETE', 'FOO'], odd_paths(ns), [''])
    unlike = list(discovery_differences(*served))
    for name, ours, theirs in unlike:
        print(f'FAIL  discovery of {name}\n   reference: {theirs}\n   this one:  {ours}')
    different = compare(requests, clusters)
    unexplained = [each for each in different if not reason_to_differ(*each)]
    for request, ours, theirs in unexplained:
        print(f'FAIL  {" ".join(request[:3])}\n   reference: {theirs}\n   this one:  {ours}')
    for cluster in clusters:
        clean_up(cluster, ns)
    print(f'{len(requests) - len(unexplained)} of {len(requests)} requests of the walk are answered '
          f'alike, {len(different) - len(unexplained)} of them differ for a reason '
          f'({time.time() - began:.0f} s)')
    sys.exit(1 if unexplained or unlike else 0)


if __name__ == '__main__':
    main()
