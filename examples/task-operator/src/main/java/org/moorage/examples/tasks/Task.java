// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.tasks;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Map;

/** A pod to create once it fits: the custom resource of {@code crd.yaml}. */
@Group("example.com")
@Version("v1")
public final class Task extends CustomResource<Task.Spec, Task.Progress> implements Namespaced {
    /** The pod's spec, unparsed: a model of pods may drop the fields of newer API servers. */
    public record Spec(Map<String, Object> podSpec) {}

    /** The progress: {@code Waiting}, {@code Created} or {@code Rejected}, with the reason. */
    public record Progress(String state, String message) {}
}
