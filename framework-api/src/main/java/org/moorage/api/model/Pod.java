// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A group of containers that run together on one node: what is scheduled. */
public final class Pod implements ClusterObject {
    private final ObjectMeta metadata;
    private final PodSpec spec;
    private final String nodeName;
    private final PodStatus status;
    private final @Nullable String json;
    private final PodRequests requests;
    private final PodRequests claimed;

    private Pod(ObjectMeta metadata, PodSpec spec, String nodeName, PodStatus status, @Nullable String json) {
        this.metadata = Objects.requireNonNull(metadata, "metadata");
        this.spec = Objects.requireNonNull(spec, "spec");
        this.nodeName = Objects.requireNonNull(nodeName, "nodeName");
        this.status = Objects.requireNonNull(status, "status");
        this.json = json;
        requests = requests(spec, status);
        claimed = status.nodeResourceClaims().isEmpty()
                ? requests
                : PodRequests.of(spec, status, spec.podLevelRequests(), status.nodeResourceClaims());
    }

    /** A pod that waits for a node. */
    public static Pod of(ObjectMeta metadata, PodSpec spec) {
        return new Pod(metadata, spec, "", PodStatus.NONE, null);
    }

    // Reported resources are nearly always what was asked for; then all pods of a template share one result.
    private static PodRequests requests(PodSpec spec, PodStatus status) {
        PodRequests asked = spec.derived();
        if (status.containerResources().isEmpty() && status.podResources().isEmpty()) {
            return asked;
        }
        PodRequests inForce = PodRequests.of(spec, status, spec.podLevelRequests(), List.of());
        return inForce.equals(asked) ? asked : inForce;
    }

    @Override
    public ObjectMeta metadata() {
        return metadata;
    }

    /** What it asks for. */
    public PodSpec spec() {
        return spec;
    }

    /** The node that it is on; empty while it waits for one. */
    public String nodeName() {
        return nodeName;
    }

    /** Whether it has a node. */
    public boolean isBound() {
        return !nodeName.isEmpty();
    }

    /** Whether it has a node, or is nominated to one. */
    public boolean isBoundOrNominated() {
        return isBound() || !status.nominatedNodeName().isEmpty();
    }

    /** What the cluster reports of it. */
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
     * The whole object as JSON text, with all the fields that this model leaves out. Present for a waiting pod if a
     * plugin of its scheduler asked for it, see {@link org.moorage.api.plugin.PluginFactory#needsPodJson}.
     */
    public Optional<String> json() {
        return Optional.ofNullable(json);
    }

    /** What the pod asks for: the requests, with what the node reports where that is more. */
    public Resources requests() {
        return requests.plain();
    }

    /**
     * As {@link #requests()}, but requests of the pod as a whole count even if the scheduler is to ignore them: whether a pod was
     * scaled down is judged by these.
     */
    public Resources requestsAtAllLevels() {
        return spec.podRequests().isEmpty() || spec.podLevelRequests() != PodLevelRequests.IGNORED
                ? requests.plain()
                : PodRequests.of(spec, status, PodLevelRequests.AS_ASKED, List.of())
                        .plain();
    }

    /** As {@link #requests()}, with 100 thousandths of a core and 200 MiB for each container that does not say. */
    public Resources nonZeroRequests() {
        return requests.nonZero();
    }

    /** What the pod takes of its node: {@link #requests()}, and what its claims take of the node. */
    public Resources requestsWithClaims() {
        return claimed.plain();
    }

    /** What the pod takes of its node: {@link #nonZeroRequests()}, and what its claims take of the node. */
    public Resources nonZeroRequestsWithClaims() {
        return claimed.nonZero();
    }

    /** The same pod on a node. */
    public Pod withNode(String name) {
        return new Pod(metadata, spec, name, status, json);
    }

    /** The same pod with another status. */
    public Pod withStatus(PodStatus changed) {
        return new Pod(metadata, spec, nodeName, changed, json);
    }

    /** The same pod with other metadata. */
    public Pod withMetadata(ObjectMeta changed) {
        return new Pod(changed, spec, nodeName, status, json);
    }

    /** The same pod with another specification. */
    public Pod withSpec(PodSpec changed) {
        return new Pod(metadata, changed, nodeName, status, json);
    }

    /** The same pod with its JSON text. */
    public Pod withJson(String text) {
        return new Pod(metadata, spec, nodeName, status, Objects.requireNonNull(text, "text"));
    }

    /** {@code namespace/name}. */
    @Override
    public String toString() {
        return key();
    }
}
