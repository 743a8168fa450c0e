// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.config.FlagValue;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.config.PolicyTexts;
import org.moorage.runtime.plugin.PluginRegistry;

/** Reads the configuration that a person names. */
public final class ConfigFile {
    private ConfigFile() {}

    /**
     * The configuration of a file, or the default one.
     *
     * @param policies finds the Policy that it names
     * @throws CommandException if the file cannot be read
     * @throws org.moorage.runtime.config.ConfigException if the configuration is refused
     */
    static LoadedConfig load(
            Optional<Path> file,
            PluginRegistry registry,
            FeatureGates features,
            PolicyTexts policies,
            FlagValue... flags) {
        if (file.isEmpty()) {
            return ConfigLoader.defaults(registry, features, flags);
        }
        PolicyTexts.PolicyText config = read(file.get()).config();
        return ConfigLoader.load(config.text(), config.sourceName(), registry, features, policies, flags);
    }

    /**
     * The text of a file.
     *
     * @param expected what is expected to be there, for messages
     * @throws CommandException if the file cannot be read
     */
    public static String text(Path file, String expected) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new CommandException(file + ": no such file (expected: " + expected + ")", e);
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be read: " + e, e);
        }
    }

    private static ManifestFile read(Path file) {
        return ManifestFile.read(file, "a KubeSchedulerConfiguration");
    }

    /** Finds a Policy in files: in one of its own, or beside the configuration. */
    static PolicyTexts policies(Optional<Path> config, Optional<Path> policy) {
        return (namespace, name, kubeconfig) -> {
            Optional<PolicyTexts.PolicyText> found = policy.isPresent()
                    ? ManifestFile.read(policy.get(), "a Policy").policy(namespace, name)
                    : config.flatMap(file -> read(file).configMap(namespace, name));
            return found.orElseThrow(
                    () -> new IOException("it is in no file; --policy FILE of moorage config names one"));
        };
    }

    /** Tells what became of a configuration of an older version, and of what decisions here go without. */
    static void warn(LoadedConfig loaded, Terminal terminal) {
        loaded.warnings().forEach(terminal::warn);
        List<String> missing = new ArrayList<>(loaded.missingPlugins());
        missing.addAll(loaded.missingFeatures());
        if (!missing.isEmpty()) {
            terminal.warn("this version decides without " + String.join(", ", missing));
        }
    }
}
