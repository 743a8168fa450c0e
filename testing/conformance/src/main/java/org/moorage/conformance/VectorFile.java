// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** A file of recorded cases: one JSON document per line, optionally compressed. */
final class VectorFile implements AutoCloseable {
    private static final String STDIN = "-";
    private static final int BUFFER_BYTES = 1 << 16;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String name;
    private final BufferedReader lines;
    private int number;

    private VectorFile(String name, BufferedReader lines) {
        this.name = name;
        this.lines = lines;
    }

    /**
     * An unparsed line.
     *
     * @param place file and line, for messages
     * @param number the line number, from 1
     * @param text the line
     */
    record Line(String place, int number, String text) {
        /**
         * Parses the line.
         *
         * @throws VectorException if it is not a recorded case
         */
        Vector parse() {
            JsonNode tree;
            try {
                tree = JSON.readTree(text);
            } catch (JsonProcessingException e) {
                throw new VectorException(place + ": not JSON: " + e.getOriginalMessage(), e);
            }
            Optional<VectorKind> kind = tree instanceof ObjectNode object ? VectorKind.of(object) : Optional.empty();
            if (kind.isEmpty() || !(tree instanceof ObjectNode object)) {
                throw new VectorException(
                        place + ": " + JsonText.cut(text, 60)
                                + " (expected: a decision, group, sequence, hint, configuration, defaults or admission vector)",
                        null);
            }
            return new Vector(object.path("name").asText("line " + number), kind.get(), object);
        }
    }

    /**
     * Opens a file, or stdin for {@code -}.
     *
     * @throws VectorException if it cannot be read
     */
    static VectorFile open(String source, InputStream stdin) {
        String name = source.equals(STDIN) ? "stdin" : source;
        try {
            InputStream in = source.equals(STDIN) ? stdin : Files.newInputStream(Path.of(source));
            return new VectorFile(name, new BufferedReader(new InputStreamReader(unzipped(in), UTF_8)));
        } catch (InvalidPathException | IOException e) {
            throw unreadable(name, e);
        }
    }

    private static InputStream unzipped(InputStream in) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(in, BUFFER_BYTES);
        buffered.mark(2);
        byte[] head = buffered.readNBytes(2);
        buffered.reset();
        boolean zipped = head.length == 2 && head[0] == (byte) 0x1f && head[1] == (byte) 0x8b;
        return zipped ? new GZIPInputStream(buffered, BUFFER_BYTES) : buffered;
    }

    private static VectorException unreadable(String name, Exception cause) {
        String problem = cause instanceof NoSuchFileException ? "no such file" : "cannot be read: " + cause;
        return new VectorException(
                name + ": " + problem + " (expected: a file of recorded answers, or - for stdin)", cause);
    }

    /** Returns the next line that is not blank; empty at the end. */
    Optional<Line> next() {
        try {
            for (String text = lines.readLine(); text != null; text = lines.readLine()) {
                number++;
                if (!text.isBlank()) {
                    return Optional.of(new Line(name + ":" + number, number, text));
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw unreadable(name, e);
        }
    }

    @Override
    public void close() {
        try {
            lines.close();
        } catch (IOException e) {
            throw unreadable(name, e);
        }
    }
}
