// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * The pods on a node and the sums over them. Mutable, for one thread at a time.
 */
final class NodeContents {
    /** More than any node has, and thousands of pods that request it do not overflow the sum: anybody may request the largest number. */
    private static final long MOST_OF_A_POD = 1L << 50;

    private final List<Pod> pods;
    private final List<Pod> withAffinity;
    private final List<Pod> withRequiredAntiAffinity;
    private final List<HostPort> ports;
    private final List<String> claims;
    private final Map<String, Long> scalars;
    private long milliCpu;
    private long memory;
    private long ephemeralStorage;
    private long nonZeroMilliCpu;
    private long nonZeroMemory;

    NodeContents() {
        pods = new ArrayList<>();
        withAffinity = new ArrayList<>(0);
        withRequiredAntiAffinity = new ArrayList<>(0);
        ports = new ArrayList<>(0);
        claims = new ArrayList<>(0);
        scalars = new HashMap<>(0);
    }

    /** What a node of a snapshot has, to be changed. */
    NodeContents(SnapshotNode node) {
        pods = new ArrayList<>(node.pods());
        withAffinity = new ArrayList<>(node.podsWithAffinity());
        withRequiredAntiAffinity = new ArrayList<>(node.podsWithRequiredAntiAffinity());
        ports = new ArrayList<>(node.ports());
        claims = new ArrayList<>(node.claims());
        scalars = new HashMap<>(node.scalars());
        milliCpu = node.requested(ResourceName.CPU);
        memory = node.requested(ResourceName.MEMORY);
        ephemeralStorage = node.requested(ResourceName.EPHEMERAL_STORAGE);
        nonZeroMilliCpu = node.nonZeroRequested(ResourceName.CPU);
        nonZeroMemory = node.nonZeroRequested(ResourceName.MEMORY);
    }

    void add(Pod pod) {
        pods.add(pod);
        if (pod.spec().affinity().hasPodAffinity()) {
            withAffinity.add(pod);
        }
        if (pod.spec().affinity().hasRequiredAntiAffinity()) {
            withRequiredAntiAffinity.add(pod);
        }
        // A set, as for kube-scheduler: of two pods with one port the first to go frees it.
        for (HostPort port : pod.spec().hostPorts()) {
            if (!ports.contains(port)) {
                ports.add(port);
            }
        }
        for (String claim : pod.spec().claimNames()) {
            claims.add(pod.namespace() + "/" + claim);
        }
        account(pod, 1);
    }

    /** Removes the pod of that uid; the pod itself may be a newer version, so the known one is what is taken off. */
    boolean remove(String uid) {
        int index = indexOf(pods, uid);
        if (index < 0) {
            return false;
        }
        Pod known = pods.get(index);
        removeAt(pods, index);
        if (known.spec().affinity().hasPodAffinity()) {
            removeAt(withAffinity, indexOf(withAffinity, uid));
        }
        if (known.spec().affinity().hasRequiredAntiAffinity()) {
            removeAt(withRequiredAntiAffinity, indexOf(withRequiredAntiAffinity, uid));
        }
        for (HostPort port : known.spec().hostPorts()) {
            ports.remove(port);
        }
        for (String claim : known.spec().claimNames()) {
            claims.remove(known.namespace() + "/" + claim);
        }
        account(known, -1);
        return true;
    }

    // From the end: mostly it is a pod that was assumed a moment ago, which its binding has come for.
    private static int indexOf(List<Pod> pods, String uid) {
        int i = pods.size() - 1;
        while (i >= 0 && !pods.get(i).uid().equals(uid)) {
            i--;
        }
        return i;
    }

    private static void removeAt(List<Pod> pods, int index) {
        Pod last = pods.remove(pods.size() - 1);
        if (index < pods.size()) {
            pods.set(index, last);
        }
    }

    private void account(Pod pod, int sign) {
        Resources requests = pod.requestsWithClaims();
        milliCpu += sign * counted(requests.milliCpu());
        memory += sign * counted(requests.memory());
        ephemeralStorage += sign * counted(requests.ephemeralStorage());
        for (int i = 0; i < requests.scalarCount(); i++) {
            scalars.merge(requests.scalarName(i), sign * counted(requests.scalarAmount(i)), Long::sum);
        }
        Resources nonZero = pod.nonZeroRequestsWithClaims();
        nonZeroMilliCpu += sign * counted(nonZero.milliCpu());
        nonZeroMemory += sign * counted(nonZero.memory());
    }

    private static long counted(long amount) {
        return Math.min(amount, MOST_OF_A_POD);
    }

    List<Pod> pods() {
        return pods;
    }

    List<Pod> withAffinity() {
        return withAffinity;
    }

    List<Pod> withRequiredAntiAffinity() {
        return withRequiredAntiAffinity;
    }

    List<HostPort> ports() {
        return ports;
    }

    /** The claims that the pods name, as {@code namespace/name}; one that several name is there as often. */
    List<String> claims() {
        return claims;
    }

    Map<String, Long> scalars() {
        return scalars;
    }

    boolean isEmpty() {
        return pods.isEmpty();
    }

    long requested(ResourceName resource) {
        return switch (resource.slot()) {
            case 0 -> milliCpu;
            case 1 -> memory;
            case 2 -> ephemeralStorage;
            default -> scalar(resource);
        };
    }

    long nonZeroRequested(ResourceName resource) {
        return switch (resource.slot()) {
            case 0 -> nonZeroMilliCpu;
            case 1 -> nonZeroMemory;
            case 2 -> ephemeralStorage;
            default -> scalar(resource);
        };
    }

    private long scalar(ResourceName resource) {
        Long amount = scalars.get(resource.name());
        return amount == null ? 0 : amount;
    }
}
