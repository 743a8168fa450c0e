// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.moorage.api.model.Pod;

/**
 * Keeps the binding of a pod and a patch that says why it waits from meeting at the server: after the binding the patch would be
 * refused, since it is for a version that the pod no longer has. Safe for use by several threads.
 */
final class PodWriteOrder {
    /** A patch that takes longer is refused, which does no harm; a pod should not wait for it. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Map<String, CountDownLatch> patchesByUid = new ConcurrentHashMap<>();
    private final Set<String> beingBound = ConcurrentHashMap.newKeySet();

    /** Sends a patch, unless the pod is being bound: then what it waited for does not count any more. */
    void patch(Pod pod, Runnable patch) {
        CountDownLatch ended = new CountDownLatch(1);
        patchesByUid.put(pod.uid(), ended);
        try {
            // Looked up after the patch is known: of the two at least one sees the other.
            if (!beingBound.contains(pod.uid())) {
                patch.run();
            }
        } finally {
            patchesByUid.remove(pod.uid(), ended);
            ended.countDown();
        }
    }

    /** Sends a binding, after the patch of the pod that is being sent. */
    void bind(Pod pod, Runnable binding) {
        beingBound.add(pod.uid());
        try {
            CountDownLatch patch = patchesByUid.get(pod.uid());
            if (patch != null) {
                await(patch);
            }
            binding.run();
        } finally {
            beingBound.remove(pod.uid());
        }
    }

    private static void await(CountDownLatch patch) {
        try {
            boolean ignored = patch.await(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
