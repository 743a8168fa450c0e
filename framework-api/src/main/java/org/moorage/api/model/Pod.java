// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A pod: a group of containers that run together on one node. */
public final class Pod implements ClusterObject {
    private final ObjectMeta metadata;
    private final PodSpec spec;
    private final String nodeName;
    private final PodStatus status;
    private final @Nullable String json;
    private final PodRequests requests;
    private final PodRequests claimed;

    private Pod(
            ObjectMeta metadata,
            PodSpec spec,
            String nodeName,
            PodStatus status,
            @Nullable String json,
            PodRequests requests,
            PodRequests claimed) {
        this.metadata = Objects.requireNonNull(metadata, "metadata");
        this.spec = Objects.requireNonNull(spec, "spec");
        this.nodeName = Objects.requireNonNull(nodeName, "nodeName");
        this.status = Objects.requireNonNull(status, "status");
        this.json = json;
        this.requests = requests;
        this.claimed = claimed;
    }

    private static Pod of(ObjectMeta metadata, PodSpec spec, String nodeName, PodStatus status, @Nullable String json) {
        PodRequests requests = requests(spec, status);
        PodRequests claimed = status.nodeAllocatableResourceClaimStatuses().isEmpty()
                ? requests
                : PodRequests.of(spec, status, spec.podLevelRequests(), status.nodeAllocatableResourceClaimStatuses());
        return new Pod(metadata, spec, nodeName, status, json, requests, claimed);
    }

    /** A pod that waits for a node. */
    public static Pod of(ObjectMeta metadata, PodSpec spec) {
        return of(metadata, spec, "", PodStatus.NONE, null);
    }

    /**
     * Returns the pods without repetitions: of several with one UID only the first. A pod without a UID is identified by its namespace and
     * name.
     *
     * @return an immutable list in the order of the pods
     */
    public static List<Pod> distinct(Collection<? extends Pod> pods) {
        if (pods.size() < 2) {
            return List.copyOf(pods);
        }
        Set<String> seen = new HashSet<>();
        List<Pod> distinct = new ArrayList<>(pods.size());
        for (Pod pod : pods) {
            if (seen.add(pod.uid().isEmpty() ? pod.key() : pod.uid())) {
                distinct.add(pod);
            }
        }
        return List.copyOf(distinct);
    }

    // Reported resources nearly always are the requests; then all pods of a template share one result.
    private static PodRequests requests(PodSpec spec, PodStatus status) {
        PodRequests specified = spec.derived();
        if (PodRequests.areAsSpecified(spec, status)) {
            return specified;
        }
        PodRequests actual = PodRequests.of(spec, status, spec.podLevelRequests(), List.of());
        return actual.equals(specified) ? specified : actual;
    }

    @Override
    public ObjectMeta metadata() {
        return metadata;
    }

    /** The specification. */
    public PodSpec spec() {
        return spec;
    }

    /** The node that it is bound to; empty if it is not bound. */
    public String nodeName() {
        return nodeName;
    }

    /** Whether it is bound to a node. */
    public boolean isBound() {
        return !nodeName.isEmpty();
    }

    /** Whether it is bound or nominated to a node. */
    public boolean isBoundOrNominated() {
        return isBound() || !status.nominatedNodeName().isEmpty();
    }

    /** The status. */
    public PodStatus status() {
        return status;
    }

    /** The labels, for short. */
    public Map<String, String> labels() {
        return metadata.labels();
    }

    /** The identity, for short. */
    public String uid() {
        return metadata.uid();
    }

    /**
     * The whole object as JSON text, with all the fields that this model leaves out. Present for a pending pod if a plugin needs
     * it, see {@link org.moorage.api.plugin.PluginFactory#needsPodJson}, or an extender is sent it; for a bound pod if a
     * plugin needs the {@linkplain org.moorage.api.plugin.PluginFactory#needsClusterJson whole cluster's}, or an extender is sent
     * victims.
     */
    public Optional<String> json() {
        return Optional.ofNullable(json);
    }

    /** The requests, or the resources in the status where these are larger. */
    public Resources requests() {
        return requests.plain();
    }

    /**
     * As {@link #requests()}, but with pod-level requests even if the scheduler ignores them. Used to find out whether a pod was
     * scaled down.
     */
    public Resources requestsAtAllLevels() {
        return atAllLevels().plain();
    }

    /** As {@link #requestsAtAllLevels()}, by resource: also one of which 0 is requested, and fractions. */
    public Map<String, Quantity> requestedQuantitiesAtAllLevels() {
        return atAllLevels().quantities();
    }

    private PodRequests atAllLevels() {
        return spec.podRequests().isEmpty() || spec.podLevelRequests() != PodLevelRequests.IGNORED
                ? requests
                : PodRequests.of(spec, status, PodLevelRequests.AS_SPECIFIED, List.of());
    }

    /** As {@link #requests()}, with 100m of cpu and 200Mi of memory for each container without a request. */
    public Resources nonZeroRequests() {
        return requests.nonZero();
    }

    /** {@link #requests()}, with the node allocatable resources of its claims. */
    public Resources requestsWithClaims() {
        return claimed.plain();
    }

    /**
     * Returns the part of {@link #requestsWithClaims} that the pod takes, on this node, of what is allocatable there. An extended resource that the
     * node itself does not offer is provided by devices, and is no part of it.
     */
    public Resources requestsOf(Node node) {
        return requestsWithClaims()
                .without(name -> ResourceName.isExtended(name)
                        && node.allocatableResources().amount(ResourceName.of(name)) == 0);
    }

    /** {@link #nonZeroRequests()}, with the node allocatable resources of its claims. */
    public Resources nonZeroRequestsWithClaims() {
        return claimed.nonZero();
    }

    /** The same pod bound to a node. */
    public Pod withNode(String name) {
        return new Pod(metadata, spec, name, status, json, requests, claimed);
    }

    /** The same pod without a node, as it was before it was bound. */
    public Pod withoutNode() {
        return withNode("");
    }

    /** The same pod with another status. */
    public Pod withStatus(PodStatus changed) {
        return of(metadata, spec, nodeName, changed, json);
    }

    /** The same pod with other metadata. */
    public Pod withMetadata(ObjectMeta changed) {
        return new Pod(changed, spec, nodeName, status, json, requests, claimed);
    }

    /** The same pod with another specification. */
    public Pod withSpec(PodSpec changed) {
        return of(metadata, changed, nodeName, status, json);
    }

    /** The same pod with its JSON text. */
    public Pod withJson(String text) {
        return new Pod(metadata, spec, nodeName, status, Objects.requireNonNull(text, "text"), requests, claimed);
    }

    /** {@code namespace/name}. */
    @Override
    public String toString() {
        return key();
    }
}
