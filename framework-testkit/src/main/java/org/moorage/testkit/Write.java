// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.List;

/**
 * A change that the scheduler or a plugin requested from the cluster.
 *
 * @param method the method of {@link org.moorage.api.plugin.cluster.ClusterWriter} that was called
 * @param arguments the arguments of the call
 */
public record Write(String method, List<Object> arguments) {
    public Write {
        arguments = List.copyOf(arguments);
    }
}
