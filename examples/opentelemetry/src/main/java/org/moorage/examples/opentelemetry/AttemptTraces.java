// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.moorage.api.Code;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * Traces the attempts of a scheduler: a span for each attempt to schedule a pod, from its first plugin to the end of
 * the binding, with an event for each extension point that ran. An attempt at a group of pods has a span, too, which
 * has the events of its members.
 */
public final class AttemptTraces implements SchedulerListener {
    private static final AttributeKey<String> POD = AttributeKey.stringKey("k8s.pod.name");
    private static final AttributeKey<String> NAMESPACE = AttributeKey.stringKey("k8s.namespace.name");
    private static final AttributeKey<String> UID = AttributeKey.stringKey("k8s.pod.uid");
    private static final AttributeKey<String> NODE = AttributeKey.stringKey("k8s.node.name");
    private static final AttributeKey<String> PROFILE = AttributeKey.stringKey("scheduler.profile");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("scheduler.attempt");
    private static final AttributeKey<String> RESULT = AttributeKey.stringKey("scheduler.result");
    private static final AttributeKey<String> MESSAGE = AttributeKey.stringKey("scheduler.message");
    private static final AttributeKey<Long> EVALUATED = AttributeKey.longKey("scheduler.nodes.evaluated");
    private static final AttributeKey<Long> FEASIBLE = AttributeKey.longKey("scheduler.nodes.feasible");
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("scheduler.group");
    private static final AttributeKey<String> STATUS = AttributeKey.stringKey("status");
    private static final AttributeKey<Double> MILLIS = AttributeKey.doubleKey("duration_ms");

    private static final String BINDING = "binding";
    private static final Set<String> POINTS_OF_BINDINGS = Set.of("PreBindPreFlight", "PreBind", "Bind", "PostBind");
    /** They run after the decision: on the scheduling thread, for the pod that was decided last. */
    private static final Set<String> POINTS_AFTER_DECISIONS = Set.of("Reserve", "Permit");

    private static final int MOST_EVENTS = 128; // of a span, by the SDK's default
    private static final int MOST_FAILED = 1000;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Tracer tracer;
    private final InstantSource clock;

    /** The runs of an attempt that is not decided yet. */
    private final List<Run> current = new ArrayList<>();
    /** The runs of a step of a binding, by the thread that works on it. */
    private final Map<Thread, List<Run>> bindings = new HashMap<>();
    /** The spans of pods that are being bound, by UID. */
    private final Map<String, Span> open = new HashMap<>();
    /** The UIDs of pods that were not bound; the same attempt is then decided a second time. */
    private final Set<String> failed = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST_FAILED;
        }
    });

    private Span lastDecided = Span.getInvalid();

    /** A run of an extension point. */
    private record Run(String point, Code status, Instant end, long nanos) {
        Instant start() {
            return end.minusNanos(nanos);
        }

        void addTo(Span span) {
            span.addEvent(point, Attributes.of(STATUS, status.toString(), MILLIS, nanos / NANOS_PER_MILLI), end);
        }
    }

    /** Creates a listener for one scheduler. */
    public AttemptTraces(OpenTelemetry telemetry, InstantSource clock) {
        tracer = telemetry.getTracer("org.moorage.scheduler");
        this.clock = clock;
    }

    @Override
    public boolean takesMeasurements() {
        return true;
    }

    @Override
    public synchronized void extensionPointRan(String profile, String point, Code status, long nanos) {
        Run run = new Run(point, status, clock.instant(), nanos);
        if (POINTS_OF_BINDINGS.contains(point)) {
            bindings.getOrDefault(Thread.currentThread(), new ArrayList<>()).add(run);
        } else if (POINTS_AFTER_DECISIONS.contains(point)) {
            run.addTo(lastDecided);
        } else if (!point.equals("PreEnqueue") && current.size() < MOST_EVENTS) { // which is no part of an attempt
            current.add(run);
        }
    }

    // region decided
    @Override
    public synchronized void decided(Decision decision) {
        Pod pod = decision.pod();
        if (failed.remove(pod.uid())) {
            return;
        }
        Instant now = clock.instant();
        List<Run> runs = pod.spec().podGroupName().isEmpty() ? takeRuns() : List.of();
        Span span = tracer.spanBuilder("schedule pod")
                .setStartTimestamp(runs.isEmpty() ? now : runs.get(0).start())
                .setAttribute(POD, pod.name())
                .setAttribute(NAMESPACE, pod.namespace())
                .setAttribute(UID, pod.uid())
                .setAttribute(PROFILE, pod.spec().schedulerName())
                .setAttribute(ATTEMPT, (long) decision.attempts())
                .setAttribute(RESULT, decision.outcome().name().toLowerCase(Locale.ROOT))
                .setAttribute(EVALUATED, (long) decision.evaluatedNodes())
                .setAttribute(FEASIBLE, (long) decision.feasibleNodes())
                .startSpan();
        runs.forEach(run -> run.addTo(span));
        switch (decision.outcome()) {
            case SCHEDULED -> {
                span.setAttribute(NODE, decision.nodeName());
                open.put(pod.uid(), span);
                lastDecided = span;
            }
            case UNSCHEDULABLE -> span.setAttribute(MESSAGE, decision.message()).end(now);
            case ERROR -> span.setStatus(StatusCode.ERROR, decision.message()).end(now);
        }
    }
    // endregion

    private List<Run> takeRuns() {
        List<Run> taken = List.copyOf(current);
        current.clear();
        return taken;
    }

    @Override
    public synchronized void groupDecided(GroupKey group, String result, String message) {
        Instant now = clock.instant();
        List<Run> runs = takeRuns();
        Span span = tracer.spanBuilder("schedule group")
                .setStartTimestamp(runs.isEmpty() ? now : runs.get(0).start())
                .setAttribute(GROUP, group.toString())
                .setAttribute(RESULT, result)
                .setAttribute(MESSAGE, message)
                .startSpan();
        runs.forEach(run -> run.addTo(span));
        span.end(now);
    }

    @Override
    public synchronized void taskStarted(String operation) {
        if (operation.equals(BINDING)) {
            bindings.put(Thread.currentThread(), new ArrayList<>());
        }
    }

    @Override
    public synchronized void taskEnded(String operation) {
        if (operation.equals(BINDING)) {
            bindings.remove(Thread.currentThread());
        }
    }

    @Override
    public synchronized void bound(Pod pod, String nodeName, Decision decision) {
        end(pod, StatusCode.OK, "");
    }

    @Override
    public synchronized void bindingFailed(Pod pod, String nodeName, String message) {
        failed.add(pod.uid());
        end(pod, StatusCode.ERROR, message);
    }

    private void end(Pod pod, StatusCode status, String message) {
        Span span = open.remove(pod.uid());
        if (span != null) {
            bindings.getOrDefault(Thread.currentThread(), List.of()).forEach(run -> run.addTo(span));
            span.setStatus(status, message).end(clock.instant());
        }
    }
}
