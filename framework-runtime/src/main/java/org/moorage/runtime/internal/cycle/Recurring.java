// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Values of the keys that were asked for last. A value is made when a key is asked for again, since what does not come back needs none.
 * The keys are few and compared in turn, so that they need no quick {@code hashCode}.
 */
final class Recurring<K, V> {
    private static final int MOST = 8;

    private final Function<K, V> make;
    // The one that was asked for last stands first.
    private final List<Entry<K, V>> entries = new ArrayList<>(MOST);
    private final List<K> askedOnce = new ArrayList<>(MOST + 1);

    private record Entry<K, V>(K key, V value) {}

    Recurring(Function<K, V> make) {
        this.make = make;
    }

    /** The value of a key; null if it was not asked for before, or not lately. */
    @Nullable
    V find(K key) {
        for (int i = 0; i < entries.size(); i++) {
            Entry<K, V> entry = entries.get(i);
            if (entry.key.equals(key)) {
                if (i > 0) {
                    entries.remove(i);
                    entries.add(0, entry);
                }
                return entry.value;
            }
        }
        if (!askedOnce.remove(key)) {
            askedOnce.add(0, key);
            if (askedOnce.size() > MOST) {
                askedOnce.remove(MOST);
            }
            return null;
        }
        if (entries.size() == MOST) {
            entries.remove(MOST - 1);
        }
        V made = make.apply(key);
        entries.add(0, new Entry<>(key, made));
        return made;
    }
}
