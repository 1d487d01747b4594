"""What the demo cluster holds: queues, gangs, Jobs, fractions, and some that must wait."""

QUEUES = "/apis/scheduling.run.ai/v2/queues"
GROVE = "/apis/grove.io/v1alpha1/namespaces/{}/podcliquesets"
JOBS = "/apis/batch/v1/namespaces/{}/jobs"
PODS = "/api/v1/namespaces/{}/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/{}/deployments"


def queue(name, parent=None, gpus=-1, limit=-1, weight=1):
    amount = {"quota": gpus, "limit": limit, "overQuotaWeight": weight}
    free = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    spec = {"resources": {"gpu": amount, "cpu": free, "memory": free}}
    if parent:
        spec["parentQueue"] = parent
    return QUEUES, {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                    "metadata": {"name": name}, "spec": spec}


def pod_spec(gpus=0, cpu="2", scheduler="kai-scheduler"):
    resources = {"requests": {"cpu": cpu, "memory": "4Gi"}}
    if gpus:
        resources["limits"] = {"nvidia.com/gpu": str(gpus)}
    return {"schedulerName": scheduler,
            "containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10",
                            "resources": resources}]}


def gang(name, queue_name, cliques, rack=False, ns="default"):
    """`cliques`: {name: (replicas, GPUs)}."""
    template = {"cliques": [
        {"name": clique, "spec": {"roleName": clique, "replicas": replicas,
                                  "podSpec": pod_spec(gpus)}}
        for clique, (replicas, gpus) in cliques.items()]}
    if rack:
        template["topologyConstraint"] = {"topologyName": "default", "pack": {"required": "rack"}}
    return GROVE.format(ns), {
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": name, "namespace": ns, "labels": {"kai.scheduler/queue": queue_name}},
        "spec": {"replicas": 1, "template": template}}


def job(name, queue_name, pods, gpus, ns="default", **spec):
    labels = {"kai.scheduler/queue": queue_name}
    return JOBS.format(ns), {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": ns, "labels": labels},
        "spec": {"parallelism": pods, "completions": pods,
                 "template": {"metadata": {"labels": labels},
                              "spec": {**pod_spec(gpus), "restartPolicy": "Never"}}, **spec}}


def fraction(name, queue_name, part, ns="default"):
    return PODS.format(ns), {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": ns, "labels": {"kai.scheduler/queue": queue_name},
                     "annotations": {"gpu-fraction": str(part)}},
        "spec": pod_spec()}


def deployment(name, replicas, ns="web"):
    labels = {"app": name}
    return DEPLOYMENTS.format(ns), {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": ns},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels},
                              "spec": pod_spec(0, scheduler="default-scheduler")}}}


def namespace(name):
    return "/api/v1/namespaces", {"metadata": {"name": name}}


OBJECTS = [
    namespace("team-a"), namespace("web"),
    queue("company", gpus=128),
    queue("serving", "company", 48), queue("training", "company", 56),
    queue("research", "company", 24, weight=2), queue("trial", "company", 0, limit=4),
    gang("chat", "serving", {"router": (2, 0), "prefill": (3, 4), "decode": (6, 2)}, rack=False),
    gang("search", "serving", {"leader": (1, 4), "worker": (3, 4)}),
    gang("pretrain", "training", {"worker": (4, 8)}, rack=True),
    gang("finetune", "training", {"worker": (2, 8)}, ns="team-a"),
    job("sweep", "research", 24, 1, ns="team-a"),
    job("eval", "research", 6, 2),
    job("notebook", "trial", 3, 1, ns="team-a"),
    job("later", "research", 4, 1, suspend=True),
    job("too-many", "trial", 4, 2),
    gang("giant", "training", {"worker": (6, 8)}, rack=True),
    fraction("embed-a", "serving", 0.5), fraction("embed-b", "serving", 0.25),
    fraction("embed-c", "research", 0.5, ns="team-a"),
    deployment("frontend", 3),
]


def fill(cluster):
    for path, body in OBJECTS:
        status, answer = cluster.call("POST", path, body)
        if status not in (200, 201, 409):
            raise SystemExit(f"the demo cluster refuses {path}: {status} {answer.get('message')}")
