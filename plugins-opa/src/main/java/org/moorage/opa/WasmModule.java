// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.dylibso.chicory.runtime.ByteArrayMemory;
import com.dylibso.chicory.runtime.Memory;
import com.dylibso.chicory.wasm.Parser;
import com.dylibso.chicory.wasm.types.MemoryLimits;
import com.dylibso.chicory.wasm.types.TableSection;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.styra.opa.wasm.OpaWasm;
import com.styra.opa.wasm.OpaWasm_ModuleExports;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An instance of a compiled policy, with the cluster's objects in its memory. For one thread at a time.
 *
 * <p>It calls the exports of the module directly, in the same order as OPA's SDK for Go. The library's {@code
 * OpaPolicy} accepts the data only as a whole, which would parse all objects of the cluster again for each pod.
 */
final class WasmModule {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int FIRST_PAGES = 16;
    // Growing the memory temporarily needs twice its size.
    private static final int MOST_PAGES =
            (int) Math.min(MemoryLimits.MAX_PAGES, Runtime.getRuntime().maxMemory() / 3 / Memory.PAGE_SIZE);
    // Modules of opa build have one table, for their functions.
    private static final long MOST_TABLE_ENTRIES = 1_000_000;

    private final OpaWasm wasm;
    private final OpaWasm_ModuleExports exports;
    private final int entrypoint;
    private final int data;
    /** The start of an evaluation's memory, after the data. */
    private int heap;

    private WasmModule(OpaWasm wasm, int entrypoint) {
        this.wasm = wasm;
        this.entrypoint = entrypoint;
        exports = wasm.exports();
        data = parsed("{}");
        exports.opaHeapBlocksStash();
        heap = exports.opaHeapPtrGet();
    }

    /**
     * Creates an instance.
     *
     * @param module the compiled policy
     * @param path the path of the document that the policy must define, without a leading slash
     * @throws PolicyException if the module is not a compiled policy, or does not define the document
     */
    static WasmModule of(byte[] module, String path) {
        OpaWasm wasm;
        try {
            checkTables(module);
            wasm = OpaWasm.builder()
                    .withInputStream(new ByteArrayInputStream(module))
                    .withJsonMapper(JSON)
                    .withYamlMapper(JSON)
                    .withMemory(new ByteArrayMemory(new MemoryLimits(FIRST_PAGES, MOST_PAGES)))
                    .addBuiltins(QuantityBuiltin.all())
                    .build();
            return new WasmModule(wasm, entrypoint(wasm, path));
        } catch (PolicyException refused) {
            throw refused;
        } catch (RuntimeException | StackOverflowError notOne) {
            throw new PolicyException("not a compiled policy: " + notOne.getMessage(), notOne);
        }
    }

    // A table entry takes some bytes of memory here, but none in the module.
    private static void checkTables(byte[] module) {
        long entries = 0;
        TableSection tables = Parser.parse(module).tableSection();
        for (int i = 0; i < tables.tableCount(); i++) {
            entries += tables.getTable(i).limits().min();
        }
        if (entries > MOST_TABLE_ENTRIES) {
            throw new PolicyException(
                    "tables of " + entries + " entries (expected: at most " + MOST_TABLE_ENTRIES + ")");
        }
    }

    private static int entrypoint(OpaWasm wasm, String path) {
        JsonNode entrypoints = json(wasm.readString(wasm.exports().entrypoints()));
        JsonNode found = entrypoints.path(path);
        if (!found.isInt()) {
            StringBuilder names = new StringBuilder();
            entrypoints
                    .fieldNames()
                    .forEachRemaining(
                            name -> names.append(names.isEmpty() ? "" : ", ").append(name));
            throw new PolicyException("entrypoints: " + names + " (expected: " + path
                    + "; compile with opa build -t wasm -e " + path + ")");
        }
        return found.intValue();
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Sets {@code data.<name>} to an empty object. */
    void clear(String name) {
        change(() -> add(JSON.createArrayNode().add(name).toString(), "{}"));
    }

    /** Sets {@code data.<name>.<key>} to a value. */
    void put(String name, String key, String json) {
        change(() -> add(JSON.createArrayNode().add(name).add(key).toString(), json));
    }

    /** Removes {@code data.<name>.<key>}. */
    void remove(String name, String key) {
        change(() -> {
            int path = parsed(JSON.createArrayNode().add(name).add(key).toString());
            // Returns an error if the path does not exist, which is fine here.
            exports.opaValueRemovePath(data, path);
            exports.opaValueFree(path);
        });
    }

    // Between changes the free blocks below the heap pointer are set aside, so that an evaluation does not use them.
    private void change(Runnable action) {
        exports.opaHeapPtrSet(heap);
        exports.opaHeapBlocksRestore();
        action.run();
        exports.opaHeapBlocksStash();
        heap = exports.opaHeapPtrGet();
    }

    private void add(String path, String json) {
        int value = parsed(json);
        int address = parsed(path);
        int error = exports.opaValueAddPath(data, address, value);
        exports.opaValueFree(address);
        if (error != 0) {
            throw new PolicyException("data" + path + ": cannot be set, error " + error);
        }
    }

    private int parsed(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        int text = exports.opaMalloc(bytes.length);
        wasm.memory().write(text, bytes);
        int value = exports.opaJsonParse(text, bytes.length);
        exports.opaFree(text);
        if (value == 0) {
            throw new PolicyException("not JSON: " + json.substring(0, Math.min(json.length(), 100)));
        }
        return value;
    }

    /** Returns the document for an input; empty if it is undefined. */
    Optional<JsonNode> evaluate(String input) {
        byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
        Memory memory = wasm.memory();
        int missing = heap + bytes.length - memory.pages() * Memory.PAGE_SIZE;
        if (missing > 0 && memory.grow((missing + Memory.PAGE_SIZE - 1) / Memory.PAGE_SIZE) < 0) {
            throw new PolicyException("memory of the policy: cannot grow for an input of " + bytes.length + " bytes");
        }
        memory.write(heap, bytes);
        int result = exports.opaEval(0, entrypoint, data, heap, bytes.length, heap + bytes.length, 0);
        // A list of at most one result.
        JsonNode document = json(memory.readCString(result)).path(0).path("result");
        return document.isMissingNode() ? Optional.empty() : Optional.of(document);
    }
}
