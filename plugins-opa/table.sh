#!/usr/bin/env bash
# Prints the README's table from what the tests wrote: WasmVectorsTest and ServerVectorsLiveTest.
set -euo pipefail
cd "$(dirname "$0")/target"
echo '| vector | expected | got, mode: wasm | got, mode: server |'
echo '|---|---|---|---|'
paste vectors-wasm.txt vectors-server.txt | sort -V | awk -F'\t' '
  $1 != $4 { print "the files have different vectors: " $1 ", " $4 > "/dev/stderr"; exit 1 }
  { print "| " $1 " | " cut($2) " | " cut($3) " | " (cut($3) == cut($6) ? "the same" : cut($6)) " |" }
  function cut(text,   out) { out = ""; while (match(text, /\.[0-9][0-9][0-9][0-9][0-9]+/)) {
      out = out substr(text, 1, RSTART + 4); text = substr(text, RSTART + RLENGTH) } return out text }'
