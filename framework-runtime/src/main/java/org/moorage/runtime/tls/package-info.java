// SPDX-License-Identifier: Apache-2.0
/**
 * Certificates and keys of TLS as Kubernetes' files have them, for clients and servers.
 *
 * <p>Starting points: {@link org.moorage.runtime.tls.Pem}, {@link org.moorage.runtime.tls.KeyedCertificate}, {@link
 * org.moorage.runtime.tls.ServerTrust}.
 */
@NullMarked
package org.moorage.runtime.tls;

import org.jspecify.annotations.NullMarked;
