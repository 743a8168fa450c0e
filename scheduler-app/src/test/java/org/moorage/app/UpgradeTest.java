// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.ApiVersion;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.live.KeptFields;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.app.internal.recording.RecordingWriter;
import org.moorage.objects.EventType;
import org.moorage.simulation.SteppingClock;
import org.moorage.testkit.apiserver.FakeApiServer;

/**
 * Configurations, plugin jars, snapshots and recordings of earlier versions give the answers that those versions gave.
 * Each folder of {@code src/test/upgrade} has the files of one version; {@code ./dev accept upgrade} writes those of
 * the current one.
 */
class UpgradeTest {
    private static final Path FOLDERS = Path.of("src", "test", "upgrade");
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final JsonMapper JSON = new JsonMapper();

    /** The commands whose answers are kept, by the file of the answer; {@code @} stands for the folder. */
    private static final Map<String, List<String>> COMMANDS = Map.of(
            "simulate.json",
            List.of("simulate", "@snapshot.jsonl.gz", "--plugin-dir", "@plugins", "--config", "@scheduler.yaml"),
            "groups.json",
            List.of(
                    "simulate",
                    "@groups.yaml",
                    "--feature-gates",
                    CapturedRun.GROUP_GATES,
                    "--plugin-dir",
                    "@plugins",
                    "--config",
                    "@racks.yaml"),
            "replay.json",
            List.of("replay", "@recording.jsonl", "--config", "@converted.yaml"));

    private static final List<String> CONFIGURATIONS =
            List.of("scheduler.yaml", "racks.yaml", "older.yaml", "converted.yaml");

    private static final String OLDER = """
            apiVersion: kubescheduler.config.k8s.io/v1beta3
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              pluginConfig:
              - name: NodeResourcesFit
                args:
                  scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}
            """;

    @TempDir
    private Path classes;

    private static Stream<Path> versions() throws IOException {
        try (Stream<Path> folders = Files.list(FOLDERS)) {
            return folders.filter(Files::isDirectory).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void givesTheAnswersOfTheVersion(Path folder) throws IOException {
        for (Map.Entry<String, List<String>> command : COMMANDS.entrySet()) {
            CapturedRun run = run(folder, command.getValue(), "-o", "json");

            List<String> differences = new ArrayList<>();
            compare(
                    command.getKey(),
                    JSON.readTree(Files.readString(folder.resolve(command.getKey()))),
                    JSON.readTree(run.out()),
                    differences);
            assertThat(differences)
                    .as("differences from the answers of %s", folder)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void acceptsTheConfigurationsOfTheVersion(Path folder) {
        for (String configuration : CONFIGURATIONS) {
            CapturedRun run = run(
                    folder,
                    List.of("config", "validate", "@" + configuration),
                    "--plugin-dir",
                    folder.resolve("plugins").toString());

            assertThat(run.exitCode()).as("%s: %s", configuration, run.err()).isZero();
        }
    }

    private static CapturedRun run(Path folder, List<String> command, String... more) {
        List<String> arguments = new ArrayList<>();
        for (String argument : command) {
            arguments.add(
                    argument.startsWith("@")
                            ? folder.resolve(argument.substring(1)).toString()
                            : argument);
        }
        arguments.addAll(List.of(more));
        return CapturedRun.of(arguments.toArray(String[]::new));
    }

    /** Adds the paths of fields that are missing or have another value; a later version may add fields. */
    private static void compare(String path, JsonNode expected, JsonNode actual, List<String> differences) {
        if (expected.isObject()) {
            expected.properties()
                    .forEach(field -> compare(
                            path + "." + field.getKey(), field.getValue(), actual.path(field.getKey()), differences));
        } else if (expected.isArray() && expected.size() == actual.size()) {
            for (int i = 0; i < expected.size(); i++) {
                compare(path + "[" + i + "]", expected.get(i), actual.get(i), differences);
            }
        } else if (!expected.equals(actual)) {
            differences.add(path + ": " + actual + " (expected: " + expected + ")");
        }
    }

    @Test
    void findsWhatIsMissingOrDiffers() throws IOException {
        List<String> differences = new ArrayList<>();
        compare(
                "$",
                JSON.readTree("{\"a\": 1, \"b\": [1, {\"c\": 2}], \"d\": 3}"),
                JSON.readTree("{\"a\": 1, \"b\": [1, {\"c\": 9}], \"e\": 4}"),
                differences);

        assertThat(differences).containsExactly("$.b[1].c: 9 (expected: 2)", "$.d:  (expected: 3)");
    }

    /** Writes the files of the current version. */
    @Test
    @EnabledIfSystemProperty(named = "upgrade.write", matches = ".+")
    void writes() throws IOException {
        Path folder = FOLDERS.resolve(System.getProperty("upgrade.write"));
        Files.createDirectories(folder.resolve("plugins"));
        copy("team-nodes/scheduler.yaml", folder.resolve("scheduler.yaml"));
        copy("network-racks/scheduler.yaml", folder.resolve("racks.yaml"));
        copy("network-racks/cluster.yaml", folder.resolve("groups.yaml"));
        Files.writeString(folder.resolve("older.yaml"), OLDER);
        Files.writeString(
                folder.resolve("converted.yaml"),
                run(folder, List.of("config", "convert", "@older.yaml")).out());
        writePlugins(folder.resolve("plugins/examples.jar"));
        Files.deleteIfExists(folder.resolve("snapshot.jsonl.gz"));
        try (FakeApiServer server = FakeApiServer.start()) {
            server.put(Files.readString(EXAMPLES.resolve("team-nodes/cluster.yaml")));
            CapturedRun run =
                    run(folder, List.of("snapshot", "-f", "@snapshot.jsonl.gz"), "--master", server.address());
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
        record(folder.resolve("recording.jsonl"));
        for (Map.Entry<String, List<String>> command : COMMANDS.entrySet()) {
            Files.writeString(
                    folder.resolve(command.getKey()),
                    run(folder, command.getValue(), "-o", "json").out());
        }
    }

    private static void copy(String example, Path file) throws IOException {
        Files.writeString(file, Files.readString(EXAMPLES.resolve(example)));
    }

    // As their authors build them: against the plugin API, with its version in the manifest.
    private void writePlugins(Path file) throws IOException {
        String team = "org/moorage/examples/team/TeamNodes";
        String racks = "org/moorage/examples/network/NetworkRacks";
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "--release=17",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "-d",
                        classes.toString(),
                        EXAMPLES.resolve("team-nodes/src/main/java/" + team + ".java")
                                .toString(),
                        EXAMPLES.resolve("network-racks/src/main/java/" + racks + ".java")
                                .toString());
        assertThat(failed).isZero();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue(ApiVersion.MANIFEST_ATTRIBUTE, ApiVersion.CURRENT.toString());
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest);
                Stream<Path> found = Files.walk(classes)) {
            for (Path compiled : found.filter(Files::isRegularFile).sorted().toList()) {
                jar.putNextEntry(
                        new JarEntry(classes.relativize(compiled).toString().replace('\\', '/')));
                Files.copy(compiled, jar);
            }
            jar.putNextEntry(new JarEntry("META-INF/services/" + PluginFactory.class.getName()));
            jar.write((team.replace('/', '.') + "$Factory\n" + racks.replace('/', '.') + "$Factory\n").getBytes(UTF_8));
        }
    }

    private static void record(Path file) throws IOException {
        Files.deleteIfExists(file);
        SteppingClock clock = SteppingClock.startingAfter(List.of());
        try (RecordingWriter writer = RecordingWriter.create(file, clock, new KeptFields(List.of())::text)) {
            writer.add(added("Node", "small", "\"status\": {\"allocatable\": {\"cpu\": \"2\", \"pods\": \"10\"}}"));
            writer.add(added("Node", "large", "\"status\": {\"allocatable\": {\"cpu\": \"8\", \"pods\": \"10\"}}"));
            writer.listed();
            for (String pod : List.of("a", "b", "c")) {
                clock.advance(Duration.ofSeconds(1));
                writer.add(added(
                        "Pod",
                        pod,
                        "\"spec\": {\"schedulerName\": \"default-scheduler\", \"containers\": [{\"name\": \"c\","
                                + " \"image\": \"i\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}"));
            }
        }
    }

    private static LiveChange added(String kind, String name, String fields) {
        boolean isPod = kind.equals("Pod");
        String namespace = isPod ? "default" : "";
        ObjectKind<OtherObject> of = ObjectKind.other("v1", kind, isPod ? "pods" : "nodes", isPod);
        ObjectMeta metadata =
                ObjectMeta.named(name).namespace(namespace).uid(name).build();
        String json = "{\"apiVersion\": \"v1\", \"kind\": \"" + kind + "\", \"metadata\": {\"name\": \"" + name
                + "\", \"namespace\": \"" + namespace + "\", \"uid\": \"" + name + "\"}, " + fields + "}";
        return new LiveChange(
                of, EventType.ADDED, namespace, name, name, Optional.of(new OtherObject(of, metadata, json)));
    }
}
