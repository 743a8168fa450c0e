// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.internal.log.Log;

/**
 * The nodes, the pods on them and the groups of pods. Pods on a node are reported by the cluster, or assumed by the
 * scheduler after a decision; an assumed pod stays until the cluster confirms it or the scheduler forgets it. Groups
 * also contain pending pods.
 *
 * <p>Every change stamps the node with a new generation and moves it to the head of a list, so that updating a snapshot
 * costs only what changed.
 */
public final class SchedulerCache {
    private static final Log LOG = Log.of(SchedulerCache.class);

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, NodeState> stateByName = new HashMap<>();

    @GuardedBy("lock")
    private final Map<String, Pod> podByUid = new HashMap<>();

    @GuardedBy("lock")
    private final Set<String> assumed = new LinkedHashSet<>();

    @GuardedBy("lock")
    private final NodeTree tree = new NodeTree();

    @GuardedBy("lock")
    private final NodeImages images = new NodeImages();

    @GuardedBy("lock")
    private @Nullable NodeState head;

    @GuardedBy("lock")
    private long generation;

    @GuardedBy("lock")
    private long treeVersion;

    // Changed under the lock, and read without.
    private volatile PodGroups podGroups;

    /** Creates an empty cache with the default features. */
    public SchedulerCache() {
        this(FeatureGates.DEFAULTS);
    }

    /** Creates an empty cache, which stores groups of pods if their features are on. */
    public SchedulerCache(FeatureGates features) {
        podGroups = PodGroups.none(features);
    }

    public void putNode(Node node) {
        synchronized (lock) {
            NodeState state = stateByName.computeIfAbsent(node.name(), NodeState::new);
            Node before = state.node;
            state.node = node;
            if (before == null) {
                tree.add(node);
                treeVersion++;
                images.add(node);
            } else {
                if (tree.update(before, node)) {
                    treeVersion++;
                }
                if (!before.images().equals(node.images())) {
                    images.remove(before);
                    images.add(node);
                }
            }
            touch(state);
        }
    }

    /** Removes a node. Pods that are still known on it are kept. */
    public void removeNode(String name) {
        synchronized (lock) {
            NodeState state = stateByName.get(name);
            if (state == null || state.node == null) {
                return;
            }
            tree.remove(state.node);
            treeVersion++;
            images.remove(state.node);
            state.node = null;
            touch(state);
            dropIfGone(state);
        }
    }

    /** Adds or updates a bound pod that the cluster reports, or confirms an assumed pod. */
    public void putPod(Pod pod) {
        synchronized (lock) {
            Pod before = podByUid.get(pod.uid());
            if (before != null) {
                if (assumed.remove(pod.uid()) && !before.nodeName().equals(pod.nodeName())) {
                    LOG.atWarn()
                            .addKeyValue("pod", pod.key())
                            .addKeyValue("assumedNode", before.nodeName())
                            .addKeyValue("node", pod.nodeName())
                            .log("Pod was added to a different node than it was assumed");
                }
                removeFromNode(before);
            }
            addToNode(pod);
            podGroups = podGroups.with(pod);
        }
    }

    public void removePod(Pod pod) {
        synchronized (lock) {
            Pod known = podByUid.get(pod.uid());
            if (known != null) {
                removeFromNode(known);
                assumed.remove(pod.uid());
            }
            podGroups = podGroups.without(pod);
        }
    }

    /** Adds or updates a pending pod of one of the scheduler's profiles as a member of its group. */
    public void putWaitingPod(Pod pod) {
        if (!pod.spec().podGroupName().isEmpty()) {
            synchronized (lock) {
                podGroups = podGroups.with(pod);
            }
        }
    }

    public void removeWaitingPod(Pod pod) {
        if (!pod.spec().podGroupName().isEmpty()) {
            synchronized (lock) {
                podGroups = podGroups.without(pod);
            }
        }
    }

    /** Adds or updates a pod group or a composite pod group. */
    public void putGroup(SchedulingGroup group) {
        synchronized (lock) {
            podGroups = podGroups.with(group);
        }
    }

    /** Removes a pod group or a composite pod group. Its members or children are kept. */
    public void removeGroup(SchedulingGroup group) {
        synchronized (lock) {
            podGroups = podGroups.without(group);
        }
    }

    /** Returns the current pod groups and their members, as an immutable object. */
    public PodGroups podGroups() {
        return podGroups;
    }

    /**
     * Assumes a pod on the node that was chosen for it, before the cluster confirms it.
     *
     * @param pod the pod, with its node
     * @throws IllegalStateException if the pod is known already
     */
    public void assume(Pod pod) {
        synchronized (lock) {
            if (podByUid.containsKey(pod.uid())) {
                throw new IllegalStateException(
                        "pod " + pod.key() + "(" + pod.uid() + ") is in the cache, so can't be assumed");
            }
            addToNode(pod);
            assumed.add(pod.uid());
            podGroups = podGroups.assume(pod);
        }
    }

    /**
     * Reverts {@link #assume}. Has no effect for a pod that is unknown, or that the cluster has confirmed in the
     * meantime.
     *
     * @return false if the cluster has confirmed the pod, which then stays
     */
    public boolean forget(Pod pod) {
        synchronized (lock) {
            Pod known = podByUid.get(pod.uid());
            if (known == null) {
                return true;
            }
            if (!assumed.remove(pod.uid())) {
                return false;
            }
            removeFromNode(known);
            podGroups = podGroups.forget(known);
            return true;
        }
    }

    /** Returns the assumed pod of that UID, with its node; empty if it is not assumed. */
    public Optional<Pod> assumed(String uid) {
        synchronized (lock) {
            return assumed.contains(uid) ? Optional.ofNullable(podByUid.get(uid)) : Optional.empty();
        }
    }

    /** Returns whether the pod is assumed on a node and not confirmed by the cluster. */
    public boolean isAssumed(String uid) {
        synchronized (lock) {
            return assumed.contains(uid);
        }
    }

    public List<SchedulerDump.CachedNode> dump() {
        synchronized (lock) {
            List<SchedulerDump.CachedNode> nodes = new ArrayList<>(stateByName.size());
            for (NodeState state : stateByName.values()) {
                NodeContents contents = state.contents;
                List<String> assumedPods = new ArrayList<>();
                for (Pod pod : contents.pods()) {
                    if (assumed.contains(pod.uid())) {
                        assumedPods.add(pod.key());
                    }
                }
                nodes.add(new SchedulerDump.CachedNode(
                        state.name,
                        Optional.ofNullable(state.node),
                        "cpu=" + contents.requested(ResourceName.CPU) + "m memory="
                                + contents.requested(ResourceName.MEMORY) + " " + contents.scalars(),
                        contents.pods(),
                        assumedPods));
            }
            return nodes;
        }
    }

    public Counts counts() {
        synchronized (lock) {
            int nodes = 0;
            for (NodeState state : stateByName.values()) {
                nodes += state.node == null ? 0 : 1;
            }
            return new Counts(nodes, podByUid.size(), assumed.size());
        }
    }

    /**
     * The size of the cache.
     *
     * @param nodes known nodes
     * @param pods known pods, including assumed ones
     * @param assumedPods pods that the cluster has not confirmed
     */
    public record Counts(int nodes, int pods, int assumedPods) {}

    /** Updates a snapshot. The snapshot must not be in use. */
    public void updateSnapshot(ClusterSnapshot snapshot) {
        synchronized (lock) {
            if (snapshot.imagesVersion() != images.version()) {
                snapshot.replaceImages(images.all(), images.version());
            }
            if (snapshot.treeVersion() != treeVersion) {
                snapshot.fill(stateByName, tree, treeVersion);
            } else {
                for (NodeState state = head;
                        state != null && state.generation > snapshot.generation();
                        state = state.next) {
                    if (state.node != null) {
                        snapshot.set(snapshot.indexOf(state.name), state.node, state.contents, state.generation);
                    }
                }
            }
            snapshot.finish(generation, podGroups);
        }
    }

    @GuardedBy("lock")
    private void addToNode(Pod pod) {
        NodeState state = stateByName.computeIfAbsent(pod.nodeName(), NodeState::new);
        state.contents.add(pod);
        podByUid.put(pod.uid(), pod);
        touch(state);
    }

    @GuardedBy("lock")
    private void removeFromNode(Pod known) {
        podByUid.remove(known.uid());
        NodeState state = stateByName.get(known.nodeName());
        if (state == null || !state.contents.remove(known.uid())) {
            throw new IllegalStateException("pod " + known.key() + " is not on node " + known.nodeName()
                    + " (expected: the cache and its nodes agree)");
        }
        touch(state);
        dropIfGone(state);
    }

    @GuardedBy("lock")
    private void touch(NodeState state) {
        state.generation = ++generation;
        if (head != state) {
            unlink(state);
            state.next = head;
            if (head != null) {
                head.previous = state;
            }
            head = state;
        }
    }

    @GuardedBy("lock")
    private void dropIfGone(NodeState state) {
        if (state.node == null && state.contents.isEmpty()) {
            stateByName.remove(state.name);
            if (head == state) {
                head = state.next;
            }
            unlink(state);
        }
    }

    @GuardedBy("lock")
    private void unlink(NodeState state) {
        if (state.previous != null) {
            state.previous.next = state.next;
        }
        if (state.next != null) {
            state.next.previous = state.previous;
        }
        state.previous = null;
        state.next = null;
    }
}
