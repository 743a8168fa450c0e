// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/** What an event of a watch says of its object. */
public enum EventType {
    /** It came into being. */
    ADDED,
    /** It changed. */
    MODIFIED,
    /** It is gone. */
    DELETED,
    /** Nothing; the watch has come to its version. */
    BOOKMARK,
    /** The watch cannot go on; the object is a Status. */
    ERROR
}
