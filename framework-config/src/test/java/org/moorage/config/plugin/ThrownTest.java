// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ClusterException;

/** Tests the copies of exceptions of untrusted code. */
class ThrownTest {
    /** Counts how often its methods are called, and answers with something new each time. */
    private static final class Hostile extends IllegalStateException {
        private static final long serialVersionUID = 1L;
        private static final List<String> CALLS = new ArrayList<>();

        @Override
        public String getMessage() {
            CALLS.add("message");
            return "x".repeat(10_000);
        }

        @Override
        public synchronized Throwable getCause() {
            CALLS.add("cause");
            return new Hostile();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            CALLS.add("stack");
            StackTraceElement[] stack = new StackTraceElement[1_000];
            Arrays.fill(stack, new StackTraceElement("c".repeat(10_000), "m", "f", 1));
            return stack;
        }

        @Override
        public String toString() {
            CALLS.add("toString");
            return "hostile";
        }
    }

    @Test
    void aCopyIsBoundedAndRunsNoForeignCode() {
        Hostile.CALLS.clear();
        Throwable copy = Thrown.copyOf(new Hostile());
        int calls = Hostile.CALLS.size();
        assertThat(Hostile.CALLS).doesNotContain("toString");

        int causes = 0;
        for (Throwable each = copy; each != null; each = each.getCause()) {
            causes++;
            assertThat(each).isInstanceOf(ThrownCopy.class);
            assertThat(each.getMessage())
                    .startsWith(Hostile.class.getName() + ": xxx")
                    .hasSizeLessThan(PluginText.MOST + 200);
            assertThat(each.getStackTrace()).hasSizeLessThanOrEqualTo(256);
            assertThat(each.getStackTrace()[0].getClassName()).hasSizeLessThanOrEqualTo(512);
            assertThat(Thrown.text(each)).hasSize(PluginText.MOST);
        }

        assertThat(causes).isBetween(2, 32);
        assertThat(Hostile.CALLS).hasSize(calls);
    }

    @Test
    void exceptionsOfTheJavaPlatformStayAsTheyAre() {
        IllegalStateException thrown = new IllegalStateException("outer", new AssertionError("inner"));
        thrown.addSuppressed(new CancellationException("suppressed"));

        assertThat(Thrown.copyOf(thrown)).isSameAs(thrown);
    }

    @Test
    void anExceptionOfTheJavaPlatformWithAForeignCauseIsCopied() {
        IllegalStateException thrown = new IllegalStateException("outer", new Hostile());

        Throwable copy = Thrown.copyOf(thrown);

        assertThat(copy).isInstanceOf(ThrownCopy.class).hasMessage("java.lang.IllegalStateException: outer");
        assertThat(((ThrownCopy) copy).isA(RuntimeException.class)).isTrue();
        assertThat(((ThrownCopy) copy).isA(Error.class)).isFalse();
        assertThat(copy.getStackTrace()).isEqualTo(thrown.getStackTrace());
    }

    @Test
    void aTooLongMessageIsCut() {
        IllegalStateException thrown = new IllegalStateException("x".repeat(1_000_000));

        assertThat(Thrown.copyOf(thrown).getMessage()).hasSizeLessThan(PluginText.MOST + 200);
    }

    @Test
    void theOutcomeOfAChangeOfTheClusterIsKept() {
        Hostile hostile = new Hostile();

        assertThat(Thrown.copyOf(ClusterException.notSent("no connection", hostile)))
                .isInstanceOfSatisfying(ClusterException.class, copy -> {
                    assertThat(copy.outcome()).isEqualTo(ClusterException.Outcome.NOT_SENT);
                    assertThat(copy).hasMessage("no connection").hasCauseInstanceOf(ThrownCopy.class);
                });
        assertThat(Thrown.copyOf(new ClusterException("refused", 409, hostile)))
                .isInstanceOfSatisfying(ClusterException.class, copy -> {
                    assertThat(copy.isConflict()).isTrue();
                    assertThat(copy.outcome()).isEqualTo(ClusterException.Outcome.REFUSED);
                });
    }

    @Test
    void anExceptionThatAPluginForeseesHasNoStackTrace() {
        PluginException thrown = new PluginException("claim not found");

        assertThat(thrown.getStackTrace()).isEmpty();
        assertThat(Thrown.copyOf(thrown)).isSameAs(thrown);
    }

    @Test
    void onlyErrorsOfTheVirtualMachineItselfAreFatal() {
        OutOfMemoryError real = new OutOfMemoryError("Java heap space");
        OutOfMemoryError pretended = new OutOfMemoryError() {
            @Override
            public String getMessage() {
                throw new IllegalArgumentException("no message");
            }
        };

        assertThatThrownBy(() -> Thrown.rethrowIfFatal(real)).isSameAs(real);
        assertThatCode(() -> Thrown.rethrowIfFatal(pretended)).doesNotThrowAnyException();
        assertThat(Thrown.isFatal(new StackOverflowError())).isFalse();
        assertThat(Thrown.text(Thrown.copyOf(pretended)))
                .isEqualTo(pretended.getClass().getName()
                        + " (its message cannot be made: java.lang.IllegalArgumentException)");
    }

    @Test
    void textsAreMessagesButOfErrorsTheirNamesToo() {
        assertThat(Thrown.text(new IllegalStateException("boom"))).isEqualTo("boom");
        assertThat(Thrown.text(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
        assertThat(Thrown.text(new AssertionError("boom"))).isEqualTo("java.lang.AssertionError: boom");
        assertThat(Thrown.text(new StackOverflowError())).isEqualTo("java.lang.StackOverflowError");
    }
}
