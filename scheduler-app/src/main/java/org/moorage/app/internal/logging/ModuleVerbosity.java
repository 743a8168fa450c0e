// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/** Verbosities of some classes, as {@code --vmodule} sets them: {@code SchedulingQueue=4,*Cycle=2}. */
final class ModuleVerbosity extends TurboFilter {
    private final Map<Pattern, Level> levelByPattern = new LinkedHashMap<>();
    private final Map<String, Optional<Level>> levelByLogger = new ConcurrentHashMap<>();

    ModuleVerbosity(Map<String, Integer> verbosityByModule) {
        verbosityByModule.forEach((module, verbosity) -> levelByPattern.put(
                Pattern.compile(
                        ("\\Q" + module + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q")),
                Logging.level(verbosity)));
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] params,
            @Nullable Throwable thrown) {
        Optional<Level> own = levelByLogger.computeIfAbsent(logger.getName(), this::find);
        return own.isPresent() && level.isGreaterOrEqual(own.get()) ? FilterReply.ACCEPT : FilterReply.NEUTRAL;
    }

    private Optional<Level> find(String logger) {
        String module = logger.substring(logger.lastIndexOf('.') + 1);
        return levelByPattern.entrySet().stream()
                .filter(entry -> entry.getKey().matcher(module).matches())
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
