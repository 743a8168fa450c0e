// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Trusts servers by another name than that of their address, or whatever their certificate says. */
final class ServerTrust extends X509ExtendedTrustManager {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private final String name;
    private final @Nullable X509ExtendedTrustManager authorities;

    private ServerTrust(String name, @Nullable X509ExtendedTrustManager authorities) {
        this.name = name;
        this.authorities = authorities;
    }

    /** Trusts any server. */
    static ServerTrust any() {
        return new ServerTrust("", null);
    }

    /** Trusts servers with a certificate of that name by one of these authorities. */
    static ServerTrust named(String name, X509ExtendedTrustManager authorities) {
        return new ServerTrust(name.toLowerCase(Locale.ROOT), authorities);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        if (authorities != null) {
            authorities.checkServerTrusted(chain, authType);
            if (!isNamed(chain[0])) {
                throw new CertificateException("x509: certificate is not valid for " + name);
            }
        }
    }

    private boolean isNamed(X509Certificate certificate) throws CertificateException {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        if (names == null) {
            return false;
        }
        for (List<?> entry : names) {
            boolean isName = entry.get(0).equals(DNS_NAME) || entry.get(0).equals(IP_ADDRESS);
            if (isName && matches(String.valueOf(entry.get(1)).toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    // A star stands for the first label, and only for the whole of it.
    private boolean matches(String pattern) {
        int dot = name.indexOf('.');
        return pattern.equals(name) || dot > 0 && pattern.equals("*" + name.substring(dot));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("no server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw new CertificateException("no server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("no server");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities == null ? new X509Certificate[0] : authorities.getAcceptedIssuers();
    }
}
