// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** The head of a request, and who sent it. */
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

    /** The HTTP method. */
    public String method() {
        return method;
    }

    /** The request target. */
    public URI uri() {
        return uri;
    }

    /** The path that is asked for, decoded; empty if there is none. */
    public String path() {
        String path = uri.getPath();
        return path == null ? "" : path;
    }

    /** The values of a header, in the order that they were sent; upper and lower case are the same in its name. */
    public List<String> headers(String name) {
        return headers.getAll(name);
    }

    /** The first value of a header. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** The certificates that the client has shown, its own first; empty if it has shown none. */
    public List<X509Certificate> certificates() {
        return certificates;
    }

    /** The length that the body is said to have, in bytes; negative if none is said. */
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
