// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.io.IOException;
import org.moorage.api.plugin.ClusterException;

/** Which of the exceptions in a log are worth their stack trace: all but those that say that the cluster did not do something. */
final class StackTraces {
    private StackTraces() {}

    static boolean isWorthShowing(IThrowableProxy thrown) {
        if (!(thrown instanceof ThrowableProxy proxy)) {
            return true;
        }
        for (Throwable cause = proxy.getThrowable(); cause != null; cause = cause.getCause()) {
            if (cause instanceof ClusterException || cause instanceof IOException) {
                return false;
            }
        }
        return true;
    }

    static String of(IThrowableProxy thrown) {
        return ThrowableProxyUtil.asString(thrown);
    }

    static String message(IThrowableProxy thrown) {
        String message = thrown.getMessage();
        return message == null ? thrown.getClassName() : message;
    }
}
