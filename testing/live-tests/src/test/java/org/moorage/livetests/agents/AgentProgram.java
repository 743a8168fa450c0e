// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.moorage.livetests.RunningProgram;

/** The program {@code moorage extender}, in a process of its own, and what it is asked. */
final class AgentProgram implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration START = Duration.ofSeconds(60);

    private final RunningProgram program;
    private final Map<String, Integer> portByAgent;

    private AgentProgram(RunningProgram program, Map<String, Integer> portByAgent) {
        this.program = program;
        this.portByAgent = Map.copyOf(portByAgent);
    }

    /**
     * Starts the program, and waits until its agents answer.
     *
     * @param folder where it runs; its configuration and its log are there
     * @param config the ExtenderConfiguration
     * @param environment the variables that it has beside this process's
     * @param portByAgent the agents to run, with the ports where they will be
     */
    static AgentProgram start(
            Path folder, String config, Map<String, String> environment, Map<String, Integer> portByAgent)
            throws IOException {
        Path file = Files.writeString(folder.resolve("extender.yaml"), config);
        List<String> command = new ArrayList<>(List.of("env", "--chdir=" + folder));
        environment.forEach((name, value) -> command.add(name + "=" + value));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.moorage.app.Main",
                "extender",
                "--config",
                file.toString(),
                "--agents",
                String.join(",", new TreeMap<>(portByAgent).keySet())));
        AgentProgram started =
                new AgentProgram(RunningProgram.start(folder.resolve("extender.log"), command), portByAgent);
        try {
            for (String agent : portByAgent.keySet()) {
                started.awaitReady(agent);
            }
        } catch (AssertionError notStarted) {
            started.close();
            throw notStarted;
        }
        return started;
    }

    /** The first of some ports in a row that nobody listens on. */
    static int freePorts(int count) {
        for (int port = 24_000 + (int) (ProcessHandle.current().pid() % 5000); port < 31_000; port++) {
            boolean areFree = true;
            for (int i = 0; i < count && areFree; i++) {
                try (ServerSocket socket = new ServerSocket(port + i, 1, InetAddress.getLoopbackAddress())) {
                    areFree = socket.isBound();
                } catch (IOException taken) {
                    areFree = false;
                }
            }
            if (areFree) {
                return port;
            }
        }
        throw new AssertionError("no " + count + " ports from 24000 to 31000 are free");
    }

    // An agent listens before it has what it answers with.
    private void awaitReady(String agent) {
        long deadline = System.nanoTime() + START.toNanos();
        while (!isReady(agent)) {
            if (System.nanoTime() > deadline || !program.isRunning()) {
                throw new AssertionError("moorage extender does not answer:\n" + program.log());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private boolean isReady(String agent) {
        try {
            return send(request(agent, "healthz").GET()).statusCode() == 200;
        } catch (ConnectException notYet) {
            return false;
        }
    }

    private HttpRequest.Builder request(String agent, String path) {
        return HttpRequest.newBuilder(URI.create(address(agent) + "/" + path)).timeout(Duration.ofSeconds(20));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws ConnectException {
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (ConnectException refused) {
            throw refused;
        } catch (IOException failed) {
            throw new AssertionError(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    /** Where an agent answers. */
    String address(String agent) {
        return "http://127.0.0.1:" + portByAgent.get(agent);
    }

    /** What the program has logged so far. */
    String log() {
        return program.log();
    }

    /** The answer to a pod and nodes at a route. */
    JsonNode post(String agent, String path, ObjectNode pod, ObjectNode... nodes) {
        ObjectNode body = JSON.createObjectNode();
        body.set("Pod", pod);
        var items = body.putObject("Nodes").putArray("items");
        for (ObjectNode node : nodes) {
            items.add(node);
        }
        try {
            HttpResponse<String> response =
                    send(request(agent, "scheduler/" + path).POST(BodyPublishers.ofString(body.toString())));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return JSON.readTree(response.body());
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** The scores by the nodes' names. */
    static Map<String, Integer> scores(JsonNode priorities) {
        Map<String, Integer> scores = new TreeMap<>();
        priorities.forEach(
                host -> scores.put(host.get("Host").asText(), host.get("Score").asInt()));
        return scores;
    }

    /** The scores in the order of the nodes' names. */
    static String ranks(JsonNode priorities) {
        List<String> texts = new ArrayList<>();
        scores(priorities).values().forEach(score -> texts.add("" + score));
        return String.join(" ", texts);
    }

    /** The names of the nodes that are left. */
    static String left(JsonNode filtered) {
        List<String> names = new ArrayList<>();
        filtered.at("/Nodes/items")
                .forEach(node -> names.add(node.at("/metadata/name").asText()));
        return String.join(" ", names);
    }

    @Override
    public void close() {
        program.close();
    }
}
