// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.Signals;
import org.moorage.objects.GoDuration;
import picocli.CommandLine.Option;

/** The running time of a command that watches a cluster: until SIGINT or SIGTERM, or for a given duration. */
public final class RunningTime {
    private volatile boolean isEnded;
    private @Nullable InstantSource clock;
    private @Nullable Instant end;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            description = "Time to run, such as 10m (default: until SIGINT or SIGTERM).")
    private Optional<String> duration = Optional.empty();

    /**
     * Starts the running time; from now on SIGINT and SIGTERM end it.
     *
     * @param monotonic a monotonic clock
     * @throws CommandException if the flag's value is no duration
     */
    public void begin(InstantSource monotonic) {
        clock = monotonic;
        end = duration.map(this::parsed).map(monotonic.instant()::plus).orElse(null);
        boolean ignored = Signals.handle("INT", this::end) && Signals.handle("TERM", this::end);
    }

    private Duration parsed(String text) {
        return GoDuration.parse(text)
                .filter(parsed -> !parsed.isNegative() && !parsed.isZero())
                .orElseThrow(() -> new CommandException("--for: \"" + text + "\" (expected: a duration such as 10m)"));
    }

    /** Ends the running time. */
    public void end() {
        isEnded = true;
    }

    /** Returns whether the running time is over. */
    public boolean isOver() {
        return isEnded || clock != null && end != null && !clock.instant().isBefore(end);
    }
}
