#!/usr/bin/env bash
# Builds and runs what users build, from the files of a release alone and outside of the checkout:
#   packaging/consumers.sh DIR     DIR is "files" of a release (packaging/release.sh)
# Programs of Maven on the class path and on the module path, a Spring Boot application, a plugin from the archetype, a
# program and a plugin by Gradle, a plugin in the archive, and the image as a process tree, which needs root.
# MAVEN: the command to build with (mvn -B -ntp -q). LOCAL_REPOSITORY: its local repository (~/.m2/repository), from
# which what came from DIR is removed afterwards. GRADLE: gradle, 4.4 or later; it takes other libraries from there.
set -euo pipefail
files=$(cd "${1:?DIR}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
examples=$PWD/examples
MAVEN=${MAVEN:-mvn -B -ntp -q}
GRADLE=${GRADLE:-gradle}
if ! command -v "$GRADLE" >/dev/null; then
  echo "consumers: $GRADLE: no such command (expected: Gradle 4.4 or later)" >&2
  exit 2
fi
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

step "Programs on the class path"
use embed class-path
maven class-path package exec:java >"$folder/class-path.txt"
cat "$folder/class-path.txt"
expect "$folder/class-path.txt" "a pod of this program fits"
maven class-path exec:java -Dexec.mainClass=org.moorage.examples.embed.AskAboutTexts >"$folder/texts.txt"
expect "$folder/texts.txt" "without there: [n]"

# Without plugins-dra: jars of its CEL library have packages in common, such as dev.cel.runtime; modules cannot.
step "The same programs on the module path"
use embed module-path
sed -i 's/<artifactId>plugins-dra</<artifactId>plugins-builtin</' "$folder/module-path/pom.xml"
sed -i 's/builtin\.dra\.KubeSchedulerPlugins/builtin.BuiltinPlugins/; s/KubeSchedulerPlugins\.all/BuiltinPlugins.all/' \
  "$folder"/module-path/src/main/java/org/moorage/examples/embed/*.java
cat >"$folder/module-path/src/main/java/module-info.java" <<'END'
module com.example.embed {
    requires org.moorage.builtin;
    requires org.moorage.simulation;
}
END
maven module-path package org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
  "-Dmdep.outputFile=$folder/module-path.txt"
modules=$(cat "$folder/module-path.txt"):$folder/module-path/target/classes
java --module-path "$modules" --module com.example.embed/org.moorage.examples.embed.WhereWouldItGo \
  "$examples/embed/cluster.yaml" >"$folder/module-path-run.txt"
expect "$folder/module-path-run.txt" "a pod of this program fits"
java --module-path "$modules" --module com.example.embed/org.moorage.examples.embed.AskAboutTexts >"$folder/texts.txt"
expect "$folder/texts.txt" "without there: [n]"
java --module-path "$modules" --describe-module org.moorage.simulation >"$folder/described.txt"
expect "$folder/described.txt" "exports org.moorage.simulation.whatif"

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

step "Programs and a plugin by Gradle"
gradle_build() { # FOLDER TASK: with what Maven has fetched before
  "$GRADLE" --no-daemon --offline --quiet --gradle-user-home "$folder/gradle" --project-dir "$folder/$1" "$2" \
    "-Prepository=file://$files/repository" "-Plibraries=file://$local_repository" "-Pmoorage=$version"
}
use embed gradle-program
cat >"$folder/gradle-program/build.gradle" <<'END'
apply plugin: 'application'
repositories {
  maven { url repository }
  maven { url libraries }
}
tasks.withType(JavaCompile) { options.compilerArgs += ['--release', '17'] }
dependencies {
  implementation "org.moorage:framework-simulation:$moorage"
  implementation "org.moorage:plugins-dra:$moorage"
  runtimeOnly 'org.slf4j:slf4j-nop:2.0.20'
}
mainClassName = 'org.moorage.examples.embed.WhereWouldItGo'
run { args "$projectDir/cluster.yaml" }
END
gradle_build gradle-program run >"$folder/gradle-program.txt"
expect "$folder/gradle-program.txt" "a pod of this program fits"
use team-nodes gradle-plugin
maven gradle-plugin org.apache.maven.plugins:maven-dependency-plugin:3.11.0:get \
  -Dartifact=org.junit.platform:junit-platform-console:6.1.3
cat >"$folder/gradle-plugin/build.gradle" <<'END'
apply plugin: 'java'
repositories {
  maven { url repository }
  maven { url libraries }
}
tasks.withType(JavaCompile) { options.compilerArgs += ['--release', '17'] }
configurations { console }
dependencies {
  implementation "org.moorage:framework-api:$moorage"
  testImplementation "org.moorage:framework-testkit:$moorage"
  testImplementation 'org.junit.jupiter:junit-jupiter:6.1.3'
  console 'org.junit.platform:junit-platform-console:6.1.3'
}
jar { manifest { attributes 'Moorage-Api-Version': moorage } }
// Gradle has useJUnitPlatform() since 4.6.
task testPlugin(type: JavaExec, dependsOn: [jar, testClasses]) {
  classpath = sourceSets.test.runtimeClasspath + configurations.console
  main = 'org.junit.platform.console.ConsoleLauncher'
  args 'execute', '--scan-classpath', '--fail-if-no-tests', '--disable-banner', '--details=tree'
}
END
gradle_build gradle-plugin testPlugin >"$folder/gradle-plugin.txt"
expect "$folder/gradle-plugin.txt" "[         0 tests failed"
rm "$folder"/archive/plugins/team-nodes-*.jar
MOORAGE_CACHE='' "$folder/archive/bin/moorage" plugins --plugin-dir "$folder/gradle-plugin/build/libs" \
  >"$folder/plugins.txt"
expect "$folder/plugins.txt" "TeamNodes"

step "The image as a process tree"
image=$files/moorage-$version-image-amd64.tar
in_image() { # IMAGE ARGUMENT...
  packaging/run-image.sh --root "$folder/root-$(basename "$1")" --mount "$examples:/examples" "$@"
}
in_image "$image" version >"$folder/image.txt"
expect "$folder/image.txt" "Moorage $version"
in_image "$image" config validate /examples/scheduler.yaml >"$folder/image.txt"
expect "$folder/image.txt" "scheduler.yaml: valid"
in_image "$image" simulate /examples/clusters/first.yaml >"$folder/image.txt" || true
expect "$folder/image.txt" "default/shop-1"
# Classes from the archive that a recorded start adds to the JVM's own.
recorded() { # IMAGE
  packaging/run-image.sh --root "$folder/root-$(basename "$1")" --env MOORAGE_JAVA_OPTS=-Xlog:class+load:stderr \
    "$1" version 2>&1 | { grep -c 'source: shared objects file (top)' || true; }
}
packaging/record-start.sh "$image" "$folder/recorded.tar"
before=$(recorded "$image") classes=$(recorded "$folder/recorded.tar")
echo "a start reads $classes classes from the recording"
if [ "$before" != 0 ] || [ "$classes" -lt 100 ]; then
  echo "consumers: recorded classes: $before without a recording, $classes with it (expected: 0, and 100 or more)" >&2
  exit 1
fi

printf '\nconsumers: everything built and ran from %s\n' "$files"
