// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.labels;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.LabelSelector;

class SelectorSyntaxTest {
    record Case(String name, String key, String operator, List<String> values, String problem) {
        @Override
        public String toString() {
            return name;
        }
    }

    // The texts are kube-scheduler's; long ones are cut.
    static final Case[] CASES = {
        new Case("In with a value", "app", "In", List.of("web"), ""),
        new Case("a key with a prefix", "example.com/app", "Exists", List.of(), ""),
        new Case(
                "an operator that is none",
                "app",
                "Like",
                List.of("w"),
                "\"Like\" is not a valid label selector operator"),
        new Case(
                "NotIn without a value",
                "app",
                "NotIn",
                List.of(),
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"),
        new Case(
                "DoesNotExist with values",
                "app",
                "DoesNotExist",
                List.of("x", "y"),
                "values: Invalid value: [\"x\",\"y\"]: values set must be empty for exists and does not exist"),
        new Case(
                "no key",
                "",
                "Exists",
                List.of(),
                "key: Invalid value: \"\": name part must be non-empty; name part must"),
        new Case(
                "an empty prefix",
                "/a",
                "Exists",
                List.of(),
                "key: Invalid value: \"/a\": prefix part must be non-empty"),
        new Case(
                "a prefix in capitals",
                "A.b/c",
                "Exists",
                List.of(),
                "key: Invalid value: \"A.b/c\": prefix part a lowercase RFC 1123 subdomain must consist of"),
        new Case(
                "two slashes",
                "a/b/c",
                "Exists",
                List.of(),
                "key: Invalid value: \"a/b/c\": a valid label key must consist"),
        new Case(
                "a long value",
                "app",
                "In",
                List.of("x".repeat(64)),
                "values[0][app]: Invalid value: \"" + "x".repeat(64) + "\": must be no more than 63 bytes"),
        new Case(
                "two faults",
                "a b",
                "In",
                List.of("ok", "not ok"),
                "[key: Invalid value: \"a b\": name part must consist of alphanumeric characters"),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void reportsErrors(Case c) {
        LabelSelector selector = new LabelSelector(
                Map.of("fine", "too"), List.of(new LabelSelector.Requirement(c.key, c.operator, c.values)));

        String problem = SelectorSyntax.problem(selector).orElse("");

        assertThat(problem).startsWith(c.problem);
        assertThat(problem.isEmpty()).isEqualTo(c.problem.isEmpty());
    }
}
