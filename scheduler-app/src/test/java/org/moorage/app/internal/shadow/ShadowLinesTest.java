// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.app.JsonSchema;
import org.moorage.app.internal.report.Terminal;
import org.moorage.runtime.decision.PluginStatus;

/** Tests the output of shadow, as text and as JSON. */
final class ShadowLinesTest {
    private static final Difference LOWER = new Difference(
            Difference.Kind.LOWER_SCORE,
            "default/web",
            "node-a",
            List.of("node-b"),
            Optional.of(5L),
            Optional.of(8L),
            List.of(new Difference.PluginScores("NodeResourcesFit", 5, 8)),
            Optional.empty(),
            "");
    private static final Difference REJECTED = new Difference(
            Difference.Kind.REJECTED_HERE,
            "default/web",
            "node-a",
            List.of(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Optional.of(new PluginStatus("NodeResourcesFit", Status.unschedulable("Insufficient cpu"))),
            "0/1 nodes are available");
    private static final Verdicts VERDICTS = new Verdicts(1, 2, 3, 4, 5, 6, 7, 8, 9);

    private final StringWriter out = new StringWriter();

    private void report(boolean isLines) {
        PrintWriter writer = new PrintWriter(out);
        ShadowReport report = new ShadowReport(
                isLines,
                Terminal.plain(InputStream.nullInputStream(), writer, writer, InstantSource.fixed(Instant.EPOCH)));
        report.print(LOWER);
        report.print(REJECTED);
        report.printSummary(VERDICTS);
        writer.flush();
    }

    @Test
    void areSentences() {
        report(false);

        assertThat(out.toString().lines())
                .containsExactly(
                        "default/web on node-a: total 5, and 8 of node-b; NodeResourcesFit 5 and 8",
                        "default/web on node-a: NodeResourcesFit rejects the node: Insufficient cpu",
                        "19 bindings: 1 equal, 2 ties, 3 on the nominated node, 6 perhaps by sampling, 7 different; of the"
                                + " others, 4 in another order of changes.",
                        "5 rejections agree; 8 pods are pending there and fit here; 9 pods were not compared.");
    }

    @Test
    void areJsonThatTheSchemaDescribes() throws IOException {
        report(true);

        for (String line : out.toString().lines().toList()) {
            assertThat(JsonSchema.problems("shadow", new JsonMapper().readTree(line)))
                    .as(line)
                    .isEmpty();
        }
    }
}
