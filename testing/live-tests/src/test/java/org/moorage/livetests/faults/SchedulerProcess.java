// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.livetests.ControlPlane;
import org.moorage.livetests.RunningProgram;

/** Moorage or stock kube-scheduler as a process of its own, and what it serves. */
public final class SchedulerProcess implements AutoCloseable {
    /** Which scheduler. */
    public enum Kind {
        MOORAGE,
        KUBE_SCHEDULER
    }

    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Pattern THREAD = Pattern.compile("(?m)^\"([^\"]+)\" #\\d+ ");
    private static final Pattern NOT_COUNTED = Pattern.compile("^OkHttp|CompilerThread|Attach Listener");

    private final RunningProgram program;
    private final Path log;
    private final int port;
    private final String token;
    private final HttpClient client = ApiAccess.trustingClient(HttpClient.Version.HTTP_1_1);

    private SchedulerProcess(RunningProgram program, Path log, int port, String token) {
        this.program = program;
        this.log = log;
        this.port = port;
        this.token = token;
    }

    /** How one is started. */
    public static final class Command {
        private final Kind kind;
        private final ControlPlane plane;
        private final String name;
        private final List<String> environment = new ArrayList<>();
        private final List<String> java = new ArrayList<>();
        private final List<String> flags = new ArrayList<>();
        private Path kubeconfig;
        private String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                """;

        public Command(Kind kind, ControlPlane plane, String name) {
            this.kind = kind;
            this.plane = plane;
            this.name = name;
            kubeconfig = plane.kubeconfig();
        }

        /** The configuration, with %s for the kubeconfig. */
        public Command config(String text) {
            config = text;
            return this;
        }

        Command kubeconfig(Path file) {
            kubeconfig = file;
            return this;
        }

        /** Variables of its environment, each with an equals sign. */
        Command environment(String... variables) {
            environment.addAll(List.of(variables));
            return this;
        }

        /** Options of the JVM. */
        Command java(String... options) {
            java.addAll(List.of(options));
            return this;
        }

        public Command flags(String... more) {
            flags.addAll(List.of(more));
            return this;
        }

        public SchedulerProcess start() {
            try {
                int port = RunningProgram.freePort();
                Path file = Files.writeString(
                        plane.folder().resolve(name + ".yaml"), config.replace("%s", kubeconfig.toString()));
                Path log = plane.folder().resolve("log").resolve(name + ".log");
                List<String> command = new ArrayList<>();
                command.add("env");
                command.addAll(environment);
                if (kind == Kind.MOORAGE) {
                    command.add(Path.of(System.getProperty("java.home"), "bin", "java")
                            .toString());
                    command.addAll(java);
                    command.addAll(List.of("-cp", RunningProgram.applicationClassPath(), "org.moorage.app.Main"));
                } else {
                    command.add(plane.binaries().resolve("kube-scheduler").toString());
                    command.add("--authentication-kubeconfig=" + plane.kubeconfig());
                    command.add("--authorization-kubeconfig=" + plane.kubeconfig());
                }
                command.addAll(
                        List.of("--config=" + file, "--secure-port=" + port, "--bind-address=127.0.0.1", "--v=2"));
                command.addAll(flags);
                String token = new ApiAccess(plane.kubeconfig()).token();
                return new SchedulerProcess(RunningProgram.start(log, command), log, port, token);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public RunningProgram program() {
        return program;
    }

    /** Where it serves. */
    int port() {
        return port;
    }

    public Path logFile() {
        return log;
    }

    /** What it serves at a path, if it answers with a status below 300. */
    Optional<String> page(String path) {
        return answer(path).filter(response -> response.statusCode() < 300).map(HttpResponse::body);
    }

    /** Its answer, whatever the status, if it comes. Probes ask as nobody, so that no API server is needed to know them. */
    Optional<HttpResponse<String>> answer(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path))
                .timeout(LIMIT);
        if (!path.startsWith("/readyz") && !path.startsWith("/livez")) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            return Optional.of(client.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException notNow) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    public boolean isReady() {
        return page("/readyz").isPresent();
    }

    /** The sum of a metric's values over the series whose text contains all of these; 0 without one. */
    public double metric(String name, String... labels) {
        double sum = 0;
        for (String line : page("/metrics").orElse("").split("\n")) {
            if (line.startsWith(name)
                    && (line.charAt(name.length()) == '{' || line.charAt(name.length()) == ' ')
                    && List.of(labels).stream().allMatch(line::contains)) {
                sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        return sum;
    }

    /** How many pods it has assumed and not yet seen bound. */
    int assumedPods() {
        return page("/debug/dump").orElse("").split(", assumed\n").length - 1;
    }

    /**
     * How many threads there are of each name, without numbers. Those that OkHttp takes for a request and gives up when they have nothing
     * to do, and those of the virtual machine itself, are not among them.
     */
    Map<String, Integer> threads() {
        Map<String, Integer> threads = new TreeMap<>();
        Matcher thread = THREAD.matcher(jcmd("Thread.print"));
        while (thread.find()) {
            String name = thread.group(1).replaceAll("[0-9]+", "N");
            if (!NOT_COUNTED.matcher(name).find()) {
                threads.merge(name, 1, Integer::sum);
            }
        }
        return threads;
    }

    /** What the virtual machine answers to a command of the program {@code jcmd}. */
    String jcmd(String command) {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            String.valueOf(program.pid()),
                            command)
                    .redirectErrorStream(true)
                    .start();
            StringBuilder text = new StringBuilder();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    text.append(line).append('\n');
                }
            }
            if (process.waitFor() != 0) {
                throw new IllegalStateException("jcmd " + command + ": " + text);
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Lines of the log that tell of an exception nobody caught. */
    public List<String> crashes() {
        Pattern crash = Pattern.compile("Uncaught|uncaught|Exception in thread|panic|fatal error");
        return program.log()
                .lines()
                .filter(line -> crash.matcher(line).find())
                .limit(3)
                .toList();
    }

    /** The number of times that something is in the log. */
    long inLog(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(program.log());
        return matcher.results().count();
    }

    @Override
    public void close() {
        program.close();
    }
}
