// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.config.plugin.ThrownCopy;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/** Tests log lines with arbitrary values and a failing logging library. */
class LogTest {
    private final List<Object> written = new ArrayList<>();

    /** A logger that writes down what it is given, and fails at one of its methods. */
    private Logger logger(String failsAt, Error failure) {
        LoggingEventBuilder[] builder = new LoggingEventBuilder[1];
        InvocationHandler handler = (proxy, method, args) -> {
            if (method.getName().equals(failsAt)) {
                throw failure;
            }
            if (method.getName().equals("isEnabledForLevel")) {
                return true;
            }
            if (args != null) {
                written.addAll(List.of(args));
            }
            return method.getName().equals("log") ? null : builder[0];
        };
        builder[0] = proxy(LoggingEventBuilder.class, handler);
        return proxy(Logger.class, handler);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static void write(Logger logger) {
        new Log(logger)
                .atError()
                .addKeyValue("pod", "default/p")
                .setCause(new IllegalStateException("boom"))
                .log("Failed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"isEnabledForLevel", "atLevel", "addKeyValue", "setCause", "log"})
    void neverFail(String failsAt) {
        Logger broken = logger(failsAt, new AssertionError("the log is broken"));

        assertThatCode(() -> write(broken)).doesNotThrowAnyException();
    }

    @Test
    void passOnErrorsOfTheVirtualMachine() {
        Logger exhausted = logger("log", new OutOfMemoryError("Java heap space"));

        assertThatThrownBy(() -> write(exhausted)).isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    @SuppressWarnings("OverrideThrowableToString") // what a hostile plugin does
    void haveTextsInPlaceOfForeignObjects() {
        Object unreadable = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("no text");
            }
        };
        RuntimeException foreign = new RuntimeException("boom") {
            @Override
            public String toString() {
                throw new IllegalStateException("no text");
            }
        };

        new Log(logger("", new AssertionError()))
                .atWarn()
                .addKeyValue("number", 5)
                .addKeyValue("object", unreadable)
                .setCause(foreign)
                .log("Failed");

        assertThat(written)
                .contains(5, "(its text cannot be made: java.lang.IllegalStateException)", "Failed")
                .doesNotContain(unreadable, foreign)
                .hasAtLeastOneElementOfType(ThrownCopy.class);
    }
}
