// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/** What a pod requests, and what nodes are short of. */
final class FitRequest {
    private static final int PODS = 1;
    private static final int CPU = 2;
    private static final int MEMORY = 4;
    private static final int EPHEMERAL_STORAGE = 8;
    private static final int KINDS = 16;
    // The first few other resources have their rejections remembered, so that a full cluster costs one for each kind.
    private static final int REMEMBERED = 3;
    private static final String[] REASONS = {
        "Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"
    };
    // By the sum of the kinds that are short; the second half is for nodes that are too small even when empty.
    private static final Status[] SHORT_OF = new Status[2 * KINDS];

    static {
        for (int kinds = 1; kinds < KINDS; kinds++) {
            SHORT_OF[kinds] = new Status(Code.UNSCHEDULABLE, reasons(kinds));
            SHORT_OF[KINDS + kinds] = new Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons(kinds));
        }
    }

    private final Resources amounts;
    private final ResourceName[] scalars;
    private final long[] scalarAmounts;
    private final boolean[] byDevices;
    private final AtomicReferenceArray<@Nullable Status> rejections;

    /**
     * A request.
     *
     * @param amounts what is requested
     * @param scalars what of it counts beside cpu, memory and storage
     * @param byDevices those that devices may stand in for, on nodes that have none of their own
     */
    FitRequest(Resources amounts, List<ResourceName> scalars, Set<ResourceName> byDevices) {
        this.amounts = amounts;
        this.byDevices = new boolean[scalars.size()];
        for (int i = 0; i < scalars.size(); i++) {
            this.byDevices[i] = byDevices.contains(scalars.get(i));
        }
        this.scalars = scalars.toArray(ResourceName[]::new);
        scalarAmounts = scalars.stream().mapToLong(amounts::amount).toArray();
        rejections = new AtomicReferenceArray<>(
                this.scalars.length == 0 ? 0 : SHORT_OF.length << Math.min(this.scalars.length, REMEMBERED));
    }

    /** Success, or what the node is short of. Allocates nothing for what was answered before. */
    Status check(NodeInfo node) {
        int kinds = node.podCount() + 1 > node.allowedPods() ? PODS : 0;
        if (amounts.isEmpty()) {
            return kinds == 0 ? Status.success() : SHORT_OF[kinds];
        }
        boolean tooSmall = false;
        if (isShort(node, ResourceName.CPU, amounts.milliCpu())) {
            kinds |= CPU;
            tooSmall = amounts.milliCpu() > node.allocatable(ResourceName.CPU);
        }
        if (isShort(node, ResourceName.MEMORY, amounts.memory())) {
            kinds |= MEMORY;
            tooSmall |= amounts.memory() > node.allocatable(ResourceName.MEMORY);
        }
        if (isShort(node, ResourceName.EPHEMERAL_STORAGE, amounts.ephemeralStorage())) {
            kinds |= EPHEMERAL_STORAGE;
            tooSmall |= amounts.ephemeralStorage() > node.allocatable(ResourceName.EPHEMERAL_STORAGE);
        }
        int remembered = 0;
        boolean others = false;
        for (int i = 0; i < scalars.length; i++) {
            if (isShort(node, i)) {
                remembered |= i < REMEMBERED ? 1 << i : 0;
                others |= i >= REMEMBERED;
                tooSmall |= scalarAmounts[i] > node.allocatable(scalars[i]);
            }
        }
        if (kinds == 0 && remembered == 0 && !others) {
            return Status.success();
        }
        int half = tooSmall ? KINDS : 0;
        if (remembered == 0 && !others) {
            return SHORT_OF[half + kinds];
        }
        return others
                ? rejection(node, kinds, tooSmall)
                : remembered(node, kinds, tooSmall, remembered * SHORT_OF.length + half + kinds);
    }

    private Status remembered(NodeInfo node, int kinds, boolean tooSmall, int place) {
        Status known = rejections.get(place);
        if (known == null) {
            known = rejection(node, kinds, tooSmall);
            rejections.set(place, known);
        }
        return known;
    }

    private Status rejection(NodeInfo node, int kinds, boolean tooSmall) {
        List<String> reasons = reasons(kinds);
        for (int i = 0; i < scalars.length; i++) {
            if (isShort(node, i)) {
                reasons.add("Insufficient " + scalars[i].name());
            }
        }
        return new Status(tooSmall ? Code.UNSCHEDULABLE_AND_UNRESOLVABLE : Code.UNSCHEDULABLE, reasons);
    }

    private boolean isShort(NodeInfo node, int scalar) {
        return isShort(node, scalars[scalar], scalarAmounts[scalar])
                && !(byDevices[scalar] && node.allocatable(scalars[scalar]) <= 0);
    }

    private static boolean isShort(NodeInfo node, ResourceName resource, long request) {
        return request > 0 && request > node.allocatable(resource) - node.requested(resource);
    }

    /** Whether the node would do if no pod were on it. */
    boolean fitsEmpty(Node node) {
        if (node.allowedPods() < 1) {
            return false;
        }
        Resources offered = node.allocatableResources();
        boolean fits = amounts.milliCpu() <= offered.milliCpu()
                && amounts.memory() <= offered.memory()
                && amounts.ephemeralStorage() <= offered.ephemeralStorage();
        for (int i = 0; fits && i < scalars.length; i++) {
            long amount = offered.amount(scalars[i]);
            fits = scalarAmounts[i] <= amount || byDevices[i] && amount <= 0;
        }
        return fits;
    }

    /** Whether devices would stand in for a resource on the node. */
    boolean usesDevices(Node node) {
        for (int i = 0; i < scalars.length; i++) {
            if (byDevices[i] && node.allocatableResources().amount(scalars[i]) <= 0) {
                return true;
            }
        }
        return false;
    }

    private static List<String> reasons(int kinds) {
        List<String> reasons = new ArrayList<>();
        for (int i = 0; i < REASONS.length; i++) {
            if ((kinds & (1 << i)) != 0) {
                reasons.add(REASONS[i]);
            }
        }
        return reasons;
    }
}
