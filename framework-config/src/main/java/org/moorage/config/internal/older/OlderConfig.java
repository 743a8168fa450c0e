// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.internal.ZeroIsUnset;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.PluginSet;
import org.moorage.config.plugin.UnknownPlugins;
import org.moorage.objects.GoDuration;

/**
 * Converts a configuration of version {@code v1alpha1} to {@code v1beta3}, or a Policy, to {@code v1} before it is
 * read. Its values keep their locations in the text, for messages; warnings report what the older version did by
 * default. Unknown fields of a Policy and of {@code v1alpha1} are ignored with a warning, as by the versions of
 * kube-scheduler that were not strict.
 *
 * <p>Facts are those of the last Kubernetes that had the version: 1.22 for {@code v1alpha1} and {@code v1beta1}.
 */
public final class OlderConfig {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String SOURCE = "algorithmSource";
    private static final String POLICY = "policy";
    private static final String BIND_TIMEOUT = "bindTimeoutSeconds";
    private static final List<String> BIND_ADDRESSES = List.of("healthzBindAddress", "metricsBindAddress");
    private static final Set<String> FORMER_LOCKS =
            Set.of("endpoints", "configmaps", "endpointsleases", "configmapsleases");
    private static final List<String> LATER_THAN_ALPHA = List.of("profiles", "extenders");
    private static final List<String> OF_ALPHA = List.of(
            "schedulerName",
            SOURCE,
            "hardPodAffinitySymmetricWeight",
            BIND_TIMEOUT,
            "failureDomains",
            "plugins",
            "pluginConfig");
    private static final List<String> EXTENDER_FIELDS = List.of(
            "urlPrefix",
            "filterVerb",
            "preemptVerb",
            "prioritizeVerb",
            "weight",
            "bindVerb",
            "enableHTTPS",
            "tlsConfig",
            "httpTimeout",
            "nodeCacheCapable",
            "managedResources",
            "ignorable");
    private static final List<String> TLS_FIELDS =
            List.of("insecure", "serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData");

    private final Conversion conversion;
    private final SourceTree tree;
    private final PolicyTexts policies;
    private final ConfigVersion version;
    private String scoresByRoom = OlderPlugins.LEAST;

    private OlderConfig(Conversion conversion, PolicyTexts policies) {
        this.conversion = conversion;
        this.tree = conversion.tree();
        this.policies = policies;
        this.version = conversion.version();
    }

    /**
     * Converts the tree to v1 if it is of an older version.
     *
     * @return warnings about the conversion, one line each; none for any other tree
     */
    public static List<String> convert(
            SourceTree tree, PluginRegistry registry, PolicyTexts policies, UnknownPlugins unknown, Problems problems) {
        String kind = tree.at("kind").asText();
        String apiVersion = tree.at("apiVersion").asText();
        if (kind.equals(PolicyConversion.KIND) && PolicyConversion.API_VERSIONS.contains(apiVersion)) {
            return ofPolicy(tree, registry, policies, unknown, problems);
        }
        Optional<ConfigVersion> version = ConfigVersion.of(apiVersion);
        if (version.isEmpty() || !kind.equals(ConfigFormat.KIND)) {
            return List.of();
        }
        Conversion conversion = new Conversion(tree, version.get(), registry, unknown, problems);
        conversion.warn("apiVersion", apiVersion + " was converted to " + ConfigFormat.API_VERSION);
        new OlderConfig(conversion, policies).run(false);
        return conversion.warnings();
    }

    // A Policy alone is equivalent to a v1alpha1 configuration that only names the Policy.
    private static List<String> ofPolicy(
            SourceTree tree, PluginRegistry registry, PolicyTexts policies, UnknownPlugins unknown, Problems problems) {
        Conversion conversion = new Conversion(tree, ConfigVersion.V1ALPHA1, registry, unknown, problems);
        conversion.warn("kind", "a Policy was converted to " + ConfigFormat.API_VERSION);
        ObjectNode policy = tree.root().deepCopy();
        tree.root().removeAll();
        tree.put("apiVersion", TextNode.valueOf(ConfigFormat.API_VERSION), "apiVersion");
        tree.put("kind", TextNode.valueOf(ConfigFormat.KIND), "kind");
        tree.copyPlaces(tree, "", POLICY);
        tree.put(POLICY, policy, POLICY);
        new OlderConfig(conversion, policies).run(true);
        return conversion.warnings();
    }

    private void run(boolean isPolicy) {
        boolean hasPolicy = isPolicy;
        if (version == ConfigVersion.V1ALPHA1) {
            tree.ignoreUnknownFields();
        }
        refuseLaterFields();
        if (version == ConfigVersion.V1ALPHA1) {
            hasPolicy |= readAlgorithmSource();
            intoProfile();
        }
        if (version.isBefore(ConfigVersion.V1BETA3)) {
            dropBindAddresses();
            spellExtenders("extenders");
            if (tree.at("profiles").isEmpty()) {
                tree.put("profiles[0]", NODES.objectNode(), "apiVersion");
            }
        }
        if (version == ConfigVersion.V1ALPHA2) {
            convertBindTimeout();
        }
        for (int i = 0; i < tree.at("profiles").size(); i++) {
            String profile = "profiles[" + i + "]";
            new OlderPlugins(conversion, profile, scoresByRoom).convert(!hasPolicy);
        }
        if (hasPolicy) {
            new PolicyConversion(conversion, new ProfileEdit(tree, "profiles[0]")).convert(POLICY);
            tree.move(POLICY + ".extenders", "extenders");
            spellExtenders("extenders");
            tree.remove(POLICY);
        }
        convertPreemption();
        convertLock();
        tree.put("apiVersion", TextNode.valueOf(ConfigFormat.API_VERSION), "apiVersion");
        for (int i = 0; i < tree.at("profiles").size(); i++) {
            putFirst("profiles[" + i + "]", List.of("schedulerName", "plugins"));
            putFirst("profiles[" + i + "].plugins", List.of("multiPoint"));
        }
    }

    private void putFirst(String path, List<String> fields) {
        if (tree.at(path) instanceof ObjectNode object) {
            ObjectNode given = object.deepCopy();
            object.removeAll();
            for (String field : fields) {
                if (given.has(field)) {
                    object.set(field, given.path(field));
                }
            }
            given.properties().forEach(field -> object.putIfAbsent(field.getKey(), field.getValue()));
        }
    }

    private void refuseLaterFields() {
        List<String> later = new ArrayList<>(List.of("delayCacheUntilActive"));
        Set<String> older = new TreeSet<>();
        if (version == ConfigVersion.V1ALPHA1) {
            later.addAll(LATER_THAN_ALPHA);
            older.addAll(OF_ALPHA);
        }
        if (version == ConfigVersion.V1ALPHA2) {
            older.add(BIND_TIMEOUT);
        }
        if (version.isBefore(ConfigVersion.V1BETA1)) {
            later.add("parallelism");
        }
        if (version.isBefore(ConfigVersion.V1BETA2)) {
            older.add("disablePreemption");
        }
        if (version.isBefore(ConfigVersion.V1BETA3)) {
            older.addAll(BIND_ADDRESSES);
        }
        for (String field : later) {
            conversion.refuseLater(field);
        }
        List<String> fields = new ArrayList<>();
        tree.root().fieldNames().forEachRemaining(fields::add);
        for (String field : fields) {
            Optional<String> meant = older.contains(field) ? Optional.empty() : Suggestion.closest(field, older);
            if (meant.isPresent() && !ConfigFormat.FIELDS.contains(field) && !later.contains(field)) {
                tree.unknownField(tree.root(), field, List.of(meant.get()), conversion.at(field));
                tree.remove(field);
            }
        }
    }

    /** Reads the named Policy into the top level of the tree, and returns whether there is one. */
    private boolean readAlgorithmSource() {
        AlgorithmSource source = conversion.read(SOURCE, AlgorithmSource.class);
        Optional<PolicySource> policy = source.policy;
        String provider = source.provider;
        Problems providerAt = conversion.at(SOURCE).at("provider");
        boolean isRead = false;
        if (policy.isPresent() && !provider.isEmpty()) {
            providerAt.invalid(provider, "a provider or a policy, not both");
        } else if (policy.isPresent()) {
            isRead = readPolicy(policy.get());
        } else if (provider.equals("ClusterAutoscalerProvider")) {
            conversion.warn(SOURCE + ".provider", provider + " is NodeResourcesFit with scoringStrategy MostAllocated");
            scoresByRoom = OlderPlugins.MOST;
        } else if (!provider.isEmpty() && !provider.equals("DefaultProvider")) {
            providerAt.invalid(provider, "DefaultProvider or ClusterAutoscalerProvider");
        }
        tree.remove(SOURCE);
        return isRead;
    }

    private record AlgorithmSource(String provider, Optional<PolicySource> policy) {}

    private record PolicySource(Optional<PolicyFile> file, Optional<PolicyConfigMap> configMap) {}

    private record PolicyFile(String path) {}

    @ZeroIsUnset
    record PolicyConfigMap(String namespace, String name) {
        static final PolicyConfigMap DEFAULTS = new PolicyConfigMap("kube-system", "");
    }

    private boolean readPolicy(PolicySource source) {
        String path = source.file.map(PolicyFile::path).orElse("");
        PolicyConfigMap configMap = source.configMap.orElse(PolicyConfigMap.DEFAULTS);
        String namespace = configMap.namespace;
        String name = configMap.name;
        if (path.isEmpty() == name.isEmpty()) {
            conversion
                    .at(SOURCE)
                    .at(POLICY)
                    .report((path.isEmpty() ? "neither file nor configMap" : "file and configMap")
                            + " (expected: file with a path, or configMap with a namespace and a name)");
            return false;
        }
        Problems at = conversion.at(SOURCE).at(POLICY).at(path.isEmpty() ? "configMap" : "file");
        try {
            String kubeconfig = tree.at("clientConnection.kubeconfig").asText();
            PolicyTexts.PolicyText text =
                    path.isEmpty() ? policies.configMap(namespace, name, kubeconfig) : policies.file(path);
            int before = at.all().size();
            SourceTree policy = SourceTree.read(text.text(), text.sourceName(), conversion.at(POLICY));
            tree.copyPlaces(policy, POLICY, POLICY);
            boolean isRead = at.all().size() == before;
            if (isRead) {
                tree.put(POLICY, policy.root(), POLICY);
            }
            return isRead;
        } catch (IOException unreadable) {
            at.report((path.isEmpty() ? "ConfigMap " + namespace + "/" + name : path) + " cannot be read: "
                    + unreadable.getMessage() + " (expected: a Policy)");
            return false;
        }
    }

    /** Moves the top-level profile settings of v1alpha1 into its only profile. */
    private void intoProfile() {
        tree.put("profiles", NODES.arrayNode().add(NODES.objectNode()), "apiVersion");
        for (String field : List.of("schedulerName", "plugins", "pluginConfig")) {
            if (tree.root().has(field)) {
                tree.move(field, "profiles[0]." + field);
            }
        }
        List<ProfileEdit> profile = List.of(new ProfileEdit(tree, "profiles[0]"));
        intoArgs(BIND_TIMEOUT, profile, "VolumeBinding", BIND_TIMEOUT);
        intoArgs("hardPodAffinitySymmetricWeight", profile, "InterPodAffinity", "hardPodAffinityWeight");
        if (tree.root().has("failureDomains")) {
            conversion.warn("failureDomains", "has no effect any more");
            tree.remove("failureDomains");
        }
    }

    private void convertBindTimeout() {
        List<ProfileEdit> profiles = new ArrayList<>();
        for (int i = 0; i < tree.at("profiles").size(); i++) {
            profiles.add(new ProfileEdit(tree, "profiles[" + i + "]"));
        }
        intoArgs(BIND_TIMEOUT, profiles, "VolumeBinding", BIND_TIMEOUT);
    }

    private void intoArgs(String field, List<ProfileEdit> profiles, String plugin, String arg) {
        JsonNode value = tree.at(field);
        if (!value.isMissingNode() && !value.isNull()) {
            profiles.forEach(profile -> profile.putArgIfAbsent(plugin, arg, value, field));
            conversion.warn(field, "is the argument " + arg + " of " + plugin);
        }
        tree.remove(field);
    }

    private void dropBindAddresses() {
        for (String field : BIND_ADDRESSES) {
            String address = tree.at(field).asText();
            if (tree.at(field).isValueNode() && !address.isEmpty() && !address.matches("(.*:)?0")) {
                conversion.warn(
                        field, "nothing is served there; health and metrics are served by HTTPS on --secure-port");
            }
            if (tree.at(field).isContainerNode()) {
                Scalars.wrong(tree.at(field), "a text", conversion.at(field));
            }
            tree.remove(field);
        }
    }

    private void convertPreemption() {
        JsonNode disabled = tree.at("disablePreemption");
        if (!version.isBefore(ConfigVersion.V1BETA2) || disabled.isMissingNode()) {
            return;
        }
        if (!disabled.isNull()
                && Scalars.bool(disabled, conversion.at("disablePreemption")).orElse(false)) {
            for (int i = 0; i < tree.at("profiles").size(); i++) {
                String points = "profiles[" + i + "].plugins.postFilter";
                ObjectNode none = NODES.objectNode();
                none.putArray("disabled").add(ProfileEdit.plugin(PluginSet.ALL));
                tree.put(points, none, "disablePreemption");
            }
            conversion.warn("disablePreemption", "no plugin is enabled at postFilter");
        }
        tree.remove("disablePreemption");
    }

    private void convertLock() {
        String election = "leaderElection.";
        if (version == ConfigVersion.V1ALPHA1) {
            rename(election + "lockObjectName", election + "resourceName");
            rename(election + "lockObjectNamespace", election + "resourceNamespace");
        }
        String kind = tree.at(election + "resourceLock").asText();
        if (FORMER_LOCKS.contains(kind)) {
            conversion.warn(
                    election + "resourceLock",
                    "\"" + kind + "\" is \"leases\"; a scheduler that still locks the other way is not noticed");
            tree.put(election + "resourceLock", TextNode.valueOf("leases"), election + "resourceLock");
        }
    }

    private void rename(String from, String to) {
        JsonNode value = tree.at(from);
        JsonNode given = tree.at(to);
        if (value.isMissingNode()) {
            return;
        }
        if (given.isMissingNode() || given.isNull() || given.asText().isEmpty()) {
            tree.move(from, to);
        } else {
            if (!value.asText().isEmpty() && !value.equals(given)) {
                conversion.at(from).invalid(value.asText(), "the same as " + to + ", which is " + given.asText());
            }
            tree.remove(from);
        }
    }

    // Until v1beta1 the field names of extenders were case-insensitive, and a time limit
    // was a number of nanoseconds.
    private void spellExtenders(String list) {
        for (int i = 0; i < tree.at(list).size(); i++) {
            String extender = list + "[" + i + "]";
            if (version.isBefore(ConfigVersion.V1BETA2)) {
                spell(extender, EXTENDER_FIELDS);
                spell(extender + ".tlsConfig", TLS_FIELDS);
                for (int j = 0; j < tree.at(extender + ".managedResources").size(); j++) {
                    spell(extender + ".managedResources[" + j + "]", List.of("name", "ignoredByScheduler"));
                }
                JsonNode timeout = tree.at(extender + ".httpTimeout");
                if (timeout.isIntegralNumber()) {
                    String duration = GoDuration.format(Duration.ofNanos(timeout.longValue()));
                    tree.put(extender + ".httpTimeout", TextNode.valueOf(duration), extender + ".httpTimeout");
                }
                // The version of the protocol, of which there is one.
                tree.remove(extender + ".apiVersion");
            }
        }
    }

    private void spell(String path, List<String> fields) {
        if (!(tree.at(path) instanceof ObjectNode given)) {
            return;
        }
        ObjectNode spelled = NODES.objectNode();
        given.properties().forEach(field -> {
            String name = field.getKey();
            String known =
                    fields.stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
            spelled.set(known, field.getValue());
            tree.copyPlaces(tree, path + "." + name, path + "." + known);
        });
        given.removeAll();
        given.setAll(spelled);
    }
}
