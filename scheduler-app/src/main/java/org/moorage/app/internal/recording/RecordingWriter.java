// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.api.model.OtherObject;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.app.internal.live.LiveObjects;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.EventType;
import org.moorage.objects.TextFile;

/**
 * Writes a recording, line by line: first the objects that there are, as {@code kubectl get} has them; a bookmark; and then each change as an
 * event of a watch, with the time at which it was seen.
 */
public final class RecordingWriter implements AutoCloseable {
    private final Path file;
    private final BufferedWriter writer;
    private final InstantSource clock;
    private long bytes;
    private long objects;
    private long events;
    private boolean isListed;

    /** The objects that were written while there was no bookmark yet, and what happened to them meanwhile. */
    private final Set<String> listed = new HashSet<>();

    private final List<LiveChange> later = new ArrayList<>();

    private RecordingWriter(Path file, BufferedWriter writer, InstantSource clock) {
        this.file = file;
        this.writer = writer;
        this.clock = clock;
    }

    /**
     * Begins a recording.
     *
     * @param file is replaced
     * @param clock the time of day
     * @throws CommandException if it cannot be written
     */
    public static RecordingWriter create(Path file, InstantSource clock) {
        try {
            return new RecordingWriter(file, Files.newBufferedWriter(file), clock);
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /**
     * A change was seen.
     *
     * @throws CommandException if it cannot be written
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
     * @throws CommandException if it cannot be written
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

    // Of one that a list no longer had there is nothing but the name.
    private static String text(LiveChange change) {
        if (change.object().orElse(null) instanceof OtherObject object) {
            return LiveObjects.text(object);
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
            throw failed(file, e);
        }
    }

    /** Has all that was written be in the file. */
    public void flush() {
        try {
            writer.flush();
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** How many bytes were written. */
    public long bytes() {
        return bytes;
    }

    /** What was written, in a few words. */
    public String summary() {
        return objects + " objects and " + events + " changes in " + bytes + " bytes";
    }

    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    private static CommandException failed(Path file, IOException e) {
        String why = e instanceof NoSuchFileException ? "no such folder" : TextFile.fault(e);
        return new CommandException(file + ": cannot be written: " + why, e);
    }
}
