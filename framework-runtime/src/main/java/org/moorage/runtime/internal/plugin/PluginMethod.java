// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

/** The methods of plugins that the scheduler calls, and how kube-scheduler words their failures. */
public enum PluginMethod {
    /** Registering events. */
    EVENTS_TO_REGISTER("EventsToRegister", "registering the events of plugin "),
    /** Closing the plugin. */
    CLOSE("Close", "closing plugin "),
    /** A queueing hint. */
    QUEUEING_HINT("QueueingHint", "running the queueing hint of plugin "),
    /** PreEnqueue. */
    PRE_ENQUEUE("PreEnqueue", "running PreEnqueue plugin "),
    /** Less of QueueSort. */
    LESS("Less", "running QueueSort plugin "),
    /** PreFilter. */
    PRE_FILTER("PreFilter", "running PreFilter plugin "),
    /** AddPod of PreFilter. */
    ADD_POD("AddPod", "running AddPod on PreFilter plugin "),
    /** RemovePod of PreFilter. */
    REMOVE_POD("RemovePod", "running RemovePod on PreFilter plugin "),
    /** Filter. */
    FILTER("Filter", "running ", " filter plugin: "),
    /** Sign. */
    SIGN("Sign", "signing pod by plugin "),
    /** PostFilter. */
    POST_FILTER("PostFilter", "running PostFilter plugin "),
    /** PreScore. */
    PRE_SCORE("PreScore", "running PreScore plugin "),
    /** Score. */
    SCORE("Score", "running Score plugins: plugin ", " failed with: "),
    /** NormalizeScore of Score. */
    NORMALIZE("NormalizeScore", "running Normalize on Score plugins: plugin ", " failed with: "),
    /** Reserve. */
    RESERVE("Reserve", "running Reserve plugin "),
    /** Unreserve of Reserve. */
    UNRESERVE("Unreserve", "running Unreserve plugin "),
    /** Permit. */
    PERMIT("Permit", "running Permit plugin "),
    /** PreBindPreFlight of PreBind. */
    PRE_BIND_PRE_FLIGHT("PreBindPreFlight", "running PreBindPreFlight "),
    /** PreBind. */
    PRE_BIND("PreBind", "running PreBind plugin "),
    /** Bind. */
    BIND("Bind", "running Bind plugin "),
    /** PostBind. */
    POST_BIND("PostBind", "running PostBind plugin "),
    /** PlacementGenerate. */
    PLACEMENT_GENERATE("PlacementGenerate"),
    /** PlacementFeasible. */
    PLACEMENT_FEASIBLE("PlacementFeasible"),
    /** PlacementScore. */
    PLACEMENT_SCORE("PlacementScore", "running PlacementScore plugins: plugin ", " failed with: "),
    /** NormalizePlacementScore of PlacementScore. */
    NORMALIZE_PLACEMENT_SCORE(
            "NormalizePlacementScore",
            "running NormalizePlacementScore on PlacementScore plugins: plugin ",
            " failed with: "),
    /** PodGroupPostFilter. */
    POD_GROUP_POST_FILTER("PodGroupPostFilter", "error in ", " PodGroupPostFilter plugins: ");

    private final String text;
    private final String beforePlugin;
    private final String afterPlugin;

    // One in whose failures the plugin is not named.
    PluginMethod(String text) {
        this(text, "", "");
    }

    PluginMethod(String text, String beforePlugin) {
        this(text, beforePlugin, ": ");
    }

    PluginMethod(String text, String beforePlugin, String afterPlugin) {
        this.text = text;
        this.beforePlugin = beforePlugin;
        this.afterPlugin = afterPlugin;
    }

    String message(String plugin, String what) {
        return beforePlugin.isEmpty() ? what : beforePlugin + '"' + plugin + '"' + afterPlugin + what;
    }

    /** kube-scheduler's name of the method. */
    @Override
    public String toString() {
        return text;
    }
}
