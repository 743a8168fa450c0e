// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.Section;

/** Reads one entry of {@code extenders}, and checks it. */
final class ExtenderReader {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final int LONGEST_PREFIX = 253;
    private static final int LONGEST_NAME = 63;
    private static final Pattern PREFIX =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

    // A quota for the resource must have a valid name too.
    private static final String QUOTA = "requests.";

    private ExtenderReader() {}

    /**
     * Reads the entry.
     *
     * @param managed the resources that extenders before this one manage; those of this one are added
     */
    static ExtenderConfig read(Section section, Set<String> managed) {
        ExtenderConfig extender = new ExtenderConfig(
                section.textUnlessBlank("urlPrefix", ""),
                section.optionalText("filterVerb"),
                section.optionalText("preemptVerb"),
                section.optionalText("prioritizeVerb"),
                section.integerUnlessZero("weight"),
                section.optionalText("bindVerb"),
                section.flag("enableHTTPS"),
                section.optionalChild("tlsConfig").map(ExtenderReader::tls),
                section.durationUnlessBlank("httpTimeout", TIMEOUT),
                section.flag("nodeCacheCapable"),
                managedResources(section, managed),
                section.flag("ignorable"));
        section.finish();
        if (!extender.prioritizeVerb().isEmpty() && extender.weight() <= 0) {
            section.at("weight").invalid(extender.weight(), "more than 0, since there is a prioritizeVerb");
        }
        return extender;
    }

    private static ExtenderConfig.Tls tls(Section section) {
        ExtenderConfig.Tls tls = new ExtenderConfig.Tls(
                section.flag("insecure"),
                section.optionalText("serverName"),
                section.optionalText("certFile"),
                section.optionalText("keyFile"),
                section.optionalText("caFile"),
                base64(section, "certData"),
                base64(section, "keyData"),
                base64(section, "caData"));
        section.finish();
        if (tls.insecure() && !(tls.caFile().isEmpty() && tls.caData().isEmpty())) {
            section.at("insecure").invalid(true, "false, since there are certificates to trust");
        }
        return tls;
    }

    private static String base64(Section section, String field) {
        String text = section.optionalText(field);
        try {
            Base64.getDecoder().decode(text.replace("\n", "").replace("\r", ""));
        } catch (IllegalArgumentException notBase64) {
            // The value may be a key, so it is not shown.
            section.at(field).report("not base64 (expected: base64)");
        }
        return text;
    }

    private static List<ExtenderConfig.ManagedResource> managedResources(Section section, Set<String> managed) {
        List<ExtenderConfig.ManagedResource> resources = new ArrayList<>();
        for (Section item : section.children("managedResources")) {
            String name = item.textUnlessBlank("name", "");
            boolean ignored = item.flag("ignoredByScheduler");
            item.finish();
            Problems at = item.at("name");
            Optional<String> fault = qualifiedNameFault(name);
            if (fault.isPresent()) {
                at.invalid(name, fault.get());
            } else if (!ResourceName.isExtended(name)
                    || qualifiedNameFault(QUOTA + name).isPresent()) {
                at.invalid(name, "an extended resource such as example.com/gpu");
            } else if (!managed.add(name)) {
                at.invalid(name, "each resource once, over all extenders");
            }
            resources.add(new ExtenderConfig.ManagedResource(name, ignored));
        }
        return resources;
    }

    private static Optional<String> qualifiedNameFault(String name) {
        int slash = name.indexOf('/');
        String prefix = name.substring(0, Math.max(slash, 0));
        String rest = name.substring(slash + 1);
        if (slash >= 0
                && !(prefix.length() <= LONGEST_PREFIX && PREFIX.matcher(prefix).matches())) {
            return Optional.of("before the slash a DNS name in small letters");
        }
        if (rest.length() > LONGEST_NAME || !NAME.matcher(rest).matches()) {
            return Optional.of("a name of letters, digits, '-', '_' and '.', at most " + LONGEST_NAME
                    + " long, that starts and ends with a letter or digit");
        }
        return Optional.empty();
    }
}
