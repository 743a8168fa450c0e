// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Comparator;
import org.moorage.api.model.ResourceSlice;

/** Names a pool in the whole cluster. */
record PoolId(String driver, String pool) implements Comparable<PoolId> {
    private static final Comparator<PoolId> ORDER =
            Comparator.comparing(PoolId::driver).thenComparing(PoolId::pool);

    static PoolId of(ResourceSlice slice) {
        return new PoolId(slice.driver(), slice.pool().name());
    }

    @Override
    public int compareTo(PoolId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return driver + "/" + pool;
    }
}
