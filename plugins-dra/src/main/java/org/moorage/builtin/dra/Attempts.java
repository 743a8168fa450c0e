// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;

/** Runs writes none of which is kept from being tried by the failure of another, whatever that throws. */
final class Attempts {
    private final List<Throwable> failures = new ArrayList<>(0);

    void run(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException | Error failed) {
            failures.add(failed);
        }
    }

    /** Throws the first failure, with the others as suppressed ones. */
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
