// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.moorage.api.model.OtherObject;
import picocli.CommandLine.Option;

/** The options for what is written of objects. */
public final class KeptFieldsOptions {
    @Option(
            names = "--include-sensitive",
            description =
                    "Write whole objects, including environments, commands and annotations that may hold secrets.")
    private boolean whole;

    @Option(
            names = "--keep-annotation",
            paramLabel = "PREFIX",
            description = "Also keep annotations whose key starts with this prefix; may be repeated.")
    private List<String> annotations = new ArrayList<>();

    /** Nothing but the allow-list, until options are parsed. */
    public KeptFieldsOptions() {}

    /** Returns the function that makes the line of an object. */
    public Function<OtherObject, String> texts() {
        return whole ? OtherObject::json : new KeptFields(annotations)::text;
    }
}
