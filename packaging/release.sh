#!/usr/bin/env bash
# Makes a release: version, changelog, tag and all files that are published. It uploads nothing; RELEASING.md has the
# steps around it.
#   release.sh VERSION --dry-run [--twice]   in a clone under target/release, signed by a throw-away key; the checkout
#                                            stays as it is. --twice builds all files again, elsewhere, and compares them.
#   release.sh VERSION                       the same with your key, then fetches the commits and the tag to the checkout
#   release.sh --build DIR                   the files alone, from a checkout of a release's tag
# MAVEN         the command to build with (mvn -B -ntp -q)
# IMAGE_BASE    the image's base, NAME:TAG@sha256:DIGEST; a dry run without it makes an image of its own layers alone
# SIGNING_KEY   the id of the GnuPG key; SIGNING_PASSPHRASE its passphrase, where no agent has it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
MAVEN=${MAVEN:-mvn -B -ntp -q}
# Javadoc and all plugins in one process need more than the 48 MB that the JVM reserves for the first compiler.
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:ReservedCodeCacheSize=200m"

fail() {
  echo "release: $1" >&2
  exit 1
}

step() {
  printf '\n==> %s\n' "$1"
}

project_version() {
  sed -n '/<artifactId>moorage-parent</{n;s/.*<version>\(.*\)<.*/\1/p;q}' pom.xml
}

# The time of the commit, which stands for that of the build everywhere.
commit_time() { # DATE-FORMAT
  TZ=UTC git log -1 --date="format-local:$1" --format=%cd
}

# Replaces the version in all files that name it.
set_version() { # OLD NEW
  git grep -lzF -- "$1" -- ':!*.java' ':!CHANGELOG.md' | xargs -0 sed -i "s/${1//./\\.}/$2/g"
}

# As the committer of the last commit and at its time, so that a second run makes the same commits.
as_committer() { # COMMAND...
  local name email date
  name=$(git log -1 --format=%cn) email=$(git log -1 --format=%ce) date=$(git log -1 --format=%cI)
  GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$email GIT_AUTHOR_DATE=$date \
    GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email GIT_COMMITTER_DATE=$date "$@"
}

check_checkout() { # VERSION
  local number='(0|[1-9][0-9]*)'
  [[ $1 =~ ^$number\.$number\.$number$ ]] || fail "version: \"$1\" (expected: MAJOR.MINOR.PATCH, such as 0.1.0)"
  [[ $(project_version) == *-SNAPSHOT ]] || fail "pom.xml: version \"$(project_version)\" (expected: a snapshot)"
  [ -z "$(git status --porcelain)" ] || fail "the checkout has changes that are not committed (expected: none)"
  ! git rev-parse -q --verify "refs/tags/v$1" >/dev/null || fail "tag v$1 exists"
}

notes() { # VERSION CHANGELOG: the part of the changelog for a version
  awk -v heading="## $1" '/^## /{ inside = index($0, heading) == 1; next } inside' "$2" | sed '/./,$!d'
}

# Clones the checkout, and commits and tags the release there.
prepare() { # VERSION FOLDER
  local version=$1 source=$2 old
  git clone -q --no-hardlinks "$root" "$source"
  cd "$source"
  old=$(project_version)
  set_version "$old" "$version"
  git grep -lz '<project.build.outputTimestamp>' | xargs -0 sed -i \
    "s|\(<project.build.outputTimestamp>\)[^<]*<|\1$(commit_time %Y-%m-%dT%H:%M:%SZ)<|"
  sed -i "s/ *Nothing has been released yet\.//" CHANGELOG.md
  sed -i "s/^## Unreleased$/## Unreleased\n\n## $version ($(commit_time %Y-%m-%d))/" CHANGELOG.md
  as_committer git commit -q -a -m "Release $version" -m "Set the version in all files and date the changelog."
  as_committer git tag ${SIGNING_KEY:+"--local-user=$SIGNING_KEY"} --annotate "v$version" -m "Moorage $version"
  cd "$root"
}

# Returns to snapshots, of the next patch version: raising the minor version also changes ApiVersion, separately.
begin_next() { # VERSION
  local next
  next=$(awk -F. '{ printf "%d.%d.%d-SNAPSHOT", $1, $2, $3 + 1 }' <<<"$1")
  git checkout -q HEAD~1 -- . ':!CHANGELOG.md'
  set_version "$(project_version)" "$next"
  as_committer git commit -q -a -m "Begin ${next%-SNAPSHOT}" -m "Set the version to $next."
}

sign() { # FILE: writes FILE.asc, at the time of the commit, so that one key gives the same bytes each time
  local options=(--batch --yes --quiet --armor --faked-system-time "$(commit_time %Y%m%dT%H%M%S)!")
  [ -z "${SIGNING_KEY:-}" ] || options+=(--local-user "$SIGNING_KEY")
  [ -z "${SIGNING_PASSPHRASE:-}" ] || options+=(--pinentry-mode loopback --passphrase-fd 3)
  gpg "${options[@]}" --detach-sign "$1" 3<<<"${SIGNING_PASSPHRASE:-}" 2> >(grep -v 'faked system time' >&2)
}

# A key for this dry run and later ones, so that they give the same bytes.
throw_away_key() {
  export GNUPGHOME=$root/target/release/throw-away-key
  unset SIGNING_KEY SIGNING_PASSPHRASE
  [ -d "$GNUPGHOME" ] && return
  mkdir -p -m 700 "$GNUPGHOME"
  # As old as the first commit, since no key may sign before it was made.
  gpg --batch --quiet --pinentry-mode loopback --passphrase '' \
    --faked-system-time "$(TZ=UTC git log --max-parents=0 -1 --date=format-local:%Y%m%dT%H%M%S --format=%cd)!" \
    --quick-generate-key "Moorage dry run (throw-away)" ed25519 sign never
}

# Sorted names, one owner and one time: the same files give the same bytes.
pack() { # FILE FOLDER NAME...
  local archive=$1 folder=$2
  tar --create --dereference --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w \
    --mtime="$(commit_time %Y-%m-%dT%H:%M:%SZ)" -C "$folder" "${@:3}" >"$archive"
}

# Builds all files from the checkout in the current folder.
build() { # DIR
  local out=$1 version image
  version=$(project_version)
  [[ $version != *-SNAPSHOT ]] || fail "pom.xml: version \"$version\" (expected: a release; check out its tag)"
  rm -rf "$out"
  mkdir -p "$out"
  step "Build $version"
  # Nothing goes to the user's local repository.
  # shellcheck disable=SC2086 # a command with its options
  $MAVEN -Prelease,dist,image deploy -Dmaven.test.skip=true -Dmaven.install.skip=true -Dspotless.check.skip=true \
    "-Dimage.base=${IMAGE_BASE:-scratch}" \
    "-DaltDeploymentRepository=central::file://$out/repository" -am \
    -pl packaging/distribution,packaging/bom,packaging/archetype,framework-testkit,framework-client-java,framework-fabric8,framework-spring-boot
  find "$out/repository" -name 'maven-metadata*' -delete

  step "Sign and bundle"
  gpg --batch --armor --export ${SIGNING_KEY:+"$SIGNING_KEY"} >"$out/signing-key.asc"
  find "$out/repository" -type f -not -name '*.md5' -not -name '*.sha1' | sort | while IFS= read -r file; do
    sign "$file"
  done
  (cd "$out/repository" && find . -type f | sed 's|^\./||' | LC_ALL=C sort >"$out/files.txt")
  (cd "$out/repository" && jar --create --no-manifest --date="$(commit_time %Y-%m-%dT%H:%M:%SZ)" \
    --file="$out/moorage-$version-central-bundle.zip" "@$out/files.txt")
  rm "$out/files.txt"
  java packaging/distribution/src/test/java/org/moorage/distribution/CentralBundle.java \
    "$out/moorage-$version-central-bundle.zip" "$out/signing-key.asc"

  step "Archive, images, chart, bill of materials"
  cp "packaging/distribution/target/moorage-$version-dist.tar.gz" "$out/moorage-$version.tar.gz"
  cp packaging/distribution/target/moorage.cdx.json "$out/moorage-$version.cdx.json"
  for image in amd64: arm64:-arm64; do
    mkdir "$out/image"
    tar -x -C "$out/image" -f "packaging/distribution/target/moorage-image${image#*:}.tar"
    # shellcheck disable=SC2046 # names without blanks
    pack "$out/moorage-$version-image-${image%:*}.tar" "$out/image" $(ls "$out/image")
    rm -r "$out/image"
  done
  cp -RL deploy/chart "$out/moorage"
  pack "$out/chart.tar" "$out" moorage
  gzip -n -9 <"$out/chart.tar" >"$out/moorage-chart-$version.tgz"
  rm -r "$out/moorage" "$out/chart.tar"
  notes "$version" CHANGELOG.md >"$out/release-notes.md"

  step "Provenance and checksums"
  provenance "$version" "$out" >"$out/moorage-$version.intoto.json"
  (cd "$out" && sha256sum moorage-* release-notes.md >SHA256SUMS)
  sign "$out/SHA256SUMS"
}

# An in-toto statement with SLSA's predicate: which files were built, of which commit and how.
provenance() { # VERSION DIR
  local subjects
  subjects=$(cd "$2" && sha256sum moorage-* |
    jq -R -n '[inputs | split("  ") | {name: .[1], digest: {sha256: .[0]}}]')
  jq -n -S --argjson subjects "$subjects" --arg version "$1" --arg commit "$(git rev-parse HEAD)" \
    --arg repository "$(sed -n 's|.*<developerConnection>.*@\(.*\)\.git<.*|https://\1|p' pom.xml)" \
    --arg checksums "$(sha256sum <packaging/distribution/checksums.txt | cut -d ' ' -f 1)" \
    --arg base "${IMAGE_BASE:-scratch}" \
    --arg builder "${BUILDER_ID:-https://github.com/moorage/moorage/blob/main/RELEASING.md}" \
    --arg java "$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.runtime.version = //p')" \
    --arg maven "$(mvn --version | sed -n '1s/\x1b\[[0-9;]*m//g; 1s/^Apache Maven \([^ ]*\).*/\1/p')" '{
      _type: "https://in-toto.io/Statement/v1",
      subject: $subjects,
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: {
        buildDefinition: {
          buildType: ($repository + "/blob/v" + $version + "/packaging/release.sh"),
          externalParameters: {repository: $repository, ref: ("refs/tags/v" + $version), imageBase: $base},
          internalParameters: {java: $java, maven: $maven},
          resolvedDependencies: [
            {uri: ("git+" + $repository + "@refs/tags/v" + $version), digest: {gitCommit: $commit}},
            {uri: "packaging/distribution/checksums.txt", digest: {sha256: $checksums}}
          ]
        },
        runDetails: {builder: {id: $builder}}
      }
    }'
}

show() { # DIR
  (cd "$1" && while IFS= read -r line; do
    printf '%s %12d\n' "$line" "$(stat -c %s "${line#*  }")"
  done <SHA256SUMS)
}

release() { # VERSION [--dry-run] [--twice]
  local version=$1 dry=no twice=no folder
  shift
  for option in "$@"; do
    case $option in
      --dry-run) dry=yes ;;
      --twice) twice=yes ;;
      *) fail "$option: unknown option (expected: --dry-run or --twice)" ;;
    esac
  done
  check_checkout "$version"
  if [ $dry = yes ]; then
    throw_away_key
    [ -n "${IMAGE_BASE:-}" ] || echo "release: IMAGE_BASE is not set: the image has its own layers alone, and no Java" >&2
  else
    [ -n "${SIGNING_KEY:-}" ] || fail "SIGNING_KEY is not set (expected: the id of your GnuPG key)"
    [ -n "$(notes Unreleased CHANGELOG.md)" ] || fail "CHANGELOG.md: no text below \"## Unreleased\""
    [[ ${IMAGE_BASE:-} == *@sha256:* ]] || fail "IMAGE_BASE: \"${IMAGE_BASE:-}\" (expected: NAME:TAG@sha256:DIGEST)"
  fi
  folder=$root/target/release/$version
  rm -rf "$folder"
  step "Version, changelog and tag, in a clone"
  prepare "$version" "$folder/source"
  git -C "$folder/source" log --oneline -1 --decorate
  (cd "$folder/source" && build "$folder/files")
  if [ $twice = yes ]; then
    step "Build all of it again"
    prepare "$version" "$folder/another/place"
    (cd "$folder/another/place" && build "$folder/again")
    diff "$folder/files/SHA256SUMS" "$folder/again/SHA256SUMS" >&2 || fail "two builds of the same commit differ"
    echo "release: $(wc -l <"$folder/files/SHA256SUMS") files are the same in two builds"
  fi
  if [ $dry = no ]; then
    (cd "$folder/source" && begin_next "$version")
    git pull -q --ff-only "$folder/source" HEAD
    git fetch -q "$folder/source" "refs/tags/v$version:refs/tags/v$version"
    echo "release: push them with: git push --atomic origin HEAD v$version"
  fi
  step "Files in target/release/$version/files"
  show "$folder/files"
}

case ${1-} in
  --build) build "$(mkdir -p "${2:?DIR}" && cd "$2" && pwd)" ;;
  [0-9]*) release "$@" ;;
  *) fail "expected: VERSION [--dry-run [--twice]] or --build DIR" ;;
esac
