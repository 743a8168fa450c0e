// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.UUID;
import java.util.random.RandomGenerator;

/** Creates UUIDs from the given random numbers, so that runs with a seed are reproducible. */
final class RandomUuid {
    private static final long VERSION_4 = 0x4000L;
    private static final long VERSION_BITS = 0xF000L;
    private static final long IETF_VARIANT = 0x8000_0000_0000_0000L;
    private static final long VARIANT_BITS = 0xC000_0000_0000_0000L;

    private RandomUuid() {}

    /** Returns the text of a random UUID, as version 4 has it. */
    static String of(RandomGenerator random) {
        long high = random.nextLong() & ~VERSION_BITS | VERSION_4;
        long low = random.nextLong() & ~VARIANT_BITS | IETF_VARIANT;
        return new UUID(high, low).toString();
    }
}
