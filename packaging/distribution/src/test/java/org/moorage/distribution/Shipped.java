// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The shipped files: the bill of materials, and the jars of the class path. */
final class Shipped {
    private static final Path MODULE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath();

    /**
     * A library, as the bill of materials lists it.
     *
     * @param sha256 of its jar, in hexadecimal digits; empty where it has none, such as a plugin
     */
    record Component(String group, String name, String version, String sha256) {
        boolean isOurs() {
            return group.startsWith("org.moorage");
        }

        /** Where its jar is in a local repository. */
        String path() {
            return group.replace('.', '/') + "/" + name + "/" + version + "/" + name + "-" + version + ".jar";
        }

        @Override
        public String toString() {
            return group + ":" + name + ":" + version;
        }
    }

    private Shipped() {}

    /** A file of the module. */
    static Path file(String name) {
        return MODULE.resolve(name);
    }

    /**
     * Returns the components of the bill of materials. The test is skipped if there is none, since Maven does not
     * create it offline.
     */
    static List<Component> components() throws IOException {
        Path file = file("target/moorage.cdx.json");
        if (!Files.exists(file)) {
            System.err.println("bill of materials: skipped, since Maven does not make it offline (mvn -o)");
        }
        assumeThat(file).exists();
        JsonNode bill = new ObjectMapper().readTree(file.toFile());
        List<Component> components = new ArrayList<>();
        for (JsonNode component : bill.path("components")) {
            String sha256 = "";
            for (JsonNode hash : component.path("hashes")) {
                if (hash.path("alg").asText().equals("SHA-256")) {
                    sha256 = hash.path("content").asText();
                }
            }
            components.add(new Component(
                    component.path("group").asText(),
                    component.path("name").asText(),
                    component.path("version").asText(),
                    sha256));
        }
        return components;
    }

    /** The jars of the archive's class path. */
    static List<Path> jars() throws IOException {
        List<Path> jars = new ArrayList<>();
        for (String jar :
                Files.readString(file("target/class-path.txt")).strip().split(File.pathSeparator)) {
            jars.add(Path.of(jar));
        }
        return jars;
    }

    static String sha256(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
