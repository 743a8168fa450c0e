// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of a client, one per line. The server's transport stops reading at the first line that is not a message;
 * this class logs and skips such a line.
 */
final class McpInput extends InputStream {
    private static final Logger LOG = LoggerFactory.getLogger(McpInput.class);

    /** Longest message in bytes: a manifest of the size limit of {@code POST}, escaped, and what encloses it. */
    private static final int LONGEST = 4 << 20;

    private final InputStream in;
    private final McpJsonMapper json;
    private final CountDownLatch end;
    private byte[] line = {};
    private int next;

    /**
     * Creates the input.
     *
     * @param end is counted down when the input has ended
     */
    McpInput(InputStream in, McpJsonMapper json, CountDownLatch end) {
        this.in = new BufferedInputStream(in);
        this.json = json;
        this.end = end;
    }

    @Override
    public int read() throws IOException {
        return hasMore() ? line[next++] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!hasMore()) {
            return -1;
        }
        int read = Math.min(length, line.length - next);
        System.arraycopy(line, next, bytes, from, read);
        next += read;
        return read;
    }

    // False at the end of the input.
    private boolean hasMore() throws IOException {
        boolean read = false;
        try {
            while (next == line.length) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                int character = in.read();
                if (character < 0) {
                    return false;
                }
                long length = 0;
                for (; character >= 0 && character != '\n'; character = in.read()) {
                    if (length++ < LONGEST) {
                        bytes.write(character);
                    }
                }
                if (isMessage(bytes.toString(UTF_8), length)) {
                    bytes.write('\n');
                    line = bytes.toByteArray();
                    next = 0;
                }
            }
            read = true;
            return true;
        } finally {
            if (!read) {
                end.countDown();
            }
        }
    }

    private boolean isMessage(String text, long length) {
        if (length > LONGEST) {
            LOG.warn("Line skipped: {} bytes (expected: at most {})", length, LONGEST);
            return false;
        }
        if (text.isBlank()) {
            return false;
        }
        try {
            JSONRPCMessage message = McpSchema.deserializeJsonRpcMessage(json, text);
            if (message instanceof JSONRPCResponse response && response.id() == null) {
                throw new IllegalArgumentException("a response without id");
            }
            return true;
        } catch (IOException | RuntimeException unreadable) {
            LOG.warn("Line skipped: no message of JSON-RPC 2.0: {}", unreadable.getMessage());
            return false;
        }
    }
}
