// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.moorage.api.Code;

/** The status of a group. Immutable. A group whose parent fails has its parent's status, as the same object. */
public final class GroupStatus {
    /** The text that kube-scheduler puts before the reasons of a group that is not feasible. */
    public static final String UNSCHEDULABLE = "pod group is unschedulable";

    private final Code code;
    private final String error;
    // The error, if there is one, and the reasons.
    private final List<String> messages;

    private GroupStatus(Code code, String error, List<String> messages) {
        this.code = code;
        this.error = error;
        this.messages = List.copyOf(messages);
    }

    static GroupStatus success() {
        return new GroupStatus(Code.SUCCESS, "", List.of());
    }

    static GroupStatus error(String message) {
        return new GroupStatus(Code.ERROR, message, List.of(message));
    }

    static GroupStatus rejected(Code code, List<String> reasons) {
        return new GroupStatus(code, "", reasons);
    }

    /** Returns a rejection whose message starts with {@link #UNSCHEDULABLE}. */
    static GroupStatus unschedulable(List<String> reasons) {
        List<String> messages = new ArrayList<>(reasons);
        messages.add(0, UNSCHEDULABLE);
        return new GroupStatus(Code.UNSCHEDULABLE, UNSCHEDULABLE, messages);
    }

    /** Returns success, error, or the kind of rejection. */
    public Code code() {
        return code;
    }

    public boolean isSuccess() {
        return code == Code.SUCCESS;
    }

    /** Returns the status with a reason appended to the message, a number of times. */
    GroupStatus with(String reason, int times) {
        List<String> appended = new ArrayList<>(messages);
        appended.addAll(Collections.nCopies(times, reason));
        return new GroupStatus(code, error, appended);
    }

    /** Returns the error without the reasons; the whole message if there is no error. */
    String asError() {
        return error.isEmpty() ? message() : error;
    }

    /** Returns the whole message; empty for a success. */
    public String message() {
        return String.join(", ", messages);
    }

    @Override
    public String toString() {
        return code + ": " + message();
    }
}
