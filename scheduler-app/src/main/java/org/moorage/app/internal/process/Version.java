// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The versions of Moorage and of the kube-scheduler that makes the same decisions. */
public final class Version implements IVersionProvider {
    /** The version of kube-scheduler that makes the same decisions. */
    public static final String KUBE_SCHEDULER = "v1.37.2";

    private static final String RECORDED_BY_MAVEN = "/META-INF/maven/org.moorage/scheduler-app/pom.properties";

    Version() {}

    /** Returns the version of the jar; {@code development} outside of a jar. */
    public static String ofMoorage() {
        try (InputStream recorded = Version.class.getResourceAsStream(RECORDED_BY_MAVEN)) {
            Properties properties = new Properties();
            if (recorded != null) {
                properties.load(recorded);
            }
            return properties.getProperty("version", "development");
        } catch (IOException e) {
            throw new UncheckedIOException(RECORDED_BY_MAVEN + " cannot be read", e);
        }
    }

    /** The versions of Moorage and of kube-scheduler, in one line. */
    public static String text() {
        return "Moorage " + ofMoorage() + " (decides as kube-scheduler " + KUBE_SCHEDULER + ")";
    }

    @Override
    public String[] getVersion() {
        return new String[] {text()};
    }
}
