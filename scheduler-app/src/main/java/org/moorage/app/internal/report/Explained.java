// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

/** The explanation of a pod or of a group of pods. */
public interface Explained extends Report {
    /** Whether it is scheduled, or would be if it were tried. */
    boolean isScheduled();
}
