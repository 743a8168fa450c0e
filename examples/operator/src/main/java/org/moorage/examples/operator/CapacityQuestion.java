// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.operator;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Map;

/** How many pods of a template would fit: the custom resource of {@code crd.yaml}. The status is null if there is none yet. */
@Group("example.com")
@Version("v1")
public final class CapacityQuestion extends CustomResource<CapacityQuestion.Spec, CapacityQuestion.Answer>
        implements Namespaced {
    /** What is asked. */
    public record Spec(Template template, int count, List<String> withoutNodes) {}

    /** As it was written: a model of pods may have no place for fields of newer API servers. */
    public record Template(Map<String, Object> metadata, Map<String, Object> spec) {}

    /** What was found. */
    public record Answer(
            int fits, Map<String, Integer> byNode, String stoppedBy, String refused, long observedGeneration) {}
}
