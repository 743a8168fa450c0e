// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private final StringWriter err = new StringWriter();
    private Instant now = Instant.EPOCH;

    private ProgressLine line(boolean live) {
        return new ProgressLine(
                new Terminal(
                        InputStream.nullInputStream(),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err),
                        () -> now,
                        80,
                        false,
                        false,
                        live),
                "pods",
                200);
    }

    @Test
    void showsProgressOnATerminalAfterASecond() {
        ProgressLine line = line(true);
        line.show(1);
        assertThat(err.toString()).isEmpty();

        now = now.plusSeconds(2);
        line.show(50);

        assertThat(err.toString()).endsWith("###.......  25%  50 of 200 pods, 25/s");
        line.clear();
        assertThat(err.toString()).endsWith("\r\u001b[K");
    }

    @Test
    void takesMoreThanTheTotalForAll() {
        ProgressLine line = line(true);
        now = now.plusSeconds(2);

        line.show(300);

        assertThat(err.toString()).endsWith("########## 100%  200 of 200 pods, 100/s");
    }

    @Test
    void showsNothingElsewhere() {
        ProgressLine line = line(false);
        now = now.plusSeconds(2);
        line.show(50);
        line.clear();

        assertThat(err.toString()).isEmpty();
    }
}
