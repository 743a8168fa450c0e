// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;

/** Tests the description of a plugin's arguments. */
class ArgumentsFormTest {
    public enum When {
        NODE_IS_FULL,
        never
    }

    public record Part(String name, double share) {}

    public record Limit(int most, Optional<When> when) {}

    /** Arguments of all kinds, whose defaults are not valid. */
    public record Args(
            Duration delay,
            Optional<Duration> pause,
            When when,
            boolean strict,
            OptionalInt seed,
            IntOrString port,
            String address,
            Limit limit,
            List<Part> parts,
            Map<String, Long> weights,
            Optional<NodeAffinity> affinity)
            implements PluginArgs {
        public static final Args DEFAULTS = new Args(
                Duration.ofSeconds(90),
                Optional.empty(),
                When.NODE_IS_FULL,
                false,
                OptionalInt.empty(),
                IntOrString.of(80),
                "",
                new Limit(3, Optional.empty()),
                List.of(new Part("a", 0.5)),
                Map.of(),
                Optional.empty());

        @Override
        public void validate(Problems problems) {
            problems.at("address").missing("an address");
        }
    }

    private static final PluginFactory<Args> FACTORY =
            SamplePlugins.factory("Mine", Args.class, new SamplePlugins.Score("Mine"));

    @Test
    void areDefaultsAlsoWhereTheyAreNotValid() {
        assertThat(ArgumentsForm.defaults(FACTORY, FeatureGates.DEFAULTS))
                .containsExactly(
                        entry("delay", "1m30s"),
                        entry("when", "NodeIsFull"),
                        entry("strict", false),
                        entry("port", 80),
                        entry("address", ""),
                        entry("limit", Map.of("most", 3)),
                        entry("parts", List.of(Map.of("name", "a", "share", 0.5))));
    }

    @Test
    void sayWhatEachAccepts() {
        String duration = "a duration such as 15s, 1m30s or 100ms";
        assertThat(ArgumentsForm.accepted(FACTORY))
                .containsExactly(
                        entry("delay", duration),
                        entry("pause", duration),
                        entry("when", "one of NodeIsFull, never"),
                        entry("strict", "true or false"),
                        entry("seed", "a whole number"),
                        entry("port", "a whole number or a text"),
                        entry("address", "a text"),
                        entry("limit", "an object"),
                        entry("limit.most", "a whole number"),
                        entry("limit.when", "one of NodeIsFull, never"),
                        entry("parts", "a list, each an object"),
                        entry("parts[].name", "a text"),
                        entry("parts[].share", "a number"),
                        entry("weights", "an object, each value a whole number"),
                        entry("affinity", "an object, as in a pod's NodeAffinity"));
    }
}
