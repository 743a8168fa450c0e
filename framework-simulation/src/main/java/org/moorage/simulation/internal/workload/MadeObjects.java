// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.moorage.objects.internal.ObjectKey;

/**
 * What the controller of a workload makes.
 *
 * @param objects pods, their claims, the replica set or job between the workload and its pods, and the group of these
 * @param templatePath where the workload has the template of its pods, for example {@code spec.template}
 * @param whyNone why the workload has no pods, for example {@code replicas: 0}; empty if it has some, here or in the cluster
 */
public record MadeObjects(List<ObjectNode> objects, String templatePath, String whyNone) {
    static final String TEMPLATE = "spec.template";

    public MadeObjects {
        objects = List.copyOf(objects);
    }

    static MadeObjects of(List<ObjectNode> objects) {
        return new MadeObjects(objects, TEMPLATE, "");
    }

    static MadeObjects none() {
        return of(List.of());
    }

    static MadeObjects none(String why) {
        return new MadeObjects(List.of(), TEMPLATE, why);
    }

    MadeObjects after(List<ObjectNode> first) {
        List<ObjectNode> all = new ArrayList<>(first);
        all.addAll(objects);
        return new MadeObjects(all, templatePath, whyNone);
    }

    MadeObjects withTemplatePath(String path) {
        return new MadeObjects(objects, path, whyNone);
    }

    /** The number of pods among the objects. */
    public int pods() {
        int pods = 0;
        for (ObjectNode object : objects) {
            pods += ObjectKey.of(object).kind().equals("Pod") ? 1 : 0;
        }
        return pods;
    }
}
