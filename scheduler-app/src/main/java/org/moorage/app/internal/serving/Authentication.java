// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.objects.tree.ObjectTrees;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authentication of clients: by certificate, by the headers of a proxy with a certificate, or by a token that the API
 * server reviews.
 */
final class Authentication {
    private static final Logger LOG = LoggerFactory.getLogger(Authentication.class);
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
    private static final String REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final Duration REVIEW_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_TOKENS = 1024;
    private static final String BEARER = "Bearer ";

    private final ClientAuthorities authorities;
    private final ApiRequests requests;
    private final Cache<String, Optional<User>> userByToken;

    Authentication(ClientAuthorities authorities, ApiRequests requests, Duration tokenTtl) {
        this.authorities = authorities;
        this.requests = requests;
        userByToken = CacheBuilder.newBuilder()
                .maximumSize(MOST_TOKENS)
                .expireAfterWrite(tokenTtl)
                .build();
    }

    /**
     * Authenticates a request.
     *
     * @param chain the client's certificates, its own first; empty if it has presented none
     * @param headers returns the values of a header of the request, by its name
     * @return the user, who may be {@link User#ANONYMOUS}; empty if the request has invalid credentials
     */
    Optional<User> user(List<X509Certificate> chain, Function<String, List<String>> headers) {
        boolean refused = false;
        if (!chain.isEmpty()) {
            ClientAuthorities.Authorities known = authorities.current();
            Optional<User> proxied = proxied(chain, headers, known);
            if (proxied.isPresent()) {
                return proxied;
            }
            if (isSigned(chain, known.clients())) {
                return Optional.of(subject(chain.get(0)));
            }
            refused = !known.clients().isEmpty();
        }
        List<String> authorization = headers.apply("Authorization");
        if (!authorization.isEmpty() && authorization.get(0).regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            String token = authorization.get(0).substring(BEARER.length()).strip();
            if (!token.isEmpty()) {
                return ofToken(token);
            }
        }
        return refused ? Optional.empty() : Optional.of(User.ANONYMOUS);
    }

    private static Optional<User> proxied(
            List<X509Certificate> chain, Function<String, List<String>> headers, ClientAuthorities.Authorities known) {
        if (known.proxies().isEmpty() || !isSigned(chain, known.proxies())) {
            return Optional.empty();
        }
        if (!known.proxyNames().isEmpty()
                && !known.proxyNames().contains(subject(chain.get(0)).name())) {
            return Optional.empty();
        }
        for (String header : known.userHeaders()) {
            List<String> names = headers.apply(header);
            if (!names.isEmpty() && !names.get(0).isEmpty()) {
                List<String> groups = new ArrayList<>();
                known.groupHeaders().forEach(group -> groups.addAll(headers.apply(group)));
                return Optional.of(User.authenticated(names.get(0), "", groups, Map.of()));
            }
        }
        return Optional.empty();
    }

    // The handshake has shown that the client has the key of the first certificate.
    private static boolean isSigned(List<X509Certificate> chain, List<X509Certificate> by) {
        if (by.isEmpty()) {
            return false;
        }
        try {
            List<String> usages = chain.get(0).getExtendedKeyUsage();
            if (usages != null && !usages.contains(CLIENT_AUTH)) {
                return false;
            }
            Set<TrustAnchor> anchors = new LinkedHashSet<>();
            by.forEach(authority -> anchors.add(new TrustAnchor(authority, null)));
            X509CertSelector own = new X509CertSelector();
            own.setCertificate(chain.get(0));
            PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, own);
            parameters.setRevocationEnabled(false);
            parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(chain)));
            CertPathBuilder.getInstance("PKIX").build(parameters);
            return true;
        } catch (GeneralSecurityException notSigned) {
            return false;
        }
    }

    private static User subject(X509Certificate certificate) {
        String name = "";
        List<String> groups = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    name = String.valueOf(part.getValue());
                } else if (part.getType().equalsIgnoreCase("O")) {
                    groups.add(String.valueOf(part.getValue()));
                }
            }
        } catch (InvalidNameException unnamed) {
            LOG.atDebug()
                    .addKeyValue("err", unnamed.getMessage())
                    .log("Subject of a client certificate cannot be read");
        }
        return User.authenticated(name, "", groups, Map.of());
    }

    private Optional<User> ofToken(String token) {
        Optional<User> known = userByToken.getIfPresent(token);
        if (known != null) {
            return known;
        }
        try {
            Optional<User> user = review(token);
            userByToken.put(token, user);
            return user;
        } catch (ClusterException failed) {
            LOG.atWarn().addKeyValue("err", failed.getMessage()).log("Unable to authenticate the request");
            return Optional.empty();
        }
    }

    private Optional<User> review(String token) {
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
        review.putObject("spec").put("token", token);
        JsonNode status = ObjectTrees.of(requests.create("review a token", REVIEWS, review.toString(), REVIEW_TIMEOUT))
                .path("status");
        JsonNode user = status.path("user");
        String name = user.path("username").asText("");
        if (!status.path("authenticated").asBoolean(false) || name.isEmpty()) {
            return Optional.empty();
        }
        Map<String, List<String>> extra = new HashMap<>();
        user.path("extra").properties().forEach(entry -> extra.put(entry.getKey(), texts(entry.getValue())));
        return Optional.of(User.authenticated(name, user.path("uid").asText(""), texts(user.path("groups")), extra));
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(item -> texts.add(item.asText()));
        return texts;
    }
}
