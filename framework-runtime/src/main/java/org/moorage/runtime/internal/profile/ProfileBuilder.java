// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.ConfigException;
import org.moorage.config.ProfileConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.FactoryCalls;
import org.moorage.config.plugin.FactoryFailure;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.PluginEvents;
import org.moorage.runtime.internal.queue.QueueProfile;

/** Creates the plugins of each profile, once each, and builds the profiles. */
public final class ProfileBuilder {
    private static final Log LOG = Log.of(ProfileBuilder.class);

    private final PluginRegistry registry;
    private final BiFunction<String, String, Handle> handles;
    private final Supplier<Map<String, List<Pod>>> nominatedPods;
    private final Listeners listeners;
    private final BiFunction<String, Plugin, PluginCaller> callers;

    /**
     * Creates a builder.
     *
     * @param callers returns the caller of a plugin
     * @param handles returns the handle of a plugin, by the names of the profile and the plugin
     * @param nominatedPods returns the currently nominated pods by node name, as a map that does not change
     * @param listeners receive the measurements of the plugins
     */
    public ProfileBuilder(
            PluginRegistry registry,
            BiFunction<String, Plugin, PluginCaller> callers,
            BiFunction<String, String, Handle> handles,
            Supplier<Map<String, List<Pod>>> nominatedPods,
            Listeners listeners) {
        this.callers = callers;
        this.registry = registry;
        this.handles = handles;
        this.nominatedPods = nominatedPods;
        this.listeners = listeners;
    }

    /**
     * The profiles of a configuration, and all plugins that were created for them.
     *
     * @param byName the profiles, in the order of the configuration
     * @param plugins their plugins, including those that are called at no extension point
     * @param eventsByProfile the events of each profile's plugins
     * @param missing the plugins of kube-scheduler that are enabled but not registered
     */
    public record Profiles(
            Map<String, Profile> byName,
            List<PluginCaller> plugins,
            Map<String, List<PluginEvents>> eventsByProfile,
            Set<String> missing) {
        public Profiles {
            byName = Collections.unmodifiableMap(byName);
            plugins = List.copyOf(plugins);
            eventsByProfile = Collections.unmodifiableMap(eventsByProfile);
            missing = Collections.unmodifiableSet(missing);
        }

        /**
         * Returns the profile that is responsible for a pod.
         *
         * @throws IllegalArgumentException if there is none
         */
        public Profile of(Pod pod) {
            return find(pod.spec().schedulerName(), () -> "pod " + pod.key() + ": spec.schedulerName");
        }

        /**
         * Returns the profile of a name that a caller has given.
         *
         * @throws IllegalArgumentException if there is none
         */
        public Profile named(String name) {
            return find(name, () -> "profile");
        }

        private Profile find(String name, Supplier<String> what) {
            return Optional.ofNullable(byName.get(name))
                    .orElseThrow(() -> new IllegalArgumentException(
                            what.get() + ": \"" + name + "\" (expected: one of the profiles " + byName.keySet() + ")"));
        }

        /** Returns the plugin that sorts the queue, which is the same for all profiles. */
        public PluginCaller queueSort() {
            return byName.values()
                    .iterator()
                    .next()
                    .at(ExtensionPoint.QUEUE_SORT)
                    .get(0);
        }

        /** Returns the parts of the profiles that the queue needs, by their names. */
        public Map<String, QueueProfile> queueProfiles() {
            Map<String, QueueProfile> all = new LinkedHashMap<>();
            for (Profile profile : byName.values()) {
                all.put(
                        profile.name(),
                        new QueueProfile(
                                profile.at(ExtensionPoint.PRE_ENQUEUE),
                                eventsByProfile.getOrDefault(profile.name(), List.of())));
            }
            return all;
        }
    }

    /**
     * Builds the profiles of a configuration.
     *
     * @param problems collects the other problems of the configuration
     * @throws ConfigException if they cannot be built, or there are other problems; it lists every problem
     */
    public Profiles build(SchedulerConfig config, Problems problems) {
        List<PluginCaller> plugins = new ArrayList<>();
        try {
            return build(config, plugins, problems);
        } catch (RuntimeException | Error refused) {
            closeAll(plugins);
            throw refused;
        }
    }

    private Profiles build(SchedulerConfig config, List<PluginCaller> plugins, Problems problems) {
        List<ProfilePlugins> expanded = new ArrayList<>();
        Map<String, List<PluginEvents>> eventsByProfile = new LinkedHashMap<>();
        for (int i = 0; i < config.profiles().size(); i++) {
            ProfileConfig profile = config.profiles().get(i);
            Problems at = problems.at("profiles").at(i);
            Map<String, PluginCaller> pluginByName = new LinkedHashMap<>();
            Set<String> failed = new HashSet<>();
            for (String name : profile.pluginNames()) {
                PluginFactory<?> factory = registry.find(name).orElse(null);
                if (factory == null) {
                    continue;
                }
                Optional<PluginCaller> plugin = create(factory, profile, at);
                if (plugin.isEmpty()) {
                    failed.add(name);
                    continue;
                }
                plugins.add(plugin.get());
                pluginByName.put(name, plugin.get());
            }
            expanded.add(ProfilePlugins.expand(profile, pluginByName, failed, at));
            List<PluginEvents> events = new ArrayList<>();
            if (!config.extenders().isEmpty()) {
                events.add(PluginEvents.all(Extenders.NAME));
            }
            events.addAll(events(pluginByName.values(), at));
            eventsByProfile.put(profile.schedulerName(), events);
        }
        ProfilePlugins.checkSameQueueSort(config.profiles(), expanded, problems);
        if (!problems.isEmpty()) {
            throw new ConfigException("configuration", problems.all(), Map.of());
        }
        Map<String, Profile> profiles = new LinkedHashMap<>();
        for (int i = 0; i < expanded.size(); i++) {
            profiles.put(
                    config.profiles().get(i).schedulerName(),
                    profile(config.profiles().get(i), expanded.get(i)));
        }
        Set<String> missing = new LinkedHashSet<>();
        expanded.forEach(profile -> missing.addAll(profile.missing()));
        return new Profiles(profiles, plugins, eventsByProfile, missing);
    }

    private static List<PluginEvents> events(Collection<PluginCaller> plugins, Problems at) {
        List<PluginEvents> events = new ArrayList<>();
        for (PluginCaller plugin : plugins) {
            try {
                events.add(PluginEvents.of(plugin));
            } catch (PluginFailure failure) {
                at.at(entryOf(plugin.name())).report(failure.getMessage());
            }
        }
        return events;
    }

    private Profile profile(ProfileConfig config, ProfilePlugins plugins) {
        return new Profile(
                config.schedulerName(),
                config.percentageOfNodesToScore(),
                plugins.byPoint(),
                plugins.weights(),
                nominatedPods,
                listeners);
    }

    private Optional<PluginCaller> create(PluginFactory<?> factory, ProfileConfig profile, Problems at) {
        PluginArgs args = Objects.requireNonNull(profile.args().get(factory.name()));
        try {
            return Optional.of(callers.apply(
                    factory.name(),
                    FactoryCalls.create(factory, args, handles.apply(profile.schedulerName(), factory.name()))));
        } catch (FactoryFailure failure) {
            at.at(entryOf(factory.name())).report(failure.getMessage());
            return Optional.empty();
        }
    }

    private static String entryOf(String plugin) {
        return "pluginConfig[" + plugin + "]";
    }

    /** Closes those plugins that can be closed, including the ones after a failure. */
    public static void closeAll(Collection<PluginCaller> plugins) {
        for (PluginCaller plugin : plugins) {
            try {
                plugin.close();
            } catch (PluginFailure failure) {
                LOG.atWarn()
                        .addKeyValue("plugin", plugin.name())
                        .setCause(failure)
                        .log("Plugin failed to close");
            }
        }
    }
}
