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
import org.moorage.api.plugin.Nomination;
import org.moorage.runtime.internal.log.Log;

/**
 * Which waiting pods are likely to get which node, so that others leave room for them.
 *
 * <p>It is ahead of the pods' status, which says the same once the API server has taken the change. Safe for use by several
 * threads; reading waits for nobody, and shows all nominations as they were before a change or as they are after it.
 */
public final class Nominator {
    private static final Log LOG = Log.of(Nominator.class);

    private final BiFunction<String, String, Optional<Pod>> pods;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, String> nodeNameByUid = new HashMap<>();

    // Replaced as a whole under the lock, and never changed, so it is read without it: a nomination that is told again,
    // or moves to another node, is never missing.
    private volatile Map<String, List<Pod>> podsByNodeName = Map.of();

    /**
     * One without nominations.
     *
     * @param pods finds a pod by namespace and name, as it is now; it must not call back
     */
    public Nominator(BiFunction<String, String, Optional<Pod>> pods) {
        this.pods = Objects.requireNonNull(pods, "pods");
    }

    /**
     * Nominates a pod, in place of any nomination that it had. A pod that is gone or has got a node by now ends up without.
     *
     * @param pod the pod
     * @param nomination a node or none, or what the pod's status says
     */
    public void add(Pod pod, Nomination nomination) {
        String nodeName =
                nomination.overrides() ? nomination.nodeName() : pod.status().nominatedNodeName();
        synchronized (lock) {
            replace(pod.uid(), pod, nodeName);
        }
    }

    /**
     * Takes up a change of a waiting pod. If its status names no node, neither before nor after, then a nomination stays:
     * the API server may not know of it yet.
     */
    public void update(Pod before, Pod after) {
        String told = after.status().nominatedNodeName();
        boolean unknown = told.isEmpty() && before.status().nominatedNodeName().isEmpty();
        synchronized (lock) {
            String nodeName = unknown ? nodeNameByUid.getOrDefault(before.uid(), "") : told;
            replace(before.uid(), after, nodeName);
        }
    }

    /** Takes a pod's nomination back, if it has one. */
    public void delete(Pod pod) {
        synchronized (lock) {
            replace(pod.uid(), pod, "");
        }
    }

    /** Whether room is kept free from a pod for a nominated one: only from pods that are not more important. */
    public static boolean isKeptFree(Pod other, Pod nominated) {
        return other.spec().priority() <= nominated.spec().priority();
    }

    /** The pods that are nominated to a node, in the order in which they were. */
    public List<Pod> nominatedPodsFor(String nodeName) {
        return podsByNodeName.getOrDefault(nodeName, List.of());
    }

    /** The pods that are nominated now, by the name of the node, in the order in which they were. */
    public Map<String, List<Pod>> nominatedPods() {
        return podsByNodeName;
    }

    /** The node that a pod is nominated to, or empty. */
    public Optional<String> nodeNameFor(Pod pod) {
        synchronized (lock) {
            return Optional.ofNullable(nodeNameByUid.get(pod.uid()));
        }
    }

    // Takes the nomination of that uid back, and nominates the pod, in one step for those who read.
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
