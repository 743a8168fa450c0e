// SPDX-License-Identifier: Apache-2.0
package org.moorage.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** A trust manager that verifies a client's servers. */
public final class ServerTrust extends X509ExtendedTrustManager {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private final String name;
    private final @Nullable X509ExtendedTrustManager authorities;

    private ServerTrust(String name, @Nullable X509ExtendedTrustManager authorities) {
        this.name = name;
        this.authorities = authorities;
    }

    /** Returns trust in servers with a certificate for their address that one of the given authorities signed. */
    public static X509ExtendedTrustManager authorities(List<X509Certificate> authorities)
            throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
        for (X509Certificate authority : authorities) {
            store.setCertificateEntry("authority-" + store.size(), authority);
        }
        return trustManager(store);
    }

    /** Returns trust in servers with a certificate for their address that one of the JVM's authorities signed. */
    public static X509ExtendedTrustManager knownAuthorities() throws GeneralSecurityException {
        return trustManager(null);
    }

    private static X509ExtendedTrustManager trustManager(@Nullable KeyStore authorities)
            throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(authorities);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager extended) {
                return extended;
            }
        }
        throw new GeneralSecurityException("no trust manager for X.509 certificates");
    }

    /** Returns trust in any server. */
    public static X509ExtendedTrustManager any() {
        return new ServerTrust("", null);
    }

    /**
     * Returns trust in servers with a certificate for the given name, instead of their address, that one of the given
     * authorities signed.
     */
    public static X509ExtendedTrustManager named(String name, X509ExtendedTrustManager authorities) {
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

    // A wildcard matches exactly the first label.
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
