// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.Node;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.builtin.resources.FunctionShape;

/** The claims of a pod, none of which another component must bind first. Immutable. */
final class PodVolumeClaims {
    private static final int UNREACHABLE = 1;
    private static final int NO_VOLUME = 2;
    private static final int NO_ROOM = 4;
    private static final int VOLUME_GONE = 8;
    private static final List<String> REASONS = List.of(
            "node(s) didn't match PersistentVolume's node affinity",
            "node(s) didn't find available persistent volumes to bind",
            "node(s) did not have enough free storage",
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    private static final List<Status> REJECTIONS = rejections();

    private final List<BoundVolume> bound;
    private final boolean isVolumeGone;
    private final List<DelayedClaim> selected;
    private final List<DelayedClaim> open;
    private final ObjectLister<CsiNode> csiNodes;

    /**
     * Creates the claims of a pod.
     *
     * @param bound the volumes of its bound claims, in order, up to the first missing one
     * @param isVolumeGone whether a volume is missing
     * @param delayed its other claims, in order
     */
    PodVolumeClaims(
            List<BoundVolume> bound, boolean isVolumeGone, List<DelayedClaim> delayed, ObjectLister<CsiNode> csiNodes) {
        this.bound = List.copyOf(bound);
        this.isVolumeGone = isVolumeGone;
        this.csiNodes = csiNodes;
        List<DelayedClaim> withNode = new ArrayList<>(0);
        List<DelayedClaim> withoutNode = new ArrayList<>();
        for (DelayedClaim claim : delayed) {
            (claim.claim().selectedNode().isPresent() ? withNode : withoutNode).add(claim);
        }
        // The smallest claim first, so that it does not take the only volume that is large enough for another claim.
        withoutNode.sort(Comparator.comparing(claim -> claim.claim().request().orElse(Quantity.ZERO)));
        selected = List.copyOf(withNode);
        open = List.copyOf(withoutNode);
    }

    /**
     * The bindings and provisions that a node needs.
     *
     * @param bindings the claims to bind to existing volumes
     * @param provisions the claims to provision volumes for
     */
    record Plan(List<StaticBinding> bindings, List<PersistentVolumeClaim> provisions) {}

    /** A claim and the volume to bind it to. */
    record StaticBinding(PersistentVolumeClaim claim, PersistentVolume volume) {}

    private static List<Status> rejections() {
        List<Status> rejections = new ArrayList<>();
        rejections.add(Status.success());
        for (int bits = 1; bits < 1 << REASONS.size(); bits++) {
            List<String> reasons = new ArrayList<>();
            for (int i = 0; i < REASONS.size(); i++) {
                if ((bits & 1 << i) != 0) {
                    reasons.add(REASONS.get(i));
                }
            }
            rejections.add(Status.unresolvable(reasons.toArray(String[]::new)));
        }
        return List.copyOf(rejections);
    }

    /** Returns success if all claims can be served on a node, or the reasons why not. */
    Status on(Node node) {
        if (selected.isEmpty() && open.isEmpty()) {
            return REJECTIONS.get(boundOn(node));
        }
        @Nullable PersistentVolume[] chosen = new PersistentVolume[open.size()];
        return REJECTIONS.get(boundOn(node) | delayedOn(node, chosen));
    }

    /** Returns the bindings and provisions for a node that {@link #on} accepted. */
    Plan planFor(Node node) {
        @Nullable PersistentVolume[] chosen = new PersistentVolume[open.size()];
        delayedOn(node, chosen);
        List<StaticBinding> bindings = new ArrayList<>();
        List<PersistentVolumeClaim> provisions = new ArrayList<>();
        for (DelayedClaim claim : selected) {
            provisions.add(claim.claim());
        }
        for (int i = 0; i < chosen.length; i++) {
            PersistentVolumeClaim claim = open.get(i).claim();
            PersistentVolume volume = chosen[i];
            if (volume == null) {
                provisions.add(claim);
            } else {
                bindings.add(new StaticBinding(claim, volume));
            }
        }
        return new Plan(List.copyOf(bindings), List.copyOf(provisions));
    }

    /**
     * Returns how well the node suits the claims that are not bound, 0 to 100: by the volumes that they would be bound
     * to, if there is one, or else by the storage that volumes would be provisioned from. Classes count alike.
     */
    long scoreOn(Node node, FunctionShape ratings) {
        if (selected.isEmpty() && open.isEmpty()) {
            return 0;
        }
        @Nullable PersistentVolume[] chosen = new PersistentVolume[open.size()];
        delayedOn(node, chosen);
        for (PersistentVolume volume : chosen) {
            if (volume != null) {
                return scoreOfVolumes(chosen, ratings);
            }
        }
        return scoreOfStorage(node, ratings);
    }

    private long scoreOfVolumes(@Nullable PersistentVolume[] chosen, FunctionShape ratings) {
        long sum = 0;
        int classes = 0;
        for (int i = 0; i < chosen.length; i++) {
            if (chosen[i] == null) {
                continue;
            }
            String className = chosen[i].specifiedClassName();
            long requested = 0;
            long capacity = 0;
            for (int j = i; j < chosen.length; j++) {
                PersistentVolume volume = chosen[j];
                if (volume != null && volume.specifiedClassName().equals(className)) {
                    requested += requestOf(open.get(j));
                    capacity += volume.capacity().value();
                    chosen[j] = null;
                }
            }
            sum += ratings.score(requested, capacity);
            classes++;
        }
        return Math.round((double) sum / classes);
    }

    // The storage of a class counts once, however many volumes it would be used for.
    private long scoreOfStorage(Node node, FunctionShape ratings) {
        @Nullable CsiStorageCapacity[] parts = new CsiStorageCapacity[selected.size() + open.size()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = delayed(i).measuredStorageOn(node);
        }
        long sum = 0;
        int classes = 0;
        for (int i = 0; i < parts.length; i++) {
            CsiStorageCapacity part = parts[i];
            if (part == null) {
                continue;
            }
            String className = delayed(i).claim().specifiedClassName();
            long requested = 0;
            for (int j = i; j < parts.length; j++) {
                CsiStorageCapacity other = parts[j];
                if (other != null && delayed(j).claim().specifiedClassName().equals(className)) {
                    requested += requestOf(delayed(j));
                    part = other;
                    parts[j] = null;
                }
            }
            sum += ratings.score(
                    requested, part.capacity().orElse(Quantity.ZERO).value());
            classes++;
        }
        return classes == 0 ? 0 : Math.round((double) sum / classes);
    }

    private DelayedClaim delayed(int index) {
        return index < selected.size() ? selected.get(index) : open.get(index - selected.size());
    }

    private static long requestOf(DelayedClaim claim) {
        return claim.claim().request().orElse(Quantity.ZERO).value();
    }

    private int boundOn(Node node) {
        CsiNode csiNode = null;
        for (int i = 0; i < bound.size(); i++) {
            BoundVolume volume = bound.get(i);
            if (csiNode == null && volume.needsCsiNode()) {
                csiNode = csiNodes.get("", node.name()).orElse(null);
            }
            if (!volume.isReachable(node, csiNode)) {
                return UNREACHABLE;
            }
        }
        return isVolumeGone ? VOLUME_GONE : 0;
    }

    private int delayedOn(Node node, @Nullable PersistentVolume[] chosen) {
        for (int i = 0; i < selected.size(); i++) {
            if (!selected.get(i).claim().selectedNode().orElseThrow().equals(node.name())) {
                return NO_VOLUME;
            }
        }
        for (int i = 0; i < chosen.length; i++) {
            chosen[i] = open.get(i).volumeOn(node, chosen);
        }
        for (int i = 0; i < selected.size(); i++) {
            int objection = provisionOn(selected.get(i), node);
            if (objection != 0) {
                return objection;
            }
        }
        for (int i = 0; i < chosen.length; i++) {
            if (chosen[i] == null) {
                int objection = provisionOn(open.get(i), node);
                if (objection != 0) {
                    return objection;
                }
            }
        }
        return 0;
    }

    private static int provisionOn(DelayedClaim claim, Node node) {
        if (!claim.isProvisionable(node)) {
            return NO_VOLUME;
        }
        return claim.hasRoom(node) ? 0 : NO_ROOM;
    }
}
