// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Asks us what kube-scheduler was asked, and compares. Safe for use by several threads. */
interface VectorCheck {
    /** Everything that was compared, at least one thing. The vector may be changed. */
    List<Comparison> check(ObjectNode vector);
}
