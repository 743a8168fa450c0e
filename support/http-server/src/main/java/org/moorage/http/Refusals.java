// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.util.concurrent.atomic.LongAdder;

/** Counts the connections and requests that a server closes or refuses for lack of a resource. */
record Refusals(LongAdder connections, LongAdder requests, LongAdder slowClients, LongAdder files) {
    Refusals() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }

    Overload total() {
        return new Overload(connections.sum(), requests.sum(), slowClients.sum(), files.sum());
    }
}
