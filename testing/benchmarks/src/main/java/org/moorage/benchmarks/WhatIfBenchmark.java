// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.feature.MinorVersion;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.dump.ClusterDump;

/**
 * Asks what-if questions about a cluster in a file and measures the answers, as {@code testing/benchmarks/whatif} does
 * with sigs.k8s.io/scheduler-library; the arguments and the output have the same form. Uses one thread.
 */
public final class WhatIfBenchmark {
    private WhatIfBenchmark() {}

    /** Runs the benchmark; for the arguments see {@code testing/benchmarks/whatif}. */
    public static void main(String[] args) throws IOException {
        run(args, System.out);
    }

    static void run(String[] args, PrintStream out) throws IOException {
        Arguments arguments = Arguments.parse(args);
        PluginRegistry plugins = Workload.plugins();
        LoadedConfig config = ConfigLoader.defaults(plugins, arguments.features());
        List<ClusterObject> objects = ClusterDump.read(
                        List.of(arguments.objects), InputStream.nullInputStream(), config, plugins)
                .objects();
        List<Pod> pods = objectsOf(objects, Pod.class);
        List<ClusterObject> there = new ArrayList<>(objects);
        there.removeIf(object -> object instanceof Pod pod && !pod.isBound());
        long start = System.nanoTime();
        try (WhatIf cluster = Scheduler.whatIf(there, config, plugins)) {
            double millis = millisSince(start);
            if (!arguments.questions.isEmpty()) {
                WhatIfAnswers answers = new WhatIfAnswers(cluster, pods);
                for (String question : Files.readAllLines(Path.of(arguments.questions))) {
                    out.println(answers.answer(question));
                }
                return;
            }
            Timed timed = new Timed(cluster, objectsOf(objects, Node.class), pod(pods, arguments.pod), arguments);
            out.println(timed.run(pods.size() - (objects.size() - there.size()), millis));
        }
    }

    private static <T> List<T> objectsOf(List<ClusterObject> objects, Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static Pod pod(List<Pod> pods, String key) {
        return pods.stream()
                .filter(pod -> pod.key().equals(key))
                .findAny()
                .orElseThrow(
                        () -> new IllegalArgumentException("--pod: \"" + key + "\" (expected: a pod of the file)"));
    }

    private static double millisSince(long start) {
        return (System.nanoTime() - start) / 1e6;
    }

    /** One question, asked repeatedly. */
    private static final class Timed {
        private final WhatIf cluster;
        private final List<String> nodeNames;
        private final Pod pod;
        private final Arguments arguments;
        private final IntUnaryOperator ask;

        Timed(WhatIf cluster, List<Node> nodes, Pod pod, Arguments arguments) {
            this.cluster = cluster;
            this.pod = pod;
            this.arguments = arguments;
            nodeNames = nodes.stream().map(Node::name).toList();
            ask = switch (arguments.question) {
                case "howmany" -> i -> cluster.howMany(pod, arguments.most).count();
                case "fits" -> i -> cluster.fits(pod).feasible().size();
                case "fork" -> i -> fork();
                case "drain" -> i -> drain(nodeNames.get(i % nodeNames.size()));
                default ->
                    throw new IllegalArgumentException(
                            "--question: \"" + arguments.question + "\" (expected: howmany, fits, fork or drain)");
            };
        }

        private int fork() {
            try (Transaction transaction = cluster.begin()) {
                return transaction.place(List.of(pod)).placed();
            }
        }

        private int drain(String node) {
            List<String> others = new ArrayList<>(nodeNames);
            others.remove(node);
            List<Pod> there = List.copyOf(cluster.podsOn(node));
            try (Transaction transaction = cluster.begin().evict(there).among(others)) {
                return transaction
                        .place(there.stream().map(Pod::withoutNode).toList())
                        .placed();
            }
        }

        String run(int pods, double millisSnapshot) {
            double[] millis = new double[arguments.times];
            long start = System.nanoTime();
            int answer = ask.applyAsInt(0);
            double first = millisSince(start);
            millis[0] = first;
            int sum = answer;
            int done = 1;
            if (arguments.warm > 0) {
                for (int i = 0; millisSince(start) < arguments.warm * 1e3; i++) {
                    answer = ask.applyAsInt(i % arguments.times);
                }
                System.gc();
                sum = 0;
                done = 0;
            }
            for (int i = done; i < millis.length; i++) {
                long begin = System.nanoTime();
                answer = ask.applyAsInt(i);
                millis[i] = millisSince(begin);
                sum += answer;
            }
            Arrays.sort(millis);
            return String.format(
                    Locale.ROOT,
                    "{\"library\":\"moorage\",\"question\":\"%s\",\"nodes\":%d,\"pods\":%d,\"answer\":%d,\"times\":%d,"
                            + "\"msFirst\":%.3f,\"msMedian\":%.4f,\"msMax\":%.3f,\"msSnapshot\":%.1f}",
                    arguments.question,
                    nodeNames.size(),
                    pods,
                    arguments.question.equals("drain") ? sum : answer,
                    millis.length,
                    first,
                    millis[millis.length / 2],
                    millis[millis.length - 1],
                    millisSnapshot);
        }
    }

    private static final class Arguments {
        private String objects = "";
        private String questions = "";
        private String question = "howmany";
        private String pod = "";
        private int most = 100_000;
        private int times = 1;
        private double warm;
        private String emulatedVersion = "";

        static Arguments parse(String[] args) {
            Arguments arguments = new Arguments();
            for (int i = 0; i + 1 < args.length; i += 2) {
                String value = args[i + 1];
                switch (args[i]) {
                    case "--objects" -> arguments.objects = value;
                    case "--questions" -> arguments.questions = value;
                    case "--question" -> arguments.question = value;
                    case "--pod" -> arguments.pod = value;
                    case "--max" -> arguments.most = Integer.parseInt(value);
                    case "--times" -> arguments.times = Integer.parseInt(value);
                    case "--warm" -> arguments.warm = Double.parseDouble(value);
                    case "--emulated-version" -> arguments.emulatedVersion = value;
                    default ->
                        throw new IllegalArgumentException(args[i]
                                + " (expected: --objects, --questions, --question, --pod, --max, --times, --warm or"
                                + " --emulated-version)");
                }
            }
            return arguments;
        }

        FeatureGates features() {
            return emulatedVersion.isEmpty()
                    ? FeatureGates.DEFAULTS
                    : FeatureGates.of(EffectiveVersion.emulating(MinorVersion.parse(emulatedVersion)), Map.of());
        }
    }
}
