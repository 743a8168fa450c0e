// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file descriptor limit of the process. */
final class OpenFiles {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LIMIT = "Max open files";

    private OpenFiles() {}

    /** Returns the limit; {@link Integer#MAX_VALUE} if the system has none, or does not report it as Linux does. */
    static int most() {
        try {
            return Files.readAllLines(LIMITS).stream()
                    .filter(line -> line.startsWith(LIMIT))
                    .map(line -> line.substring(LIMIT.length()).strip().split(" +", -1)[0])
                    .filter(limit -> limit.matches("[0-9]{1,9}"))
                    .mapToInt(Integer::parseInt)
                    .findFirst()
                    .orElse(Integer.MAX_VALUE);
        } catch (IOException notLinux) {
            return Integer.MAX_VALUE;
        }
    }
}
