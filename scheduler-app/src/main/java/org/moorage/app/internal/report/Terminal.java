// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Help.Ansi;

/**
 * A command's input and output, and how it may write. No text of an object or plugin controls the terminal: control
 * characters are escaped.
 *
 * @param in its input
 * @param out its output, which other programs may read; see {@link StandardOutput}
 * @param err where it warns and shows how far it has come
 * @param clock the time, for what took how long
 * @param width how many columns a line of the output has; 0 for as many as it takes
 * @param colors whether the output may have colours
 * @param blocks whether the output may have block characters beyond ASCII
 * @param live whether a line on {@code err} can be written over
 * @param isWide whether tables have all rows
 * @param isQuiet whether to print no notes and no progress
 * @param recorder records what reports print, in place of the output
 */
public record Terminal(
        InputStream in,
        PrintWriter out,
        PrintWriter err,
        InstantSource clock,
        int width,
        boolean colors,
        boolean blocks,
        boolean live,
        boolean isWide,
        boolean isQuiet,
        Optional<ReportBlocks> recorder) {
    public Terminal {
        out = ControlCharacters.escaping(out, colors, false);
        err = ControlCharacters.escaping(err, false, live);
    }

    /** A terminal that prints. */
    public Terminal(
            InputStream in,
            PrintWriter out,
            PrintWriter err,
            InstantSource clock,
            int width,
            boolean colors,
            boolean blocks,
            boolean live) {
        this(in, out, err, clock, width, colors, blocks, live, false, false, Optional.empty());
    }

    private static final int NARROWEST = 40;
    private static final int USUAL = 80;
    private static final Path OPEN_FILES = Path.of("/proc/self/fd");

    /** Plain text, as for a file. */
    public static Terminal plain(InputStream in, PrintWriter out, PrintWriter err, InstantSource clock) {
        return new Terminal(in, out, err, clock, 0, false, false, false);
    }

    /** That of this process. */
    public static Terminal ofProcess() {
        Charset charset = charset("sun.stdout.encoding");
        boolean shown = isTerminal(1);
        return new Terminal(
                System.in,
                StandardOutput.writer(new FileOutputStream(FileDescriptor.out), charset),
                new PrintWriter(new OutputStreamWriter(
                        new FileOutputStream(FileDescriptor.err), charset("sun.stderr.encoding"))),
                InstantSource.system(),
                shown ? columns() : 0,
                Ansi.AUTO.enabled() || (shown && wantsColors(System.getenv())),
                charset.newEncoder().canEncode('█'),
                isTerminal(2));
    }

    // Java names the encoding of a terminal only; that of a pipe is the locale's.
    private static Charset charset(String property) {
        String name = System.getProperty(property, System.getProperty("native.encoding", "UTF-8"));
        return Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
    }

    // System.console() is about stdin as well, which is often a pipe here.
    private static boolean isTerminal(int fileDescriptor) {
        try {
            String target = Files.readSymbolicLink(OPEN_FILES.resolve(Integer.toString(fileDescriptor)))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException noSuchFolder) {
            return System.console() != null;
        }
    }

    private static boolean wantsColors(Map<String, String> environment) {
        return !environment.containsKey("NO_COLOR")
                && !"0".equals(environment.get("CLICOLOR"))
                && !"dumb".equals(environment.get("TERM"));
    }

    private static int columns() {
        String given = System.getenv("COLUMNS");
        String size = given == null ? sizeByStty() : given;
        try {
            int columns = Integer.parseInt(size.strip());
            return columns <= 0 ? USUAL : Math.max(NARROWEST, columns);
        } catch (NumberFormatException unknown) {
            return USUAL;
        }
    }

    private static String sizeByStty() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(1, TimeUnit.SECONDS)) {
                stty.destroy();
                return "";
            }
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return size.substring(size.indexOf(' ') + 1);
        } catch (IOException none) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** Returns the same terminal, with all rows of tables. */
    public Terminal asWide() {
        return new Terminal(in, out, err, clock, width, colors, blocks, live, true, isQuiet, recorder);
    }

    /** Returns the same terminal without notes and progress. */
    public Terminal asQuiet() {
        return new Terminal(in, out, err, clock, width, colors, blocks, live, isWide, true, recorder);
    }

    /** Returns the number of rows to show of so many, where a screen has room for that many. */
    public int shown(int rows, int onScreen) {
        return isWide ? rows : Math.min(rows, onScreen);
    }

    /** Prints a note: something worth knowing that is no mistake. */
    public void note(String message) {
        if (!isQuiet) {
            err.println("note: " + message);
            err.flush();
        }
    }

    /** Prints a warning: something short of a failure. */
    public void warn(String message) {
        err.println("warning: " + message);
        err.flush();
    }
}
