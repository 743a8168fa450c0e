// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.NodeSelector.Requirement;
import org.moorage.api.model.NodeSelector.Term;

class NodeSelectorTest {
    private static final String NOT_AN_INTEGER = ": for 'Gt', 'Lt' operators, the value must be an integer";

    private record Case(Requirement label, String error) {
        @Override
        public String toString() {
            return label.key() + " " + label.operator() + " " + label.values();
        }
    }

    private static Case label(String operator, List<String> values, String error) {
        return new Case(new Requirement("gen", operator, values), error);
    }

    private static Case gt(String value) {
        return label("Gt", List.of(value), "values[0]: Invalid value: \"" + value + "\"" + NOT_AN_INTEGER);
    }

    static final List<Case> CASES = List.of(
            label("Gt", List.of("4"), ""),
            label("Lt", List.of("-4"), ""),
            label("Gt", List.of("+4"), ""),
            label("Gt", List.of("9223372036854775807"), ""),
            label("Gt", List.of("007"), ""),
            gt("v4"),
            gt(""),
            gt("4.0"),
            gt("1e3"),
            gt("0x10"),
            gt("4_0"),
            gt("9223372036854775808"),
            gt("\u0664"),
            label(
                    "Lt",
                    List.of("1", "2"),
                    "values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one value is required"),
            label("In", List.of("v4"), ""),
            label("In", List.of(), "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"),
            label("NotIn", List.of("v4"), ""),
            label("Exists", List.of(), ""),
            label(
                    "DoesNotExist",
                    List.of("a"),
                    "values: Invalid value: [\"a\"]: values set must be empty for exists and does not exist"),
            label(
                    "Like",
                    List.of("a"),
                    "operator: Unsupported value: \"Like\": supported values: \"In\", \"NotIn\", \"Exists\","
                            + " \"DoesNotExist\", \"Gt\", \"Lt\""));

    @ParameterizedTest
    @FieldSource("CASES")
    void reportsWhatAStrictParserDoesNotAccept(Case given) {
        NodeSelector selector = new NodeSelector(List.of(new Term(List.of(given.label), List.of())));

        assertThat(selector.parseError().orElse(""))
                .isEqualTo(given.error.isEmpty() ? "" : "nodeSelectorTerms[0].matchExpressions[0]." + given.error);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void aTermThatCannotBeParsedMatchesNoNode(Case given) {
        NodeSelector selector = new NodeSelector(List.of(new Term(List.of(given.label), List.of())));

        if (!given.error.isEmpty()) {
            for (Map<String, String> labels :
                    List.of(Map.<String, String>of(), Map.of("gen", "v4"), Map.of("gen", "5"))) {
                assertThat(selector.matchesLabels(labels)).isFalse();
            }
        }
    }

    @Test
    void reportsTheErrorsOfAllTerms() {
        Term bad = new Term(
                List.of(new Requirement("gen", "Gt", List.of("x")), new Requirement("gen", "Lt", List.of("y"))),
                List.of());
        Term good = new Term(List.of(new Requirement("gen", "Exists", List.of())), List.of());
        Term field = new Term(List.of(), List.of(new Requirement("metadata.name", "In", List.of("a", "b"))));

        assertThat(new NodeSelector(List.of(good, bad, field)).parseError())
                .contains("[nodeSelectorTerms[1].matchExpressions[0].values[0]: Invalid value: \"x\"" + NOT_AN_INTEGER
                        + ", nodeSelectorTerms[1].matchExpressions[1].values[0]: Invalid value: \"y\"" + NOT_AN_INTEGER
                        + ", nodeSelectorTerms[2].matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one"
                        + " element]");
    }

    @Test
    void doesNotReadPreferredTermsOfWeightZero() {
        Term bad = new Term(List.of(new Requirement("gen", "Gt", List.of("x"))), List.of());

        assertThat(preferred(0, bad).preferredParseError()).isEmpty();
        assertThat(preferred(1, bad).preferredParseError())
                .contains("[0].matchExpressions[0].values[0]: Invalid value: \"x\"" + NOT_AN_INTEGER);
    }

    private static NodeAffinity preferred(int weight, Term term) {
        return new NodeAffinity(Optional.empty(), List.of(new NodeAffinity.Preferred(weight, term)));
    }
}
