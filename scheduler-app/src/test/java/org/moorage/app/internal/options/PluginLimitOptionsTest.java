// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.internal.process.CommandException;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.FailurePolicy;

class PluginLimitOptionsTest {
    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all());

    @ParameterizedTest
    @CsvSource({"30s, 30000", "1m30s, 90000", "250ms, 250", "0, 0"})
    void takesATimeLimit(String value, long millis) {
        assertThat(PluginLimitOptions.callTimeout(value)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({"-1s", "30", "soon"})
    void refusesWhatIsNoTimeLimit(String value) {
        assertThatThrownBy(() -> PluginLimitOptions.callTimeout(value))
                .isInstanceOf(CommandException.class)
                .hasMessage("--plugin-call-timeout: \"" + value + "\" (expected: a duration such as 30s, or 0)");
    }

    record Taken(String name, List<String> flags, Map<String, FailurePolicy> policies) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Taken[] TAKEN = {
        new Taken("nothing said", List.of(), Map.of()),
        new Taken(
                "both policies",
                List.of("NodeName=Fail, NodePorts=Ignore"),
                Map.of("NodeName", FailurePolicy.FAIL, "NodePorts", FailurePolicy.IGNORE)),
        new Taken(
                "the flag twice, the last counts",
                List.of("NodeName=Fail", "NodeName=Ignore"),
                Map.of("NodeName", FailurePolicy.IGNORE)),
    };

    @ParameterizedTest
    @FieldSource("TAKEN")
    void takesPolicies(Taken c) {
        assertThat(PluginLimitOptions.failurePolicies(c.flags, REGISTRY)).isEqualTo(c.policies);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NodeName        | \"NodeName\" (expected: NAME=Fail or NAME=Ignore)",
                "NodeName=ignore | \"NodeName=ignore\" (expected: NAME=Fail or NAME=Ignore)",
                "NodeNme=Ignore  | \"NodeNme\" (expected: a registered plugin). Did you mean NodeName?",
            })
    void refusesWhatIsNoPolicy(String flag, String message) {
        assertThatThrownBy(() -> PluginLimitOptions.failurePolicies(List.of(flag), REGISTRY))
                .isInstanceOf(CommandException.class)
                .hasMessage("--plugin-failure-policy: " + message);
    }
}
