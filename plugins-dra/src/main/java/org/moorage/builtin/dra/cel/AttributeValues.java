// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.Quantity;

/** Converts values of expressions to device attributes, with kube-scheduler's errors for values of other types. */
final class AttributeValues {
    // kube-scheduler's names of the types that no attribute has.
    private static final Map<Class<?>, String> OTHERS = Map.of(
            Double.class, "float64",
            UnsignedLong.class, "uint64",
            CelByteString.class, "[]uint8",
            NullValue.class, "structpb.NullValue",
            Duration.class, "time.Duration",
            Instant.class, "time.Time",
            Quantity.class, "*resource.Quantity",
            InetAddress.class, "netip.Addr",
            Cidr.class, "netip.Prefix",
            URI.class, "*url.URL");

    private AttributeValues() {}

    /**
     * Returns the attribute for a value.
     *
     * @throws SelectorException if no attribute has a value of this type
     */
    static DeviceAttribute of(Object value) throws SelectorException {
        if (value instanceof List<?> list) {
            return several(list);
        }
        return scalar(value)
                .orElseThrow(() -> new SelectorException("unsupported CEL return type: " + type(value), null));
    }

    private static DeviceAttribute several(List<?> list) throws SelectorException {
        List<DeviceAttribute> values = new ArrayList<>(list.size());
        for (Object element : list) {
            Optional<DeviceAttribute> value = scalar(element);
            if (values.isEmpty() && value.isEmpty()) {
                throw new SelectorException("unsupported list element type: " + type(element), null);
            }
            if (!values.isEmpty()
                    && (value.isEmpty()
                            || value.get().getClass() != values.get(0).getClass())) {
                throw new SelectorException(
                        "expected list element at index " + values.size() + " to be " + name(values.get(0)) + ", got "
                                + type(element),
                        null);
            }
            values.add(value.orElseThrow());
        }
        return new DeviceAttribute.Several(values);
    }

    private static Optional<DeviceAttribute> scalar(Object value) {
        if (value instanceof Boolean flag) {
            return Optional.of(new DeviceAttribute.Flag(flag));
        }
        if (value instanceof Long number) {
            return Optional.of(new DeviceAttribute.Number(number));
        }
        if (value instanceof String text) {
            return Optional.of(new DeviceAttribute.Text(text));
        }
        return value instanceof SemanticVersion version
                ? Optional.of(new DeviceAttribute.Version(version.toString()))
                : Optional.empty();
    }

    private static String name(DeviceAttribute attribute) {
        if (attribute instanceof DeviceAttribute.Flag) {
            return "bool";
        }
        if (attribute instanceof DeviceAttribute.Number) {
            return "int";
        }
        return attribute instanceof DeviceAttribute.Text ? "string" : "semver";
    }

    private static String type(Object value) {
        if (value instanceof Boolean) {
            return "bool";
        }
        if (value instanceof Long) {
            return "int64";
        }
        if (value instanceof String) {
            return "string";
        }
        if (value instanceof SemanticVersion) {
            return "semver.Version";
        }
        for (Map.Entry<Class<?>, String> other : OTHERS.entrySet()) {
            if (other.getKey().isInstance(value)) {
                return other.getValue();
            }
        }
        return Functions.type(value).name();
    }
}
