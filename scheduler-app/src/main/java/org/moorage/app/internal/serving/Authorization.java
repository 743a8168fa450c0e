// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.objects.tree.ObjectTrees;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authorization of users by path: some paths are open to all clients, system:masters may request all paths, and the API
 * server decides about the rest.
 */
final class Authorization {
    private static final Logger LOG = LoggerFactory.getLogger(Authorization.class);
    private static final String REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    private static final Duration REVIEW_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_ANSWERS = 1024;

    private final ApiRequests requests;
    private final List<String> alwaysAllowPaths;
    private final Cache<Access, Boolean> allowed;
    private final Cache<Access, Boolean> refused;

    private record Access(User user, String verb, String path) {}

    Authorization(
            ApiRequests requests, List<String> alwaysAllowPaths, Duration authorizedTtl, Duration unauthorizedTtl) {
        this.requests = requests;
        this.alwaysAllowPaths = alwaysAllowPaths;
        allowed = cache(authorizedTtl);
        refused = cache(unauthorizedTtl);
    }

    private static Cache<Access, Boolean> cache(Duration ttl) {
        return CacheBuilder.newBuilder()
                .maximumSize(MOST_ANSWERS)
                .expireAfterWrite(ttl)
                .build();
    }

    boolean allows(User user, String method, String path) {
        if (isOpen(path) || user.groups().contains(User.MASTERS)) {
            return true;
        }
        Access access = new Access(user, method.toLowerCase(Locale.ROOT), path);
        if (allowed.getIfPresent(access) != null) {
            return true;
        }
        if (refused.getIfPresent(access) != null) {
            return false;
        }
        try {
            boolean answer = review(access);
            (answer ? allowed : refused).put(access, answer);
            return answer;
        } catch (ClusterException failed) {
            LOG.atWarn().addKeyValue("err", failed.getMessage()).log("Unable to authorize the request");
            return false;
        }
    }

    /** Returns whether every client may request a path. */
    boolean isOpen(String path) {
        for (String open : alwaysAllowPaths) {
            boolean matches =
                    open.endsWith("*") ? path.startsWith(open.substring(0, open.length() - 1)) : path.equals(open);
            if (matches) {
                return true;
            }
        }
        return false;
    }

    private boolean review(Access access) {
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
        ObjectNode spec = review.putObject("spec");
        spec.putObject("nonResourceAttributes").put("path", access.path()).put("verb", access.verb());
        User user = access.user();
        spec.put("user", user.name());
        if (!user.uid().isEmpty()) {
            spec.put("uid", user.uid());
        }
        ArrayNode groups = spec.putArray("groups");
        user.groups().stream().sorted().forEach(groups::add);
        ObjectNode extra = spec.putObject("extra");
        user.extra().forEach((key, values) -> {
            ArrayNode list = extra.putArray(key);
            values.forEach(list::add);
        });
        return ObjectTrees.of(requests.create("review an access", REVIEWS, review.toString(), REVIEW_TIMEOUT))
                .path("status")
                .path("allowed")
                .asBoolean(false);
    }
}
