// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A web service that has a say in scheduling.
 *
 * @param urlPrefix the address that the verbs are appended to
 * @param filterVerb the verb for filtering; empty if it does not filter
 * @param preemptVerb the verb for preemption; empty if it has no say
 * @param prioritizeVerb the verb for scoring; empty if it does not score
 * @param weight how much its scores count; more than 0 if it scores
 * @param bindVerb the verb for binding; empty if it does not bind
 * @param enableHttps whether it is asked by HTTPS
 * @param tls how, if given
 * @param httpTimeout how long to wait for an answer
 * @param nodeCacheCapable whether it knows the nodes, so that names are enough
 * @param managedResources it is asked only for pods that request one of these; for all pods if there are none
 * @param ignorable whether scheduling goes on without it when it fails
 */
public record ExtenderConfig(
        String urlPrefix,
        String filterVerb,
        String preemptVerb,
        String prioritizeVerb,
        int weight,
        String bindVerb,
        boolean enableHttps,
        Optional<Tls> tls,
        Duration httpTimeout,
        boolean nodeCacheCapable,
        List<ManagedResource> managedResources,
        boolean ignorable) {
    public ExtenderConfig {
        managedResources = List.copyOf(managedResources);
    }

    /** The same extender, but it does not bind. */
    public ExtenderConfig withoutBindVerb() {
        return with("", tls);
    }

    /** The same extender with other certificates. */
    public ExtenderConfig withTls(Optional<Tls> other) {
        return with(bindVerb, other);
    }

    private ExtenderConfig with(String otherBindVerb, Optional<Tls> otherTls) {
        return new ExtenderConfig(
                urlPrefix,
                filterVerb,
                preemptVerb,
                prioritizeVerb,
                weight,
                otherBindVerb,
                enableHttps,
                otherTls,
                httpTimeout,
                nodeCacheCapable,
                managedResources,
                ignorable);
    }

    /**
     * How to trust the service and how to be trusted by it. What is given as data counts more than a file.
     *
     * @param insecure whether any certificate is accepted
     * @param serverName the name that the certificate must have; empty for that of the address
     * @param certFile the file with our certificate, or empty
     * @param keyFile the file with our key, or empty
     * @param caFile the file with the certificates to trust, or empty
     * @param certData our certificate in base64, or empty
     * @param keyData our key in base64, or empty
     * @param caData the certificates to trust in base64, or empty
     */
    public record Tls(
            boolean insecure,
            String serverName,
            String certFile,
            String keyFile,
            String caFile,
            String certData,
            String keyData,
            String caData) {}

    /**
     * A resource that the service takes care of.
     *
     * @param name the extended resource
     * @param ignoredByScheduler whether NodeResourcesFit leaves it to the service
     */
    public record ManagedResource(String name, boolean ignoredByScheduler) {}
}
