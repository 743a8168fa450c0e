// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A real etcd and kube-apiserver on loopback, made and started by the scripts in {@code testing/conformance/cluster}. Its files are
 * in the module's {@code target}.
 */
public final class ControlPlane implements AutoCloseable {
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(20);
    private static final Duration LONGEST_START = Duration.ofMinutes(2);
    private static final Duration LONGEST_CALL = Duration.ofMinutes(1);
    private static final int STARTS = 3;
    private static final int PORTS = 4;
    private static final int LOWEST_PORT = 20_000;
    private static final int HIGHEST_PORT = 32_000;

    private final Path folder;
    private final Path binaries;

    private ControlPlane(Path folder, Path binaries) {
        this.folder = folder;
        this.binaries = binaries;
    }

    /** Starts one, having built its programs if they are not there yet, which takes some minutes. */
    public static ControlPlane start() {
        return start(Map.of());
    }

    /**
     * As {@link #start()}, with settings of {@code up.sh}.
     *
     * @param environment for example {@code CONTROLLERS} to {@code 1}, {@code APISERVER_ARGS} to further flags
     */
    public static ControlPlane start(Map<String, String> environment) {
        return start(environment, Map.of());
    }

    /**
     * As {@link #start(Map)}, with files in its folder, where its programs run.
     *
     * @param files their texts by their names
     */
    public static ControlPlane start(Map<String, String> environment, Map<String, String> files) {
        try {
            Path target = Files.createDirectories(module().resolve("target"));
            Path folder = Files.createTempDirectory(target, "control-plane-");
            for (Map.Entry<String, String> file : files.entrySet()) {
                Files.writeString(folder.resolve(file.getKey()), file.getValue());
            }
            String[] built = run(folder, Map.of(), "", LONGEST_BUILD, List.of(script("build.sh")))
                    .strip()
                    .split("\n");
            ControlPlane plane = new ControlPlane(folder, Path.of(built[built.length - 1]));
            plane.up(environment);
            return plane;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Another program may take a port between the look and the start; then others are tried.
    private void up(Map<String, String> environment) throws IOException {
        for (int start = 1; ; start++) {
            try {
                run(
                        folder,
                        environment,
                        "",
                        LONGEST_START,
                        List.of(script("up.sh"), folder.toString(), String.valueOf(freePorts())));
                return;
            } catch (IllegalStateException e) {
                close();
                if (start == STARTS) {
                    throw e;
                }
            }
        }
    }

    private static Path module() {
        return Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    }

    private static String script(String name) {
        return module().resolveSibling("conformance")
                .resolve("cluster")
                .resolve(name)
                .toString();
    }

    private static int freePorts() {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            boolean free = true;
            for (int port = first; free && port < first + PORTS; port++) {
                free = isFree(port);
            }
            if (free) {
                return first;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** The kubeconfig of an administrator. */
    public Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    /** Where kube-scheduler, kubectl and the rest are. */
    public Path binaries() {
        return binaries;
    }

    /** Its own folder, with logs in {@code log}; tests may put files there. */
    public Path folder() {
        return folder;
    }

    /** What kubectl prints; it must succeed. */
    public String kubectl(String... arguments) {
        return kubectlWithInput("", arguments);
    }

    /** Creates objects from JSON or YAML. */
    public void create(String manifests) {
        kubectlWithInput(manifests, "create", "-f", "-");
    }

    private String kubectlWithInput(String input, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(binaries.resolve("kubectl").toString());
        command.add("--kubeconfig=" + kubeconfig());
        command.addAll(List.of(arguments));
        try {
            return run(folder, Map.of(), input, LONGEST_CALL, command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Through files, so that neither side ever waits for the other to read.
    private static String run(
            Path folder, Map<String, String> environment, String input, Duration limit, List<String> command)
            throws IOException {
        Path in = Files.createTempFile(folder, "run-", ".in");
        Path out = Files.createTempFile(folder, "run-", ".out");
        Path err = Files.createTempFile(folder, "run-", ".err");
        try {
            Files.writeString(in, input);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            boolean ended = await(process, limit);
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": "
                        + (ended ? "exit code " + process.exitValue() : "not done within " + limit.toSeconds() + "s")
                        + ": " + Files.readString(err, StandardCharsets.UTF_8).strip());
            }
            return Files.readString(out, StandardCharsets.UTF_8);
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        }
    }

    private static boolean await(Process process, Duration limit) {
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return false;
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
        awaitReady(Instant.now().plus(LONGEST_START));
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
        running.destroyForcibly();
        running.onExit().orTimeout(LONGEST_CALL.toSeconds(), TimeUnit.SECONDS).join();
        return command;
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
            Files.writeString(pidFile(Component.API_SERVER), String.valueOf(process.pid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The process of one of its programs. */
    public ProcessHandle process(Component component) {
        try {
            return ProcessHandle.of(
                            Long.parseLong(Files.readString(pidFile(component)).strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal to one of its programs, for example {@code STOP}. */
    public void signal(Component component, String name) {
        command("kill", "-" + name, String.valueOf(process(component).pid()));
    }

    /** Has etcd forget what was before a version of the objects. */
    public void compact(long version) {
        command(
                "curl",
                "-sf",
                "-d",
                "{\"revision\": \"" + version + "\", \"physical\": true}",
                etcd().resolve("/v3/kv/compaction").toString());
    }

    /** Where etcd answers. */
    public URI etcd() {
        List<String> arguments =
                List.of(process(Component.ETCD).info().arguments().orElseThrow());
        return URI.create(arguments.get(arguments.indexOf("--listen-client-urls") + 1));
    }

    private void command(String... command) {
        try {
            run(folder, Map.of(), "", LONGEST_CALL, List.of(command));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path pidFile(Component component) {
        return folder.resolve(component.program + ".pid");
    }

    /** A program of the control plane. */
    public enum Component {
        ETCD("etcd"),
        API_SERVER("kube-apiserver");

        private final String program;

        Component(String program) {
            this.program = program;
        }
    }

    private void awaitReady(Instant deadline) {
        while (true) {
            try {
                kubectl("get", "--raw", "/readyz");
                return;
            } catch (IllegalStateException notYet) {
                if (Instant.now().isAfter(deadline)) {
                    throw notYet;
                }
            }
        }
    }

    /** Stops it. Its logs stay. */
    @Override
    public void close() {
        try {
            run(folder, Map.of(), "", LONGEST_CALL, List.of(script("down.sh"), folder.toString()));
            delete(folder.resolve("etcd"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Some hundred megabytes, which nobody reads afterwards.
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
