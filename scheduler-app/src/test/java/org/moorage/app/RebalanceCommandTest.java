// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** rebalance, of the example of a cluster with GPUs. */
class RebalanceCommandTest {
    private static final String CLUSTER =
            Path.of("..", "examples", "clusters", "gpus.yaml").toString();

    record Case(String name, List<String> args, int exitCode, String text) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case asked(String name, int exitCode, String text, String... args) {
        return new Case(name, List.of(args), exitCode, text);
    }

    static Stream<Case> cases() {
        String expected = "(expected: one of --free-nodes, --pack, --fit and --fit-pending)";
        return Stream.of(
                asked(
                        "pending pods fit",
                        0,
                        "After 2 moves in 2 rounds, 1 of 1 pod pending before fits.",
                        "--fit-pending"),
                asked("too few moves are allowed", 1, "No moves were found", "--fit-pending", "--max-moves", "1"),
                asked("no moves are allowed", 1, "No moves were found", "--free-nodes", "--max-moves", "0"),
                asked("no pod may be moved", 1, "not selected", "--fit-pending", "--pod-selector", "app=none"),
                asked("no goal", 2, "no goal " + expected),
                asked("two goals", 2, "--free-nodes and --fit-pending " + expected, "--free-nodes", "--fit-pending"),
                asked("an unknown resource", 2, "Did you mean nvidia.com/gpu?", "--pack", "nvidia.com/gpus"),
                asked("an empty resource", 2, "--pack: \"\"", "--pack", ""),
                asked("a negative number of moves", 2, "--max-moves: -1", "--free-nodes", "--max-moves", "-1"),
                asked("a bad selector", 2, "expected: a label selector", "--free-nodes", "--pod-selector", "a=b=c"),
                asked("a missing manifest", 2, "/nowhere/missing", "--fit", "/nowhere/missing"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answers(Case asked) {
        List<String> args = new ArrayList<>(List.of("rebalance", "--cluster", CLUSTER));
        args.addAll(asked.args);

        CapturedRun run = CapturedRun.of(args.toArray(String[]::new));

        assertThat((run.out() + run.err()).replaceAll("\\s+", " ")).contains(asked.text);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(asked.exitCode);
    }

    private static String pod(String name, int gpus) {
        return "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"" + name
                + "\"}, \"spec\": {\"containers\":"
                + " [{\"name\": \"c\", \"image\": \"i\", \"resources\": {\"limits\": {\"nvidia.com/gpu\": \"" + gpus
                + "\"}}}]}}\n";
    }

    @Test
    void makesThePodsOfAManifestFit(@TempDir Path folder) throws IOException {
        // Without the pending pod of the example, which would take all GPUs of a node.
        String cluster = Files.readString(Path.of(CLUSTER));
        Path running = Files.writeString(
                folder.resolve("running.yaml"), cluster.substring(0, cluster.indexOf("# ---- train:")));
        Path four = Files.writeString(folder.resolve("four.json"), pod("four", 4));
        Path nine = Files.writeString(folder.resolve("nine.json"), pod("nine", 9));
        Path nothing = Files.writeString(
                folder.resolve("nothing.json"),
                "{\"kind\": \"ConfigMap\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"c\"}}");

        CapturedRun fits = fit(running, four);
        assertThat(fits.exitCode()).as(fits.err()).isZero();
        assertThat(fits.out()).contains("After 2 moves in 2 rounds, 1 of 1 pod fits.");
        CapturedRun misses = fit(running, nine);
        assertThat(misses.exitCode()).as(misses.err()).isEqualTo(1);
        assertThat(misses.out()).contains("0 of 1 pod fit. No moves were found", "Insufficient nvidia.com/gpu");
        CapturedRun none = fit(running, nothing);
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("no pod and no workload (expected: one at least)");
    }

    private static CapturedRun fit(Path cluster, Path manifest) {
        return CapturedRun.of("rebalance", "--cluster", cluster.toString(), "--fit", manifest.toString());
    }
}
