#!/usr/bin/env python3
"""How full placement strategies make a cluster: ./dev bench quality [STRATEGY...].

Lets `coppice simulate` place arrivals for 130 % of a cluster's GPUs, one pod after the other, and prints for
each sequence and strategy the share of GPUs allocated and where the rest is: on nodes without CPU or memory
for any pod that still waits, of a model that none of them accepts, or in parts of GPUs that are too small
for all of them. With the traces of a production cluster (COPPICE_TRACES names their folder) the figures
published for it are beside ours; without them a generated cluster of the same shape is filled.
"""
import csv, glob, gzip, json, os, random, subprocess, sys, tempfile
from collections import Counter, defaultdict, namedtuple

Node = namedtuple('Node', 'name cpu memory gpus model')
Pod = namedtuple('Pod', 'cpu memory gpus milli models')

# Percent of GPUs allocated, published with the trace: best fit, fragmentation gradient descent.
PUBLISHED = {'default': (93.1, 95.4), 'cpu200': (92.4, 95.1), 'gpushare40': (91.7, 94.2),
             'gpushare80': (87.0, 89.3), 'gpuspec25': (93.2, 94.7), 'multigpu30': (94.7, 96.5)}
PLUGINS = ('predicates proportion priority nodeavailability gpusharingorder gpupack resourcetype '
           'nominatednode nodeplacement').split()
CAUSES = ('CPU', 'memory', 'model', 'fraction')


def read_traces(folder):
    with open(os.path.join(folder, 'nodes.csv')) as file:
        nodes = [Node(r['name'], int(r['cpu_milli']), int(r['memory_mib']), int(r['gpus']), r['model'])
                 for r in csv.DictReader(file)]
    for path in sorted(glob.glob(os.path.join(folder, '*.csv.gz'))):
        with gzip.open(path, 'rt') as file:
            pods = [Pod(int(r['cpu_milli']), int(r['memory_mib']), int(r['gpus']), int(r['gpu_milli']),
                        tuple(filter(None, r['models'].split('|')))) for r in csv.DictReader(file)]
        yield os.path.basename(path).removesuffix('.csv.gz'), nodes, pods


def generate(seed):
    """A cluster of three models and a mix of whole GPUs, shares and pods without GPUs."""
    draw = random.Random(seed)
    kinds = [('large', 8, 96, 384, 60), ('small', 2, 104, 512, 40), ('old', 2, 16, 120, 15)]
    nodes = [Node(f'{model}-{i:03d}', cores * 1000, gib * 1024, gpus, model)
             for model, gpus, cores, gib, count in kinds for i in range(count)]
    shapes = [((1, 1000), 48), ((1, 800), 13), ((1, 450), 10), ((1, 650), 3), ((1, 300), 5), ((1, 200), 3),
              ((1, 150), 1), ((2, 1000), 1), ((4, 1000), 1), ((8, 1000), 1), ((0, 0), 14)]
    left, pods = 1.3 * sum(n.gpus for n in nodes), []
    while left > 0:
        gpus, milli = draw.choices([s for s, _ in shapes], [w for _, w in shapes])[0]
        cores = draw.choice((3, 4, 8, 11, 12, 16)) * max(gpus, 1)
        models = (draw.choice(kinds)[0],) if gpus == 1 and draw.random() < 0.1 else ()
        pods.append(Pod(cores * 1000, cores * 4096, gpus, milli, models))
        left -= gpus * milli / 1000
    return f'generated-{seed}', nodes, pods


def stamp(second):
    return f'2026-01-01T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z'


def snapshot(nodes, pods, strategy):
    def meta(name, second, **more):
        return {'name': name, 'uid': name, 'creationTimestamp': stamp(second), **more}

    everything = {r: {'quota': -1, 'overQuotaWeight': 1, 'limit': -1} for r in ('gpu', 'cpu', 'memory')}
    raw = {'nodes': [], 'pods': [], 'podGroups': [], 'bindRequests': [], 'configMaps': [], 'topologies': [],
           'priorityClasses': [{'metadata': meta('train', 0), 'value': 50}],
           'queues': [{'metadata': meta('root', 0), 'spec': {'resources': everything}},
                      {'metadata': meta('team', 0), 'spec': {'resources': everything, 'parentQueue': 'root'}}]}
    for n in nodes:
        amounts = {'cpu': f'{n.cpu}m', 'memory': f'{n.memory}Mi', 'pods': '10000', 'nvidia.com/gpu': str(n.gpus)}
        labels = {'kubernetes.io/hostname': n.name, 'model': n.model, 'nvidia.com/gpu.count': str(n.gpus),
                  'nvidia.com/gpu.memory': '80000'}
        raw['nodes'].append({'metadata': meta(n.name, 0, labels=labels),
                             'status': {'capacity': amounts, 'allocatable': amounts,
                                        'conditions': [{'type': 'Ready', 'status': 'True'}]}})
    for i, p in enumerate(pods):
        name, asks, notes = f'p{i:06d}', {'cpu': f'{p.cpu}m', 'memory': f'{p.memory}Mi'}, {}
        if p.gpus == 1 and p.milli < 1000:
            notes['gpu-fraction'] = f'{p.milli / 1000:g}'
        elif p.gpus:
            asks['nvidia.com/gpu'] = str(p.gpus)
        limits = {k: v for k, v in asks.items() if k == 'nvidia.com/gpu'}
        spec = {'schedulerName': 'kai-scheduler',
                'containers': [{'name': 'main', 'resources': {'requests': asks, 'limits': limits}}]}
        if p.models:
            term = {'matchExpressions': [{'key': 'model', 'operator': 'In', 'values': list(p.models)}]}
            spec['affinity'] = {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {
                'nodeSelectorTerms': [term]}}}
        own = {'namespace': 'default', 'labels': {'kai.scheduler/queue': 'team'}}
        raw['pods'].append({'metadata': meta(name, i + 1, annotations={'pod-group-name': name, **notes}, **own),
                            'spec': spec, 'status': {'phase': 'Pending'}})
        raw['podGroups'].append({'metadata': {**meta(name, i + 1, **own), 'uid': 'group-' + name},
                                 'spec': {'minMember': 1, 'queue': 'team', 'priorityClassName': 'train'}})
    plugins = [{'name': p} for p in PLUGINS]
    plugins[-1]['arguments'] = {'gpu': strategy, 'cpu': 'binpack'}
    return {'config': {'actions': 'allocate', 'tiers': [{'plugins': plugins}]}, 'rawObjects': raw,
            'schedulerParams': {'schedulerName': 'kai-scheduler', 'useSchedulingSignatures': True,
                                'fullHierarchyFairness': True, 'queueLabelKey': 'kai.scheduler/queue',
                                'partitionParams': {'NodePoolLabelKey': 'kai.scheduler/node-pool'}}}


def place(coppice, nodes, pods, strategy):
    """Where each pod is put: {pod number: (node, GPU groups)}."""
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(snapshot(nodes, pods, strategy), file)
        file.flush()
        run = subprocess.run([coppice, 'simulate', file.name, '--now', '2026-01-02T00:00:00Z', '-o', 'json'],
                             capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr.strip() or f'coppice simulate: exit status {run.returncode}')
    return {int(b['pod'].split('/p')[1]): (b['node'], b['request'].get('selectedGPUGroups') or [])
            for b in json.loads(run.stdout)[0]['binds']}


class Left:
    """What is free on a node."""

    def __init__(self, node):
        self.node, self.cpu, self.memory, self.whole = node, node.cpu, node.memory, node.gpus
        self.rests = defaultdict(lambda: 1000)

    def take(self, pod, groups):
        self.cpu -= pod.cpu
        self.memory -= pod.memory
        if pod.gpus == 1 and pod.milli < 1000:
            self.whole -= groups[0] not in self.rests
            self.rests[groups[0]] -= pod.milli
        else:
            self.whole -= pod.gpus
        if min([self.cpu, self.memory, self.whole, *self.rests.values()]) < 0:
            sys.exit(f'{self.node.name}: more was given than there is')

    def cause(self, part, waiting):
        """Why nobody who waits can have this part of a GPU."""
        fit = [p for p in waiting if (p.milli <= part if p.gpus == 1 else p.gpus <= self.whole and part == 1000)]
        if not fit:
            return 'fraction'
        fit = [p for p in fit if not p.models or self.node.model in p.models]
        if not fit:
            return 'model'
        return 'CPU' if all(p.cpu > self.cpu for p in fit) else 'memory'


def measure(nodes, pods, placed):
    """Percent of GPUs allocated, and percent left by cause."""
    left = {n.name: Left(n) for n in nodes}
    for number, (node, groups) in placed.items():
        left[node].take(pods[number], groups)
    waiting = {p for i, p in enumerate(pods) if p.gpus and i not in placed}
    stranded = Counter()
    for each in left.values():
        for part in [*each.rests.values(), *[1000] * each.whole]:
            stranded[each.cause(part, waiting)] += part if part else 0
    total = 10 * sum(n.gpus for n in nodes)
    given = sum(pods[i].gpus * pods[i].milli for i in placed)
    return given / total, {cause: stranded[cause] / total for cause in CAUSES}


def main():
    coppice, strategies = sys.argv[1], sys.argv[2:] or ['binpack', 'leastfragmentation']
    folder = os.environ.get('COPPICE_TRACES', '')
    if folder:
        sequences = read_traces(folder)
    else:
        print('COPPICE_TRACES is not set: filling generated clusters of the same shape.')
        sequences = map(generate, (1, 2))
    print('| arrivals | strategy | allocated % | left: ' + ' | left: '.join(CAUSES) +
          ' | best fit, published | FGD, published |')
    print('|---' * (len(CAUSES) + 5) + '|')
    for name, nodes, pods in sequences:
        best_fit, descent = PUBLISHED.get(name.split('-')[0], ('', ''))
        for strategy in strategies:
            share, causes = measure(nodes, pods, place(coppice, nodes, pods, strategy))
            print(f'| {name} | {strategy} | {share:.2f} | ' + ' | '.join(f'{causes[c]:.2f}' for c in CAUSES) +
                  f' | {best_fit} | {descent} |', flush=True)


if __name__ == '__main__':
    main()
