// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.livetests.scene.ApiAccess;

/** The API server's log of requests. */
final class AuditLog {
    static final String POLICY_FILE = "audit-policy.yaml";
    static final String ARGUMENTS = "--audit-policy-file=" + POLICY_FILE + " --audit-log-path=audit.log";
    static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived, ResponseStarted]
            rules:
            - level: Request
              verbs: [create]
              resources: [{group: "", resources: [pods/binding]}]
            - level: Metadata
            """;

    private final Path file;

    AuditLog(Path controlPlane) {
        file = controlPlane.resolve("audit.log");
    }

    /**
     * A request.
     *
     * @param at when the server received it
     * @param uid of a binding's pod
     */
    record Request(
            Instant at, String user, String verb, String resource, String name, String uri, int code, String uid) {
        boolean isWrite() {
            return !List.of("get", "list", "watch").contains(verb);
        }
    }

    /** All requests so far, in the order of their ends. */
    List<Request> requests() {
        List<Request> requests = new ArrayList<>();
        try (var lines = Files.lines(file)) {
            lines.forEach(line -> {
                try {
                    requests.add(request(ApiAccess.JSON.readTree(line)));
                } catch (JsonProcessingException killedWhileItWrote) {
                    // The last line of a server that was killed.
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return requests;
    }

    private static Request request(JsonNode entry) {
        JsonNode object = entry.path("objectRef");
        String subresource = object.path("subresource").asText();
        return new Request(
                Instant.parse(entry.path("requestReceivedTimestamp").asText()),
                entry.at("/user/username").asText(),
                entry.path("verb").asText(),
                object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
                object.path("namespace").asText() + "/" + object.path("name").asText(),
                entry.path("requestURI").asText(),
                entry.at("/responseStatus/code").asInt(),
                entry.at("/requestObject/metadata/uid").asText());
    }

    /** Pods that were bound more than once. */
    List<String> boundTwice() {
        Map<String, Integer> times = new HashMap<>();
        List<String> twice = new ArrayList<>();
        for (Request request : requests()) {
            if (request.resource().equals("pods/binding") && request.code() / 100 == 2) {
                String pod = request.name() + " " + request.uid();
                if (times.merge(pod, 1, Integer::sum) == 2) {
                    twice.add(pod + " was bound twice");
                }
            }
        }
        return twice;
    }

    /** How many requests of a user there were for a kind, answered with a code of these hundreds; 0 are all. */
    long count(String user, String verb, String resource, int hundreds) {
        return requests().stream()
                .filter(request -> request.user().equals(user)
                        && request.verb().equals(verb)
                        && request.resource().equals(resource)
                        && (hundreds == 0 || request.code() / 100 == hundreds))
                .count();
    }
}
