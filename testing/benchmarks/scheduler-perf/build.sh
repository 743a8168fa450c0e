#!/usr/bin/env bash
# Builds scheduler-perf, the workloads of Kubernetes' scheduler_perf with a scheduler of your choice, into $KUBE_BIN (default
# ~/.cache/kube-bin-1.37), and what it needs there: etcd and kube-scheduler. A few minutes on two cores the first time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${KUBE_BIN:-$HOME/.cache/kube-bin-1.37}
"$here/../../conformance/cluster/build.sh" etcd kube-scheduler >/dev/null
cd "$here"
go mod download k8s.io/kubernetes
source=$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/test/integration/scheduler_perf
generated=$bin/scheduler-perf-overlay
./overlay.py "$source" "$generated"
tmp=$(mktemp "$bin/.scheduler-perf.XXXX")
trap 'rm -f "$tmp"' EXIT
go test -c -overlay "$generated/overlay.json" -o "$tmp" .
chmod 755 "$tmp"
mv "$tmp" "$bin/scheduler-perf"
ln -sfn "$source" "$bin/scheduler-perf-source"
echo "$bin/scheduler-perf"
