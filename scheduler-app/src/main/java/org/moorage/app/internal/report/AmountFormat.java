// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/** The format of amounts of resources, and of their share of a whole, for people. */
public final class AmountFormat {
    private static final String[] BINARY = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final String HUGE_PAGES = "hugepages-";
    private static final int BAR = 10;
    // Block characters by the number of filled eighths of the cell.
    private static final String EIGHTHS = " ▏▎▍▌▋▊▉";

    private AmountFormat() {}

    /** For example {@code 1.5} and {@code 250m} cores, {@code 512Mi}, {@code 4}. */
    public static String text(ResourceName resource, long amount) {
        return switch (resource.slot()) {
            case 0 -> cores(amount);
            case 1, 2 -> bytes(amount);
            default -> resource.name().startsWith(HUGE_PAGES) ? bytes(amount) : Long.toString(amount);
        };
    }

    private static String cores(long milli) {
        return milli > 0 && milli < 1000
                ? milli + "m"
                : BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString();
    }

    /** The resources of which there is something, in the order in which they are shown. */
    public static List<ResourceName> names(Resources requests) {
        List<ResourceName> names = new ArrayList<>();
        for (ResourceName name : List.of(ResourceName.CPU, ResourceName.MEMORY, ResourceName.EPHEMERAL_STORAGE)) {
            if (requests.amount(name) > 0) {
                names.add(name);
            }
        }
        for (int i = 0; i < requests.scalarCount(); i++) {
            names.add(ResourceName.of(requests.scalarName(i)));
        }
        return names;
    }

    private static String bytes(long amount) {
        double value = amount;
        int unit = -1;
        while (value >= 1024 && unit < BINARY.length - 1) {
            value /= 1024;
            unit++;
        }
        if (unit < 0) {
            return Long.toString(amount);
        }
        return BigDecimal.valueOf(value)
                        .setScale(1, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + BINARY[unit];
    }

    /** The share in percent, rounded; 0 if the whole is 0. */
    public static long percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(100.0 * part / whole);
    }

    /** The share as a bar of ten cells. */
    public static String bar(long part, long whole, Terminal terminal) {
        double share = whole == 0 ? 0 : Math.min(1, Math.max(0, (double) part / whole));
        if (!terminal.blocks()) {
            int full = (int) Math.round(share * BAR);
            return "#".repeat(full) + ".".repeat(BAR - full);
        }
        int eighths = (int) Math.round(share * BAR * 8);
        StringBuilder bar = new StringBuilder("█".repeat(eighths / 8));
        if (eighths % 8 != 0) {
            bar.append(EIGHTHS.charAt(eighths % 8));
        }
        return bar.append("░".repeat(BAR - bar.length())).toString();
    }

    /** The style that shows how full something is. */
    public static TextStyle style(long part, long whole) {
        long percent = percent(part, whole);
        if (percent < 70) {
            return TextStyle.GOOD;
        }
        return percent < 90 ? TextStyle.WARNING : TextStyle.BAD;
    }

    /** A figure for people, with one decimal. */
    public static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** A price for people, with two decimals. */
    public static String money(double amount) {
        return String.format(Locale.ROOT, "%.2f", amount);
    }

    /** A price for programs: a ten-thousandth is enough, and hides what binary fractions add. */
    public static double rounded(double amount) {
        return Math.round(amount * 10_000) / 10_000.0;
    }
}
