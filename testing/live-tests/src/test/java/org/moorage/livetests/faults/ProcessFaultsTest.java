// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.assertj.core.api.Assumptions.assumeThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.livetests.StreamedCluster;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests faults of the process itself: its memory, its log, its settings, its clock. */
class ProcessFaultsTest {
    private static final int NODES = 200;
    private static final int PODS = 2000;
    private static final Duration AT_LAST = Duration.ofSeconds(90);
    private static final String TENTH = "100m";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

    /**
     * A full garbage collection: when it ended, in seconds, and the megabytes that were used before it, after it, and
     * at most.
     */
    private static final Pattern FULL_COLLECTION =
            Pattern.compile("\\[([0-9.]+)s\\] .*Pause Full .* (\\d+)M->(\\d+)M\\((\\d+)M\\).*");

    private static final Path FAKE_CLOCK = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    @TempDir
    private Path folder;

    /** Returns the start script of the archive, with the program in the place where the script looks for it. */
    private static Path startScript(Path home) throws IOException {
        Path script = Files.createDirectories(home.resolve("bin")).resolve("moorage");
        Files.copy(
                Moorage.root()
                        .resolve("deploy")
                        .resolve("archive")
                        .resolve("bin")
                        .resolve("moorage"),
                script);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        Path jar = Files.createDirectories(home.resolve("lib")).resolve("all.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return script;
    }

    private static List<String> start(Path script, String javaOptions, String... arguments) {
        return startWith("MOORAGE_JAVA_OPTS=" + javaOptions, script, arguments);
    }

    private static List<String> startWith(String variable, Path script, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of("env", "JAVA_HOME=" + System.getProperty("java.home"), variable, "sh", script.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Includes heaps that are too small for the launcher's own options, and limits that are not among these options.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOORAGE_JAVA_OPTS=-Xmx16m",
                "MOORAGE_JAVA_OPTS=-Xmx24m",
                "MOORAGE_JAVA_OPTS=-Xmx16m -XX:+UseG1GC",
                "MOORAGE_JAVA_OPTS=-XX:MaxRAM=20m -XX:MaxRAMPercentage=75",
                "JAVA_TOOL_OPTIONS=-Xmx16m"
            })
    @Tag("nightly")
    @Fault(value = 29, injected = "a heap that is too small for any cluster")
    void farTooSmallHeap(String variable, FaultReport report) throws IOException {
        report.saw(variable);
        try (RunningProgram moorage = RunningProgram.start(
                folder.resolve("moorage.log"),
                startWith(
                        variable,
                        startScript(folder),
                        "--master=http://127.0.0.1:1",
                        "--leader-elect=false",
                        "--secure-port=0"))) {
            Duration limit = Duration.ofSeconds(10);
            report.took("ended", Waiting.until(() -> !moorage.isRunning()), limit);
            report.holds(!moorage.isRunning(), "alive without progress");
            int code = moorage.await();
            List<String> lines = moorage.log()
                    .lines()
                    .filter(line -> !line.startsWith("Picked up "))
                    .toList();
            report.holds(code == 3, "the exit code is " + code);
            report.holds(
                    lines.size() == 1 && lines.get(0).startsWith("error: the heap is too small: "),
                    "it is not reported in one line:  " + lines);
        }
    }

    /**
     * Tests heaps from one that is far too small to one that is nearly large enough, where each collection frees a
     * little memory.
     */
    @ParameterizedTest
    @ValueSource(ints = {32, 48, 64, 80})
    @Fault(value = 29, injected = "too small a heap for 5,000 nodes and 100,000 pods")
    void tooSmallHeap(int megabytes, FaultReport report) throws IOException {
        Path collections = folder.resolve("gc.log");
        report.saw(megabytes + " MB");
        try (StreamedCluster cluster = new StreamedCluster(5_000, 100_000);
                RunningProgram moorage = RunningProgram.start(
                        folder.resolve("moorage.log"),
                        start(
                                startScript(folder),
                                "-Xmx" + megabytes + "m -Xlog:gc:file=" + collections + ":uptime",
                                "--master=" + cluster.address(),
                                "--leader-elect=false",
                                "--secure-port=0"))) {
            Duration limit = Duration.ofSeconds(10);
            long start = System.nanoTime();
            Duration lived = Waiting.until(() -> !moorage.isRunning());
            report.saw("ended after " + FaultReport.seconds(lived) + " in the whole");
            report.holds(System.nanoTime() > start && !moorage.isRunning(), "alive without progress");
            report.took("ended once the heap was full", lived.minus(fullSince(collections, lived)), limit);
            report.holds(!moorage.isRunning() && moorage.await() != 0, "the exit code is 0");
            report.holds(
                    moorage.log().contains("memory is exhausted")
                            || moorage.log().contains("OutOfMemoryError"),
                    "no line says why");
        }
    }

    // Returns the time since the first of the last collections that freed next to nothing.
    private static Duration fullSince(Path collections, Duration end) throws IOException {
        Duration since = end;
        for (String line : Files.readAllLines(collections)) {
            Matcher full = FULL_COLLECTION.matcher(line);
            if (full.matches()) {
                int after = Integer.parseInt(full.group(3));
                int most = Integer.parseInt(full.group(4));
                boolean isFull = after >= 0.85 * most && Integer.parseInt(full.group(2)) - after <= 0.05 * most;
                Duration at = Duration.ofMillis((long) (Double.parseDouble(full.group(1)) * 1000));
                since = !isFull ? end : at.compareTo(since) < 0 ? at : since;
            }
        }
        return since;
    }

    @Test
    @Tag("nightly")
    @Fault(value = 30, injected = "5,000 nodes, 100,000 pods, heap of 512 MB")
    void largeCluster(FaultReport report) throws IOException {
        try (StreamedCluster cluster = new StreamedCluster(5_000, 100_000);
                RunningProgram moorage = RunningProgram.start(
                        folder.resolve("moorage.log"),
                        start(
                                startScript(folder),
                                "-Xmx512m",
                                "--master=" + cluster.address(),
                                "--leader-elect=false",
                                "--secure-port=0"))) {
            Waiting.until(
                    Duration.ofMinutes(10),
                    () -> moorage.log().contains("The cluster's objects are known") || !moorage.isRunning());
            report.holds(moorage.isRunning(), "the process has ended");
            report.took(
                    "known after the server's last byte",
                    Duration.ofNanos(System.nanoTime() - cluster.lastByteNanos()),
                    Duration.ofSeconds(15));
            report.holds(moorage.errors().isEmpty(), "errors in the log");
        }
    }

    /** A pipe buffers 64 kB, and each bound pod has a log line of more than a hundred bytes. */
    @Test
    @Fault(value = 35, injected = "standard error blocked for 60 s")
    void blockedLog(FaultReport report) throws IOException, InterruptedException {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", NODES, "1", 110);
            Path log = scene.plane().folder().resolve("log").resolve("scheduler-0.log");
            new ProcessBuilder("mkfifo", log.toString()).inheritIO().start().waitFor();
            // Opened for reading and writing, so that neither side waits for the other to open it.
            try (FileChannel pipe = FileChannel.open(log, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                SchedulerProcess scheduler = scene.start(scene.command(MOORAGE));
                long blocked = System.nanoTime();
                scene.pods("p", PODS / 2, TENTH);
                report.took("1,000 pods bound", scene.awaitBound("p", PODS / 2), AT_LAST);
                Waiting.pause(Duration.ofSeconds(60).minusNanos(System.nanoTime() - blocked));
                scene.pods("q", PODS / 4, TENTH);
                report.took("after a minute 500 more", scene.awaitBound("q", PODS / 4), AT_LAST);
                report.took("and one before all others", scene.probe(), Duration.ofSeconds(5));
                ByteBuffer read = ByteBuffer.allocate(1 << 17);
                pipe.read(read);
                report.saw((read.position() >> 10) + " kB of the log were in the pipe");
                report.holds(read.position() > 60_000, "the log was not blocked");
                Path rest = log.resolveSibling("scheduler-0.read");
                Process reader = new ProcessBuilder("cat")
                        .redirectInput(log.toFile())
                        .redirectOutput(rest.toFile())
                        .start();
                try {
                    Files.delete(log);
                    Files.createSymbolicLink(log, rest);
                    report.took("read again, a new pod bound", scene.probe(), Duration.ofSeconds(5));
                    report.took(
                            "told",
                            Waiting.until(() -> scheduler.inLog("Successfully bound.*probe-") >= 2),
                            Duration.ofSeconds(10));
                    scene.checkInvariants(scheduler);
                } finally {
                    reader.destroyForcibly();
                }
            }
        }
    }

    @Test
    @Tag("live")
    @Fault(value = 36, injected = "bad configuration, bad kubeconfig, port taken")
    void badStart(FaultReport report) throws IOException {
        Path script = startScript(folder);
        Path good = Files.writeString(folder.resolve("good"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                users: [{name: u, user: {}}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                current-context: c
                """);
        String kubeconfig = "--kubeconfig=" + good;
        String head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
        endsWithOneLine(report, script, kubeconfig, "--config=" + folder.resolve("no-such-file"));
        endsWithOneLine(report, script, kubeconfig, "--config=" + file("cut", "profiles: [{"));
        endsWithOneLine(report, script, kubeconfig, "--config=" + file("kind", head.replace("Kube", "Cube")));
        endsWithOneLine(
                report,
                script,
                kubeconfig,
                "--config="
                        + file(
                                "plugin",
                                head + "profiles: [{plugins: {score: {enabled: [{name: NodeResourceFit}]}}}]\n"));
        endsWithOneLine(report, script, "--kubeconfig=" + folder.resolve("no-such-file"));
        endsWithOneLine(report, script, "--kubeconfig=" + file("cut-kubeconfig", "clusters: [{"));
        endsWithOneLine(
                report,
                script,
                "--kubeconfig="
                        + file("other-cluster", Files.readString(good).replace("{cluster: c,", "{cluster: d,")));
        endsWithOneLine(
                report,
                script,
                "--kubeconfig="
                        + file(
                                "no-certificate",
                                Files.readString(good)
                                        .replace("user: {}", "user: {client-certificate: /none, client-key: /none}")
                                        .replace("http:", "https:")));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            endsWithOneLine(
                    report, script, kubeconfig, "--bind-address=127.0.0.1", "--secure-port=" + taken.getLocalPort());
        }
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private void endsWithOneLine(FaultReport report, Path script, String... arguments) throws IOException {
        String what = arguments[arguments.length - 1].replaceAll("=.*/", " ");
        Path log = Files.createTempFile(folder, "start-", ".log");
        try (RunningProgram moorage = RunningProgram.start(log, start(script, "-Xmx128m", arguments))) {
            Waiting.until(() -> !moorage.isRunning());
            if (moorage.isRunning()) {
                report.broken(what + " does not end");
                return;
            }
            int code = moorage.await();
            // The class path of the tests has several SLF4J bindings.
            List<String> lines = moorage.log()
                    .lines()
                    .filter(line -> !line.startsWith("SLF4J(") && !line.startsWith("Picked up "))
                    .toList();
            report.holds(code == 1, what + " ends with " + code);
            report.holds(lines.size() == 1, what + " says " + lines.size() + " lines: " + lines);
            report.holds(
                    lines.stream().allMatch(line -> line.startsWith("error: ")),
                    what + " says what is no error: " + lines);
            report.saw(String.join(" ", lines).replace(folder + "/", "").replace('|', '/'));
        }
    }

    @Test
    @Fault(value = 38, injected = "the clock jumps an hour forward and back")
    void jumpingClock(FaultReport report) throws IOException {
        assumeThat(FAKE_CLOCK)
                .as("libfaketime is missing (Debian's package libfaketime): the clock cannot be changed")
                .exists();
        Path offset = Files.writeString(folder.resolve("offset"), "+0\n");
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", NODES, "1", 110);
            SchedulerProcess leader = scene.startOnly(scene.command(MOORAGE)
                    .config("""
                            apiVersion: kubescheduler.config.k8s.io/v1
                            kind: KubeSchedulerConfiguration
                            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                            """)
                    .environment(
                            "LD_PRELOAD=" + FAKE_CLOCK,
                            "FAKETIME_TIMESTAMP_FILE=" + offset,
                            "FAKETIME_CACHE_DURATION=1",
                            "FAKETIME_DONT_FAKE_MONOTONIC=1",
                            "DONT_FAKE_MONOTONIC=1"));
            // With the library, each call that reads the clock takes longer.
            scene.await("it is ready", leader::isReady);
            scene.await(
                    "it leads",
                    () -> scene.api().items(LEASES).stream()
                            .anyMatch(
                                    lease -> lease.at("/metadata/name").asText().equals("kube-scheduler")));
            JsonNode before = lease(scene);
            for (int jump = 0; jump < 2; jump++) {
                String kind = jump == 0 ? "forward" : "back";
                Duration ahead = Duration.ofHours(1 - jump);
                // After their rejection, the pods are in backoff when a node that they fit on is added.
                String waiting = kind + "-waiting-";
                double attempts = leader.metric("scheduler_schedule_attempts_total", "unschedulable");
                scene.pods(waiting, 10, "2");
                scene.await(
                        "all were refused",
                        () -> leader.metric("scheduler_schedule_attempts_total", "unschedulable") >= attempts + 10);
                Files.writeString(offset, "+" + ahead.toSeconds() + "\n");
                scene.nodes(kind + "-large-", 1, "20", 110);
                scene.pods(kind + "-plain-", 100, TENTH);
                // The library reads its file repeatedly, which slows down the process on a busy machine.
                report.took(kind + ": 100 pods bound", scene.awaitBound(kind + "-plain-", 100), Duration.ofSeconds(30));
                // The longest backoff, and a margin for a busy machine.
                report.took("10 that waited", scene.awaitBound(waiting, 10), Duration.ofSeconds(15));
                scene.await(
                        "a renewal with the new time",
                        () -> Duration.between(
                                                Instant.now().plus(ahead),
                                                Instant.parse(lease(scene)
                                                        .at("/spec/renewTime")
                                                        .asText()))
                                        .abs()
                                        .compareTo(Duration.ofMinutes(1))
                                < 0);
                // Longer than the lease.
                Waiting.pause(Duration.ofSeconds(20));
                JsonNode now = lease(scene);
                report.holds(
                        now.at("/spec/holderIdentity").equals(before.at("/spec/holderIdentity"))
                                && now.at("/spec/acquireTime").equals(before.at("/spec/acquireTime")),
                        "the lease was lost");
            }
            scene.checkInvariants(leader);
        }
    }

    private static JsonNode lease(FaultScene scene) {
        return scene.api().get(LEASES + "/kube-scheduler");
    }
}
