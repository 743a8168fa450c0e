// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.StorageClass;

/**
 * A claim that is bound when its pod is scheduled, and the volumes that it could be bound to on each node. Everything
 * that does not depend on the node is computed by the constructor, once for a pod. Immutable.
 */
final class DelayedClaim {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final PersistentVolume[] NONE = {};
    private static final Comparator<PersistentVolume> SMALLEST_FIRST =
            Comparator.comparing(PersistentVolume::capacity).thenComparing(PersistentVolume::name);

    private final PersistentVolumeClaim claim;
    private final StorageClass storageClass;
    /** The volumes that are reserved for the claim. */
    private final PersistentVolume[] reserved;
    /** The other suitable volumes, the smallest first: by host name, and those that any node may be able to reach. */
    private final Map<String, PersistentVolume[]> byHostname;

    private final PersistentVolume[] ofAnyNode;
    /** The storage capacities with room for the claim; null if none is published, so that every node counts. */
    private final @Nullable List<CsiStorageCapacity> roomy;

    /**
     * Creates a delayed claim.
     *
     * @param volumes the volumes of its class
     * @param roomy the storage capacities with room for it; null if they are unknown
     */
    DelayedClaim(
            PersistentVolumeClaim claim,
            StorageClass storageClass,
            List<PersistentVolume> volumes,
            @Nullable List<CsiStorageCapacity> roomy) {
        this.claim = claim;
        this.storageClass = storageClass;
        this.roomy = roomy;
        List<PersistentVolume> kept = new ArrayList<>(0);
        List<PersistentVolume> anywhere = new ArrayList<>();
        Map<String, List<PersistentVolume>> local = new HashMap<>();
        List<PersistentVolume> sorted = new ArrayList<>(volumes);
        sorted.sort(SMALLEST_FIRST);
        for (PersistentVolume volume : sorted) {
            if (!volume.canSatisfy(claim)) {
                continue;
            }
            if (volume.claim().isPresent()) {
                kept.add(volume);
            } else if (volume.isAvailableFor(claim)) {
                Set<String> hostnames = hostnames(volume);
                if (hostnames.isEmpty()) {
                    anywhere.add(volume);
                }
                for (String hostname : hostnames) {
                    local.computeIfAbsent(hostname, any -> new ArrayList<>()).add(volume);
                }
            }
        }
        reserved = kept.toArray(NONE);
        ofAnyNode = anywhere.toArray(NONE);
        byHostname = new HashMap<>();
        local.forEach((hostname, there) -> byHostname.put(hostname, there.toArray(NONE)));
    }

    // The host names of the only nodes that can reach a volume; empty if host names alone do not decide that.
    private static Set<String> hostnames(PersistentVolume volume) {
        if (volume.nodeAffinity().isEmpty()) {
            return Set.of();
        }
        Set<String> hostnames = new HashSet<>();
        for (NodeSelector.Term term : volume.nodeAffinity().get().terms()) {
            List<String> ofTerm = List.of();
            for (NodeSelector.Requirement requirement : term.matchExpressions()) {
                if (requirement.key().equals(HOSTNAME) && requirement.operator().equals("In")) {
                    ofTerm = requirement.values();
                }
            }
            if (ofTerm.isEmpty()) {
                return Set.of();
            }
            hostnames.addAll(ofTerm);
        }
        return hostnames;
    }

    PersistentVolumeClaim claim() {
        return claim;
    }

    /** Returns a volume for the claim on a node, other than those chosen already; null if there is none. */
    @Nullable
    PersistentVolume volumeOn(Node node, @Nullable PersistentVolume[] chosen) {
        for (PersistentVolume volume : reserved) {
            if (!isChosen(volume, chosen)) {
                // No other volume can be used then, even if this one cannot be reached from the node.
                return isReachable(volume, node) ? volume : null;
            }
        }
        PersistentVolume anywhere = smallest(ofAnyNode, node, chosen);
        String hostname = byHostname.isEmpty() ? null : node.labels().get(HOSTNAME);
        PersistentVolume[] there = hostname == null ? null : byHostname.get(hostname);
        PersistentVolume local = there == null ? null : smallest(there, node, chosen);
        if (anywhere == null || local == null) {
            return anywhere == null ? local : anywhere;
        }
        return SMALLEST_FIRST.compare(local, anywhere) < 0 ? local : anywhere;
    }

    private static @Nullable PersistentVolume smallest(
            PersistentVolume[] sorted, Node node, @Nullable PersistentVolume[] chosen) {
        for (PersistentVolume volume : sorted) {
            if (!isChosen(volume, chosen) && isReachable(volume, node)) {
                return volume;
            }
        }
        return null;
    }

    private static boolean isChosen(PersistentVolume volume, @Nullable PersistentVolume[] chosen) {
        for (PersistentVolume other : chosen) {
            if (other == volume) {
                return true;
            }
        }
        return false;
    }

    private static boolean isReachable(PersistentVolume volume, Node node) {
        return volume.nodeAffinity().isEmpty() || volume.nodeAffinity().get().matchesLabels(node.labels());
    }

    /** Returns whether the class allows provisioning a volume for the claim that the node can reach. */
    boolean isProvisionable(Node node) {
        return storageClass.hasProvisioner() && storageClass.allows(node.labels());
    }

    /** Returns whether there is storage for the claim where the node can reach it. */
    boolean hasRoom(Node node) {
        return roomy == null || storageOn(roomy, node) != null;
    }

    /** Returns the storage that a volume for a node would be provisioned from; null if its amount is unknown. */
    @Nullable
    CsiStorageCapacity measuredStorageOn(Node node) {
        CsiStorageCapacity part = roomy == null ? null : storageOn(roomy, node);
        return part == null || part.capacity().isEmpty() ? null : part;
    }

    private static @Nullable CsiStorageCapacity storageOn(List<CsiStorageCapacity> parts, Node node) {
        for (int i = 0; i < parts.size(); i++) {
            CsiStorageCapacity part = parts.get(i);
            if (part.nodeTopology().isPresent() && part.nodeTopology().get().matches(node.labels())) {
                return part;
            }
        }
        return null;
    }
}
