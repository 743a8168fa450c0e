// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.EventType;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.TextFile;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.RecordedChange;

/** The results for the pods that were pending at the start of a recording or arrived in it. */
public final class RecordedPods {
    private final Map<String, RecordedPod> byUid = new LinkedHashMap<>();
    /** The time at which each change was seen, by its number from 1; the epoch where the recording has no time. */
    private final List<Instant> times;

    /**
     * A pod.
     *
     * @param pod the pod, when it was first seen
     * @param since when it was first seen
     * @param nodeName its node; empty if it got none
     * @param boundAt when its node was seen
     */
    public record RecordedPod(Pod pod, Instant since, String nodeName, Optional<Instant> boundAt) {
        /** Returns how long the pod was pending; empty if it got no node. */
        public Optional<Duration> waited() {
            return boundAt.map(bound -> Duration.between(since, bound));
        }
    }

    private RecordedPods(List<Instant> times) {
        this.times = times;
    }

    /**
     * Returns the pods of a recording.
     *
     * @param dump the contents of the recording
     * @throws CommandException if the file cannot be read
     */
    public static RecordedPods of(Recording recording, ClusterDump dump) {
        RecordedPods pods = new RecordedPods(times(recording));
        Instant start = pods.times.isEmpty() ? Instant.EPOCH : pods.times.get(0);
        Map<String, String> known = new HashMap<>();
        for (Pod pod : dump.pods()) {
            known.put(pod.uid(), pod.nodeName());
            if (!pod.isBound() && !pod.status().isTerminal()) {
                pods.byUid.put(pod.uid(), new RecordedPod(pod, start, "", Optional.empty()));
            }
        }
        for (RecordedChange change : dump.changes()) {
            if (change.object() instanceof Pod pod && change.type() != EventType.DELETED) {
                pods.see(pod, pods.timeOf(change), known);
            }
        }
        return pods;
    }

    private void see(Pod pod, Instant at, Map<String, String> known) {
        String before = known.put(pod.uid(), pod.nodeName());
        RecordedPod waiting = byUid.get(pod.uid());
        if (before == null && !pod.isBound() && !pod.status().isTerminal()) {
            byUid.put(pod.uid(), new RecordedPod(pod, at, "", Optional.empty()));
        } else if (waiting != null && waiting.nodeName().isEmpty() && pod.isBound()) {
            byUid.put(pod.uid(), new RecordedPod(waiting.pod(), waiting.since(), pod.nodeName(), Optional.of(at)));
        }
    }

    private static List<Instant> times(Recording recording) {
        List<Instant> times = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(recording.events(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                times.add(time(line));
            }
        } catch (IOException e) {
            throw new CommandException(recording.file() + ": cannot be read: " + TextFile.fault(e), e);
        }
        return times;
    }

    // The time comes before the object, which is long.
    private static Instant time(String line) {
        int object = line.indexOf("\"object\":");
        String head = object < 0 ? line : line.substring(0, object) + "\"object\":{}}";
        try {
            ObjectNode event = ObjectTrees.of(head);
            return Instant.parse(event.path("at").asText());
        } catch (ObjectDecodeException | DateTimeParseException untold) {
            return Instant.EPOCH;
        }
    }

    /** Returns the time at which a change was seen. */
    public Instant timeOf(RecordedChange change) {
        int index = change.number() - 1;
        return index < times.size() ? times.get(index) : Instant.EPOCH;
    }

    /** The pods, in the order in which they came. */
    public List<RecordedPod> pods() {
        return List.copyOf(byUid.values());
    }
}
