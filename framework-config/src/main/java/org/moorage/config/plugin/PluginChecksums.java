// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The jars that may be loaded, by the SHA-256 of their bytes, as {@code sha256sum} writes them. */
public final class PluginChecksums {
    /** Any jar may be loaded. */
    public static final PluginChecksums ANY = new PluginChecksums("", Map.of());

    private static final Pattern LINE = Pattern.compile("([0-9a-fA-F]{64}) [ *](?:.*/)?([^/]+)");
    private static final int LONGEST = 1 << 20;
    private static final int BUFFER = 1 << 16;

    private final String source;
    private final Map<String, Listed> listed;

    private record Listed(String sum, int line) {}

    private PluginChecksums(String source, Map<String, Listed> listed) {
        this.source = source;
        this.listed = listed;
    }

    /**
     * Reads a file of {@code sha256sum}: a line for each jar, with its sum, two spaces and its path, of which the last
     * name counts.
     *
     * @throws PluginJarException if the file cannot be read, has more than 1 MB, or has a line that is none of those
     */
    public static PluginChecksums read(Path file) {
        String text;
        try (InputStream in = RegularFile.open(file)) {
            byte[] bytes = in.readNBytes(LONGEST + 1);
            if (bytes.length > LONGEST) {
                throw new PluginJarException(file + ": more than 1 MB (expected: a file of sha256sum)");
            }
            text = new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new PluginJarException(file + ": cannot be read: " + failed, failed);
        }
        Map<String, Listed> listed = new HashMap<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            if (!line.matches()) {
                throw new PluginJarException(file + ":" + (i + 1)
                        + ": not a checksum (expected: a line of sha256sum, such as \"<64 hex digits>  plugin.jar\")");
            }
            Listed next = new Listed(line.group(1).toLowerCase(Locale.ROOT), i + 1);
            Listed before = listed.putIfAbsent(line.group(2), next);
            if (before != null && !before.sum.equals(next.sum)) {
                throw new PluginJarException(file + ":" + (i + 1) + ": another checksum of " + line.group(2)
                        + " than in line " + before.line + " (expected: one for a name)");
            }
        }
        return new PluginChecksums(file.toString(), Map.copyOf(listed));
    }

    /**
     * Reads the whole jar unless any may be loaded.
     *
     * @throws PluginJarException if it is not listed, or its checksum differs
     */
    void check(Path jar) throws IOException {
        if (this == ANY) {
            return;
        }
        String sum = sum(jar);
        Listed expected = listed.get(String.valueOf(jar.getFileName()));
        if (expected == null) {
            throw new PluginJarException(jar + ": sha256 " + sum + " (expected: listed in " + source + ")");
        }
        if (!expected.sum.equals(sum)) {
            throw new PluginJarException(jar + ": sha256 " + sum + " (expected: " + expected.sum + ", by " + source
                    + ":" + expected.line + ")");
        }
    }

    private static String sum(Path jar) throws IOException {
        try (InputStream in = RegularFile.open(jar)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
