// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/** Reads text files, and describes in a few words why a file cannot be read or written. */
public final class TextFile {
    private static final String FOLDER = "a folder";
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final int LOWEST_HALF_OF_MARK = 0xFE;

    private TextFile() {}

    /**
     * Returns the text of a file in UTF-8, without a byte order mark.
     *
     * @throws IOException if it cannot be read, or is not UTF-8; its message says why in a few words, without the
     *     file's name
     */
    public static String read(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(FOLDER);
        }
        try {
            return decoded(Files.readAllBytes(file));
        } catch (FileSystemException unreadable) {
            throw new IOException(fault(unreadable), unreadable);
        }
    }

    /**
     * Returns the text that these bytes are in UTF-8, without a byte order mark.
     *
     * @throws IOException if they are not UTF-8; its message says so, with the first line that is not
     */
    public static String decoded(byte[] bytes) throws IOException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        String text;
        try {
            text = decoder.decode(in).toString();
        } catch (CharacterCodingException notUtf8) {
            // The decoder stops before what it cannot take.
            throw new IOException(notUtf8(bytes, in.position()), notUtf8);
        }
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    private static String notUtf8(byte[] bytes, int at) {
        int first = Byte.toUnsignedInt(bytes[at]);
        if (at == 0 && first >= LOWEST_HALF_OF_MARK) {
            return "a text in UTF-16, not in UTF-8";
        }
        int line = 1;
        for (int i = 0; i < at; i++) {
            line += bytes[i] == '\n' ? 1 : 0;
        }
        return String.format(Locale.ROOT, "not a text in UTF-8: byte 0x%02X in line %d", first, line);
    }

    /** Returns why a file cannot be read or written, in a few words and without its name. */
    public static String fault(IOException thrown) {
        if (thrown instanceof NoSuchFileException) {
            return "no such file";
        }
        if (thrown instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (thrown instanceof FileAlreadyExistsException) {
            return "file already exists";
        }
        String message = thrown instanceof FileSystemException system ? system.getReason() : thrown.getMessage();
        if (message == null || message.isBlank()) {
            return "it cannot be used";
        }
        if (message.contains("Is a directory")) {
            return FOLDER;
        }
        String line = message.strip().replace('\n', ' ');
        return line.substring(0, 1).toLowerCase(Locale.ROOT) + line.substring(1);
    }
}
