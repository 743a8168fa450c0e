// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** One connection, and the request that it brings. All fields belong to the thread that serves connections, but for what says otherwise. */
final class Connection extends ChannelInboundHandlerAdapter {
    private static final int LONGEST_LINE = 8 << 10;
    private static final int LONGEST_HEADERS = 32 << 10;
    private static final int PIECE = 64 << 10;
    private static final int PAYLOAD_TOO_LARGE = 413;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int INTERNAL_ERROR = 500;
    // Whoever sends a body reads a response that came before its end only if the connection is still there.
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final SocketChannel channel;
    private final InetAddress address;
    private final HttpServer.Limits limits;
    private final InstantSource clock;
    private final Connections connections;
    private final Executor threads;
    private final Executor healthThreads;
    private final Handler handler;

    private State state = State.IDLE;
    private long deadline;
    /** The request under way. */
    private @Nullable Request request;

    private boolean keepsAlive;
    private boolean isWhole;
    private @Nullable ReadBody wanted;
    private @Nullable RequestBody body;
    private boolean isBeingRead;
    /** What came before somebody took it. */
    private final ArrayDeque<HttpObject> early = new ArrayDeque<>();
    /** Counted down when more can be written, or nothing ever; shared with the thread that writes. */
    private volatile CountDownLatch writable = new CountDownLatch(0);

    private enum State {
        /** No byte of a request has come. */
        IDLE,
        /** A part of its head has come. */
        HEAD,
        /** It is being answered, and nobody has asked for its body. */
        ASKED,
        /** Its body is coming. */
        BODY,
        /** It has been answered before its end, and what still comes is thrown away. */
        ANSWERED
    }

    private Connection(
            SocketChannel channel,
            HttpServer.Settings settings,
            Connections connections,
            Executor threads,
            Executor healthThreads,
            Handler handler) {
        this.channel = channel;
        address = channel.remoteAddress().getAddress();
        limits = settings.limits();
        clock = settings.clock();
        this.connections = connections;
        this.threads = threads;
        this.healthThreads = healthThreads;
        this.handler = handler;
        // The handshake counts, so no time for doing nothing.
        deadline = after(limits.headTime());
    }

    /** Takes a new connection in, or closes it. */
    static void open(
            SocketChannel channel,
            HttpServer.Settings settings,
            Connections connections,
            Executor threads,
            Executor healthThreads,
            Handler handler) {
        if (channel.remoteAddress() == null) {
            abort(channel);
            return;
        }
        Connection connection = new Connection(channel, settings, connections, threads, healthThreads, handler);
        if (!connections.add(connection)) {
            abort(channel);
            return;
        }
        settings.tls().ifPresent(tls -> channel.pipeline().addLast(new LateTls(tls)));
        channel.pipeline()
                .addLast(
                        connection.new FirstByte(),
                        new HttpServerCodec(new HttpDecoderConfig()
                                .setMaxInitialLineLength(LONGEST_LINE)
                                .setMaxHeaderSize(LONGEST_HEADERS)),
                        connection);
    }

    /** Begins TLS when the first bytes come: a connection that never sends any costs next to nothing. */
    private static final class LateTls extends ChannelInboundHandlerAdapter {
        private final Supplier<SSLEngine> tls;

        LateTls(Supplier<SSLEngine> tls) {
            this.tls = tls;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            SslHandler handler = new SslHandler(tls.get());
            handler.setHandshakeTimeoutMillis(0);
            context.pipeline().replace(this, null, handler);
            context.pipeline().fireChannelRead(message);
        }
    }

    /** Notes that a request begins. */
    private final class FirstByte extends ChannelInboundHandlerAdapter {
        private boolean isFirst = true;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (state == State.IDLE) {
                state = State.HEAD;
                if (!isFirst) {
                    deadline = after(limits.headTime());
                }
                isFirst = false;
            }
            context.fireChannelRead(message);
        }
    }

    private static long after(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    InetAddress address() {
        return address;
    }

    boolean isOverdue(long now) {
        return now - deadline > 0;
    }

    void close() {
        abort(channel);
    }

    // Past TLS, which would wait until the other side takes its farewell.
    private static void abort(SocketChannel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        ChannelFuture ignored = first == null ? channel.close() : first.close();
    }

    /** Its time is up. */
    void giveUp() {
        RequestBody coming = body;
        if (state == State.BODY && coming != null && !isWhole) {
            if (isBeingRead) {
                coming.fail(new IOException("body (expected: all of it in time)"));
                deadline = after(limits.responseTime());
                return;
            }
            send(empty(REQUEST_TIMEOUT));
            return;
        }
        close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connections.remove(this);
        RequestBody coming = body;
        if (coming != null) {
            coming.fail(new IOException("the client is gone"));
        }
        writable.countDown();
        early.forEach(ReferenceCountUtil::release);
        early.clear();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            writable.countDown();
        }
    }

    // What a stranger sends wrongly is nobody's business but his.
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof HttpObject part)) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (state == State.ASKED || !early.isEmpty() || isWhole && state != State.ANSWERED) {
            early.add(part);
            return;
        }
        take(part);
    }

    private void take(HttpObject part) {
        try {
            if (state == State.ANSWERED) {
                if (part instanceof LastHttpContent) {
                    close();
                }
            } else if (part.decoderResult().isFailure()) {
                refuse(part.decoderResult().cause());
            } else if (part instanceof HttpRequest head) {
                begin(head);
            } else if (part instanceof HttpContent content) {
                bring(content);
            }
        } finally {
            ReferenceCountUtil.release(part);
        }
    }

    private void refuse(Throwable malformed) {
        RequestBody coming = body;
        if (isBeingRead && coming != null) {
            coming.fail(new IOException("body that cannot be read: " + malformed.getMessage(), malformed));
            return;
        }
        int status = malformed instanceof TooLongHttpHeaderException ? 431 : 400;
        connections.asked(this);
        send(empty(malformed instanceof TooLongHttpLineException ? 414 : status));
    }

    private void begin(HttpRequest head) {
        keepsAlive = HttpUtil.isKeepAlive(head);
        isWhole = false;
        connections.asked(this);
        Request asked;
        try {
            asked = new Request(
                    head.method().name(), new URI(head.uri()), head.headers().copy(), certificates());
        } catch (URISyntaxException malformed) {
            send(empty(400));
            return;
        }
        request = asked;
        state = State.ASKED;
        deadline = Long.MAX_VALUE / 2 + System.nanoTime();
        channel.config().setAutoRead(false);
        run(handler.isHealth(asked) ? healthThreads : threads, asked, () -> handler.answer(asked));
    }

    private List<X509Certificate> certificates() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        List<X509Certificate> certificates = new ArrayList<>();
        if (tls != null) {
            try {
                for (Certificate certificate : tls.engine().getSession().getPeerCertificates()) {
                    if (certificate instanceof X509Certificate x509) {
                        certificates.add(x509);
                    }
                }
            } catch (SSLPeerUnverifiedException none) {
                return List.of();
            }
        }
        return certificates;
    }

    /** What is asked of the handler. */
    private interface Question {
        Answer answer() throws IOException;
    }

    private void run(Executor where, Request asked, Question question) {
        try {
            where.execute(() -> answer(asked, question));
        } catch (RejectedExecutionException stopping) {
            close();
        }
    }

    // On a thread of the handler's.
    private void answer(Request asked, Question question) {
        Answer answer;
        try {
            answer = question.answer();
        } catch (IOException gone) {
            onLoop(() -> send(empty(gone instanceof BodyTooLongException ? PAYLOAD_TOO_LARGE : REQUEST_TIMEOUT)));
            return;
        } catch (Throwable thrown) {
            onLoop(() -> send(empty(INTERNAL_ERROR)));
            handler.failed(asked, thrown);
            return;
        }
        if (answer instanceof ReadBody reading) {
            onLoop(() -> read(reading));
        } else if (answer instanceof Response response) {
            try (Response.Body content = response.body()) {
                write(response, content, asked.method().equals("HEAD"));
            } catch (IOException gone) {
                onLoop(this::close);
            } catch (Throwable thrown) {
                onLoop(this::close);
                handler.failed(asked, thrown);
            }
        }
    }

    private void onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException stopped) {
            writable.countDown();
        }
    }

    private void read(ReadBody reading) {
        Request asked = request;
        if (!channel.isActive() || asked == null) {
            return;
        }
        state = State.BODY;
        deadline = after(reading.atMost());
        if (asked.length() > reading.mostBytes()) {
            send(empty(PAYLOAD_TOO_LARGE));
            return;
        }
        wanted = reading;
        body = new RequestBody(
                reading.mostBytes(),
                deadline,
                () -> onLoop(() -> channel.config().setAutoRead(true)));
        isBeingRead = false;
        if (asked.header("Expect").filter("100-continue"::equalsIgnoreCase).isPresent()) {
            ChannelFuture ignored = channel.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
        channel.config().setAutoRead(true);
        takeEarly();
    }

    private void takeEarly() {
        while (!early.isEmpty() && channel.isActive() && state != State.ASKED && !(isWhole && state == State.BODY)) {
            take(early.remove());
        }
    }

    private void bring(HttpContent content) {
        RequestBody coming = body;
        if (state != State.BODY || coming == null) {
            return;
        }
        if (!coming.add(ByteBufUtil.getBytes(content.content()))) {
            channel.config().setAutoRead(false);
        }
        if (content instanceof LastHttpContent) {
            isWhole = true;
            coming.complete();
            channel.config().setAutoRead(false);
            deadline = Long.MAX_VALUE / 2 + System.nanoTime();
        }
        ReadBody reading = wanted;
        Request asked = request;
        if (!isBeingRead && coming.isReadable() && reading != null && asked != null) {
            isBeingRead = true;
            run(threads, asked, () -> reading.reading().answer(coming));
        }
    }

    private static Response empty(int status) {
        return Response.of(status, Map.of(), new byte[0]);
    }

    /** Sends a response of the server's own, after which the connection ends. */
    private void send(Response response) {
        if (!channel.isActive()) {
            return;
        }
        keepsAlive = false;
        DefaultFullHttpResponse head = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.status()), Unpooled.EMPTY_BUFFER);
        head.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
        head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        ChannelFuture ignored = channel.writeAndFlush(head);
        ended();
    }

    // On a thread of the handler's.
    private void write(Response response, Response.Body content, boolean isHead) throws IOException {
        DefaultHttpResponse head =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.status()));
        response.headers().forEach((name, value) -> head.headers().set(name, value));
        head.headers().set(HttpHeaderNames.DATE, DATE.format(clock.instant()));
        head.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.length());
        onLoop(() -> {
            deadline = after(limits.responseTime());
            if (!isEnded() || connections.isFinishing()) {
                keepsAlive = false;
            }
            if (!keepsAlive) {
                head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            }
            ChannelFuture ignored = channel.write(head);
        });
        if (!isHead && response.length() > 0) {
            Output out = new Output(response.length());
            content.writeTo(out);
            out.end();
        }
        onLoop(() -> {
            ChannelFuture ignored = channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
            ended();
        });
    }

    // A request without a body ends with its head, though its end is still in line.
    private boolean isEnded() {
        if (isWhole) {
            return true;
        }
        return early.peek() instanceof LastHttpContent last && !last.content().isReadable();
    }

    private void ended() {
        body = null;
        wanted = null;
        isBeingRead = false;
        request = null;
        if (!channel.isActive()) {
            return;
        }
        if (!keepsAlive) {
            if (isEnded()) {
                channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
                return;
            }
            state = State.ANSWERED;
            deadline = after(LINGER);
            channel.config().setAutoRead(true);
            takeEarly();
            return;
        }
        if (!isWhole) {
            ReferenceCountUtil.release(early.remove());
        }
        isWhole = false;
        state = State.IDLE;
        deadline = after(limits.idleTime());
        connections.await(this);
        channel.config().setAutoRead(true);
        if (!early.isEmpty()) {
            state = State.HEAD;
            deadline = after(limits.headTime());
            takeEarly();
        }
    }

    /** Sends the body of a response as fast as the client takes it; used by the thread that answers. */
    private final class Output extends OutputStream {
        private final byte[] piece;
        private final long end = after(limits.responseTime());
        private int count;
        private long left;

        Output(long length) {
            left = length;
            piece = new byte[(int) Math.min(PIECE, length)];
        }

        @Override
        public void write(int next) throws IOException {
            write(new byte[] {(byte) next}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            left -= length;
            if (left < 0) {
                throw new IOException("body (expected: as long as it was said to be)");
            }
            int at = from;
            int rest = length;
            while (rest > 0) {
                int part = Math.min(rest, piece.length - count);
                System.arraycopy(bytes, at, piece, count, part);
                count += part;
                at += part;
                rest -= part;
                if (count == piece.length) {
                    send();
                }
            }
        }

        private void send() throws IOException {
            if (count == 0) {
                return;
            }
            byte[] sent = new byte[count];
            System.arraycopy(piece, 0, sent, 0, count);
            count = 0;
            CountDownLatch next = new CountDownLatch(1);
            writable = next;
            onLoop(() -> {
                ChannelFuture ignored = channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(sent)));
                if (channel.isWritable() || !channel.isActive()) {
                    next.countDown();
                }
            });
            try {
                if (!next.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new IOException("response (expected: a client that takes it in time)");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the server stops", e);
            }
            if (!channel.isActive()) {
                throw new IOException("the client is gone");
            }
        }

        void end() throws IOException {
            send();
            if (left > 0) {
                throw new IOException("body (expected: as long as it was said to be)");
            }
        }
    }
}
