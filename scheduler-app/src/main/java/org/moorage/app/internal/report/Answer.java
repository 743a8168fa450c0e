// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

/** The answer to a question: a record whose components are the fields of {@code -o json}, in that order. */
public interface Answer {
    /** Returns the answer without its lists of pods and nodes, for one of many answers. */
    default Answer withoutLists() {
        return this;
    }
}
