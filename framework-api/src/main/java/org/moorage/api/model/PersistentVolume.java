// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Storage that a {@link PersistentVolumeClaim} can be bound to. */
public final class PersistentVolume implements ClusterObject {
    /** The annotation of volumes that a controller, not a user, bound to a claim. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

    /** The phase of a volume that is not bound to a claim yet. */
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
     * The claim that a volume is bound to or reserved for ({@code claimRef}).
     *
     * @param namespace the claim's namespace
     * @param name the claim's name
     * @param uid the claim's UID; empty if the volume is reserved for any claim of that name
     */
    public record ClaimReference(String namespace, String name, String uid) {
        /** Returns a reference to this claim, with its UID. */
        public static ClaimReference to(PersistentVolumeClaim claim) {
            return new ClaimReference(
                    claim.namespace(), claim.name(), claim.metadata().uid());
        }

        /** Returns whether the reference is to this claim. */
        public boolean refersTo(PersistentVolumeClaim other) {
            return name.equals(other.name())
                    && namespace.equals(other.namespace())
                    && (uid.isEmpty() || uid.equals(other.metadata().uid()));
        }
    }

    /**
     * A volume of a CSI driver.
     *
     * @param driver the driver's name
     * @param handle the volume handle
     */
    public record CsiSource(String driver, String handle) {}

    /** Returns a builder for a volume with this metadata. */
    public static Builder of(ObjectMeta metadata) {
        return new Builder(metadata);
    }

    /** Returns a builder that starts from this volume. */
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

    /** Returns the capacity, in bytes. */
    public Quantity capacity() {
        return capacity;
    }

    /** Returns the access modes, for example {@code ReadWriteOnce}. */
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

    /** Returns the nodes that can access the volume; empty for all. Only labels of nodes are matched. */
    public Optional<NodeSelector> nodeAffinity() {
        return Optional.ofNullable(nodeAffinity);
    }

    /** Returns the claim that it is bound to or reserved for. */
    public Optional<ClaimReference> claim() {
        return Optional.ofNullable(claim);
    }

    /** Returns the CSI volume; empty if it is none. */
    public Optional<CsiSource> csi() {
        return Optional.ofNullable(csi);
    }

    /** Returns the in-tree volume; empty if it is none. */
    public Optional<InTreeVolume> inTreeVolume() {
        return Optional.ofNullable(inTreeVolume);
    }

    /** Returns the phase: {@code Pending}, {@code Available}, {@code Bound}, {@code Released} or {@code Failed}. */
    public String phase() {
        return phase;
    }

    /**
     * Returns whether the volume can satisfy a claim: it is not reserved for another claim, is large enough, has the
     * same volume mode and volume attributes class, and is not being deleted.
     */
    public boolean canSatisfy(PersistentVolumeClaim other) {
        return (claim == null || claim.refersTo(other))
                && capacity.compareTo(other.request().orElse(Quantity.ZERO)) >= 0
                && volumeMode.equals(other.volumeMode())
                && attributesClassName.equals(other.attributesClassName())
                && !metadata.isDeleting();
    }

    /**
     * Returns whether it is available to a claim that it is not reserved for: its phase, labels and access modes match.
     */
    public boolean isAvailableFor(PersistentVolumeClaim other) {
        return phase.equals(AVAILABLE)
                && (other.selector().isEmpty() || other.selector().get().matches(metadata.labels()))
                && accessModes.containsAll(other.accessModes());
    }

    /**
     * Returns the volume with its reference to a claim. It is annotated as bound by a controller, unless it was already
     * reserved for the claim. Returns this volume if it already has the reference.
     */
    public PersistentVolume boundTo(PersistentVolumeClaim other) {
        ClaimReference reference = ClaimReference.to(other);
        if (reference.equals(claim)) {
            return this;
        }
        boolean isKept = claim != null && claim.refersTo(other);
        return toBuilder()
                .metadata(isKept ? metadata : metadata.withAnnotation(BOUND_BY_CONTROLLER, "yes"))
                .claim(reference)
                .build();
    }

    /** Returns the same volume with other metadata. */
    public PersistentVolume withMetadata(ObjectMeta changed) {
        return toBuilder().metadata(changed).build();
    }

    @Override
    public String toString() {
        return name();
    }

    /** A builder of a {@link PersistentVolume}; unset values are empty or Kubernetes' default. */
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

        /** Sets the capacity. */
        public Builder capacity(Quantity value) {
            capacity = Objects.requireNonNull(value, "capacity");
            return this;
        }

        /** Sets the access modes. */
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

        /** Sets the nodes that can access the volume. */
        public Builder nodeAffinity(NodeSelector value) {
            nodeAffinity = Objects.requireNonNull(value, "nodeAffinity");
            return this;
        }

        /** Sets the claim. */
        public Builder claim(ClaimReference value) {
            claim = Objects.requireNonNull(value, "claim");
            return this;
        }

        /** Sets the CSI volume. */
        public Builder csi(CsiSource value) {
            csi = Objects.requireNonNull(value, "csi");
            return this;
        }

        /** Sets the in-tree volume. */
        public Builder inTreeVolume(InTreeVolume value) {
            inTreeVolume = Objects.requireNonNull(value, "inTreeVolume");
            return this;
        }

        /** Sets the phase. */
        public Builder phase(String value) {
            phase = Objects.requireNonNull(value, "phase");
            return this;
        }

        /** Returns the volume. */
        public PersistentVolume build() {
            return new PersistentVolume(this);
        }
    }
}
