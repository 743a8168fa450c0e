// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where a path starts, and its qualifiers. While an expression is planned, qualifiers are added at the end. */
abstract class Attribute {
    final List<Qualifier> qualifiers = new ArrayList<>();

    void add(Qualifier qualifier) {
        qualifiers.add(qualifier);
    }

    /** Whether to start here costs nothing by itself. */
    boolean isFree() {
        return false;
    }

    abstract Object resolve(Scope scope);

    static final class Variable extends Attribute {
        private final String name;

        Variable(String name) {
            this.name = name;
        }

        @Override
        Object resolve(Scope scope) {
            Object value = scope.find(name);
            return value == null ? new Failure("no such attribute(s): " + name) : qualified(scope, value);
        }
    }

    static final class Result extends Attribute {
        private final Step operand;

        Result(Step operand) {
            this.operand = operand;
        }

        @Override
        Object resolve(Scope scope) {
            return qualified(scope, operand.eval(scope));
        }
    }

    /** {@code ?:}, whose branches take the qualifiers that follow. */
    static final class Conditional extends Attribute {
        private final Step condition;
        private final Attribute then;
        private final Attribute otherwise;

        Conditional(Step condition, Attribute then, Attribute otherwise) {
            this.condition = condition;
            this.then = then;
            this.otherwise = otherwise;
        }

        @Override
        void add(Qualifier qualifier) {
            then.add(qualifier);
            otherwise.add(qualifier);
        }

        @Override
        boolean isFree() {
            return true;
        }

        @Override
        Object resolve(Scope scope) {
            Object value = condition.eval(scope);
            if (value instanceof Boolean isTrue) {
                return isTrue ? then.resolve(scope) : otherwise.resolve(scope);
            }
            return value instanceof Failure ? value : Failure.NO_OVERLOAD;
        }
    }

    final Object qualified(Scope scope, Object start) {
        if (start instanceof Failure) {
            return start;
        }
        Object value = start;
        boolean isOptional = false;
        if (start instanceof Optional<?> optional) {
            if (optional.isEmpty()) {
                return optional;
            }
            isOptional = true;
            value = Values.unwrapped(optional.get());
        }
        for (Qualifier qualifier : qualifiers) {
            isOptional = isOptional || qualifier.isOptional;
            Object next = isOptional ? qualifier.ifPresent(scope, value) : qualifier.required(scope, value);
            if (next instanceof Failure) {
                return next;
            }
            if (next == Qualifier.ABSENT) {
                return Optional.empty();
            }
            value = next;
        }
        return isOptional ? Optional.of(value) : value;
    }

    /** One key or index of a path. */
    abstract static class Qualifier {
        static final Object ABSENT = new Object();

        final boolean isOptional;

        Qualifier(boolean isOptional) {
            this.isOptional = isOptional;
        }

        /** The key, or a failure. */
        abstract Object key(Scope scope);

        Object required(Scope scope, Object of) {
            Object value = look(scope, of);
            scope.meter().charge(1);
            return value == ABSENT ? missing(of, key(scope)) : value;
        }

        Object ifPresent(Scope scope, Object of) {
            Object value = look(scope, of);
            if (value != ABSENT && !(value instanceof Failure)) {
                scope.meter().charge(1);
            }
            return value;
        }

        final Object look(Scope scope, Object of) {
            Object key = key(scope);
            if (key instanceof Failure) {
                return key;
            }
            if (of instanceof Map<?, ?> map) {
                return Values.find(map, key);
            }
            if (of instanceof List<?> list) {
                Object index = Values.index(key);
                if (index instanceof Failure) {
                    return index;
                }
                long i = (Long) index;
                return i >= 0 && i < list.size() ? list.get((int) i) : ABSENT;
            }
            return ABSENT;
        }

        private static Failure missing(Object of, Object key) {
            return new Failure((of instanceof List ? "index out of bounds: " : "no such key: ") + Values.text(key));
        }
    }

    /** A key that the expression spells out. */
    static final class Key extends Qualifier {
        private final Object key;

        Key(Object key, boolean isOptional) {
            super(isOptional);
            this.key = key;
        }

        @Override
        Object key(Scope scope) {
            return key;
        }
    }

    /** A key that is only known when the expression is evaluated. */
    static final class Computed extends Qualifier {
        private final Attribute key;

        Computed(Attribute key, boolean isOptional) {
            super(isOptional);
            this.key = key;
        }

        @Override
        Object required(Scope scope, Object of) {
            Object known = key(scope);
            if (known instanceof Failure) {
                scope.meter().charge(1);
                return known;
            }
            return new Key(known, isOptional).required(scope, of);
        }

        @Override
        Object key(Scope scope) {
            Object value = key.resolve(scope);
            return value instanceof Failure || Values.isKey(value)
                    ? value
                    : new Failure("invalid qualifier type: " + Values.goType(value));
        }
    }

    /** What {@code has} asks: whether there is such a key. */
    static final class Presence extends Qualifier {
        private final String key;

        Presence(String key) {
            super(false);
            this.key = key;
        }

        @Override
        Object key(Scope scope) {
            return key;
        }

        @Override
        Object required(Scope scope, Object of) {
            Object value = look(scope, of);
            scope.meter().charge(1);
            return value instanceof Failure ? value : (Object) (value != ABSENT);
        }
    }
}
