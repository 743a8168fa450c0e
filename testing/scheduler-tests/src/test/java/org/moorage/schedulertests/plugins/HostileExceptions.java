// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.plugins;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;

/** Exceptions that do harm when their methods are called, or that are not expected where a plugin is called. */
@SuppressWarnings({"OverrideThrowableToString", "TypeParameterUnusedInFormals"})
final class HostileExceptions {
    private static final int HUGE = 20_000_000;

    private HostileExceptions() {}

    /** A kind of exception. */
    enum Kind {
        TO_STRING_THROWS(() -> new IllegalStateException("mine") {
            @Override
            public String toString() {
                throw new IllegalArgumentException("no text");
            }
        }),
        MESSAGE_THROWS(() -> new IllegalStateException("mine") {
            @Override
            public String getMessage() {
                throw new IllegalArgumentException("no message");
            }
        }),
        MESSAGE_THROWS_ITSELF(() -> new IllegalStateException("mine") {
            @Override
            public String getMessage() {
                throw this;
            }
        }),
        MESSAGE_RECURSES(() -> new IllegalStateException("mine") {
            @Override
            @SuppressWarnings("InfiniteRecursion") // until the stack is used up
            public String getMessage() {
                return toString() + getMessage();
            }
        }),
        MESSAGE_IS_NULL(() -> new IllegalStateException() {
            @Override
            @SuppressWarnings("NullAway") // that is what it does wrong
            public String getMessage() {
                return null;
            }
        }),
        MESSAGE_IS_HUGE(() -> new IllegalStateException() {
            @Override
            public String getMessage() {
                return "x".repeat(HUGE);
            }
        }),
        MESSAGE_NEEDS_MORE_MEMORY_THAN_THERE_IS(() -> new IllegalStateException() {
            @Override
            public String getMessage() {
                return new String(new char[Integer.MAX_VALUE]);
            }
        }),
        LOCALIZED_MESSAGE_THROWS(() -> new IllegalStateException("mine") {
            @Override
            public String getLocalizedMessage() {
                throw new IllegalArgumentException("no message");
            }
        }),
        MESSAGE_HAS_CONTROL_CHARACTERS(() -> new IllegalStateException("\u001b[2J\r\n\0\ud800")),
        CAUSE_THROWS(() -> new IllegalStateException("mine") {
            @Override
            public synchronized Throwable getCause() {
                throw new IllegalArgumentException("no cause");
            }
        }),
        CAUSE_IS_ITSELF(() -> new IllegalStateException("mine") {
            @Override
            public synchronized Throwable getCause() {
                return this;
            }
        }),
        CAUSES_HAVE_NO_END(() -> new Endless()),
        CAUSE_IS_HOSTILE(() -> new IllegalStateException("outer", Kind.TO_STRING_THROWS.make.get())),
        SUPPRESSED_IS_HOSTILE(() -> {
            IllegalStateException thrown = new IllegalStateException("outer");
            thrown.addSuppressed(Kind.MESSAGE_THROWS.make.get());
            return thrown;
        }),
        STACK_IS_NULL(() -> new IllegalStateException("mine") {
            @Override
            @SuppressWarnings("NullAway") // that is what it does wrong
            public StackTraceElement[] getStackTrace() {
                return null;
            }
        }),
        STACK_THROWS(() -> new IllegalStateException("mine") {
            @Override
            public StackTraceElement[] getStackTrace() {
                throw new IllegalArgumentException("no stack");
            }
        }),
        STACK_HAS_NULLS(() -> new IllegalStateException("mine") {
            @Override
            public StackTraceElement[] getStackTrace() {
                return new StackTraceElement[100];
            }
        }),
        STACK_IS_HUGE(() -> new IllegalStateException("mine") {
            @Override
            public StackTraceElement[] getStackTrace() {
                StackTraceElement[] stack = new StackTraceElement[1_000_000];
                Arrays.fill(stack, new StackTraceElement("x".repeat(HUGE / 20), "y", "z", 1));
                return stack;
            }
        }),
        EQUALS_AND_HASH_CODE_THROW(() -> new IllegalStateException("mine") {
            @Override
            public boolean equals(@Nullable Object other) {
                throw new IllegalArgumentException("not comparable");
            }

            @Override
            public int hashCode() {
                throw new IllegalArgumentException("no hash");
            }
        }),
        ERROR_OF_THE_PLUGIN(() -> new Error("mine") {
            @Override
            public String toString() {
                throw new IllegalArgumentException("no text");
            }
        }),
        PRETENDED_ERROR_OF_THE_VIRTUAL_MACHINE(() -> new Pretended()),
        THREAD_DEATH(() -> new ThreadDeath()),
        LINKAGE_ERROR(() -> new NoClassDefFoundError("gone")),
        STACK_OVERFLOW(() -> {
            try {
                return new IllegalStateException("depth " + depth(0));
            } catch (StackOverflowError overflow) {
                return overflow;
            }
        }),
        CHECKED(() -> new IOException("refused")),
        NEITHER_EXCEPTION_NOR_ERROR(() -> new Throwable("mine") {}),
        INTERRUPTED(() -> new InterruptedException("stop")),
        INTERRUPTED_THREAD(() -> {
            Thread.currentThread().interrupt();
            return new IllegalStateException("mine");
        }),
        CANCELLATION(() -> new CancellationException("mine")),
        CLUSTER_EXCEPTION(() -> new ClusterException("refused", 500, Kind.MESSAGE_THROWS.make.get()));

        @SuppressWarnings("ImmutableEnumChecker") // it has no state
        private final Supplier<Throwable> make;

        Kind(Supplier<Throwable> make) {
            this.make = make;
        }

        /** Throws one, which no method has to declare. */
        void raise() {
            throw HostileExceptions.<RuntimeException>unchecked(make.get());
        }
    }

    /** A method of an exception that does not return. */
    enum Blocking {
        MESSAGE {
            @Override
            Throwable make(CountDownLatch until) {
                return new IllegalStateException("mine") {
                    @Override
                    public String getMessage() {
                        return waited(until);
                    }
                };
            }
        },
        CAUSE {
            @Override
            Throwable make(CountDownLatch until) {
                return new IllegalStateException("mine") {
                    @Override
                    public synchronized Throwable getCause() {
                        return new IllegalStateException(waited(until));
                    }
                };
            }
        },
        STACK {
            @Override
            Throwable make(CountDownLatch until) {
                return new IllegalStateException("mine") {
                    @Override
                    public StackTraceElement[] getStackTrace() {
                        waited(until);
                        return new StackTraceElement[0];
                    }
                };
            }
        };

        abstract Throwable make(CountDownLatch until);

        /** Throws one. */
        void raise(CountDownLatch until) {
            throw HostileExceptions.<RuntimeException>unchecked(make(until));
        }
    }

    /** Says that the virtual machine is out of memory, which it is not. */
    private static final class Pretended extends OutOfMemoryError {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalArgumentException("no message");
        }
    }

    private static final class Endless extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    @SuppressWarnings("InfiniteRecursion") // until the stack is used up
    private static int depth(int before) {
        return depth(before + 1) + 1;
    }

    private static String waited(CountDownLatch until) {
        boolean interrupted = false;
        while (true) {
            try {
                until.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return "waited";
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // callers throw it at once
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
