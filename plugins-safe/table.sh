#!/usr/bin/env bash
# Prints the README's tables from what the tests wrote: SafeAgentTest, CongestionTest, PigeonHolingTest and RewardBiasTest.
set -euo pipefail
cd "$(dirname "$0")/target"
table() {
  local file=$1 columns=$2
  echo "| $columns |"
  sed -E 's/[^|]+/---/g; s/^/|/; s/$/|/' <<< "$columns"
  sort -V "vectors-$file.txt" | sed 's/\t/ | /g; s/^/| /; s/$/ |/'
  echo
}
table safe 'vector | risk of cpu: expected, got | risk of memory | filter | overload | balance | overload 0 to 100 | balance 0 to 100'
table variables 'variable | accepted: expected | got | scores: expected | got'
table congestion 'annotation | score: expected | got | 0 to 100'
table pigeon 'vector | objective on each node: expected | got | scores: expected | got'
table kuberl 'outcomes | average: expected | got | score: expected | got | 0 to 100'
