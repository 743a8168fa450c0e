// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.List;
import java.util.Optional;

/**
 * The health checks of a scheduler, for {@code /livez}. A failed check means that the scheduler cannot recover by
 * itself and its process must be restarted.
 */
public interface SchedulerHealth {
    /** Returns all checks, always in the same order. Returns immediately, and may be called from any thread. */
    List<Check> checks();

    /**
     * One health check.
     *
     * @param name its name, for example {@code scheduling-loop}
     * @param failure the failure in one line; empty if healthy
     */
    record Check(String name, Optional<String> failure) {
        /** Returns whether there is no failure. */
        public boolean isHealthy() {
            return failure.isEmpty();
        }
    }
}
