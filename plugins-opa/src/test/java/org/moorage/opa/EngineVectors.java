// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.TestScheduler;

/**
 * Has one real scheduler with the plugin decide vector after vector, and compares. The cluster of each comes when its
 * turn comes and goes afterwards, so that what policies see of it is corrected each time.
 */
final class EngineVectors implements AutoCloseable {
    private static final double EXACT = 1e-12;

    private final OpaPolicy.Args args;
    private final TestScheduler scheduler;
    private final VectorTable table;

    EngineVectors(OpaPolicy.Args args, VectorTable table) {
        this.args = args;
        this.table = table;
        scheduler = PluginTester.of(new OpaPolicy.Factory(), args).start();
    }

    void check(Vectors.Case vector) {
        vector.cluster().forEach(scheduler.cluster()::apply);
        try {
            Policies policies = Policies.of(args, scheduler.handle());
            String input = "{\"pod\":" + ObjectText.of(vector.pod()) + ",\"config\":{\"originalBehavior\":"
                    + vector.original() + "}}";
            Optional<Map<String, Double>> fit = policies.fit(input).map(EngineVectors::weights);
            Decision decision = scheduler.schedule(vector.pod());
            String node = decision.node().orElse("none");
            table.add(
                    vector,
                    text(vector.fit(), vector.chosen().isEmpty() ? "none" : String.join(" or ", vector.chosen())),
                    text(fit, node));

            assertThat(fit.map(Map::keySet))
                    .as("nodes of %s", vector)
                    .isEqualTo(vector.fit().map(Map::keySet));
            vector.fit()
                    .orElse(Map.of())
                    .forEach((name, weight) -> assertThat(fit.orElseThrow())
                            .as("%s", vector)
                            .hasEntrySatisfying(name, got -> assertThat(got).isCloseTo(weight, within(EXACT))));
            assertThat(vector.chosen().isEmpty() ? List.of("none") : vector.chosen())
                    .as("node of %s", vector)
                    .contains(node);
        } finally {
            scheduler.cluster().remove(vector.pod());
            vector.cluster().forEach(scheduler.cluster()::remove);
        }
    }

    private static Map<String, Double> weights(JsonNode fit) {
        Map<String, Double> weights = new TreeMap<>();
        fit.properties()
                .forEach(entry -> weights.put(entry.getKey(), entry.getValue().asDouble()));
        return weights;
    }

    private static String text(Optional<Map<String, Double>> fit, String node) {
        return fit.map(weights -> weights.toString().replace("=", " ")).orElse("undefined") + " → " + node;
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
