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
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.feature.MinorVersion;
import org.moorage.config.plugin.PluginRegistry;

/**
 * Checks files of recorded answers of the real kube-scheduler, a case on each processor.
 *
 * <pre>{@code
 * Conformance conformance = new Conformance(PluginRegistry.of(KubeSchedulerPlugins.all()));
 * ResultCounts counts = conformance.check("vectors/hints.jsonl.gz", System.in, name -> true, result -> {});
 * }</pre>
 */
public final class Conformance {
    private static final int CASES_AHEAD = 16;
    private static final String EMULATED = "emulatedVersion";
    private static final String MIN_COMPATIBILITY = "minCompatibilityVersion";

    private final Map<VectorKind, VectorCheck> checks = new EnumMap<>(VectorKind.class);
    private final EffectiveVersion version;
    private final int threads = Runtime.getRuntime().availableProcessors();

    /**
     * Creates a check of these plugins, with the feature gates of the newest version for cases that name no version.
     */
    public Conformance(PluginRegistry registry) {
        this(registry, EffectiveVersion.DEFAULT);
    }

    /**
     * Creates a check of these plugins.
     *
     * @param version the version of the feature gates for cases that name no version
     */
    public Conformance(PluginRegistry registry, EffectiveVersion version) {
        this.version = version;
        checks.put(VectorKind.DECISION, new DecisionCheck(registry));
        checks.put(VectorKind.GROUP, new GroupCheck(registry));
        checks.put(VectorKind.SEQUENCE, new SequenceCheck(registry));
        checks.put(VectorKind.HINT, new HintCheck(registry));
        checks.put(VectorKind.CONFIGURATION, new ConfigurationCheck(registry));
        checks.put(VectorKind.PLUGIN_CONFIGURATION, new PluginConfigurationCheck(registry));
        checks.put(VectorKind.RECONCILIATION, new ReconciliationCheck(registry));
        checks.put(VectorKind.DEFAULTS, new DefaultsCheck());
        checks.put(VectorKind.ADMISSION, new AdmissionCheck());
    }

    /**
     * Checks a file.
     *
     * @param source the file, or {@code -} for stdin
     * @param stdin the input for {@code -}
     * @param wanted selects the cases to check, by name
     * @param listener receives each result, in the order of the file, on the calling thread
     * @return the number of results by correctness
     * @throws VectorException if the file cannot be read, or a line is not a recorded case
     */
    public ResultCounts check(
            String source, InputStream stdin, Predicate<String> wanted, Consumer<CaseResult> listener) {
        ResultCounts counts = new ResultCounts();
        Consumer<CaseResult> take = result -> {
            counts.add(result);
            listener.accept(result);
        };
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (VectorFile file = VectorFile.open(source, stdin)) {
            Deque<Future<Optional<CaseResult>>> underWay = new ArrayDeque<>();
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
        return counts;
    }

    /**
     * Returns the feature gates of a recorded case. Asynchronous preemption is off by default because the recorded
     * kube-scheduler evicted synchronously, which made the victims visible.
     */
    static FeatureGates features(ObjectNode vector) {
        Map<String, Boolean> settings = new TreeMap<>();
        settings.put(FeatureGates.SCHEDULER_ASYNC_PREEMPTION, false);
        vector.path("featureGates")
                .properties()
                .forEach(gate -> settings.put(gate.getKey(), gate.getValue().asBoolean()));
        EffectiveVersion version = EffectiveVersion.emulating(version(vector, EMULATED, EffectiveVersion.BINARY));
        return FeatureGates.of(
                new EffectiveVersion(
                        version.emulated(), version(vector, MIN_COMPATIBILITY, version.minCompatibility())),
                settings);
    }

    private static MinorVersion version(ObjectNode vector, String field, MinorVersion byDefault) {
        return vector.hasNonNull(field) ? MinorVersion.parse(vector.path(field).asText()) : byDefault;
    }

    // A case that names a version keeps it.
    private ObjectNode inVersion(ObjectNode vector) {
        ObjectNode copy = vector.deepCopy();
        if (!copy.has(EMULATED) && !copy.has(MIN_COMPATIBILITY)) {
            copy.put(EMULATED, version.emulated().toString());
            copy.put(MIN_COMPATIBILITY, version.minCompatibility().toString());
        }
        return copy;
    }

    private Optional<CaseResult> check(Vector vector, Predicate<String> wanted) {
        if (!wanted.test(vector.name())) {
            return Optional.empty();
        }
        VectorCheck check = checks.get(vector.kind());
        if (check == null) {
            throw new IllegalStateException("no check for " + vector.kind());
        }
        try {
            return Optional.of(new CaseResult(vector, check.check(inVersion(vector.tree()))));
        } catch (RuntimeException thrown) {
            // A case that cannot be read must not hide the others.
            Comparisons comparisons = new Comparisons();
            comparisons.add("check", "an answer", thrown.toString(), false);
            return Optional.of(new CaseResult(vector, List.copyOf(comparisons.all())));
        }
    }

    private static Optional<CaseResult> result(Future<Optional<CaseResult>> future) {
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
