// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request for storage that is bound to a {@link PersistentVolume}. */
public final class PersistentVolumeClaim implements ClusterObject {
    /** The default volume mode. */
    public static final String FILESYSTEM = "Filesystem";
    /** The access mode of a claim that only one pod of the cluster may use. */
    public static final String READ_WRITE_ONCE_POD = "ReadWriteOncePod";
    /** The annotation of claims whose binding is complete. */
    public static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    /** The annotation with the node for which a volume should be provisioned. */
    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    private final ObjectMeta metadata;
    private final @Nullable Quantity request;
    private final List<String> accessModes;
    private final String storageClassName;
    private final String volumeMode;
    private final String attributesClassName;
    private final @Nullable LabelSelector selector;
    private final String volumeName;
    private final String phase;

    private PersistentVolumeClaim(Builder builder) {
        metadata = builder.metadata;
        request = builder.request;
        accessModes = List.copyOf(builder.accessModes);
        storageClassName = builder.storageClassName;
        volumeMode = builder.volumeMode;
        attributesClassName = builder.attributesClassName;
        selector = builder.selector;
        volumeName = builder.volumeName;
        phase = builder.phase;
    }

    /** Returns a builder for a claim with this metadata. */
    public static Builder of(ObjectMeta metadata) {
        return new Builder(metadata);
    }

    /** Returns a builder that starts from this claim. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata)
                .accessModes(accessModes)
                .storageClassName(storageClassName)
                .volumeMode(volumeMode)
                .attributesClassName(attributesClassName)
                .volumeName(volumeName)
                .phase(phase);
        builder.request = request;
        builder.selector = selector;
        return builder;
    }

    @Override
    public ObjectMeta metadata() {
        return metadata;
    }

    /** Returns the requested storage, in bytes; empty if not set. */
    public Optional<Quantity> request() {
        return Optional.ofNullable(request);
    }

    /** Returns the access modes that the volume must have, for example {@code ReadWriteOnce}. */
    public List<String> accessModes() {
        return accessModes;
    }

    /** Returns the storage class; empty for none. */
    public String storageClassName() {
        return metadata.annotations().getOrDefault(StorageClass.BETA_ANNOTATION, storageClassName);
    }

    /** Returns the storage class in the specification, ignoring the beta annotation; empty for none. */
    public String specifiedClassName() {
        return storageClassName;
    }

    /** Returns the volume mode: {@code Filesystem} or {@code Block}. */
    public String volumeMode() {
        return volumeMode;
    }

    /** Returns the volume attributes class; empty for none. */
    public String attributesClassName() {
        return attributesClassName;
    }

    /** Returns the selector of volumes by their labels; empty for all. */
    public Optional<LabelSelector> selector() {
        return Optional.ofNullable(selector);
    }

    /** Returns the volume that it is bound to or requests; empty if not set. */
    public String volumeName() {
        return volumeName;
    }

    /** Returns the phase: {@code Pending}, {@code Bound} or {@code Lost}. */
    public String phase() {
        return phase;
    }

    /** Returns whether the volume that it was bound to no longer exists. */
    public boolean isLost() {
        return phase.equals("Lost");
    }

    /** Returns whether it has a volume and its binding is complete. */
    public boolean isBound() {
        return !volumeName.isEmpty() && metadata.annotations().containsKey(BIND_COMPLETED);
    }

    /** Returns the node for which a volume should be provisioned. */
    public Optional<String> selectedNode() {
        return Optional.ofNullable(metadata.annotations().get(SELECTED_NODE));
    }

    /** Returns the same claim with the node for which a volume should be provisioned. */
    public PersistentVolumeClaim withSelectedNode(String nodeName) {
        return withMetadata(metadata.withAnnotation(SELECTED_NODE, nodeName));
    }

    /** Returns the same claim with other metadata. */
    public PersistentVolumeClaim withMetadata(ObjectMeta changed) {
        return toBuilder().metadata(changed).build();
    }

    /** Returns whether one of the pod's volumes uses this claim, also as an ephemeral volume. */
    public boolean isUsedBy(Pod pod) {
        if (namespace().equals(pod.namespace())) {
            for (Volume volume : pod.spec().volumes()) {
                if (volume.isClaim() && volume.claimName(pod).equals(name())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether one of the pod's volumes names this claim; ephemeral volumes do not. */
    public boolean isNamedBy(Pod pod) {
        return namespace().equals(pod.namespace()) && pod.spec().claimNames().contains(name());
    }

    /** Returns whether it was created for an ephemeral volume of this pod: the pod is its controller. */
    public boolean isCreatedFor(Pod pod) {
        return metadata.controller()
                        .filter(owner -> owner.uid().equals(pod.uid()))
                        .isPresent()
                && namespace().equals(pod.namespace());
    }

    @Override
    public String toString() {
        return key();
    }

    /** A builder of a {@link PersistentVolumeClaim}; unset values are empty or Kubernetes' default. */
    public static final class Builder {
        private ObjectMeta metadata;
        private @Nullable Quantity request;
        private List<String> accessModes = List.of();
        private String storageClassName = "";
        private String volumeMode = FILESYSTEM;
        private String attributesClassName = "";
        private @Nullable LabelSelector selector;
        private String volumeName = "";
        private String phase = "";

        private Builder(ObjectMeta metadata) {
            this.metadata = Objects.requireNonNull(metadata, "metadata");
        }

        /** Sets the metadata. */
        public Builder metadata(ObjectMeta value) {
            metadata = Objects.requireNonNull(value, "metadata");
            return this;
        }

        /** Sets the requested storage. */
        public Builder request(Quantity value) {
            request = Objects.requireNonNull(value, "request");
            return this;
        }

        /** Sets the access modes that the volume must have. */
        public Builder accessModes(List<String> value) {
            accessModes = Objects.requireNonNull(value, "accessModes");
            return this;
        }

        /** Sets the storage class. */
        public Builder storageClassName(String value) {
            storageClassName = Objects.requireNonNull(value, "storageClassName");
            return this;
        }

        /** Sets the volume mode. */
        public Builder volumeMode(String value) {
            volumeMode = Objects.requireNonNull(value, "volumeMode");
            return this;
        }

        /** Sets the volume attributes class. */
        public Builder attributesClassName(String value) {
            attributesClassName = Objects.requireNonNull(value, "attributesClassName");
            return this;
        }

        /** Sets the selector for eligible volumes. */
        public Builder selector(LabelSelector value) {
            selector = Objects.requireNonNull(value, "selector");
            return this;
        }

        /** Sets the volume. */
        public Builder volumeName(String value) {
            volumeName = Objects.requireNonNull(value, "volumeName");
            return this;
        }

        /** Sets the phase. */
        public Builder phase(String value) {
            phase = Objects.requireNonNull(value, "phase");
            return this;
        }

        /** Returns the claim. */
        public PersistentVolumeClaim build() {
            return new PersistentVolumeClaim(this);
        }
    }
}
