// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Tests which loggers write at which verbosity. */
class LoggingTest {
    @AfterEach
    void logWarningsAgain() {
        Logging.use(Level.WARN);
    }

    @ParameterizedTest
    @CsvSource({
        "0, org.moorage.runtime.Scheduler, INFO",
        "2, org.moorage.runtime.Scheduler, DEBUG",
        "4, org.moorage.plugin.Mine, TRACE",
        "0, io.netty.util.internal.PlatformDependent, WARN",
        "2, io.netty.util.internal.PlatformDependent, WARN",
        "5, io.netty.util.internal.PlatformDependent, WARN",
        "6, io.netty.util.internal.PlatformDependent, TRACE",
        "4, okhttp3.OkHttpClient, WARN",
        "4, sun.net.www.protocol.http.HttpURLConnection, WARN",
        "4, com.example.OfAPlugin, INFO",
        "6, com.example.OfAPlugin, TRACE"
    })
    void librariesLogWarningsOnlyBelowVerbositySix(int verbosity, String logger, String level) {
        Logging.use(verbosity);

        assertThat(((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(logger)).getEffectiveLevel())
                .isEqualTo(Level.toLevel(level));
    }
}
