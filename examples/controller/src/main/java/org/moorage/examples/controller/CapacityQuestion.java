// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.controller;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;

/**
 * How many pods of a template would fit: the custom resource of {@code crd.yaml}. The status is null if there is none
 * yet.
 */
public record CapacityQuestion(String apiVersion, String kind, V1ObjectMeta metadata, Spec spec, Answer status)
        implements KubernetesObject {
    record Spec(Template template, int count, List<String> withoutNodes) {}

    /** The unparsed template: a model of pods would drop the fields of newer API servers. */
    record Template(Map<String, Object> metadata, Map<String, Object> spec) {}

    record Answer(int fits, Map<String, Integer> byNode, String stoppedBy, String refused, long observedGeneration) {}

    @Override
    public V1ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public String getKind() {
        return kind;
    }

    record Items(String apiVersion, String kind, V1ListMeta metadata, List<CapacityQuestion> items)
            implements KubernetesListObject {
        @Override
        public V1ListMeta getMetadata() {
            return metadata;
        }

        @Override
        public List<CapacityQuestion> getItems() {
            return items;
        }

        @Override
        public String getApiVersion() {
            return apiVersion;
        }

        @Override
        public String getKind() {
            return kind;
        }
    }
}
