#!/usr/bin/env bash
# Builds the project again, from a copy of its sources in a folder by another name, and compares what it makes byte by byte with what the last
# `mvn verify` or `package` of this checkout made, which must be of the same sources and the same JDK.
#   packaging/distribution/reproduce.sh         the jars that are shipped or published
#   packaging/distribution/reproduce.sh --all   builds the archive and the image too, twice; the image without its base. Not while Maven is offline,
#                                     which makes no bill of materials then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
MAVEN=${MAVEN:-mvn -B -ntp -q}

copy() { # NAME: of the sources as they are now
  mkdir -p "$folder/$1"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
  done | tar -c --null -T - | tar -x -C "$folder/$1"
}

build() { # CHECKOUT OPTION...
  local checkout=$1
  shift
  (cd "$checkout" && $MAVEN "$@" package -Dmaven.test.skip=true -Dspotless.check.skip=true)
}

sums() { # CHECKOUT: of its jars and of all files of its archive and image, by path
  (
    cd "$1"
    find . -path '*/target/*.jar' -not -path '*/target/*/*' -not -name '*-tests.jar' -not -path './testing/benchmarks/*' \
      -not -path './testing/scheduler-tests/*' -not -path './testing/client-tests/*' -not -path './testing/live-tests/*' -not -path './examples/*' | sort | xargs sha256sum
    [ "$all" = no ] || sha256sum packaging/distribution/target/moorage.cdx.json packaging/distribution/target/moorage-*-dist.tar.gz
    if [ "$all" = yes ]; then
      mkdir -p "$folder/layers" && tar -x -C "$folder/layers" -f packaging/distribution/target/moorage-image.tar
      (cd "$folder/layers" && find . -type f | sort | xargs sha256sum)
      rm -rf "$folder/layers"
    fi
  )
}

all=no
first=$PWD
options=(-pl scheduler-app,plugins-opa,plugins-safe,plugins-sigs,plugins-traffic,framework-testkit,framework-client-java,framework-fabric8,framework-spring-boot,packaging/archetype,packaging/bom -am)
if [ "${1-}" = --all ]; then
  all=yes
  options=(-Pdist,image -pl packaging/distribution,framework-testkit,packaging/archetype,packaging/bom -am -Dimage.base=scratch)
  first=$folder/first
  copy first
  build "$first" "${options[@]}"
fi
copy another/place
build "$folder/another/place" "${options[@]}"

sums "$folder/another/place" >"$folder/again.txt"
sums "$first" >"$folder/before.txt"
if [ "$all" = no ]; then # What was built again is what is compared.
  awk '{ print $2 }' "$folder/again.txt" | sed 's/$/$/; s/^/  /' | grep -f - "$folder/before.txt" >"$folder/both.txt" || true
  mv "$folder/both.txt" "$folder/before.txt"
fi
if ! diff "$folder/before.txt" "$folder/again.txt" >&2; then
  echo "reproduce: two builds of the same sources differ" >&2
  exit 1
fi
echo "reproduce: $(wc -l <"$folder/again.txt") files are the same in two builds"
