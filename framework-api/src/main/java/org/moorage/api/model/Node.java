// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A node. */
public final class Node implements ClusterObject {
    private final ObjectMeta metadata;
    private final boolean unschedulable;
    private final List<Taint> taints;
    private final Map<String, Quantity> capacity;
    private final Map<String, Quantity> allocatable;
    private final List<ContainerImage> images;
    private final Map<String, String> conditions;
    private final List<String> declaredFeatures;
    private final @Nullable PodPreemptionPolicy podPreemptionPolicy;
    private final Resources allocatableResources;
    private final long allowedPods;
    private final @Nullable String json;
    // Computed on first use; two threads may both compute it, with the same result.
    private @Nullable Set<String> imageNames;

    private Node(Builder builder) {
        metadata = builder.metadata;
        unschedulable = builder.unschedulable;
        taints = List.copyOf(builder.taints);
        capacity = Map.copyOf(builder.capacity);
        allocatable = Map.copyOf(builder.allocatable);
        images = List.copyOf(builder.images);
        conditions = Map.copyOf(builder.conditions);
        declaredFeatures = List.copyOf(builder.declaredFeatures);
        podPreemptionPolicy = builder.podPreemptionPolicy;
        allocatableResources = Resources.of(allocatable);
        allowedPods = allocatable.getOrDefault("pods", Quantity.ZERO).value();
        json = builder.json;
    }

    /** Returns a builder for a node with this metadata. */
    public static Builder of(ObjectMeta metadata) {
        return new Builder(metadata);
    }

    /** Returns a builder that starts from this node. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata)
                .unschedulable(unschedulable)
                .taints(taints)
                .capacity(capacity)
                .allocatable(allocatable)
                .images(images)
                .conditions(conditions)
                .declaredFeatures(declaredFeatures);
        builder.podPreemptionPolicy = podPreemptionPolicy;
        builder.json = json;
        return builder;
    }

    /**
     * The policy for preemption on a node.
     *
     * @param disableResizePreemption the names of the actors that disable preemption for the resize of a pod;
     *     preemption is enabled if empty
     */
    public record PodPreemptionPolicy(List<String> disableResizePreemption) {
        public PodPreemptionPolicy {
            disableResizePreemption = List.copyOf(disableResizePreemption);
        }
    }

    @Override
    public ObjectMeta metadata() {
        return metadata;
    }

    /** Returns the labels of the metadata. */
    public Map<String, String> labels() {
        return metadata.labels();
    }

    /** Returns whether the node is unschedulable (cordoned). */
    public boolean unschedulable() {
        return unschedulable;
    }

    /** Returns the taints, in the order of the manifest. */
    public List<Taint> taints() {
        return taints;
    }

    /**
     * Returns the resources of the machine, including those that are reserved for the system; {@link #allocatable} is
     * what pods may request.
     */
    public Map<String, Quantity> capacity() {
        return capacity;
    }

    /** Returns the allocatable resources. */
    public Map<String, Quantity> allocatable() {
        return allocatable;
    }

    /** Returns {@link #allocatable()} as integers, without the number of pods. */
    public Resources allocatableResources() {
        return allocatableResources;
    }

    /** Returns the maximum number of pods. */
    public long allowedPods() {
        return allowedPods;
    }

    /** Returns the container images on the node. */
    public List<ContainerImage> images() {
        return images;
    }

    /** Returns whether it has an image of exactly this name. */
    public boolean hasImage(String name) {
        Set<String> known = imageNames;
        if (known == null) {
            known = new HashSet<>();
            for (ContainerImage image : images) {
                known.addAll(image.names());
            }
            known = Set.copyOf(known);
            imageNames = known;
        }
        return known.contains(name);
    }

    /** Returns the status of each condition by its type, for example {@code Ready} to {@code True}. */
    public Map<String, String> conditions() {
        return conditions;
    }

    /** Returns the features that the node's kubelet declares, in order. */
    public List<String> declaredFeatures() {
        return declaredFeatures;
    }

    /** Returns the policy for preemption on the node. */
    public Optional<PodPreemptionPolicy> podPreemptionPolicy() {
        return Optional.ofNullable(podPreemptionPolicy);
    }

    /** Returns whether preemption for the resize of a pod is disabled on the node. */
    public boolean isResizePreemptionDisabled() {
        return podPreemptionPolicy != null
                && !podPreemptionPolicy.disableResizePreemption().isEmpty();
    }

    /**
     * Returns the whole object as JSON text, including the fields that this model omits, except {@code apiVersion},
     * {@code kind} and {@code managedFields}. Present if a plugin requires it, see {@link
     * org.moorage.api.plugin.PluginFactory#needsClusterJson}, or if an extender receives whole nodes.
     */
    public Optional<String> json() {
        return Optional.ofNullable(json);
    }

    @Override
    public String toString() {
        return name();
    }

    /** A builder of a {@link Node}; unset values are empty. */
    public static final class Builder {
        private ObjectMeta metadata;
        private boolean unschedulable;
        private List<Taint> taints = List.of();
        private Map<String, Quantity> capacity = Map.of();
        private Map<String, Quantity> allocatable = Map.of();
        private List<ContainerImage> images = List.of();
        private Map<String, String> conditions = Map.of();
        private List<String> declaredFeatures = List.of();
        private @Nullable PodPreemptionPolicy podPreemptionPolicy;
        private @Nullable String json;

        private Builder(ObjectMeta metadata) {
            this.metadata = Objects.requireNonNull(metadata, "metadata");
        }

        /** Sets the metadata. */
        public Builder metadata(ObjectMeta value) {
            metadata = Objects.requireNonNull(value, "metadata");
            return this;
        }

        /** Sets whether the node is unschedulable. */
        public Builder unschedulable(boolean value) {
            unschedulable = value;
            return this;
        }

        /** Sets the taints. */
        public Builder taints(List<Taint> value) {
            taints = Objects.requireNonNull(value, "taints");
            return this;
        }

        /** Sets the capacity. */
        public Builder capacity(Map<String, Quantity> value) {
            capacity = Objects.requireNonNull(value, "capacity");
            return this;
        }

        /** Sets the allocatable resources. */
        public Builder allocatable(Map<String, Quantity> value) {
            allocatable = Objects.requireNonNull(value, "allocatable");
            return this;
        }

        /** Sets the images. */
        public Builder images(List<ContainerImage> value) {
            images = Objects.requireNonNull(value, "images");
            return this;
        }

        /** Sets the conditions. */
        public Builder conditions(Map<String, String> value) {
            conditions = Objects.requireNonNull(value, "conditions");
            return this;
        }

        /** Sets the declared features. */
        public Builder declaredFeatures(List<String> value) {
            declaredFeatures = Objects.requireNonNull(value, "declaredFeatures");
            return this;
        }

        /** Sets the policy for preemption on the node. */
        public Builder podPreemptionPolicy(PodPreemptionPolicy value) {
            podPreemptionPolicy = Objects.requireNonNull(value, "podPreemptionPolicy");
            return this;
        }

        /** Sets the JSON text. */
        public Builder json(String value) {
            json = Objects.requireNonNull(value, "json");
            return this;
        }

        /** Returns the node. */
        public Node build() {
            return new Node(this);
        }
    }
}
