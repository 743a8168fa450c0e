// SPDX-License-Identifier: Apache-2.0
/** Certificates and keys of TLS, as Kubernetes' files have them. */
module org.moorage.tls {
    requires static org.jspecify;

    exports org.moorage.tls;
}
