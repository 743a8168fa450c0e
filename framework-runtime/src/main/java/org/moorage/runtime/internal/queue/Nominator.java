// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.runtime.internal.log.Log;

/**
 * The nominated nodes of pending pods, whose resources other pods must leave free.
 *
 * <p>It is ahead of the pods' status, which catches up when the API server has applied the change. Safe for use by
 * several threads; reads do not block, and see all nominations either before or after a change.
 */
public final class Nominator {
    private static final Log LOG = Log.of(Nominator.class);

    private final BiFunction<String, String, Optional<Pod>> pods;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, String> nodeNameByUid = new HashMap<>();

    // Immutable and replaced as a whole under the lock, so it is read without it: a nomination that is repeated, or
    // moves to another node, is never missing.
    private volatile Map<String, List<Pod>> podsByNodeName = Map.of();

    /**
     * Creates an instance without nominations.
     *
     * @param pods returns the current pod by namespace and name; must not call back
     */
    public Nominator(BiFunction<String, String, Optional<Pod>> pods) {
        this.pods = Objects.requireNonNull(pods, "pods");
    }

    /**
     * Nominates a pod, replacing its previous nomination. A pod that was deleted or bound in the meantime ends up
     * without a nomination.
     *
     * @param pod the pod
     * @param nomination a node, none, or the one in the pod's status
     */
    public void add(Pod pod, Nomination nomination) {
        String nodeName =
                nomination.overrides() ? nomination.nodeName() : pod.status().nominatedNodeName();
        synchronized (lock) {
            replace(pod.uid(), pod, nodeName);
        }
    }

    /**
     * Updates the nomination of a pending pod. If its status names no node before and after the change, an existing
     * nomination stays, since the API server may not have it yet.
     */
    public void update(Pod before, Pod after) {
        String told = after.status().nominatedNodeName();
        boolean unknown = told.isEmpty() && before.status().nominatedNodeName().isEmpty();
        synchronized (lock) {
            String nodeName = unknown ? nodeNameByUid.getOrDefault(before.uid(), "") : told;
            replace(before.uid(), after, nodeName);
        }
    }

    public void delete(Pod pod) {
        synchronized (lock) {
            if (nodeNameByUid.containsKey(pod.uid())) {
                replace(pod.uid(), pod, "");
            }
        }
    }

    /** Returns whether a pod must leave room for a nominated pod: only if its priority is not higher. */
    public static boolean isKeptFree(Pod other, Pod nominated) {
        return other.spec().priority() <= nominated.spec().priority();
    }

    /** Returns the pods that are nominated to a node, in the order of their nomination. */
    public List<Pod> nominatedPodsFor(String nodeName) {
        return podsByNodeName.getOrDefault(nodeName, List.of());
    }

    /** Returns the nominated pods by node name, in the order of their nomination. */
    public Map<String, List<Pod>> nominatedPods() {
        return podsByNodeName;
    }

    public Optional<String> nodeNameFor(Pod pod) {
        synchronized (lock) {
            return Optional.ofNullable(nodeNameByUid.get(pod.uid()));
        }
    }

    // Removes the nomination of that UID and nominates the pod, in one atomic step for readers.
    @GuardedBy("lock")
    private void replace(String uid, Pod pod, String nodeName) {
        boolean isNominated = !nodeName.isEmpty() && isWaiting(pod);
        String nodeNameBefore = nodeNameByUid.remove(uid);
        if (nodeNameBefore == null && !isNominated) {
            return;
        }
        Map<String, List<Pod>> changed = new HashMap<>(podsByNodeName);
        if (nodeNameBefore != null) {
            List<Pod> left = new ArrayList<>(changed.getOrDefault(nodeNameBefore, List.of()));
            left.removeIf(nominated -> nominated.uid().equals(uid));
            put(changed, nodeNameBefore, left);
        }
        if (isNominated) {
            nodeNameByUid.put(pod.uid(), nodeName);
            List<Pod> nominated = new ArrayList<>(changed.getOrDefault(nodeName, List.of()));
            nominated.add(pod);
            put(changed, nodeName, nominated);
        }
        podsByNodeName = Collections.unmodifiableMap(changed);
    }

    private static void put(Map<String, List<Pod>> podsByNodeName, String nodeName, List<Pod> pods) {
        if (pods.isEmpty()) {
            podsByNodeName.remove(nodeName);
        } else {
            podsByNodeName.put(nodeName, List.copyOf(pods));
        }
    }

    private boolean isWaiting(Pod pod) {
        Optional<Pod> current = pods.apply(pod.namespace(), pod.name());
        if (current.isEmpty() || !current.get().uid().equals(pod.uid())) {
            LOG.atTrace().addKeyValue("pod", pod).log("Pod is gone, so it is not nominated");
            return false;
        }
        if (current.get().isBound()) {
            LOG.atTrace()
                    .addKeyValue("pod", pod)
                    .addKeyValue("node", current.get().nodeName())
                    .log("Pod has got a node, so it is not nominated");
            return false;
        }
        return true;
    }
}
