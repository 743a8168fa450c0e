// SPDX-License-Identifier: Apache-2.0
/**
 * TLS certificates and keys in the file formats that Kubernetes uses, for clients and servers. Depends only on the JDK.
 *
 * <p>Starting points: {@link org.moorage.tls.Pem}, {@link org.moorage.tls.KeyedCertificate}, {@link
 * org.moorage.tls.ServerTrust}.
 */
@NullMarked
package org.moorage.tls;

import org.jspecify.annotations.NullMarked;
