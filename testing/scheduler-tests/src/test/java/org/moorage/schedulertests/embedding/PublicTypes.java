// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.embedding;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The public types of the modules, as their {@code api.txt} lists them. */
final class PublicTypes {
    private static final Pattern TYPE = Pattern.compile("^public .*?\\b(?:class|record) (org\\.moorage\\.[\\w.$]+)");

    private PublicTypes() {}

    /** The classes and records of a module. */
    static List<Class<?>> of(String module) throws IOException, ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("..", "..", module, "api.txt"))) {
            Matcher type = TYPE.matcher(line);
            if (type.find()) {
                types.add(Class.forName(type.group(1)));
            }
        }
        return types;
    }
}
