// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A host port of a pod.
 *
 * @param ip the host address; {@link #ANY} for all
 * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
 * @param port its number, above 0
 */
public record HostPort(String ip, String protocol, int port) {
    /** All addresses of the node. */
    public static final String ANY = "0.0.0.0";

    /** Sets the defaults: the address {@link #ANY}, the protocol {@code TCP}. */
    public HostPort {
        ip = ip.isEmpty() ? ANY : ip;
        protocol = protocol.isEmpty() ? "TCP" : protocol;
    }

    /** Returns whether the two cannot be used on the same node. */
    public boolean conflicts(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (ip.equals(other.ip) || ip.equals(ANY) || other.ip.equals(ANY));
    }
}
