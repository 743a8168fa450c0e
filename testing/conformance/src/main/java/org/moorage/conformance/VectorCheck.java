// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Runs a recorded case in Moorage and compares the results. Safe for use by several threads. */
interface VectorCheck {
    /** Returns all comparisons, at least one. May modify the vector. */
    List<Comparison> check(ObjectNode vector);
}
