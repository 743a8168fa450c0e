// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.moorage.api.model.OtherObject;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.app.internal.process.OutputFile;
import org.moorage.objects.EventType;

/**
 * Writes a recording, line by line: first the existing objects, as {@code kubectl get} has them; a bookmark; and then
 * each change as an event of a watch, with the time at which it was seen.
 */
public final class RecordingWriter implements AutoCloseable {
    private final OutputFile file;
    private final BufferedWriter writer;
    private final InstantSource clock;
    private final Function<OtherObject, String> texts;
    private long bytes;
    private long objects;
    private long events;
    private boolean isListed;

    /** The objects that were written while there was no bookmark yet, and what happened to them meanwhile. */
    private final Set<String> listed = new HashSet<>();

    private final List<LiveChange> later = new ArrayList<>();

    private RecordingWriter(
            OutputFile file, BufferedWriter writer, InstantSource clock, Function<OtherObject, String> texts) {
        this.file = file;
        this.writer = writer;
        this.clock = clock;
        this.texts = texts;
    }

    /**
     * Begins a recording.
     *
     * @param file is replaced
     * @param clock the time of day
     * @param texts makes the line of an object
     * @throws org.moorage.app.internal.process.CommandException if it cannot be written
     */
    public static RecordingWriter create(Path file, InstantSource clock, Function<OtherObject, String> texts) {
        OutputFile opened = OutputFile.growing(file.toString(), file);
        return new RecordingWriter(
                opened,
                new BufferedWriter(new OutputStreamWriter(opened.stream(), StandardCharsets.UTF_8)),
                clock,
                texts);
    }

    /**
     * A change was seen.
     *
     * @throws org.moorage.app.internal.process.CommandException if it cannot be written
     */
    public void add(LiveChange change) {
        if (isListed) {
            event(change);
        } else if (change.type() == EventType.ADDED && listed.add(key(change))) {
            objects++;
            line(text(change));
        } else {
            later.add(change);
        }
    }

    private static String key(LiveChange change) {
        return change.kind() + " " + change.namespace() + "/" + change.name();
    }

    /**
     * All objects were listed; what follows are changes.
     *
     * @throws org.moorage.app.internal.process.CommandException if it cannot be written
     */
    public void listed() {
        isListed = true;
        listed.clear();
        ObjectNode bookmark = JsonNodeFactory.instance.objectNode();
        bookmark.put("type", EventType.BOOKMARK.name()).put("at", now()).putObject("object");
        line(bookmark.toString());
        later.forEach(this::event);
        later.clear();
    }

    private void event(LiveChange change) {
        events++;
        line("{\"type\":\"" + change.type() + "\",\"at\":\"" + now() + "\",\"object\":" + text(change) + "}");
    }

    private String now() {
        Instant now = clock.instant();
        return now.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    // Only name, namespace and UID are known of an object that was missing from a later list.
    private String text(LiveChange change) {
        if (change.object().orElse(null) instanceof OtherObject object) {
            return texts.apply(object);
        }
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("apiVersion", change.kind().apiVersion())
                .put("kind", change.kind().kind());
        ObjectNode metadata =
                tree.putObject("metadata").put("name", change.name()).put("uid", change.uid());
        if (!change.namespace().isEmpty()) {
            metadata.put("namespace", change.namespace());
        }
        return tree.toString();
    }

    private void line(String text) {
        try {
            writer.write(text);
            writer.write('\n');
            bytes += text.getBytes(StandardCharsets.UTF_8).length + 1;
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    /** Flushes the file. */
    public void flush() {
        try {
            writer.flush();
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    /** Returns how many bytes were written. */
    public long bytes() {
        return bytes;
    }

    /** Returns a summary in a few words. */
    public String summary() {
        return objects + " objects and " + events + " changes in " + bytes + " bytes";
    }

    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw file.failed(e);
        }
    }
}
