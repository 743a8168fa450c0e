// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Serves HTTP/1.1. One thread reads what all connections send, so that one that sends slowly, or nothing, holds none; a request whose
 * head has come whole waits in line for one of a few threads, and one for health has threads of its own.
 */
public final class HttpServer implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int HEALTH_THREADS = 2;
    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int STOP_SECONDS = 1;
    private static final Duration SWEEP = Duration.ofMillis(250);
    private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(64 << 10, 256 << 10);

    private final ServerSocketChannel socket;
    private final InetSocketAddress address;
    private final Settings settings;
    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor healthThreads;
    private final Connections connections;
    private final Handler handler;
    private @Nullable MultiThreadIoEventLoopGroup loop;

    /**
     * How to serve.
     *
     * @param tls makes the server's side of TLS for a connection, once its first bytes have come; empty to serve without
     * @param limits what connections may take
     * @param mostThreads how many requests are answered at the same time, besides those for health
     * @param clock tells the time for the header Date
     * @param threads makes the threads
     */
    public record Settings(
            Optional<Supplier<SSLEngine>> tls,
            Limits limits,
            int mostThreads,
            InstantSource clock,
            ThreadFactory threads) {}

    /**
     * What connections may take, whoever has them.
     *
     * @param mostConnections how many there may be; for one more, the address that has most of them loses the one that has sent no
     *     whole request for longest
     * @param headTime how long the handshake and the head of a request may take together
     * @param idleTime how long a connection may wait for its next request
     * @param responseTime how long a response may take to be taken
     */
    public record Limits(int mostConnections, Duration headTime, Duration idleTime, Duration responseTime) {
        /** Enough for those who look after a process, and a thousand who do not. */
        public static final Limits DEFAULTS =
                new Limits(1024, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60));
    }

    private HttpServer(ServerSocketChannel socket, InetSocketAddress address, Settings settings, Handler handler) {
        this.socket = socket;
        this.address = address;
        this.settings = settings;
        this.handler = handler;
        threads = pool(settings.mostThreads(), settings.threads());
        healthThreads = pool(HEALTH_THREADS, settings.threads());
        connections = new Connections(settings.limits().mostConnections());
    }

    // Each connection has one request in line, so connections bound it.
    private static ThreadPoolExecutor pool(int most, ThreadFactory factory) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                most, most, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * A server that listens, and answers from {@link #start} on.
     *
     * @throws IOException if the address cannot be listened on
     */
    public static HttpServer listen(InetSocketAddress address, Settings settings, Handler handler) throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open();
        boolean listens = false;
        try {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            socket.bind(address, BACKLOG);
            HttpServer server = new HttpServer(socket, (InetSocketAddress) socket.getLocalAddress(), settings, handler);
            listens = true;
            return server;
        } finally {
            if (!listens) {
                socket.close();
            }
        }
    }

    /** Begins to answer. */
    public synchronized void start() {
        if (!socket.isOpen()) {
            return;
        }
        MultiThreadIoEventLoopGroup own =
                new MultiThreadIoEventLoopGroup(1, settings.threads(), NioIoHandler.newFactory());
        loop = own;
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
        new ServerBootstrap()
                .group(own)
                .channelFactory(() -> new NioServerSocketChannel(socket))
                .option(ChannelOption.ALLOCATOR, memory)
                .childOption(ChannelOption.ALLOCATOR, memory)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        Connection.open(channel, settings, connections, threads, healthThreads, handler);
                    }
                })
                .register()
                .syncUninterruptibly();
        Future<?> ignored = own.scheduleWithFixedDelay(
                connections::closeOverdue, SWEEP.toMillis(), SWEEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Where the server listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Answers what has been asked, and listens no more. */
    @Override
    public synchronized void close() {
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            // It listens no more.
        }
        MultiThreadIoEventLoopGroup own = loop;
        if (own != null && !own.isShuttingDown()) {
            own.execute(connections::finish);
            awaitFinished();
            Future<?> ignored = own.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
        }
        threads.shutdownNow();
        healthThreads.shutdownNow();
    }

    private void awaitFinished() {
        try {
            boolean ignored = connections.awaitFinished(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
