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

/** The pods on a node and the sums of their requests. Mutable, not safe for use by several threads. */
final class NodeContents {
    /**
     * A cap on the request of a pod: more than any node has, and small enough that thousands of such requests do not
     * overflow the sum. Users may request any number.
     */
    private static final long MOST_OF_A_POD = 1L << 50;

    private final List<Pod> pods;
    // Most pods affect none of these, so the collections of a snapshot's node are only copied on change.
    private List<Pod> withAffinity = List.of();
    private List<Pod> withRequiredAntiAffinity = List.of();
    private List<HostPort> ports = List.of();
    private List<String> claims = List.of();
    private Map<String, Long> scalars = Map.of();
    private long milliCpu;
    private long memory;
    private long ephemeralStorage;
    private long nonZeroMilliCpu;
    private long nonZeroMemory;

    NodeContents() {
        pods = new ArrayList<>();
    }

    /** Creates mutable contents from a snapshot's node. */
    NodeContents(SnapshotNode node) {
        pods = new ArrayList<>(node.podCount() + 1);
        pods.addAll(node.pods());
        withAffinity = node.podsWithAffinity();
        withRequiredAntiAffinity = node.podsWithRequiredAntiAffinity();
        ports = node.ports();
        claims = node.claims();
        scalars = node.scalars();
        milliCpu = node.requested(ResourceName.CPU);
        memory = node.requested(ResourceName.MEMORY);
        ephemeralStorage = node.requested(ResourceName.EPHEMERAL_STORAGE);
        nonZeroMilliCpu = node.nonZeroRequested(ResourceName.CPU);
        nonZeroMemory = node.nonZeroRequested(ResourceName.MEMORY);
    }

    void add(Pod pod) {
        pods.add(pod);
        if (pod.spec().affinity().hasPodAffinity()) {
            withAffinity = own(withAffinity);
            withAffinity.add(pod);
        }
        if (pod.spec().affinity().hasRequiredAntiAffinity()) {
            withRequiredAntiAffinity = own(withRequiredAntiAffinity);
            withRequiredAntiAffinity.add(pod);
        }
        // A set, as in kube-scheduler: if two pods have the same port, the first one that is removed frees it.
        for (HostPort port : pod.spec().hostPorts()) {
            if (!ports.contains(port)) {
                ports = own(ports);
                ports.add(port);
            }
        }
        for (String claim : pod.spec().claimNames()) {
            claims = own(claims);
            claims.add(pod.namespace() + "/" + claim);
        }
        account(pod, 1);
    }

    /**
     * Removes the pod of that UID. The requests of the known version are subtracted, since the caller may have a newer
     * one.
     */
    boolean remove(String uid) {
        int index = indexOf(pods, uid);
        if (index < 0) {
            return false;
        }
        Pod known = pods.get(index);
        removeAt(pods, index);
        if (known.spec().affinity().hasPodAffinity()) {
            withAffinity = own(withAffinity);
            removeAt(withAffinity, indexOf(withAffinity, uid));
        }
        if (known.spec().affinity().hasRequiredAntiAffinity()) {
            withRequiredAntiAffinity = own(withRequiredAntiAffinity);
            removeAt(withRequiredAntiAffinity, indexOf(withRequiredAntiAffinity, uid));
        }
        for (HostPort port : known.spec().hostPorts()) {
            ports = own(ports);
            ports.remove(port);
        }
        for (String claim : known.spec().claimNames()) {
            claims = own(claims);
            claims.remove(known.namespace() + "/" + claim);
        }
        account(known, -1);
        return true;
    }

    // Searched from the end: usually it is a recently assumed pod whose binding is confirmed.
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

    // The lists and maps of a snapshot's node are never instances of these classes.
    private static <T> List<T> own(List<T> list) {
        return list instanceof ArrayList ? list : new ArrayList<>(list);
    }

    private static <K, V> Map<K, V> own(Map<K, V> map) {
        return map instanceof HashMap ? map : new HashMap<>(map);
    }

    private void account(Pod pod, int sign) {
        Resources requests = pod.requestsWithClaims();
        milliCpu += sign * counted(requests.milliCpu());
        memory += sign * counted(requests.memory());
        ephemeralStorage += sign * counted(requests.ephemeralStorage());
        for (int i = 0; i < requests.scalarCount(); i++) {
            scalars = own(scalars);
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

    /** Returns the claims that the pods name, as {@code namespace/name}, once for each pod volume that names it. */
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
