#!/usr/bin/env bash
# Builds and runs what users build, from the files of a release alone and outside of the checkout:
#   packaging/consumers.sh DIR     DIR is "files" of a release (packaging/release.sh)
# A program on the class path and on the module path, a Spring Boot application, a plugin from the archetype, and a plugin
# in the archive.
# MAVEN: the command to build with (mvn -B -ntp -q); LOCAL_REPOSITORY: its local repository (~/.m2/repository), from which
# what came from DIR is removed afterwards.
set -euo pipefail
files=$(cd "${1:?DIR}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
examples=$PWD/examples
MAVEN=${MAVEN:-mvn -B -ntp -q}
version=$(ls "$files/repository/org/moorage/framework-api")
local_repository=${LOCAL_REPOSITORY:-$HOME/.m2/repository}
folder=$(mktemp -d)
forget() {
  rm -rf "$local_repository"/org/moorage/*/"$version"
}
trap 'forget; rm -rf "$folder"' EXIT
forget

cat >"$folder/settings.xml" <<END
<settings>
  <localRepository>$local_repository</localRepository>
  <profiles>
    <profile>
      <id>release</id>
      <repositories>
        <repository>
          <id>release</id>
          <url>file://$files/repository</url>
          <releases><checksumPolicy>fail</checksumPolicy></releases>
        </repository>
      </repositories>
    </profile>
  </profiles>
  <activeProfiles><activeProfile>release</activeProfile></activeProfiles>
</settings>
END

step() {
  printf '\n==> %s\n' "$1"
}

maven() { # FOLDER ARGUMENT...
  (cd "$folder/$1" && $MAVEN --settings "$folder/settings.xml" "-Dmoorage.version=$version" "${@:2}")
}

use() { # EXAMPLE FOLDER: a copy
  cp -r "$examples/$1" "$folder/$2"
  rm -rf "$folder/$2/target"
}

expect() { # FILE TEXT
  if ! grep -qF -- "$2" "$1"; then
    echo "consumers: \"$2\" is missing in:" >&2
    cat "$1" >&2
    exit 1
  fi
}

step "Checksums and signature"
(cd "$files" && sha256sum --check --quiet SHA256SUMS)
mkdir -m 700 "$folder/gnupg"
options=(--homedir "$folder/gnupg" --batch --quiet --no-autostart --trust-model always)
gpg "${options[@]}" --import "$files/signing-key.asc"
gpg "${options[@]}" --verify "$files/SHA256SUMS.asc" "$files/SHA256SUMS"

step "A program on the class path"
use embed class-path
maven class-path package exec:java >"$folder/class-path.txt"
cat "$folder/class-path.txt"
expect "$folder/class-path.txt" "a pod of this program fits"

# Without plugins-dra, whose CEL library has packages in several jars.
step "The same program on the module path"
use embed module-path
sed -i 's/<artifactId>plugins-dra</<artifactId>plugins-builtin</' "$folder/module-path/pom.xml"
sed -i 's/builtin\.dra\.KubeSchedulerPlugins/builtin.BuiltinPlugins/; s/KubeSchedulerPlugins\.all/BuiltinPlugins.all/' \
  "$folder"/module-path/src/main/java/org/moorage/examples/embed/*.java
maven module-path org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
  "-Dmdep.outputFile=$folder/module-path.txt"
cat >"$folder/module-path/src/main/java/module-info.java" <<'END'
module com.example.embed {
    requires com.fasterxml.jackson.databind;
    requires org.moorage.api;
    requires org.moorage.builtin;
    requires org.moorage.config;
    requires org.moorage.objects;
    requires org.moorage.runtime;
    requires org.moorage.simulation;
}
END
modules=$(cat "$folder/module-path.txt")
find "$folder/module-path/src/main/java" -name '*.java' -print0 |
  xargs -0 javac --module-path "$modules" -d "$folder/module-path/classes"
java --module-path "$modules:$folder/module-path/classes" --add-modules ALL-MODULE-PATH \
  --module com.example.embed/org.moorage.examples.embed.WhereWouldItGo \
  "$examples/embed/cluster.yaml" >"$folder/module-path-run.txt"
expect "$folder/module-path-run.txt" "a pod of this program fits"

step "A Spring Boot application, with its test"
use spring-boot spring-boot
maven spring-boot package

step "A plugin from the archetype, with its test"
mkdir "$folder/archetype"
maven archetype org.apache.maven.plugins:maven-archetype-plugin:3.4.1:generate -DinteractiveMode=false \
  -DarchetypeGroupId=org.moorage -DarchetypeArtifactId=plugin-archetype "-DarchetypeVersion=$version" \
  -DgroupId=com.example -DartifactId=quiet-nodes -DpluginName=QuietNodes
maven archetype/quiet-nodes package

step "A plugin in the archive"
use team-nodes team-nodes
maven team-nodes package
mkdir "$folder/archive"
tar -x -C "$folder/archive" --strip-components=1 -f "$files/moorage-$version.tar.gz"
cp "$folder"/team-nodes/target/team-nodes-*.jar "$folder/archive/plugins/"
MOORAGE_CACHE='' "$folder/archive/bin/moorage" version
MOORAGE_CACHE='' "$folder/archive/bin/moorage" simulate --config "$examples/team-nodes/scheduler.yaml" \
  "$examples/team-nodes/cluster.yaml" >"$folder/archive.txt" || true
expect "$folder/archive.txt" "node(s) belonged to another team"

# With this machine's Java and without a container: a dry run's image has no base.
step "The layers of the image"
mkdir -p "$folder/image/root"
tar -x -C "$folder/image" -f "$files/moorage-$version-image-amd64.tar"
for layer in $(jq -r '.[0].Layers[]' "$folder/image/manifest.json"); do
  tar -x -C "$folder/image/root" --warning=no-unknown-keyword -f "$folder/image/$layer"
done
[ "$(jq -r .config.User "$folder/image/$(jq -r '.[0].Config' "$folder/image/manifest.json")")" = 65532:65532 ]
MOORAGE_CACHE='' "$folder/image/root/opt/moorage/bin/moorage" simulate \
  "$examples/clusters/first.yaml" >"$folder/image.txt" || true
expect "$folder/image.txt" "default/shop-1"

printf '\nconsumers: everything built and ran from %s\n' "$files"
