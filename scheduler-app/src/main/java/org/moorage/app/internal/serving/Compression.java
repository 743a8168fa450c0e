// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.moorage.http.Request;

/** Compresses the bodies of replies with gzip, for clients that accept it. */
final class Compression {
    /** Shorter bodies are sent as they are: with its headers a response of this length fits into a packet. */
    static final int LEAST_BYTES = 1024;

    private Compression() {}

    /** The reply to a request, compressed if it is long enough and the client accepts that. */
    static Reply of(Request request, Reply reply) {
        if (reply.body().length < LEAST_BYTES) {
            return reply;
        }
        Reply varied = reply.with("Vary", "Accept-Encoding");
        return accepts(request.headers("Accept-Encoding"))
                ? new Reply(varied.code(), varied.contentType(), compressed(varied.body()), varied.headers())
                        .with("Content-Encoding", "gzip")
                : varied;
    }

    /** Whether these values of the header {@code Accept-Encoding} allow gzip: by its name, or else by {@code *}. */
    private static boolean accepts(List<String> values) {
        boolean isAnyAccepted = false;
        for (String part : String.join(",", values).toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] words = part.strip().split("\\s*;\\s*", -1);
            boolean isAccepted = words.length == 1 || !words[1].matches("q\\s*=\\s*0(\\.0*)?");
            if (words[0].equals("gzip")) {
                return isAccepted;
            }
            isAnyAccepted |= words[0].equals("*") && isAccepted;
        }
        return isAnyAccepted;
    }

    private static byte[] compressed(byte[] body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
