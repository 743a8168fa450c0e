// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static org.moorage.builtin.dra.cel.Functions.CIDR;
import static org.moorage.builtin.dra.cel.Functions.IP;
import static org.moorage.builtin.dra.cel.Functions.URL;

import com.google.common.net.InetAddresses;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import java.net.Inet4Address;
import java.net.InetAddress;

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
        functions.member(
                "isGlobalUnicast",
                BOOL,
                InetAddress.class,
                ip -> !(ip.isAnyLocalAddress()
                        || ip.isLoopbackAddress()
                        || ip.isMulticastAddress()
                        || ip.isLinkLocalAddress()
                        || text(ip).equals("255.255.255.255")));
        functions.global("cidr", CIDR, String.class, Cidr::parse);
        functions.global("isCIDR", BOOL, String.class, text -> QuantityLibrary.isOne(() -> Cidr.parse(text)));
        functions.global("string", STRING, Cidr.class, Cidr::toString);
        functions.member("ip", IP, Cidr.class, Cidr::address);
        functions.member("prefixLength", INT, Cidr.class, cidr -> (long) cidr.prefix());
        functions.member("masked", CIDR, Cidr.class, Cidr::masked);
        functions.member("containsIP", BOOL, Cidr.class, InetAddress.class, Cidr::contains);
        functions.member("containsIP", BOOL, Cidr.class, String.class, (cidr, ip) -> cidr.contains(address(ip)));
        functions.member("containsCIDR", BOOL, Cidr.class, Cidr.class, Cidr::contains);
        functions.member(
                "containsCIDR", BOOL, Cidr.class, String.class, (one, other) -> one.contains(Cidr.parse(other)));
        functions.global("url", URL, String.class, Url::parse);
        functions.global("isURL", BOOL, String.class, text -> QuantityLibrary.isOne(() -> Url.parse(text)));
        functions.member("getScheme", STRING, Url.class, Url::scheme);
        functions.member("getHost", STRING, Url.class, Url::host);
        functions.member("getHostname", STRING, Url.class, Url::hostname);
        functions.member("getPort", STRING, Url.class, Url::port);
        functions.member("getEscapedPath", STRING, Url.class, Url::escapedPath);
        functions.member("getQuery", MapType.create(STRING, ListType.create(STRING)), Url.class, Url::parameters);
    }

    static String text(InetAddress address) {
        return InetAddresses.toAddrString(address);
    }

    /** Reads an address of the forms that Kubernetes allows. */
    static InetAddress address(String text) {
        if (!InetAddresses.isInetAddress(text) || text.indexOf('%') >= 0) {
            throw new IllegalArgumentException("IP Address \"" + text + "\" parse error during conversion from string");
        }
        InetAddress address = InetAddresses.forString(text);
        if (address instanceof Inet4Address && text.indexOf(':') >= 0) {
            throw new IllegalArgumentException("IPv4-mapped IPv6 address \"" + text + "\" is not allowed");
        }
        return address;
    }
}
