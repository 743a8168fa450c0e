// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Moorage or the unmodified kube-scheduler as a separate process, with the pages that it serves. */
public final class SchedulerProcess implements AutoCloseable {
    /** A scheduler. */
    public enum Kind {
        MOORAGE,
        KUBE_SCHEDULER
    }

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern THREAD = Pattern.compile("(?m)^\"([^\"]+)\" #\\d+ ");
    private static final Pattern NOT_COUNTED = Pattern.compile("^OkHttp|CompilerThread|Attach Listener");

    private final RunningProgram program;
    private final int port;
    private final String token;
    private final HttpClient client = ApiAccess.trustingClient(HttpClient.Version.HTTP_1_1);

    private SchedulerProcess(RunningProgram program, int port, String token) {
        this.program = program;
        this.port = port;
        this.token = token;
    }

    /** The command that starts a scheduler. */
    public static final class Command {
        private final Scene scene;
        private final Kind kind;
        private final List<String> environment = new ArrayList<>();
        private final List<String> flags = new ArrayList<>();
        private String name;
        private Path kubeconfig;
        private String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
                """;

        Command(Scene scene, Kind kind, String name) {
            this.scene = scene;
            this.kind = kind;
            this.name = name;
            kubeconfig = scene.plane().kubeconfig();
        }

        /** Sets the name of the log and the configuration file. */
        public Command named(String newName) {
            name = newName;
            return this;
        }

        /** Sets the configuration, with %s for the kubeconfig. */
        public Command config(String text) {
            config = text;
            return this;
        }

        /** Appends text to the configuration. */
        public Command with(String moreConfig) {
            config += moreConfig;
            return this;
        }

        public Command kubeconfig(Path file) {
            kubeconfig = file;
            return this;
        }

        /** Adds environment variables, each with an equals sign. */
        public Command environment(String... variables) {
            environment.addAll(List.of(variables));
            return this;
        }

        /** Sets options of the JVM. */
        public Command java(String... options) {
            return environment("MOORAGE_JAVA_OPTS=" + String.join(" ", options));
        }

        public Command flags(String... more) {
            flags.addAll(List.of(more));
            return this;
        }

        /** Starts the process without waiting until it serves. */
        public SchedulerProcess start() {
            int port = scene.port();
            Path admin = scene.plane().kubeconfig();
            List<String> all = new ArrayList<>(List.of(
                    "--config=" + scene.write(name + ".yaml", config.replace("%s", kubeconfig.toString())),
                    "--secure-port=" + port,
                    "--bind-address=127.0.0.1",
                    "--authentication-kubeconfig=" + admin,
                    "--authorization-kubeconfig=" + admin,
                    "--v=2"));
            all.addAll(flags);
            List<String> command;
            if (kind == Kind.MOORAGE) {
                command = Moorage.command(environment, all.toArray(String[]::new));
            } else {
                command = new ArrayList<>(List.of(
                        scene.plane().binaries().resolve("kube-scheduler").toString()));
                command.addAll(all);
            }
            RunningProgram program = scene.start(name, command);
            return new SchedulerProcess(program, port, scene.api().token());
        }
    }

    public RunningProgram program() {
        return program;
    }

    /** Returns the port that the process serves on. */
    public int port() {
        return port;
    }

    /** Returns the page at a path, if the response has a status below 300. */
    public Optional<String> page(String path) {
        return answer(path).filter(response -> response.statusCode() < 300).map(HttpResponse::body);
    }

    /**
     * Returns the response regardless of its status; empty without a response. Requests are anonymous, so that they
     * need no API server.
     */
    public Optional<HttpResponse<String>> answer(String path) {
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

    /** Returns the sum of a metric's values over the series whose text contains all of these; 0 if there is none. */
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

    /** Returns the number of assumed pods that are not yet observed as bound. */
    public int assumedPods() {
        return page("/debug/dump").orElse("").split(", assumed\n").length - 1;
    }

    /**
     * Returns the number of threads by name without digits. Excludes threads of the JVM itself, and the threads that
     * OkHttp uses for requests and ends when they are idle.
     */
    public Map<String, Integer> threads() {
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

    /** Returns the output of a {@code jcmd} command for the process. */
    public String jcmd(String command) {
        try {
            Process process = new ProcessBuilder(Moorage.javaProgram("jcmd"), String.valueOf(program.pid()), command)
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

    /** Returns the lines of the log about uncaught exceptions. */
    public List<String> crashes() {
        Pattern crash = Pattern.compile("Uncaught|uncaught|Exception in thread|panic|fatal error");
        return program.log()
                .lines()
                .filter(line -> crash.matcher(line).find())
                .limit(3)
                .toList();
    }

    /** Returns the number of matches of a pattern in the log. */
    public long inLog(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(program.log());
        return matcher.results().count();
    }

    @Override
    public void close() {
        program.close();
    }
}
