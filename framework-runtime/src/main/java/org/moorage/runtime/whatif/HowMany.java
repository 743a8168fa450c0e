// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.Map;

/** How many pods of a template there is room for. Immutable. */
public interface HowMany {
    /** How many found a node. */
    int count();

    /** How many found each node, by its name, in the order in which the nodes were first chosen. */
    Map<String, Integer> byNode();

    /** Why the next one finds none: the sentence of its condition. Empty if as many as were asked for found one. */
    String stoppedBy();
}
