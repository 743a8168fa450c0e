// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/** The value of a device attribute: one value of one of four types, or a list of values of one type. */
public sealed interface DeviceAttribute {
    /** An int. */
    record Number(long value) implements DeviceAttribute {}

    /** A bool. */
    record Flag(boolean value) implements DeviceAttribute {}

    /** A string. */
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
     * A list of values of one type.
     *
     * @param values the values; none of them is {@code Several}
     */
    record Several(List<DeviceAttribute> values) implements DeviceAttribute {
        public Several {
            values = List.copyOf(values);
        }
    }

    /** A value of an unknown type. */
    record Unknown() implements DeviceAttribute {}
}
