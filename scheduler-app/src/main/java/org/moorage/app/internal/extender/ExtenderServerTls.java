// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.extender;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.serving.ServerKeys;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.tls.Pem;
import org.moorage.tls.ServerTrust;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of an agent's server, with files that are read again when they change. Used by one thread. */
final class ExtenderServerTls implements Supplier<SSLEngine> {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderServerTls.class);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final String setting;
    private final String clientCaFile;
    private final ServerKeys keys;
    private final InstantSource clock;
    private Pem clients;
    private SSLContext context;
    private Instant checked;

    /**
     * TLS with these files.
     *
     * @param path where the configuration names them, for messages
     * @throws CommandException if they cannot be used
     */
    ExtenderServerTls(String path, ExtenderServerConfig.Tls files, InstantSource clock) {
        setting = path + ".tls.clientCAFile";
        clientCaFile = files.clientCaFile();
        this.clock = clock;
        keys = ServerKeys.ofFiles(
                new ServerKeys.Files(
                        path + ".tls.certFile",
                        Path.of(files.certFile()),
                        path + ".tls.keyFile",
                        Path.of(files.keyFile())),
                clock);
        checked = clock.instant();
        try {
            clients = read();
            context = context(clients);
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private Pem read() throws IOException {
        return clientCaFile.isEmpty() ? Pem.NONE : Pem.ofFile(setting, Path.of(clientCaFile));
    }

    // Creates a new context, because sessions of an earlier one would stay valid after the authorities change.
    private SSLContext context(Pem authorities) throws GeneralSecurityException {
        TrustManager[] trust = authorities.isNone()
                ? new TrustManager[0]
                : new TrustManager[] {ServerTrust.authorities(authorities.certificates())};
        SSLContext made = SSLContext.getInstance("TLS");
        made.init(new KeyManager[] {keys}, trust, null);
        return made;
    }

    @Override
    public SSLEngine get() {
        Instant now = clock.instant();
        if (!clientCaFile.isEmpty() && Duration.between(checked, now).compareTo(CHECK_INTERVAL) >= 0) {
            checked = now;
            renew();
        }
        SSLEngine engine = context.createSSLEngine();
        SSLParameters parameters = context.getDefaultSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setNeedClientAuth(!clientCaFile.isEmpty());
        engine.setUseClientMode(false);
        engine.setSSLParameters(parameters);
        return engine;
    }

    // If a new file cannot be used, the previous authorities stay valid.
    private void renew() {
        try {
            Pem read = read();
            if (!read.equals(clients)) {
                context = context(read);
                clients = read;
                LOG.atInfo().addKeyValue("file", clientCaFile).log("Loaded new authorities of clients");
            }
        } catch (IOException | GeneralSecurityException e) {
            LOG.atWarn()
                    .addKeyValue("file", clientCaFile)
                    .addKeyValue("err", e.getMessage())
                    .log("The new authorities of clients cannot be read");
        }
    }
}
