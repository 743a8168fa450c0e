// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.annotation.Experimental;

/**
 * A group of pods that is scheduled as a unit. Its members are the pods of its namespace whose
 * {@link PodSpec#podGroupName} names it.
 *
 * @param metadata its name and the like
 * @param parentName the composite group that it is a child of, {@code spec.parentCompositePodGroupName}; empty if it
 *     has no parent
 * @param isGang whether {@code spec.schedulingPolicy} is {@code gang}
 * @param minCount the number of its pods that must be scheduled together, {@code spec.schedulingPolicy.gang.minCount};
 *     1 if it is no gang
 * @param topologyKeys the keys of {@code spec.schedulingConstraints.topology}
 * @param resourceClaims the claims that its pods may share, {@code spec.resourceClaims}
 * @param disruptionMode the unit of the group that is disrupted together, {@code spec.disruptionMode}
 * @param priority {@code spec.priority}; 0 if it has none
 * @param preemptionPolicy {@code spec.preemptionPolicy}
 * @param resourceClaimStatuses the claims that were created from the templates in {@code resourceClaims}
 * @param initiallyScheduled the condition {@link #INITIALLY_SCHEDULED}
 */
@Experimental
public record PodGroup(
        ObjectMeta metadata,
        String parentName,
        boolean isGang,
        int minCount,
        List<String> topologyKeys,
        List<PodSpec.ResourceClaim> resourceClaims,
        DisruptionMode disruptionMode,
        int priority,
        Optional<String> preemptionPolicy,
        List<PodStatus.ClaimStatus> resourceClaimStatuses,
        Optional<PodCondition> initiallyScheduled)
        implements SchedulingGroup {
    /** The type of the condition that reports whether the group's minimum number of pods was ever scheduled. */
    public static final String INITIALLY_SCHEDULED = "PodGroupInitiallyScheduled";

    public PodGroup {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(parentName, "parentName");
        minCount = isGang ? minCount : 1;
        topologyKeys = List.copyOf(topologyKeys);
        resourceClaims = List.copyOf(resourceClaims);
        Objects.requireNonNull(disruptionMode, "disruptionMode");
        Objects.requireNonNull(preemptionPolicy, "preemptionPolicy");
        resourceClaimStatuses = List.copyOf(resourceClaimStatuses);
        Objects.requireNonNull(initiallyScheduled, "initiallyScheduled");
    }

    /** Returns a builder of a group with the basic policy and nothing else. */
    public static Builder of(ObjectMeta metadata) {
        return new Builder(metadata);
    }

    /** Returns a builder that starts from this group's values. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata);
        builder.parentName = parentName;
        builder.isGang = isGang;
        builder.minCount = minCount;
        builder.topologyKeys = topologyKeys;
        builder.resourceClaims = resourceClaims;
        builder.disruptionMode = disruptionMode;
        builder.priority = priority;
        builder.preemptionPolicy = preemptionPolicy;
        builder.resourceClaimStatuses = resourceClaimStatuses;
        builder.initiallyScheduled = initiallyScheduled;
        return builder;
    }

    @Override
    public PodGroup withMetadata(ObjectMeta changed) {
        Builder builder = toBuilder();
        builder.metadata = changed;
        return builder.build();
    }

    @Override
    public int minimum() {
        return minCount;
    }

    @Override
    public String toString() {
        return key();
    }

    /** Collects the values of a {@link PodGroup}. */
    public static final class Builder {
        private ObjectMeta metadata;
        private String parentName = "";
        private boolean isGang;
        private int minCount = 1;
        private List<String> topologyKeys = List.of();
        private List<PodSpec.ResourceClaim> resourceClaims = List.of();
        private DisruptionMode disruptionMode = DisruptionMode.SINGLE;
        private int priority;
        private Optional<String> preemptionPolicy = Optional.empty();
        private List<PodStatus.ClaimStatus> resourceClaimStatuses = List.of();
        private Optional<PodCondition> initiallyScheduled = Optional.empty();

        private Builder(ObjectMeta metadata) {
            this.metadata = Objects.requireNonNull(metadata, "metadata");
        }

        /** Sets the name of the parent. */
        public Builder parentName(String value) {
            parentName = Objects.requireNonNull(value, "parentName");
            return this;
        }

        /** Makes it a gang with a minimum number of pods that must be scheduled together. */
        public Builder gang(int minimum) {
            isGang = true;
            minCount = minimum;
            return this;
        }

        /** Sets the keys of the topology constraints. */
        public Builder topologyKeys(List<String> value) {
            topologyKeys = Objects.requireNonNull(value, "topologyKeys");
            return this;
        }

        /** Sets the claims that its pods may share. */
        public Builder resourceClaims(List<PodSpec.ResourceClaim> value) {
            resourceClaims = Objects.requireNonNull(value, "resourceClaims");
            return this;
        }

        /** Sets the unit of the group that is disrupted together. */
        public Builder disruptionMode(DisruptionMode value) {
            disruptionMode = Objects.requireNonNull(value, "disruptionMode");
            return this;
        }

        /** Sets the priority. */
        public Builder priority(int value) {
            priority = value;
            return this;
        }

        /** Sets the preemption policy. */
        public Builder preemptionPolicy(String value) {
            preemptionPolicy = Optional.of(value);
            return this;
        }

        /** Sets the claims that were created for it. */
        public Builder resourceClaimStatuses(List<PodStatus.ClaimStatus> value) {
            resourceClaimStatuses = Objects.requireNonNull(value, "resourceClaimStatuses");
            return this;
        }

        /** Sets the condition. */
        public Builder initiallyScheduled(PodCondition value) {
            initiallyScheduled = Optional.of(value);
            return this;
        }

        /** Returns the group. */
        public PodGroup build() {
            return new PodGroup(
                    metadata,
                    parentName,
                    isGang,
                    minCount,
                    topologyKeys,
                    resourceClaims,
                    disruptionMode,
                    priority,
                    preemptionPolicy,
                    resourceClaimStatuses,
                    initiallyScheduled);
        }
    }
}
