// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.regex.Pattern;

/**
 * Reads the text of manifests, and replaces tabs at the end of a line or before a comment by spaces: kubectl's YAML
 * parser accepts them and SnakeYAML does not. A text in a block ({@code |} or {@code >}) is left as it is.
 */
final class ManifestReader extends Reader {
    private static final Pattern START_OF_BLOCK = Pattern.compile(".*(?:^|[ \t:])[|>][-+0-9]{0,2}[ \t]*(?:#.*)?");

    private final BufferedReader reader;
    private String line = "";
    private int next;
    private int blockIndent = -1;

    ManifestReader(Reader reader) {
        this.reader = new BufferedReader(reader);
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
        if (next == line.length() && !readLine()) {
            return -1;
        }
        int count = Math.min(length, line.length() - next);
        line.getChars(next, next + count, buffer, offset);
        next += count;
        return count;
    }

    private boolean readLine() throws IOException {
        String read = reader.readLine();
        if (read == null) {
            return false;
        }
        line = mended(read) + "\n";
        next = 0;
        return true;
    }

    private String mended(String text) {
        int indent = indent(text);
        boolean isBlank = indent == text.length();
        if (blockIndent >= 0 && (isBlank || indent > blockIndent)) {
            return text;
        }
        blockIndent = !isBlank && START_OF_BLOCK.matcher(text).matches() ? indent : -1;
        if (text.indexOf('\t') < 0) {
            return text;
        }
        return withoutTrailingTabs(text);
    }

    // By hand: a pattern would look at a long run of tabs once for each of them.
    private static String withoutTrailingTabs(String text) {
        int start = 0;
        for (int end = 0; end <= text.length(); end++) {
            boolean isLast = end == text.length();
            if (!isLast && isBlank(text.charAt(end))) {
                continue;
            }
            if ((isLast || text.charAt(end) == '#')
                    && text.substring(start, end).indexOf('\t') >= 0) {
                return text.substring(0, start) + " ".repeat(end - start) + text.substring(end);
            }
            start = end + 1;
        }
        return text;
    }

    private static boolean isBlank(char character) {
        return character == ' ' || character == '\t';
    }

    private static int indent(String text) {
        int indent = 0;
        while (indent < text.length() && text.charAt(indent) == ' ') {
            indent++;
        }
        return indent;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
