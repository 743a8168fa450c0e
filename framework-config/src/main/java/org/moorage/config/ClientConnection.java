// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

/**
 * How to talk to the API server.
 *
 * @param kubeconfig the file with address and credentials; empty for none
 * @param acceptContentTypes what the server may answer with; empty for the client's own choice
 * @param contentType what is sent to the server
 * @param qps how many requests a second, on average; below 0 for no limit
 * @param burst how many requests at once
 */
public record ClientConnection(
        String kubeconfig, String acceptContentTypes, String contentType, double qps, int burst) {}
