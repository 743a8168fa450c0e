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

    /** Returns a pending pod. */
    public static Pod of(ObjectMeta metadata, PodSpec spec) {
        return of(metadata, spec, "", PodStatus.NONE, null);
    }

    /**
     * Returns the pods without duplicates: only the first of several pods with the same UID. A pod without a UID is
     * identified by its namespace and name.
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

    // The reported resources are usually the requests; then all pods of a template share one result.
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

    /** Returns the specification. */
    public PodSpec spec() {
        return spec;
    }

    /** Returns the node that it is bound to; empty if it is not bound. */
    public String nodeName() {
        return nodeName;
    }

    /** Returns whether it is bound to a node. */
    public boolean isBound() {
        return !nodeName.isEmpty();
    }

    /** Returns whether it is bound or nominated to a node. */
    public boolean isBoundOrNominated() {
        return isBound() || !status.nominatedNodeName().isEmpty();
    }

    /** Returns the status. */
    public PodStatus status() {
        return status;
    }

    /** Returns the labels of the metadata. */
    public Map<String, String> labels() {
        return metadata.labels();
    }

    /** Returns the quality of service class: that of the status if it has one, else by the specification. */
    public QosClass qosClass() {
        return status.qosClass().orElseGet(spec::qosClass);
    }

    /** Returns the UID of the metadata. */
    public String uid() {
        return metadata.uid();
    }

    /**
     * Returns the whole object as JSON text, including the fields that this model omits. Present for a pending pod if a
     * plugin requires it, see {@link org.moorage.api.plugin.PluginFactory#needsPodJson}, or if an extender receives the
     * pod. Present for a bound pod if a plugin requires that of the {@linkplain
     * org.moorage.api.plugin.PluginFactory#needsClusterJson whole cluster}, or if an extender receives victims.
     */
    public Optional<String> json() {
        return Optional.ofNullable(json);
    }

    /** Returns the requests, or the resources in the status where these are larger. */
    public Resources requests() {
        return requests.plain();
    }

    /**
     * Returns the same as {@link #requests()}, but with pod-level requests even if the scheduler ignores them. Used to
     * find out whether a pod was scaled down.
     */
    public Resources requestsAtAllLevels() {
        return atAllLevels().plain();
    }

    /** Returns the same as {@link #requestsAtAllLevels()}, by resource, including requests of 0 and fractions. */
    public Map<String, Quantity> requestedQuantitiesAtAllLevels() {
        return atAllLevels().quantities();
    }

    private PodRequests atAllLevels() {
        return spec.podRequests().isEmpty() || spec.podLevelRequests() != PodLevelRequests.IGNORED
                ? requests
                : PodRequests.of(spec, status, PodLevelRequests.AS_SPECIFIED, List.of());
    }

    /**
     * Returns the same as {@link #requests()}, with 100m of cpu and 200Mi of memory for each container without a
     * request.
     */
    public Resources nonZeroRequests() {
        return requests.nonZero();
    }

    /** Returns {@link #requests()}, with the node allocatable resources of its claims. */
    public Resources requestsWithClaims() {
        return claimed.plain();
    }

    /**
     * Returns the part of {@link #requestsWithClaims} that the pod consumes of the node's allocatable resources. It
     * excludes extended resources that the node itself does not offer: devices provide them.
     */
    public Resources requestsOf(Node node) {
        return requestsWithClaims()
                .without(name -> ResourceName.isExtended(name)
                        && node.allocatableResources().amount(ResourceName.of(name)) == 0);
    }

    /** Returns {@link #nonZeroRequests()}, with the node allocatable resources of its claims. */
    public Resources nonZeroRequestsWithClaims() {
        return claimed.nonZero();
    }

    /** Returns the same pod bound to a node. */
    public Pod withNode(String name) {
        return new Pod(metadata, spec, name, status, json, requests, claimed);
    }

    /** Returns the same pod without a node, as it was before it was bound. */
    public Pod withoutNode() {
        return withNode("");
    }

    /** Returns the same pod with another status. */
    public Pod withStatus(PodStatus changed) {
        return of(metadata, spec, nodeName, changed, json);
    }

    /** Returns the same pod with other metadata. */
    public Pod withMetadata(ObjectMeta changed) {
        return new Pod(changed, spec, nodeName, status, json, requests, claimed);
    }

    /** Returns the same pod with another specification. */
    public Pod withSpec(PodSpec changed) {
        return of(metadata, changed, nodeName, status, json);
    }

    /** Returns the same pod with its JSON text. */
    public Pod withJson(String text) {
        return new Pod(metadata, spec, nodeName, status, Objects.requireNonNull(text, "text"), requests, claimed);
    }

    /** Returns {@code namespace/name}. */
    @Override
    public String toString() {
        return key();
    }
}
