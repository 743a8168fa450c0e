// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/** The type of a watch event. */
public enum EventType {
    /** The object was created. */
    ADDED,
    /** The object changed. */
    MODIFIED,
    /** The object was deleted. */
    DELETED,
    /** The object is unchanged; the watch has reached its resource version. */
    BOOKMARK,
    /** The watch cannot continue; the object is a Status. */
    ERROR
}
