// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A part of an expression, ready to be evaluated. It charges what kube-scheduler's CEL library charges for the same part, which
 * includes the library's peculiarities: operators that only steer ({@code &&}, {@code ?:}) are free, and so are constants.
 */
abstract class Step {
    /** The value, or a {@link Failure}. */
    abstract Object eval(Scope scope);

    static final class Constant extends Step {
        final Object value;

        Constant(Object value) {
            this.value = value;
        }

        @Override
        Object eval(Scope scope) {
            return value;
        }
    }

    /** {@code &&} or {@code ||}: errors do not count if the other side decides. */
    static final class Logical extends Step {
        private final List<Step> terms;
        private final Boolean decisive;

        Logical(List<Step> terms, Boolean decisive) {
            this.terms = terms;
            this.decisive = decisive;
        }

        @Override
        Object eval(Scope scope) {
            Failure failure = null;
            for (Step term : terms) {
                Object value = term.eval(scope);
                if (decisive.equals(value)) {
                    return decisive;
                }
                if (failure == null && !(value instanceof Boolean)) {
                    failure = value instanceof Failure own ? own : Failure.NO_OVERLOAD;
                }
            }
            return failure != null ? failure : (Object) !decisive;
        }
    }

    /** A call of a function. */
    static final class Call extends Step {
        private final String name;
        private final String overload;
        private final Function.Body body;
        private final List<Step> arguments;
        private final boolean endsEarly;
        private final boolean takesFailures;

        Call(String name, String overload, Function.Binding binding, List<Step> arguments) {
            this.name = name;
            this.overload = overload;
            this.body = binding.body();
            this.arguments = arguments;
            this.endsEarly = arguments.size() > 2 || binding.dispatches();
            this.takesFailures = name.equals(Function.NOT_STRICTLY_FALSE);
        }

        @Override
        Object eval(Scope scope) {
            Object[] values = new Object[arguments.size()];
            Failure failure = null;
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments.get(i).eval(scope);
                if (failure == null && values[i] instanceof Failure own && !takesFailures) {
                    failure = own;
                    if (endsEarly) {
                        // What was never evaluated is not there to be counted, so the call is free.
                        return i == values.length - 1 ? charged(scope, values, failure) : failure;
                    }
                }
            }
            return charged(scope, values, failure != null ? failure : call(values));
        }

        Object call(Object[] values) {
            try {
                return body.apply(values);
            } catch (IllegalArgumentException | ArithmeticException wrong) {
                return new Failure(String.valueOf(wrong.getMessage()));
            }
        }

        private Object charged(Scope scope, Object[] values, Object result) {
            scope.meter().charge(Costs.ofCall(name, overload, values, result));
            return result;
        }
    }

    /** {@code in} with a list of constants, which costs nothing. */
    static final class Membership extends Step {
        private final Step member;
        private final List<?> list;

        Membership(Step member, List<?> list) {
            this.member = member;
            this.list = list;
        }

        @Override
        Object eval(Scope scope) {
            Object value = member.eval(scope);
            if (value instanceof Failure) {
                return value;
            }
            if (!Values.isHashable(value)) {
                throw new SelectorPanic("runtime error: hash of unhashable type " + Values.goType(value));
            }
            return Values.contains(list, value);
        }
    }

    /** {@code or} and {@code orValue} of an optional. */
    static final class Alternative extends Step {
        private final Step first;
        private final Step second;
        private final boolean unwraps;

        Alternative(Step first, Step second, boolean unwraps) {
            this.first = first;
            this.second = second;
            this.unwraps = unwraps;
        }

        @Override
        Object eval(Scope scope) {
            Object value = first.eval(scope);
            if (!(value instanceof Optional<?> optional)) {
                return value;
            }
            if (optional.isEmpty()) {
                return second.eval(scope);
            }
            return unwraps ? optional.get() : optional;
        }
    }

    /** A list of values that are not all constants. */
    static final class ListOf extends Step {
        private final List<Step> elements;
        private final List<Integer> optional;

        ListOf(List<Step> elements, List<Integer> optional) {
            this.elements = elements;
            this.optional = optional;
        }

        @Override
        Object eval(Scope scope) {
            Object list = build(scope);
            scope.meter().charge(Costs.LIST);
            return list;
        }

        Object build(Scope scope) {
            List<Object> values = new ArrayList<>(elements.size());
            for (int i = 0; i < elements.size(); i++) {
                Object value = elements.get(i).eval(scope);
                if (value instanceof Failure) {
                    return value;
                }
                if (optional.contains(i)) {
                    if (!(value instanceof Optional<?> maybe)) {
                        return new Failure("cannot initialize optional list element from non-optional value "
                                + Values.text(value));
                    }
                    if (maybe.isEmpty()) {
                        continue;
                    }
                    value = maybe.get();
                }
                values.add(value);
            }
            return Collections.unmodifiableList(values);
        }
    }

    /** A map of keys and values that are not all constants. */
    static final class MapOf extends Step {
        private final List<Entry> entries;

        record Entry(Step key, Step value, boolean isOptional) {}

        MapOf(List<Entry> entries) {
            this.entries = entries;
        }

        @Override
        Object eval(Scope scope) {
            Object map = build(scope);
            scope.meter().charge(Costs.MAP);
            return map;
        }

        Object build(Scope scope) {
            Map<Object, Object> values = new LinkedHashMap<>();
            for (Entry entry : entries) {
                Object key = entry.key.eval(scope);
                if (key instanceof Failure) {
                    return key;
                }
                Object value = entry.value.eval(scope);
                if (value instanceof Failure) {
                    return value;
                }
                if (entry.isOptional) {
                    if (!(value instanceof Optional<?> maybe)) {
                        return new Failure("cannot initialize optional entry '" + Values.text(key)
                                + "' from non-optional value " + Values.text(value));
                    }
                    if (maybe.isEmpty()) {
                        values.remove(key);
                        continue;
                    }
                    value = maybe.get();
                }
                values.put(key, value);
            }
            return Collections.unmodifiableMap(values);
        }
    }

    /** A variable, or what an expression gives, and the way from there by keys and indices. */
    static final class Path extends Step {
        final Attribute attribute;
        private final boolean isPresenceTest;

        Path(Attribute attribute, boolean isPresenceTest) {
            this.attribute = attribute;
            this.isPresenceTest = isPresenceTest;
        }

        @Override
        Object eval(Scope scope) {
            Object value = attribute.resolve(scope);
            if (isPresenceTest && value instanceof Optional<?> optional) {
                value = optional.isPresent();
            }
            scope.meter().charge((attribute.isFree() ? 0 : 1) - (isPresenceTest ? 1 : 0));
            return value;
        }
    }

    /** A loop over a list or the keys of a map, which all macros come down to. */
    static final class Fold extends Step {
        final String first;
        final String second;
        final String accumulator;
        private final Step range;
        private final Step initial;
        private final Step condition;
        private final Step loop;
        private final Step result;

        Fold(
                List<String> variables,
                String accumulator,
                Step range,
                Step initial,
                Step condition,
                Step loop,
                Step result) {
            this.first = variables.get(0);
            this.second = variables.get(1);
            this.accumulator = accumulator;
            this.range = range;
            this.initial = initial;
            this.condition = condition;
            this.loop = loop;
            this.result = result;
        }

        @Override
        Object eval(Scope scope) {
            Object over = range.eval(scope);
            if (over instanceof Failure) {
                return over;
            }
            FoldScope inner = new FoldScope(scope, this);
            if (over instanceof List<?> list) {
                for (int i = 0; i < list.size(); i++) {
                    Object element = list.get(i);
                    boolean goesOn = second.isEmpty() ? inner.next(element, null) : inner.next((long) i, element);
                    if (!goesOn) {
                        break;
                    }
                }
            } else if (over instanceof Map<?, ?> map) {
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    if (!inner.next(entry.getKey(), second.isEmpty() ? null : entry.getValue())) {
                        break;
                    }
                }
            } else {
                return new Failure(
                        second.isEmpty()
                                ? "got '" + Values.goType(over) + "', expected iterable type"
                                : "unsupported comprehension range type: " + Values.goType(over));
            }
            return inner.end();
        }
    }

    private static final class FoldScope extends Scope {
        private final Scope outer;
        private final Fold fold;
        private @Nullable Object first;
        private @Nullable Object second;
        private @Nullable Object accumulated;
        private boolean isDone;

        FoldScope(Scope outer, Fold fold) {
            super(outer.meter());
            this.outer = outer;
            this.fold = fold;
        }

        boolean next(@Nullable Object one, @Nullable Object other) {
            first = one;
            second = other;
            Object goesOn = fold.condition.eval(this);
            if (Boolean.FALSE.equals(goesOn)) {
                return false;
            }
            accumulated = fold.loop.eval(this);
            return true;
        }

        Object end() {
            isDone = true;
            Object value = fold.result.eval(this);
            if (value instanceof Growing.OfList list) {
                return Collections.unmodifiableList(list);
            }
            return value instanceof Growing.OfMap map ? Collections.unmodifiableMap(map) : value;
        }

        @Override
        @Nullable
        Object find(String name) {
            if (name.equals(fold.accumulator)) {
                Object value = accumulated;
                if (value == null) {
                    // Only when it is first asked for, so what cel.bind names but nobody uses costs nothing.
                    value = Growing.from(fold.initial.eval(outer));
                    accumulated = value;
                }
                return value;
            }
            if (!isDone && name.equals(fold.first)) {
                return first;
            }
            if (!isDone && !fold.second.isEmpty() && name.equals(fold.second)) {
                return second;
            }
            return outer.find(name);
        }
    }
}
