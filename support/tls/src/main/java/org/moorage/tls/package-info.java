// SPDX-License-Identifier: Apache-2.0
/**
 * Certificates and keys of TLS as Kubernetes' files have them, for clients and servers. It needs the JDK only.
 *
 * <p>Starting points: {@link org.moorage.tls.Pem}, {@link org.moorage.tls.KeyedCertificate}, {@link
 * org.moorage.tls.ServerTrust}.
 */
@NullMarked
package org.moorage.tls;

import org.jspecify.annotations.NullMarked;
