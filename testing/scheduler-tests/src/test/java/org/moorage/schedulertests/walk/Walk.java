// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.walk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The files that a reader visits who follows one call through the runtime, and the returns to a file that the reader
 * has left before.
 *
 * <p>A reader reads each method once, at its first call, and goes back to the caller afterwards. Methods with less than
 * 60 bytes of bytecode are read in passing, and plugins are not read. {@link WalkedClasses} calls {@link #enter} at the
 * begin of each method.
 */
public final class Walk {
    private static final int READ_BYTES = 60;
    private static final String RUNTIME = "org.moorage.runtime.";
    private static final String PLUGINS = "org.moorage.builtin.";

    private static Walk current;

    private final String start;
    private final String stop;
    private final Thread thread = Thread.currentThread();
    private int callsToSkip;
    private boolean started;
    private boolean stopped;

    private final Set<String> read = new HashSet<>();
    private final Set<String> files = new LinkedHashSet<>();
    private final Map<String, Integer> returns = new HashMap<>();
    private final List<String> steps = new ArrayList<>();
    private String file = "";

    private Walk(String start, int call, String stop) {
        this.start = start;
        this.stop = stop;
        callsToSkip = call - 1;
    }

    /**
     * Follows a call of the current thread.
     *
     * @param scenario makes the call
     * @param start the class and the name of the called method
     * @param call which of its calls in the scenario it is, from 1
     * @param stop the class and the name of the method at which the walk ends; empty to follow the call to its end
     */
    static Walk of(Runnable scenario, String start, int call, String stop) {
        Walk walk = new Walk(start, call, stop);
        current = walk;
        try {
            scenario.run();
        } finally {
            current = null;
        }
        return walk;
    }

    /** Returns whether the calls of a class are followed. */
    static boolean isFollowed(String type) {
        return type.startsWith(RUNTIME);
    }

    /** Notes the call of a method. Called by the classes of {@link WalkedClasses}. */
    public static void enter(String method) {
        Walk walk = current;
        if (walk != null && walk.thread == Thread.currentThread()) {
            walk.entered(method);
        }
    }

    private void entered(String name) {
        boolean isStart = name.startsWith(start + '(');
        if (isStart) {
            started = callsToSkip-- == 0;
        }
        stopped |= started && name.startsWith(stop + '(');
        if (!started || stopped || !isRead(name) || read.contains(name)) {
            return;
        }
        // The innermost frames are of this class and of the method itself.
        List<String> callers = StackWalker.getInstance()
                .walk(frames -> frames.map(
                                frame -> frame.getClassName() + '.' + frame.getMethodName() + frame.getDescriptor())
                        .skip(3)
                        .toList());
        int outermost = 0;
        while (outermost < callers.size() && !callers.get(outermost).startsWith(start + '(')) {
            outermost++;
        }
        if (!isStart && outermost == callers.size()) {
            return;
        }
        List<String> path = isStart ? List.of() : callers.subList(0, outermost + 1);
        if (path.stream().anyMatch(caller -> caller.startsWith(PLUGINS))) {
            return;
        }
        read.add(name);
        path.stream().filter(Walk::isRead).findFirst().ifPresent(caller -> visit(fileOf(caller), "return"));
        visit(fileOf(name), name.substring(name.lastIndexOf('.', name.indexOf('(')) + 1, name.indexOf('(')));
    }

    private static boolean isRead(String method) {
        return WalkedClasses.bytes(method) >= READ_BYTES;
    }

    private void visit(String visited, String why) {
        if (!visited.equals(file)) {
            boolean isReturn = !files.add(visited);
            if (isReturn) {
                returns.merge(visited, 1, Integer::sum);
            }
            steps.add((isReturn ? "<- " : "-> ") + visited + ' ' + why);
            file = visited;
        }
    }

    private static String fileOf(String method) {
        String type = method.substring(0, method.lastIndexOf('.', method.indexOf('(')));
        String simple = type.substring(type.lastIndexOf('.') + 1);
        int nested = simple.indexOf('$');
        return nested < 0 ? simple : simple.substring(0, nested);
    }

    /** The files. */
    Set<String> files() {
        return files;
    }

    /** The returns to files that were left before. */
    int returns() {
        return returns.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The steps from file to file, with the method that is read there. */
    @Override
    public String toString() {
        return files.size() + " files, " + returns() + " returns " + returns + "\n" + String.join("\n", steps);
    }
}
