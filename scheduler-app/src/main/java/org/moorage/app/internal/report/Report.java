// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a command prints, in each of its forms. */
public interface Report {
    /** Prints it for people. */
    void print(Terminal terminal);

    /** The same for programs. */
    ObjectNode tree();
}
