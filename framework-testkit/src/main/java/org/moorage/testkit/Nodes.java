// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Taint;

/**
 * A builder of nodes for tests. By default, a node allows 110 pods and has no other allocatable resources.
 *
 * <pre>{@code
 * Node node = Nodes.named("n1").allocatable("cpu", "4").taint("gpu", "", Taint.NO_SCHEDULE).build();
 * }</pre>
 */
public final class Nodes {
    private final String name;
    private final Map<String, String> labels = new HashMap<>();
    private final Map<String, String> annotations = new HashMap<>();
    private final List<Taint> taints = new ArrayList<>();
    private final Map<String, Quantity> capacity = new HashMap<>();
    private final Map<String, Quantity> allocatable = new HashMap<>();
    private final List<ContainerImage> images = new ArrayList<>();
    private final Map<String, String> conditions = new HashMap<>();
    private final List<String> declaredFeatures = new ArrayList<>();
    private boolean unschedulable;

    private Nodes(String name) {
        this.name = name;
        allocatable.put("pods", Quantity.of(110));
    }

    /** Returns a builder of a node with that name. */
    public static Nodes named(String name) {
        return new Nodes(name);
    }

    /** Adds a label. */
    public Nodes label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    /** Puts the node into a zone. */
    public Nodes zone(String zone) {
        return label("topology.kubernetes.io/zone", zone);
    }

    /** Adds an annotation. */
    public Nodes annotation(String key, String value) {
        annotations.put(key, value);
        return this;
    }

    /** Cordons the node. */
    public Nodes unschedulable() {
        unschedulable = true;
        return this;
    }

    /** Adds a taint. */
    public Nodes taint(String key, String value, String effect) {
        taints.add(new Taint(key, value, effect));
        return this;
    }

    /** Sets the capacity of a resource, for example {@code "cpu", "4"}; it is not derived from the allocatable amount. */
    public Nodes capacity(String resource, String quantity) {
        capacity.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Sets the allocatable amount of a resource, for example {@code "cpu", "4"} or {@code "pods", "10"}. */
    public Nodes allocatable(String resource, String quantity) {
        allocatable.put(resource, Quantity.parse(quantity));
        return this;
    }

    /** Adds a container image that is on the node. */
    public Nodes image(long sizeBytes, String... names) {
        images.add(new ContainerImage(List.of(names), sizeBytes));
        return this;
    }

    /** Sets the status of a condition, for example {@code "Ready", "True"}. */
    public Nodes condition(String type, String status) {
        conditions.put(type, status);
        return this;
    }

    /** Adds a feature that the node declares. */
    public Nodes declaredFeature(String feature) {
        declaredFeatures.add(feature);
        return this;
    }

    /** Returns the node. */
    public Node build() {
        return Node.of(ObjectMeta.named(name)
                        .uid(name)
                        .labels(labels)
                        .annotations(annotations)
                        .build())
                .unschedulable(unschedulable)
                .taints(taints)
                .capacity(capacity)
                .allocatable(allocatable)
                .images(images)
                .conditions(conditions)
                .declaredFeatures(declaredFeatures)
                .build();
    }
}
