// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Quantity;

/**
 * What all values of expressions have in common. Values are Boolean, Long, UnsignedLong, Double, String, CelByteString, NullValue,
 * Duration, OffsetDateTime, List, Map, Optional, the types of Kubernetes' libraries, and types themselves.
 */
final class Values {
    private Values() {}

    /** A type as a value. */
    record TypeValue(String name) {}

    /** The name of a value's type in expressions. */
    static String typeName(Object value) {
        if (value instanceof Boolean) {
            return "bool";
        }
        if (value instanceof Long) {
            return "int";
        }
        if (value instanceof UnsignedLong) {
            return "uint";
        }
        if (value instanceof Double) {
            return "double";
        }
        if (value instanceof String) {
            return "string";
        }
        if (value instanceof CelByteString) {
            return "bytes";
        }
        if (value instanceof NullValue) {
            return "null_type";
        }
        if (value instanceof List) {
            return "list";
        }
        if (value instanceof Map) {
            return "map";
        }
        if (value instanceof Duration) {
            return "google.protobuf.Duration";
        }
        if (value instanceof OffsetDateTime) {
            return "google.protobuf.Timestamp";
        }
        if (value instanceof Optional) {
            return "optional_type";
        }
        if (value instanceof TypeValue) {
            return "type";
        }
        if (value instanceof Quantity) {
            return "kubernetes.Quantity";
        }
        if (value instanceof SemanticVersion) {
            return "kubernetes.Semver";
        }
        if (value instanceof Url) {
            return "kubernetes.URL";
        }
        if (value instanceof NamedFormat) {
            return "kubernetes.NamedFormat";
        }
        return value instanceof Address ? "net.IP" : "net.CIDR";
    }

    /** The name of a value's type in the library that kube-scheduler uses, which some of its errors show. */
    static String goType(Object value) {
        return switch (typeName(value)) {
            case "bool" -> "types.Bool";
            case "int" -> "types.Int";
            case "uint" -> "types.Uint";
            case "double" -> "types.Double";
            case "string" -> "types.String";
            case "bytes" -> "types.Bytes";
            case "null_type" -> "types.Null";
            case "list" -> "*types.baseList";
            case "map" -> "*types.baseMap";
            case "google.protobuf.Duration" -> "types.Duration";
            case "google.protobuf.Timestamp" -> "types.Timestamp";
            case "optional_type" -> "*types.Optional";
            case "type" -> "*types.Type";
            case "kubernetes.Quantity" -> "cel.Quantity";
            case "kubernetes.Semver" -> "cel.Semver";
            case "kubernetes.URL" -> "cel.URL";
            case "kubernetes.NamedFormat" -> "cel.Format";
            case "net.IP" -> "cel.IP";
            default -> "cel.CIDR";
        };
    }

    /** Whether a value may be looked up in the library's hash sets, which otherwise panics. */
    static boolean isHashable(Object value) {
        return !(value instanceof SemanticVersion || value instanceof CelByteString || value instanceof NamedFormat);
    }

    /** Whether a value can be a key of a map or an index of a list. */
    static boolean isKey(Object value) {
        return value instanceof String
                || value instanceof Long
                || value instanceof UnsignedLong
                || value instanceof Boolean
                || value instanceof Double;
    }

    /** A value as errors show it. */
    static String text(Object value) {
        if (value instanceof Double number) {
            return Numbers.shortest(number);
        }
        if (value instanceof CelByteString bytes) {
            return bytes.toStringUtf8();
        }
        return value instanceof TypeValue type ? type.name : value.toString();
    }

    /** How many parts a value has: 1 if it is of a kind that has no size. */
    static long size(Object value) {
        if (value instanceof String text) {
            return text.codePointCount(0, text.length());
        }
        if (value instanceof List<?> list) {
            return list.size();
        }
        if (value instanceof Map<?, ?> map) {
            return map.size();
        }
        if (value instanceof CelByteString bytes) {
            return bytes.size();
        }
        if (value instanceof Address address) {
            return address.bits() / 8;
        }
        return value instanceof Subnet subnet ? (subnet.prefix() + 7) / 8 : 1;
    }

    /** {@code ==}: a truth value or a failure. */
    static Object equal(Object one, Object other) {
        if (one instanceof NullValue || other instanceof NullValue) {
            return one instanceof NullValue && other instanceof NullValue;
        }
        if (Numbers.isNumber(one)) {
            return Numbers.isNumber(other) && Numbers.areEqual(one, other);
        }
        if (one instanceof List<?> list) {
            return other instanceof List<?> otherList && areEqual(list, otherList);
        }
        if (one instanceof Map<?, ?> map) {
            return other instanceof Map<?, ?> otherMap && areEqual(map, otherMap);
        }
        if (one instanceof Optional<?> optional) {
            if (!(other instanceof Optional<?> otherOptional) || optional.isPresent() != otherOptional.isPresent()) {
                return false;
            }
            return optional.isEmpty() || isTrue(equal(optional.get(), otherOptional.get()));
        }
        if (one instanceof OffsetDateTime time) {
            return other instanceof OffsetDateTime otherTime && time.isEqual(otherTime);
        }
        if (one.getClass() != other.getClass() && isOfKubernetes(one)) {
            return Failure.NO_OVERLOAD;
        }
        return one.equals(other);
    }

    private static boolean isOfKubernetes(Object value) {
        return value instanceof Quantity
                || value instanceof SemanticVersion
                || value instanceof Url
                || value instanceof NamedFormat
                || value instanceof Address
                || value instanceof Subnet;
    }

    private static boolean areEqual(List<?> one, List<?> other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < one.size(); i++) {
            // An error is not "unequal", so the lists are still equal.
            if (Boolean.FALSE.equals(equal(one.get(i), other.get(i)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean areEqual(Map<?, ?> one, Map<?, ?> other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (Map.Entry<?, ?> entry : one.entrySet()) {
            Object found = find(other, entry.getKey());
            if (found == Attribute.Qualifier.ABSENT
                    || found instanceof Failure
                    || Boolean.FALSE.equals(equal(entry.getValue(), found))) {
                return false;
            }
        }
        return true;
    }

    static boolean isTrue(Object value) {
        return Boolean.TRUE.equals(value);
    }

    /** Whether a list has an element; those that cannot be compared with it do not count. */
    static boolean contains(List<?> list, Object value) {
        for (Object element : list) {
            if (isTrue(equal(value, element))) {
                return true;
            }
        }
        return false;
    }

    /** The value of a key, {@link Attribute.Qualifier#ABSENT} or a failure. */
    static Object find(Map<?, ?> map, Object key) {
        if (map instanceof DeviceMap device) {
            Object value = device.get(key);
            return value == null ? Attribute.Qualifier.ABSENT : value;
        }
        Object value = map.get(key);
        if (value == null && Numbers.isNumber(key)) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (Numbers.isNumber(entry.getKey()) && Numbers.areEqual(entry.getKey(), key)) {
                    return entry.getValue();
                }
            }
        }
        return value == null ? Attribute.Qualifier.ABSENT : value;
    }

    /** {@code in}. */
    static Object isIn(Object member, Object container) {
        if (container instanceof List<?> list) {
            return contains(list, member);
        }
        if (container instanceof DeviceMap device) {
            return member instanceof String && device.containsKey(member);
        }
        if (container instanceof Map<?, ?> map) {
            return find(map, member) != Attribute.Qualifier.ABSENT;
        }
        return Failure.NO_OVERLOAD;
    }

    /** A whole number as the index of a list, or why it is none. */
    static Object index(Object key) {
        if (key instanceof Long) {
            return key;
        }
        if (Numbers.isNumber(key)) {
            Long index = Numbers.asIndex(key);
            if (index != null) {
                return index;
            }
            return new Failure("unsupported index value " + text(key) + " in list");
        }
        return new Failure("unsupported index type '" + typeName(key) + "' in list");
    }

    /**
     * The order of two values: an Integer, or why there is none. kube-scheduler's library leaves the choice of the order to the
     * first of the two.
     */
    static Object compare(Object one, Object other) {
        if (Numbers.isNumber(one)) {
            return Numbers.isNumber(other) ? Numbers.compare(one, other) : Failure.NO_OVERLOAD;
        }
        if (one.getClass() != other.getClass() && !(one instanceof OffsetDateTime)) {
            return Failure.NO_OVERLOAD;
        }
        if (one instanceof String text) {
            return Texts.compare(text, (String) other);
        }
        if (one instanceof Boolean flag) {
            return flag.compareTo((Boolean) other);
        }
        if (one instanceof CelByteString bytes) {
            return Integer.signum(
                    CelByteString.unsignedLexicographicalComparator().compare(bytes, (CelByteString) other));
        }
        if (one instanceof Duration duration) {
            return Integer.signum(duration.compareTo((Duration) other));
        }
        if (one instanceof OffsetDateTime time && other instanceof OffsetDateTime otherTime) {
            return Integer.signum(time.toInstant().compareTo(otherTime.toInstant()));
        }
        return Failure.NO_OVERLOAD;
    }

    static boolean isComparable(Object value) {
        return Numbers.isNumber(value)
                || value instanceof String
                || value instanceof Boolean
                || value instanceof CelByteString
                || value instanceof Duration
                || value instanceof OffsetDateTime;
    }

    /**
     * What is left of an optional's value when a path starts at it. The library takes such values apart and cannot put all of
     * them together again.
     */
    static Object unwrapped(Object value) {
        if (value instanceof Quantity) {
            return new Failure("unsupported conversion to ref.Val: (*resource.Quantity)" + value);
        }
        if (value instanceof SemanticVersion) {
            return new Failure("unsupported conversion to ref.Val: (semver.Version)" + value);
        }
        if (value instanceof Url) {
            return new Failure("unsupported conversion to ref.Val: (*url.URL)" + value);
        }
        if (value instanceof Address) {
            return new Failure("unsupported conversion to ref.Val: (netip.Addr)" + value);
        }
        if (value instanceof Subnet) {
            return new Failure("unsupported conversion to ref.Val: (netip.Prefix)" + value);
        }
        return value;
    }

    /** Whether a function that takes a type can be called with a value; of lists and maps the first element is looked at. */
    static boolean isOf(CelType type, Object value) {
        return switch (type.kind()) {
            case DYN, ANY, TYPE_PARAM -> true;
            case LIST ->
                value instanceof List<?> list && (list.isEmpty() || isOf(((ListType) type).elemType(), list.get(0)));
            case MAP ->
                value instanceof Map<?, ?> map
                        && (map.isEmpty()
                                || isOf(
                                                ((MapType) type).keyType(),
                                                map.keySet().iterator().next())
                                        && isOf(
                                                ((MapType) type).valueType(),
                                                map.values().iterator().next()));
            default -> type.name().equals(typeName(value));
        };
    }
}
