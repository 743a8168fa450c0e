// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/** The edit distance of two texts. */
public final class EditDistance {
    private EditDistance() {}

    /**
     * Returns the number of letters to insert, delete, replace, or swap with the next one, to get from one text to the
     * other.
     */
    public static int between(String from, String to) {
        int[][] distances = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    distances[i][j] = i + j;
                    continue;
                }
                int replaced = distances[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                distances[i][j] = Math.min(replaced, Math.min(distances[i - 1][j], distances[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    distances[i][j] = Math.min(distances[i][j], distances[i - 2][j - 2] + 1);
                }
            }
        }
        return distances[from.length()][to.length()];
    }
}
