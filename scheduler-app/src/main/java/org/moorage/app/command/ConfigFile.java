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
import org.moorage.runtime.plugin.PluginRegistry;

/** Reads the configuration that a person names. */
final class ConfigFile {
    private ConfigFile() {}

    /**
     * The configuration of a file, or the default one.
     *
     * @throws CommandException if the file cannot be read
     * @throws org.moorage.runtime.config.ConfigException if the configuration is refused
     */
    static LoadedConfig load(Optional<Path> file, PluginRegistry registry, FeatureGates features, FlagValue... flags) {
        return file.map(path -> ConfigLoader.load(text(path), path.toString(), registry, features, flags))
                .orElseGet(() -> ConfigLoader.defaults(registry, features, flags));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new CommandException(file + ": no such file (expected: a KubeSchedulerConfiguration)", e);
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be read: " + e, e);
        }
    }

    /** Tells of kube-scheduler's plugins and features that decisions here go without. */
    static void warnOfWhatIsMissing(LoadedConfig loaded, Terminal terminal) {
        List<String> missing = new ArrayList<>(loaded.missingPlugins());
        missing.addAll(loaded.missingFeatures());
        if (!missing.isEmpty()) {
            terminal.warn("this version decides without " + String.join(", ", missing));
        }
    }
}
