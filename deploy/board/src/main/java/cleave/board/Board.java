package cleave.board;

import cleave.board.Source.Unheard;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameLines;
import cleave.board.frame.FrameLines.Line;
import cleave.board.frame.Header;
import cleave.board.frame.Told;
import cleave.board.frame.Told.Event;
import cleave.board.frame.Told.Note;
import cleave.board.history.History;
import cleave.board.history.View;
import cleave.board.http.Content;
import cleave.board.http.Unusable;
import cleave.board.recording.Recording;
import cleave.board.sight.Names;
import cleave.board.sight.NamesDue;
import cleave.board.sight.RangeDetail;
import cleave.board.sight.Seen;
import cleave.board.sight.Sight;
import cleave.model.Ticks;
import cleave.runtime.loop.Clock;
import cleave.wire.StatusReply;
import cleave.wire.WhyNot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A board of a cluster: asks its leader once a period, remembers the answers, records them and tells them to viewers. Thread-safe; {@link #start} once, then
 * {@link #close}.
 *
 * <p>One thread asks and records, whatever the number of viewers. A board that starts before its cluster waits for it, and says so in its frames.
 */
public final class Board implements Content, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Board.class);
    private static final int EVENTS_MAX = 200;
    private static final long CLOSE_MILLIS = 10_000;
    /** How often it looks whether somebody watches. */
    private static final long LOOK_MILLIS = 500;

    private final Plan plan;
    private final Source source;
    private final Clock clock;
    private final RangeAsks asks;
    private final SettingAsks settings;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Thread poller = new Thread(this::run, "board poll");
    private final Random random;

    /** Guarded by this, as the next two. */
    private final History history;

    private final Deque<Event> events = new ArrayDeque<>();
    private String cluster = "";

    /** Confined to the poller, as all below, once it runs. */
    private final List<Recording> recordings = new ArrayList<>();

    private final FrameLines lines = new FrameLines();
    private @Nullable Recording kept;
    private Sight sight;
    private long n;
    private long lastEvent;
    private final NamesDue names = new NamesDue();
    private int failures;
    private @Nullable Publisher publisher;
    private IntSupplier watching = () -> 0;
    private volatile StatusReply status = StatusReply.getDefaultInstance();
    /** Nobody interrupts the poller: that would close the files that it writes. */
    private final CountDownLatch closing = new CountDownLatch(1);

    /** Tells viewers. */
    public interface Publisher {
        void publish(Frame frame, Line line, Supplier<Frame> whole);
    }

    /**
     * What a board is to do.
     *
     * @param by the program and its version, for recordings
     * @param kept the file that holds what the board remembers over restarts, in layers; null: none
     * @param record a file to which each frame is appended; null: none
     * @param names of partition keys
     * @param isHashed whether they are hashes
     */
    public record Plan(
            String by,
            Pace pace,
            @Nullable Path kept,
            @Nullable Path record,
            Names names,
            boolean isHashed) {}

    /** Opens its files; IOException, with a sentence, if one cannot be used. The source is closed with the board. */
    public Board(Plan plan, Source source, Clock clock, Random random) throws IOException {
        this.plan = plan;
        this.source = source;
        this.clock = clock;
        this.random = random;
        this.history = new History(plan.isHashed());
        this.asks = new RangeAsks(source);
        this.settings = new SettingAsks(source);
        Header header =
                new Header(plan.by(), "", "", plan.isHashed(), plan.pace().periodMillis());
        boolean isOpen = false;
        try {
            if (plan.kept() != null) {
                kept = opened(plan.kept(), header, this::remember);
            }
            if (plan.record() != null) {
                opened(plan.record(), header, frame -> lastEvent = Math.max(lastEvent, newestEvent(frame)));
            }
            isOpen = true;
        } finally {
            if (!isOpen) {
                closeFiles();
            }
        }
        sight = new Sight(
                plan.names(),
                recordings.stream().mapToLong(Recording::lastAxis).max().orElse(0));
        n = recordings.stream().mapToLong(Recording::lastN).max().orElse(0);
    }

    private Recording opened(Path file, Header header, Consumer<Frame> past) throws IOException {
        Recording recording = Recording.open(file, header, past);
        recordings.add(recording);
        return recording;
    }

    private synchronized void remember(Frame frame) {
        history.add(frame);
        lastEvent = Math.max(lastEvent, newestEvent(frame));
        for (Event event : frame.told().events()) {
            events.addLast(event);
            if (events.size() > EVENTS_MAX) {
                events.removeFirst();
            }
        }
    }

    private static long newestEvent(Frame frame) {
        return frame.told().events().stream().mapToLong(Event::n).max().orElse(0);
    }

    /** Begins to ask, on a thread of its own. */
    public void start(Publisher viewers, IntSupplier watching) {
        publisher = viewers;
        this.watching = watching;
        poller.setDaemon(true);
        poller.start();
    }

    /** Completes when the board has ended; exceptionally, with an IOException for people, if it must not go on. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    private void run() {
        try {
            boolean isClosed = false;
            while (!isClosed) {
                long began = clock.nanos();
                Frame frame = next();
                record(frame);
                isClosed = isClosedBeforeTheNext(frame, began);
            }
            ended.complete(null);
        } catch (InterruptedException hurried) {
            ended.complete(null);
        } catch (IOException refused) {
            LOG.warn("the board ends reason={}", refused.getMessage());
            ended.completeExceptionally(refused);
        } catch (RuntimeException bug) {
            LOG.error("the board ends", bug);
            ended.completeExceptionally(bug);
        } finally {
            closeFiles();
        }
    }

    /** Waits until it is time to ask again, which is sooner once somebody watches. */
    private boolean isClosedBeforeTheNext(Frame frame, long began) throws InterruptedException {
        while (true) {
            long wait = plan.pace().millis(frame.ranges(), watching.getAsInt(), failures, random);
            long left = wait - (clock.nanos() - began) / 1_000_000;
            if (closing.await(Math.max(1, Math.min(left, LOOK_MILLIS)), TimeUnit.MILLISECONDS)) {
                return true;
            }
            if (left <= LOOK_MILLIS) {
                return false;
            }
        }
    }

    /** Asks, and makes a frame of the answers. IOException if the files are those of another cluster. */
    Frame next() throws IOException {
        long now = clock.ticks() / Ticks.PER_MILLI;
        Frame before = newest();
        long span = before == null ? plan.pace().periodMillis() : Math.max(1, now - before.t());
        long spanMax = Math.max(4 * plan.pace().idleMillis(), 4L * (before == null ? 0 : before.ranges()));
        long covered = Math.min(span, spanMax);
        try {
            boolean withNames = names.isDue(now);
            StatusReply reply = source.status(withNames);
            if (withNames) {
                names.asked(now);
            }
            meet(reply.getCluster());
            if (reply.getMap().getRowsCount() == 0) {
                throw new Unheard("the cluster has no ranges yet");
            }
            Seen seen = new Seen(
                    reply,
                    why(),
                    source.handoffs(),
                    source.events(lastEvent, lastEvent == 0 ? EVENTS_MAX : 0),
                    source.scrapes(),
                    now,
                    covered);
            status = reply;
            failures = 0;
            Frame frame = noted(sight.frame(++n, seen));
            names.see(sight.unnamed());
            return frame;
        } catch (Unheard silent) {
            if (failures++ == 0) {
                LOG.warn("the cluster cannot be asked reason={}", silent.getMessage());
            }
            return Frame.stale(++n, now, covered, String.valueOf(silent.getMessage()));
        }
    }

    private Map<Long, List<WhyNot>> why() throws Unheard {
        Map<Long, List<WhyNot>> why = new TreeMap<>();
        if (!sight.hottest().isEmpty()) {
            source.why(sight.hottest())
                    .getStatesList()
                    .forEach(state -> why.put(state.getRange(), state.getWhyNotList()));
        }
        return why;
    }

    private void meet(String met) throws IOException {
        if (!met.isEmpty() && !met.equals(cluster())) {
            for (Recording recording : recordings) {
                recording.belongsTo(met);
            }
            synchronized (this) {
                cluster = met;
            }
        }
    }

    private synchronized String cluster() {
        return cluster;
    }

    /** With a note if it cannot be recorded. */
    private Frame noted(Frame frame) {
        List<Note> notes = new ArrayList<>(frame.told().notes());
        for (Recording recording : recordings) {
            if (!recording.trouble().isEmpty()) {
                notes.add(new Note("not-recorded", 0, "The board records nothing now: " + recording.trouble(), "", ""));
            }
        }
        return frame.withTold(new Told(frame.told().events(), frame.told().hottest(), notes));
    }

    private void record(Frame frame) {
        Line line = lines.next(frame);
        remember(frame);
        if (!cluster().isEmpty()) {
            recordings.forEach(recording -> recording.append(frame, line.bytes(), line.hasAxis()));
        }
        Publisher viewers = publisher;
        if (viewers != null) {
            viewers.publish(frame, line, () -> withEvents(frame));
        }
        Recording layered = kept;
        if (layered != null && layered.hasDoubled()) {
            layered.rewrite(frames());
        }
    }

    private synchronized List<Frame> frames() {
        return history.frames();
    }

    private synchronized List<Frame> frames(long after, long until) {
        return history.frames(after, until);
    }

    private synchronized @Nullable Frame newest() {
        return history.newest();
    }

    private synchronized Frame withEvents(Frame frame) {
        return frame.isStale()
                ? frame
                : frame.withTold(new Told(
                        List.copyOf(events),
                        frame.told().hottest(),
                        frame.told().notes()));
    }

    @Override
    public synchronized About about() {
        List<Frame> frames = history.frames();
        Frame last = history.newest();
        return new About(
                cluster,
                "",
                true,
                plan.isHashed(),
                frames.isEmpty() ? 0 : frames.get(0).t(),
                last == null ? 0 : last.t(),
                plan.by(),
                last == null ? 0 : last.n());
    }

    @Override
    public View view(View.Query query, long windowMillis, @Nullable Long until) {
        Frame newest = newest();
        long end = until != null ? until : newest == null ? 0 : newest.t();
        List<Frame> seen = frames(end - windowMillis, end);
        return View.of(seen, query, plan.isHashed());
    }

    @Override
    public CompletionStage<byte[]> range(Range range) {
        Frame newest = newest();
        Frame frame = range.t() == null ? newest : at(range.t());
        if (frame == null || newest == null) {
            return CompletableFuture.failedFuture(new Unusable(404, "nothing is known of the cluster yet"));
        }
        long id = range.id() != 0 ? range.id() : RangeDetail.idAt(frame, range.table(), range.key(), plan.isHashed());
        boolean isNow = frame.n() == newest.n();
        if (id == 0 && isNow && !plan.isHashed()) {
            id = RangeDetail.idAt(status, range.table(), range.key());
        }
        List<Event> told = events();
        if (!isNow || frame.isStale()) {
            long its = id;
            return RangeDetail.of(frame, its, told)
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> CompletableFuture.failedFuture(
                            new Unusable(404, "the board did not tell this range apart at that time")));
        }
        long its = id;
        return asks.ask(its)
                .thenApply(reply -> RangeDetail.of(reply, its, told, plan.names())
                        .orElseThrow(() -> new Unusable(404, "there is no such range, or no longer")));
    }

    @Override
    public CompletionStage<byte[]> settings() {
        return settings.all();
    }

    /** Changes settings of the balancer, and answers all of them; fails with {@link Unusable} in the masters' words. */
    public CompletionStage<byte[]> change(Map<String, String> changes) {
        return settings.change(changes);
    }

    private synchronized List<Event> events() {
        return List.copyOf(events);
    }

    private synchronized @Nullable Frame at(long t) {
        Frame found = null;
        for (Frame frame : history.frames()) {
            found = frame.t() <= t ? frame : found;
        }
        return found;
    }

    @Override
    public @Nullable Frame whole(long t) {
        Frame newest = newest();
        Frame frame = newest == null || t >= newest.t() ? newest : at(t);
        return frame == null ? null : withEvents(frame);
    }

    /** A board of a cluster tells frames as they come. */
    @Override
    public @Nullable Frame after(long t) {
        return null;
    }

    private void closeFiles() {
        for (Recording recording : recordings) {
            try {
                recording.close();
            } catch (IOException failed) {
                LOG.warn("a recording was not closed file={}", recording.file(), failed);
            }
        }
    }

    private void awaitEnd() {
        try {
            poller.join(CLOSE_MILLIS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closing.countDown();
        if (poller.getState() == Thread.State.NEW) {
            closeFiles();
        } else {
            awaitEnd();
        }
        asks.close();
        settings.close();
        source.close();
    }
}
