#!/usr/bin/env python3
"""Asks the same of Moorage and of sigs.k8s.io/scheduler-library about the same clusters.

whatif.py run                times howmany, fits, fork and drain, and prints a table of answers, times and ratios
whatif.py compare            asks at random, and prints each answer that differs
whatif.py generate           writes a generated cluster of --nodes nodes

A cluster is the openb trace as placed (--openb FOLDER, with to_k8s.py and its data), or a generated one. build.sh comes first.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("KUBE_BIN", pathlib.Path.home() / ".cache/kube-bin-1.37"))
LIBRARIES = {"scheduler-library": [BIN / "schedlib"], "moorage": [ROOT / "testing/benchmarks/run", "--whatif"]}
# Of whose version the answers are: scheduler-library has kube-scheduler v1.36.0 inside.
EMULATION = {"scheduler-library": [], "moorage": ["--emulated-version", "1.36"]}
QUESTIONS = ["howmany", "fits", "fork", "drain"]
PLACED_OF_OPENB = 6000


def write(path, documents):
    with open(path, "w") as file:
        for document in documents:
            file.write(json.dumps(document, separators=(",", ":")) + "\n")


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def key_of(pod):
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def pod(name, cpu, memory, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": name.split("-")[0]}},
            "spec": {"containers": [{"name": "c", "image": "app", "resources": {"requests": {"cpu": cpu, "memory": memory}}}], **spec}}


ASKED = pod("asked", "2", "4Gi")


# ---- clusters

def openb(folder, out):
    """The trace with its first pods placed by simulate; the others have no node, and are there to be asked about."""
    path = out / "openb.jsonl"
    if path.exists():
        return path
    pending, trace = out / "openb-pending.jsonl", out / "openb-trace.json"
    to_k8s = [sys.executable, pathlib.Path(folder) / "to_k8s.py"]
    pending.write_bytes(subprocess.run([*to_k8s, str(PLACED_OF_OPENB)], check=True, capture_output=True).stdout)
    moorage = os.environ.get("MOORAGE", ROOT / "moorage")
    subprocess.run([moorage, "simulate", "--trace", trace, pending], check=True, stdout=subprocess.DEVNULL)
    nodes = {step["pod"]: step["node"] for step in json.loads(trace.read_text())["steps"]}
    objects = lines_of(subprocess.run(to_k8s, check=True, capture_output=True, text=True).stdout)
    for o in objects:
        if o["kind"] == "Pod" and nodes.get(key_of(o)):
            o["spec"]["nodeName"] = nodes[key_of(o)]
    write(path, [*objects, ASKED])
    return path


def filled(count, path):
    """Nodes of 32 cores, each full with pods of four sizes but for its last eight cores or less."""
    r = random.Random(count)
    objects = []
    for i in range(count):
        name = f"node-{i}"
        room = {"cpu": "32", "memory": "128Gi", "pods": "110"}
        objects.append({"apiVersion": "v1", "kind": "Node",
                        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{i % 3}"}},
                        "status": {"capacity": room, "allocatable": room}})
        used = 0
        while used < 24:
            cores = r.choice([1, 2, 4, 8])
            used += cores
            objects.append(pod(f"{cores}cores-{len(objects)}", str(cores), f"{2 * cores}Gi", nodeName=name))
    write(path, [*objects, ASKED])
    return path


def mixed(seed, path):
    """A cluster with affinity, spreading, taints, host ports and priorities, some of its pods pending."""
    generator = ROOT / "testing/conformance/oracle/gen_cluster.py"
    path.write_bytes(subprocess.run([sys.executable, generator, str(seed), "80"], check=True, capture_output=True).stdout)
    return path


# ---- times

def run(options, out):
    clusters = [filled(n, out / f"generated-{n}.jsonl") for n in options.nodes]
    if options.openb:
        clusters.insert(0, openb(options.openb, out))
    for cluster in clusters:
        results = collections.defaultdict(list)
        for _ in range(options.rounds):
            for question in options.questions:
                for library in options.libraries:
                    results[question, library].append(timed(library, cluster, question, options))
        table(cluster, results, options)


def timed(library, cluster, question, options):
    times = {"howmany": 1, "fits": 1000, "fork": 1000, "drain": 100}[question]
    command = [*LIBRARIES[library], "--objects", cluster, "--question", question, "--pod", "default/asked", "--max", str(options.max),
               "--times", str(times), "--warm", str(options.warm if library == "moorage" else 0)]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print(line, end="", file=sys.stderr)
    return json.loads(line)


def table(cluster, results, options):
    first = next(iter(results.values()))[0]
    print(f"\n{cluster.stem}: {first['nodes']} nodes, {first['pods']} pods with a node; medians of {options.rounds} rounds\n")
    header = [f"{library}{what}" for what in (": answer", ", ms", ", first, ms") for library in options.libraries]
    print("| question | " + " | ".join(header) + " | ratio (lowest-highest) |")
    print("|---|" + "--:|" * (len(header) + 1))
    for question in options.questions:
        of = [results[question, library] for library in options.libraries]
        cells = ["/".join(map(str, sorted({line["answer"] for line in lines}))) for lines in of]
        cells += [f"{statistics.median(line['msMedian'] for line in lines):.4g}" for lines in of]
        cells += [f"{statistics.median(line['msFirst'] for line in lines):.4g}" for lines in of]
        ratios = [theirs["msMedian"] / ours["msMedian"] for theirs, ours in zip(*of)] if len(of) == 2 else []
        cells.append(f"{statistics.median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f})" if ratios else "")
        print(f"| {question} | " + " | ".join(cells) + " |", flush=True)


# ---- answers

def compare(options, out):
    print(f"seed {options.seed}")
    clusters = [mixed(f"{options.seed}-{i}", out / f"mixed-{i}.jsonl") for i in range(options.clusters)]
    if options.openb:
        clusters.insert(0, openb(options.openb, out))
    total = collections.Counter()
    for cluster in clusters:
        objects = lines_of(cluster.read_text())
        asked = random_questions(objects, options.asked, random.Random(f"{options.seed}/{cluster.stem}"))
        counts, differences = differences_on(cluster, objects, asked, out)
        total += counts
        print(f"{cluster.stem}: {told(counts)}", flush=True)
        for difference in differences:
            print("  " + json.dumps(difference))
    print(f"all: {told(total)}")
    return 1 if total["differ"] else 0


def told(counts):
    return ", ".join(f"{counts[what]} {what}" for what in sorted(counts))


def random_questions(objects, count, r):
    nodes = [o["metadata"]["name"] for o in objects if o["kind"] == "Node"]
    pods = [o for o in objects if o["kind"] == "Pod"]
    pending = [key_of(p) for p in pods if not p["spec"].get("nodeName")]
    on = collections.defaultdict(list)
    for p in pods:
        if p["spec"].get("nodeName"):
            on[p["spec"]["nodeName"]].append(key_of(p))
    bound = [key for keys in on.values() for key in keys]
    asked = []
    for _ in range(count):
        kind = r.choices(["fits", "howmany", "place", "drain", "evict"], [4, 2, 2, 1, 1])[0]
        some = r.choices(pending, k=r.randint(1, 8))
        if kind == "fits":
            question = {"question": "fits", "pod": r.choice(pending)}
        elif kind == "howmany":
            question = {"question": "howmany", "pod": r.choice(pending), "max": r.choice([5, 50, 100])}
        elif kind == "place":
            question = {"question": "place", "pods": some}
        elif kind == "drain":
            node = r.choice(sorted(on))
            question = {"question": "place", "pods": on[node], "evict": on[node], "without": [node]}
        else:
            question = {"question": "place", "pods": some, "evict": r.sample(bound, min(len(bound), r.randint(1, 10))),
                        "without": r.sample(nodes, r.randint(0, len(nodes) // 2))}
        asked.append(question)
    return asked


def differences_on(cluster, objects, asked, out):
    """Asks both, and then each about the other's choice of nodes: it may differ, as long as both hold it for possible."""
    answers = {library: answers_of(library, cluster, asked, out) for library in LIBRARIES}
    counts, differences = collections.Counter(), []
    placed = []
    for question, *both in zip(asked, *answers.values()):
        counts[question["question"]] += 1
        if any("error" in answer for answer in both) or question["question"] == "fits" and both[0] != both[1]:
            differences.append({"question": question, **changed(*both)})
        elif question["question"] != "fits":
            placed.append((question, both))
            counts["with other nodes"] += both[0] != both[1]
            ones, others = ([node != "" for node in answer.get("placed", [])] for answer in both)
            counts["with other pods placed"] += ones != others
    for choosing, choice in enumerate(LIBRARIES):
        asking = list(LIBRARIES)[1 - choosing]
        checks = [check_of(question, both[choosing].get("placed", [])) for question, both in placed]
        for check, verdict in zip(checks, answers_of(asking, cluster, checks, out)):
            counts["choices checked"] += 1
            for number, why in verdict.get("refused", {}).items():
                after = asked_anew(cluster, objects, check, int(number), out)
                differences.append({"pod": number, "put by": choice, "refused by": asking, "why": why, **after, "question": check})
                counts["refused, and by both if asked anew"] += after["anew"] == "both refuse"
    counts["differ"] = len(differences)
    return counts, differences


def asked_anew(cluster, objects, check, number, out):
    """What both say of a pod in a cluster that has what is only tried in the question: pods that have left, and the pods before this one."""
    left, nodes = set(check.get("evict", [])), set(check.get("without", []))
    by_key = {key_of(o): o for o in objects if o["kind"] == "Pod"}
    there = [o for o in objects if o["kind"] != "Pod" or key_of(o) not in left or key_of(o) == check["pods"][number]]
    asked = by_key[check["pods"][number]]
    there = [o for o in there if o is not asked]
    for i, (key, node) in enumerate(zip(check["pods"][:number], check["on"])):
        if node:
            there.append(copy(by_key[key], f"{i}", node))
    path = out / f"{cluster.stem}-anew.jsonl"
    write(path, [*there, copy(asked, "asked", "")])
    question = {"question": "fits", "pod": f"{asked['metadata']['namespace']}/anew-asked"}
    feasible = [set(answers_of(library, path, [question], out)[0].get("feasible", [])) - nodes for library in LIBRARIES]
    node = check["on"][number]
    refuses = [node not in nodes_that_fit if node else bool(nodes_that_fit) for nodes_that_fit in feasible]
    return {"anew": "both refuse" if all(refuses) else "neither refuses" if not any(refuses) else "they differ"}


def copy(asked, name, node):
    """Another pod like this one, on a node."""
    return {**asked, "metadata": {**asked["metadata"], "name": f"anew-{name}", "uid": f"anew-{name}"}, "spec": {**asked["spec"], "nodeName": node}}


def check_of(question, placed):
    """Whether what was placed may be, and what was not may not."""
    if question["question"] == "place":
        return {**question, "question": "check", "on": placed}
    on = placed if len(placed) == question["max"] else [*placed, ""]
    return {"question": "check", "pods": [question["pod"]] * len(on), "on": on}


def changed(*both):
    """The parts of two answers that are not the same."""
    if any("error" in answer for answer in both):
        return dict(zip(LIBRARIES, both))
    why = [answer.get("whyNot", {}) for answer in both]
    other = sorted(node for node in {**why[0], **why[1]} if why[0].get(node) != why[1].get(node))
    return {library: {node: reasons.get(node, "fits") for node in other} for library, reasons in zip(LIBRARIES, why)}


def answers_of(library, cluster, asked, out):
    path = out / "questions.jsonl"
    write(path, asked)
    done = subprocess.run([*LIBRARIES[library], "--objects", cluster, "--questions", path, *EMULATION[library]], check=True, capture_output=True, text=True)
    answers = lines_of(done.stdout)
    if len(answers) != len(asked):
        sys.exit(f"{library}: {len(answers)} answers (expected: {len(asked)})")
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "compare", "generate"])
    parser.add_argument("--openb", metavar="FOLDER", help="the openb trace, with its to_k8s.py")
    parser.add_argument("--nodes", type=int, nargs="*", default=[], help="run: generated clusters of so many nodes each")
    parser.add_argument("--questions", nargs="*", default=QUESTIONS, choices=QUESTIONS, help="run: which")
    parser.add_argument("--libraries", nargs="*", default=list(LIBRARIES), choices=list(LIBRARIES), help="run: which")
    parser.add_argument("--rounds", type=int, default=3, help="run: how many, the libraries in turn")
    parser.add_argument("--max", type=int, default=10_000_000, help="run: howmany stops here")
    parser.add_argument("--warm", type=float, default=10, help="run: for how many seconds Moorage is asked before the clock starts")
    parser.add_argument("--seed", default=str(time.time_ns() % 1_000_000), help="compare: of the clusters and questions")
    parser.add_argument("--clusters", type=int, default=20, help="compare: how many generated ones")
    parser.add_argument("--asked", type=int, default=200, help="compare: how many questions about each cluster")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "testing/benchmarks/target/whatif", help="where the clusters are kept")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.command == "run":
        run(options, options.out)
    elif options.command == "compare":
        sys.exit(compare(options, options.out))
    else:
        for nodes in options.nodes:
            print(filled(nodes, options.out / f"generated-{nodes}.jsonl"))


if __name__ == "__main__":
    main()
