// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.moorage.objects.tree.ObjectKey;

/**
 * The objects that the controller of a workload creates, and the pods that it deletes.
 *
 * @param objects pods, their claims, the replica set or job between the workload and its pods, and the group of these
 * @param deleted the pods that are more than the workload wants, or of a former template
 * @param rollout what is assumed of the rollout of another template; empty if there is none
 * @param templatePath where the workload has the template of its pods, for example {@code spec.template}
 * @param whyNone why the workload has no pods, for example {@code replicas: 0}; empty if it has some, here or in the
 *     cluster
 */
public record MadeObjects(
        List<ObjectNode> objects, List<ObjectKey> deleted, String rollout, String templatePath, String whyNone) {
    static final String TEMPLATE = "spec.template";
    /** The progress of a rollout depends on when pods become ready, and no kubelet reports that here. */
    static final String ROLLED_OUT = "rolled out to its new template, as if each new pod became ready";

    public MadeObjects {
        objects = List.copyOf(objects);
        deleted = List.copyOf(deleted);
    }

    static MadeObjects of(List<ObjectNode> objects) {
        return new MadeObjects(objects, List.of(), "", TEMPLATE, "");
    }

    static MadeObjects none() {
        return of(List.of());
    }

    static MadeObjects none(String why) {
        return new MadeObjects(List.of(), List.of(), "", TEMPLATE, why);
    }

    MadeObjects after(List<ObjectNode> first) {
        List<ObjectNode> all = new ArrayList<>(first);
        all.addAll(objects);
        return new MadeObjects(all, deleted, rollout, templatePath, whyNone);
    }

    MadeObjects withTemplatePath(String path) {
        return new MadeObjects(objects, deleted, rollout, path, whyNone);
    }

    MadeObjects deleting(List<ObjectKey> pods) {
        return new MadeObjects(objects, pods, rollout, templatePath, whyNone);
    }

    MadeObjects rolledOut() {
        return new MadeObjects(objects, deleted, ROLLED_OUT, templatePath, whyNone);
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
