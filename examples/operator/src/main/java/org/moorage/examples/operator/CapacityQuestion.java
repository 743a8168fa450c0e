// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.operator;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Map;

/**
 * How many pods of a template would fit: the custom resource of {@code crd.yaml}. The status is null if there is none
 * yet.
 */
@Group("example.com")
@Version("v1")
public final class CapacityQuestion extends CustomResource<CapacityQuestion.Spec, CapacityQuestion.Answer>
        implements Namespaced {
    /** The question. */
    public record Spec(Template template, int count, List<String> withoutNodes) {}

    /** The unparsed template: a model of pods may drop the fields of newer API servers. */
    public record Template(Map<String, Object> metadata, Map<String, Object> spec) {}

    /** The answer. */
    public record Answer(
            int fits, Map<String, Integer> byNode, String stoppedBy, String refused, long observedGeneration) {}
}
