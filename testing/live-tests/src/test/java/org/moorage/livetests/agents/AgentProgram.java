// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Waiting;

/** The program {@code moorage extender} as a separate process, and requests to it. */
final class AgentProgram implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

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
     * @param environment further environment variables
     * @param portByAgent the agents to run, with the ports where they will be
     */
    static AgentProgram start(
            Path folder, String config, Map<String, String> environment, Map<String, Integer> portByAgent)
            throws IOException {
        Path file = Files.writeString(folder.resolve("extender.yaml"), config);
        // With the plugins on the class path, which need no jar then.
        List<String> variables = new ArrayList<>(
                List.of("MOORAGE_CLASSPATH=" + System.getProperty("java.class.path"), "MOORAGE_CACHE="));
        environment.forEach((name, value) -> variables.add(name + "=" + value));
        List<String> command = new ArrayList<>(List.of("env", "--chdir=" + folder));
        command.addAll(Moorage.command(
                variables,
                "extender",
                "--config=" + file,
                "--agents=" + String.join(",", new TreeMap<>(portByAgent).keySet())));
        AgentProgram started =
                new AgentProgram(RunningProgram.start(folder.resolve("extender.log"), command), portByAgent);
        try {
            // An agent listens before it can answer.
            for (String agent : portByAgent.keySet()) {
                boolean ignored = Waiting.await(
                        agent + " is ready", () -> started.isReady(agent), ready -> ready, started.program::logFile);
            }
        } catch (AssertionError notStarted) {
            started.close();
            throw notStarted;
        }
        return started;
    }

    private boolean isReady(String agent) {
        try {
            return send(request(agent, "healthz").GET()).statusCode() == 200;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    private HttpRequest.Builder request(String agent, String path) {
        return HttpRequest.newBuilder(URI.create(address(agent) + "/" + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        return ApiAccess.exchange(HTTP, request.build(), BodyHandlers.ofString());
    }

    /** Where an agent answers. */
    String address(String agent) {
        return "http://127.0.0.1:" + portByAgent.get(agent);
    }

    /** The log so far. */
    String log() {
        return program.log();
    }

    /** The answer to a pod and nodes at a route. */
    JsonNode post(String agent, String path, ObjectNode pod, ObjectNode... nodes) {
        ObjectNode body = ApiAccess.JSON.createObjectNode();
        body.set("Pod", pod);
        var items = body.putObject("Nodes").putArray("items");
        for (ObjectNode node : nodes) {
            items.add(node);
        }
        HttpResponse<String> response =
                send(request(agent, "scheduler/" + path).POST(BodyPublishers.ofString(body.toString())));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return ApiAccess.parse(response.body());
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
