// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.moorage.testkit.Ports;

/**
 * A real etcd and kube-apiserver on loopback, made and started by the scripts in {@code testing/conformance/cluster}.
 * Its files are in the module's {@code target}.
 */
public final class ControlPlane implements AutoCloseable {
    // Building the programs takes some minutes where they are missing.
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private static final Path SCRIPTS = Moorage.root().resolve("testing/conformance/cluster");

    private final Path folder;
    private final Path binaries;
    private final Ports ports = new Ports();

    private ControlPlane(Path folder, Path binaries) {
        this.folder = folder;
        this.binaries = binaries;
    }

    /**
     * Starts one, with files in its folder, where its programs run.
     *
     * @param environment settings of {@code up.sh}: for example {@code CONTROLLERS} to {@code 1},
     *     {@code APISERVER_ARGS} to further flags
     * @param files their texts by their names
     */
    static ControlPlane start(Map<String, String> environment, Map<String, String> files) {
        try {
            Path folder = Files.createTempDirectory(Files.createDirectories(Moorage.target()), "control-plane-");
            for (Map.Entry<String, String> file : files.entrySet()) {
                Files.writeString(folder.resolve(file.getKey()), file.getValue());
            }
            ControlPlane plane = new ControlPlane(folder, build(folder));
            Ports ports = plane.ports;
            try {
                plane.run(
                        environment,
                        SCRIPTS.resolve("up.sh").toString(),
                        folder.toString(),
                        ports.next() + " " + ports.next() + " " + ports.next() + " " + ports.next());
                return plane;
            } catch (IllegalStateException notStarted) {
                plane.close();
                throw notStarted;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Builds programs that are missing, and returns their folder.
     *
     * @param programs other ones than those of a control plane
     */
    static Path build(Path logs, String... programs) {
        List<String> command =
                new ArrayList<>(List.of(SCRIPTS.resolve("build.sh").toString()));
        command.addAll(List.of(programs));
        String[] lines = run(logs, Map.of(), command).strip().split("\n");
        return Path.of(lines[lines.length - 1]);
    }

    /** The kubeconfig of an administrator. */
    public Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    /** The folder of kube-scheduler, kubectl and the rest. */
    public Path binaries() {
        return binaries;
    }

    /** Its own folder, with logs in {@code log}; tests may put files there. */
    public Path folder() {
        return folder;
    }

    /** Runs kubectl, which must succeed, where kubectl itself is the subject; returns its output. */
    public String kubectl(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(binaries.resolve("kubectl").toString(), "--kubeconfig=" + kubeconfig()));
        command.addAll(List.of(arguments));
        return run(folder, Map.of(), command);
    }

    private String run(Map<String, String> environment, String... command) {
        return run(folder, environment, List.of(command));
    }

    // Through files, so that neither side ever waits for the other to read.
    private static String run(Path folder, Map<String, String> environment, List<String> command) {
        try {
            Path out = Files.createTempFile(folder, "run-", ".out");
            Path err = Files.createTempFile(folder, "run-", ".err");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(String.join(" ", command) + ": not done within " + LIMIT);
            }
            String printed = Files.readString(out, StandardCharsets.UTF_8);
            String errors = Files.readString(err, StandardCharsets.UTF_8).strip();
            Files.delete(out);
            Files.delete(err);
            if (process.exitValue() != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + ": exit code " + process.exitValue() + ": " + errors);
            }
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Kills the API server and starts it again as it was, and returns when it answers. */
    public void restartApiServer() {
        restartApiServer(arguments -> arguments);
    }

    /** As {@link #restartApiServer()}, with other arguments. */
    public void restartApiServer(UnaryOperator<List<String>> change) {
        List<String> command = killApiServer();
        List<String> changed = new ArrayList<>(List.of(command.get(0)));
        changed.addAll(change.apply(command.subList(1, command.size())));
        startApiServer(changed);
        awaitReady();
    }

    /** Waits until the API server answers. */
    public void awaitReady() {
        ApiAccess api = new ApiAccess(kubeconfig());
        Waiting.await(
                "the API server is ready",
                () -> api.answer("GET", "/readyz", "", "").map(HttpResponse::statusCode),
                status -> status.equals(Optional.of(200)),
                this::folder);
    }

    /**
     * Kills the API server.
     *
     * @return its command line
     */
    public List<String> killApiServer() {
        ProcessHandle running = process(Component.API_SERVER);
        List<String> command = new ArrayList<>();
        command.add(running.info().command().orElseThrow());
        command.addAll(List.of(running.info().arguments().orElseThrow()));
        // By force: it would wait a minute for watches to end.
        kill(running);
        return command;
    }

    private static void kill(ProcessHandle process) {
        process.destroyForcibly();
        process.onExit().orTimeout(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Starts the API server with a command line, and does not wait until it answers. */
    public void startApiServer(List<String> command) {
        try {
            Path log = folder.resolve("log").resolve("kube-apiserver-restarted.log");
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Files.writeString(folder.resolve(Component.API_SERVER.program + ".pid"), String.valueOf(process.pid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ProcessHandle process(Component component) {
        return find(component).orElseThrow();
    }

    private Optional<ProcessHandle> find(Component component) {
        Path file = folder.resolve(component.program + ".pid");
        try {
            return Files.exists(file)
                    ? ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal to one of its programs, for example {@code STOP}. */
    public void signal(Component component, String name) {
        RunningProgram.signal(process(component).pid(), name);
    }

    /** Makes etcd forget all versions of objects before one. */
    public void compact(long version) {
        HttpRequest request = HttpRequest.newBuilder(etcd().resolve("/v3/kv/compaction"))
                .POST(BodyPublishers.ofString("{\"revision\": \"" + version + "\", \"physical\": true}"))
                .build();
        HttpResponse<String> response =
                ApiAccess.exchange(HttpClient.newHttpClient(), request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IllegalStateException("compaction: " + response.body());
        }
    }

    /** The address of etcd. */
    public URI etcd() {
        List<String> arguments =
                List.of(process(Component.ETCD).info().arguments().orElseThrow());
        return URI.create(arguments.get(arguments.indexOf("--listen-client-urls") + 1));
    }

    /** A program of the control plane. */
    public enum Component {
        CONTROLLERS("kube-controller-manager"),
        API_SERVER("kube-apiserver"),
        ETCD("etcd");

        private final String program;

        Component(String program) {
            this.program = program;
        }
    }

    /** Kills its programs, and deletes all files but the logs and what tests have put there. */
    @Override
    public void close() {
        try {
            for (Component component : Component.values()) {
                find(component).ifPresent(ControlPlane::kill);
            }
            delete(folder.resolve("etcd"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ports.close();
        }
    }

    // Some hundred megabytes that are of no use afterwards.
    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
