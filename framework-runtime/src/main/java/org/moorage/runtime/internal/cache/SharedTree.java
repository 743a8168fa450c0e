// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.Comparator;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A persistent sorted map: each change returns a new map, which shares all nodes except the path to the change. So
 * copies are free.
 */
final class SharedTree<K, V> {
    private final Comparator<? super K> order;
    private final @Nullable Node<K, V> root;

    private SharedTree(Comparator<? super K> order, @Nullable Node<K, V> root) {
        this.order = order;
        this.root = root;
    }

    static <K, V> SharedTree<K, V> empty(Comparator<? super K> order) {
        return new SharedTree<>(order, null);
    }

    boolean isEmpty() {
        return root == null;
    }

    @Nullable
    V get(K key) {
        Node<K, V> node = root;
        while (node != null) {
            int side = order.compare(key, node.key);
            if (side == 0) {
                return node.value;
            }
            node = side < 0 ? node.left : node.right;
        }
        return null;
    }

    SharedTree<K, V> with(K key, V value) {
        return new SharedTree<>(order, put(root, key, value));
    }

    SharedTree<K, V> without(K key) {
        return get(key) == null ? this : new SharedTree<>(order, remove(root, key));
    }

    /** Passes each entry to an action, in the order of the keys. */
    void forEach(BiConsumer<? super K, ? super V> action) {
        forEach(root, action);
    }

    // The depth is below one and a half times the logarithm of the size, so that recursion is safe.
    private static <K, V> void forEach(@Nullable Node<K, V> node, BiConsumer<? super K, ? super V> action) {
        if (node != null) {
            forEach(node.left, action);
            action.accept(node.key, node.value);
            forEach(node.right, action);
        }
    }

    private Node<K, V> put(@Nullable Node<K, V> node, K key, V value) {
        if (node == null) {
            return new Node<>(key, value, null, null);
        }
        int side = order.compare(key, node.key);
        if (side == 0) {
            return new Node<>(key, value, node.left, node.right);
        }
        return side < 0
                ? balanced(node, put(node.left, key, value), node.right)
                : balanced(node, node.left, put(node.right, key, value));
    }

    private @Nullable Node<K, V> remove(@Nullable Node<K, V> node, K key) {
        if (node == null) {
            return null;
        }
        int side = order.compare(key, node.key);
        if (side < 0) {
            return balanced(node, remove(node.left, key), node.right);
        }
        if (side > 0) {
            return balanced(node, node.left, remove(node.right, key));
        }
        if (node.right == null) {
            return node.left;
        }
        Node<K, V> next = node.right;
        while (next.left != null) {
            next = next.left;
        }
        return balanced(next, node.left, remove(node.right, next.key));
    }

    // An AVL tree: the depths of the two sides, which differ by two at most, come to differ by one at most.
    private static <K, V> Node<K, V> balanced(Node<K, V> entry, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        if (left != null && depth(left) > depth(right) + 1) {
            Node<K, V> middle = left.right;
            if (middle != null && depth(middle) > depth(left.left)) {
                return middle.with(left.with(left.left, middle.left), entry.with(middle.right, right));
            }
            return left.with(left.left, entry.with(middle, right));
        }
        if (right != null && depth(right) > depth(left) + 1) {
            Node<K, V> middle = right.left;
            if (middle != null && depth(middle) > depth(right.right)) {
                return middle.with(entry.with(left, middle.left), right.with(middle.right, right.right));
            }
            return right.with(entry.with(left, middle), right.right);
        }
        return entry.with(left, right);
    }

    private static int depth(@Nullable Node<?, ?> node) {
        return node == null ? 0 : node.depth;
    }

    private static final class Node<K, V> {
        final K key;
        final V value;
        final @Nullable Node<K, V> left;
        final @Nullable Node<K, V> right;
        final int depth;

        Node(K key, V value, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
            this.key = key;
            this.value = value;
            this.left = left;
            this.right = right;
            depth = 1 + Math.max(SharedTree.depth(left), SharedTree.depth(right));
        }

        /** Returns this entry with other subtrees. */
        Node<K, V> with(@Nullable Node<K, V> newLeft, @Nullable Node<K, V> newRight) {
            return new Node<>(key, value, newLeft, newRight);
        }
    }
}
