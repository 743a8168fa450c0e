// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.PreQueueingHint;
import org.moorage.api.event.QueueingHint;

/**
 * The queueing hints of the plugins that registered an event, by event and profile. Safe for use by several threads.
 */
final class QueueingHintMap {
    private final Map<String, QueueProfile> profiles;
    // Filled on the first lookup of an event. Events are defined in code, so their number is small.
    private final Map<ClusterEvent, Map<String, List<QueueingHintFunction>>> byEventAndProfile =
            new ConcurrentHashMap<>();

    /**
     * A plugin's hint for an event that it registered.
     *
     * @param plugin the plugin's name
     * @param hint its hint
     * @param preHint its pre-queueing hint, if any
     */
    record QueueingHintFunction(String plugin, QueueingHint<Object> hint, Optional<PreQueueingHint<Object>> preHint) {}

    QueueingHintMap(Map<String, QueueProfile> profiles) {
        this.profiles = profiles;
    }

    boolean isRegistered(ClusterEvent event) {
        return event.isWildcard() || !byProfile(event).isEmpty();
    }

    List<QueueingHintFunction> of(String profile, ClusterEvent event) {
        return byProfile(event).getOrDefault(profile, List.of());
    }

    List<QueueingHintFunction> of(ClusterEvent event) {
        List<QueueingHintFunction> hints = new ArrayList<>();
        byProfile(event).values().forEach(hints::addAll);
        return hints;
    }

    /** Returns the hints for the event of the plugins that rejected a pod of the profile. */
    List<QueueingHintFunction> of(String profile, RejectorPlugins rejectors, ClusterEvent event) {
        List<QueueingHintFunction> hints = new ArrayList<>();
        for (QueueingHintFunction function : of(profile, event)) {
            if (rejectors.contains(function.plugin())) {
                hints.add(function);
            }
        }
        return hints;
    }

    /** Returns the labels of the events that each of these plugins of a profile registered. */
    Map<String, List<String>> eventsByPlugin(String profile, RejectorPlugins rejectors) {
        Map<String, List<String>> byPlugin = new HashMap<>();
        QueueProfile known = profiles.get(profile);
        for (PluginEvents events : known == null ? List.<PluginEvents>of() : known.events()) {
            if (rejectors.contains(events.plugin())) {
                List<String> labels = new ArrayList<>();
                events.registrations()
                        .forEach(registration -> labels.add(registration.event().label()));
                byPlugin.put(events.plugin(), labels);
            }
        }
        return byPlugin;
    }

    boolean isRegisteredBy(String profile, String plugin, ClusterEvent event) {
        for (QueueingHintFunction function : of(profile, event)) {
            if (function.plugin().equals(plugin)) {
                return true;
            }
        }
        return false;
    }

    private Map<String, List<QueueingHintFunction>> byProfile(ClusterEvent event) {
        return byEventAndProfile.computeIfAbsent(event, this::collect);
    }

    private Map<String, List<QueueingHintFunction>> collect(ClusterEvent event) {
        Map<String, List<QueueingHintFunction>> byProfile = new HashMap<>();
        profiles.forEach((name, profile) -> {
            List<QueueingHintFunction> hints = new ArrayList<>();
            for (PluginEvents events : profile.events()) {
                for (EventRegistration registration : events.registrations()) {
                    if (registration.event().covers(event)) {
                        hints.add(
                                new QueueingHintFunction(events.plugin(), registration.hint(), registration.preHint()));
                    }
                }
            }
            if (!hints.isEmpty()) {
                byProfile.put(name, List.copyOf(hints));
            }
        });
        return byProfile;
    }
}
