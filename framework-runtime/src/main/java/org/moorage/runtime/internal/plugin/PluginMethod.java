// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.util.EnumSet;
import java.util.Set;
import org.moorage.api.Code;
import org.moorage.api.Status;

/** The methods of plugins that the scheduler calls, with the rules for their calls. */
public enum PluginMethod {
    EVENTS_TO_REGISTER(
            "EventsToRegister", "registering the events of plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    /** Changes that would help a pod, for a what-if question. */
    REMEDIES("Remedies", "running Remedies of plugin ", ": ", Suspended.SKIPPED, AllowedStatuses.ANY),
    CLOSE("Close", "closing plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    START("Start", "starting controller plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    /** Reconciling an object. A failed call is repeated. */
    RECONCILE("Reconcile", "running controller plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    /** A queueing hint. A failure only causes another attempt at the pod. */
    QUEUEING_HINT("QueueingHint", "running the queueing hint of plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    PRE_ENQUEUE("PreEnqueue", "running PreEnqueue plugin ", ": ", Suspended.REFUSED, AllowedStatuses.NO_SKIP),
    LESS("Less", "running QueueSort plugin ", ": ", Suspended.SKIPPED, AllowedStatuses.ANY),
    PRE_FILTER("PreFilter", "running PreFilter plugin ", ": ", Suspended.REFUSED, AllowedStatuses.ANY),
    ADD_POD("AddPod", "running AddPod on PreFilter plugin ", ": ", Suspended.SKIPPED, AllowedStatuses.ANY),
    REMOVE_POD("RemovePod", "running RemovePod on PreFilter plugin ", ": ", Suspended.SKIPPED, AllowedStatuses.ANY),
    FILTER("Filter", "running ", " filter plugin: ", Suspended.REFUSED, AllowedStatuses.NO_SKIP),
    /** Sign. It is not called on a plugin that can be suspended. */
    SIGN("Sign", "signing pod by plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    POST_FILTER("PostFilter", "running PostFilter plugin ", ": ", Suspended.SKIPPED, AllowedStatuses.ANY),
    PRE_SCORE("PreScore", "running PreScore plugin ", ": ", Suspended.REFUSED, AllowedStatuses.NO_REJECTION),
    SCORE("Score", "running Score plugins: plugin ", " failed with: ", Suspended.REFUSED, AllowedStatuses.ANY),
    NORMALIZE(
            "NormalizeScore",
            "running Normalize on Score plugins: plugin ",
            " failed with: ",
            Suspended.REFUSED,
            AllowedStatuses.ANY),
    RESERVE("Reserve", "running Reserve plugin ", ": ", Suspended.REFUSED, AllowedStatuses.NO_SKIP),
    /** Unreserve of Reserve. Always called, because reservations must be released. */
    UNRESERVE("Unreserve", "running Unreserve plugin ", ": ", Suspended.CALLED, AllowedStatuses.ANY),
    PERMIT("Permit", "running Permit plugin ", ": ", Suspended.REFUSED, AllowedStatuses.ANY),
    PRE_BIND_PRE_FLIGHT("PreBindPreFlight", "running PreBindPreFlight ", ": ", Suspended.REFUSED, AllowedStatuses.ANY),
    PRE_BIND("PreBind", "running PreBind plugin ", ": ", Suspended.REFUSED, AllowedStatuses.NO_SKIP),
    BIND("Bind", "running Bind plugin ", ": ", Suspended.REFUSED, AllowedStatuses.NO_ERROR),
    POST_BIND("PostBind", "running PostBind plugin ", ": ", Suspended.SKIPPED, AllowedStatuses.ANY),
    PLACEMENT_GENERATE("PlacementGenerate", "", "", Suspended.REFUSED, AllowedStatuses.ANY),
    PLACEMENT_FEASIBLE("PlacementFeasible", "", "", Suspended.REFUSED, AllowedStatuses.ANY),
    PLACEMENT_SCORE(
            "PlacementScore",
            "running PlacementScore plugins: plugin ",
            " failed with: ",
            Suspended.REFUSED,
            AllowedStatuses.ANY),
    NORMALIZE_PLACEMENT_SCORE(
            "NormalizePlacementScore",
            "running NormalizePlacementScore on PlacementScore plugins: plugin ",
            " failed with: ",
            Suspended.REFUSED,
            AllowedStatuses.ANY),
    POD_GROUP_POST_FILTER(
            "PodGroupPostFilter", "error in ", " PodGroupPostFilter plugins: ", Suspended.SKIPPED, AllowedStatuses.ANY);

    /** The effect of a call while a {@link Breaker} suspends the plugin. */
    enum Suspended {
        /** The plugin is called. The breaker does not count these calls. */
        CALLED,
        /** The plugin is skipped. */
        SKIPPED,
        /**
         * The call fails, unless the configuration allows scheduling without the plugin: then the plugin is skipped.
         */
        REFUSED
    }

    /** The statuses that a method may return. */
    private enum AllowedStatuses {
        ANY(EnumSet.allOf(Code.class)),
        NO_SKIP(EnumSet.complementOf(EnumSet.of(Code.SKIP, Code.ERROR))),
        NO_REJECTION(EnumSet.of(Code.SUCCESS, Code.SKIP)),
        NO_ERROR(EnumSet.complementOf(EnumSet.of(Code.ERROR)));

        @SuppressWarnings("ImmutableEnumChecker") // never changed
        private final Set<Code> codes;

        AllowedStatuses(Set<Code> codes) {
            this.codes = codes;
        }
    }

    private final String text;
    private final String beforePlugin;
    private final String afterPlugin;
    private final Suspended suspended;
    private final AllowedStatuses answers;

    /**
     * Creates a method.
     *
     * @param text kube-scheduler's name of the method
     * @param beforePlugin kube-scheduler's words of a failure, up to the plugin's name; empty if they do not name the
     *     plugin
     * @param afterPlugin the words after it
     */
    PluginMethod(String text, String beforePlugin, String afterPlugin, Suspended suspended, AllowedStatuses answers) {
        this.text = text;
        this.beforePlugin = beforePlugin;
        this.afterPlugin = afterPlugin;
        this.suspended = suspended;
        this.answers = answers;
    }

    String message(String plugin, String what) {
        return beforePlugin.isEmpty() ? what : beforePlugin + '"' + plugin + '"' + afterPlugin + what;
    }

    Suspended suspended() {
        return suspended;
    }

    boolean allows(Status answer) {
        return answers.codes.contains(answer.code());
    }

    Status statusWhenSuspended() {
        return allows(Status.skip()) ? Status.skip() : Status.success();
    }

    /** Returns kube-scheduler's name of the extension point in metrics. */
    String point() {
        return this == NORMALIZE ? "ScoreExtensionNormalize" : text;
    }

    /** Returns kube-scheduler's name of the method. */
    @Override
    public String toString() {
        return text;
    }
}
