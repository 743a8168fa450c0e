// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.runtime.plugin.PluginRegistry;

/**
 * Checks files of recorded answers of the real kube-scheduler, a case on each processor.
 *
 * <pre>{@code
 * Conformance conformance = new Conformance(PluginRegistry.of(BuiltinPlugins.all()));
 * Tally tally = conformance.check("vectors/hints.jsonl.gz", System.in, name -> true, verdict -> {});
 * }</pre>
 */
public final class Conformance {
    private static final int CASES_AHEAD = 16;

    private final Map<VectorKind, VectorCheck> checks = new EnumMap<>(VectorKind.class);
    private final int threads = Runtime.getRuntime().availableProcessors();

    /** A check of these plugins. */
    public Conformance(PluginRegistry registry) {
        checks.put(VectorKind.DECISION, new DecisionCheck(registry));
        checks.put(VectorKind.HINT, new HintCheck(registry));
        checks.put(VectorKind.CONFIGURATION, new ConfigurationCheck(registry));
        checks.put(VectorKind.DEFAULTS, new DefaultsCheck());
    }

    /**
     * Checks a file.
     *
     * @param source the file, or {@code -} for stdin
     * @param stdin is read for {@code -}
     * @param wanted which cases to check, by name
     * @param listener is told each verdict, in the order of the file, on the calling thread
     * @return how many verdicts there were of each sort
     * @throws VectorException if the file cannot be read, or a line is no recorded answer
     */
    public Tally check(String source, InputStream stdin, Predicate<String> wanted, Consumer<Verdict> listener) {
        Tally tally = new Tally();
        Consumer<Verdict> take = verdict -> {
            tally.add(verdict);
            listener.accept(verdict);
        };
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (VectorFile file = VectorFile.open(source, stdin)) {
            Deque<Future<Optional<Verdict>>> underWay = new ArrayDeque<>();
            for (var line = file.next(); line.isPresent(); line = file.next()) {
                VectorFile.Line next = line.get();
                underWay.add(executor.submit(() -> check(next.parse(), wanted)));
                if (underWay.size() > threads * CASES_AHEAD) {
                    result(underWay.remove()).ifPresent(take);
                }
            }
            while (!underWay.isEmpty()) {
                result(underWay.remove()).ifPresent(take);
            }
        } finally {
            executor.shutdownNow();
        }
        return tally;
    }

    /** The features that were on when an answer was recorded: kube-scheduler evicted at once, so that one saw whom. */
    static FeatureGates features(ObjectNode vector) {
        Map<String, Boolean> settings = new TreeMap<>();
        settings.put(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, false);
        vector.path("featureGates")
                .properties()
                .forEach(gate -> settings.put(gate.getKey(), gate.getValue().asBoolean()));
        return FeatureGates.of(settings);
    }

    private Optional<Verdict> check(Vector vector, Predicate<String> wanted) {
        if (!wanted.test(vector.name())) {
            return Optional.empty();
        }
        VectorCheck check = checks.get(vector.kind());
        if (check == null) {
            throw new IllegalStateException("no check for " + vector.kind());
        }
        try {
            return Optional.of(new Verdict(vector, check.check(vector.tree().deepCopy())));
        } catch (RuntimeException thrown) {
            // One case that we cannot even read must not hide the others.
            Findings findings = new Findings();
            findings.judge("check", "an answer", thrown.toString(), false);
            return Optional.of(new Verdict(vector, List.copyOf(findings.all())));
        }
    }

    private static Optional<Verdict> result(Future<Optional<Verdict>> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VectorException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e);
        }
    }
}
