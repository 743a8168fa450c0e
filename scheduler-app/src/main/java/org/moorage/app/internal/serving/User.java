// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The user that sent a request.
 *
 * @param name the user's name
 * @param uid its identifier; may be empty
 * @param groups its groups
 * @param extra what else the authentication says of it
 */
record User(String name, String uid, Set<String> groups, Map<String, List<String>> extra) {
    static final String AUTHENTICATED = "system:authenticated";
    static final String MASTERS = "system:masters";

    /** A client without credentials. */
    static final User ANONYMOUS = new User("system:anonymous", "", Set.of("system:unauthenticated"), Map.of());

    User {
        groups = Set.copyOf(groups);
        extra = Map.copyOf(extra);
    }

    /** A user who has shown who it is. */
    static User authenticated(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
        Set<String> all = new LinkedHashSet<>(new ArrayList<>(groups));
        all.add(AUTHENTICATED);
        return new User(name, uid, all, extra);
    }
}
