// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** WebAssembly written byte by byte: modules that {@code opa build} never creates but that a client may push. */
final class HandMadeModule {
    private static final int[] LOOP = {0x03, 0x40, 0x0c, 0, 0x0b};
    private static final int[] GROW = {0x03, 0x40, 0x41, 0xe8, 0x07, 0x40, 0, 0x1a, 0x0c, 0, 0x0b};
    private static final int[] CALL_ITSELF = {0x10, 0};
    private static final int EXPORT_FUNCTION = 0;
    /** Exports that the library requires and that are not called here. */
    private static final List<String> UNUSED = List.of(
            "eval",
            "opa_eval_ctx_get_result",
            "opa_eval_ctx_new",
            "opa_eval_ctx_set_data",
            "opa_eval_ctx_set_entrypoint",
            "opa_eval_ctx_set_input",
            "opa_heap_stash_clear",
            "opa_value_add_path",
            "opa_value_dump",
            "opa_value_free",
            "opa_value_parse",
            "opa_value_remove_path");

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private HandMadeModule() {
        put(0, 'a', 's', 'm', 1, 0, 0, 0);
    }

    /** Its start does not end. */
    static byte[] loopingAtStart() {
        return starting(LOOP);
    }

    /** Its start takes all memory that it is given. */
    static byte[] growing() {
        return starting(GROW);
    }

    /** Its start calls itself. */
    static byte[] recursive() {
        return starting(CALL_ITSELF);
    }

    /** Has tables of ten million entries each. */
    static byte[] withTables(int number) {
        HandMadeModule module = new HandMadeModule();
        ByteArrayOutputStream tables = new ByteArrayOutputStream();
        tables.writeBytes(number(number));
        for (int i = 0; i < number; i++) {
            tables.write(0x70);
            tables.write(0);
            tables.writeBytes(number(10_000_000));
        }
        module.section(4, tables.toByteArray());
        return module.bytes.toByteArray();
    }

    /** A policy with all that the library asks for, whose evaluation does not end. */
    static byte[] loopingInEvaluation(String entrypoint) {
        HandMadeModule module = new HandMadeModule();
        // By the number of parameters: without a result at first, then with one.
        ByteArrayOutputStream types = new ByteArrayOutputStream();
        types.writeBytes(number(16));
        for (int results = 0; results < 2; results++) {
            for (int parameters = 0; parameters < 8; parameters++) {
                types.write(0x60);
                types.write(parameters);
                types.writeBytes(filled(parameters));
                types.write(results);
                types.writeBytes(filled(results));
            }
        }
        module.section(1, types.toByteArray());
        List<Exported> all = new ArrayList<>(List.of(
                new Exported("builtins", 0, true, constant(1024)),
                new Exported("entrypoints", 0, true, constant(1032)),
                new Exported("opa_json_dump", 1, true, new int[] {0x20, 0}),
                new Exported("opa_json_parse", 2, true, constant(8)),
                new Exported("opa_malloc", 1, true, constant(4096)),
                new Exported("opa_free", 1, false, new int[0]),
                new Exported("opa_heap_ptr_get", 0, true, constant(8192)),
                new Exported("opa_heap_ptr_set", 1, false, new int[0]),
                new Exported("opa_heap_blocks_stash", 0, false, new int[0]),
                new Exported("opa_heap_blocks_restore", 0, false, new int[0]),
                new Exported("opa_eval", 7, true, concat(LOOP, constant(0)))));
        for (String unused : UNUSED) {
            all.add(new Exported(unused, 0, false, new int[0]));
        }
        ByteArrayOutputStream functions = new ByteArrayOutputStream();
        ByteArrayOutputStream exports = new ByteArrayOutputStream();
        ByteArrayOutputStream codes = new ByteArrayOutputStream();
        functions.writeBytes(number(all.size()));
        codes.writeBytes(number(all.size()));
        exports.writeBytes(join(
                number(all.size() + 3),
                text("memory"),
                new byte[] {2, 0},
                text("opa_wasm_abi_version"),
                new byte[] {3, 0},
                text("opa_wasm_abi_minor_version"),
                new byte[] {3, 0}));
        for (int i = 0; i < all.size(); i++) {
            Exported function = all.get(i);
            functions.write((function.hasResult() ? 8 : 0) + function.parameters());
            exports.writeBytes(text(function.name()));
            exports.write(EXPORT_FUNCTION);
            exports.write(i);
            codes.writeBytes(body(function.code()));
        }
        module.section(2, join(new byte[] {1}, text("env"), text("memory"), new byte[] {2, 0, 2}));
        module.section(3, functions.toByteArray());
        module.section(6, new byte[] {1, 0x7f, 0, 0x41, 1, 0x0b});
        module.section(7, exports.toByteArray());
        module.section(10, codes.toByteArray());
        byte[] data = ("{}\0\0\0\0\0\0{\"" + entrypoint + "\":0}\0").getBytes(StandardCharsets.UTF_8);
        module.section(11, join(new byte[] {1, 0, 0x41}, new byte[] {(byte) 0x80, 8, 0x0b}, number(data.length), data));
        return module.bytes.toByteArray();
    }

    private record Exported(String name, int parameters, boolean hasResult, int[] code) {}

    private static byte[] starting(int... code) {
        HandMadeModule module = new HandMadeModule();
        module.section(1, new byte[] {1, 0x60, 0, 0});
        module.section(2, join(new byte[] {1}, text("env"), text("memory"), new byte[] {2, 0, 2}));
        module.section(3, new byte[] {1, 0});
        module.section(8, new byte[] {0});
        module.section(10, join(new byte[] {1}, body(code)));
        return module.bytes.toByteArray();
    }

    private void section(int id, byte[] content) {
        put(id);
        bytes.writeBytes(number(content.length));
        bytes.writeBytes(content);
    }

    private void put(int... values) {
        for (int value : values) {
            bytes.write(value);
        }
    }

    // Signed where it is a constant, so in one byte more than needed.
    private static int[] constant(int value) {
        return new int[] {0x41, value & 0x7f | 0x80, value >> 7 & 0x7f | 0x80, value >> 14 & 0x7f};
    }

    private static int[] concat(int[] first, int[] second) {
        int[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private static byte[] body(int... code) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(0);
        for (int each : code) {
            body.write(each);
        }
        body.write(0x0b);
        return join(number(body.size()), body.toByteArray());
    }

    private static byte[] filled(int number) {
        byte[] types = new byte[number];
        Arrays.fill(types, (byte) 0x7f);
        return types;
    }

    private static byte[] text(String text) {
        return join(number(text.length()), text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] number(int value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int left = value;
        while (left > 0x7f) {
            out.write(left & 0x7f | 0x80);
            left >>= 7;
        }
        out.write(left);
        return out.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
