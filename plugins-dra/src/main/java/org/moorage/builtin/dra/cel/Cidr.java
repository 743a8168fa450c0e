// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.net.InetAddresses;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * A range of IP addresses.
 *
 * @param address an address in it
 * @param prefix how many bits all of them share
 */
record Cidr(InetAddress address, int prefix) {
    /**
     * Reads a range.
     *
     * @throws IllegalArgumentException if the text is none
     */
    static Cidr parse(String text) {
        int slash = text.indexOf('/');
        if (slash >= 0 && text.substring(slash + 1).matches("0|[1-9][0-9]{0,2}")) {
            InetAddress address = NetworkLibrary.address(text.substring(0, slash));
            Cidr range = new Cidr(address, Integer.parseInt(text.substring(slash + 1)));
            if (range.prefix <= range.bits()) {
                return range;
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" (expected: a range such as 10.0.0.0/8)");
    }

    private int bits() {
        return address.getAddress().length * 8;
    }

    Cidr masked() {
        int rest = bits() - prefix;
        BigInteger first = InetAddresses.toBigInteger(address).shiftRight(rest).shiftLeft(rest);
        boolean isIpv4 = address instanceof Inet4Address;
        return new Cidr(
                isIpv4 ? InetAddresses.fromIPv4BigInteger(first) : InetAddresses.fromIPv6BigInteger(first), prefix);
    }

    boolean contains(InetAddress other) {
        Cidr around = new Cidr(other, prefix);
        return around.bits() == bits() && around.masked().equals(masked());
    }

    boolean contains(Cidr other) {
        return prefix <= other.prefix && contains(other.address);
    }

    @Override
    public String toString() {
        return NetworkLibrary.text(address) + "/" + prefix;
    }
}
