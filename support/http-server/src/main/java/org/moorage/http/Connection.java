// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
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
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
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
import java.net.UnknownHostException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * One connection, and its current request. All fields belong to the thread that serves connections, unless their
 * comment differs.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private static final int LONGEST_LINE = 8 << 10;
    private static final int LONGEST_HEADERS = 32 << 10;
    private static final int PIECE = 64 << 10;
    private static final int IPV6_NETWORK = 8;
    private static final int PAYLOAD_TOO_LARGE = 413;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int INTERNAL_ERROR = 500;
    private static final int UNAVAILABLE = 503;
    private static final int MISDIRECTED = 421;
    // A client that sends a body reads an early response only if the connection stays open for a while.
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final SocketChannel channel;
    private final InetAddress network;
    private final HttpServer.Limits limits;
    private final InstantSource clock;
    private final Service service;
    private final Decoder decoder = new Decoder();

    private State state = State.IDLE;
    private Instant since;
    private Instant deadline;
    private boolean isKnown;
    /** The current request. */
    private @Nullable Request request;

    private boolean keepsAlive;
    private boolean isWhole;
    private @Nullable ReadBody wanted;
    private @Nullable RequestBody body;
    private boolean isBeingRead;
    private boolean isPaused;
    /** How long the request's thread has waited for the client; shared with that thread. */
    private volatile ClientWait clientWait;
    /** Counted down when more can be written, or nothing ever can; shared with the writing thread. */
    private volatile CountDownLatch writable = new CountDownLatch(0);

    /** The components that all connections of a server share. */
    record Service(
            HttpServer.Settings settings,
            boolean isForThisMachine,
            Connections connections,
            Line line,
            Line healthLine,
            Handler handler) {}

    private enum State {
        /** No byte of a request was received. */
        IDLE,
        /** A part of the head was received. */
        HEAD,
        /** The request waits for a thread, or the handler works on it. */
        ASKED,
        /** The body is being received. */
        BODY,
        /** The response is being sent. */
        SENDING,
        /** The request was answered before its end; the rest of it is discarded. */
        ANSWERED
    }

    private Connection(SocketChannel channel, Service service) {
        this.channel = channel;
        this.service = service;
        network = network(channel.remoteAddress().getAddress());
        limits = service.settings().limits();
        clock = service.settings().clock();
        clientWait = new ClientWait(clock);
        since = clock.instant();
        // The TLS handshake counts toward the timeout of the head.
        deadline = after(limits.headTime());
    }

    // One client can have all 2^64 addresses of an IPv6 network.
    private static InetAddress network(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length <= IPV6_NETWORK) {
            return address;
        }
        Arrays.fill(bytes, IPV6_NETWORK, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Adds a new connection, or closes it. */
    static void open(SocketChannel channel, Service service) {
        if (channel.remoteAddress() == null) {
            abort(channel);
            return;
        }
        Connection connection = new Connection(channel, service);
        if (!service.connections().add(connection)) {
            abort(channel);
            return;
        }
        service.settings().tls().ifPresent(tls -> channel.pipeline().addLast(new LateTls(tls)));
        channel.pipeline()
                .addLast(connection.new FirstByte(), connection.decoder, new HttpResponseEncoder(), connection);
    }

    /** Starts TLS when the first bytes arrive, so that a silent connection costs almost nothing. */
    private static final class LateTls extends ChannelInboundHandlerAdapter {
        private final Supplier<SSLEngine> tls;

        LateTls(Supplier<SSLEngine> tls) {
            this.tls = tls;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            SSLEngine engine = tls.get();
            SslHandler handler = new SslHandler(engine);
            handler.setHandshakeTimeoutMillis(0);
            handler.handshakeFuture().addListener(done -> refuseRenegotiation(engine));
            context.pipeline().replace(this, null, handler);
            context.pipeline().fireChannelRead(message);
        }

        // Up to TLS 1.2 a client can renegotiate repeatedly; without cipher suites that fails. TLS 1.3 has no
        // renegotiation.
        private static void refuseRenegotiation(SSLEngine engine) {
            if (!engine.getSession().getProtocol().equals("TLSv1.3")) {
                engine.setEnabledCipherSuites(new String[0]);
            }
        }
    }

    /** Records that a request starts. */
    private final class FirstByte extends ChannelInboundHandlerAdapter {
        private boolean isFirst = true;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (state == State.IDLE) {
                enter(State.HEAD);
                if (!isFirst) {
                    deadline = after(limits.headTime());
                }
                isFirst = false;
            }
            context.fireChannelRead(message);
        }
    }

    /** Decodes one request at a time; the bytes of further requests are not decoded until it has been answered. */
    private final class Decoder extends HttpRequestDecoder {
        Decoder() {
            super(new HttpDecoderConfig().setMaxInitialLineLength(LONGEST_LINE).setMaxHeaderSize(LONGEST_HEADERS));
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
            boolean isWanted = state != State.ASKED && state != State.SENDING && !isPaused;
            if (isWanted) {
                super.decode(context, in, out);
            }
        }

        boolean hasMore() {
            return actualReadableBytes() > 0;
        }

        /** Decodes the bytes that were already received. */
        void resume() {
            ChannelHandlerContext context = channel.pipeline().context(this);
            if (context == null) {
                return;
            }
            try {
                channelRead(context, Unpooled.EMPTY_BUFFER);
            } catch (Exception malformed) {
                exceptionCaught(context, malformed);
            }
        }

        // A client's faults concern no other client, and are not logged.
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            close();
        }
    }

    private void enter(State next) {
        state = next;
        since = clock.instant();
    }

    private Instant after(Duration time) {
        return clock.instant().plus(time);
    }

    /** Returns the address of the client; for IPv6, that of its network. */
    InetAddress network() {
        return network;
    }

    /** Returns when the connection entered its current state. */
    Instant since() {
        return since;
    }

    boolean isOverdue(Instant now) {
        return now.isAfter(deadline);
    }

    /** Returns whether the connection has no request. */
    boolean isIdle() {
        return state == State.IDLE || state == State.HEAD;
    }

    /** Returns whether the whole request was received. */
    boolean isRequestComplete() {
        return isWhole;
    }

    /** Returns the priority of keeping the connection. */
    Rank rank() {
        if (state == State.ASKED) {
            return service.line().isWaiting(this) || service.healthLine().isWaiting(this)
                    ? Rank.IN_LINE
                    : Rank.WORKED_ON;
        }
        return isKnown && state != State.IDLE ? Rank.KNOWN_CLIENTS_TURN : Rank.CLIENTS_TURN;
    }

    /** The priority of keeping a connection, lowest first. */
    enum Rank {
        /** The server waits for the client. */
        CLIENTS_TURN,
        /** The server waits, within a request, for a client whose credentials it accepted before. */
        KNOWN_CLIENTS_TURN,
        /** The request waits for a thread. */
        IN_LINE,
        /** The handler works on the request. */
        WORKED_ON
    }

    /** Returns whether a thread is waiting for the client, and has waited longer than the given time in total. */
    boolean keepsThreadWaiting(Duration atMost) {
        return clientWait.isLongerThan(atMost);
    }

    void close() {
        abort(channel);
    }

    // Without TLS's close_notify, which would wait for the client.
    private static void abort(SocketChannel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        ChannelFuture ignored = first == null ? channel.close() : first.close();
    }

    /** Handles the expiry of the deadline. */
    void giveUp() {
        RequestBody coming = body;
        if (state == State.BODY && coming != null) {
            if (isBeingRead) {
                coming.fail(new IOException("body (expected: all of it in time)"));
                deadline = after(limits.responseTime());
                return;
            }
            send(REQUEST_TIMEOUT);
            return;
        }
        close();
    }

    /** Rejects the request, since too many others wait for a thread. */
    void refuse() {
        send(UNAVAILABLE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        service.connections().remove(this);
        service.line().remove(this);
        service.healthLine().remove(this);
        RequestBody coming = body;
        if (coming != null) {
            coming.fail(new IOException("the client is gone"));
        }
        writable.countDown();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            clientWait.end();
            writable.countDown();
        } else if (isIdle()) {
            // The client does not receive TLS responses, such as those to key updates.
            close();
        }
    }

    // A client's faults concern no other client, and are not logged.
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (!(message instanceof HttpObject part)) {
                return;
            }
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
            ReferenceCountUtil.release(message);
        }
    }

    private void refuse(Throwable malformed) {
        RequestBody coming = body;
        if (isBeingRead && coming != null) {
            coming.fail(new IOException("body that cannot be read: " + malformed.getMessage(), malformed));
            return;
        }
        int status = malformed instanceof TooLongHttpHeaderException ? 431 : 400;
        send(malformed instanceof TooLongHttpLineException ? 414 : status);
    }

    private void begin(HttpRequest head) {
        keepsAlive = HttpUtil.isKeepAlive(head);
        isWhole = !HttpUtil.isTransferEncodingChunked(head) && HttpUtil.getContentLength(head, 0L) == 0;
        Request asked;
        try {
            asked = new Request(
                    head.method().name(), new URI(head.uri()), head.headers().copy(), certificates());
        } catch (URISyntaxException malformed) {
            send(400);
            return;
        }
        if (service.isForThisMachine() && !LocalHost.isAsked(asked)) {
            send(MISDIRECTED);
            return;
        }
        request = asked;
        clientWait = new ClientWait(clock);
        enter(State.ASKED);
        deadline = Instant.MAX;
        channel.config().setAutoRead(false);
        boolean isHealth = service.handler().isHealth(asked);
        Line line = isHealth ? service.healthLine() : service.line();
        line.join(this, () -> answer(asked, isHealth, () -> service.handler().answer(asked)));
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

    /** A call of the handler. */
    private interface Question {
        HandlerResult answer() throws IOException;
    }

    // On a thread of the handler's.
    private void answer(Request asked, boolean isHealth, Question question) {
        HandlerResult answer;
        try {
            answer = question.answer();
        } catch (IOException gone) {
            onLoop(() -> send(gone instanceof BodyTooLongException ? PAYLOAD_TOO_LARGE : REQUEST_TIMEOUT));
            return;
        } catch (Throwable thrown) {
            onLoop(() -> send(INTERNAL_ERROR));
            service.handler().failed(asked, thrown);
            return;
        }
        if (answer instanceof ReadBody reading) {
            onLoop(() -> read(reading));
        } else if (answer instanceof Response response) {
            try (Response.Body content = response.body()) {
                write(response, content, asked.method().equals("HEAD"), isHealth);
            } catch (IOException gone) {
                onLoop(this::close);
            } catch (Throwable thrown) {
                onLoop(this::close);
                service.handler().failed(asked, thrown);
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
        isKnown = true;
        enter(State.BODY);
        deadline = after(reading.atMost());
        if (asked.length() > reading.mostBytes()) {
            send(PAYLOAD_TOO_LARGE);
            return;
        }
        wanted = reading;
        RequestBody coming =
                new RequestBody(reading.mostBytes(), deadline, clock, clientWait, () -> onLoop(this::readMore));
        body = coming;
        isBeingRead = false;
        if (isWhole) {
            whole(coming);
            return;
        }
        if (asked.header("Expect").filter("100-continue"::equalsIgnoreCase).isPresent()) {
            ChannelFuture ignored = channel.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
        readMore();
    }

    private void readMore() {
        if (state == State.BODY) {
            isPaused = false;
            channel.config().setAutoRead(true);
            decoder.resume();
        }
    }

    private void bring(HttpContent content) {
        RequestBody coming = body;
        if (state != State.BODY || coming == null) {
            // The end of a request without a body, which follows its head.
            return;
        }
        if (!coming.add(ByteBufUtil.getBytes(content.content()))) {
            isPaused = true;
            channel.config().setAutoRead(false);
        }
        if (content instanceof LastHttpContent) {
            isWhole = true;
            whole(coming);
        } else if (coming.isReadable()) {
            startReading(coming);
        }
    }

    private void whole(RequestBody coming) {
        coming.complete();
        isPaused = false;
        enter(State.ASKED);
        channel.config().setAutoRead(false);
        deadline = Instant.MAX;
        startReading(coming);
    }

    private void startReading(RequestBody coming) {
        ReadBody reading = wanted;
        Request asked = request;
        if (!isBeingRead && reading != null && asked != null) {
            isBeingRead = true;
            service.line()
                    .join(
                            this,
                            () -> answer(asked, false, () -> reading.reading().answer(coming)));
        }
    }

    /** Sends a response of the server itself, and then closes the connection. */
    private void send(int status) {
        if (!channel.isActive() || state == State.SENDING || state == State.ANSWERED) {
            return;
        }
        keepsAlive = false;
        DefaultFullHttpResponse head = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.EMPTY_BUFFER);
        head.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
        head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (status == UNAVAILABLE) {
            head.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
        }
        sending();
        channel.writeAndFlush(head).addListener(sent -> ended());
    }

    private void sending() {
        enter(State.SENDING);
        deadline = after(limits.responseTime());
        channel.config().setAutoRead(false);
    }

    // On a thread of the handler's.
    private void write(Response response, Response.Body content, boolean isHead, boolean isHealth) throws IOException {
        DefaultHttpResponse head =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.status()));
        response.headers().forEach((name, value) -> head.headers().set(name, value));
        head.headers().set(HttpHeaderNames.DATE, DATE.format(clock.instant()));
        head.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.length());
        onLoop(() -> {
            sending();
            isKnown |= !isHealth && response.status() != 401 && response.status() != 403;
            if (!isWhole || service.connections().isFinishing()) {
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
        onLoop(() -> channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(sent -> ended()));
    }

    // The next request is read once the client's system has received this response, so that no response blocks a
    // thread.
    private void ended() {
        body = null;
        wanted = null;
        isBeingRead = false;
        isPaused = false;
        request = null;
        if (!channel.isActive()) {
            return;
        }
        if (keepsAlive) {
            enter(decoder.hasMore() ? State.HEAD : State.IDLE);
            deadline = after(state == State.HEAD ? limits.headTime() : limits.idleTime());
        } else if (isWhole) {
            ChannelFuture ignored = channel.close();
            return;
        } else {
            enter(State.ANSWERED);
            deadline = after(LINGER);
        }
        isWhole = false;
        channel.config().setAutoRead(true);
        onLoop(decoder::resume);
    }

    /** Sends the body of a response as fast as the client receives it; used by the answering thread. */
    private final class Output extends OutputStream {
        private final byte[] piece;
        private final Instant end = after(limits.responseTime());
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
                throw new IOException("body (expected: as long as announced)");
            }
            int at = from;
            int rest = length;
            while (rest > 0) {
                int part = Math.min(rest, piece.length - count);
                System.arraycopy(bytes, at, piece, count, part);
                count += part;
                at += part;
                rest -= part;
                if (count == piece.length && (left > 0 || rest > 0)) {
                    send();
                    awaitWritable();
                }
            }
        }

        private void send() {
            byte[] sent = new byte[count];
            System.arraycopy(piece, 0, sent, 0, count);
            count = 0;
            CountDownLatch next = new CountDownLatch(1);
            writable = next;
            onLoop(() -> {
                ChannelFuture ignored = channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(sent)));
                if (channel.isWritable() || !channel.isActive()) {
                    next.countDown();
                } else {
                    clientWait.begin();
                }
            });
        }

        private void awaitWritable() throws IOException {
            try {
                long left = Duration.between(clock.instant(), end).toMillis();
                if (!writable.await(left, TimeUnit.MILLISECONDS)) {
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

        // Does not wait for the last piece, so that a short response blocks its thread only while it is created.
        void end() throws IOException {
            if (count > 0) {
                send();
            }
            if (left > 0) {
                throw new IOException("body (expected: as long as announced)");
            }
        }
    }
}
