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
 * A claim that is bound when its pod is placed, and what it could be bound to on which nodes. Everything that does not depend
 * on the node is decided when it is made, once for a pod. Immutable.
 */
final class DelayedClaim {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final PersistentVolume[] NONE = {};
    private static final Comparator<PersistentVolume> SMALLEST_FIRST =
            Comparator.comparing(PersistentVolume::capacity).thenComparing(PersistentVolume::name);

    private final PersistentVolumeClaim claim;
    private final StorageClass storageClass;
    /** The volumes that are kept for the claim. */
    private final PersistentVolume[] reserved;
    /** The others that would do, the smallest first: those of certain nodes, and those that may be of any. */
    private final Map<String, PersistentVolume[]> byHostname;

    private final PersistentVolume[] ofAnyNode;
    /** Where storage for it is left; null if nobody says, and it is to be had everywhere. */
    private final @Nullable List<CsiStorageCapacity> roomy;

    /**
     * A claim.
     *
     * @param volumes the volumes of its class
     * @param roomy the parts of the storage with room for it; null if that is not known
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

    // The only nodes that a volume can be for; none if that cannot be told without a closer look.
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

    /** The volume for the claim on a node, other than those chosen already; null if there is none. */
    @Nullable
    PersistentVolume volumeOn(Node node, @Nullable PersistentVolume[] chosen) {
        for (PersistentVolume volume : reserved) {
            if (!isChosen(volume, chosen)) {
                // No other one will do then, even if this one cannot be reached from the node.
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

    /** Whether a volume can be made for the claim where the node can reach it, as far as the class says. */
    boolean isProvisionable(Node node) {
        return storageClass.hasProvisioner() && storageClass.allows(node.labels());
    }

    /** Whether there is storage for the claim where the node can reach it. */
    boolean hasRoom(Node node) {
        return roomy == null || storageOn(roomy, node) != null;
    }

    /** The storage that a volume would be made of for a node; null if it is not known how much there is. */
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
