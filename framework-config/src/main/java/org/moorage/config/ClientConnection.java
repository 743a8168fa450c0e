// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ZeroIsUnset;

/**
 * The connection to the API server.
 *
 * @param kubeconfig the file with address and credentials; empty for none
 * @param acceptContentTypes the content types that the server may answer with; empty for the client's own choice
 * @param contentType the content type of requests
 * @param qps the average number of requests a second; below 0 for no limit
 * @param burst the most requests in a burst
 */
@ZeroIsUnset
public record ClientConnection(
        String kubeconfig, String acceptContentTypes, String contentType, double qps, int burst) {
    static final ClientConnection DEFAULTS =
            new ClientConnection("", "", "application/vnd.kubernetes.protobuf", 50, 100);

    void validate(Problems problems) {
        if (burst < 0) {
            problems.at("burst").invalid(burst, "not less than 0");
        }
    }
}
