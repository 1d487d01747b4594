"""What must be true at any time, and what must be true when everybody has finished."""

import collections

GPU = "nvidia.com/gpu"
# The same for all pods that share one GPU, the pod that reserves it included.
GPU_GROUP = "runai-gpu-group"


def name_of(item):
    return f"{item['metadata'].get('namespace', '')}/{item['metadata']['name']}"


def is_leaving(item):
    return "deletionTimestamp" in item["metadata"]


def gpus_of(pod):
    return sum(int(container.get("resources", {}).get("limits", {}).get(GPU, 0))
               for container in pod["spec"]["containers"])


def gpus_in_use(cluster):
    """By node: GPUs that one pod has, and those that pods share, each counted once."""
    used = collections.Counter()
    shared = collections.defaultdict(set)
    for pod in cluster.items("pods"):
        node = pod["spec"].get("nodeName")
        if not node or pod["status"].get("phase") in ("Succeeded", "Failed"):
            continue
        group = pod["metadata"].get("labels", {}).get(GPU_GROUP)
        if group:
            shared[node].add(group)
        else:
            used[node] += gpus_of(pod)
    for node, groups in shared.items():
        used[node] += len(groups)
    return used


def overcommitted(cluster, gpus):
    """Nodes whose pods hold more GPUs than there are."""
    return [f"{node} has {count} of {gpus} GPUs in use"
            for node, count in gpus_in_use(cluster).items() if count > gpus]


def wrong_cliques(cluster):
    """Cliques without exactly their pods, or that count them wrongly."""
    pods = collections.defaultdict(list)
    for pod in cluster.items("pods"):
        if not is_leaving(pod):
            pods[pod["metadata"].get("labels", {}).get("grove.io/podclique")].append(pod)
    wrong = []
    for clique in cluster.items("podcliques"):
        own = pods[clique["metadata"]["name"]]
        ready = sum(condition["type"] == "Ready" and condition["status"] == "True"
                    for pod in own for condition in pod["status"].get("conditions", []))
        wanted = clique["spec"]["replicas"]
        reported = clique.get("status", {}).get("readyReplicas", 0)
        if len(own) != wanted:
            wrong.append(f"{name_of(clique)} has {len(own)} pods, not {wanted}")
        if reported != ready:
            wrong.append(f"{name_of(clique)} reports {reported} ready pods, not {ready}")
        if clique.get("status", {}).get("lastErrors"):
            wrong.append(f"{name_of(clique)} has errors: {clique['status']['lastErrors']}")
    return wrong


def wrong_gangs(cluster):
    """Gangs of which some pods have nodes, and too few; gangs that name pods that are not there."""
    pods = {name_of(pod): pod for pod in cluster.items("pods") if not is_leaving(pod)}
    wrong = []
    for gang in cluster.items("podgangs"):
        bound = []
        for group in gang["spec"].get("podgroups", []):
            names = [f"{ref['namespace']}/{ref['name']}" for ref in group.get("podReferences", [])]
            wrong += [f"{name_of(gang)} names {name}" for name in names if name not in pods]
            count = sum("nodeName" in pods[name]["spec"] for name in names if name in pods)
            bound.append((count, group["minReplicas"]))
        if any(count for count, _ in bound) and any(count < least for count, least in bound):
            wrong.append(f"{name_of(gang)} is placed in part: {bound} (bound, least)")
    return wrong


def fits(demands, free):
    """Whether the largest first, each where least is left, find room. False may be a mistake, True
    is not."""
    free = list(free)
    for demand in sorted(demands, reverse=True):
        room = [left for left in free if left >= demand]
        if not room:
            return False
        free[free.index(min(room))] -= demand
    return True


def idle(cluster, gpus):
    """Gangs that wait although there is room for them."""
    used = gpus_in_use(cluster)
    free = [gpus - used[node["metadata"]["name"]] for node in cluster.nodes()]
    pods = {name_of(pod): pod for pod in cluster.items("pods")}
    wrong = []
    for gang in cluster.items("podgangs"):
        least = []
        held = False
        for group in gang["spec"].get("podgroups", []):
            members = [pods[f"{ref['namespace']}/{ref['name']}"]
                       for ref in group.get("podReferences", [])]
            waiting = [pod for pod in members if "nodeName" not in pod["spec"]]
            held |= any(pod["spec"].get("schedulingGates") for pod in waiting)
            missing = max(0, group["minReplicas"] - len(members) + len(waiting))
            least += [gpus_of(pod) for pod in waiting[:missing]]
        if least and not held and fits(least, free):
            wrong.append(f"{name_of(gang)} waits although its {least} GPUs fit in {free}:\n" +
                         cluster.why(f"gang/{gang['metadata']['name']}"))
    return wrong


def unfinished(cluster):
    """What is still on its way."""
    left = [f"{name_of(item)} is still being deleted" for item in cluster.items("podcliquesets")
            if is_leaving(item)]
    left += [f"BindRequest {name_of(item)} is open: {item.get('status')}"
             for item in cluster.items("bindrequests")
             if item.get("status", {}).get("phase") != "Succeeded"]
    return left


def wrong_at_rest(cluster, gpus):
    return (wrong_cliques(cluster) + wrong_gangs(cluster) + idle(cluster, gpus) +
            unfinished(cluster))
