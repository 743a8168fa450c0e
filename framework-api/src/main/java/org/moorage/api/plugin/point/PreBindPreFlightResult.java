// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

/**
 * The result of {@link PreBindPlugin#preBindPreFlight}: whether the plugin has work to do for a pod, and whether it may
 * run in parallel with the plugins before and after it.
 *
 * <p>Consecutive plugins of the profile that allow it run in parallel; the others run sequentially. A plugin that is
 * skipped and does not allow it still separates those before it from those after it.
 */
public final class PreBindPreFlightResult {
    private static final PreBindPreFlightResult RUN = new PreBindPreFlightResult(false, false);
    private static final PreBindPreFlightResult RUN_IN_PARALLEL = new PreBindPreFlightResult(false, true);
    private static final PreBindPreFlightResult SKIP = new PreBindPreFlightResult(true, false);
    private static final PreBindPreFlightResult SKIP_IN_PARALLEL = new PreBindPreFlightResult(true, true);

    private final boolean skip;
    private final boolean allowParallel;

    private PreBindPreFlightResult(boolean skip, boolean allowParallel) {
        this.skip = skip;
        this.allowParallel = allowParallel;
    }

    /** Returns the result for work that must not run in parallel with other plugins. */
    public static PreBindPreFlightResult run() {
        return RUN;
    }

    /** Returns the result for work that may run in parallel with other plugins. */
    public static PreBindPreFlightResult runInParallel() {
        return RUN_IN_PARALLEL;
    }

    /**
     * Returns the result for no work. The plugins before and after this one do not run in parallel with one another.
     */
    public static PreBindPreFlightResult skip() {
        return SKIP;
    }

    /** Returns the result for no work. The plugins before and after this one may run in parallel with one another. */
    public static PreBindPreFlightResult skipInParallel() {
        return SKIP_IN_PARALLEL;
    }

    /** Returns whether there is no work. */
    public boolean isSkip() {
        return skip;
    }

    /** Returns whether other plugins may run in parallel. */
    public boolean allowsParallel() {
        return allowParallel;
    }

    @Override
    public String toString() {
        return (skip ? "Skip" : "Run") + (allowParallel ? "[parallel]" : "");
    }
}
