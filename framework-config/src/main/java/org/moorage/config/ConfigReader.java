// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.SourceTree;

/**
 * Reads and validates a configuration; a {@link ProfileReader} merges each of its profiles with the default plugins.
 */
final class ConfigReader {
    private static final String DEFAULT_PROFILE = "default-scheduler";

    private final ReadContext context;
    private final SourceTree tree;
    private final ConfigShape shape;
    private final Problems problems;

    /**
     * Creates a reader of a tree of version v1.
     *
     * @param shape the shape of the text that the tree was converted from
     */
    ConfigReader(ReadContext context, ConfigShape shape, Problems problems) {
        this.context = context;
        this.tree = context.tree();
        this.shape = shape;
        this.problems = problems;
    }

    /** Reads the tree. The result is valid only if nothing was reported. */
    LoadedConfig read() {
        boolean isReadable = problems.isEmpty() || tree.root().size() > 0;
        if (!isReadable || !isThisFormat()) {
            // In another format the fields have other meanings.
            return loaded(bare(1, List.of()), JsonNodeFactory.instance.objectNode());
        }
        SchedulerSettings settings = context.binder().read(tree.root(), SchedulerSettings.class, problems);
        settings.validate(problems);
        ObjectNode effective = RecordBinder.toTree(settings);
        List<ProfileReader> readers = profiles(settings);
        ArrayNode profiles = effective.putArray("profiles");
        readers.forEach(reader -> profiles.add(reader.effective()));
        recordOrigins(effective, problems);
        readers.forEach(ProfileReader::readPlugins);
        readers.forEach(reader -> reader.checkQueueSort(readers.get(0)));
        ignoreResources(settings.extenders(), readers);
        List<ProfileConfig> finished =
                readers.stream().map(ProfileReader::finish).toList();
        tree.ignoredFields().forEach(field -> context.warnings().add(tree.located(field)));
        return loaded(settings.config(finished), effective);
    }

    private LoadedConfig loaded(SchedulerConfig config, ObjectNode effective) {
        if (!context.missing().isEmpty()) {
            context.warnings()
                    .add(tree.sourceName()
                            + ": enabled plugins of kube-scheduler that are not registered, and have no part in any decision: "
                            + String.join(", ", context.missing())
                            + " (expected: those of KubeSchedulerPlugins, or these disabled)");
        }
        return new LoadedConfig(context, shape, config, effective);
    }

    /** Returns a configuration of one profile, for a scheduler that only answers questions. */
    static SchedulerConfig schedulerOf(ProfileConfig profile) {
        return bare(SchedulerSettings.DEFAULTS.parallelism(), List.of(profile));
    }

    private static SchedulerConfig bare(int parallelism, List<ProfileConfig> profiles) {
        return new SchedulerConfig(
                parallelism,
                new LeaderElection(false, Duration.ZERO, Duration.ZERO, Duration.ZERO, "", "", ""),
                new ClientConnection("", "", "", 0, 0),
                false,
                false,
                0,
                1,
                1,
                false,
                profiles,
                List.of());
    }

    private boolean isThisFormat() {
        String given = tree.root().path("apiVersion").asText();
        String versions = given.startsWith(ConfigFormat.GROUP + "/")
                ? ConfigFormat.API_VERSION + "; v1alpha1, v1alpha2 and v1beta1 to v1beta3 are converted"
                : ConfigFormat.API_VERSION;
        boolean isVersion = Scalars.isGiven(tree.root(), "apiVersion", ConfigFormat.API_VERSION, versions, problems);
        return Scalars.isGiven(tree.root(), "kind", ConfigFormat.KIND, ConfigFormat.KIND, problems) && isVersion;
    }

    private void recordOrigins(JsonNode value, Problems at) {
        String path = at.path();
        if (value instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                recordOrigins(field.getValue(), at.at(field.getKey()));
            }
        } else if (value instanceof ArrayNode items) {
            for (int i = 0; i < items.size(); i++) {
                context.originByPath()
                        .put(at.at(i).path(), tree.originOrDefault(at.at(i).path()));
                recordOrigins(items.path(i), at.at(i));
            }
        } else {
            boolean isUnset = context.binder().isUnset(path);
            context.originByPath().put(path, isUnset ? ConfigFormat.DEFAULT_ORIGIN : tree.originOrDefault(path));
        }
    }

    private List<ProfileReader> profiles(SchedulerSettings settings) {
        List<SchedulerSettings.Profile> profiles = settings.profiles();
        List<ProfileReader> readers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < profiles.size(); i++) {
            Problems profileAt = problems.at("profiles").at(i);
            Problems at = profileAt.at("schedulerName");
            boolean isUnnamed = profiles.size() == 1 && tree.isAbsent(at.path());
            String name = isUnnamed ? DEFAULT_PROFILE : profiles.get(i).schedulerName();
            if (name.isEmpty() && tree.isBlank(at.path())) {
                at.missing("a name, which pods give as their schedulerName");
            } else if (!name.isEmpty() && !names.add(name)) {
                at.invalid(name, "another name for each profile");
            }
            readers.add(new ProfileReader(name, profiles.get(i), profileAt, context));
        }
        return readers;
    }

    private void ignoreResources(List<ExtenderConfig> extenders, List<ProfileReader> profiles) {
        List<String> ignored = new ArrayList<>();
        String origin = "";
        for (int i = 0; i < extenders.size(); i++) {
            for (ExtenderConfig.ManagedResource resource : extenders.get(i).managedResources()) {
                if (resource.ignoredByScheduler()) {
                    ignored.add(resource.name());
                    origin = origin.isEmpty() ? tree.originOrDefault("extenders[" + i + "]") : origin;
                }
            }
        }
        if (!ignored.isEmpty()) {
            for (ProfileReader profile : profiles) {
                profile.ignoreResources(ignored, origin);
            }
        }
    }
}
