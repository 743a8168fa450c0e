// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.moorage.app.internal.process.OutputFile;

/**
 * A page in a single file: it contains its script, style and data, and loads nothing else. A policy names the script
 * and style by their hashes, so that a browser runs no other. Data is compressed and encoded, so that no text in it can
 * end the element that contains it.
 */
public final class HtmlReport {
    // In order of dependency: each script uses only earlier ones.
    private static final List<String> SCRIPTS = List.of(
            "dom.js",
            "format.js",
            "route.js",
            "reasons.js",
            "model.js",
            "table.js",
            "tiles.js",
            "plot.js",
            "histogram.js",
            "bars.js",
            "overview.js",
            "waiting.js",
            "nodes.js",
            "pods.js",
            "attempts.js",
            "pod.js",
            "compare.js",
            "pictures.js",
            "answers.js",
            "search.js",
            "ask.js",
            "copy.js",
            "main.js");
    private static final String POLICY = "%POLICY%";
    private static final String STYLE = "%STYLE%";
    private static final String DATA = "%DATA%";
    private static final String SCRIPT = "%SCRIPT%";

    private HtmlReport() {}

    /**
     * Writes a page into a file that only its owner can read. An existing file is replaced.
     *
     * @throws org.moorage.app.internal.process.CommandException if the file cannot be written
     */
    public static void write(Path file, PageContent content) {
        try (OutputFile out = OutputFile.whole("--report " + file, file)) {
            try (OutputStream stream = new BufferedOutputStream(out.stream())) {
                write(content, stream);
            } catch (IOException e) {
                throw out.failed(e);
            }
            long ignored = out.finish();
        }
    }

    /** The page, to be sent. */
    public static byte[] bytes(PageContent content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            write(content, out);
        } catch (IOException e) {
            throw new UncheckedIOException("the page cannot be made", e);
        }
        return out.toByteArray();
    }

    private static void write(PageContent content, OutputStream out) throws IOException {
        String style = resource("uPlot.css") + resource("page.css");
        String script = script();
        // A served page requests more data from its own server.
        String connections = content.paths().isPresent() ? "; connect-src 'self'" : "";
        String policy = "default-src 'none'; script-src '" + hash(script) + "'; style-src '" + hash(style)
                + "'; base-uri 'none'; form-action 'none'" + connections;
        String template = resource("page.html");
        int data = template.indexOf(DATA);
        out.write(template.substring(0, data)
                .replace(POLICY, policy)
                .replace(STYLE, style)
                .getBytes(UTF_8));
        try (GZIPOutputStream compressed =
                new GZIPOutputStream(Base64.getEncoder().wrap(new Unclosed(out)))) {
            PageData.write(content, compressed);
        }
        out.write(
                template.substring(data + DATA.length()).replace(SCRIPT, script).getBytes(UTF_8));
    }

    private static String script() throws IOException {
        StringBuilder script = new StringBuilder(resource("uPlot.js")).append("\n(() => {\n'use strict';\n");
        for (String name : SCRIPTS) {
            script.append(resource(name));
        }
        return script.append("})();\n").toString();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing in the program");
            }
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return "sha256-" + new String(Base64.getEncoder().encode(digest), US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A stream that stays open when what writes to it is closed. */
    private static final class Unclosed extends OutputStream {
        private final OutputStream out;

        Unclosed(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
