// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import org.moorage.api.model.Pod;

/** A comparison of the scheduling of pods by two profiles. Immutable. */
public interface ProfileComparison {
    /** Returns the result with the pods' own profiles. */
    PlacedPods own();

    /** Returns the result with the other profile. */
    PlacedPods other();

    /** Returns the pods with different results: on different nodes, or with a node in only one of the two, in order. */
    List<Pod> moved();
}
