// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.objects.tree.InputNotes;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.admission.RecreatedPod.Fate;

/** Pods that are among the objects of a cluster but no longer exist, with their claims. */
final class GonePods {
    private GonePods() {}

    /**
     * Cleans up after pods, as controllers do: deletes their own claims, and removes their reservations of other
     * claims.
     */
    static void clean(List<ClusterObject> objects, List<Pod> gone) {
        Map<String, Pod> byUid = new HashMap<>();
        gone.forEach(pod -> byUid.put(pod.uid(), pod));
        if (byUid.isEmpty()) {
            return;
        }
        List<ClusterObject> left = new ArrayList<>(objects.size());
        for (ClusterObject object : objects) {
            boolean isOwn = object instanceof PersistentVolumeClaim
                    && object.metadata()
                            .controller()
                            .filter(owner -> byUid.containsKey(owner.uid()))
                            .isPresent();
            if (object instanceof ResourceClaim claim) {
                released(claim, byUid).ifPresent(left::add);
            } else if (!isOwn) {
                left.add(object);
            }
        }
        objects.clear();
        objects.addAll(left);
    }

    private static Optional<ResourceClaim> released(ResourceClaim claim, Map<String, Pod> gone) {
        Set<String> uids = new HashSet<>();
        claim.metadata().controller().ifPresent(owner -> uids.add(owner.uid()));
        claim.reservedFor().forEach(consumer -> uids.add(consumer.uid()));
        Optional<ResourceClaim> left = Optional.of(claim);
        for (String uid : uids) {
            Pod pod = gone.get(uid);
            if (pod != null) {
                left = left.flatMap(held -> held.without(ResourceClaim.Consumer.of(pod)));
            }
        }
        return left;
    }

    /** Returns the pods that have not ended and whose nodes are not among the objects. */
    static List<Pod> withoutTheirNodes(List<ClusterObject> objects) {
        Set<String> nodes = new HashSet<>();
        for (ClusterObject object : objects) {
            if (object instanceof Node node) {
                nodes.add(node.name());
            }
        }
        List<Pod> lost = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod
                    && pod.isBound()
                    && !pod.status().isTerminal()
                    && !nodes.contains(pod.nodeName())) {
                lost.add(pod);
            }
        }
        return lost;
    }

    /** Reports pods whose nodes are not among the objects. */
    static void tell(List<Pod> lost, InputNotes notes) {
        if (!lost.isEmpty()) {
            List<String> nodes =
                    lost.stream().map(Pod::nodeName).distinct().sorted().toList();
            boolean isOne = lost.size() == 1;
            notes.warning((isOne ? "1 pod is" : lost.size() + " pods are") + " on "
                    + (nodes.size() == 1 ? "a node that is" : nodes.size() + " nodes that are")
                    + " not among the objects (" + InputNotes.names(nodes) + "), and "
                    + (isOne ? "is" : "are") + " left out (" + byOwner(lost)
                    + "); --reschedule-lost has controllers create theirs again");
        }
    }

    /**
     * Replaces pods that are lost with their nodes by the pods that their controllers create, and reports their fates.
     */
    static void createAgain(List<ClusterObject> objects, List<Pod> lost, InputNotes notes) {
        if (lost.isEmpty()) {
            return;
        }
        List<RecreatedPod> recreated = RecreatedPod.all(lost, ClusterSource.of(objects), newest(objects));
        Set<ClusterObject> gone = new HashSet<>(lost);
        objects.removeIf(gone::contains);
        clean(objects, lost);
        Map<Fate, List<Pod>> byFate = new TreeMap<>();
        for (RecreatedPod pod : recreated) {
            byFate.computeIfAbsent(pod.fate(), any -> new ArrayList<>()).add(pod.gone());
            objects.addAll(pod.claims());
            pod.pod().ifPresent(objects::add);
        }
        byFate.forEach((fate, pods) -> {
            String count = pods.size() == 1 ? "1 pod" : pods.size() + " pods";
            String where = count + " on nodes that are not among the objects ";
            switch (fate) {
                case CREATED_AGAIN ->
                    notes.note(where + (pods.size() == 1 ? "is" : "are") + " created again: " + byOwner(pods));
                case OF_NODE -> notes.note(where + "went with them: " + byOwner(pods));
                case LOST ->
                    notes.warning(where + (pods.size() == 1 ? "is" : "are") + " lost, since no controller creates "
                            + (pods.size() == 1 ? "it" : "them") + " again: "
                            + InputNotes.names(pods.stream().map(Pod::key).toList()));
                case ENDED -> notes.note(where + (pods.size() == 1 ? "was" : "were") + " being deleted");
            }
        });
    }

    // A lower bound of the time at which the objects were read.
    private static Instant newest(List<ClusterObject> objects) {
        return objects.stream()
                .flatMap(object -> object.metadata().creationTimestamp().stream())
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
    }

    // Such as ReplicaSet 12, without controller 1
    private static String byOwner(List<Pod> pods) {
        Map<String, Integer> counts = new TreeMap<>();
        int bare = 0;
        for (Pod pod : pods) {
            Optional<OwnerReference> controller = pod.metadata().controller();
            if (controller.isPresent()) {
                counts.merge(controller.get().kind(), 1, Integer::sum);
            } else {
                bare++;
            }
        }
        List<String> parts = new ArrayList<>();
        counts.forEach((kind, count) -> parts.add(kind + " " + count));
        if (bare > 0) {
            parts.add("without controller " + bare);
        }
        return String.join(", ", parts);
    }
}
