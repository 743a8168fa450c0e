// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.ApiVersion;
import org.moorage.api.plugin.PluginFactory;

/**
 * The metadata of a jar. A jar is rejected before any class is loaded from it if it refers the class loader to other
 * files, or if a file in it that is read as a whole is larger than any plugin needs.
 *
 * @param classNames the names of its factories' classes; empty for a jar that has no plugin
 * @param apiVersion the text that names the version of the plugin API, or null if there is none
 */
record JarContents(Set<String> classNames, @Nullable String apiVersion) {
    static final String SERVICE = "META-INF/services/" + PluginFactory.class.getName();

    /** An index that names other jars, which the class loaders of Java 17 to 21 then open. */
    private static final String INDEX = "META-INF/INDEX.LIST";

    private static final int LARGEST_TEXT = 1 << 20;
    /** In a signed jar, the manifest has a section for each file. */
    private static final int LARGEST_MANIFEST = 16 << 20;
    /** The Java compiler creates no class file of more than a few megabytes. */
    private static final int LARGEST_CLASS = 16 << 20;

    /**
     * Reads the metadata of a jar.
     *
     * @throws PluginJarException if the jar is rejected
     * @throws IOException if the file is not a readable jar
     */
    static JarContents read(Path jar) throws IOException {
        RegularFile.check(jar);
        // The class loader verifies signatures.
        try (JarFile open = new JarFile(jar.toFile(), false)) {
            for (ZipEntry entry : Collections.list(open.entries())) {
                check(jar, open, entry);
            }
            Set<String> classNames = classNames(jar, open);
            Manifest manifest = open.getManifest();
            if (classNames.isEmpty() || manifest == null) {
                return new JarContents(classNames, null);
            }
            String others = manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            if (others != null && !others.isBlank()) {
                throw new PluginJarException(jar + ": Class-Path of its manifest: " + shortened(others)
                        + " (expected: none, and the libraries' classes in the jar)");
            }
            return new JarContents(classNames, manifest.getMainAttributes().getValue(ApiVersion.MANIFEST_ATTRIBUTE));
        }
    }

    private static void check(Path jar, JarFile open, ZipEntry entry) throws IOException {
        String name = entry.getName();
        if (name.equalsIgnoreCase(JarFile.MANIFEST_NAME)) {
            // Counted while reading, since the size in the entry may be wrong.
            bytes(jar, open, entry, LARGEST_MANIFEST);
        } else if (name.endsWith(".class") && entry.getSize() > LARGEST_CLASS) {
            throw tooLarge(jar, name, LARGEST_CLASS);
        } else if (name.equals(INDEX)) {
            String self = String.valueOf(jar.getFileName());
            String text = new String(bytes(jar, open, entry, LARGEST_TEXT), StandardCharsets.UTF_8);
            for (String line : text.lines().toList()) {
                if (line.toLowerCase(Locale.ROOT).strip().endsWith(".jar")
                        && !line.strip().equals(self)) {
                    throw new PluginJarException(jar + ": " + INDEX + ": " + shortened(line)
                            + " (expected: no other jar, and the libraries' classes in this one)");
                }
            }
        }
    }

    // Not with ServiceLoader, whose errors do not name the jar, and which would find factories outside of the jar too.
    private static Set<String> classNames(Path jar, JarFile open) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        ZipEntry services = open.getEntry(SERVICE);
        if (services != null) {
            String text = new String(bytes(jar, open, services, LARGEST_TEXT), StandardCharsets.UTF_8);
            for (String line : text.lines().toList()) {
                int comment = line.indexOf('#');
                String name = (comment < 0 ? line : line.substring(0, comment)).strip();
                if (!name.isEmpty()) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    private static byte[] bytes(Path jar, JarFile open, ZipEntry entry, int largest) throws IOException {
        try (InputStream in = open.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(largest + 1);
            if (bytes.length > largest) {
                throw tooLarge(jar, entry.getName(), largest);
            }
            return bytes;
        }
    }

    private static PluginJarException tooLarge(Path jar, String entry, int largest) {
        return new PluginJarException(
                jar + ": " + shortened(entry) + ": more than " + (largest >> 20) + " MB (expected: less)");
    }

    /** Returns a text of a jar, or of an exception of its classes, shortened to one line. */
    static String shortened(String text) {
        String start = text.length() > 200 ? text.substring(0, 200) + "..." : text;
        return start.replaceAll("\\p{Cntrl}+", " ");
    }
}
