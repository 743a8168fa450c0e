// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * How pod-level requests count. Depends on the feature gates {@code PodLevelResources} and
 * {@code InPlacePodLevelResourcesVerticalScaling}; the scheduler sets it for the pods that plugins see.
 */
public enum PodLevelRequests {
    /** They are ignored. */
    IGNORED,
    /** As specified, ignoring the status. */
    AS_SPECIFIED,
    /** As specified, or as the status reports where that is larger. */
    AS_REPORTED
}
