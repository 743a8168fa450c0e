// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.config.plugin.PluginRegistry;

/**
 * Records the PreEnqueue plugins of a scheduler so that each of them can be called; the queue stops at the first
 * rejection.
 */
final class PreEnqueuePlugins {
    private final List<Remembered> plugins = Collections.synchronizedList(new ArrayList<>());

    private record Remembered(String profile, PreEnqueuePlugin plugin) {}

    /** Returns a registry of the same plugins, whose instances are recorded here when they are created. */
    PluginRegistry rememberedFrom(PluginRegistry registry) {
        List<PluginFactory<?>> factories = new ArrayList<>();
        for (PluginFactory<?> factory : registry.factories()) {
            factories.add(new Factory<>(factory));
        }
        return PluginRegistry.of(factories);
    }

    private final class Factory<A extends PluginArgs> implements PluginFactory<A> {
        private final PluginFactory<A> factory;

        Factory(PluginFactory<A> factory) {
            this.factory = Objects.requireNonNull(factory, "factory");
        }

        @Override
        public String name() {
            return factory.name();
        }

        @Override
        public Class<A> argsType() {
            return factory.argsType();
        }

        @Override
        public Plugin create(A args, Handle handle) {
            Plugin plugin = factory.create(args, handle);
            if (plugin instanceof PreEnqueuePlugin asked) {
                plugins.add(new Remembered(handle.profileName(), asked));
            }
            return plugin;
        }

        @Override
        public boolean needsPodJson() {
            return factory.needsPodJson();
        }

        @Override
        public boolean needsClusterJson() {
            return factory.needsClusterJson();
        }

        @Override
        public Class<?> declaringClass() {
            return factory.declaringClass();
        }
    }

    /** Returns the rejections of a pod by the plugins of a profile. */
    Set<String> refusals(String profile, Pod pod) {
        Set<String> refusals = new TreeSet<>();
        for (Remembered remembered : plugins) {
            if (remembered.profile().equals(profile)) {
                Status status = remembered.plugin().preEnqueue(pod);
                if (!status.isSuccess()) {
                    refusals.add(
                            refusal(remembered.plugin().name(), status.code().toString(), status.reasons()));
                }
            }
        }
        return refusals;
    }

    /** Returns a rejection as text. */
    static String refusal(String plugin, String code, List<String> reasons) {
        return code + " by " + plugin + ": " + JsonText.quoted(reasons);
    }
}
