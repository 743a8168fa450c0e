// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectStreams;

/**
 * New objects are refused as the API server refuses them, with its words. The answers in {@code validation.jsonl} are
 * recorded from kube-apiserver 1.37.2 by {@code testing/conformance/cluster/record_validation.py}.
 */
class ValidationTest {
    /** A new object, and what the API server answers to it. */
    record Case(String name, ObjectNode object, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> cases() throws IOException {
        List<Case> cases = new ArrayList<>();
        try (var file = ValidationTest.class.getResourceAsStream("validation.jsonl")) {
            for (String line : new String(Objects.requireNonNull(file).readAllBytes(), UTF_8).split("\n", -1)) {
                if (!line.isEmpty()) {
                    ObjectNode recorded = ObjectStreams.object(line);
                    cases.add(new Case(
                            recorded.path("name").asText(),
                            (ObjectNode) recorded.path("object"),
                            recorded.path("answer").asText()));
                }
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answersAsTheApiServer(Case recorded) {
        Admission admission = new Admission(FeatureGates.DEFAULTS);

        String answer = "created";
        try {
            if (ObjectKey.of(recorded.object).isPod()) {
                admission.admit(recorded.object);
            } else {
                Admission.addUid(recorded.object);
                admission.validate(recorded.object);
            }
        } catch (ObjectRefusedException refused) {
            answer = String.valueOf(refused.getMessage());
        }

        assertThat(comparable(answer)).isEqualTo(comparable(recorded.answer));
    }

    // The server draws uids and the ends of names.
    private static String comparable(String answer) {
        return answer.replaceAll("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID")
                .replaceAll("(?i)(web[-.]+)[0-9a-z]{5}\\b", "$1xxxxx");
    }
}
