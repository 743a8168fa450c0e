// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/** Adds up what one evaluation costs, and ends it when that is too much. */
final class Meter {
    /** What a selector may cost for one device. */
    static final long LIMIT = 1_000_000;

    private long cost;

    /**
     * Adds to the cost.
     *
     * @throws Exceeded if it is too much
     */
    void charge(long units) {
        cost += units;
        if (cost > LIMIT) {
            throw new Exceeded();
        }
    }

    long cost() {
        return cost;
    }

    /** The evaluation costs too much, whatever its value would be. */
    static final class Exceeded extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Exceeded() {
            super("operation cancelled: actual cost limit exceeded", null, false, false);
        }
    }
}
