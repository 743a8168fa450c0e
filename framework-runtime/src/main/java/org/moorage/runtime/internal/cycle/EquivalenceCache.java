// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.SignPlugin;
import org.moorage.runtime.internal.plugin.PluginCalls;

/**
 * What is known of the answers of plugins that sign pods, by what each has signed: pods that are alike for one plugin need not be for
 * another. Used by one cycle at a time.
 */
final class EquivalenceCache {
    private final Map<SignPlugin, Recurring<Object, KnownScores>> scores = new IdentityHashMap<>();
    private final Recurring<List<KnownScores>, KnownAnswers> answers = new Recurring<>(plugins -> new KnownAnswers());

    /** What is known for a pod; null if no plugin has signed one like it lately. */
    @Nullable
    EquivalenceClass find(Profile profile, Pod pod) {
        List<KnownScores> known = new ArrayList<>();
        for (SignPlugin plugin : profile.signPlugins()) {
            Optional<?> signed = PluginCalls.sign(plugin, pod);
            if (signed.isPresent()) {
                KnownScores found = scores.computeIfAbsent(
                                plugin, key -> new Recurring<>(part -> new KnownScores(plugin)))
                        .find(signed.get());
                if (found != null) {
                    known.add(found);
                }
            }
        }
        return known.isEmpty() ? null : new EquivalenceClass(known, answers);
    }
}
