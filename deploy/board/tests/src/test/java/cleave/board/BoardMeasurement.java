package cleave.board;

import static java.nio.charset.StandardCharsets.UTF_8;

import cleave.board.http.BoardServer;
import cleave.board.scrape.Scrape;
import cleave.board.sight.Names;
import cleave.model.Key;
import cleave.model.Ticks;
import cleave.runtime.loop.Clock;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.HotPartition;
import cleave.wire.Incarnation;
import cleave.wire.MapUpdate;
import cleave.wire.MasterPeer;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerInfo;
import cleave.wire.ServerSeen;
import cleave.wire.SettingsReply;
import cleave.wire.SplitCandidate;
import cleave.wire.StatusReply;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The costs of a board of many ranges with viewers: the board and its server as they are in their process, asking a leader whose answers are made before, and read
 * from bytes as from the network. Viewers do what the page does: they read the stream, and fetch the map when its rows have changed. No test; run by name, prints its
 * figures (docs/board.md). They are processor time of this JVM less that of the viewers' threads. The clock counts ten seconds in one, so that the frames of a
 * minute take six seconds; what is printed is of the board's seconds.
 */
class BoardMeasurement {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean MACHINE =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int RANGES = Integer.getInteger("board.ranges", 10_000);
    /** The percentage of ranges in use. */
    private static final int IN_USE = Integer.getInteger("board.in-use", 10);

    private static final int VIEWERS = Integer.getInteger("board.viewers", 10);
    /** Of each figure; as many before it is taken. */
    private static final int FRAMES = Integer.getInteger("board.frames", 60);

    private static final int ROUNDS = Integer.getInteger("board.rounds", 2);
    private static final int SPEED = 10;
    private static final int SERVERS = 100;
    private static final int ANSWERS = 8;
    private static final int CANDIDATES = 20;

    private final AtomicLong frames = new AtomicLong();

    @Test
    void figures() throws Exception {
        Leader leader = new Leader();
        print("%,d ranges, %d%% of them in use; an answer of the leader has %,d bytes", RANGES, IN_USE, leader.bytes());
        Clock clock = new Fast();
        Board.Plan plan = new Board.Plan("measurement", Pace.STEADY, null, null, Names.CLEAR, false);
        Board board = new Board(plan, leader, clock, new Random(1));
        // The board is closed first, for it publishes.
        try (BoardServer server = new BoardServer(new BoardServer.Listen("127.0.0.1", 0, null), board);
                board) {
            server.start();
            board.start(
                    (frame, line, whole) -> {
                        server.publish(frame, line, whole);
                        frames.incrementAndGet();
                    },
                    server::viewers);
            print("warm-up: %s", spent(List.of(), clock));
            for (int round = 1; round <= ROUNDS; round++) {
                print("round %d, nobody watches: %s", round, spent(List.of(), clock));
                List<Viewer> viewers = new ArrayList<>();
                for (int i = 0; i < VIEWERS; i++) {
                    viewers.add(Viewer.started(server.port()));
                }
                awaitFrames(2);
                viewers.forEach(Viewer::clear);
                print("round %d, %d viewers: %s", round, VIEWERS, spent(viewers, clock));
                for (Viewer viewer : viewers) {
                    viewer.end();
                }
            }
        }
    }

    private String spent(List<Viewer> viewers, Clock clock) throws InterruptedException {
        long cpu = MACHINE.getProcessCpuTime() - ofThreads(viewers);
        long began = clock.nanos();
        awaitFrames(FRAMES);
        double seconds = (clock.nanos() - began) / 1e9;
        double used = (MACHINE.getProcessCpuTime() - ofThreads(viewers) - cpu) / 1e9;
        long streamed = viewers.stream().mapToLong(each -> each.streamed.sum()).sum();
        long fetched = viewers.stream().mapToLong(each -> each.fetched.sum()).sum();
        long maps = viewers.stream().mapToLong(each -> each.maps.sum()).sum();
        long told = viewers.stream().mapToLong(each -> each.told.sum()).sum();
        int count = Math.max(1, viewers.size());
        return String.format(
                Locale.ROOT,
                "%.1f ms a frame, one in %.1f s: %.2f %% of a core; a viewer got %.1f frames, each of %,.0f bytes, and %.1f maps, each of %,.0f bytes",
                1000 * used / FRAMES,
                seconds / FRAMES,
                100 * used / seconds,
                (double) told / count,
                (double) streamed / Math.max(1, told),
                (double) maps / count,
                (double) fetched / Math.max(1, maps));
    }

    private static long ofThreads(List<Viewer> viewers) {
        return viewers.stream()
                .mapToLong(each -> THREADS.getThreadCpuTime(each.thread.getId()))
                .sum();
    }

    private void awaitFrames(int count) throws InterruptedException {
        long until = frames.get() + count;
        CountDownLatch never = new CountDownLatch(1);
        while (frames.get() < until) {
            never.await(20, TimeUnit.MILLISECONDS);
        }
    }

    /** Counts ten seconds in one. */
    private static final class Fast implements Clock {
        private final long ticks = Ticks.of(java.time.Instant.parse("2026-11-28T12:00:00Z"));
        private final long began = System.nanoTime();

        @Override
        public long nanos() {
            return (System.nanoTime() - began) * SPEED;
        }

        @Override
        public long ticks() {
            return ticks + nanos() / 1_000_000 * Ticks.PER_MILLI;
        }
    }

    /** What a page asks for. Its counts may be read by any thread. */
    private static final class Viewer {
        private final LongAdder streamed = new LongAdder();
        private final LongAdder told = new LongAdder();
        private final LongAdder fetched = new LongAdder();
        private final LongAdder maps = new LongAdder();
        private final int port;
        private final Thread thread = new Thread(this::run, "viewer");
        private volatile @Nullable HttpURLConnection stream;

        private Viewer(int port) {
            this.port = port;
        }

        static Viewer started(int port) {
            Viewer viewer = new Viewer(port);
            viewer.thread.setDaemon(true);
            viewer.thread.start();
            return viewer;
        }

        void clear() {
            streamed.reset();
            told.reset();
            fetched.reset();
            maps.reset();
        }

        void end() {
            HttpURLConnection open = stream;
            if (open != null) {
                open.disconnect();
            }
        }

        private HttpURLConnection to(String path) throws IOException {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
            connection.setRequestProperty("Accept-Encoding", "gzip");
            return connection;
        }

        private void run() {
            String axis = "";
            try {
                HttpURLConnection open = to("/api/stream");
                stream = open;
                try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(new Counted(open.getInputStream(), streamed)), UTF_8))) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        told.add(line.startsWith("data:") ? 1 : 0);
                        int at = line.indexOf("\"axis\":{\"id\":");
                        String now = at < 0 ? axis : line.substring(at, line.indexOf(',', at));
                        if (!now.equals(axis)) {
                            axis = now;
                            map();
                        }
                    }
                }
            } catch (IOException ended) {
                // It was told to end.
            }
        }

        private void map() throws IOException {
            maps.increment();
            try (InputStream in = new Counted(
                    to("/api/view?window=10m&measure=entities&rows=equal-load&max=1536")
                            .getInputStream(),
                    fetched)) {
                in.readAllBytes();
            }
        }
    }

    private static final class Counted extends FilterInputStream {
        private final LongAdder bytes;

        Counted(InputStream in, LongAdder bytes) {
            super(in);
            this.bytes = bytes;
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            bytes.add(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int read = super.read(to, offset, length);
            bytes.add(Math.max(0, read));
            return read;
        }
    }

    /** Answers again and again what it made at first: equal ranges, whose loads differ from answer to answer as those of real ones do. */
    private static final class Leader implements Source {
        private final List<byte[]> answers = new ArrayList<>();
        private int asked;

        Leader() {
            Random random = new Random(7);
            double[] means = new double[RANGES];
            for (int i = 0; i < RANGES; i++) {
                means[i] = i * 37 % 100 < IN_USE ? 20 * Math.exp(random.nextGaussian()) : 0;
            }
            for (int i = 0; i < ANSWERS; i++) {
                answers.add(answer(means, random).toByteArray());
            }
        }

        int bytes() {
            return answers.get(0).length;
        }

        private static StatusReply answer(double[] means, Random random) {
            StatusReply.Builder reply = StatusReply.newBuilder()
                    .setCluster(Examples.CLUSTER)
                    .setLeader("127.0.0.1:7001")
                    .setSelf("m1")
                    .setTerm(4)
                    .addPeers(MasterPeer.newBuilder()
                            .setId("m1")
                            .setAddress("127.0.0.1:7001")
                            .setRole("LEADER"));
            MapUpdate.Builder map = MapUpdate.newBuilder().setWhole(true);
            for (int i = 0; i < SERVERS; i++) {
                map.addServers(ServerInfo.newBuilder().setIncarnation(server(i)).setAddress("10.0.0." + i + ":7100"));
                reply.addSeen(ServerSeen.newBuilder()
                        .setIncarnation(server(i))
                        .setRanges(RANGES / SERVERS)
                        .setCpu(0.5));
            }
            for (int i = 0; i < RANGES; i++) {
                RangeRow.Builder row = RangeRow.newBuilder()
                        .setId(((i + 1L) << 12) | 1)
                        .setVersion(i + 1)
                        .setEpoch(i + 1)
                        .setManifest("ranges/" + i + "/manifest-" + i)
                        .setOwner(server(i * 13 % SERVERS));
                if (i > 0) {
                    row.setStart(key(i, ""));
                }
                if (i < RANGES - 1) {
                    row.setEnd(key(i + 1, ""));
                }
                map.addRows(row);
                reply.addStates(RangeState.newBuilder()
                        .setRange(row.getId())
                        .setState("serving")
                        .setEntitiesPerSecond(means[i])
                        .setBytes(100_000_000)
                        .setLoad(load(i, means[i] * Math.exp(random.nextGaussian() / 5), random)));
            }
            return reply.setMap(map).build();
        }

        private static RangeLoad load(int range, double rate, Random random) {
            RangeLoad.Builder load =
                    RangeLoad.newBuilder().setRange(((range + 1L) << 12) | 1).setBytes(100_000_000);
            if (rate == 0) {
                return load.build();
            }
            load.setEntitiesPerSecond(rate)
                    .setEntitiesPerSecond30S(rate)
                    .setEntitiesPerSecond5M(rate)
                    .setWritten(rate / 2)
                    .setRead(rate / 2)
                    .setRequests(rate)
                    .setBytesMoved(rate * 1_000)
                    .setCpu(rate / 20_000)
                    .setQueueWaitMillis(0.1)
                    .setHottest(HotPartition.newBuilder()
                            .setFirst(key(range, "k"))
                            .setPart(0.1)
                            .setSamples(500));
            for (int i = 1; i <= CANDIDATES; i++) {
                int left = 500 * i + random.nextInt(100);
                load.addCandidates(SplitCandidate.newBuilder()
                        .setAt(key(range, String.format(Locale.ROOT, "-%03d", 40 * i + random.nextInt(3))))
                        .setLeft(left)
                        .setRight(500 * (CANDIDATES + 1) - left)
                        .setHits(500));
            }
            return load.build();
        }

        private static ByteString key(int range, String more) {
            return Key.beforePartition(7, String.format(Locale.ROOT, "customer-%06d%s", range, more))
                    .toWire();
        }

        private static Incarnation server(int i) {
            return Incarnation.newBuilder()
                    .setServer("server-" + (i + 1))
                    .setNumber(i + 1)
                    .build();
        }

        @Override
        public StatusReply status(boolean withNames) {
            try {
                return StatusReply.parseFrom(answers.get(asked++ % ANSWERS));
            } catch (InvalidProtocolBufferException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }

        @Override
        public StatusReply why(List<Long> ranges) {
            return StatusReply.getDefaultInstance();
        }

        @Override
        public List<HandoffState> handoffs() {
            return List.of();
        }

        @Override
        public List<Event> events(long after, int limit) {
            return List.of();
        }

        @Override
        public SettingsReply settings() {
            return SettingsReply.getDefaultInstance();
        }

        @Override
        public SettingsReply change(Map<String, String> changes) {
            return settings();
        }

        @Override
        public List<Scrape> scrapes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private static void print(String format, Object... values) {
        System.out.printf(format + "%n", values);
    }
}
