// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.feature.MinorVersion;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.options.ExtenderFiles;
import org.moorage.app.internal.options.FeatureGateOptions;
import org.moorage.app.internal.options.ManifestFile;
import org.moorage.app.internal.options.PluginOptions;
import org.moorage.app.internal.options.UnknownPluginOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.OutputFormat;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigPrinter;
import org.moorage.config.ConfigReading;
import org.moorage.config.LoadedConfig;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.runtime.ConfigCheck;
import org.moorage.simulation.cluster.InMemoryCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Shows, checks and converts configurations. */
@Command(
        name = "config",
        description = "Validate, show or convert scheduler configurations.",
        footer = {
            "  moorage config validate scheduler.yaml --for-version 1.36,1.37",
            "  moorage config show scheduler.yaml",
            "  moorage config convert policy.cfg > scheduler.yaml"
        })
public final class ConfigCommand {
    private static final int NOT_VALID = 1;
    private static final int NOT_READ = 2;
    private static final String KUBECONFIG = "clientConnection.kubeconfig";

    private final Terminal terminal;

    /** Creates the command; it prints to that terminal. */
    public ConfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "show",
            description = "Show the effective configuration and where each setting comes from.",
            footer = "  moorage config show scheduler.yaml --changed",
            exitCodeList = {"0:the configuration is shown"})
    public int show(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Mixin PolicyOption policy,
            @Mixin UnknownPluginOptions unknown,
            @Option(names = "--changed", description = "Print only what differs from the defaults.") boolean changed,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORMAT",
                            converter = OutputFormat.Named.class,
                            defaultValue = "yaml",
                            description = "Format: yaml, with the origin of each setting, or json (default: yaml).")
                    OutputFormat format,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "FILE",
                            description = "Configuration file; - for stdin (default: the default configuration).")
                    Optional<Path> file) {
        checkIsTree(format);
        LoadedConfig loaded = read(
                file,
                plugins.registry(JarRules.WithoutVersion.NOTED, terminal::warn),
                features.gates(),
                policy,
                unknown.unknownPlugins());
        ConfigFile.warn(loaded, terminal);
        if (format == OutputFormat.JSON) {
            format.printValue(changed ? loaded.changed() : loaded.effective(), terminal);
        } else {
            terminal.out().print(changed ? ConfigPrinter.printChanged(loaded) : ConfigPrinter.print(loaded));
        }
        return 0;
    }

    @Command(
            name = "validate",
            description = {
                "Validate configuration files and report all errors.",
                "",
                "The plugins are created, and the files that the configuration names are read. A kubeconfig, and a"
                        + " certificate of an extender, that is missing on this machine is a warning.",
                "",
                "With --for-version, the feature gates of a version of Kubernetes apply; for several versions the"
                        + " differences are shown, too. Changes without a feature gate are not considered."
            },
            footer = {
                "  moorage config validate scheduler.yaml",
                "  moorage config validate scheduler.yaml --for-version 1.36,1.37"
            },
            exitCodeList = {"0:all configurations are valid", "1:a configuration is not", "2:a file cannot be read"})
    public int validate(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Mixin PolicyOption policy,
            @Mixin UnknownPluginOptions unknown,
            @Mixin VersionsOption forVersion,
            @Parameters(arity = "1..*", paramLabel = "FILE", description = "Configuration files; - for stdin.")
                    List<Path> files) {
        PluginRegistry registry = plugins.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        List<String> versions = forVersion.versions;
        List<FeatureGates> gates = gates(features, versions);
        int exitCode = 0;
        for (Path file : files) {
            Optional<ManifestFile> manifests;
            try {
                manifests = ConfigFile.manifests(Optional.of(file), terminal.in());
            } catch (CommandException unreadable) {
                refused(unreadable);
                exitCode = NOT_READ;
                continue;
            }
            Optional<LoadedConfig> before = Optional.empty();
            for (FeatureGates ofVersion : gates) {
                Optional<LoadedConfig> loaded = validated(
                        manifests, registry, ofVersion, policy, unknown.unknownPlugins(), !versions.isEmpty());
                exitCode = Math.max(exitCode, loaded.isPresent() ? 0 : NOT_VALID);
                if (before.isPresent() && loaded.isPresent()) {
                    terminal.out().println("from " + version(before.get()) + " to " + version(loaded.get()) + ":");
                    VersionDifferences.between(before.get(), loaded.get())
                            .forEach(line -> terminal.out().println("  " + line));
                }
                before = loaded;
            }
        }
        return exitCode;
    }

    private static List<FeatureGates> gates(FeatureGateOptions features, List<String> versions) {
        if (versions.isEmpty()) {
            return List.of(features.gates());
        }
        List<FeatureGates> gates = new ArrayList<>();
        for (String version : versions) {
            try {
                gates.add(features.gatesIn(MinorVersion.parse(version)));
            } catch (IllegalArgumentException noVersion) {
                throw new CommandException("--for-version: " + noVersion.getMessage(), noVersion);
            }
        }
        return gates;
    }

    private Optional<LoadedConfig> validated(
            Optional<ManifestFile> manifests,
            PluginRegistry registry,
            FeatureGates gates,
            PolicyOption policy,
            UnknownPlugins unknown,
            boolean namesVersion) {
        try {
            LoadedConfig loaded = checked(manifests, registry, gates, policy, unknown);
            ConfigFile.warn(loaded, terminal);
            String shape = loaded.shape().title();
            terminal.out()
                    .println(loaded.sourceName() + ": valid" + (namesVersion ? " in " + version(loaded) : "")
                            + (shape.isEmpty() ? "" : " (" + shape + ")"));
            return Optional.of(loaded);
        } catch (ConfigException | CommandException refusal) {
            if (namesVersion) {
                terminal.out().println("not valid in " + gates.version().emulated() + ":");
            }
            refused(refusal);
            return Optional.empty();
        }
    }

    private static MinorVersion version(LoadedConfig loaded) {
        return loaded.featureGates().version().emulated();
    }

    private void refused(RuntimeException refusal) {
        terminal.out().flush();
        terminal.err().println("error: " + refusal.getMessage());
    }

    @Command(
            name = "convert",
            description = {
                "Convert a configuration to version v1, or to the form of a managed cloud.",
                "",
                "With --to, it is written as EKS (aws eks update-cluster-config --kube-scheduler-config) or AKS"
                        + " (kubectl apply) accepts it; what the cloud has no setting for is an error.",
                "",
                "With --native-gangs, the profiles use the pod groups of Kubernetes in place of Coscheduling; moorage"
                        + " convert converts the manifests.",
                "",
                "Older versions are v1alpha1, v1alpha2, v1beta1, v1beta2, v1beta3, and a Policy. FILE may have"
                        + " manifests whose ConfigMaps have the configuration or a Policy. Plugins that are not registered"
                        + " are kept, with a warning. Comments are lost."
            },
            footer = {
                "  moorage config convert scheduler-v1beta3.yaml > scheduler.yaml",
                "  moorage config convert --native-gangs coscheduling.yaml > scheduler.yaml"
            },
            exitCodeList = {"0:the configuration is converted"})
    public int convert(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Mixin PolicyOption policy,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORMAT",
                            converter = OutputFormat.Named.class,
                            defaultValue = "yaml",
                            description = "Format: yaml or json (default: yaml).")
                    OutputFormat format,
            @Option(
                            names = "--to",
                            paramLabel = "SHAPE",
                            converter = ShapeConverter.class,
                            defaultValue = "kube-scheduler",
                            description = "Form of the result: kube-scheduler, eks or aks (default: kube-scheduler).")
                    ConfigShape shape,
            @Option(names = "--native-gangs", description = "Replace Coscheduling by the pod groups of Kubernetes.")
                    boolean nativeGangs,
            @Parameters(paramLabel = "FILE", description = "Configuration file; - for stdin.") Path file) {
        checkIsTree(format);
        PluginRegistry registry = plugins.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = read(Optional.of(file), registry, features.gates(), policy, UnknownPlugins.KEPT);
        ConfigFile.warn(loaded, terminal);
        if (nativeGangs) {
            loaded = withNativeGangs(loaded, registry);
        }
        if (format == OutputFormat.YAML) {
            terminal.out().print(ConfigPrinter.printSource(loaded, shape, terminal::warn));
        } else {
            format.printValue(loaded.source(shape, terminal::warn), terminal);
        }
        return 0;
    }

    // Read again, so that the result is known to be valid.
    private LoadedConfig withNativeGangs(LoadedConfig loaded, PluginRegistry registry) {
        Map<String, Object> converted = NativeGangs.convert(loaded.source(), terminal::warn);
        ConfigReading reading = ConfigLoader.read(
                OutputFormat.JSON.text(converted),
                loaded.sourceName(),
                registry,
                loaded.featureGates().with(FeatureGates.GENERIC_WORKLOAD, true),
                ConfigFile.policies(Optional.empty(), Optional.empty()),
                UnknownPlugins.KEPT);
        InMemoryCluster cluster = new InMemoryCluster();
        return ConfigCheck.check(reading, registry, cluster, cluster);
    }

    /** Finds the shape that a person names. */
    static final class ShapeConverter implements ITypeConverter<ConfigShape> {
        @Override
        public ConfigShape convert(String name) {
            return Arrays.stream(ConfigShape.values())
                    .filter(shape -> shape.toString().equals(name))
                    .findFirst()
                    .orElseThrow(() ->
                            new TypeConversionException("\"" + name + "\" (expected: kube-scheduler, eks or aks)"));
        }
    }

    /** The versions to look at a configuration for. */
    static final class VersionsOption {
        @Option(
                names = "--for-version",
                paramLabel = "MAJOR.MINOR",
                split = ",",
                description =
                        "Versions of Kubernetes to validate for, such as 1.36,1.37, instead of --emulated-version.")
        private List<String> versions = new ArrayList<>();
    }

    /** The file with the Policy that a configuration names as a ConfigMap. */
    static final class PolicyOption {
        @Option(
                names = "--policy",
                paramLabel = "FILE",
                description = "The Policy that a configuration of version v1alpha1 names as a ConfigMap: the text of"
                        + " policy.cfg, or the ConfigMap's manifest.")
        private Optional<Path> file = Optional.empty();

        PolicyTexts texts(Optional<ManifestFile> config) {
            return ConfigFile.policies(config, file);
        }
    }

    private static void checkIsTree(OutputFormat format) {
        if (format == OutputFormat.TABLE) {
            throw new CommandException("--output: table (expected: yaml or json)");
        }
    }

    private LoadedConfig read(
            Optional<Path> file,
            PluginRegistry registry,
            FeatureGates features,
            PolicyOption policy,
            UnknownPlugins unknown) {
        return checked(ConfigFile.manifests(file, terminal.in()), registry, features, policy, unknown);
    }

    private LoadedConfig checked(
            Optional<ManifestFile> manifests,
            PluginRegistry registry,
            FeatureGates features,
            PolicyOption policy,
            UnknownPlugins unknown) {
        ConfigReading reading = ConfigFile.read(manifests, registry, features, policy.texts(manifests), unknown);
        ConfigReading here = reading.withLoaded(ExtenderFiles.withoutAbsent(reading.loaded(), terminal));
        InMemoryCluster cluster = new InMemoryCluster();
        return ConfigCheck.check(withKubeconfigChecked(here), registry, cluster, cluster);
    }

    // An existing but unusable kubeconfig would make the start of a scheduler fail. A missing one may exist where the
    // scheduler runs.
    private ConfigReading withKubeconfigChecked(ConfigReading reading) {
        String kubeconfig = reading.loaded().config().clientConnection().kubeconfig();
        if (kubeconfig.isEmpty()) {
            return reading;
        }
        try {
            Path file = Path.of(kubeconfig);
            if (!Files.isReadable(file)) {
                Problems.Problem absent = new Problems.Problem(
                        KUBECONFIG,
                        "kubeconfig " + file + ": " + (Files.exists(file) ? "permission denied" : "no such file")
                                + ", so it is not checked (expected: where the scheduler runs)");
                terminal.warn(String.valueOf(reading.refusal(List.of(absent)).getMessage()));
                return reading;
            }
            ApiClient ignored = new ApiConnection(Optional.of(file), Optional.empty()).open();
        } catch (ClusterException | InvalidPathException unusable) {
            return reading.with(new Problems.Problem(KUBECONFIG, String.valueOf(unusable.getMessage())));
        }
        return reading;
    }
}
