// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a server closes or refuses because something runs short. */
record Refusals(LongAdder connections, LongAdder requests, LongAdder slowClients, LongAdder files) {
    Refusals() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }

    Overload total() {
        return new Overload(connections.sum(), requests.sum(), slowClients.sum(), files.sum());
    }
}
