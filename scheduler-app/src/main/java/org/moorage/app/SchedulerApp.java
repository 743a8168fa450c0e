// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.config.older.PolicyTexts.PolicyText;

/**
 * The {@code moorage} command line with additional plugins, for a program that is a custom scheduler:
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *     SchedulerApp.builder()
 *             .withPlugin(new RandomNodeSample.Factory())
 *             .withDefaultConfig("MinimalScheduler", CONFIG)
 *             .run(args);
 * }
 * }</pre>
 *
 * <p>It has all flags, commands and plugins of {@code moorage}, like the command that kube-scheduler's
 * {@code NewSchedulerCommand(WithPlugin(...))} returns has those of kube-scheduler. Plugins that
 * {@link java.util.ServiceLoader} finds on the class path and plugins from {@code --plugin-dir} are available, too.
 */
public final class SchedulerApp {
    private SchedulerApp() {}

    /** An application without further plugins. */
    public static Builder builder() {
        return new Builder();
    }

    /** Takes the plugins. */
    public static final class Builder {
        private final List<PluginFactory<?>> plugins = new ArrayList<>();

        private Optional<PolicyText> config = Optional.empty();

        private Builder() {}

        /**
         * Adds a plugin that configurations may name. Its factory may be offered to {@link java.util.ServiceLoader} as
         * well.
         */
        public Builder withPlugin(PluginFactory<?> factory) {
            plugins.add(Objects.requireNonNull(factory, "factory"));
            return this;
        }

        /**
         * Sets the configuration where the command line names none, in place of kube-scheduler's default one.
         *
         * @param sourceName what it is called in messages
         * @param config a {@code KubeSchedulerConfiguration} in YAML or JSON
         */
        public Builder withDefaultConfig(String sourceName, String config) {
            this.config = Optional.of(new PolicyText(
                    Objects.requireNonNull(config, "config"), Objects.requireNonNull(sourceName, "sourceName")));
            return this;
        }

        /**
         * Runs the command line, and ends the process: with 0, with 1 after a failure, with 2 if the command line is
         * invalid.
         *
         * @param args the flags, or a command and its flags
         */
        public void run(String... args) {
            Main.run(new Additions(plugins, config), args);
        }
    }
}
