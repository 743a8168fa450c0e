// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.walk;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Loads the project's classes once more, such that {@link Walk#enter} is called at the begin of each method that is
 * followed.
 */
final class WalkedClasses extends ClassLoader {
    private static final Map<String, Integer> BYTES = new ConcurrentHashMap<>();

    WalkedClasses() {
        super(WalkedClasses.class.getClassLoader());
    }

    /** Returns the length of the bytecode of a method, given with its class and descriptor; 0 if it is not followed. */
    static int bytes(String method) {
        return BYTES.getOrDefault(method, 0);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("org.moorage.") || name.equals(Walk.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream input = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (input == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] original = input.readAllBytes();
            byte[] walked = Walk.isFollowed(name) ? walked(name, new ClassReader(original)) : original;
            return defineClass(name, walked, 0, walked.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] walked(String name, ClassReader original) {
        original.accept(new MethodSizes(name), 0);
        ClassWriter writer = new ClassWriter(original, ClassWriter.COMPUTE_MAXS);
        original.accept(new Entries(name, writer), 0);
        return writer.toByteArray();
    }

    /** Measures the bytecode of methods. */
    private static final class MethodSizes extends ClassVisitor {
        private final String type;

        MethodSizes(String type) {
            super(Opcodes.ASM9, new ClassWriter(0));
            this.type = type;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitMaxs(int maxStack, int maxLocals) {
                    Label end = new Label();
                    visitLabel(end);
                    BYTES.put(type + '.' + method + descriptor, end.getOffset() - 1);
                    super.visitMaxs(maxStack, maxLocals);
                }
            };
        }
    }

    /** Adds the calls of {@link Walk#enter}. */
    private static final class Entries extends ClassVisitor {
        private final String type;

        Entries(String type, ClassVisitor next) {
            super(Opcodes.ASM9, next);
            this.type = type;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    visitLdcInsn(type + '.' + method + descriptor);
                    visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            Walk.class.getName().replace('.', '/'),
                            "enter",
                            "(Ljava/lang/String;)V",
                            false);
                }
            };
        }
    }
}
