// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class DefaultsComparisonTest {

    private static final YAMLMapper YAML = new YAMLMapper();

    record Case(String name, String actual, String expected, List<String> differences) {

        static Case same(String name, String actual, String expected) {
            return new Case(name, actual, expected, List.of());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                Case.same(
                        "quantities by amount",
                        "{limits: {memory: 1.5Gi, cpu: 2}}",
                        "{limits: {memory: 1536Mi, cpu: '2'}}"),
                Case.same(
                        "device capacity by amount", "{capacity: {a: {value: 0.5}}}", "{capacity: {a: {value: 500m}}}"),
                Case.same("a storage capacity by amount", "{capacity: 1024Ki}", "{capacity: 1Mi}"),
                Case.same(
                        "times by second",
                        "{creationTimestamp: '2026-01-01T01:00:00.5+01:00'}",
                        "{creationTimestamp: '2026-01-01T00:00:00Z'}"),
                Case.same("what the server drops as empty", "{a: '', b: 0, c: false, d: [], e: {f: null}}", "{}"),
                Case.same("structs that Go always writes", "{}", "{spec: {resources: {}}, status: {}}"),
                Case.same("a node's info in zeroes", "{}", "{status: {nodeInfo: {machineID: ''}}}"),
                Case.same("a taint's time that is the server's clock", "{}", "{timeAdded: '2026-01-01T00:00:00Z'}"),
                new Case(
                        "a missing default",
                        "{}",
                        "{spec: {replicas: 0}}",
                        List.of("spec: absent (expected: {\"replicas\":0})")),
                new Case(
                        "a missing default next to others",
                        "{spec: {a: 1}}",
                        "{spec: {a: 1, enableServiceLinks: false}}",
                        List.of("spec.enableServiceLinks: absent (expected: false)")),
                new Case("a value too much", "{a: [{b: 1}]}", "{a: [{}]}", List.of("a[0].b: 1 (expected: absent)")),
                new Case("a list's length", "{a: [1]}", "{a: [1, 2]}", List.of("a: [1] (expected: [1,2])")),
                new Case(
                        "labels by text, though they look like quantities",
                        "{labels: {a: '1'}}",
                        "{labels: {a: '1.0'}}",
                        List.of("labels.a: \"1\" (expected: \"1.0\")")),
                new Case(
                        "quantities of other amounts",
                        "{requests: {cpu: 1}}",
                        "{requests: {cpu: 2}}",
                        List.of("requests.cpu: 1 (expected: 2)")),
                new Case(
                        "no quantity at all",
                        "{requests: {cpu: x}}",
                        "{requests: {cpu: 2}}",
                        List.of("requests.cpu: \"x\" (expected: 2)")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void compares(Case given) throws IOException {
        List<Comparison> differences =
                DefaultsComparison.differences(YAML.readTree(given.actual()), YAML.readTree(given.expected()));

        assertThat(differences).extracting(Comparison::toString).isEqualTo(given.differences());
    }
}
