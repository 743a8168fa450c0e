// SPDX-License-Identifier: Apache-2.0
/**
 * An HTTP server for ports that untrusted clients reach: a connection that has not sent a whole request holds no
 * thread, and its time, its memory and its number are bounded before the client is authenticated.
 *
 * <p>Starting points: {@link org.moorage.http.HttpServer}, {@link org.moorage.http.Handler}.
 */
@NullMarked
package org.moorage.http;

import org.jspecify.annotations.NullMarked;
