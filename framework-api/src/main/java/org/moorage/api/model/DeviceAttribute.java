// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/** What is known of a device under one name; of one of four types, or several values of one. Equal if type and value are. */
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

    /**
     * Several values of one type.
     *
     * @param values the values; none of them is itself of this type
     */
    record Several(List<DeviceAttribute> values) implements DeviceAttribute {
        public Several {
            values = List.copyOf(values);
        }
    }

    /** A value of a type that is not known here. */
    record Unknown() implements DeviceAttribute {}
}
