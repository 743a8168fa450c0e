// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;

/**
 * A value of the pod of the current cycle, computed once for all nodes. Thread-safe.
 *
 * @param <T> the type of values
 */
final class CachedPodValue<T> {
    private final Function<Pod, T> compute;
    private volatile @Nullable Kept<T> last;

    private record Kept<T>(Pod pod, Object version, T value) {}

    CachedPodValue(Function<Pod, T> compute) {
        this.compute = compute;
    }

    /** Returns the value of a pod, which depends on nothing else. */
    T of(Pod pod) {
        return of(pod, this);
    }

    /**
     * Returns the value of a pod.
     *
     * @param version the version of what else the value depends on, read before it; compared by identity
     */
    @SuppressWarnings("ReferenceEquality") // an equal pod is another version
    T of(Pod pod, Object version) {
        Kept<T> kept = last;
        if (kept == null || kept.pod() != pod || kept.version() != version) {
            kept = new Kept<>(pod, version, compute.apply(pod));
            last = kept;
        }
        return kept.value();
    }
}
