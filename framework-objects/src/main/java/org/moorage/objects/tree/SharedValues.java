// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.moorage.api.model.Quantity;

/**
 * Replaces equal values by one instance, as long as it is in use: pods of one template are equal in nearly all of their
 * fields. Safe for use by several threads.
 */
final class SharedValues {
    private static final int TEXT_SLOTS = 1 << 14;
    private static final int LONGEST_SHARED_TEXT = 128;

    // One table for all types: only values of the same type are equal, and empty collections.
    private final Interner<Object> values = Interners.newWeakInterner();
    // Texts are too small and too many for weak references, so each slot has the last text with its hash.
    private final AtomicReferenceArray<String> texts = new AtomicReferenceArray<>(TEXT_SLOTS);

    /** Returns the one instance of a value. */
    @SuppressWarnings("unchecked")
    <T> T value(T value) {
        return (T) values.intern(value);
    }

    /** Returns the one instance of a text, or the text itself if that is long or its slot has been taken. */
    String text(String text) {
        if (text.length() > LONGEST_SHARED_TEXT) {
            return text;
        }
        int hash = text.hashCode();
        int slot = (hash ^ hash >>> 16) & TEXT_SLOTS - 1;
        String known = texts.getPlain(slot);
        if (text.equals(known)) {
            return known;
        }
        texts.setPlain(slot, text);
        return text;
    }

    /** Returns the map from text to text in a field. */
    Map<String, String> textMap(FieldReader object, String field) {
        return value(object.textMap(field, this::text));
    }

    /** Returns the quantities of resources in a field, none below zero. */
    Map<String, Quantity> amounts(FieldReader object, String field) {
        return value(object.amounts(field, this::text));
    }

    /** Returns the map from text to quantity in a field. */
    Map<String, Quantity> quantities(FieldReader object, String field) {
        return value(object.quantities(field, this::text));
    }
}
