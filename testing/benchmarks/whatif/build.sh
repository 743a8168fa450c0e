#!/usr/bin/env bash
# Builds schedlib, which asks sigs.k8s.io/scheduler-library, into $KUBE_BIN (default ~/.cache/kube-bin-1.37) and prints where it is. Some
# five minutes on two cores the first time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${KUBE_BIN:-$HOME/.cache/kube-bin-1.37}
mkdir -p "$bin"
tmp=$(mktemp "$bin/.schedlib.XXXX")
trap 'rm -f "$tmp"' EXIT
(cd "$here" && go build -o "$tmp" .)
chmod 755 "$tmp"
mv "$tmp" "$bin/schedlib"
echo "$bin/schedlib"
