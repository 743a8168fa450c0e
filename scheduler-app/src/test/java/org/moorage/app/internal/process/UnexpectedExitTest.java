// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.Main;

/** Tests finding the caller that ends the process, from the stacks of its threads. */
class UnexpectedExitTest {
    private static StackTraceElement frame(String type, String method) {
        return new StackTraceElement(type, method, "Source.java", 12);
    }

    private static final StackTraceElement SHUTDOWN = frame("java.lang.Shutdown", "exit");
    private static final StackTraceElement RUNTIME = frame("java.lang.Runtime", "exit");
    private static final StackTraceElement SYSTEM = frame("java.lang.System", "exit");
    private static final StackTraceElement PLUGIN = frame("com.example.QuietNodes", "filter");

    record Case(String name, List<StackTraceElement> stack, String told) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a plugin",
                    List.of(SHUTDOWN, RUNTIME, SYSTEM, PLUGIN),
                    "error: the process ends, since com.example.QuietNodes.filter called System.exit on thread t\n"
                            + "\tat com.example.QuietNodes.filter(Source.java:12)\n"),
            new Case(
                    "a plugin that does so by the Runtime",
                    List.of(SHUTDOWN, RUNTIME, PLUGIN),
                    "error: the process ends, since com.example.QuietNodes.filter called System.exit on thread t\n"
                            + "\tat com.example.QuietNodes.filter(Source.java:12)\n"),
            new Case("the program", List.of(SHUTDOWN, RUNTIME, SYSTEM, frame(Main.class.getName(), "run")), ""),
            new Case("a signal", List.of(SHUTDOWN, frame("java.lang.Terminator$1", "handle")), ""),
            new Case("no end", List.of(PLUGIN), ""));

    @ParameterizedTest
    @FieldSource("CASES")
    void isReported(Case c) {
        assertThat(UnexpectedExit.text("t", c.stack.toArray(StackTraceElement[]::new))
                        .orElse(""))
                .isEqualTo(c.told);
    }
}
