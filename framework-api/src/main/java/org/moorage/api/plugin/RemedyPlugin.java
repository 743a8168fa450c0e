// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * A plugin that knows which changes of objects would make it accept a pod, such as a larger quota. What-if questions try
 * each of them on a copy of the cluster, and show those with which the pod fits.
 */
public interface RemedyPlugin extends Plugin {
    /**
     * Returns changes that may help a pending pod, the smallest ones first. Called at any time in a what-if question,
     * also for pods that other plugins reject.
     *
     * @return none if the plugin accepts the pod, or knows no change
     */
    List<Remedy> remedies(Pod pod);

    /** A change of objects. */
    final class Remedy {
        private final String change;
        private final List<ClusterObject> objects;

        private Remedy(String change, List<ClusterObject> objects) {
            this.change = Objects.requireNonNull(change, "change");
            this.objects = List.copyOf(objects);
        }

        /**
         * Returns a remedy.
         *
         * @param change what to do, for people, beginning with a verb: {@code raise spec.max of ElasticQuota
         *     team-a/quota by cpu 1}
         * @param objects the objects after the change; new objects, and pods without a node, are added
         */
        public static Remedy of(String change, List<ClusterObject> objects) {
            return new Remedy(change, objects);
        }

        /** Returns what to do, for people. */
        public String change() {
            return change;
        }

        /** Returns the objects after the change. */
        public List<ClusterObject> objects() {
            return objects;
        }

        @Override
        public String toString() {
            return change;
        }
    }
}
