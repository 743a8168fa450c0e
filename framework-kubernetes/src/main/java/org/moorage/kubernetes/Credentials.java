// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Sends each request with the current credentials and certificates. A request that the server rejects is retried once
 * if there are other credentials; changed certificates require a new call, see {@link CertificatesChangedException}.
 */
final class Credentials implements Interceptor {
    private static final int UNAUTHORIZED = 401;

    private final CredentialSource source;
    private final TlsSettings tls;

    Credentials(CredentialSource source, TlsSettings tls) {
        this.source = source;
        this.tls = tls;
    }

    /** The credential and sockets of one try; without TLS there are no sockets. */
    private record Attempt(Credential credential, Optional<TlsSettings.Sockets> sockets) {
        Response send(Chain chain) throws IOException {
            Chain secured = sockets.isEmpty()
                    ? chain
                    : chain.withSslSocketFactory(
                            sockets.get().factory(), sockets.get().trust());
            Request request = chain.request();
            return secured.proceed(
                    credential.authorization().isEmpty()
                            ? request
                            : request.newBuilder()
                                    .header("Authorization", credential.authorization())
                                    .build());
        }
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        boolean isHttps = chain.request().isHttps();
        Attempt first = first(isHttps);
        Credential credential = first.credential;
        Response response;
        try {
            response = first.send(chain);
        } catch (SSLHandshakeException | SSLPeerUnverifiedException e) {
            if (latest(isHttps, credential).equals(first)) {
                throw e;
            }
            throw new CertificatesChangedException();
        }
        if (response.code() != UNAUTHORIZED) {
            return response;
        }
        Attempt second;
        try {
            second = latest(isHttps, source.other(credential).orElse(credential));
        } catch (IOException | RuntimeException e) {
            response.close();
            // The server has rejected the request, so it had no effect.
            throw new CredentialException(e);
        }
        if (second.equals(first)) {
            return response;
        }
        response.close();
        if (!second.sockets.equals(first.sockets)) {
            throw new CertificatesChangedException();
        }
        return second.send(chain);
    }

    private Attempt first(boolean isHttps) throws CredentialException {
        try {
            Credential credential = source.current();
            return new Attempt(credential, isHttps ? Optional.of(tls.current(credential)) : Optional.empty());
        } catch (IOException | RuntimeException e) {
            throw new CredentialException(e);
        }
    }

    private Attempt latest(boolean isHttps, Credential credential) throws IOException {
        return new Attempt(credential, isHttps ? Optional.of(tls.latest(credential)) : Optional.empty());
    }
}
