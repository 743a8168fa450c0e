// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import org.moorage.http.Request;
import org.moorage.kubernetes.ApiRequests;

/** Access that an API server decides: it authenticates the client, and decides which paths the client may read. */
final class ReviewedAccess implements Access {
    private final ClientAuthorities authorities;
    private final Authentication authentication;
    private final Authorization authorization;

    ReviewedAccess(
            ServingOptions options, ApiRequests authentications, ApiRequests authorizations, InstantSource clock) {
        authorities = new ClientAuthorities(options, authentications, clock);
        authentication = new Authentication(authorities, authentications, options.tokenTtl());
        authorization = new Authorization(
                authorizations, options.alwaysAllowPaths(), options.authorizedTtl(), options.unauthorizedTtl());
    }

    @Override
    public void load() {
        authorities.load();
    }

    @Override
    public Optional<Reply> refusal(Request request) {
        Optional<User> user = authentication.user(request.certificates(), request::headers);
        if (user.isEmpty()) {
            return Optional.of(Reply.status(401, "Unauthorized", "Unauthorized", false));
        }
        String path = request.path();
        if (authorization.allows(user.get(), request.method(), path)) {
            return Optional.empty();
        }
        String verb = request.method().toLowerCase(Locale.ROOT);
        return Optional.of(Reply.status(
                403,
                "Forbidden",
                "forbidden: User \"" + user.get().name() + "\" cannot " + verb + " path \"" + path + "\"",
                true));
    }

    @Override
    public boolean isFree(Request request) {
        return authorization.isOpen(request.path())
                && request.certificates().isEmpty()
                && request.headers("Authorization").isEmpty();
    }
}
