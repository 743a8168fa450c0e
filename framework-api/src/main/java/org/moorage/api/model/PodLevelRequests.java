// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * How requests of a pod as a whole count beside those of its containers. It is a matter of the feature gates {@code
 * PodLevelResources} and {@code InPlacePodLevelResourcesVerticalScaling}; the scheduler sets it for the pods that plugins see.
 */
public enum PodLevelRequests {
    /** Not at all. */
    IGNORED,
    /** As the specification says, whatever the node reports. */
    AS_ASKED,
    /** As the specification says, or as the node reports where that is more. */
    AS_REPORTED
}
