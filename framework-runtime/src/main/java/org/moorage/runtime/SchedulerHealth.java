// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.List;
import java.util.Optional;

/**
 * The health checks of a scheduler, to be shown under {@code /livez}. One that fails says that the scheduler cannot go on by
 * itself, and that its process is to be started again.
 */
public interface SchedulerHealth {
    /** All checks: always the same ones, in the same order. Answers at once, and may be asked from any thread. */
    List<Check> checks();

    /**
     * One check.
     *
     * @param name its name, for example {@code scheduling-loop}
     * @param failure what is wrong, in one line; empty if nothing is
     */
    record Check(String name, Optional<String> failure) {
        /** Whether nothing is wrong. */
        public boolean isHealthy() {
            return failure.isEmpty();
        }
    }
}
