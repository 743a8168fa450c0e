// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The path of objects of a kind, of one of them, or of a part of one.
 *
 * @param root the path of the group and version, for example {@code /api/v1}
 * @param namespace empty for objects without one, and for those of all namespaces
 * @param plural the kind, for example {@code pods}
 * @param name empty for a collection
 * @param subresource for example {@code status}; empty for the object itself
 */
record ApiPath(String root, String namespace, String plural, String name, String subresource) {
    private static final Pattern FORM = Pattern.compile(
            "(/api/[^/]+|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([^/]+)(?:/([^/]+)(?:/([^/]+))?)?/?");

    /** Returns a path of the API; empty if the text is another one. */
    static Optional<ApiPath> parse(String text) {
        Matcher path = FORM.matcher(text);
        return path.matches()
                ? Optional.of(new ApiPath(path.group(1), group(path, 2), path.group(3), group(path, 4), group(path, 5)))
                : Optional.empty();
    }

    private static String group(Matcher matcher, int number) {
        String group = matcher.group(number);
        return group == null ? "" : group;
    }

    /** Returns the path of a group and version, for example of {@code apps/v1}. */
    static String root(String apiVersion) {
        return (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
    }

    /** Returns the group, for example {@code apps}; empty for the core group. */
    String group() {
        return root.startsWith("/apis/") ? root.split("/")[2] : "";
    }

    /** Returns the path of all objects of the kind. */
    String collection() {
        return root + "/" + plural;
    }

    /** Returns the path of an object in the same collection. */
    ApiPath named(String other) {
        return new ApiPath(root, namespace, plural, other, "");
    }

    /** Returns the path of the object, without its subresource. */
    String object() {
        return root + (namespace.isEmpty() ? "" : "/namespaces/" + namespace) + "/" + plural + "/" + name;
    }

    /** Returns whether an object is in this collection. */
    boolean contains(ApiPath object) {
        return collection().equals(object.collection()) && (namespace.isEmpty() || namespace.equals(object.namespace));
    }
}
