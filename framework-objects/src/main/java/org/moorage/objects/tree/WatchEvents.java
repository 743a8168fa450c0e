// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.EventType;
import org.moorage.objects.SourcePosition;

/**
 * Reads the recorded events of a watch, as {@code kubectl get --watch --output-watch-events} prints them with
 * {@code -o json} or {@code -o yaml}: objects with a {@code type} and an {@code object}, one after the other, or in an
 * array. The objects may be of any kind, and are in {@code default} if they need a namespace and name none.
 */
public final class WatchEvents {
    private static final String STDIN = "-";
    private static final List<String> TYPES = types();

    private final InputNotes notes;
    private final Consumer<Event> consumer;
    private int count;

    private WatchEvents(InputNotes notes, Consumer<Event> consumer) {
        this.notes = notes;
        this.consumer = consumer;
    }

    private static List<String> types() {
        List<String> names = new ArrayList<>();
        for (EventType type : EventType.values()) {
            names.add(type.name());
        }
        return List.copyOf(names);
    }

    /**
     * An event of an object.
     *
     * @param number its number among the events of the input, counted from 1
     * @param type what happened to the object: it was added, modified or deleted
     * @param object the object, which has a version, a kind and a name
     * @param position where the event starts
     */
    public record Event(int number, EventType type, ObjectNode object, SourcePosition position) {}

    /**
     * Reads the events of an input, in order. Bookmarks are ignored; an error, which ends a watch, is noted as a
     * warning.
     *
     * @param source a file, or {@code -} for stdin
     * @param stdin is read for {@code -}
     * @param notes collects problems
     * @param consumer receives each event that is about an object
     */
    public static void read(String source, InputStream stdin, InputNotes notes, Consumer<Event> consumer) {
        WatchEvents events = new WatchEvents(notes, consumer);
        String name = source.equals(STDIN) ? "stdin" : source;
        int problems = notes.problemCount();
        try {
            if (source.equals(STDIN)) {
                ClusterFiles.readStream(name, stdin, events::readDocuments);
            } else {
                events.readFile(source);
            }
            if (events.count == 0 && notes.problemCount() == problems) {
                notes.problem(
                        name
                                + ": no events (expected: at least one, as kubectl get --watch --output-watch-events prints them)");
            }
        } catch (ClusterFileException e) {
            notes.problem(String.valueOf(e.getMessage()));
        }
    }

    /**
     * As {@link #read}, of an input that is open. It may have no events.
     *
     * @param name its name in messages
     */
    public static void readInput(String name, InputStream input, InputNotes notes, Consumer<Event> consumer) {
        try {
            ClusterFiles.readStream(name, input, new WatchEvents(notes, consumer)::readDocuments);
        } catch (ClusterFileException e) {
            notes.problem(String.valueOf(e.getMessage()));
        }
    }

    private void readFile(String source) {
        try {
            Path file = Path.of(source);
            if (!Files.isRegularFile(file) && (Files.isDirectory(file) || !Files.exists(file))) {
                throw noSuchFile(source, Files.isDirectory(file) ? "a folder" : "no such file");
            }
            try (InputStream in = Files.newInputStream(file)) {
                ClusterFiles.readStream(source, in, this::readDocuments);
            }
        } catch (InvalidPathException e) {
            throw noSuchFile(source, "no such file");
        } catch (IOException e) {
            throw ClusterFiles.unreadable(source, e);
        }
    }

    private static ClusterFileException noSuchFile(String source, String seen) {
        return new ClusterFileException(
                source + ": " + seen + " (expected: a file with the events of a watch, or - for stdin)");
    }

    private void readDocuments(TreeParser parser) throws IOException {
        TreeParser.ItemConsumer items = (list, index, item) -> {
            add(item, parser.positions().of(item));
            return true;
        };
        for (Optional<JsonNode> next = parser.next(items); next.isPresent(); next = parser.next(items)) {
            JsonNode document = next.get();
            if (document.isArray()) {
                for (JsonNode item : document) {
                    // An item with an anchor could not be taken while it was read.
                    if (!item.isMissingNode()) {
                        add(item, parser.positions().of(item));
                    }
                }
            } else if (!document.isNull()) {
                add(document, parser.positions().of(document));
            }
        }
    }

    private void add(JsonNode event, SourcePosition position) {
        count++;
        String place = position + ": event " + count;
        JsonNode type = event.path("type");
        if (!event.isObject()) {
            notes.problem(place + ": " + Fields.typeOf(event) + " (expected: an object with type and object)");
        } else if (!TYPES.contains(type.asText(""))) {
            String seen = type.isMissingNode() ? " has no \"type\"" : ": type: " + Fields.shown(type);
            notes.problem(place + seen + " (expected: one of " + String.join(", ", TYPES) + ")");
        } else if (!(event.path("object") instanceof ObjectNode object)) {
            String seen =
                    event.has("object") ? ": object: " + Fields.shown(event.path("object")) : " has no \"object\"";
            notes.problem(place + seen + " (expected: a Kubernetes object)");
        } else {
            add(EventType.valueOf(type.asText()), object, place, position);
        }
    }

    private void add(EventType type, ObjectNode object, String place, SourcePosition position) {
        switch (type) {
            case ADDED, MODIFIED, DELETED -> {
                if (isObject(object, place)) {
                    ObjectKey ignored = ClusterFiles.inNamespace(object);
                    consumer.accept(new Event(count, type, object, position));
                }
            }
            case BOOKMARK -> {}
            case ERROR ->
                notes.warning(place + ": ERROR: " + object.path("message").asText("without a message")
                        + ". The watch broke off here, and what happened until the next event is not recorded.");
        }
    }

    private boolean isObject(ObjectNode object, String place) {
        for (String field : List.of("/apiVersion", "/kind", "/metadata/name")) {
            JsonNode value = object.at(field);
            if (!value.isTextual() || value.textValue().isEmpty()) {
                String seen = value.isMissingNode() ? "nothing" : Fields.shown(value);
                notes.problem(place + ": object" + field.replace('/', '.') + ": " + seen + " (expected: text)");
                return false;
            }
        }
        return true;
    }
}
