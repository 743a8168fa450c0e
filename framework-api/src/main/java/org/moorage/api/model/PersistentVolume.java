// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A piece of storage that a {@link PersistentVolumeClaim} can be bound to. */
public final class PersistentVolume implements ClusterObject {
    /** The annotation that says that a controller, and not a person, bound the volume. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

    /** The phase of a volume that is bound to no claim and can be. */
    public static final String AVAILABLE = "Available";
    /** The phase of a volume that is bound to a claim. */
    public static final String BOUND = "Bound";

    private final ObjectMeta metadata;
    private final Quantity capacity;
    private final List<String> accessModes;
    private final String storageClassName;
    private final String volumeMode;
    private final String attributesClassName;
    private final @Nullable NodeSelector nodeAffinity;
    private final @Nullable ClaimReference claim;
    private final @Nullable CsiSource csi;
    private final @Nullable InTreeVolume inTreeVolume;
    private final String phase;

    private PersistentVolume(Builder builder) {
        metadata = builder.metadata;
        capacity = builder.capacity;
        accessModes = List.copyOf(builder.accessModes);
        storageClassName = builder.storageClassName;
        volumeMode = builder.volumeMode;
        attributesClassName = builder.attributesClassName;
        nodeAffinity = builder.nodeAffinity;
        claim = builder.claim;
        csi = builder.csi;
        inTreeVolume = builder.inTreeVolume;
        phase = builder.phase;
    }

    /**
     * The claim that a volume is bound to, or kept for.
     *
     * @param namespace the claim's namespace
     * @param name the claim's name
     * @param uid the claim's identity; empty if the volume is kept for whatever claim has the name
     */
    public record ClaimReference(String namespace, String name, String uid) {
        /** A reference to this very claim. */
        public static ClaimReference to(PersistentVolumeClaim claim) {
            return new ClaimReference(
                    claim.namespace(), claim.name(), claim.metadata().uid());
        }

        /** Whether the volume is kept for this claim. */
        public boolean covers(PersistentVolumeClaim other) {
            return name.equals(other.name())
                    && namespace.equals(other.namespace())
                    && (uid.isEmpty() || uid.equals(other.metadata().uid()));
        }
    }

    /**
     * A volume of a storage driver.
     *
     * @param driver the driver's name
     * @param handle what the driver calls the volume
     */
    public record CsiSource(String driver, String handle) {}

    /** A builder for a volume with this metadata. */
    public static Builder of(ObjectMeta metadata) {
        return new Builder(metadata);
    }

    /** A builder that starts from this volume. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata)
                .capacity(capacity)
                .accessModes(accessModes)
                .storageClassName(storageClassName)
                .volumeMode(volumeMode)
                .attributesClassName(attributesClassName)
                .phase(phase);
        builder.nodeAffinity = nodeAffinity;
        builder.claim = claim;
        builder.csi = csi;
        builder.inTreeVolume = inTreeVolume;
        return builder;
    }

    @Override
    public ObjectMeta metadata() {
        return metadata;
    }

    /** How much fits on it, in bytes. */
    public Quantity capacity() {
        return capacity;
    }

    /** The ways in which it can be mounted, for example {@code ReadWriteOnce}. */
    public List<String> accessModes() {
        return accessModes;
    }

    /** The class that it belongs to; empty for none. */
    public String storageClassName() {
        return metadata.annotations().getOrDefault(StorageClass.BETA_ANNOTATION, storageClassName);
    }

    /** The class without regard to the annotation in which old volumes name it; empty for none. */
    public String specifiedClassName() {
        return storageClassName;
    }

    /** {@code Filesystem} or {@code Block}. */
    public String volumeMode() {
        return volumeMode;
    }

    /** The class of its changeable attributes; empty for none. */
    public String attributesClassName() {
        return attributesClassName;
    }

    /** The nodes from which it can be reached; empty for all. Only their labels are looked at. */
    public Optional<NodeSelector> nodeAffinity() {
        return Optional.ofNullable(nodeAffinity);
    }

    /** The claim that it is bound to or kept for. */
    public Optional<ClaimReference> claim() {
        return Optional.ofNullable(claim);
    }

    /** The driver's volume that it is. */
    public Optional<CsiSource> csi() {
        return Optional.ofNullable(csi);
    }

    /** The disk of a cloud that it is. */
    public Optional<InTreeVolume> inTreeVolume() {
        return Optional.ofNullable(inTreeVolume);
    }

    /** {@code Pending}, {@code Available}, {@code Bound}, {@code Released} or {@code Failed}. */
    public String phase() {
        return phase;
    }

    /**
     * Whether it could serve a claim: it is not kept for another one, is large enough, has the same mode and attributes, and
     * is not about to go.
     */
    public boolean couldServe(PersistentVolumeClaim other) {
        return (claim == null || claim.covers(other))
                && capacity.compareTo(other.request().orElse(Quantity.ZERO)) >= 0
                && volumeMode.equals(other.volumeMode())
                && attributesClassName.equals(other.attributesClassName())
                && !metadata.isDeleting();
    }

    /** Whether a claim may take it, if it could serve the claim and is of its class, although it is not kept for the claim. */
    public boolean isFreeFor(PersistentVolumeClaim other) {
        return phase.equals(AVAILABLE)
                && (other.selector().isEmpty() || other.selector().get().matches(metadata.labels()))
                && accessModes.containsAll(other.accessModes());
    }

    /**
     * The volume with its reference to a claim, marked as bound by a controller unless somebody else had kept it for the claim;
     * this volume if it has the reference already.
     */
    public PersistentVolume boundTo(PersistentVolumeClaim other) {
        ClaimReference reference = ClaimReference.to(other);
        if (reference.equals(claim)) {
            return this;
        }
        boolean isKept = claim != null && claim.covers(other);
        return toBuilder()
                .metadata(isKept ? metadata : metadata.withAnnotation(BOUND_BY_CONTROLLER, "yes"))
                .claim(reference)
                .build();
    }

    /** The same volume with other metadata. */
    public PersistentVolume withMetadata(ObjectMeta changed) {
        return toBuilder().metadata(changed).build();
    }

    @Override
    public String toString() {
        return name();
    }

    /** Collects the values of a {@link PersistentVolume}; what is not set is empty, or Kubernetes' default. */
    public static final class Builder {
        private ObjectMeta metadata;
        private Quantity capacity = Quantity.ZERO;
        private List<String> accessModes = List.of();
        private String storageClassName = "";
        private String volumeMode = PersistentVolumeClaim.FILESYSTEM;
        private String attributesClassName = "";
        private @Nullable NodeSelector nodeAffinity;
        private @Nullable ClaimReference claim;
        private @Nullable CsiSource csi;
        private @Nullable InTreeVolume inTreeVolume;
        private String phase = "";

        private Builder(ObjectMeta metadata) {
            this.metadata = Objects.requireNonNull(metadata, "metadata");
        }

        /** Sets the metadata. */
        public Builder metadata(ObjectMeta value) {
            metadata = Objects.requireNonNull(value, "metadata");
            return this;
        }

        /** Sets how much fits on it. */
        public Builder capacity(Quantity value) {
            capacity = Objects.requireNonNull(value, "capacity");
            return this;
        }

        /** Sets the ways in which it can be mounted. */
        public Builder accessModes(List<String> value) {
            accessModes = Objects.requireNonNull(value, "accessModes");
            return this;
        }

        /** Sets the class. */
        public Builder storageClassName(String value) {
            storageClassName = Objects.requireNonNull(value, "storageClassName");
            return this;
        }

        /** Sets the mode. */
        public Builder volumeMode(String value) {
            volumeMode = Objects.requireNonNull(value, "volumeMode");
            return this;
        }

        /** Sets the class of its attributes. */
        public Builder attributesClassName(String value) {
            attributesClassName = Objects.requireNonNull(value, "attributesClassName");
            return this;
        }

        /** Sets the nodes from which it can be reached. */
        public Builder nodeAffinity(NodeSelector value) {
            nodeAffinity = Objects.requireNonNull(value, "nodeAffinity");
            return this;
        }

        /** Sets the claim. */
        public Builder claim(ClaimReference value) {
            claim = Objects.requireNonNull(value, "claim");
            return this;
        }

        /** Sets the driver's volume. */
        public Builder csi(CsiSource value) {
            csi = Objects.requireNonNull(value, "csi");
            return this;
        }

        /** Sets the disk of a cloud. */
        public Builder inTreeVolume(InTreeVolume value) {
            inTreeVolume = Objects.requireNonNull(value, "inTreeVolume");
            return this;
        }

        /** Sets the phase. */
        public Builder phase(String value) {
            phase = Objects.requireNonNull(value, "phase");
            return this;
        }

        /** The volume. */
        public PersistentVolume build() {
            return new PersistentVolume(this);
        }
    }
}
