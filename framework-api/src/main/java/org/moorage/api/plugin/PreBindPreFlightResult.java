// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/**
 * The answer of {@link PreBindPlugin#preBindPreFlight}: whether the plugin has work to do for a pod, and whether it may run in
 * parallel with the plugins before and after it.
 *
 * <p>Plugins that follow one another in the profile and allow it run in parallel; the others run one after the other. A plugin
 * that is skipped and does not allow it still separates those before it from those after it.
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

    /** There is work, and no other plugin may work at the same time. */
    public static PreBindPreFlightResult run() {
        return RUN;
    }

    /** There is work, and other plugins may work at the same time. */
    public static PreBindPreFlightResult runInParallel() {
        return RUN_IN_PARALLEL;
    }

    /** There is no work; the plugins before and after this one do not run in parallel with one another. */
    public static PreBindPreFlightResult skip() {
        return SKIP;
    }

    /** There is no work; the plugins before and after this one may run in parallel with one another. */
    public static PreBindPreFlightResult skipInParallel() {
        return SKIP_IN_PARALLEL;
    }

    /** Whether there is no work. */
    public boolean isSkip() {
        return skip;
    }

    /** Whether other plugins may work at the same time. */
    public boolean allowsParallel() {
        return allowParallel;
    }

    @Override
    public String toString() {
        return (skip ? "Skip" : "Run") + (allowParallel ? "[parallel]" : "");
    }
}
