// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import java.util.List;
import java.util.function.Predicate;

/** IP addresses and ranges of them. */
final class AddressLibrary {
    static final OpaqueType IP = OpaqueType.create("net.IP");
    static final OpaqueType CIDR = OpaqueType.create("net.CIDR");

    private static final String PARSE_ERROR = "network address parse error during conversion from string: ";

    private AddressLibrary() {}

    static void addTo(Functions functions) {
        List<CelType> text = List.of(SimpleType.STRING);
        List<CelType> ip = List.of(IP);
        List<CelType> cidr = List.of(CIDR);
        functions
                .extension("ip")
                .global("string_to_ip", IP, text, a -> address((String) a[0]))
                .member("cidr_ip", IP, cidr, a -> subnet(a[0]).address());
        functions
                .extension("ip.isCanonical")
                .global(
                        "ip_is_canonical",
                        SimpleType.BOOL,
                        text,
                        a -> address((String) a[0]).toString().equals(a[0]));
        functions.extension("isIP").global("is_ip", SimpleType.BOOL, text, a -> isValid(() -> address((String) a[0])));
        functions
                .extension("family")
                .member("ip_family", SimpleType.INT, ip, a -> ((Address) a[0]).bits() == 32 ? 4L : 6L);
        property(functions, "isUnspecified", "ip_is_unspecified", Address::isUnspecified);
        property(functions, "isLoopback", "ip_is_loopback", Address::isLoopback);
        property(functions, "isLinkLocalMulticast", "ip_is_link_local_multicast", Address::isLinkLocalMulticast);
        property(functions, "isLinkLocalUnicast", "ip_is_link_local_unicast", Address::isLinkLocalUnicast);
        property(functions, "isGlobalUnicast", "ip_is_global_unicast", Address::isGlobalUnicast);
        functions
                .standard("string")
                .global("ip_to_string", SimpleType.STRING, ip, a -> a[0].toString())
                .global("cidr_to_string", SimpleType.STRING, cidr, a -> a[0].toString());
        functions.extension("cidr").global("string_to_cidr", CIDR, text, a -> range((String) a[0], PARSE_ERROR));
        functions
                .extension("isCIDR")
                .global("is_cidr", SimpleType.BOOL, text, a -> isValid(() -> range((String) a[0], "")));
        functions
                .extension("containsIP")
                .member(
                        "cidr_contains_ip_string",
                        SimpleType.BOOL,
                        List.of(CIDR, SimpleType.STRING),
                        a -> isValid(() -> address((String) a[1]))
                                ? (Object) subnet(a[0]).contains(address((String) a[1]))
                                : Failure.NO_OVERLOAD)
                .member(
                        "cidr_contains_ip_ip",
                        SimpleType.BOOL,
                        List.of(CIDR, IP),
                        a -> subnet(a[0]).contains((Address) a[1]));
        functions
                .extension("containsCIDR")
                .member(
                        "cidr_contains_cidr_string",
                        SimpleType.BOOL,
                        List.of(CIDR, SimpleType.STRING),
                        a -> subnet(a[0]).contains(range((String) a[1], PARSE_ERROR)))
                .member(
                        "cidr_contains_cidr",
                        SimpleType.BOOL,
                        List.of(CIDR, CIDR),
                        a -> subnet(a[0]).contains(subnet(a[1])));
        functions.extension("prefixLength").member("cidr_prefix_length", SimpleType.INT, cidr, a ->
                (long) subnet(a[0]).prefix());
        functions
                .extension("masked")
                .member(
                        "cidr_masked",
                        CIDR,
                        cidr,
                        a -> new Subnet(
                                subnet(a[0]).address().masked(subnet(a[0]).prefix()),
                                subnet(a[0]).prefix()));
    }

    private static void property(Functions functions, String name, String id, Predicate<Address> property) {
        functions.extension(name).member(id, SimpleType.BOOL, List.of(IP), a -> property.test((Address) a[0]));
    }

    private static Subnet subnet(Object value) {
        return (Subnet) value;
    }

    private static Address address(String text) {
        Address address;
        try {
            address = Address.parse(text);
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(
                    "IP Address " + Texts.quoted(text) + " parse error during conversion from string: "
                            + invalid.getMessage(),
                    invalid);
        }
        if (!address.zone().isEmpty()) {
            throw new IllegalArgumentException("IP address " + Texts.quoted(text) + " with zone value is not allowed");
        }
        if (address.isMapped()) {
            throw mapped(text);
        }
        return address;
    }

    private static Subnet range(String text, String prefix) {
        try {
            Subnet range = Subnet.parse(text);
            if (range.address().isMapped()) {
                throw mapped(text);
            }
            return range;
        } catch (IllegalArgumentException invalid) {
            String problem = String.valueOf(invalid.getMessage());
            // The library says it twice, except of addresses of the wrong kind.
            throw new IllegalArgumentException(
                    prefix + (problem.startsWith("netip.") ? PARSE_ERROR : "") + problem, invalid);
        }
    }

    private static IllegalArgumentException mapped(String text) {
        return new IllegalArgumentException("IPv4-mapped IPv6 address " + Texts.quoted(text) + " is not allowed");
    }

    private static boolean isValid(Runnable parse) {
        try {
            parse.run();
            return true;
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }
}
