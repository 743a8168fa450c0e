// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodGroup;

/**
 * A builder of pod groups for tests, by default in the namespace {@code default}. {@link Pods#podGroup} makes a pod a
 * member.
 *
 * <pre>{@code
 * PodGroup training = PodGroups.named("training").gang(3).topologyKey("rack").build();
 * }</pre>
 */
public final class PodGroups {
    private final String name;
    private final Map<String, String> labels = new HashMap<>();
    private final Map<String, String> annotations = new HashMap<>();
    private String namespace = "default";
    private UnaryOperator<PodGroup.Builder> spec = UnaryOperator.identity();

    private PodGroups(String name) {
        this.name = name;
    }

    /** Returns a builder of a group with that name, for which one scheduled pod is sufficient. */
    public static PodGroups named(String name) {
        return new PodGroups(name);
    }

    /** Sets the namespace. */
    public PodGroups namespace(String value) {
        namespace = value;
        return this;
    }

    /** Adds a label. */
    public PodGroups label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    /** Adds an annotation. */
    public PodGroups annotation(String key, String value) {
        annotations.put(key, value);
        return this;
    }

    /** Makes it a gang: at least {@code minCount} pods are scheduled together, or none. */
    public PodGroups gang(int minCount) {
        return with(builder -> builder.gang(minCount));
    }

    /** Requires that its pods are scheduled to nodes with the same value of this label. */
    public PodGroups topologyKey(String key) {
        return with(builder -> builder.topologyKeys(List.of(key)));
    }

    /** Makes it a child of a composite pod group. */
    public PodGroups parent(String compositeName) {
        return with(builder -> builder.parentName(compositeName));
    }

    /** Sets the priority, which should be that of its pods. */
    public PodGroups priority(int value) {
        return with(builder -> builder.priority(value));
    }

    /** Sets whether it is disrupted as a whole. */
    public PodGroups disruptionMode(DisruptionMode value) {
        return with(builder -> builder.disruptionMode(value));
    }

    private PodGroups with(UnaryOperator<PodGroup.Builder> change) {
        UnaryOperator<PodGroup.Builder> before = spec;
        spec = builder -> change.apply(before.apply(builder));
        return this;
    }

    /** Returns the group. */
    public PodGroup build() {
        return spec.apply(PodGroup.of(ObjectMeta.named(name)
                        .namespace(namespace)
                        .uid(namespace + "/" + name)
                        .labels(labels)
                        .annotations(annotations)
                        .build()))
                .build();
    }
}
