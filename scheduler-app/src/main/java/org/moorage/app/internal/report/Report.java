// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.util.List;
import java.util.Map;

/** An answer with its layout for people. */
public interface Report {
    /** Returns the answer, for programs. */
    Answer answer();

    /** Prints the answer for people. */
    void print(Terminal terminal);

    /**
     * Returns whether the answer is yes, such as that every pod is scheduled; the command then ends with 0, and
     * otherwise with 1.
     */
    boolean succeeded();

    /**
     * Returns the pods and nodes that the answer is about, as kubectl names them, such as {@code pod/shop/web-1} and
     * {@code node/node-1}.
     */
    List<String> names();

    /**
     * Returns three to six figures by name that a page shows next to the headline; none if the headline has them all.
     */
    default Map<String, String> figures() {
        return Map.of();
    }
}
