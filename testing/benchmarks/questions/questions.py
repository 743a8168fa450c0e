#!/usr/bin/env python3
"""Times the what-if commands on a running cluster in a file: the openb trace as placed, or a generated one. See README.md."""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
MOORAGE = os.environ.get("MOORAGE", ROOT / "moorage")
ZONES = ["a", "b", "c"]
PODS_OF_A_REPLICA_SET = 50


def write(path, documents):
    opened = gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else open(path, "w")
    with opened as file:
        for document in documents:
            file.write(json.dumps(document, separators=(",", ":")) + "\n")
    return path


def simulated(objects, out):
    """The pods' nodes by their names, as simulate places them."""
    pending, trace = out / "pending.jsonl", out / "trace.json"
    write(pending, objects)
    subprocess.run([MOORAGE, "simulate", "--seed", "1", "--trace", trace, pending], check=True, stdout=subprocess.DEVNULL)
    return {step["pod"].split("/")[1]: step["node"] for step in json.loads(trace.read_text())["steps"]}


def controlled(pods, owner, kind="ReplicaSet", prefix="apps/v1"):
    for p in pods:
        p["metadata"]["ownerReferences"] = [{"apiVersion": prefix, "kind": kind, "name": owner, "uid": f"{kind}-{owner}", "controller": True}]


def running(pods, nodes):
    for p in pods:
        if nodes.get(p["metadata"]["name"]):
            p["spec"]["nodeName"] = nodes[p["metadata"]["name"]]
            p["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def budget(name, labels, allowed):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default", "uid": f"budget-{name}"},
            "spec": {"maxUnavailable": allowed, "selector": {"matchLabels": labels}},
            "status": {"disruptionsAllowed": allowed, "currentHealthy": 10, "desiredHealthy": 10 - allowed, "expectedPods": 10, "observedGeneration": 1}}


def openb(folder, out):
    path = out / "openb.jsonl"
    if path.exists():
        return path
    text = subprocess.run([sys.executable, pathlib.Path(folder) / "to_k8s.py"], check=True, capture_output=True, text=True).stdout
    objects = [json.loads(line) for line in text.splitlines()]
    nodes = [o for o in objects if o["kind"] == "Node"]
    pods = [o for o in objects if o["kind"] == "Pod"]
    for i, n in enumerate(nodes):
        labels = n["metadata"]["labels"]
        cpu = n["status"]["allocatable"]["cpu"]
        labels["topology.kubernetes.io/zone"] = ZONES[i % 3]
        labels["node.kubernetes.io/instance-type"] = f"{labels.get('gpu-model', 'cpu')}-{cpu[:-4]}".lower()
    alike = collections.defaultdict(list)
    for p in pods:
        alike[json.dumps(p["spec"])].append(p)
    budgets = []
    sets = 0
    for members in alike.values():
        for first in range(0, len(members), PODS_OF_A_REPLICA_SET):
            name = f"app-{sets}"
            sets += 1
            of = members[first:first + PODS_OF_A_REPLICA_SET]
            for p in of:
                p["metadata"]["labels"]["app"] = name
            controlled(of, name)
            if sets % 10 == 0:
                budgets.append(budget(name, {"app": name}, 1))
    running(pods, simulated(objects, out))
    return write(path, [*nodes, *pods, *budgets])


TYPES = [("general-16", "16", "64Gi", []), ("general-32", "32", "128Gi", []), ("memory-32", "32", "256Gi", []),
         ("batch-64", "64", "128Gi", [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}])]


def generated(count, out):
    path = out / f"generated-{count}.jsonl"
    if path.exists():
        return path
    r = random.Random(count)
    nodes, pods, others = [], [], []
    for i in range(count):
        name, (kind, cpu, memory, taints) = f"node-{i}", TYPES[i % 7 % 4]
        room = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "100Gi"}
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": ZONES[i % 3], "node.kubernetes.io/instance-type": kind}
        nodes.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name, "labels": labels}, "spec": {"taints": taints},
                      "status": {"capacity": room, "allocatable": room}})
    for i, n in enumerate(nodes):
        p = new_pod(r, "agent", f"agent-{i}", "100m", "128Mi", {"tolerations": [{"operator": "Exists"}]})
        controlled([p], "agent", "DaemonSet")
        running([p], {p["metadata"]["name"]: n["metadata"]["name"]})
        pods.append(p)
    waiting = []
    apps = 0
    while len(waiting) < 9 * count:
        app, apps = f"app-{apps}", apps + 1
        replicas = r.choice([1, 3, 5, 10, 20, 40])
        kind = "StatefulSet" if r.random() < 0.1 else "ReplicaSet"
        batch = r.random() < 0.2
        spec = {"priority": r.choice([0, 0, 0, 100, 1000])}
        if batch:
            spec["tolerations"] = [{"key": "dedicated", "value": "batch"}]
        if r.random() < 0.2:
            spec["topologySpreadConstraints"] = [{"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone",
                                                  "whenUnsatisfiable": r.choice(["DoNotSchedule", "ScheduleAnyway"]), "labelSelector": {"matchLabels": {"app": app}}}]
        if r.random() < 0.1 and replicas <= 20:
            spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}]}}
        if r.random() < 0.01:
            spec["nodeSelector"] = {"disk": "nvme"}
        cpu, memory = r.choice(["250m", "500m", "1", "2", "4"]), r.choice(["512Mi", "1Gi", "4Gi", "8Gi"])
        members = [new_pod(r, app, f"{app}-{i}", cpu, memory, spec) for i in range(replicas)]
        controlled(members, app, kind)
        if apps % 10 == 0:
            others.append(budget(app, {"app": app}, 1))
        waiting += members
    running(waiting, simulated([*nodes, *pods, *waiting], out))
    return write(path, [*nodes, *pods, *waiting, *others])


def new_pod(r, app, name, cpu, memory, spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": app},
            "creationTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Pending"},
            "spec": {**spec, "containers": [{"name": "c", "image": app, "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}}


def questions(cluster, out):
    """The command lines, by what they are called in the table."""
    nodes, waiting = [], []
    with open(cluster) as file:
        for line in file:
            o = json.loads(line)
            if o["kind"] == "Node":
                nodes.append(o)
            elif o["kind"] == "Pod" and "nodeName" not in o["spec"]:
                waiting.append(o)
    node = nodes[len(nodes) // 2]
    asked = write(out / "asked.json", [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "asked", "namespace": "default"}, "spec": {
        "replicas": 100, "selector": {"matchLabels": {"app": "asked"}}, "template": {"metadata": {"labels": {"app": "asked"}}, "spec": {
            "containers": [{"name": "c", "image": "asked", "resources": {"requests": {"cpu": "2", "memory": "4Gi"}}}]}}}}])
    packed = out / "packed.yaml"
    packed.write_text("""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - pluginConfig:
      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated}}
""")
    default = out / "default.yaml"
    default.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
    name, kind = node["metadata"]["name"], node["metadata"]["labels"]["node.kubernetes.io/instance-type"]
    lines = {
        "fit": ["fit", asked], "fit --max": ["fit", asked, "--max"],
        "drain NODE": ["drain", name], "outage zone=a": ["outage", "zone=a"], "scale-down": ["scale-down"],
        "scale-up TYPE --max-nodes 100": ["scale-up", kind, "--max-nodes", "100"],
        "compare": ["compare", default, packed], "compare --rebalance": ["compare", default, packed, "--rebalance"],
    }
    lines = {title: [*line, "--cluster", cluster] for title, line in lines.items()}
    if waiting:
        pod = waiting[0]["metadata"]
        lines["explain POD"] = ["explain", f"{pod['namespace']}/{pod['name']}", "--cluster", cluster]
    return lines


def timed(line, shown):
    start = time.monotonic()
    process = subprocess.Popen([MOORAGE, *map(str, line)], stdout=shown, stderr=subprocess.STDOUT, env={**os.environ, "COLUMNS": "120"})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, usage.ru_maxrss / 1024, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openb", help="the folder of the trace")
    parser.add_argument("--nodes", type=int, nargs="*", default=[], help="generated clusters of so many nodes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="questions whose titles begin so")
    parser.add_argument("--clusters", action="store_true", help="make the clusters and ask nothing")
    options = parser.parse_args()
    out = ROOT / "testing/benchmarks/target/questions"
    out.mkdir(parents=True, exist_ok=True)
    clusters = [generated(n, out) for n in options.nodes]
    if options.openb:
        clusters.insert(0, openb(options.openb, out))
    for cluster in clusters:
        print(f"\n{cluster.stem}; medians of {options.rounds} rounds\n\n| question | seconds | MiB | exit code |\n|---|--:|--:|--:|", flush=True)
        for title, line in {} if options.clusters else questions(cluster, out).items():
            if options.only and not any(title.startswith(only) for only in options.only):
                continue
            answer = out / f"{cluster.stem}-{title.replace(' ', '_')}.txt"
            runs = []
            for _ in range(options.rounds):
                with open(answer, "w") as shown:
                    runs.append(timed(line, shown))
            times, memory, codes = zip(*runs)
            print(f"| {title} | {statistics.median(times):.1f} | {statistics.median(memory):.0f} | {'/'.join(map(str, sorted(set(codes))))} |", flush=True)


if __name__ == "__main__":
    main()
