#!/usr/bin/env bash
# Prints the README's table from what the tests wrote: RandomNodeSampleTest.
set -euo pipefail
cd "$(dirname "$0")/target"
table() {
  local file=$1 columns=$2
  echo "| $columns |"
  sed -E 's/[^|]+/---/g; s/^/|/; s/$/|/' <<< "$columns"
  sort -V "vectors-$file.txt" | sed 's/\t/ | /g; s/^/| /; s/$/ |/'
  echo
}
table random-five 'vector | case | expected | got'
