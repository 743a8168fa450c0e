#!/usr/bin/env bash
# Records kube-scheduler.jsonl and kube-scheduler-groups.jsonl: what the metrics of the real kube-scheduler are after the loads of LiveMetricsTest, on
# control planes of their own. One family a line: type, help text, labels, buckets, series; values only where they depend on nothing but the load.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
./dev live LiveMetricsTest -Dmetrics.record=true "$@"
