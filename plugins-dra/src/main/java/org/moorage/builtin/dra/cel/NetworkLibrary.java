// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static org.moorage.builtin.dra.cel.Functions.CIDR;
import static org.moorage.builtin.dra.cel.Functions.IP;
import static org.moorage.builtin.dra.cel.Functions.URL;

import com.google.common.base.Strings;
import com.google.common.net.InetAddresses;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** IP addresses, ranges of them, and URLs. */
final class NetworkLibrary {
    private NetworkLibrary() {}

    static void addTo(Functions functions) {
        functions.global("ip", IP, String.class, NetworkLibrary::address);
        functions.global(
                "ip.isCanonical",
                BOOL,
                String.class,
                text -> text(address(text)).equals(text));
        functions.global("isIP", BOOL, String.class, text -> QuantityLibrary.isOne(() -> address(text)));
        functions.global("string", STRING, InetAddress.class, NetworkLibrary::text);
        functions.member("family", INT, InetAddress.class, ip -> ip instanceof Inet4Address ? 4L : 6L);
        functions.member("isUnspecified", BOOL, InetAddress.class, InetAddress::isAnyLocalAddress);
        functions.member("isLoopback", BOOL, InetAddress.class, InetAddress::isLoopbackAddress);
        functions.member("isLinkLocalMulticast", BOOL, InetAddress.class, InetAddress::isMCLinkLocal);
        functions.member("isLinkLocalUnicast", BOOL, InetAddress.class, InetAddress::isLinkLocalAddress);
        functions.member("isGlobalUnicast", BOOL, InetAddress.class, NetworkLibrary::isGlobalUnicast);
        functions.global("cidr", CIDR, String.class, Cidr::parse);
        functions.global("isCIDR", BOOL, String.class, text -> QuantityLibrary.isOne(() -> Cidr.parse(text)));
        functions.global("string", STRING, Cidr.class, Cidr::toString);
        functions.member("ip", IP, Cidr.class, Cidr::address);
        functions.member("prefixLength", INT, Cidr.class, cidr -> (long) cidr.prefix());
        functions.member("masked", CIDR, Cidr.class, Cidr::masked);
        functions.member("containsIP", BOOL, Cidr.class, InetAddress.class, Cidr::contains);
        functions.member("containsIP", BOOL, Cidr.class, String.class, (cidr, ip) -> cidr.contains(address(ip)));
        functions.member("containsCIDR", BOOL, Cidr.class, Cidr.class, Cidr::contains);
        functions.member("containsCIDR", BOOL, Cidr.class, String.class, (one, text) -> one.contains(Cidr.parse(text)));
        functions.global("url", URL, String.class, NetworkLibrary::url);
        functions.global("isURL", BOOL, String.class, text -> QuantityLibrary.isOne(() -> url(text)));
        functions.member("getScheme", STRING, URI.class, url -> Strings.nullToEmpty(url.getScheme()));
        functions.member("getHost", STRING, URI.class, url -> Strings.nullToEmpty(url.getHost()) + port(":", url));
        functions.member(
                "getHostname",
                STRING,
                URI.class,
                url -> Strings.nullToEmpty(url.getHost()).replaceAll("[\\[\\]]", ""));
        functions.member("getPort", STRING, URI.class, url -> port("", url));
        functions.member("getEscapedPath", STRING, URI.class, url -> Strings.nullToEmpty(url.getRawPath()));
        functions.member("getQuery", MapType.create(STRING, ListType.create(STRING)), URI.class, NetworkLibrary::query);
    }

    static String text(InetAddress address) {
        return InetAddresses.toAddrString(address);
    }

    /** Reads an address of the forms that Kubernetes allows. */
    static InetAddress address(String text) {
        InetAddress address = InetAddresses.forString(text);
        if (text.indexOf('%') >= 0 || address instanceof Inet4Address && text.indexOf(':') >= 0) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: no zone, no IPv4-mapped IPv6 address)");
        }
        return address;
    }

    private static boolean isGlobalUnicast(InetAddress ip) {
        boolean isSpecial = ip.isAnyLocalAddress() || ip.isLoopbackAddress() || ip.isMulticastAddress();
        return !isSpecial && !ip.isLinkLocalAddress() && !text(ip).equals("255.255.255.255");
    }

    /** Reads an absolute URL or an absolute path. */
    static URI url(String text) {
        try {
            URI url = new URI(text.replace(" ", "%20")).parseServerAuthority();
            if (url.isAbsolute() || text.startsWith("/")) {
                return url;
            }
        } catch (URISyntaxException invalid) {
            throw new IllegalArgumentException(invalid);
        }
        throw new IllegalArgumentException("\"" + text + "\" (expected: an absolute URL or path)");
    }

    private static String port(String before, URI url) {
        return url.getPort() < 0 ? "" : before + url.getPort();
    }

    private static Map<String, List<String>> query(URI url) {
        return Stream.of(Strings.nullToEmpty(url.getRawQuery()).split("&"))
                .filter(parameter -> !parameter.isEmpty() && parameter.indexOf(';') < 0)
                .map(parameter -> (parameter + "=").split("=", 3))
                .collect(Collectors.groupingBy(
                        pair -> decoded(pair[0]), Collectors.mapping(pair -> decoded(pair[1]), Collectors.toList())));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
