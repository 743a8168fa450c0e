// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.function.Supplier;

/** Stores policies by id and evaluates them over the cluster's objects. Safe for use by several threads. */
interface PolicyEngine extends AutoCloseable {
    /**
     * Returns the fit document for an input.
     *
     * @return empty if it is undefined
     * @throws PolicyException if it cannot be evaluated in time
     */
    Optional<JsonNode> fit(String input);

    /**
     * Compiles and checks a policy as far as this is possible without a lock, which may take up to the engine's time
     * limit.
     *
     * @return adds the policy, or replaces the one with that id. Rejects an invalid policy without changing anything.
     *     Throws a PolicyException if the engine cannot be reached
     */
    Supplier<PolicyResponse> prepare(String id, byte[] policy);

    /**
     * Deletes a policy.
     *
     * @throws PolicyException if the engine cannot be reached
     */
    PolicyResponse delete(String id);

    /**
     * Returns the policies, in the format of OPA's REST API.
     *
     * @param id the id of one policy; empty for all
     * @throws PolicyException if the engine cannot be reached
     */
    PolicyResponse get(String id);

    /** Returns whether a file's name has the suffix of policies for this engine. */
    boolean isPolicyFile(String name);

    /** Returns the policy that comes with the plugin. */
    byte[] shipped();

    /** Does periodic maintenance. */
    void keepUp();

    @Override
    void close();
}
