// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;
import java.util.Objects;

/**
 * Amounts of things under one name: in a pool what its devices share, of a device what it takes of that.
 *
 * @param name the name of the set
 * @param counters the amounts, by name
 */
public record CounterSet(String name, Map<String, Quantity> counters) {
    public CounterSet {
        Objects.requireNonNull(name, "name");
        counters = Map.copyOf(counters);
    }
}
