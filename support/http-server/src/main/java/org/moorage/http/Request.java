// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** The head of a request, and the identity of its client. */
public final class Request {
    private final String method;
    private final URI uri;
    private final HttpHeaders headers;
    private final List<X509Certificate> certificates;

    Request(String method, URI uri, HttpHeaders headers, List<X509Certificate> certificates) {
        this.method = method;
        this.uri = uri;
        this.headers = headers;
        this.certificates = List.copyOf(certificates);
    }

    /** Returns the HTTP method. */
    public String method() {
        return method;
    }

    /** Returns the request target. */
    public URI uri() {
        return uri;
    }

    /** Returns the decoded path; empty if there is none. */
    public String path() {
        String path = uri.getPath();
        return path == null ? "" : path;
    }

    /** Returns the values of a header, in the order that they were sent. The name is case-insensitive. */
    public List<String> headers(String name) {
        return headers.getAll(name);
    }

    /** Returns the first value of a header. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /**
     * Returns the certificate chain that the client presented, its own certificate first; empty if it presented none.
     */
    public List<X509Certificate> certificates() {
        return certificates;
    }

    /** Returns the declared length of the body in bytes; negative if unknown. */
    public long length() {
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        if (length == null) {
            return -1;
        }
        try {
            return Long.parseLong(length.strip());
        } catch (NumberFormatException unreadable) {
            return -1;
        }
    }
}
