// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.SeedVariation;
import picocli.CommandLine.Option;

/**
 * The option that repeats a question with other seeds, since a scheduler chooses at random among nodes with equal
 * scores.
 */
public final class SeedOptions {
    private static final int MOST_SEEDS = 10_000;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            description =
                    "Repeat the question with N random choices among nodes with equal scores, and show the range of"
                            + " each figure.")
    private Optional<Integer> seeds = Optional.empty();

    /**
     * Checks the option, before the question is answered.
     *
     * @throws CommandException if the number is out of range
     */
    public void check() {
        seeds.filter(count -> count < 1 || count > MOST_SEEDS).ifPresent(count -> {
            throw new CommandException("--seeds: " + count + " (expected: 1 to " + MOST_SEEDS + ")");
        });
    }

    /**
     * Repeats a question.
     *
     * @param <R> the result
     * @param question answers about a cluster; called by several threads
     * @param succeeded whether a result is a yes
     * @param pods the disrupted pods of a result
     * @return empty if the option is not given
     */
    public <R> Optional<Chance> repeat(
            AskedCluster asked,
            Function<KnownCluster, R> question,
            Function<R, Boolean> succeeded,
            Function<R, List<DisruptedPod>> pods) {
        if (seeds.isEmpty()) {
            return Optional.empty();
        }
        int threads = Runtime.getRuntime().availableProcessors();
        ProgressLine progress = new ProgressLine(asked.terminal(), "seeds", seeds.get());
        ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, threads - 1));
        try {
            SeedVariation variation = SeedVariation.of(
                    seed -> {
                        R result = question.apply(asked.known().breakingTiesAtRandom(seed));
                        return new SeedVariation.Answer(succeeded.apply(result), figures(pods.apply(result)));
                    },
                    1,
                    seeds.get(),
                    executor,
                    threads,
                    progress::show);
            return Optional.of(new Chance(variation.seeds(), variation.succeeded(), variation.ranges()));
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
            progress.clear();
        }
    }

    private static Map<String, Integer> figures(List<DisruptedPod> pods) {
        Map<String, Integer> figures = new LinkedHashMap<>();
        for (Outcome outcome : Outcome.values()) {
            figures.put(AnswerJson.name(outcome), 0);
        }
        pods.forEach(pod -> figures.merge(AnswerJson.name(pod.outcome()), 1, Integer::sum));
        return figures;
    }
}
