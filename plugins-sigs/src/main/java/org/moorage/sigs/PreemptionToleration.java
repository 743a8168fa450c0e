// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.preemption.Preemption;
import org.moorage.api.preemption.PreemptionRules;
import org.moorage.api.preemption.Victim;

/**
 * Preempts as DefaultPreemption does, but spares pods whose priority class tolerates preemption: against pods below a
 * priority, for a time after they were scheduled. Annotations of the PriorityClass give both. Enable it in place of
 * DefaultPreemption, which knows no toleration.
 *
 * <p>Same decisions as scheduler-plugins' PreemptionToleration; the message of a successful preemption is that of
 * kube-scheduler 1.37.
 */
public final class PreemptionToleration implements PostFilterPlugin {
    /** The plugin's name. */
    public static final String NAME = "PreemptionToleration";

    private static final ObjectKind<OtherObject> PRIORITY_CLASS =
            ObjectKind.other("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false);
    private static final String PREFIX = "preemption-toleration.scheduling.x-k8s.io/";
    private static final String MINIMUM = PREFIX + "minimum-preemptable-priority";
    private static final String SECONDS = PREFIX + "toleration-seconds";
    private static final long NANOS = 1_000_000_000;
    private static final StateKey<Instant> NOW = StateKey.of("PreemptionToleration/now");

    private final Args args;
    private final Handle handle;
    private final TypedResources<Optional<Policy>> classes;
    private final Preemption preemption;

    /**
     * The arguments, those of DefaultPreemption: the number of candidates to find before one is picked. The larger of
     * the two numbers applies.
     *
     * @param minCandidateNodesPercentage in percent of the nodes where preemption could help
     * @param minCandidateNodesAbsolute as a number of nodes
     */
    public record Args(int minCandidateNodesPercentage, int minCandidateNodesAbsolute) implements PluginArgs {
        private static final String PERCENTAGE = "minCandidateNodesPercentage";
        private static final String ABSOLUTE = "minCandidateNodesAbsolute";

        /** 10 percent of the nodes, at least 100. */
        public static final Args DEFAULTS = new Args(10, 100);

        @Override
        public void validate(Problems problems) {
            if (minCandidateNodesPercentage < 0 || minCandidateNodesPercentage > 100) {
                report(problems, PERCENTAGE, minCandidateNodesPercentage, "not in valid range [0, 100]", "0 to 100");
            }
            if (minCandidateNodesAbsolute < 0) {
                report(problems, ABSOLUTE, minCandidateNodesAbsolute, "not in valid range [0, inf)", "at least 0");
            }
            if (minCandidateNodesPercentage == 0 && minCandidateNodesAbsolute == 0) {
                report(
                        problems,
                        PERCENTAGE,
                        0,
                        "cannot be zero at the same time as " + ABSOLUTE,
                        "more than 0, or " + ABSOLUTE + " more than 0");
                report(
                        problems,
                        ABSOLUTE,
                        0,
                        "cannot be zero at the same time as " + PERCENTAGE,
                        "more than 0, or " + PERCENTAGE + " more than 0");
            }
        }

        private static void report(Problems problems, String field, int value, String why, String expected) {
            problems.at(field).report("Invalid value: " + value + ": " + why + " (expected: " + expected + ")");
        }
    }

    /**
     * The toleration of a priority class.
     *
     * @param minimum the lowest priority of pods that may preempt those of the class at any time
     * @param seconds how long other pods may not, after a pod was scheduled; forever if negative
     */
    private record Policy(int minimum, long seconds) {
        // Annotations that cannot be read mean no toleration at all.
        static Optional<Policy> of(OtherObject priorityClass) {
            Map<String, String> annotations = priorityClass.metadata().annotations();
            int value = (int) priorityClass.fields().integer("value").orElse(0);
            try {
                int minimum = annotations.containsKey(MINIMUM) ? Integer.parseInt(annotations.get(MINIMUM)) : value + 1;
                return Optional.of(new Policy(minimum, Long.parseLong(annotations.getOrDefault(SECONDS, "0"))));
            } catch (NumberFormatException unreadable) {
                return Optional.empty();
            }
        }
    }

    private PreemptionToleration(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        classes = new TypedResources<>(handle, PRIORITY_CLASS, Policy::of);
        preemption = new Preemption(handle, NAME, new Rules());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        state.put(NOW, handle.clock().instant());
        return preemption.makeRoom(state, pod, statuses);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        return preemption.evict(pod, result);
    }

    /** Spares pods that tolerate the preemption. */
    private final class Rules implements PreemptionRules {
        @Override
        public int enoughCandidates(int nodes) {
            return Preemption.enoughCandidates(
                    nodes, args.minCandidateNodesPercentage(), args.minCandidateNodesAbsolute());
        }

        @Override
        public boolean waitsFor(CycleState state, Pod preemptor, Pod terminating, int priority) {
            return priority < preemptor.spec().priority();
        }

        @Override
        public boolean mayEvict(CycleState state, Pod preemptor, Victim victim) {
            Instant now = state.get(NOW);
            for (Pod pod : victim.pods()) {
                if (tolerates(pod, preemptor, now)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public Status noVictims(Pod preemptor, NodeInfo node) {
            return Status.unresolvable(
                    "No victims found on node " + node.name() + " for preemptor pod " + preemptor.name());
        }
    }

    private boolean tolerates(Pod victim, Pod preemptor, Instant now) {
        String className = victim.spec().priorityClassName();
        if (className.isEmpty()) {
            return false;
        }
        Policy policy = classes.get("", className)
                .orElseThrow(
                        () -> new PluginException("priorityclass.scheduling.k8s.io \"" + className + "\" not found"))
                .orElse(null);
        if (policy == null || preemptor.spec().priority() >= policy.minimum()) {
            return false;
        }
        if (policy.seconds() < 0 || !isScheduled(victim)) {
            return true;
        }
        // Wraps around as upstream's nanoseconds do.
        Duration toleration = Duration.ofNanos(policy.seconds() * NANOS);
        return victim.status()
                .scheduledAt()
                .filter(scheduled -> scheduled.plus(toleration).isAfter(now))
                .isPresent();
    }

    private static boolean isScheduled(Pod pod) {
        return pod.status()
                .condition(PodCondition.POD_SCHEDULED)
                .filter(condition -> condition.status().equals("True"))
                .isPresent();
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of(NAME + "Args");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new PreemptionToleration(args, handle);
        }
    }
}
