// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

/** Content that is served at a path, and below it. */
@FunctionalInterface
public interface Page {
    /** Answers a query. Called by several threads. */
    Reply reply(Query query);
}
