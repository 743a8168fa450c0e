#!/usr/bin/env python3
"""Runs workloads of Kubernetes' scheduler_perf against schedulers that are processes of their own, and tells how fast they were.

perf.py list [REGEXP]                    names, labels and thresholds
perf.py run SCHEDULER [REGEXP]           one scheduler
perf.py compare [REGEXP]                 several, one after the other on each workload, and how they compare
perf.py report RESULTS...                the page's table of what compare wrote: results.jsonl of one or more of its folders

REGEXP is looked for in topic/Case/workload; @FILE has one on each line, and blank lines and lines that begin with #.

SCHEDULER is kube-scheduler, moorage, in-process (the kube-scheduler inside the benchmark, as upstream runs it), or NAME=COMMAND with
{config}, {kubeconfig}, {featuregates} and {emulation} in the command. moorage is the checkout's, or what MOORAGE names.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(os.environ.get("KUBE_BIN", pathlib.Path.home() / ".cache/kube-bin-1.37"))
BENCHMARK = BIN / "scheduler-perf"
SOURCE = BIN / "scheduler-perf-source"


def command_of(scheduler):
    """The name of a scheduler and the command that the benchmark starts, none for its own. All log a line for each pod, as in production."""
    if scheduler == "in-process":
        return scheduler, ""
    if scheduler == "kube-scheduler":
        return scheduler, (f"{BIN}/kube-scheduler --config={{config}} --secure-port=0 --feature-gates={{featuregates}}"
                           " --emulated-version={emulation} --v=2")
    if scheduler == "moorage":
        moorage = pathlib.Path(os.environ.get("MOORAGE", pathlib.Path(__file__).resolve().parents[3] / "moorage")).resolve()
        if not moorage.is_file():
            sys.exit(f"{moorage}: no such file (expected: MOORAGE naming the launcher)")
        return scheduler, (f"{moorage} --config={{config}} --kubeconfig={{kubeconfig}} --feature-gates={{featuregates}}"
                           " --secure-port=0 --v=2")
    name, equals, command = scheduler.partition("=")
    if not equals:
        sys.exit(f"scheduler {scheduler!r} (expected: kube-scheduler, moorage, in-process or NAME=COMMAND)")
    return name, command


def benchmark_environment():
    return dict(os.environ, SCHEDULER_PERF_SOURCE=str(SOURCE.resolve()))


def patterns(regexp):
    """The regular expressions that an argument is or names."""
    if not regexp.startswith("@"):
        return [regexp]
    lines = pathlib.Path(regexp[1:]).read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def workloads(regexp, labels):
    """The workloads whose names hold one of the patterns and whose labels pass the filter, in the order of the files."""
    if not BENCHMARK.exists():
        sys.exit(f"{BENCHMARK}: no such file (expected: build.sh has run)")
    listed = subprocess.run([BENCHMARK, "-test.run=^TestList$"], env=benchmark_environment(), check=True, capture_output=True,
                            text=True).stdout
    wished = patterns(regexp)
    for line in listed.splitlines():
        fields = line.split("\t")
        if len(fields) != 3 or not any(re.search(pattern, fields[0]) for pattern in wished):
            continue
        own = set(fields[1].split(","))
        wanted = [label for label in labels.split(",") if label]
        if all((label[1:] not in own) if label[0] == "-" else (label.lstrip("+") in own) for label in wanted):
            yield fields


def run(workload, name, command, out, limit, wait, params):
    """Runs one workload once; the rows that it measured, at least one, which says what went wrong if something did."""
    stem = re.sub(r"[^A-Za-z0-9_.-]", "_", f"{workload}.{name}.{time.strftime('%H%M%S')}")
    data = out / stem
    data.mkdir(parents=True)
    bench = "/".join(f"^{re.escape(part)}$" for part in ["BenchmarkPerfScheduling", *workload.split("/")])
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="scheduler-perf-") as scratch, open(out / f"{stem}.out", "w") as printed:
        # Found on the path by the benchmark, which starts one for each workload.
        tools = pathlib.Path(scratch, "bin")
        tools.mkdir()
        etcd = tools / "etcd"
        etcd.write_text(f'#!/bin/sh\nexec "{BIN}/etcd" --unsafe-no-fsync "$@"\n')
        etcd.chmod(0o755)
        environment = benchmark_environment() | {
            "PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": scratch, "ARTIFACTS": str(data), "KUBE_CACHE_MUTATION_DETECTOR": "false",
            "SCHEDULER_PERF_EXTERNAL": command, "SCHEDULER_PERF_LOG": str(out / f"{stem}.log"), "SCHEDULER_PERF_WAIT": f"{wait}s",
            "SCHEDULER_PERF_PARAMS": params}
        process = subprocess.Popen(
            [BENCHMARK, "-test.run=^$", "-test.benchtime=1x", "-test.timeout=0", f"-test.bench={bench}",
             "-perf-scheduling-label-filter=", f"-data-items-dir={data}"],
            env=environment, stdout=printed, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(limit)
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as stopped:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(stopped, KeyboardInterrupt):
                raise
            status = f"not done after {limit} s"
    text = (out / f"{stem}.out").read_text(errors="replace")
    rows = collections.defaultdict(dict)
    for file in sorted(data.glob("*.json")):
        for item in json.loads(file.read_text())["dataItems"] or []:
            metric = item["labels"].get("Metric")
            if metric == "SchedulingDuration" or any(metric == shown for _, shown, _, _ in COLUMNS):
                rows[item["labels"]["Name"].rsplit("/", 1)[-1]][metric] = item["data"]
    error = "" if status == 0 else outcome(text, status)
    if not rows:
        rows["-"] = {}
        error = error or "nothing was measured"
    failed = failed_attempts(out / f"{stem}.log")
    return [{"workload": workload, "part": part, "params": params, "scheduler": name, "failed": failed, "seconds": round(time.time() - began, 1), "error": error,
             "log": f"{stem}.log", **row} for part, row in rows.items()]


def failed_attempts(log):
    """How often the scheduler found no node for a pod, by its log; None for one that writes none."""
    if not log.exists():
        return None
    with open(log, errors="replace") as lines:
        return sum("Unable to schedule pod; no fit" in line for line in lines)


def outcome(text, status):
    """Why the benchmark failed. A threshold missed is no failure of the scheduler on a machine other than upstream's."""
    errors = []
    for line in text.splitlines():
        found = re.search(r"(Error running workload.*|failed to run preRunFn.*|unable to .*|the scheduler (?:ended|did not end).*|no verdict on a pod.*"
                          r"|no pod at all got scheduled.*|panic: .*|expected .* to be (?:higher|lower): .*)", line)
        if found and found[1] not in errors:
            errors.append(found[1])
    missed = [line for line in errors if " to be higher: " in line or " to be lower: " in line]
    others = [line for line in errors if line not in missed]
    if missed and not others:
        return "below the threshold" if status == 1 else str(status)
    return "; ".join(others)[:400] or f"failed, {status}"


def number(row, metric, key):
    return row.get(metric, {}).get(key) if row else None


def show(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


COLUMNS = [
    ("pods/s", "SchedulingThroughput", "Average", 0),
    ("first-last", "FirstToLastThroughput", "Average", 0),
    ("p50 ms", "PodSchedulingLatency", "Perc50", 0),
    ("p99 ms", "PodSchedulingLatency", "Perc99", 0),
    ("CPU s", "SchedulerProcess", "CPUSecondsMeasured", 1),
    ("CPU all", "SchedulerProcess", "CPUSecondsTotal", 1),
    ("MiB", "SchedulerProcess", "PeakMiB", 0),
    ("ready s", "SchedulerProcess", "ReadySeconds", 1),
    ("watches", "SchedulerProcess", "WatchesEnded", 0),
    ("requests", "RequestsPerPod", "All", 2),
    ("refused", "RequestsRefused", "All", 0),
]


def table(lines):
    widths = [max(len(str(line[i])) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join(str(cell).ljust(width) if i < 2 else str(cell).rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def print_rows(rows, thresholds):
    lines = [["workload", "scheduler", *[column[0] for column in COLUMNS], "failed", "threshold", "run s", "error"]]
    for row in rows:
        part = "" if row["part"] == "-" or sum(r["workload"] == row["workload"] and r["scheduler"] == row["scheduler"]
                                                 and r["log"] == row["log"] for r in rows) == 1 else f" {row['part']}"
        threshold = thresholds.get(row["workload"], "0")
        lines.append([row["workload"] + part, row["scheduler"],
                      *[show(number(row, metric, key), digits) for _, metric, key, digits in COLUMNS], show(row["failed"], 0),
                      "-" if threshold == "0" else threshold, row["seconds"], row["error"]])
    table(lines)


def print_comparison(rows, names):
    """Medians over the rounds, and each scheduler's speed as a multiple of the first one's."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["workload"], row["part"]].append(row)
    lines = [["workload", "", *[f"{name} pods/s" for name in names], *[f"{name} / {names[0]}" for name in names[1:]],
              *[f"{name} p99 ms" for name in names], *[f"{name} CPU s" for name in names], *[f"{name} MiB" for name in names],
              *[f"{name} failed" for name in names], *[f"{name} ready s" for name in names]]]

    def median(group, name, metric, key):
        values = [number(row, metric, key) for row in group if row["scheduler"] == name and number(row, metric, key) is not None]
        return statistics.median(values) if values else None

    for (workload, part), group in groups.items():
        speeds = [median(group, name, "FirstToLastThroughput", "Average") for name in names]
        lines.append([
            workload, part, *[show(speed, 0) for speed in speeds],
            *[show(speed / speeds[0] if speed and speeds[0] else None, 2) for speed in speeds[1:]],
            *[show(median(group, name, "PodSchedulingLatency", "Perc99"), 0) for name in names],
            *[show(median(group, name, "SchedulerProcess", "CPUSecondsMeasured"), 1) for name in names],
            *[show(median(group, name, "SchedulerProcess", "PeakMiB"), 0) for name in names],
            *[show(statistics.median([row["failed"] for row in group if row["scheduler"] == name and row["failed"] is not None] or [0]), 0)
              for name in names],
            *[show(median(group, name, "SchedulerProcess", "ReadySeconds")) for name in names]])
    table(lines)


def print_report(files):
    """A table in Markdown: medians over the rounds of kube-scheduler and of Moorage, and the lowest and highest ratio of a round."""
    names = ("kube-scheduler", "moorage")
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            row = json.loads(line)
            groups[row["workload"], row["part"]][row["scheduler"]].append(row)

    def pair(group, metric, key, digits):
        values = [[number(row, metric, key) for row in group[name] if number(row, metric, key) is not None] for name in names]
        return " : ".join(show(statistics.median(each) if each else None, digits) for each in values)

    print("| workload | rounds | pods/s | ratio | p99 ms | CPU s | CPU s, all | MiB | failed | requests | refused | ready s |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for (workload, part), group in groups.items():
        speeds = [[number(row, "FirstToLastThroughput", "Average") or 0 for row in group[name]] for name in names]
        if not all(speeds):
            continue
        ratio = statistics.median(speeds[1]) / statistics.median(speeds[0]) if statistics.median(speeds[0]) else 0
        rounds = [ours / theirs for theirs, ours in zip(*speeds) if theirs]
        spread = f" ({min(rounds):.2f}-{max(rounds):.2f})" if len(rounds) > 1 else ""
        parts = {each for name, each in groups if name == workload}
        failed = " : ".join(show(statistics.median([row["failed"] or 0 for row in group[name]]), 0) for name in names)
        print(f"| {workload}{' ' + part if len(parts) > 1 else ''} | {len(rounds)} | {pair(group, 'FirstToLastThroughput', 'Average', 0)} | {ratio:.2f}{spread} "
              f"| {pair(group, 'PodSchedulingLatency', 'Perc99', 0)} | {pair(group, 'SchedulerProcess', 'CPUSecondsMeasured', 1)} "
              f"| {pair(group, 'SchedulerProcess', 'CPUSecondsTotal', 1)} | {pair(group, 'SchedulerProcess', 'PeakMiB', 0)} | {failed} "
              f"| {pair(group, 'RequestsPerPod', 'All', 1)} | {pair(group, 'RequestsRefused', 'All', 0)} | {pair(group, 'SchedulerProcess', 'ReadySeconds', 1)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("list", "run", "compare"):
        command = commands.add_parser(name)
        if name == "run":
            command.add_argument("scheduler")
        command.add_argument("regexp", nargs="?", default=".")
        command.add_argument("--labels", default="", help="as scheduler_perf's own filter: label, +label, -label, with commas between")
        if name == "compare":
            command.add_argument("--schedulers", default="kube-scheduler,moorage", help="with commas between; the first is the measure")
        if name != "list":
            command.add_argument("--rounds", type=int, default=1)
            command.add_argument("--limit", type=int, default=300, help="seconds for one run of a workload")
            command.add_argument("--wait", type=int, default=120, help="seconds to wait for pods to be scheduled at any one point")
            command.add_argument("--params", default="", help="other values for a workload's parameters: NAME=NUMBER, with commas between")
            command.add_argument("--out", type=pathlib.Path, help="folder for logs and figures")
    report = commands.add_parser("report")
    report.add_argument("results", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.command == "report":
        print_report(options.results)
        return 0
    chosen = list(workloads(options.regexp, options.labels))
    if options.command == "list":
        table([["workload", "labels", "threshold"], *chosen])
        return 0
    if not chosen:
        sys.exit(f"no workload matches {options.regexp!r} and labels {options.labels!r}")
    out = (options.out or pathlib.Path(tempfile.gettempdir(), f"scheduler-perf-{time.strftime('%Y%m%d-%H%M%S')}")).resolve()
    out.mkdir(parents=True, exist_ok=True)
    asked = [options.scheduler] if options.command == "run" else options.schedulers.split(",")
    schedulers = [command_of(scheduler) for scheduler in asked]
    thresholds = {workload: threshold for workload, _, threshold in chosen}
    rows = []
    for workload, labels, _ in chosen:
        able = [(name, command) for name, command in schedulers if not command or "{emulation}" in command or "emulates-" not in labels]
        for name, _ in schedulers:
            if name not in [each for each, _ in able]:
                print(f"{workload} {name}: left out ({labels}; the command has no {{emulation}})", file=sys.stderr)
        for turn in range(options.rounds):
            # Whoever goes first in one round goes last in the next.
            for name, command in able if turn % 2 == 0 else able[::-1]:
                measured = run(workload, name, command, out, options.limit, options.wait, options.params)
                rows += measured
                with open(out / "results.jsonl", "a") as results:
                    for row in measured:
                        results.write(json.dumps(row) + "\n")
                for row in measured:
                    print(f"{workload} {row['part']} {name}: {show(number(row, 'SchedulingThroughput', 'Average'), 0)} pods/s, first to last "
                          f"{show(number(row, 'FirstToLastThroughput', 'Average'), 0)}, {row['seconds']} s {row['error']}",
                          file=sys.stderr, flush=True)
    if not rows:
        return 0
    print_rows(rows, thresholds)
    if len(schedulers) > 1:
        print()
        print_comparison(rows, [name for name, _ in schedulers])
    print(f"logs and figures: {out}", file=sys.stderr)
    return 1 if any(row["error"] not in ("", "below the threshold") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
