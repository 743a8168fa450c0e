// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.QueueingHint;

/** Which plugins of which profile wait for an event. Safe for use by several threads. */
final class QueueingHintMap {
    private final Map<String, QueueProfile> profiles;
    // As many entries as there are different events; those are named in code, so they are few.
    private final Map<ClusterEvent, Map<String, List<QueueingHintFunction>>> interestsByProfileAndEvent =
            new ConcurrentHashMap<>();

    /**
     * A registration that is for an event.
     *
     * @param plugin whose it is
     * @param registered what it is for
     * @param hint the plugin's closer look
     */
    record QueueingHintFunction(String plugin, ClusterEvent registered, QueueingHint<Object> hint) {}

    QueueingHintMap(Map<String, QueueProfile> profiles) {
        this.profiles = profiles;
    }

    /** Whether a plugin of any profile waits for the event. */
    boolean any(ClusterEvent event) {
        return event.isWildcard() || !byProfile(event).isEmpty();
    }

    /** The interests of a profile's plugins in the event. */
    List<QueueingHintFunction> of(String profile, ClusterEvent event) {
        return byProfile(event).getOrDefault(profile, List.of());
    }

    /** The interests in the event of those plugins that rejected a pod of the profile. */
    List<QueueingHintFunction> of(String profile, RejectorPlugins rejectors, ClusterEvent event) {
        List<QueueingHintFunction> interests = new ArrayList<>();
        for (QueueingHintFunction interest : of(profile, event)) {
            if (rejectors.contains(interest.plugin())) {
                interests.add(interest);
            }
        }
        return interests;
    }

    /** Whether that plugin of the profile waits for the event. */
    boolean isOf(String profile, String plugin, ClusterEvent event) {
        for (QueueingHintFunction interest : of(profile, event)) {
            if (interest.plugin().equals(plugin)) {
                return true;
            }
        }
        return false;
    }

    private Map<String, List<QueueingHintFunction>> byProfile(ClusterEvent event) {
        return interestsByProfileAndEvent.computeIfAbsent(event, this::compute);
    }

    private Map<String, List<QueueingHintFunction>> compute(ClusterEvent event) {
        Map<String, List<QueueingHintFunction>> interestsByProfile = new HashMap<>();
        profiles.forEach((name, profile) -> {
            List<QueueingHintFunction> interests = new ArrayList<>();
            for (PluginEvents events : profile.events()) {
                for (EventRegistration registration : events.registrations()) {
                    if (registration.event().covers(event)) {
                        interests.add(
                                new QueueingHintFunction(events.plugin(), registration.event(), registration.hint()));
                    }
                }
            }
            if (!interests.isEmpty()) {
                interestsByProfile.put(name, List.copyOf(interests));
            }
        });
        return interestsByProfile;
    }
}
