package cleave.board.http;

import cleave.board.frame.Frame;
import cleave.board.frame.FrameLines.Line;
import cleave.board.frame.FrameWriter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the page of a board and what it asks for. {@link #publish} may be called by any thread; {@link #start} and {@link #close} by one
 * outside of its own.
 *
 * <p>Sockets belong to one event loop. What takes long, such as a map of five weeks, is made on one other thread with a bounded queue, once for
 * all viewers that ask for the same. Connections and viewers are bounded.
 */
public final class BoardServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BoardServer.class);
    private static final int CONNECTIONS_MAX = 512;
    private static final int VIEWERS_MAX = 128;
    private static final int HEADER_BYTES_MAX = 16 << 10;
    private static final int LINE_BYTES_MAX = 8 << 10;
    private static final int BODY_BYTES_MAX = 8 << 10;
    private static final int IDLE_SECONDS = 60;
    private static final int WAITING_MAX = 64;
    private static final int ANSWERS_KEPT = 16;
    private static final long COMMENT_MILLIS = 15_000;
    private static final long START_SECONDS = 30;
    /** Frames of a recording follow each other no faster. */
    private static final long PLAY_MILLIS_MIN = 50;

    private static final String SETTINGS = "/api/settings";
    private static final String PLAY = "/api/play";

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cross-Origin-Opener-Policy",
            "same-origin");

    private final Listen listen;
    private final Content content;
    private final @Nullable Acting acting;
    private final Assets assets = new Assets();
    private final Vertx vertx;
    private final Context context;
    private final ThreadPoolExecutor worker;
    private final Set<HttpConnection> connections = new LinkedHashSet<>();
    private final Set<Viewer> viewers = new LinkedHashSet<>();
    private final Packet comment = Packet.comment();
    /** Answers by path and query, of the moment of the newest frame. Confined to the worker. */
    private final Map<String, byte[]> answers = new LinkedHashMap<>();

    private long answersOf;
    private volatile int viewerCount;
    private @Nullable Admittance admittance;
    private @Nullable HttpServer server;

    /**
     * Where to listen.
     *
     * @param port 0: any free one
     * @param token that viewers need; null: none
     */
    public record Listen(String host, int port, @Nullable String token) {}

    /** One that changes nothing. */
    public BoardServer(Listen listen, Content content) {
        this(listen, content, null);
    }

    /** @param acting what may be done from the page; null: nothing */
    public BoardServer(Listen listen, Content content, @Nullable Acting acting) {
        this.listen = listen;
        this.content = content;
        this.acting = acting;
        this.vertx = Vertx.builder()
                .with(new VertxOptions()
                        .setEventLoopPoolSize(1)
                        .setWorkerPoolSize(1)
                        .setFileSystemOptions(new FileSystemOptions()
                                .setClassPathResolvingEnabled(false)
                                .setFileCachingEnabled(false)))
                .build();
        this.context = vertx.getOrCreateContext();
        this.worker = new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), BoardServer::thread);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "board answers");
        thread.setDaemon(true);
        return thread;
    }

    /** Begins to listen; IOException if it cannot. */
    public void start() throws IOException {
        admittance = new Admittance(
                new InetSocketAddress(listen.host(), listen.port()).getAddress(), listen.host(), listen.token());
        HttpServer made = vertx.createHttpServer(new HttpServerOptions()
                        .setMaxInitialLineLength(LINE_BYTES_MAX)
                        .setMaxHeaderSize(HEADER_BYTES_MAX)
                        .setHttp2ClearTextEnabled(false)
                        .setIdleTimeout(IDLE_SECONDS)
                        .setTcpNoDelay(true))
                .connectionHandler(this::opened)
                .requestHandler(this::arrived);
        try {
            server = made.listen(listen.port(), listen.host())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IOException(
                    String.valueOf(
                            failed.getCause() == null
                                    ? failed
                                    : failed.getCause().getMessage()),
                    failed);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", hurried);
        }
        vertx.setPeriodic(COMMENT_MILLIS, timer -> viewers.forEach(viewer -> viewer.comment(comment)));
    }

    /** The port on which it listens. */
    public int port() {
        HttpServer started = server;
        return started == null ? listen.port() : started.actualPort();
    }

    /**
     * Sends a frame to all viewers.
     *
     * @param whole the same with its axis and the last events, if somebody needs it
     */
    public void publish(Frame frame, Line line, Supplier<Frame> whole) {
        context.runOnContext(nothing -> {
            Packet packet = Packet.frame(frame.n(), line.bytes());
            Supplier<Packet> once = once(whole);
            viewers.removeIf(Viewer::isGone);
            viewers.forEach(viewer -> viewer.offer(packet, once));
        });
    }

    private static Supplier<Packet> once(Supplier<Frame> whole) {
        Packet[] made = {null};
        return () -> {
            if (made[0] == null) {
                Frame frame = whole.get();
                made[0] = Packet.frame(frame.n(), FrameWriter.line(frame, true));
            }
            return made[0];
        };
    }

    /** How many watch now. */
    public int viewers() {
        return viewerCount;
    }

    private void opened(HttpConnection connection) {
        if (connections.size() >= CONNECTIONS_MAX) {
            connection.close();
            return;
        }
        connections.add(connection);
        connection.closeHandler(nothing -> connections.remove(connection));
    }

    private void arrived(HttpServerRequest request) {
        HEADERS.forEach(request.response()::putHeader);
        try {
            answer(request);
        } catch (Unusable refused) {
            Replies.refuse(request, refused);
        } catch (IllegalArgumentException malformed) {
            Replies.refuse(request, new Unusable(400, "this URL is malformed"));
        } catch (RuntimeException bug) {
            Replies.fail(request, bug);
        }
    }

    private void answer(HttpServerRequest request) {
        Acting acts = acting;
        boolean isSettings = acts != null && SETTINGS.equals(request.path());
        boolean isAct = request.method().equals(HttpMethod.POST) && (isSettings || PLAY.equals(request.path()));
        if (!isAct
                && !request.method().equals(HttpMethod.GET)
                && !request.method().equals(HttpMethod.HEAD)) {
            request.response().putHeader("Allow", "GET, HEAD");
            throw new Unusable(405, "only GET and HEAD");
        }
        Admittance rules = admittance;
        if (rules == null || request.path() == null) {
            throw new Unusable(400, "this URL has no path");
        }
        rules.checkSender(request);
        if (request.path().startsWith("/api/")) {
            rules.checkToken(request);
        }
        if (isAct) {
            act(request, acts);
            return;
        }
        switch (request.path()) {
            case "/api/about" -> json(request, () -> Answers.about(content.about(), acts));
            case "/api/view" -> view(request);
            case "/api/range" -> range(request);
            case SETTINGS -> work(request, () -> later(request, content.settings()));
            case PLAY -> json(request, () -> play(acts).state());
            case "/api/stream" -> stream(request);
            default -> asset(request);
        }
    }

    private static Play play(@Nullable Acting acts) {
        Play play = acts == null ? null : acts.play();
        if (play == null) {
            throw new Unusable(404, "this board was started without --play");
        }
        return play;
    }

    /** Of who has the administrator's token. */
    private void act(HttpServerRequest request, @Nullable Acting acts) {
        Play play = PLAY.equals(request.path()) ? play(acts) : null;
        Acting by = Objects.requireNonNull(acts);
        Admittance.checkAdmin(request, by.token());
        String length = request.getHeader("Content-Length");
        if (length == null || !length.matches("\\d{1,9}") || Integer.parseInt(length) > BODY_BYTES_MAX) {
            throw new Unusable(413, "the body has a Content-Length of at most " + BODY_BYTES_MAX + " bytes");
        }
        if (!String.valueOf(request.getHeader("Content-Type")).startsWith("application/json")) {
            throw new Unusable(415, "the body is application/json");
        }
        request.body().onSuccess(body -> {
            try {
                Map<String, String> what = Queries.texts(body.getBytes());
                if (play == null) {
                    later(request, by.change().apply(what));
                } else {
                    play.act(what);
                    json(request, play::state);
                }
            } catch (Unusable refused) {
                Replies.refuse(request, refused);
            } catch (RuntimeException bug) {
                Replies.fail(request, bug);
            }
        });
    }

    private void asset(HttpServerRequest request) {
        Assets.Asset asset = assets.at(request.path());
        if (asset == null) {
            throw new Unusable(404, "there is no such page");
        }
        request.response().putHeader("ETag", asset.tag()).putHeader("Cache-Control", "no-cache");
        if (asset.tag().equals(request.getHeader("If-None-Match"))) {
            request.response().setStatusCode(304).end();
            return;
        }
        request.response().putHeader("Vary", "Accept-Encoding");
        boolean zip = Replies.takesZip(request);
        if (zip) {
            request.response().putHeader("Content-Encoding", "gzip");
        }
        Replies.send(request, asset.type(), zip ? asset.zipped() : asset.bytes());
    }

    private void view(HttpServerRequest request) {
        var query = Queries.view(request.params());
        long window = Queries.window(request.params());
        Long until = Queries.whole(request.params(), "until");
        String key = request.uri();
        json(request, () -> {
            long n = content.about().n();
            if (n != answersOf) {
                answers.clear();
                answersOf = n;
            }
            byte[] answer = answers.get(key);
            if (answer == null) {
                answer = Answers.view(content.view(query, window, until));
                if (answers.size() >= ANSWERS_KEPT) {
                    answers.clear();
                }
                answers.put(key, answer);
            }
            return answer;
        });
    }

    private void range(HttpServerRequest request) {
        Content.Range range = Queries.range(request.params());
        work(request, () -> later(request, content.range(range)));
    }

    private void later(HttpServerRequest request, CompletionStage<byte[]> awaited) {
        awaited.whenComplete((answer, failure) -> context.runOnContext(nothing -> {
            if (failure == null) {
                Replies.json(request, answer, Replies.takesZip(request) ? Zip.whole(answer) : null);
            } else {
                Replies.fail(request, cause(failure));
            }
        }));
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** What the worker makes. */
    private interface Made {
        byte[] make() throws IOException;
    }

    private void json(HttpServerRequest request, Made answer) {
        boolean zip = Replies.takesZip(request);
        work(request, () -> {
            byte[] bytes = answer.make();
            byte[] zipped = zip ? Zip.whole(bytes) : null;
            context.runOnContext(nothing -> Replies.json(request, bytes, zipped));
        });
    }

    private interface Task {
        void run() throws IOException;
    }

    private void work(HttpServerRequest request, Task task) {
        try {
            worker.execute(() -> {
                try {
                    task.run();
                } catch (IOException | RuntimeException failed) {
                    context.runOnContext(nothing -> Replies.fail(request, failed));
                }
            });
        } catch (RejectedExecutionException full) {
            throw new Unusable(503, "too many requests wait; ask less often");
        }
    }

    private void stream(HttpServerRequest request) {
        viewers.removeIf(Viewer::isGone);
        if (viewers.size() >= VIEWERS_MAX) {
            throw new Unusable(503, "this board has its " + VIEWERS_MAX + " viewers; close another");
        }
        Long at = Queries.whole(request.params(), "at");
        double speed = Queries.speed(request.params());
        request.response().putHeader("Cache-Control", "no-store");
        if (request.method().equals(HttpMethod.HEAD)) {
            request.response()
                    .putHeader("Content-Type", "text/event-stream; charset=utf-8")
                    .end();
            return;
        }
        Viewer viewer = new Viewer(request.response(), Replies.takesZip(request));
        viewers.add(viewer);
        viewerCount = viewers.size();
        request.response().closeHandler(nothing -> {
            viewer.leave();
            viewers.remove(viewer);
            viewerCount = viewers.size();
        });
        work(request, () -> begin(viewer, at, speed));
    }

    /** On the worker: a viewer of a cluster gets the newest frame and then what is published, one of a recording its frames. */
    private void begin(Viewer viewer, @Nullable Long at, double speed) throws IOException {
        Content.About about = content.about();
        long from = at == null ? (about.live() ? about.to() : about.from()) : at;
        Frame first = content.whole(from);
        context.runOnContext(nothing -> {
            if (first != null) {
                Packet packet = Packet.frame(first.n(), FrameWriter.line(first, true));
                viewer.offer(packet, () -> packet);
            }
            if (!about.live() && speed > 0 && first != null) {
                play(viewer, first, speed);
            }
        });
    }

    /** Tells a viewer the next frame of a recording when its time has come; frames that follow too closely are left out. */
    private void play(Viewer viewer, Frame before, double speed) {
        if (viewer.isGone()) {
            return;
        }
        try {
            worker.execute(() -> {
                try {
                    Frame next = next(before, speed);
                    if (next != null) {
                        long wait = Math.max(1, Math.round((next.t() - before.t()) / speed));
                        boolean follows = next.n() == before.n() + 1
                                && next.axis().id() == before.axis().id();
                        Packet packet = Packet.frame(next.n(), FrameWriter.line(next, !follows));
                        context.runOnContext(nothing -> vertx.setTimer(wait, timer -> {
                            viewer.offer(packet, () -> Packet.frame(next.n(), FrameWriter.line(next, true)));
                            play(viewer, next, speed);
                        }));
                    }
                } catch (IOException | RuntimeException failed) {
                    LOG.warn("a recording cannot be played on", failed);
                }
            });
        } catch (RejectedExecutionException full) {
            vertx.setTimer(PLAY_MILLIS_MIN, timer -> play(viewer, before, speed));
        }
    }

    private @Nullable Frame next(Frame before, double speed) throws IOException {
        Frame next = content.after(before.t());
        long least = before.t() + Math.round(PLAY_MILLIS_MIN * speed);
        if (next != null && next.t() < least) {
            Frame later = content.after(least - 1);
            return later == null ? content.whole(Long.MAX_VALUE) : later;
        }
        return next;
    }

    @Override
    public void close() {
        worker.shutdownNow();
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException late) {
            LOG.warn("the board's server did not stop in time", late);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
