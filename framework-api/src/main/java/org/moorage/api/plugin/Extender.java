// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.PostFilterPlugin;

/**
 * A configured scheduler extender: a web service that takes part in scheduling. The scheduler calls it to filter, score
 * and bind; a PostFilter plugin that preempts calls it to check the candidates.
 */
public interface Extender {
    /** Returns the extender's address, which identifies it. */
    String name();

    /** Returns whether scheduling continues without the extender when it fails. */
    boolean isIgnorable();

    /** Returns whether the extender manages a resource that the pod requests; always true if it names no resources. */
    boolean isInterested(Pod pod);

    /** Returns whether the extender takes part in preemption. */
    boolean supportsPreemption();

    /** The pods that preemption would evict from a node. */
    final class Victims {
        private final List<Pod> pods;
        private final long pdbViolations;

        private Victims(List<Pod> pods, long pdbViolations) {
            this.pods = Pod.distinct(pods);
            this.pdbViolations = pdbViolations;
        }

        /** Returns the victims with these {@link #pods}, duplicates of which count once. */
        public static Victims of(List<Pod> pods, long pdbViolations) {
            return new Victims(pods, pdbViolations);
        }

        /** Returns the victims, most important first. */
        public List<Pod> pods() {
            return pods;
        }

        /** Returns the number of victims that are protected by a pod disruption budget. */
        public long pdbViolations() {
            return pdbViolations;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Victims that && pods.equals(that.pods) && pdbViolations == that.pdbViolations;
        }

        @Override
        public int hashCode() {
            return Objects.hash(pods, pdbViolations);
        }

        @Override
        public String toString() {
            return "Victims[pods=" + pods + ", pdbViolations=" + pdbViolations + "]";
        }
    }

    /**
     * Returns the nodes that remain candidates for preemption, with their victims. The call blocks until the extender
     * responds; call it from {@link PostFilterPlugin#postFilter} only.
     *
     * @param pod the pod that preempts
     * @param victimsByNode the candidates so far, by node name
     * @return the candidates that remain, in the order of the response, possibly with other victims
     * @throws RuntimeException if the extender fails; the message is the reason
     */
    Map<String, Victims> processPreemption(Pod pod, Map<String, Victims> victimsByNode);
}
