"""Random actions of users, careless administrators and failing machines on a cluster."""

import collections
import time

QUEUE = {"kai.scheduler/queue": "default-queue"}
MOST_SETS = 14


class Work:
    """The same seed gives the same actions; their results depend on the speed of the machine."""

    def __init__(self, cluster, random):
        self.cluster = cluster
        self.random = random
        self.made = 0
        self.done = collections.Counter()
        self.refused = []
        self.deeds = [(10, self.create_set), (8, self.delete_set), (15, self.scale_set),
                      (9, self.scale_group), (7, self.scale_clique), (12, self.change_image),
                      (14, self.delete_pod), (5, self.delete_something), (6, self.cordon),
                      (7, self.kill), (5, self.create_fraction), (4, self.create_job),
                      (4, self.delete_others)]

    def do_something(self):
        if len(self._live_sets()) < 5:
            deed = self.create_set
        else:
            weights, deeds = zip(*self.deeds)
            deed = self.random.choices(deeds, weights)[0]
        self.done[deed.__name__] += 1
        deed()

    # Sets.

    def create_set(self):
        if len(self._live_sets()) >= MOST_SETS:
            return
        random = self.random
        scheduler = random.choice(["kai-scheduler", "grove-scheduler"])
        cliques = [self._clique(f"c{i}", scheduler) for i in range(random.randint(1, 3))]
        template = {"cliques": cliques, "terminationDelay": random.choice(["3s", "20s", "4h"]),
                    "cliqueStartupType": random.choice(["CliqueStartupTypeAnyOrder",
                                                        "CliqueStartupTypeInOrder"])}
        if random.random() < 0.4:
            replicas = random.randint(1, 3)
            members = [clique["name"] for clique in cliques[:random.randint(1, len(cliques))]]
            template["podCliqueScalingGroups"] = [
                {"name": "group", "cliqueNames": members, "replicas": replicas,
                 "minAvailable": random.randint(1, replicas)}]
        spec = {"replicas": random.randint(0, 3), "template": template}
        if random.random() < 0.2:
            spec["updateStrategy"] = {"type": "OnDelete"}
        self._create("podcliquesets", {"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
                                       "metadata": self._metadata("s"), "spec": spec})

    def delete_set(self):
        self.cluster.delete("podcliquesets", self.random.choice(self._live_sets()),
                            self.random.choice(["Background", "Foreground"]))

    # Groups and cliques never below their least: their gang could not be whole any more.

    def scale_set(self):
        self._scale("podcliquesets", 4)

    def scale_group(self):
        self._scale("podcliquescalinggroups", 4)

    def scale_clique(self):
        self._scale("podcliques", 6)

    def change_image(self):
        chosen = self.random.choice(self._live_sets())
        cliques = chosen["spec"]["template"]["cliques"]
        image = f"image:{self.random.randint(1, 5)}"
        for clique in cliques:
            clique["spec"]["podSpec"]["containers"][0]["image"] = image
        status, answer = self.cluster.patch(self.cluster.path("podcliquesets", chosen),
                                            {"spec": {"template": {"cliques": cliques}}})
        self._note_refusal(status, answer)

    # Others.

    def create_fraction(self):
        """A pod that shares a GPU."""
        metadata = self._metadata("f")
        metadata["annotations"] = {"gpu-fraction": self.random.choice(["0.25", "0.5", "0.7"])}
        self._create("pods", {"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
                              "spec": self._pod_spec("kai-scheduler", 0)})

    def create_job(self):
        pods = self.random.randint(1, 4)
        template = {"metadata": {"labels": QUEUE},
                    "spec": {**self._pod_spec("kai-scheduler", self.random.randint(1, 2)),
                             "restartPolicy": "Never"}}
        self._create("jobs", {"apiVersion": "batch/v1", "kind": "Job",
                              "metadata": self._metadata("j"),
                              "spec": {"parallelism": pods, "completions": pods,
                                       "template": template}})

    def delete_others(self):
        for job in self.cluster.items("jobs")[:3]:
            self.cluster.delete("jobs", job)
        for pod in self.fractions()[:3]:
            self.cluster.delete("pods", pod)

    def fractions(self):
        return [pod for pod in self.cluster.items("pods")
                if "gpu-fraction" in pod["metadata"].get("annotations", {})]

    # Trouble.

    def delete_pod(self):
        self._delete_one("pods")

    def delete_something(self):
        self._delete_one(self.random.choice(["podcliques", "podcliquescalinggroups", "podgangs",
                                             "podgroups", "bindrequests", "services"]))

    def cordon(self):
        """Or uncordon."""
        node = self.random.choice(self.cluster.nodes())
        self.cluster.patch(f"/api/v1/nodes/{node['metadata']['name']}",
                           {"spec": {"unschedulable": not node["spec"].get("unschedulable")}})

    def kill(self):
        """Crashes a process, most rarely the server, and starts it again after a while."""
        others = [name for name in self.cluster.commands if name != "server"]
        name = "server" if self.random.random() < 0.08 else self.random.choice(others)
        self.done[f"kill {name}"] += 1
        self.cluster.kill(name)
        time.sleep(self.random.random() * 2)
        self.cluster.start(name)

    # The end.

    def uncordon_all(self):
        for node in self.cluster.nodes():
            if node["spec"].get("unschedulable"):
                self.cluster.patch(f"/api/v1/nodes/{node['metadata']['name']}",
                                   {"spec": {"unschedulable": None}})

    def delete_all(self):
        for resource in ("podcliquesets", "jobs"):
            for item in self.cluster.items(resource):
                self.cluster.delete(resource, item)
        for pod in self.fractions():
            self.cluster.delete("pods", pod)

    def _live_sets(self):
        return [item for item in self.cluster.items("podcliquesets")
                if "deletionTimestamp" not in item["metadata"]]

    def _scale(self, resource, most):
        items = self.cluster.items(resource)
        if not items:
            return
        item = self.random.choice(items)
        replicas = self.random.randint(item["spec"].get("minAvailable", 0), most)
        self.cluster.patch(f"{self.cluster.path(resource, item)}/scale",
                           {"spec": {"replicas": replicas}})

    def _delete_one(self, resource):
        items = self.cluster.items(resource)
        if items:
            self.cluster.delete(resource, self.random.choice(items))

    def _create(self, resource, body):
        self._note_refusal(*self.cluster.create(resource, body))

    def _note_refusal(self, status, answer):
        # 404: deleted meanwhile. 409: created by a request whose answer was lost.
        if status >= 400 and status not in (404, 409):
            self.refused.append(f"{status}: {answer.get('message', '')[:300]}")

    def _metadata(self, prefix):
        self.made += 1
        return {"name": f"{prefix}{self.made}", "namespace": "default", "labels": dict(QUEUE)}

    def _clique(self, name, scheduler):
        replicas = self.random.randint(1, 5)
        return {"name": name,
                "spec": {"roleName": name, "replicas": replicas,
                         "minAvailable": self.random.randint(1, replicas),
                         "podSpec": self._pod_spec(scheduler, self.random.choice([0, 1, 1, 2, 4]))}}

    def _pod_spec(self, scheduler, gpus):
        resources = {"requests": {"cpu": "1", "memory": "1Gi"}}
        if gpus:
            resources["limits"] = {"nvidia.com/gpu": str(gpus)}
        return {"schedulerName": scheduler,
                "terminationGracePeriodSeconds": self.random.choice([0, 1, 2]),
                "containers": [{"name": "main", "image": "image:1", "resources": resources}]}
