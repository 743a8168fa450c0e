// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Section;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;
import org.moorage.objects.GoDuration;

/** Reads what is not about plugins, and checks it; leaves each profile to a {@link ProfileReader}. */
final class ConfigReader {
    private static final String LEASES = "leases";
    private static final String DEFAULT_PROFILE = "default-scheduler";
    private static final int MOST_PERCENT = 100;
    private static final int PARALLELISM = 16;

    private final SourceTree tree;
    private final ConfigShape shape;
    private final List<String> warnings;
    private final PluginRegistry registry;
    private final FeatureGates features;
    private final UnknownPlugins unknown;
    private final Problems problems;
    private final Map<String, String> originByPath = new LinkedHashMap<>();
    private final Set<String> missing = new LinkedHashSet<>();

    /**
     * A reader of a tree of version v1.
     *
     * @param shape the shape of the text that it was made of
     * @param warnings the changes to a configuration of an older version, one line each
     */
    ConfigReader(
            SourceTree tree,
            ConfigShape shape,
            List<String> warnings,
            PluginRegistry registry,
            FeatureGates features,
            UnknownPlugins unknown,
            Problems problems) {
        this.tree = tree;
        this.shape = shape;
        this.warnings = new ArrayList<>(warnings);
        this.registry = registry;
        this.features = features;
        this.unknown = unknown;
        this.problems = problems;
    }

    /** Reads the tree. The result is valid only if nothing was reported. */
    LoadedConfig read() {
        Section top = Section.root(tree, originByPath, problems);
        boolean readable = problems.isEmpty() || tree.root().size() > 0;
        if (!readable || !isThisFormat(top)) {
            // In another format the fields mean something else.
            return loaded(nothing(), top);
        }
        int parallelism = top.integer("parallelism", PARALLELISM);
        if (parallelism <= 0) {
            top.at("parallelism").invalid(parallelism, "more than 0");
        }
        LeaderElection leaderElection = leaderElection(top.child("leaderElection"));
        ClientConnection clientConnection = clientConnection(top.child("clientConnection"));
        boolean profiling = top.bool("enableProfiling", true);
        boolean contentionProfiling = top.bool("enableContentionProfiling", true);
        int percentage = top.integer("percentageOfNodesToScore", 0);
        checkPercentage(percentage, top.at("percentageOfNodesToScore"));
        long initialBackoff = top.longInteger("podInitialBackoffSeconds", 1);
        long maxBackoff = top.longInteger("podMaxBackoffSeconds", 10);
        if (initialBackoff <= 0) {
            top.at("podInitialBackoffSeconds").invalid(initialBackoff, "more than 0");
        }
        if (maxBackoff < initialBackoff) {
            top.at("podMaxBackoffSeconds")
                    .invalid(maxBackoff, "not less than podInitialBackoffSeconds, which is " + initialBackoff);
        }
        List<ProfileReader> readers = profiles(top);
        List<ExtenderConfig> extenders = extenders(top, readers);
        boolean delayCache = top.flag("delayCacheUntilActive");
        top.finish();
        List<ProfileConfig> profiles = new ArrayList<>();
        for (ProfileReader reader : readers) {
            profiles.add(reader.finish(originByPath));
        }
        tree.ignoredFields().forEach(field -> warnings.add(tree.located(field)));
        SchedulerConfig config = new SchedulerConfig(
                parallelism,
                leaderElection,
                clientConnection,
                profiling,
                contentionProfiling,
                percentage,
                initialBackoff,
                maxBackoff,
                delayCache,
                profiles,
                extenders);
        return loaded(config, top);
    }

    private LoadedConfig loaded(SchedulerConfig config, Section top) {
        if (!missing.isEmpty()) {
            warnings.add(tree.sourceName()
                    + ": enabled plugins of kube-scheduler that are not registered, and have no part in any decision: "
                    + String.join(", ", missing) + " (expected: those of KubeSchedulerPlugins, or these disabled)");
        }
        return new LoadedConfig(
                tree.sourceName(),
                shape,
                tree.names(),
                config,
                features,
                registry,
                tree.root(),
                top.effective(),
                originByPath,
                missing,
                warnings,
                unknown);
    }

    static void checkPercentage(int percentage, Problems at) {
        if (percentage < 0 || percentage > MOST_PERCENT) {
            at.invalid(percentage, "0 to 100");
        }
    }

    private static SchedulerConfig nothing() {
        return bare(1, List.of());
    }

    /** A configuration of one profile, for a scheduler that only answers questions. */
    static SchedulerConfig schedulerOf(ProfileConfig profile) {
        return bare(PARALLELISM, List.of(profile));
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

    private static boolean isThisFormat(Section top) {
        String apiVersion = top.textUnlessBlank("apiVersion", "");
        String kind = top.textUnlessBlank("kind", "");
        if (top.isBlank("apiVersion")) {
            top.at("apiVersion").missing(ConfigFormat.API_VERSION);
        } else if (apiVersion.startsWith(ConfigFormat.GROUP + "/") && !apiVersion.equals(ConfigFormat.API_VERSION)) {
            top.at("apiVersion")
                    .invalid(
                            apiVersion,
                            ConfigFormat.API_VERSION + "; v1alpha1, v1alpha2 and v1beta1 to v1beta3 are converted");
        } else if (!apiVersion.isEmpty() && !apiVersion.equals(ConfigFormat.API_VERSION)) {
            top.at("apiVersion").invalid(apiVersion, ConfigFormat.API_VERSION);
        }
        if (top.isBlank("kind")) {
            top.at("kind").missing(ConfigFormat.KIND);
        } else if (!kind.isEmpty() && !kind.equals(ConfigFormat.KIND)) {
            top.at("kind").invalid(kind, ConfigFormat.KIND);
        }
        return apiVersion.equals(ConfigFormat.API_VERSION) && kind.equals(ConfigFormat.KIND);
    }

    private static LeaderElection leaderElection(Section section) {
        LeaderElection election = new LeaderElection(
                section.bool("leaderElect", true),
                section.durationUnlessBlank("leaseDuration", Duration.ofSeconds(15)),
                section.durationUnlessBlank("renewDeadline", Duration.ofSeconds(10)),
                section.durationUnlessBlank("retryPeriod", Duration.ofSeconds(2)),
                section.textUnlessBlank("resourceLock", LEASES),
                section.textUnlessBlank("resourceName", "kube-scheduler"),
                section.textUnlessBlank("resourceNamespace", "kube-system"));
        section.finish();
        if (election.leaderElect()) {
            checkPositive(election.leaseDuration(), section.at("leaseDuration"));
            checkPositive(election.renewDeadline(), section.at("renewDeadline"));
            checkPositive(election.retryPeriod(), section.at("retryPeriod"));
            if (election.leaseDuration().compareTo(election.renewDeadline()) <= 0) {
                section.at("leaseDuration")
                        .invalid(
                                GoDuration.format(election.leaseDuration()),
                                "more than renewDeadline, which is " + GoDuration.format(election.renewDeadline()));
            }
            if (!election.resourceLock().equals(LEASES)) {
                section.at("resourceLock").invalid(election.resourceLock(), LEASES);
            }
        }
        return election;
    }

    private static void checkPositive(Duration duration, Problems at) {
        if (duration.isNegative() || duration.isZero()) {
            at.invalid(GoDuration.format(duration), "more than 0s");
        }
    }

    static ClientConnection clientConnection(Section section) {
        ClientConnection connection = new ClientConnection(
                section.textUnlessBlank("kubeconfig", ""),
                section.textUnlessBlank("acceptContentTypes", ""),
                section.textUnlessBlank("contentType", "application/vnd.kubernetes.protobuf"),
                section.numberUnlessBlank("qps", 50),
                section.integerUnlessBlank("burst", 100));
        section.finish();
        if (connection.burst() < 0) {
            section.at("burst").invalid(connection.burst(), "not less than 0");
        }
        return connection;
    }

    private List<ProfileReader> profiles(Section top) {
        List<Section> sections = top.children("profiles");
        if (sections.isEmpty()) {
            sections = List.of(top.implied("profiles"));
        }
        List<ProfileReader> readers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Section section : sections) {
            boolean mayBeUnnamed =
                    sections.size() == 1 && section.given("schedulerName").isMissingNode();
            String name = section.textUnlessBlank("schedulerName", mayBeUnnamed ? DEFAULT_PROFILE : "");
            if (name.isEmpty() && section.isBlank("schedulerName")) {
                section.at("schedulerName").missing("a name, which pods give as their schedulerName");
            } else if (!name.isEmpty() && !names.add(name)) {
                section.at("schedulerName").invalid(name, "another name for each profile");
            }
            readers.add(new ProfileReader(name, section, registry, features, unknown, missing, warnings));
        }
        for (ProfileReader reader : readers) {
            reader.checkQueueSort(readers.get(0));
        }
        return readers;
    }

    private List<ExtenderConfig> extenders(Section top, List<ProfileReader> profiles) {
        List<ExtenderConfig> first = new ArrayList<>();
        List<ExtenderConfig> ignorable = new ArrayList<>();
        Set<String> managed = new HashSet<>();
        List<String> ignored = new ArrayList<>();
        int binders = 0;
        String ignoredOrigin = "";
        for (Section section : top.children("extenders")) {
            ExtenderConfig extender = ExtenderReader.read(section, managed);
            (extender.ignorable() ? ignorable : first).add(extender);
            binders += extender.bindVerb().isEmpty() ? 0 : 1;
            for (ExtenderConfig.ManagedResource resource : extender.managedResources()) {
                if (resource.ignoredByScheduler()) {
                    ignored.add(resource.name());
                    ignoredOrigin = ignoredOrigin.isEmpty() ? section.origin() : ignoredOrigin;
                }
            }
        }
        if (binders > 1) {
            top.at("extenders").invalid("found " + binders + " extenders implementing bind", "at most one bindVerb");
        }
        if (!ignored.isEmpty()) {
            for (ProfileReader profile : profiles) {
                profile.ignoreResources(ignored, ignoredOrigin);
            }
        }
        first.addAll(ignorable);
        return first;
    }
}
