// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigReading;
import org.moorage.config.FlagValue;
import org.moorage.config.LoadedConfig;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;
import org.moorage.objects.TextFile;

/** Reads the configuration that a person names. */
public final class ConfigFile {
    private static final String EXPECTED = "a KubeSchedulerConfiguration";

    private ConfigFile() {}

    /**
     * The manifests of the file with the configuration, if there is one.
     *
     * @param stdin what {@code -} stands for
     * @throws CommandException if the file cannot be read
     */
    public static Optional<ManifestFile> manifests(Optional<Path> file, InputStream stdin) {
        return file.map(path -> ManifestFile.read(path, EXPECTED, stdin));
    }

    /**
     * The manifests of the file with the configuration, if there is one.
     *
     * @throws CommandException if the file cannot be read
     */
    public static Optional<ManifestFile> manifests(Optional<Path> file) {
        return file.map(path -> ManifestFile.read(path, EXPECTED));
    }

    /**
     * The configuration of a file, or the default one.
     *
     * @param policies finds the Policy that it names
     * @param unknown what happens to plugins that are not registered
     * @throws CommandException if the file cannot be read
     */
    public static ConfigReading read(
            Optional<ManifestFile> file,
            PluginRegistry registry,
            FeatureGates features,
            PolicyTexts policies,
            UnknownPlugins unknown,
            FlagValue... flags) {
        if (file.isEmpty()) {
            LoadedConfig defaults = ConfigLoader.defaults(registry, features, flags);
            return new ConfigReading(defaults, List.of(), List.of(), Map.of());
        }
        PolicyTexts.PolicyText config = file.get().config();
        return ConfigLoader.read(config.text(), config.sourceName(), registry, features, policies, unknown, flags);
    }

    /**
     * The text of a file.
     *
     * @param expected what is expected to be there, for messages
     * @throws CommandException if the file cannot be read
     */
    public static String text(Path file, String expected) {
        try {
            return TextFile.read(file);
        } catch (IOException e) {
            throw new CommandException(file + ": " + TextFile.fault(e) + " (expected: " + expected + ")", e);
        }
    }

    /** Returns texts of a Policy from a file: that of a flag, or that of the configuration. */
    public static PolicyTexts policies(Optional<ManifestFile> config, Optional<Path> policy) {
        return (namespace, name, kubeconfig) -> {
            Optional<PolicyTexts.PolicyText> found = policy.isPresent()
                    ? ManifestFile.read(policy.get(), "a Policy").policy(namespace, name)
                    : config.flatMap(file -> file.configMap(namespace, name));
            return found.orElseThrow(
                    () -> new IOException("it is in no file; --policy FILE of moorage config names one"));
        };
    }

    /** Warns of what changed in a configuration of an older version, and of what has no effect. */
    public static void warn(LoadedConfig loaded, Terminal terminal) {
        loaded.warnings().forEach(terminal::warn);
    }
}
