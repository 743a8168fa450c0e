// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;

/**
 * A container of a pod.
 *
 * @param name its name within the pod
 * @param image the image as written in the manifest
 * @param requests the requests, by resource
 * @param limits the limits, by resource
 * @param hostPorts the host ports that it uses
 * @param restartPolicy {@code Always} makes an init container a sidecar; empty otherwise
 * @param claims which of the pod's resource claims it uses, by their names in the pod
 */
public record Container(
        String name,
        String image,
        Map<String, Quantity> requests,
        Map<String, Quantity> limits,
        List<HostPort> hostPorts,
        String restartPolicy,
        List<String> claims) {
    public Container {
        requests = Map.copyOf(requests);
        limits = Map.copyOf(limits);
        hostPorts = List.copyOf(hostPorts);
        claims = List.copyOf(claims);
    }

    /** Creates a container that uses no resource claims. */
    public Container(
            String name,
            String image,
            Map<String, Quantity> requests,
            Map<String, Quantity> limits,
            List<HostPort> hostPorts,
            String restartPolicy) {
        this(name, image, requests, limits, hostPorts, restartPolicy, List.of());
    }

    /** Returns whether it is a restartable init container, which keeps running with the containers. */
    public boolean isSidecar() {
        return restartPolicy.equals("Always");
    }
}
