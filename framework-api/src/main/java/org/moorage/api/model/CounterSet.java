// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;
import java.util.Objects;

/**
 * A set of counters that the devices of a pool share.
 *
 * @param name the name of the set
 * @param counters the counters, by name
 */
public record CounterSet(String name, Map<String, Quantity> counters) {
    public CounterSet {
        Objects.requireNonNull(name, "name");
        counters = Map.copyOf(counters);
    }
}
