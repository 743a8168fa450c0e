// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Map;
import org.moorage.api.model.Pod;

/**
 * A web service of the configuration that has a say in scheduling. The scheduler itself has it filter, score and bind; a
 * PostFilter plugin that preempts asks it about the candidates.
 */
public interface Extender {
    /** Its address, which identifies it. */
    String name();

    /** Whether scheduling goes on without it when it fails. */
    boolean isIgnorable();

    /** Whether it takes care of a resource that the pod requests; every pod's if it names no resources. */
    boolean isInterested(Pod pod);

    /** Whether it has a say in preemption. */
    boolean supportsPreemption();

    /**
     * The pods that would have to leave a node.
     *
     * @param pods the pods, the most important first; each of them once
     * @param pdbViolations how many of them are protected by a disruption budget
     */
    record Victims(List<Pod> pods, long pdbViolations) {
        public Victims {
            pods = Pod.distinct(pods);
        }
    }

    /**
     * Asks which of these nodes are candidates for preemption, and who would have to leave each. It waits for the answer, and is
     * to be called from {@link PostFilterPlugin#postFilter} only.
     *
     * @param pod the pod that preempts
     * @param victimsByNode the candidates so far
     * @return the candidates that remain, in the order of the answer, possibly with other victims
     * @throws RuntimeException if it fails, with the reason as message
     */
    Map<String, Victims> processPreemption(Pod pod, Map<String, Victims> victimsByNode);
}
