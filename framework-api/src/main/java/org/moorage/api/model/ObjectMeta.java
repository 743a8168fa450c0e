// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The metadata of an object. */
public final class ObjectMeta {
    private final String name;
    private final String namespace;
    private final String uid;
    private final String resourceVersion;
    private final long generation;
    private final Map<String, String> labels;
    private final Map<String, String> annotations;
    private final List<OwnerReference> ownerReferences;
    private final @Nullable Instant creationTimestamp;
    private final @Nullable Instant deletionTimestamp;
    private final boolean deletedAtOnce;

    /** Computed on first use, since lookups use it often; concurrent threads compute the same value. */
    private @Nullable String key;

    private ObjectMeta(Builder builder) {
        name = builder.name;
        namespace = builder.namespace;
        uid = builder.uid;
        resourceVersion = builder.resourceVersion;
        generation = builder.generation;
        labels = Map.copyOf(builder.labels);
        annotations = Map.copyOf(builder.annotations);
        ownerReferences = List.copyOf(builder.ownerReferences);
        creationTimestamp = builder.creationTimestamp;
        deletionTimestamp = builder.deletionTimestamp;
        deletedAtOnce = builder.deletedAtOnce;
    }

    /** Returns a builder for an object of that name. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Returns a builder that starts from this object's values. */
    public Builder toBuilder() {
        return toBuilder(name);
    }

    /** Returns a builder for an object of that name that starts from this object's values. */
    public Builder toBuilder(String otherName) {
        Builder builder = new Builder(otherName)
                .namespace(namespace)
                .uid(uid)
                .resourceVersion(resourceVersion)
                .generation(generation)
                .labels(labels)
                .annotations(annotations)
                .ownerReferences(ownerReferences);
        builder.creationTimestamp = creationTimestamp;
        builder.deletionTimestamp = deletionTimestamp;
        builder.deletedAtOnce = deletedAtOnce;
        return builder;
    }

    /** Returns the object's name. */
    public String name() {
        return name;
    }

    /** Returns the object's namespace; empty for cluster-scoped objects. */
    public String namespace() {
        return namespace;
    }

    /** Returns {@code namespace/name}, or just the name of a cluster-scoped object. */
    public String key() {
        if (namespace.isEmpty()) {
            return name;
        }
        String known = key;
        if (known == null) {
            known = namespace + "/" + name;
            key = known;
        }
        return known;
    }

    /** Returns the UID. */
    public String uid() {
        return uid;
    }

    /** Returns the opaque resource version. */
    public String resourceVersion() {
        return resourceVersion;
    }

    /** Returns the generation of the specification; 0 if unknown. */
    public long generation() {
        return generation;
    }

    /** Returns the labels. */
    public Map<String, String> labels() {
        return labels;
    }

    /** Returns the annotations, without those that only tools read, such as the last applied configuration. */
    public Map<String, String> annotations() {
        return annotations;
    }

    /** Returns the owners. */
    public List<OwnerReference> ownerReferences() {
        return ownerReferences;
    }

    /** Returns the owner that manages the object: the first one marked as controller. */
    public Optional<OwnerReference> controller() {
        for (OwnerReference owner : ownerReferences) {
            if (owner.controller()) {
                return Optional.of(owner);
            }
        }
        return Optional.empty();
    }

    /** Returns when the object was created. */
    public Optional<Instant> creationTimestamp() {
        return Optional.ofNullable(creationTimestamp);
    }

    /** Returns when the deletion was requested; empty if the object is not being deleted. */
    public Optional<Instant> deletionTimestamp() {
        return Optional.ofNullable(deletionTimestamp);
    }

    /** Returns whether the object is being deleted. */
    public boolean isDeleting() {
        return deletionTimestamp != null;
    }

    /**
     * Returns whether it is being deleted with neither a grace period nor finalizers, so that the next event of the
     * object is its removal.
     */
    public boolean isDeletedAtOnce() {
        return deletedAtOnce;
    }

    /** Returns the same metadata with another resource version. */
    public ObjectMeta withResourceVersion(String version) {
        return toBuilder().resourceVersion(version).build();
    }

    /** Returns the same metadata with an annotation added, or its value replaced. */
    public ObjectMeta withAnnotation(String key, String value) {
        Map<String, String> changed = new HashMap<>(annotations);
        changed.put(key, value);
        return toBuilder().annotations(changed).build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectMeta that
                && name.equals(that.name)
                && namespace.equals(that.namespace)
                && uid.equals(that.uid)
                && resourceVersion.equals(that.resourceVersion)
                && generation == that.generation
                && labels.equals(that.labels)
                && annotations.equals(that.annotations)
                && ownerReferences.equals(that.ownerReferences)
                && Objects.equals(creationTimestamp, that.creationTimestamp)
                && Objects.equals(deletionTimestamp, that.deletionTimestamp)
                && deletedAtOnce == that.deletedAtOnce;
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, namespace, uid, resourceVersion);
    }

    @Override
    public String toString() {
        return key();
    }

    /** A builder of {@link ObjectMeta}; unset values are empty. */
    public static final class Builder {
        private final String name;
        private String namespace = "";
        private String uid = "";
        private String resourceVersion = "";
        private long generation;
        private Map<String, String> labels = Map.of();
        private Map<String, String> annotations = Map.of();
        private List<OwnerReference> ownerReferences = List.of();
        private @Nullable Instant creationTimestamp;
        private @Nullable Instant deletionTimestamp;
        private boolean deletedAtOnce;

        private Builder(String name) {
            this.name = Objects.requireNonNull(name, "name");
        }

        /** Sets the namespace. */
        public Builder namespace(String value) {
            namespace = Objects.requireNonNull(value, "namespace");
            return this;
        }

        /** Sets the UID. */
        public Builder uid(String value) {
            uid = Objects.requireNonNull(value, "uid");
            return this;
        }

        /** Sets the resource version. */
        public Builder resourceVersion(String value) {
            resourceVersion = Objects.requireNonNull(value, "resourceVersion");
            return this;
        }

        /** Sets the generation of the specification. */
        public Builder generation(long value) {
            generation = value;
            return this;
        }

        /** Sets the labels. */
        public Builder labels(Map<String, String> value) {
            labels = Objects.requireNonNull(value, "labels");
            return this;
        }

        /** Sets the annotations. */
        public Builder annotations(Map<String, String> value) {
            annotations = Objects.requireNonNull(value, "annotations");
            return this;
        }

        /** Sets the owners. */
        public Builder ownerReferences(List<OwnerReference> value) {
            ownerReferences = Objects.requireNonNull(value, "ownerReferences");
            return this;
        }

        /** Sets when the object was created. */
        public Builder creationTimestamp(Instant value) {
            creationTimestamp = Objects.requireNonNull(value, "creationTimestamp");
            return this;
        }

        /** Sets when its deletion was requested. */
        public Builder deletionTimestamp(Instant value) {
            deletionTimestamp = Objects.requireNonNull(value, "deletionTimestamp");
            return this;
        }

        /** Sets whether neither a grace period nor finalizers delay its deletion. */
        public Builder deletedAtOnce(boolean value) {
            deletedAtOnce = value;
            return this;
        }

        /** Returns the metadata. */
        public ObjectMeta build() {
            return new ObjectMeta(this);
        }
    }
}
