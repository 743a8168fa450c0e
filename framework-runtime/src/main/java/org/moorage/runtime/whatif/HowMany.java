// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.Map;

/** The number of copies of a pod that can be scheduled. Immutable. */
public interface HowMany {
    /** Returns the number of scheduled copies. */
    int count();

    /** Returns the numbers of copies by node name, in the order in which the nodes were first chosen. */
    Map<String, Integer> byNode();

    /**
     * Returns the reason why the next copy is unschedulable: the message of its condition. Empty if the requested
     * number was scheduled.
     */
    String stoppedBy();
}
