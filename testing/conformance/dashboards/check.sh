#!/usr/bin/env bash
# Has a real Prometheus scrape a scheduler under load and asks it each query of queries.txt; fails if one has no data, a rule is in error or
# an alert fires.
#   check.sh                 Moorage (built before: mvn package), on a control plane of its own on loopback
#   check.sh kube-scheduler  the real kube-scheduler instead, to see which queries it answers
# SECONDS_OF_LOAD (default 150), DIR (default target/dashboards), PORT (default 24100), MOORAGE (the program).
# Needs prometheus (Debian's package), curl and jq; the package's service is not used.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
for program in prometheus curl jq; do
  command -v "$program" > /dev/null || { echo "$program is missing (expected: on the path; apt-get install $program)" >&2; exit 1; }
done
which=${1:-moorage}
length=${SECONDS_OF_LOAD:-150}
port=${PORT:-24100}
dir=${DIR:-$root/target/dashboards}
rm -rf "$dir" && mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
bin=$("$root/testing/conformance/cluster/build.sh" | tail -n 1)
plane=$dir/plane
started=()
end() {
  for pid in "${started[@]}"; do kill "$pid" 2> /dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2> /dev/null || true; done
  "$root/testing/conformance/cluster/down.sh" "$plane"
}
trap end EXIT
kubeconfig=$("$root/testing/conformance/cluster/up.sh" "$plane" "$port")
kubectl() { "$bin/kubectl" --kubeconfig="$kubeconfig" "$@"; }

# Prometheus comes as in a cluster: with the token of a service account that may read metrics, and a certificate to trust.
kubectl create namespace monitoring
kubectl -n monitoring create serviceaccount prometheus
kubectl create clusterrole moorage-metrics-reader --verb=get --non-resource-url=/metrics
kubectl create clusterrolebinding prometheus --clusterrole=moorage-metrics-reader --serviceaccount=monitoring:prometheus
kubectl -n monitoring create token prometheus --duration=1h > "$dir/token"

cat > "$dir/scheduler.yaml" << Y
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true}
clientConnection: {kubeconfig: "$kubeconfig", qps: 1000, burst: 1000}
Y
case $which in
  moorage) command=${MOORAGE:-$root/moorage} ;;
  kube-scheduler) command=$bin/kube-scheduler ;;
  *) echo "$which (expected: moorage or kube-scheduler)" >&2; exit 1 ;;
esac
# shellcheck disable=SC2086
$command --config="$dir/scheduler.yaml" --bind-address=127.0.0.1 --secure-port=$((port + 10)) \
  --tls-cert-file="$plane/certs/apiserver.crt" --tls-private-key-file="$plane/certs/apiserver.key" \
  --authentication-kubeconfig="$kubeconfig" --authorization-kubeconfig="$kubeconfig" > "$dir/scheduler.log" 2>&1 &
started+=($!)

scrape() { # JOB PORT
  echo "- job_name: $1"
  echo "  scheme: https"
  echo "  authorization: {credentials_file: $dir/token}"
  echo "  tls_config: {ca_file: $plane/certs/apiserver.crt}"
  echo "  static_configs: [{targets: [\"127.0.0.1:$2\"]}]"
}
{
  echo "global: {scrape_interval: 5s, evaluation_interval: 5s}"
  echo "rule_files: [$here/rules.yaml, $root/deploy/monitoring/alerts.yaml]"
  echo "scrape_configs:"
  scrape kube-scheduler $((port + 10))
  scrape apiserver $((port + 2))
} > "$dir/prometheus.yaml"
prometheus --config.file="$dir/prometheus.yaml" --storage.tsdb.path="$dir/data" --web.listen-address="127.0.0.1:$((port + 11))" \
  > "$dir/prometheus.log" 2>&1 &
started+=($!)
prometheus_url=http://127.0.0.1:$((port + 11))

node() { # NAME POOL
  echo "---"
  echo "{apiVersion: v1, kind: Node, metadata: {name: $1, labels: {kubernetes.io/hostname: $1, pool: $2}},"
  echo " status: {capacity: {cpu: \"8\", memory: 32Gi, pods: \"110\"}, allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\"}}}"
}
pods() { # NAME COUNT POOL CPU MORE
  for i in $(seq "$2"); do
    echo "---"
    echo "{apiVersion: v1, kind: Pod, metadata: {name: $1-$i, labels: {app: $1}}, spec: {terminationGracePeriodSeconds: 0, $5"
    echo " nodeSelector: {pool: $3}, containers: [{name: main, image: app, resources: {requests: {cpu: $4}}}]}}"
  done
}
{
  echo "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 1000}"
  for i in $(seq 30); do node "n$i" plain; done
  node full full
} | kubectl create -f - > /dev/null
pods nowhere 10 nowhere 10m "" | kubectl create -f - > /dev/null
pods gated 5 plain 10m "schedulingGates: [{name: example.com/gate}]," | kubectl create -f - > /dev/null

echo "load for $length s" >&2
SECONDS=0
round=0
while [ "$SECONDS" -lt "$length" ]; do
  round=$((round + 1))
  pods "churn$round" 200 plain 10m "" | kubectl create -f - > /dev/null
  pods "victim$round" 2 full 3900m "" | kubectl create -f - > /dev/null
  pods "urgent$round" 1 full 6 "priorityClassName: urgent," | kubectl create -f - > /dev/null
  # An update of a node that wakes nobody, but is looked at.
  kubectl label node n1 "round=$round" --overwrite > /dev/null
  [ "$round" -lt 3 ] || kubectl delete pods -l "app=churn$((round - 2))" --wait=false > /dev/null
  kubectl delete pods -l "app in (urgent$round, victim$round)" --wait=false > /dev/null
done
echo "pods created: $((round * 203 + 15))" >&2

# The queries of our own dashboard, in the form of queries.txt. What counts faults has no series while there are none.
of_dashboard() {
  jq -r '.panels[] | .title as $title | .targets[]? | .expr | gsub("\\$job"; "kube-scheduler")
    | (if test("moorage_(plugin|controller|thread|log|unreadable|watch_failures)") then "? " else "" end) + "Dashboard: " + $title + " | " + .' \
    "$root/deploy/monitoring/dashboard.json"
}

ask() { curl -sf --data-urlencode "query=$1" "$prometheus_url/api/v1/query"; }
failures=0
asked=0
while IFS= read -r line; do
  case $line in '' | '#'* | '-'*) continue ;; esac
  panel=${line%% | *}
  query=${line#* | }
  if [ "$which" = kube-scheduler ]; then
    case $query in *moorage_* | *jvm_*) continue ;; esac
  fi
  asked=$((asked + 1))
  # A quantile of nothing is NaN, which shows nothing.
  series=$(ask "$query" | jq '[.data.result[] | select(.value[1] != "NaN")] | length') || series=-1
  if [ "$series" -gt 0 ]; then
    printf '%4d series  %s\n' "$series" "$panel"
  elif [ "${panel#\?}" != "$panel" ] && [ "$series" = 0 ]; then
    printf '   no data  %s\n' "$panel"
  else
    printf '   NO DATA  %s\n            %s\n' "$panel" "$query"
    failures=$((failures + 1))
  fi
done < <(cat "$here/queries.txt"; of_dashboard)
rules=$(curl -sf "$prometheus_url/api/v1/rules")
broken=$(jq -r '.data.groups[].rules[] | select(.health != "ok") | "rule \(.name): \(.health): \(.lastError)"' <<< "$rules")
firing=$(jq -r '.data.groups[].rules[] | select(.state == "firing") | "alert \(.name) fires: \(.alerts)"' <<< "$rules")
printf '%s' "${broken:+$broken$'\n'}${firing:+$firing$'\n'}"
ask 'sum(scheduler_schedule_attempts_total{job="kube-scheduler"}) by (result)' |
  jq -r '.data.result[] | "attempts \(.metric.result): \(.value[1])"'
ask 'scrape_duration_seconds{job="kube-scheduler"}' | jq -r '.data.result[] | "last scrape took \(.value[1]) s"'
ask 'scrape_samples_scraped{job="kube-scheduler"}' | jq -r '.data.result[] | "samples in a scrape: \(.value[1])"'
echo "$asked queries, $failures without data"
[ "$failures" = 0 ] && [ -z "$broken$firing" ]
