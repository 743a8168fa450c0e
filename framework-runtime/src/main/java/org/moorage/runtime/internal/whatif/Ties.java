// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

/**
 * How a transaction chooses among equally good nodes.
 *
 * @param isRandom whether it chooses at random, and begins its first cycle with a random node
 * @param seed the seed of its random numbers, which plugins read as well
 */
record Ties(boolean isRandom, long seed) {
    /** The node that kube-scheduler chooses if its goroutines finish in order. */
    static final Ties FIRST = new Ties(false, 1);

    static Ties random(long seed) {
        return new Ties(true, seed);
    }
}
