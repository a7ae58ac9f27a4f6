package cleave.master.sweep;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.MapCheck;
import cleave.master.policy.Sweep;
import cleave.master.policy.Sweep.FileState;
import cleave.master.replication.Replication;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterState;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Deletes, now and then, the files that no manifest reaches any more; more often while the DFS is short of space. Confined to the master loop.
 *
 * <p>A round asks the DFS whose it is, lists the files, takes the map as it is after a proof of leadership, and looks whether that can
 * be their map ({@link MapCheck}). Then it reads the manifests of all rows, and deletes what {@link Sweep} judges garbage, a few at a
 * time. A manifest that cannot be read ends the round before anything is deleted: its
 * row may have moved on, and the next round sees where to. Manifests never change, so what they name is remembered.
 */
public final class Sweeper {
    private static final long MILLI = 1_000_000;
    private static final int READS_AT_ONCE = 16;
    private static final int DELETES_AT_ONCE = 16;
    private static final long DELETE_PAUSE_NANOS = 50 * MILLI;
    private static final int TRIES = 5;
    /** Between rounds while the DFS is short of space. */
    private static final long SOON_NANOS = 15_000 * MILLI;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final SweepFiles files;
    private final Vetting vetting;
    private final Events events;
    private final MasterMetrics metrics;
    private final TreeMap<String, List<String>> named = new TreeMap<>();
    private Round round;
    private long next;
    private long soon;

    public Sweeper(
            EventLoop loop,
            MasterTiming timing,
            Replication replication,
            SweepFiles files,
            Vetting vetting,
            Events events,
            MasterMetrics metrics) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.files = files;
        this.vetting = vetting;
        this.events = events;
        this.metrics = metrics;
        round = new Round(0);
        round.over = true;
    }

    /** A new leader sweeps after a whole interval only. */
    public void begin(long now) {
        loop.assertInside();
        next = now + timing.sweepNanos();
        soon = now + soonNanos();
    }

    private long soonNanos() {
        return Math.min(SOON_NANOS, timing.sweepNanos());
    }

    /** This master no longer leads. */
    public void clear() {
        loop.assertInside();
        round.over = true;
        named.clear();
    }

    public void tick(long now) {
        loop.assertInside();
        if (round.over && (now >= next || (now >= soon && files.areShortOfSpace()))) {
            begin(now);
            begin(TRIES);
        }
    }

    private void begin(int tries) {
        Round begun = new Round(tries);
        round = begun;
        begun.list();
    }

    /** One pass over the files. */
    private final class Round {
        private final int triesLeft;
        private MasterState state = MasterState.EMPTY;
        private List<String> paths = List.of();
        private final ArrayDeque<String> unread = new ArrayDeque<>();
        private final TreeSet<String> manifests = new TreeSet<>();
        private final ArrayDeque<String> garbage = new ArrayDeque<>();
        private final EnumMap<FileState, Integer> counts = new EnumMap<>(FileState.class);
        private int pending;
        private int deleted;
        private int failed;
        private boolean over;

        Round(int tries) {
            this.triesLeft = tries - 1;
        }

        void list() {
            pending++;
            hear(Vetting.ask(files, replication.cluster()), this::prove, "the list of files");
        }

        private void prove(MapCheck.Shown shown) {
            pending++;
            hear(replication.propose(new NoOp()), proof -> proven(proof, shown), "a proof of leadership");
        }

        private void proven(MasterAnswer proof, MapCheck.Shown shown) {
            if (!proof.isOk()) {
                over = true;
                return;
            }
            state = replication.state();
            MapCheck.Problem problem = MapCheck.problem(replication.cluster(), state, shown);
            if (problem != null) {
                over = true;
                metrics.sweepsFailed.inc();
                vetting.fail(problem);
                return;
            }
            paths = shown.paths();
            read();
        }

        private void read() {
            for (Row row : state.rows().all()) {
                String manifest = row.manifest();
                if (manifest != null) {
                    manifests.add(manifest);
                }
            }
            named.keySet().retainAll(manifests);
            manifests.stream().filter(manifest -> !named.containsKey(manifest)).forEach(unread::add);
            readMore();
        }

        private void readMore() {
            while (!unread.isEmpty() && pending < READS_AT_ONCE) {
                String manifest = unread.remove();
                pending++;
                hear(files.named(manifest), names -> took(manifest, names), "manifest " + manifest);
            }
            if (unread.isEmpty() && pending == 0) {
                judge();
            }
        }

        /** Takes what was asked for and goes on; what fails ends the round. */
        private <T> void hear(CompletableFuture<T> asked, Consumer<T> taker, String what) {
            asked.whenComplete((value, failure) -> loop.submit(() -> {
                if (over) {
                    return;
                }
                pending--;
                if (failure != null) {
                    fail(what + ": " + failure);
                } else {
                    taker.accept(value);
                }
            }));
        }

        private void took(String manifest, List<String> names) {
            named.put(manifest, names);
            readMore();
        }

        private void fail(String why) {
            over = true;
            if (triesLeft > 0) {
                begin(triesLeft);
            } else {
                metrics.sweepsFailed.inc();
                events.add(EventKind.SWEPT, Event.newBuilder().setReason("given up, nothing was deleted: " + why));
            }
        }

        private void judge() {
            TreeSet<String> reached = new TreeSet<>(manifests);
            named.values().forEach(reached::addAll);
            Sweep sweep = new Sweep(state, reached);
            for (FileState fileState : FileState.values()) {
                counts.put(fileState, 0);
            }
            for (String path : paths) {
                FileState fileState = sweep.judge(path);
                counts.merge(fileState, 1, Integer::sum);
                if (fileState == FileState.GARBAGE) {
                    garbage.add(path);
                }
            }
            delete();
        }

        private void delete() {
            if (over) {
                return;
            }
            if (garbage.isEmpty()) {
                end();
                return;
            }
            for (int i = 0; i < DELETES_AT_ONCE && !garbage.isEmpty(); i++) {
                pending++;
                files.delete(garbage.remove()).whenComplete((nothing, failure) -> loop.submit(() -> deleted(failure)));
            }
        }

        private void deleted(@org.jspecify.annotations.Nullable Throwable failure) {
            if (over) {
                return;
            }
            pending--;
            if (failure == null) {
                deleted++;
                metrics.filesSwept.inc();
            } else {
                failed++;
            }
            if (pending == 0) {
                loop.schedule(DELETE_PAUSE_NANOS, this::delete);
            }
        }

        private void end() {
            over = true;
            metrics.sweeps.inc();
            if (deleted + failed > 0) {
                Event.Builder event = Event.newBuilder().setReason("files that nothing reaches any more");
                event.addFigures(Events.count("deleted", deleted));
                event.addFigures(Events.count("not-deleted", failed));
                for (Map.Entry<FileState, Integer> count : counts.entrySet()) {
                    String name = count.getKey().name().toLowerCase(java.util.Locale.ROOT);
                    event.addFigures(Events.count(name, count.getValue()));
                }
                event.addFigures(Events.count("map-version", state.mapVersion()));
                events.add(EventKind.SWEPT, event);
            }
        }
    }
}
