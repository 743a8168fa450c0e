// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * How much of an answer is chance: the answers to one question with different seeds. Kube-scheduler chooses at random
 * among nodes with equal scores, and looks at a sample of the nodes of a large cluster, so that the answer for a real
 * cluster may be any of these. Immutable.
 *
 * <pre>{@code
 * SeedVariation variation = SeedVariation.of(
 *         seed -> {
 *             NodeLossResult result = NodeLoss.of(cluster.breakingTiesAtRandom(seed), lost);
 *             int pending = (int) result.pods().stream().filter(pod -> !pod.isSettled()).count();
 *             return new SeedVariation.Answer(result.isComplete(), Map.of("pending", pending));
 *         },
 *         1, 100, executor, threads, asked -> {});
 * }</pre>
 *
 * @param firstSeed the seed of the first answer; the next answer has the next seed
 * @param answers the answers, in the order of their seeds, at least one
 */
public record SeedVariation(long firstSeed, List<Answer> answers) {
    public SeedVariation {
        answers = List.copyOf(answers);
        if (answers.isEmpty()) {
            throw new IllegalArgumentException("answers: none (expected: at least one)");
        }
    }

    /**
     * The answer with one seed.
     *
     * @param succeeded whether the answer is yes, for example whether all pods are scheduled
     * @param figures integers of the answer, by name, in the order in which they are shown
     */
    public record Answer(boolean succeeded, Map<String, Integer> figures) {
        public Answer {
            figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
        }
    }

    /**
     * The values of a figure.
     *
     * @param min the least value
     * @param median the value in the middle; of an even number of values, the lower one of the two
     * @param max the greatest value
     */
    public record Range(int min, int median, int max) {
        /** Returns whether all seeds have the same value. */
        public boolean isConstant() {
            return min == max;
        }
    }

    /**
     * Asks a question with consecutive seeds. The result does not depend on the threads.
     *
     * @param question answers with a seed; several threads call it at the same time
     * @param firstSeed the first seed
     * @param seeds the number of seeds, at least 1
     * @param executor runs the work of all threads but the caller's
     * @param threads how many threads work at the same time, including the caller's; at least one
     * @param progress receives the count of answers, from each of the threads, one at a time
     * @throws IllegalArgumentException if there is no seed
     * @throws RuntimeException what the question throws
     */
    public static SeedVariation of(
            LongFunction<Answer> question,
            long firstSeed,
            int seeds,
            Executor executor,
            int threads,
            IntConsumer progress) {
        Objects.requireNonNull(question, "question");
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(progress, "progress");
        if (seeds < 1) {
            throw new IllegalArgumentException("seeds: " + seeds + " (expected: 1 or more)");
        }
        List<Long> all = LongStream.range(0, seeds).mapToObj(i -> firstSeed + i).toList();
        return new SeedVariation(
                firstSeed,
                new ParallelMap(executor, threads, progress)
                        .map(all, tasks -> tasks.forEach(seed -> question.apply(seed))));
    }

    /** Returns the number of seeds. */
    public int seeds() {
        return answers.size();
    }

    /** Returns the number of seeds whose answer is yes. */
    public int succeeded() {
        return (int) answers.stream().filter(Answer::succeeded).count();
    }

    /**
     * Returns the range of each figure, in the order in which the answers first have them; an answer without a figure
     * counts as 0.
     */
    public Map<String, Range> ranges() {
        Map<String, Range> ranges = new LinkedHashMap<>();
        for (Answer answer : answers) {
            for (String figure : answer.figures.keySet()) {
                if (!ranges.containsKey(figure)) {
                    ranges.put(figure, range(figure));
                }
            }
        }
        return Collections.unmodifiableMap(ranges);
    }

    private Range range(String figure) {
        List<Integer> values = new ArrayList<>();
        for (Answer answer : answers) {
            values.add(answer.figures.getOrDefault(figure, 0));
        }
        Collections.sort(values);
        return new Range(values.get(0), values.get((values.size() - 1) / 2), values.get(values.size() - 1));
    }

    /** Returns whether chance decides nothing: all seeds have the same answer. */
    public boolean isConstant() {
        return answers.stream().distinct().count() == 1;
    }
}
