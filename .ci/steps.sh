# What .ci/run and .ci/nightly share: steps with their times and slowest test classes, and the tools that they need.
# To be sourced in the project's folder.

times=target/ci/${0##*/}.md
mkdir -p target/ci
printf '| step | seconds |\n|---|--:|\n' >"$times"
started=$SECONDS

failed=()

# What a step returns that cannot check anything here.
skipped=77

# step TITLE COMMAND...: runs it, prints its time and its 30 slowest test classes, and adds both to $times. After a failure the other steps
# still run, so that one run shows all failures.
step() {
  local title=$1 start=$SECONDS status=0 took
  shift
  printf '\n==> %s\n' "$title"
  touch target/ci/step
  # In a shell of its own with -e, which a function in a condition does not have.
  set +e
  (
    set -e
    "$@"
  )
  status=$?
  set -e
  took=$((SECONDS - start))
  [ $status -ne $skipped ] || took=SKIPPED
  printf '| %s | %s |\n' "$title" "$took" >>"$times"
  slowest >target/ci/slowest.txt
  if [ -s target/ci/slowest.txt ]; then
    printf '\nSlowest test classes of "%s", in seconds:\n\n```\n%s\n```\n' "$title" "$(cat target/ci/slowest.txt)" >>target/ci/classes.md
    cat target/ci/slowest.txt
  fi
  if [ $status -eq 0 ]; then
    printf '==> %s: done in %d s\n' "$title" "$took"
  elif [ $status -eq $skipped ]; then
    printf '==> %s: SKIPPED\n' "$title"
  else
    failed+=("$title")
    printf '==> %s: FAILED after %d s\n' "$title" "$took"
  fi
}

# The 30 slowest test classes whose reports were written since the step began.
slowest() {
  find . -path '*/surefire-reports/TEST-*.xml' -newer target/ci/step -exec grep -hoE -m 1 '<testsuite [^>]*' {} + |
    sed -nE 's/.* name="([^"]*)".* time="([0-9.,]*)".*/\2 \1/p' | tr -d , | sort -rn | head -n 30 || true
}

# Prints the table of all steps; fails if a step failed.
finish() {
  printf '| all | %d |\n' $((SECONDS - started)) >>"$times"
  printf '\n'
  cat "$times"
  [ ! -f target/ci/classes.md ] || cat target/ci/classes.md >>"$times"
  if [ ${#failed[@]} -gt 0 ]; then
    printf '\nfailed:' >&2
    printf ' "%s"' "${failed[@]}" >&2
    printf '\n' >&2
    exit 1
  fi
}
rm -f target/ci/classes.md

need() { # COMMAND PACKAGE: installs the package where the command is missing
  command -v "$1" >/dev/null || missing+=("$2")
}

install_missing() { # COMMAND...: of packages with their names, in addition to those that all need
  local missing=() name
  for name in "$@"; do
    need "$name" "$name"
  done
  need javac openjdk-17-jdk-headless
  need mvn maven
  need openssl openssl
  need curl curl
  need jq jq
  need gpg gnupg
  need prometheus prometheus
  need prometheus-node-exporter prometheus-node-exporter
  need python3 python3
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
  # The tests of the page in a browser are skipped without them.
  need chromium chromium
  need chromedriver chromium-driver
  # Changes the clock of a process in the tests of faults, which are skipped without it.
  [ -e /usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1 ] || missing+=(libfaketime)
  [ ${#missing[@]} -eq 0 ] && return
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

jdk25() { # the home of a JDK 25; nothing where there is none
  local home
  for home in "${JAVA_25_HOME:-}" /usr/lib/jvm/*25*; do
    if [ -n "$home" ] && [ -x "$home/bin/javac" ]; then
      echo "$home"
      return
    fi
  done
}

control_plane() {
  if ! command -v go >/dev/null; then
    echo "Go is missing: the control plane of the live tests is built with Go 1.26 or later (Debian's golang is too old)" >&2
    exit 1
  fi
  testing/conformance/cluster/build.sh
  testing/conformance/cluster/build.sh opa helm
}

# Runs the live tests of a profile with the classes that an earlier step compiled and installed. Three classes run at a time, each with its
# own control plane, since they spend much of their time waiting.
live_tests() { # PROFILE MODULES
  mvn -B -ntp "-P$1" -pl "$2" surefire:test -Dtests.forks=3
}
