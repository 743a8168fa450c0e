// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.annotation.Experimental;

/**
 * A group of groups that is scheduled as a unit. Its children are the pod groups and composite groups of its namespace
 * that name it as their parent.
 *
 * @param metadata its name and the like
 * @param parentName the composite group that it is a child of, {@code spec.parentCompositePodGroupName}; empty if it
 *     has no parent
 * @param isGang whether {@code spec.schedulingPolicy} is {@code gang}
 * @param minGroupCount the number of its children that must be scheduled together,
 *     {@code spec.schedulingPolicy.gang.minGroupCount}; 1 if it is no gang
 * @param topologyKeys the keys of {@code spec.schedulingConstraints.topology}
 * @param disruptionMode the unit of the group that is disrupted together, {@code spec.disruptionMode}
 * @param priority {@code spec.priority}; 0 if it has none
 * @param preemptionPolicy {@code spec.preemptionPolicy}
 */
@Experimental
public record CompositePodGroup(
        ObjectMeta metadata,
        String parentName,
        boolean isGang,
        int minGroupCount,
        List<String> topologyKeys,
        DisruptionMode disruptionMode,
        int priority,
        Optional<String> preemptionPolicy)
        implements SchedulingGroup {
    public CompositePodGroup {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(parentName, "parentName");
        minGroupCount = isGang ? minGroupCount : 1;
        topologyKeys = List.copyOf(topologyKeys);
        Objects.requireNonNull(disruptionMode, "disruptionMode");
        Objects.requireNonNull(preemptionPolicy, "preemptionPolicy");
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
        builder.minGroupCount = minGroupCount;
        builder.topologyKeys = topologyKeys;
        builder.disruptionMode = disruptionMode;
        builder.priority = priority;
        builder.preemptionPolicy = preemptionPolicy;
        return builder;
    }

    @Override
    public CompositePodGroup withMetadata(ObjectMeta changed) {
        Builder builder = toBuilder();
        builder.metadata = changed;
        return builder.build();
    }

    @Override
    public int minimum() {
        return minGroupCount;
    }

    @Override
    public String toString() {
        return key();
    }

    /** Collects the values of a {@link CompositePodGroup}. */
    public static final class Builder {
        private ObjectMeta metadata;
        private String parentName = "";
        private boolean isGang;
        private int minGroupCount = 1;
        private List<String> topologyKeys = List.of();
        private DisruptionMode disruptionMode = DisruptionMode.SINGLE;
        private int priority;
        private Optional<String> preemptionPolicy = Optional.empty();

        private Builder(ObjectMeta metadata) {
            this.metadata = Objects.requireNonNull(metadata, "metadata");
        }

        /** Sets the name of the parent. */
        public Builder parentName(String value) {
            parentName = Objects.requireNonNull(value, "parentName");
            return this;
        }

        /** Makes it a gang with a minimum number of children that must be scheduled together. */
        public Builder gang(int minimum) {
            isGang = true;
            minGroupCount = minimum;
            return this;
        }

        /** Sets the keys of the topology constraints. */
        public Builder topologyKeys(List<String> value) {
            topologyKeys = Objects.requireNonNull(value, "topologyKeys");
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

        /** Returns the group. */
        public CompositePodGroup build() {
            return new CompositePodGroup(
                    metadata,
                    parentName,
                    isGang,
                    minGroupCount,
                    topologyKeys,
                    disruptionMode,
                    priority,
                    preemptionPolicy);
        }
    }
}
