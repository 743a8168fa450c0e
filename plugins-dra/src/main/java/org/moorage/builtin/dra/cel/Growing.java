// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a loop adds to, in place, since a copy for each turn would take quadratic time. */
final class Growing {
    private Growing() {}

    /** The same value; an empty list or map as one that can be added to. */
    static Object from(Object initial) {
        if (initial instanceof List<?> list && list.isEmpty()) {
            return new OfList();
        }
        return initial instanceof Map<?, ?> map && map.isEmpty() ? new OfMap() : initial;
    }

    static final class OfList extends ArrayList<Object> {
        private static final long serialVersionUID = 1L;
    }

    static final class OfMap extends LinkedHashMap<Object, Object> {
        private static final long serialVersionUID = 1L;
    }
}
