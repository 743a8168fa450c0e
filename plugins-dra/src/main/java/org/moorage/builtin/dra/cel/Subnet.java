// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/**
 * A range of IP addresses.
 *
 * @param address an address in it
 * @param prefix how many bits all of them share
 */
record Subnet(Address address, int prefix) {

    /**
     * Reads a range.
     *
     * @throws IllegalArgumentException if it is none, in the words of Go's library
     */
    static Subnet parse(String text) {
        int slash = text.lastIndexOf('/');
        if (slash < 0) {
            throw invalid(text, "no '/'");
        }
        Address address;
        try {
            address = Address.parse(text.substring(0, slash));
        } catch (IllegalArgumentException none) {
            throw invalid(text, String.valueOf(none.getMessage()));
        }
        if (!address.zone().isEmpty()) {
            throw invalid(text, "IPv6 zones cannot be present in a prefix");
        }
        String bits = text.substring(slash + 1);
        if (!bits.matches("0|[1-9][0-9]{0,17}")) {
            throw invalid(text, "bad bits after slash: " + Texts.quoted(bits));
        }
        long prefix = Long.parseLong(bits);
        if (prefix > address.bits()) {
            throw invalid(text, "prefix length out of range");
        }
        return new Subnet(address, (int) prefix);
    }

    private static IllegalArgumentException invalid(String text, String problem) {
        return new IllegalArgumentException("netip.ParsePrefix(" + Texts.quoted(text) + "): " + problem);
    }

    boolean contains(Address other) {
        return other.zone().isEmpty()
                && other.bits() == address.bits()
                && other.masked(prefix).value().equals(address.masked(prefix).value());
    }

    boolean contains(Subnet other) {
        return prefix <= other.prefix && contains(other.address);
    }

    @Override
    public String toString() {
        return address + "/" + prefix;
    }
}
