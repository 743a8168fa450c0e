// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Objects;

/** What is known of a device under one name; of one of four types. Equal if type and value are. */
public sealed interface DeviceAttribute {
    /** A whole number. */
    record Number(long value) implements DeviceAttribute {}

    /** A truth value. */
    record Flag(boolean value) implements DeviceAttribute {}

    /** A text. */
    record Text(String value) implements DeviceAttribute {
        public Text {
            Objects.requireNonNull(value, "value");
        }
    }

    /** A semantic version, as written. */
    record Version(String value) implements DeviceAttribute {
        public Version {
            Objects.requireNonNull(value, "value");
        }
    }

    /** A value of a type that is not known here. */
    record Unknown() implements DeviceAttribute {}
}
