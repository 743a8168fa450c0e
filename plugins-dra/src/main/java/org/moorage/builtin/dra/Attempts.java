// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;

/** A series of writes in which a failed write, with any exception or error, does not stop the others. */
final class Attempts {
    private final List<Throwable> failures = new ArrayList<>(0);

    void run(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException | Error failed) {
            failures.add(failed);
        }
    }

    /** Throws the first failure, if there is one, with the others as suppressed exceptions. */
    void throwFirst() {
        if (failures.isEmpty()) {
            return;
        }
        Throwable first = failures.get(0);
        // One exception may have been thrown by several writes.
        failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
        if (first instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) first;
    }
}
