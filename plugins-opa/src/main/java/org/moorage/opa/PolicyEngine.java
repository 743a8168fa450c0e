// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.function.Supplier;

/** Evaluates policies over the cluster's objects, and holds them by their ids. Safe for use by several threads. */
interface PolicyEngine extends AutoCloseable {
    /**
     * The fit document for an input.
     *
     * @return empty if it is undefined
     * @throws PolicyException if it cannot be had in time
     */
    Optional<JsonNode> fit(String input);

    /**
     * Compiles and checks a policy as far as that takes no lock, which may take until the engine's time limit.
     *
     * @return adds it, or replaces the one of that id. What is not a policy is refused, and changes nothing. Throws a PolicyException
     *     if the engine cannot be reached
     */
    Supplier<Reply> prepare(String id, byte[] policy);

    /**
     * Deletes a policy.
     *
     * @throws PolicyException if the engine cannot be reached
     */
    Reply delete(String id);

    /**
     * The policies, in the form of OPA's own REST API.
     *
     * @param id one of them; empty for all
     * @throws PolicyException if the engine cannot be reached
     */
    Reply get(String id);

    /** How the names of files with policies for this engine end. */
    boolean isPolicyFile(String name);

    /** The policy that comes with the plugin. */
    byte[] shipped();

    /** Does what has to be done from time to time. */
    void keepUp();

    @Override
    void close();
}
