// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.Setting;
import org.moorage.config.internal.ZeroIsUnset;

/**
 * A web service that takes part in scheduling.
 *
 * @param urlPrefix the address that the verbs are appended to
 * @param filterVerb the verb for filtering; empty if it does not filter
 * @param preemptVerb the verb for preemption; empty if it does not take part in it
 * @param prioritizeVerb the verb for scoring; empty if it does not score
 * @param weight the factor of its scores; more than 0 if it scores
 * @param bindVerb the verb for binding; empty if it does not bind
 * @param enableHttps whether requests use HTTPS
 * @param tls the TLS settings, if given
 * @param httpTimeout the timeout of a request
 * @param nodeCacheCapable whether it knows the nodes, so that requests have only their names
 * @param managedResources it is called only for pods that request one of these; for all pods if there are none
 * @param ignorable whether scheduling continues without it when it fails
 */
@ZeroIsUnset
public record ExtenderConfig(
        String urlPrefix,
        @Setting(omitZero = true) String filterVerb,
        @Setting(omitZero = true) String preemptVerb,
        @Setting(omitZero = true) String prioritizeVerb,
        @Setting(omitZero = true) int weight,
        @Setting(omitZero = true) String bindVerb,
        @Setting(name = "enableHTTPS", omitZero = true) boolean enableHttps,
        @Setting(name = "tlsConfig") Optional<Tls> tls,
        Duration httpTimeout,
        @Setting(omitZero = true) boolean nodeCacheCapable,
        List<ManagedResource> managedResources,
        @Setting(omitZero = true) boolean ignorable) {
    static final ExtenderConfig DEFAULTS = new ExtenderConfig(
            "", "", "", "", 0, "", false, Optional.empty(), Duration.ofSeconds(5), false, List.of(), false);

    public ExtenderConfig {
        managedResources = List.copyOf(managedResources);
    }

    /**
     * Reports invalid settings.
     *
     * @param managed the resources that extenders before this one manage; those of this one are added
     */
    void validate(Problems problems, Set<String> managed) {
        if (!prioritizeVerb.isEmpty() && weight <= 0) {
            problems.at("weight").invalid(weight, "more than 0, since there is a prioritizeVerb");
        }
        tls.ifPresent(settings -> settings.validate(problems.at("tlsConfig")));
        for (int i = 0; i < managedResources.size(); i++) {
            managedResources
                    .get(i)
                    .validate(problems.at("managedResources").at(i).at("name"), managed);
        }
    }

    /** Returns the same extender without its bind verb. */
    public ExtenderConfig withoutBindVerb() {
        return with("", tls);
    }

    /** Returns the same extender with other certificates. */
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
     * TLS settings of the connection. Data takes precedence over files.
     *
     * @param insecure whether any certificate is accepted
     * @param serverName the name that the certificate must have; empty for that of the address
     * @param certFile the file with the client certificate, or empty
     * @param keyFile the file with the client's key, or empty
     * @param caFile the file with the trusted certificates, or empty
     * @param certData the client certificate in base64, or empty
     * @param keyData the client's key in base64, or empty
     * @param caData the trusted certificates in base64, or empty
     */
    @ZeroIsUnset
    public record Tls(
            @Setting(omitZero = true) boolean insecure,
            @Setting(omitZero = true) String serverName,
            @Setting(omitZero = true) String certFile,
            @Setting(omitZero = true) String keyFile,
            @Setting(omitZero = true) String caFile,
            @Setting(omitZero = true) String certData,
            @Setting(omitZero = true) String keyData,
            @Setting(omitZero = true) String caData) {
        void validate(Problems problems) {
            checkBase64(certData, problems.at("certData"));
            checkBase64(keyData, problems.at("keyData"));
            checkBase64(caData, problems.at("caData"));
            if (insecure && !(caFile.isEmpty() && caData.isEmpty())) {
                problems.at("insecure").invalid(true, "false, since there are certificates to trust");
            }
        }

        private static void checkBase64(String data, Problems at) {
            try {
                Base64.getDecoder().decode(data.replace("\n", "").replace("\r", ""));
            } catch (IllegalArgumentException notBase64) {
                // The value may be a key, so it is not shown.
                at.report("not base64 (expected: base64)");
            }
        }
    }

    /**
     * A resource that the service manages.
     *
     * @param name the extended resource
     * @param ignoredByScheduler whether NodeResourcesFit ignores it
     */
    @ZeroIsUnset
    public record ManagedResource(
            String name, @Setting(omitZero = true) boolean ignoredByScheduler) {
        private static final int LONGEST_PREFIX = 253;
        private static final int LONGEST_NAME = 63;
        private static final Pattern PREFIX =
                Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

        // A quota for the resource must have a valid name too.
        private static final String QUOTA = "requests.";

        void validate(Problems problems, Set<String> managed) {
            Optional<String> expected = expected(name);
            if (expected.isPresent()) {
                problems.invalid(name, expected.get());
            } else if (!ResourceName.isExtended(name) || expected(QUOTA + name).isPresent()) {
                problems.invalid(name, "an extended resource such as example.com/gpu");
            } else if (!managed.add(name)) {
                problems.invalid(name, "each resource once, over all extenders");
            }
        }

        // Describes a qualified name, if this is not one.
        private static Optional<String> expected(String name) {
            int slash = name.indexOf('/');
            String prefix = name.substring(0, Math.max(slash, 0));
            String rest = name.substring(slash + 1);
            if (slash >= 0
                    && !(prefix.length() <= LONGEST_PREFIX
                            && PREFIX.matcher(prefix).matches())) {
                return Optional.of("before the slash a DNS name in small letters");
            }
            if (rest.length() > LONGEST_NAME || !NAME.matcher(rest).matches()) {
                return Optional.of("a name of letters, digits, '-', '_' and '.', at most " + LONGEST_NAME
                        + " long, that starts and ends with a letter or digit");
            }
            return Optional.empty();
        }
    }
}
