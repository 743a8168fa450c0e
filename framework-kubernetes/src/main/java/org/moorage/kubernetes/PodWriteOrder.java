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
 * Orders the binding of a pod and the status patches that report why it is pending: after the binding such a patch
 * would be rejected, since the pod's resource version has changed. Safe for use by several threads.
 */
final class PodWriteOrder {
    /** The longest wait of a binding for a patch. A slower patch is rejected, which is harmless. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Map<String, CountDownLatch> patchesByUid = new ConcurrentHashMap<>();
    private final Set<String> beingBound = ConcurrentHashMap.newKeySet();

    /** Sends a patch, unless the pod is being bound, which makes the patch obsolete. */
    void patch(Pod pod, Runnable patch) {
        CountDownLatch ended = new CountDownLatch(1);
        patchesByUid.put(pod.uid(), ended);
        try {
            // Checked after the patch is registered, so that at least one of the two sees the other.
            if (!beingBound.contains(pod.uid())) {
                patch.run();
            }
        } finally {
            patchesByUid.remove(pod.uid(), ended);
            ended.countDown();
        }
    }

    /** Sends a binding, after waiting for a patch of the pod that is in progress. */
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
