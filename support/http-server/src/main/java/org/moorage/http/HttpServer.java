// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.time.Instant;
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
 * Serves HTTP/1.1. One thread reads from all connections, so that a slow or silent client does not delay others. A
 * request with a complete head is queued for a small thread pool; health requests have separate threads.
 *
 * <p>The number of connections, the number of queued requests and the time in each state of a connection are bounded.
 * At the limit a new connection, which may be a health probe, replaces another one: if possible, one whose client the
 * server is waiting for. Without TLS and on a loopback address, requests whose {@code Host} header names another
 * machine are answered with 421.
 */
public final class HttpServer implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int HEALTH_THREADS = 2;
    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int STOP_SECONDS = 1;
    private static final int FEWEST_CONNECTIONS = 16;
    private static final Duration SWEEP = Duration.ofMillis(250);
    private static final Duration REPORT_INTERVAL = Duration.ofSeconds(10);
    // The pauses after a failure to accept: a short one until the connections that were closed for it are gone, a
    // longer one if none were closed.
    private static final Duration SHORT_PAUSE = Duration.ofMillis(20);
    private static final Duration LONG_PAUSE = Duration.ofSeconds(1);
    private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(64 << 10, 256 << 10);

    private final ServerSocketChannel socket;
    private final InetSocketAddress address;
    private final Settings settings;
    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor healthThreads;
    private final int most;
    private final Connections connections;
    private final Refusals refusals = new Refusals();
    private final Handler handler;
    private @Nullable MultiThreadIoEventLoopGroup loop;
    private Overload reported = refusals.total();
    private Instant reportedAt = Instant.MIN;

    /**
     * The settings of a server.
     *
     * @param tls creates the server's side of TLS for a connection once its first bytes arrive; empty to serve without
     *     TLS
     * @param limits the limits of connections
     * @param mostThreads the most requests that are answered at the same time, in addition to health requests
     * @param clock the clock for the limits and the {@code Date} header; it must not go back
     * @param threads makes the threads
     */
    public record Settings(
            Optional<Supplier<SSLEngine>> tls,
            Limits limits,
            int mostThreads,
            InstantSource clock,
            ThreadFactory threads) {}

    /**
     * The limits of connections, for all clients.
     *
     * @param mostConnections the most open connections; half of the process's file descriptor limit if that is less.
     *     Beyond it, the address with the most connections loses the one whose client the server has waited for longest
     * @param headTime how long the handshake and the head of a request may take together
     * @param idleTime how long a connection may wait for its next request
     * @param responseTime how long a client may take to receive a response
     */
    public record Limits(int mostConnections, Duration headTime, Duration idleTime, Duration responseTime) {
        /** Enough for probes, monitoring and operators next to a thousand other clients. */
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
        most = Math.min(settings.limits().mostConnections(), Math.max(FEWEST_CONNECTIONS, OpenFiles.most() / 2));
        connections = new Connections(most, refusals);
    }

    private static ThreadPoolExecutor pool(int most, ThreadFactory factory) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                most, most, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Creates a server that listens; it answers after {@link #start}.
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

    /** Starts to answer requests. */
    public synchronized void start() {
        if (!socket.isOpen()) {
            return;
        }
        MultiThreadIoEventLoopGroup own =
                new MultiThreadIoEventLoopGroup(1, settings.threads(), NioIoHandler.newFactory());
        loop = own;
        EventLoop only = own.next();
        // At most half of the connections wait for the server, so at least one other connection waits for its client.
        int mostWaiting = Math.max(1, Math.min(most / 4, most / 2 - settings.mostThreads()));
        Connection.Service service = new Connection.Service(
                settings,
                settings.tls().isEmpty() && address.getAddress().isLoopbackAddress(),
                connections,
                new Line(settings.mostThreads(), mostWaiting, threads, only, settings.clock(), refusals),
                new Line(HEALTH_THREADS, most, healthThreads, only, settings.clock(), refusals),
                handler);
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
        new ServerBootstrap()
                .group(own)
                .channelFactory(() -> new NioServerSocketChannel(socket))
                .option(ChannelOption.ALLOCATOR, memory)
                // Accepts one connection per readiness event: without file descriptors, accepting fails even if no
                // connection is waiting, and a failure closes other connections.
                .option(ChannelOption.RECVBUF_ALLOCATOR, new ServerChannelRecvByteBufAllocator())
                .childOption(ChannelOption.ALLOCATOR, memory)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
                .handler(new FailedAccepts())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        Connection.open(channel, service);
                    }
                })
                .register()
                .syncUninterruptibly();
        Future<?> ignored = only.scheduleWithFixedDelay(
                () -> sweep(service), SWEEP.toMillis(), SWEEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Continues to accept after a failure, usually a lack of file descriptors. */
    private final class FailedAccepts extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            Duration pause = connections.makeRoomForFiles() ? SHORT_PAUSE : LONG_PAUSE;
            context.channel().config().setAutoRead(false);
            Future<?> ignored = context.channel()
                    .eventLoop()
                    .schedule(
                            () -> context.channel().config().setAutoRead(true),
                            pause.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void sweep(Connection.Service service) {
        Instant now = settings.clock().instant();
        connections.closeOverdue(now);
        service.line().sweep();
        service.healthLine().sweep();
        Overload total = refusals.total();
        Overload added = total.since(reported);
        if (!added.isNone() && !now.isBefore(reportedAt.plus(REPORT_INTERVAL))) {
            reported = total;
            reportedAt = now;
            handler.overloaded(added);
        }
    }

    /**
     * Returns the counts of connections and requests that the server closed or refused since its start for lack of a
     * resource.
     */
    public Overload overload() {
        return refusals.total();
    }

    /** Returns the address that the server listens on. */
    public InetSocketAddress address() {
        return address;
    }

    /** Stops listening, and waits briefly for the responses to received requests. */
    @Override
    public synchronized void close() {
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            // The server is closed.
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
