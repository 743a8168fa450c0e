// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.util.List;
import java.util.function.Consumer;
import org.moorage.api.Code;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.log.Listeners;

/**
 * One run of an extension point for a pod or a group of pods. It reports to the listeners how long the point takes and,
 * in a sample of the runs, how long each call of a plugin takes. {@link PluginCaller} measures the calls, possibly on
 * several threads.
 */
public final class PointRun implements AutoCloseable {
    /** A run that reports nothing, for calls outside a scheduling cycle. */
    public static final PointRun UNMEASURED = new PointRun(Listeners.NONE, "", PluginMethod.CLOSE);

    private final Listeners listeners;
    private final String profile;
    private final PluginMethod point;
    private final boolean timesPlugins;
    private final long start = System.nanoTime();
    private Code code = Code.ERROR;

    public PointRun(Listeners listeners, String profile, PluginMethod point) {
        this.listeners = listeners;
        this.profile = profile;
        this.point = point;
        timesPlugins = listeners.timesPlugins();
    }

    public boolean timesPlugins() {
        return timesPlugins;
    }

    /** Returns the start time of a call that begins now, for {@link #called}; 0 if calls are not timed. */
    public long startCall() {
        return timesPlugins ? System.nanoTime() : 0;
    }

    /** Reports a call of a plugin that has ended, if it is timed. */
    public void called(PluginMethod method, String plugin, Code answer, long startOfCall) {
        called(method, plugin, answer, startOfCall, 1);
    }

    /** Like {@link #called(PluginMethod, String, Code, long)}, with the mean of several nodes. */
    public void called(PluginMethod method, String plugin, Code answer, long startOfCall, int nodes) {
        if (timesPlugins) {
            long nanos = (System.nanoTime() - startOfCall) / Math.max(1, nodes);
            listeners.measure(listener -> listener.pluginRan(plugin, method.point(), answer, nanos));
        }
    }

    /** Counts calls of a plugin: at Filter and Score one for each node. */
    public void evaluated(String plugin, int times) {
        listeners.measure(listener -> listener.pluginEvaluated(profile, plugin, point.point(), times));
    }

    public boolean isMeasured() {
        return listeners.isMeasured();
    }

    /** Ends the run with an answer, and returns the answer. A run without an answer ends with an error. */
    public PluginStatus end(PluginStatus answer) {
        end(answer.status().code());
        return answer;
    }

    public void end(Code answer) {
        code = answer;
    }

    /** Reports the time since the begin of the run. */
    @Override
    public void close() {
        listeners.measure(
                listener -> listener.extensionPointRan(profile, point.point(), code, System.nanoTime() - start));
    }

    void postFilterRan(String plugin, Code answer, long nanos) {
        if (point == PluginMethod.POST_FILTER) {
            listeners.measure(listener -> listener.postFilterRan(plugin, answer, nanos));
        } else {
            listeners.measure(listener -> listener.podGroupPostFilterRan(plugin, answer, nanos));
        }
    }

    /**
     * Reports that victims are about to be evicted.
     *
     * @param plugin the plugin that evicts them
     * @param preemptor {@code pod}, {@code podgroup} or {@code compositepodgroup}
     * @param victims the victims; if empty, nothing is reported
     * @return reports the end of the evictions, and whether they succeeded
     */
    Consumer<Boolean> preempts(
            String plugin, String preemptor, List<Pod> victims, int groupDisruptions, long pdbViolations) {
        if (!victims.isEmpty()) {
            listeners.on(
                    listener -> listener.preempted(plugin, preemptor, victims.size(), groupDisruptions, pdbViolations));
        }
        // As in kube-scheduler, which does not evict pods that are already being deleted.
        if (victims.stream().allMatch(victim -> victim.metadata().isDeleting())) {
            return isSuccessful -> {};
        }
        long begin = System.nanoTime();
        return isSuccessful -> listeners.measure(listener ->
                listener.preemptionExecuted(preemptor, isSuccessful ? "success" : "error", System.nanoTime() - begin));
    }
}
