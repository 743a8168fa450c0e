// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with a token that is replaced periodically. It is read every ten seconds, and when the server rejects the
 * token. While it cannot be read, or has no valid token, the previous token is used.
 */
final class TokenFile implements CredentialSource {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final Duration MAX_AGE = Duration.ofSeconds(10);

    private final Path file;
    private final InstantSource clock;

    @GuardedBy("this")
    private Credential known = Credential.NONE;

    @GuardedBy("this")
    private Instant readAt = Instant.MIN;

    /** Whether the last read failed. */
    @GuardedBy("this")
    private boolean isFailing;

    TokenFile(Path file, InstantSource clock) {
        this.file = file;
        this.clock = clock;
    }

    @Override
    public synchronized Credential current() throws IOException {
        boolean isFresh = clock.instant().isBefore(readAt.plus(MAX_AGE));
        return !isFresh || known.equals(Credential.NONE) ? read() : known;
    }

    @Override
    public synchronized Optional<Credential> other(Credential rejected) throws IOException {
        Credential latest = known.equals(rejected) ? read() : known;
        return latest.equals(rejected) ? Optional.empty() : Optional.of(latest);
    }

    @GuardedBy("this")
    private Credential read() throws IOException {
        try {
            String token = Files.readString(file).strip();
            if (token.isEmpty()) {
                throw new IOException("no token is in " + file);
            }
            known = Credential.bearer(token);
            readAt = clock.instant();
            isFailing = false;
        } catch (IOException e) {
            if (known.equals(Credential.NONE)) {
                throw e;
            }
            if (!isFailing) {
                LOG.atWarn()
                        .addKeyValue("file", file)
                        .addKeyValue("err", ErrorText.of(e))
                        .log("Cannot read the token; the previous one remains in use");
            }
            isFailing = true;
        }
        return known;
    }
}
