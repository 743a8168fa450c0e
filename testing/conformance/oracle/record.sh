#!/usr/bin/env bash
# Answers all vectors anew: record.sh OLD NEW [again|new|groups]...
# OLD: a folder laid out like ../vectors, whose cases are asked again. NEW: where the answers go. The oracle is $ORACLE.
#   again   the cases of OLD      new   the kinds that 1.37 brought      groups   groups that are scheduled as one
# SEED, COUNT, HINTS, CONFIGS, GROUPS_WANTED say how many new ones, and which.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
old=$1 new=$2
shift 2
[ $# -gt 0 ] || set -- again new groups
oracle=${ORACLE:-${KUBE_BIN:-$HOME/.cache/kube-bin-1.37}/oracle}
seed=${SEED:-2037}
mkdir -p "$new/decisions"
pack() { gzip -9n > "$1"; }
cases() { python3 -c '
import gzip, json, sys
with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rt") as f:
    for line in f:
        c = json.loads(line)
        c.pop("expect", None)
        print(json.dumps(c["in"] if "in" in c else c, separators=(",", ":")))' "$1"; }
# How often to have preemption choose, where there is more to choose from than the usual dozen of times would show.
tries() { case $(basename "$1" .jsonl.gz) in budgets | pickone | preemptedges | features) echo 100 ;; dragates | nodeallocatable) echo 40 ;; *) echo 12 ;; esac; }
# Those of which every outcome is known, the first by number, as many as wanted. Not a group that does not come up although no plugin keeps its
# pods out: there is nothing to compare.
known() { python3 -c '
import json, sys
good = [(json.loads(line), line) for line in sys.stdin]
good = [(int(c["name"].split("/")[-1]), line) for c, line in good if c["expect"]["complete"] and not c["expect"].get("error")
        and (c["expect"]["queued"] or c["expect"].get("preEnqueue"))]
wanted = {i for i, _ in sorted(good)[:int(sys.argv[1])]}
sys.stdout.write("".join(line for i, line in good if i in wanted))' "$1"; }
for part in "$@"; do
  case $part in
    again)
      for f in "$old"/decisions/*.jsonl.gz; do cases "$f" | "$oracle" eval -tries "$(tries "$f")" | pack "$new/decisions/$(basename "$f")"; done
      for f in "$old"/hints*.jsonl.gz; do cases "$f" | "$oracle" hints | pack "$new/$(basename "$f")"; done
      cases "$old/groups.jsonl.gz" | "$oracle" groups | pack "$new/groups.jsonl.gz"
      for f in "$old"/defaults*.jsonl.gz; do
        cases "$f" > "$new/.in"
        "$oracle" defaults < "$new/.in" | paste -d '\t' "$new/.in" - | python3 -c '
import json, sys
for line in sys.stdin:
    i, o = line.split("\t")
    print(json.dumps({"in": json.loads(i), "out": json.loads(o)}, separators=(",", ":")))' | pack "$new/$(basename "$f")"
        rm "$new/.in"
      done
      ORACLE=$oracle "$here/answer_config.sh" > "$new/config.jsonl" ;;
    new)
      for k in storagescoring volumescaling drafractional drataintrules dralists draderived dracompatibility draoptional dranodeamounts hostpath resize drafractionalgates emulated; do
        python3 "$here/gen.py" $k "$seed" "${COUNT:-200}" | "$oracle" eval | pack "$new/decisions/$k.jsonl.gz"
      done
      python3 "$here/gen_hints.py" "$seed" "${HINTS:-300}" new | "$oracle" hints | pack "$new/hints-new.jsonl.gz"
      ORACLE=$oracle "$here/answer_config.sh" "$seed" "${CONFIGS:-150}" > "$new/config-new.jsonl" ;;
    groups)
      wanted=${GROUPS_WANTED:-400}
      python3 "$here/gen_groups.py" "$seed" $((wanted * 6 / 5)) | "$oracle" groups | known "$wanted" | pack "$new/groups.jsonl.gz" ;;
  esac
done
