// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A file with a token, which somebody replaces from time to time. It is read every ten seconds, and when the server rejects the token. */
final class TokenFile implements CredentialSource {
    private static final Duration MAX_AGE = Duration.ofSeconds(10);

    private final Path file;

    @GuardedBy("this")
    private Credential known = Credential.NONE;

    @GuardedBy("this")
    private long readAt;

    TokenFile(Path file) {
        this.file = file;
    }

    @Override
    public synchronized Credential current() throws IOException {
        boolean isFresh = System.nanoTime() - readAt < MAX_AGE.toNanos();
        return !isFresh || known.equals(Credential.NONE) ? read() : known;
    }

    @Override
    public synchronized Optional<Credential> other(Credential rejected) throws IOException {
        Credential latest = known.equals(rejected) ? read() : known;
        return latest.equals(rejected) ? Optional.empty() : Optional.of(latest);
    }

    @GuardedBy("this")
    private Credential read() throws IOException {
        String token = Files.readString(file).strip();
        if (token.isEmpty() && !known.equals(Credential.NONE)) {
            // It is being replaced.
            return known;
        }
        known = Credential.bearer(token);
        readAt = System.nanoTime();
        return known;
    }
}
