// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Objects;

/**
 * A plugin's part of a pod's signature.
 *
 * @param signable whether the pod can be signed at all
 * @param fragments what counts; two pods are alike for the plugin if their fragments are equal
 */
public record Signature(boolean signable, List<Fragment> fragments) {
    private static final Signature UNSIGNABLE = new Signature(false, List.of());
    private static final Signature EMPTY = new Signature(true, List.of());

    public Signature {
        fragments = List.copyOf(fragments);
    }

    /**
     * One thing that counts.
     *
     * @param key what it is; fragments of the same key from several plugins are the same thing
     * @param value an immutable value with a meaningful {@code equals}
     */
    public record Fragment(String key, Object value) {
        public Fragment {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(value, "value");
        }
    }

    /** No other pod can be taken for this one. */
    public static Signature unsignable() {
        return UNSIGNABLE;
    }

    /** Nothing about the pod counts. */
    public static Signature empty() {
        return EMPTY;
    }

    /** One thing counts. */
    public static Signature of(String key, Object value) {
        return new Signature(true, List.of(new Fragment(key, value)));
    }

    /** Several things count. */
    public static Signature of(Fragment... fragments) {
        return new Signature(true, List.of(fragments));
    }
}
