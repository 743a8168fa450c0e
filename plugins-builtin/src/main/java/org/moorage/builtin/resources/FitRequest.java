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

/**
 * A pod's resource requests, checked against nodes. On its own node, a resized pod needs less than it requests, since
 * the node already counts a part.
 */
final class FitRequest {
    private static final int PODS = 1;
    private static final int CPU = 2;
    private static final int MEMORY = 4;
    private static final int EPHEMERAL_STORAGE = 8;
    private static final int KINDS = 16;
    // Rejections for the first few scalar resources are cached, so that a full cluster allocates one of each kind.
    private static final int CACHED_SCALARS = 3;
    private static final String[] REASONS = {
        "Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"
    };
    // By the sum of the insufficient kinds; the second half is for nodes that are too small even when empty.
    private static final Status[] INSUFFICIENT = new Status[2 * KINDS];

    static {
        for (int kinds = 1; kinds < KINDS; kinds++) {
            INSUFFICIENT[kinds] = Status.of(Code.UNSCHEDULABLE, reasons(kinds));
            INSUFFICIENT[KINDS + kinds] = Status.of(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons(kinds));
        }
    }

    private final long cpu;
    private final long memory;
    private final long ephemeralStorage;
    private final long neededCpu;
    private final long neededMemory;
    private final long neededEphemeralStorage;
    private final ResourceName[] scalars;
    private final long[] scalarRequests;
    private final boolean[] isMappedToDevices;
    private final AtomicReferenceArray<@Nullable Status> rejections;

    /**
     * Creates a request.
     *
     * @param requests the amounts
     * @param counted the amounts that nodes already count
     * @param scalars the scalar resources that are checked
     * @param mappedToDevices those that are delegated to DRA on nodes without an allocatable amount
     */
    FitRequest(Resources requests, Resources counted, List<ResourceName> scalars, Set<ResourceName> mappedToDevices) {
        cpu = requests.milliCpu();
        memory = requests.memory();
        ephemeralStorage = requests.ephemeralStorage();
        neededCpu = Math.max(0, cpu - counted.milliCpu());
        neededMemory = Math.max(0, memory - counted.memory());
        neededEphemeralStorage = Math.max(0, ephemeralStorage - counted.ephemeralStorage());
        isMappedToDevices = new boolean[scalars.size()];
        for (int i = 0; i < scalars.size(); i++) {
            isMappedToDevices[i] = mappedToDevices.contains(scalars.get(i));
        }
        this.scalars = scalars.toArray(ResourceName[]::new);
        scalarRequests = scalars.stream()
                .mapToLong(scalar -> Math.max(0, requests.amount(scalar) - counted.amount(scalar)))
                .toArray();
        rejections = new AtomicReferenceArray<>(
                this.scalars.length == 0 ? 0 : INSUFFICIENT.length << Math.min(this.scalars.length, CACHED_SCALARS));
    }

    /** Returns success, or the node's insufficient resources. A result that was returned before allocates nothing. */
    Status check(NodeInfo node) {
        return fits(node) ? Status.success() : insufficient(node);
    }

    // The check that most nodes get, short enough for the JIT compilers to inline it.
    private boolean fits(NodeInfo node) {
        if (node.podCount() >= node.allowedPods()
                || isInsufficient(node, ResourceName.CPU, cpu, neededCpu)
                || isInsufficient(node, ResourceName.MEMORY, memory, neededMemory)
                || isInsufficient(node, ResourceName.EPHEMERAL_STORAGE, ephemeralStorage, neededEphemeralStorage)) {
            return false;
        }
        for (int i = 0; i < scalars.length; i++) {
            if (isInsufficient(node, i)) {
                return false;
            }
        }
        return true;
    }

    private Status insufficient(NodeInfo node) {
        int kinds = node.podCount() + 1 > node.allowedPods() ? PODS : 0;
        boolean tooSmall = false;
        if (isInsufficient(node, ResourceName.CPU, cpu, neededCpu)) {
            kinds |= CPU;
            tooSmall = cpu > node.allocatable(ResourceName.CPU);
        }
        if (isInsufficient(node, ResourceName.MEMORY, memory, neededMemory)) {
            kinds |= MEMORY;
            tooSmall |= memory > node.allocatable(ResourceName.MEMORY);
        }
        if (isInsufficient(node, ResourceName.EPHEMERAL_STORAGE, ephemeralStorage, neededEphemeralStorage)) {
            kinds |= EPHEMERAL_STORAGE;
            tooSmall |= ephemeralStorage > node.allocatable(ResourceName.EPHEMERAL_STORAGE);
        }
        int cachedScalars = 0;
        boolean hasOtherScalars = false;
        for (int i = 0; i < scalars.length; i++) {
            if (isInsufficient(node, i)) {
                cachedScalars |= i < CACHED_SCALARS ? 1 << i : 0;
                hasOtherScalars |= i >= CACHED_SCALARS;
                tooSmall |= scalarRequests[i] > node.allocatable(scalars[i]);
            }
        }
        int half = tooSmall ? KINDS : 0;
        if (cachedScalars == 0 && !hasOtherScalars) {
            return INSUFFICIENT[half + kinds];
        }
        return hasOtherScalars
                ? rejection(node, kinds, tooSmall)
                : cachedRejection(node, kinds, tooSmall, cachedScalars * INSUFFICIENT.length + half + kinds);
    }

    private Status cachedRejection(NodeInfo node, int kinds, boolean tooSmall, int index) {
        Status cached = rejections.get(index);
        if (cached == null) {
            cached = rejection(node, kinds, tooSmall);
            rejections.set(index, cached);
        }
        return cached;
    }

    private Status rejection(NodeInfo node, int kinds, boolean tooSmall) {
        List<String> reasons = reasons(kinds);
        for (int i = 0; i < scalars.length; i++) {
            if (isInsufficient(node, i)) {
                reasons.add("Insufficient " + scalars[i].name());
            }
        }
        return Status.of(tooSmall ? Code.UNSCHEDULABLE_AND_UNRESOLVABLE : Code.UNSCHEDULABLE, reasons);
    }

    private boolean isInsufficient(NodeInfo node, int scalar) {
        return isInsufficient(node, scalars[scalar], scalarRequests[scalar], scalarRequests[scalar])
                && !(isMappedToDevices[scalar] && node.allocatable(scalars[scalar]) <= 0);
    }

    // Even if the node already counts all of the request, its requests must not exceed its allocatable amount.
    private static boolean isInsufficient(NodeInfo node, ResourceName resource, long request, long needed) {
        return request > 0 && needed > node.allocatable(resource) - node.requested(resource);
    }

    /** Returns whether the pod fits the node if no other pod is on it. */
    boolean fitsEmpty(Node node) {
        if (node.allowedPods() < 1) {
            return false;
        }
        Resources allocatable = node.allocatableResources();
        boolean fits = cpu <= allocatable.milliCpu()
                && memory <= allocatable.memory()
                && ephemeralStorage <= allocatable.ephemeralStorage();
        for (int i = 0; fits && i < scalars.length; i++) {
            long amount = allocatable.amount(scalars[i]);
            fits = scalarRequests[i] <= amount || isMappedToDevices[i] && amount <= 0;
        }
        return fits;
    }

    /** Returns whether a requested resource is delegated to DRA on the node. */
    boolean isDelegatedToDra(Node node) {
        for (int i = 0; i < scalars.length; i++) {
            if (isMappedToDevices[i] && node.allocatableResources().amount(scalars[i]) <= 0) {
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
