// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * How the feasible nodes are scored: PreScore, the Score plugins that it did not skip, NormalizeScore. Working memory, kept from cycle to
 * cycle.
 */
final class ScoreRun {
    private final Parallelism parallelism;
    private final Extenders extenders;
    // By plugin and by the index of the node among the feasible ones.
    private long[][] rawScores = new long[0][];
    private long[] totals = new long[0];

    ScoreRun(Parallelism parallelism, Extenders extenders) {
        this.parallelism = parallelism;
        this.extenders = extenders;
    }

    /**
     * Scores nodes.
     *
     * @param alike what is known of pods that are alike, and their nodes are in the order of their indexes; null if all are to be scored
     * @param recorder is shown the scores, or null
     * @return the sums of the weighted scores, by the index of the node among these; until the next run
     */
    long[] score(
            Profile profile,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            EquivalenceCache.@Nullable Alike alike,
            @Nullable CycleRecorder recorder) {
        PluginCaller[] plugins = preScore(profile, state, pod, nodes);
        try (PointRun run = profile.begin(PluginMethod.SCORE)) {
            score(run, profile, plugins, state, pod, nodes, alike, recorder);
            for (PluginCaller plugin : plugins) {
                run.evaluated(plugin.name(), nodes.size());
            }
            run.end(Code.SUCCESS);
        }
        return totals;
    }

    // The Score plugins that PreScore did not skip.
    private static PluginCaller[] preScore(Profile profile, CycleState state, Pod pod, List<NodeInfo> nodes) {
        Set<String> skipped = new TreeSet<>();
        try (PointRun run = profile.begin(PluginMethod.PRE_SCORE)) {
            for (PluginCaller plugin : profile.at(ExtensionPoint.PRE_SCORE)) {
                if (plugin.preScore(run, state, pod, nodes).isSkip()) {
                    skipped.add(plugin.name());
                }
            }
            run.end(Code.SUCCESS);
        }
        List<PluginCaller> active = new ArrayList<>();
        for (PluginCaller plugin : profile.at(ExtensionPoint.SCORE)) {
            if (!skipped.contains(plugin.name())) {
                active.add(plugin);
            }
        }
        return active.toArray(PluginCaller[]::new);
    }

    private void score(
            PointRun run,
            Profile profile,
            PluginCaller[] plugins,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            EquivalenceCache.@Nullable Alike alike,
            @Nullable CycleRecorder recorder) {
        int count = nodes.size();
        prepare(plugins.length, count);
        if (alike != null) {
            alike.prepareScores(plugins);
        }
        scoreAll(run, plugins, state, pod, nodes, alike);
        // In a profile without Score plugins each node's total is 1; where all of them were skipped, it is 0.
        long ofAll = extenders.isEmpty() && !profile.scores() ? 1 : 0;
        for (int p = 0; p < plugins.length; p++) {
            long weight = profile.weight(ExtensionPoint.SCORE, plugins[p]);
            if (recorder == null && !plugins[p].normalizes()) {
                addWeighted(plugins[p], rawScores[p], count, weight);
                continue;
            }
            NodeScores scores = plugins[p].normalize(run, state, pod, scoresOf(nodes, rawScores[p]));
            if (scores.isUniform()) {
                ofAll += scores.score(0) * weight;
            } else {
                for (int i = 0; i < count; i++) {
                    totals[i] += scores.score(i) * weight;
                }
            }
            if (recorder != null) {
                recorder.scored(plugins[p].name(), weighted(scores, weight));
            }
        }
        for (int i = 0; i < count; i++) {
            totals[i] += ofAll;
        }
    }

    private void prepare(int plugins, int nodes) {
        if (rawScores.length < plugins || rawScores.length > 0 && rawScores[0].length < nodes) {
            rawScores = new long[plugins][nodes];
        }
        if (totals.length < nodes) {
            totals = new long[nodes];
        }
        Arrays.fill(totals, 0, nodes, 0);
    }

    private void scoreAll(
            PointRun run,
            PluginCaller[] plugins,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            EquivalenceCache.@Nullable Alike alike) {
        long[][] raw = rawScores;
        int ignored = parallelism.run(nodes.size(), (from, to) -> {
            for (int p = 0; p < plugins.length; p++) {
                long start = run.startCall();
                if (alike == null) {
                    plugins[p].score(state, pod, nodes, from, to, raw[p]);
                } else {
                    alike.score(plugins[p], state, pod, nodes, from, to, raw[p]);
                }
                // The mean over the chunk: a single call is too short to be timed without making it longer.
                run.called(PluginMethod.SCORE, plugins[p].name(), Code.SUCCESS, start, to - from);
            }
            return true;
        });
    }

    private static NodeScores scoresOf(List<NodeInfo> nodes, long[] scores) {
        int count = nodes.size();
        for (int i = 0; i < count; i++) {
            if (scores[i] != scores[0]) {
                return NodeScores.of(nodes, Arrays.copyOf(scores, count));
            }
        }
        return NodeScores.uniform(nodes, scores[0]);
    }

    private void addWeighted(PluginCaller plugin, long[] scores, int count, long weight) {
        long outside = 0;
        for (int i = 0; i < count; i++) {
            long score = scores[i];
            outside |= score | NodeScores.MAX - score;
            totals[i] += score * weight;
        }
        if (outside < 0) {
            for (int i = 0; i < count; i++) {
                plugin.checkRange(scores[i]);
            }
        }
    }

    private static NodeScores weighted(NodeScores scores, long weight) {
        long[] weighted = scores.toArray();
        for (int i = 0; i < weighted.length; i++) {
            weighted[i] *= weight;
        }
        return scores.with(weighted);
    }
}
