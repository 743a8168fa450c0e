// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import org.moorage.api.model.Pod;

/** Where pods go by two profiles. Immutable. */
public interface ProfileComparison {
    /** Where they go by their own profiles. */
    PlacedPods own();

    /** Where they go by the other one. */
    PlacedPods other();

    /** Those that go elsewhere, or have a node by one of the two alone, in order. */
    List<Pod> moved();
}
