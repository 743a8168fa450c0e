// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** A line on a terminal that shows progress, if the work takes longer than a second. */
public final class ProgressLine {
    private static final Duration DELAY = Duration.ofSeconds(1);
    private static final Duration PERIOD = Duration.ofMillis(100);
    /** Goes to the start of the line, and clears it. */
    static final String CLEAR = "\r\u001b[K";

    private final Terminal terminal;
    private final String what;
    private final int total;
    private final Instant start;
    private Instant next;
    private boolean shown;
    private int steps;

    /**
     * A line that is not shown yet.
     *
     * @param what what is counted, in the plural
     * @param total how many of it there are, roughly; 0 if unknown
     */
    public ProgressLine(Terminal terminal, String what, int total) {
        this.terminal = terminal;
        this.what = what;
        this.total = total;
        start = terminal.clock().instant();
        next = start.plus(DELAY);
    }

    /** Shows that one more is done; by any thread, unless {@link #show} is called, too. */
    public synchronized void next() {
        show(++steps);
    }

    /** Shows how much is done; more than the total counts as all. */
    public void show(int count) {
        int done = total == 0 ? count : Math.min(count, total);
        if (!terminal.live() || terminal.isQuiet()) {
            return;
        }
        Instant now = terminal.clock().instant();
        if (now.isBefore(next)) {
            return;
        }
        next = now.plus(PERIOD);
        shown = true;
        double seconds = Duration.between(start, now).toMillis() / 1000.0;
        String share = total == 0
                ? Integer.toString(done)
                : String.format(
                        Locale.ROOT,
                        "%s %3d%%  %d of %d",
                        AmountFormat.bar(done, total, terminal),
                        AmountFormat.percent(done, total),
                        done,
                        total);
        terminal.err().print(CLEAR + String.format(Locale.ROOT, "%s %s, %.0f/s", share, what, done / seconds));
        terminal.err().flush();
    }

    /** Removes the line. */
    public void clear() {
        if (shown) {
            terminal.err().print(CLEAR);
            terminal.err().flush();
        }
    }
}
