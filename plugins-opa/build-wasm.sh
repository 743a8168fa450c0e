#!/usr/bin/env bash
# Compiles the policies to WebAssembly, and writes beside each the hash of the Rego that it was made from, which the tests compare.
# With --check it writes nothing, and fails if what is there is not what it would write. Needs OPA 1.22 (testing/conformance/cluster/build.sh opa),
# on the path or as $OPA.
set -euo pipefail
cd "$(dirname "$0")"
opa=${OPA:-$(command -v opa || echo "$HOME/.cache/kube-bin-1.37/opa")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for policy in src/main/resources/org/moorage/opa/policy src/test/resources/own \
    src/test/resources/weights; do
  # What comes of it depends on the path that it is given.
  "$opa" build -t wasm -e io/k8s/scheduler/fit "$policy.rego" -o "$work/bundle.tar.gz"
  tar -xzOf "$work/bundle.tar.gz" --absolute-names /policy.wasm > "$work/policy.wasm"
  sha256sum < "$policy.rego" | cut -d' ' -f1 > "$work/policy.wasm.sha256"
  for suffix in wasm wasm.sha256; do
    if [ "${1:-}" != --check ]; then
      cp "$work/policy.$suffix" "$policy.$suffix"
    elif ! cmp "$work/policy.$suffix" "$policy.$suffix"; then
      echo "$policy.$suffix is not what $policy.rego compiles to: run build-wasm.sh" >&2
      exit 1
    fi
  done
done
