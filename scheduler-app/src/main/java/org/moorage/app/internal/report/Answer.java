// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

/** What a question about a cluster is answered, for people, programs and scripts. */
public interface Answer extends Report {
    /** What a script learns: 0 for yes, or that everything finds a place; 1 for no, or that something finds none. 2 is for no answer. */
    int exitCode();
}
