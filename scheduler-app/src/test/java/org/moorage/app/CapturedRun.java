// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.report.Terminal;

/** The result of a command line that ran in this process with a stopped clock. */
public record CapturedRun(int exitCode, String out, String err) {
    /** The example cluster. */
    public static final String FIRST =
            Path.of("..", "examples", "clusters", "first.yaml").toString();

    /** Changes of the example cluster. */
    static final String FIRST_CHANGES =
            Path.of("..", "examples", "clusters", "first-changes.json").toString();

    /** The example cluster with groups of pods. */
    public static final String GROUPS =
            Path.of("..", "examples", "clusters", "groups.yaml").toString();

    /** The example of a running cluster. */
    public static final String ZONES =
            Path.of("..", "examples", "clusters", "zones.yaml").toString();

    /** The features that its groups need. */
    public static final String GROUP_GATES = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true";

    public static CapturedRun of(String... args) {
        return withInput("", args);
    }

    static CapturedRun withInput(String input, String... args) {
        return on(0, input, Additions.NONE, args);
    }

    static CapturedRun onTerminal(int width, String... args) {
        return on(width, "", Additions.NONE, args);
    }

    static CapturedRun withPlugins(List<PluginFactory<?>> plugins, String... args) {
        return with(new Additions(plugins, Optional.empty()), args);
    }

    static CapturedRun with(Additions additions, String... args) {
        return on(0, "", additions, args);
    }

    private static CapturedRun on(int width, String input, Additions additions, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        InputStream in = new ByteArrayInputStream(input.getBytes(UTF_8));
        boolean terminal = width > 0;
        int exitCode = Main.run(
                additions,
                new Terminal(
                        in,
                        new PrintWriter(out),
                        new PrintWriter(err),
                        InstantSource.fixed(Instant.EPOCH),
                        width,
                        terminal,
                        terminal,
                        terminal),
                args);
        Logging.use(Level.WARN);
        return new CapturedRun(exitCode, withUnixEnds(out), withUnixEnds(err));
    }

    private static String withUnixEnds(StringWriter text) {
        return text.toString().replace(System.lineSeparator(), "\n");
    }

    /** A configuration that does not change with the plugins that are built in. */
    static String elevenPlugins() {
        URL found = Objects.requireNonNull(CapturedRun.class.getResource("eleven-plugins.yaml"));
        try {
            return Path.of(found.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
