// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static java.time.ZoneOffset.UTC;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;

/** Converts events to the JSON of {@code events.k8s.io}. */
final class EventJson {
    static final ObjectKind<OtherObject> EVENT = ObjectKind.other("events.k8s.io/v1", "Event", "events", true);

    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(UTC);
    private static final int MAX_NOTE_BYTES = 1024;
    private static final String TRUNCATED = " ...";
    private static final int MAX_INSTANCE_LENGTH = 128;
    private static final int MAX_NAME_LENGTH = 253;

    private EventJson() {}

    static ObjectNode of(ReportedEvent event, Instant time, String hostName, String namespace, String name) {
        String scheduler = event.controller();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("apiVersion", EVENT.apiVersion()).put("kind", EVENT.kind());
        json.putObject("metadata").put("name", name).put("namespace", namespace);
        json.put("eventTime", MICRO_TIME.format(time));
        json.put("reportingController", scheduler);
        json.put("reportingInstance", prefix(scheduler + "-" + hostName, MAX_INSTANCE_LENGTH));
        json.put("action", event.action());
        json.put("reason", event.reason());
        json.set("regarding", reference(event.regarding()));
        event.related().ifPresent(related -> json.set("related", reference(related)));
        json.put("note", truncated(event.note()));
        json.put("type", event.type());
        return json;
    }

    /** Returns a patch with the number of occurrences of an event. */
    static ObjectNode series(int count, Instant lastOccurrence) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("series").put("count", count).put("lastObservedTime", MICRO_TIME.format(lastOccurrence));
        return patch;
    }

    /** Returns the name of an event: the name of its object, and a number. */
    static String name(ClusterObject object, long number) {
        String suffix = "." + Long.toHexString(number);
        return prefix(object.metadata().name(), MAX_NAME_LENGTH - suffix.length()) + suffix;
    }

    private static ObjectNode reference(ClusterObject object) {
        ObjectKind<?> kind = ObjectKind.of(object);
        ObjectNode reference = JsonNodeFactory.instance.objectNode();
        reference.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
        reference.put("namespace", object.namespace()).put("name", object.name());
        reference.put("uid", object.metadata().uid());
        if (!object.metadata().resourceVersion().isEmpty()) {
            reference.put("resourceVersion", object.metadata().resourceVersion());
        }
        return reference;
    }

    private static String prefix(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    /** Returns a note truncated to the server's limit in bytes, at a character boundary. */
    static String truncated(String note) {
        byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MAX_NOTE_BYTES) {
            return note;
        }
        int end = MAX_NOTE_BYTES - TRUNCATED.length();
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + TRUNCATED;
    }
}
