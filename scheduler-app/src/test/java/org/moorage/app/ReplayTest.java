// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.app.internal.live.KeptFields;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.app.internal.recording.RecordingWriter;
import org.moorage.objects.EventType;
import org.moorage.simulation.SteppingClock;

final class ReplayTest {
    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%1$s", "uid": "%1$s", "resourceVersion": "%2$s"},
             "status": {"allocatable": {"cpu": "%3$s", "memory": "8Gi", "pods": "10"}}}""";
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%1$s", "namespace": "default", "uid": "%1$s",
               "resourceVersion": "%2$s"},
             "spec": {"schedulerName": "default-scheduler", %4$s"containers": [{"name": "main",
               "env": [{"name": "TOKEN", "value": "secret"}], "resources": {"requests": {"cpu": "%3$s"}}}]},
             "status": {"phase": "Pending"}}""";

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("recording.jsonl");
    }

    private static LiveChange change(EventType type, String kind, String name, String json) {
        boolean isPod = kind.equals("Pod");
        ObjectKind<OtherObject> of = ObjectKind.other("v1", kind, isPod ? "pods" : "nodes", isPod);
        ObjectMeta metadata = ObjectMeta.named(name)
                .namespace(isPod ? "default" : "")
                .uid(name)
                .build();
        return new LiveChange(
                of, type, metadata.namespace(), name, name, Optional.of(new OtherObject(of, metadata, json)));
    }

    private static LiveChange node(EventType type, String name, String version, String cpu) {
        return change(type, "Node", name, NODE.formatted(name, version, cpu));
    }

    private static LiveChange pod(EventType type, String name, String version, String cpu, String nodeName) {
        String spec = nodeName.isEmpty() ? "" : "\"nodeName\": \"" + nodeName + "\", ";
        return change(type, "Pod", name, POD.formatted(name, version, cpu, spec));
    }

    private void record() {
        SteppingClock clock = SteppingClock.startingAfter(List.of());
        try (RecordingWriter writer = RecordingWriter.create(file, clock, new KeptFields(List.of())::text)) {
            writer.add(node(EventType.ADDED, "small", "1", "2"));
            writer.add(node(EventType.ADDED, "large", "2", "4"));
            writer.add(pod(EventType.ADDED, "there", "3", "1", "small"));
            writer.add(pod(EventType.ADDED, "first", "4", "1", ""));
            writer.listed();
            clock.advance(Duration.ofSeconds(2));
            writer.add(pod(EventType.MODIFIED, "first", "5", "1", "small"));
            writer.add(pod(EventType.ADDED, "huge", "6", "6", ""));
            writer.add(pod(EventType.ADDED, "second", "7", "1", ""));
            clock.advance(Duration.ofSeconds(3));
            writer.add(pod(EventType.MODIFIED, "second", "8", "1", "large"));
            writer.add(node(EventType.ADDED, "new", "9", "8"));
            clock.advance(Duration.ofSeconds(1));
            writer.add(pod(EventType.MODIFIED, "huge", "10", "6", "new"));
        }
    }

    @Test
    void showsTheNodesOfPodsInTheReplay() throws IOException {
        record();

        CapturedRun run = CapturedRun.of("replay", file.toString(), "--seed=1", "-o", "wide");

        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .containsPattern("default/first +small +large")
                .containsPattern("default/second +large +large")
                .containsPattern("default/huge +new +new")
                .contains(
                        "3 pods in 6 changes: 2 on the same node, 1 on another node, 0 scheduled in the recording only,");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void showsHowLongPodsWerePending() throws IOException {
        record();

        String json = CapturedRun.of("replay", file.toString(), "-o", "json").out();

        assertThat(JsonSchema.problems("replay", new JsonMapper().readTree(json)))
                .isEmpty();
        assertThat(json).contains("\"recordedWaitSeconds\": 4.0").contains("\"waitSeconds\": 3.0");
    }

    @Test
    void readsARecordingWhoseLastLineIsTorn() throws IOException {
        record();
        Files.writeString(file, "{\"type\":\"MODIFIED\",\"at\":\"20", StandardOpenOption.APPEND);

        CapturedRun run = CapturedRun.of("replay", file.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("3 pods in 6 changes");
    }

    @Test
    void omitsFieldsThatMayBeSecret() throws IOException {
        record();

        assertThat(Files.readString(file)).doesNotContain("secret");
    }

    @Test
    void refusesAFileThatIsNoRecording() throws IOException {
        Files.writeString(file, "{}\n");

        CapturedRun run = CapturedRun.of("replay", file.toString());

        assertThat(run.err())
                .isEqualTo("error: " + file
                        + ": no recording (expected: objects, and then the changes that moorage record writes)\n");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void saysWhatIsWrongInARecording() throws IOException {
        record();
        Files.writeString(file, "{\"type\":\"GROWN\",\"object\":{}}\n", StandardOpenOption.APPEND);

        CapturedRun run = CapturedRun.of("replay", file.toString());

        assertThat(run.err()).contains("event 8: type: \"GROWN\" (expected: one of ");
        assertThat(run.exitCode()).isEqualTo(2);
    }
}
