// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that select which pods and nodes of a simulation have a row. */
public final class SimulationRows {
    @Option(names = "--only-unplaced", description = "Show only pods without a node.")
    private boolean onlyUnplaced;

    @Option(
            names = "--by",
            paramLabel = "VIEW",
            split = ",",
            converter = ViewName.class,
            description =
                    "Rows of the tables: for nodes zone, type or node, for pods owner or namespace; may be repeated.")
    private List<View> views = new ArrayList<>();

    /** Keys by which nodes or pods are grouped in rows. */
    enum View {
        NODE,
        ZONE,
        TYPE,
        OWNER,
        NAMESPACE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        private boolean isOfNodes() {
            return this == NODE || this == ZONE || this == TYPE;
        }
    }

    /** A converter of the names in lower case. */
    static final class ViewName implements ITypeConverter<View> {
        @Override
        public View convert(String text) {
            for (View view : View.values()) {
                if (view.toString().equals(text)) {
                    return view;
                }
            }
            throw new TypeConversionException("\"" + text + "\" (expected: one of node, zone, type, owner, namespace)");
        }
    }

    /** Returns whether rows are by this view; the last view of nodes and the last view of pods take effect. */
    public boolean by(View wanted) {
        @Nullable View last = null;
        for (View view : views) {
            if (view.isOfNodes() == wanted.isOfNodes()) {
                last = view;
            }
        }
        return last == wanted;
    }

    public boolean onlyUnplaced() {
        return onlyUnplaced;
    }
}
