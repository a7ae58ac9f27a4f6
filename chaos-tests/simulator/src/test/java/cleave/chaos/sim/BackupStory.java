package cleave.chaos.sim;

import static cleave.chaos.sim.world.Intercepted.withAnswers;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Page;
import cleave.chaos.history.Write;
import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.Admin;
import cleave.chaos.sim.cluster.SimClient;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimSettings;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.dfs.SimDfsNode;
import cleave.chaos.sim.faults.FaultKind;
import cleave.chaos.sim.faults.Faults;
import cleave.chaos.sim.faults.TableChurn;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.deploy.CommandFailure;
import cleave.deploy.backup.Backups;
import cleave.deploy.backup.ClusterAccess;
import cleave.dfs.Dfs;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.RestoreRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster is backed up while it is written to, while its ranges are split, merged, moved and taken over, its tables dropped and created
 * again, and its files swept; the backup is restored in another cluster, where everything is read. Confined to its caller.
 *
 * <p>What was restored counts as read while the backup ran: each partition must be as it was at one moment of that time, after all that
 * was acknowledged before.
 */
final class BackupStory {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;
    private static final int CLIENTS = 6;
    private static final int READER = 99;
    private static final int SCANS_FROM = 1_000_000;
    private static final long PATIENCE_NANOS = 60 * SECOND;
    private static final EnumSet<FaultKind> FAULTS = EnumSet.of(
            FaultKind.CRASH_OF_A_SERVER,
            FaultKind.CRASH_OF_A_MASTER,
            FaultKind.PAUSE,
            FaultKind.LOST_LEADER,
            FaultKind.CUT_FROM_THE_MASTERS,
            FaultKind.SPLIT,
            FaultKind.MERGE,
            FaultKind.MOVE,
            FaultKind.DRAIN,
            FaultKind.CANCEL,
            FaultKind.SLOW_SYNCS,
            FaultKind.SLOW_SEALS,
            FaultKind.LAGGING_READERS,
            FaultKind.BROKEN_FILES);

    /** A mistake that a backup could make. */
    enum Mistake {
        NONE,
        /** The end of an open log is not copied. */
        TAIL_LEFT_OUT,
        /** The map is not proved to be the map after the backup began. */
        OLD_MAP,
        /** Drops of tables, those under way and those that began and ended meanwhile, go unnoticed. */
        DROPS_FORGOTTEN
    }

    /** The story stopped: a violation says why. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One cluster. */
    private static final class Side {
        private final World world;
        private final SimCluster cluster;
        private final SimWorkload workload = SimWorkload.ofTwoTables();
        private final SimProcess tool;
        private final List<String> frontEnds;

        Side(long seed) {
            world = new World(seed, null);
            Random random = world.newRandom();
            SimMedium medium = random.nextBoolean() ? new SimDfsNode(world, Bug.NONE) : new SimDfs(world, Bug.NONE);
            cluster = new SimCluster(world, new SimCluster.Size(3, 4, 2), SimSettings.random(random), Bug.NONE, medium);
            tool = new SimProcess(world, "backup");
            frontEnds = cluster.frontEnds().stream().map(Node::name).toList();
            if (medium instanceof SimDfsNode node) {
                node.machine().start();
            }
            cluster.start();
        }

        SimClient client(int number) {
            return new SimClient(cluster, workload, "c" + number, frontEnds, number);
        }

        void runFor(long nanos) {
            world.runFor(nanos);
        }
    }

    /** The masters and the time of one cluster, as the tool has them. */
    private static class Access implements ClusterAccess {
        private final Side side;
        private final Random random;

        Access(Side side) {
            this.side = side;
            this.random = side.world.newRandom();
        }

        @Override
        public StatusReply status() {
            long deadline = side.world.now() + PATIENCE_NANOS;
            while (side.world.now() < deadline && side.world.violations().isEmpty()) {
                String leader = side.cluster.raft().leaderNode();
                if (leader != null) {
                    Pieces pieces = new Pieces();
                    Admin.of(side.world, side.tool, leader).getStatus(StatusRequest.getDefaultInstance(), pieces);
                    side.world.runUntil(side.world.now() + SECOND, () -> pieces.ended);
                    StatusReply whole = pieces.whole.build();
                    if (pieces.isWhole && whole.getStatus().getCode() == ErrorCode.OK) {
                        return whole;
                    }
                }
                pause();
            }
            throw new Stopped();
        }

        @Override
        public Status restore(RestoreRequest request) {
            String leader = side.cluster.raft().leaderNode();
            @Nullable CommandReply[] answer = new CommandReply[1];
            if (leader != null) {
                Admin.of(side.world, side.tool, leader).restore(request, Admin.on(reply -> answer[0] = reply));
                side.world.runUntil(side.world.now() + 20 * SECOND, () -> answer[0] != null);
            }
            return answer[0] == null
                    ? Status.newBuilder().setCode(ErrorCode.UNKNOWN_OUTCOME).build()
                    : answer[0].getStatus();
        }

        @Override
        public void pause() {
            side.runFor(200 * MILLI);
        }

        /** Now and then the tool is slow. */
        @Override
        public <T> T await(CompletableFuture<T> work) {
            side.world.runUntil(side.world.now() + PATIENCE_NANOS, work::isDone);
            if (random.nextInt(8) == 0) {
                side.runFor(random.nextInt(500_000_000));
            }
            if (!work.isDone()) {
                throw new Stopped();
            }
            try {
                return work.join();
            } catch (CompletionException failure) {
                if (failure.getCause() instanceof RuntimeException answer) {
                    throw answer;
                }
                throw failure;
            }
        }
    }

    private static final class Pieces implements StreamObserver<StatusReply> {
        private final StatusReply.Builder whole = StatusReply.newBuilder();
        private boolean ended;
        private boolean isWhole;

        @Override
        public void onNext(StatusReply piece) {
            whole.mergeFrom(piece);
        }

        @Override
        public void onError(Throwable failure) {
            ended = true;
        }

        @Override
        public void onCompleted() {
            isWhole = true;
            ended = true;
        }
    }

    private final Mistake mistake;
    private final Side first;
    private final Side second;
    private final Path folder;
    private final List<SimClient> clients = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long began;
    private long ended;

    private BackupStory(long seed, Mistake mistake, Path folder) {
        this.mistake = mistake;
        this.folder = folder;
        this.first = new Side(seed);
        this.second = new Side(seed + 1_000_000_007);
    }

    /** Everything that was wrong, for people. */
    static List<String> run(long seed, Mistake mistake, Path folder) throws IOException {
        BackupStory story = new BackupStory(seed, mistake, folder);
        try {
            story.backUp();
            story.restore();
        } catch (CommandFailure failed) {
            story.violations.add("the command failed: " + failed.getMessage());
        } catch (Stopped stopped) {
            story.violations.add("the story stopped");
        }
        story.first.world.violations().forEach(finding -> story.violations.add("first cluster: " + finding));
        story.second.world.violations().forEach(finding -> story.violations.add("second cluster: " + finding));
        return story.violations;
    }

    private void backUp() throws IOException {
        for (int i = 1; i <= CLIENTS; i++) {
            clients.add(first.client(i));
        }
        TableChurn churn = new TableChurn(clients.get(0));
        Faults faults = new Faults(first.cluster, new SimProcess(first.world, "operator"), FAULTS, null);
        clients.forEach(SimClient::start);
        churn.start();
        first.runFor(2 * SECOND);
        faults.begin();
        first.runFor((8 + first.world.newRandom().nextInt(8)) * SECOND);
        Access access = accessWith(mistake, first);
        Dfs dfs = first.cluster.dfs().at(first.tool);
        began = first.world.now();
        Backups.make(access, mistake == Mistake.TAIL_LEFT_OUT ? withoutTails(dfs) : dfs, folder);
        ended = first.world.now();
        first.runFor(SECOND);
        faults.end();
        clients.forEach(SimClient::stop);
        churn.stop();
        first.world.runUntil(
                first.world.now() + PATIENCE_NANOS,
                () -> churn.isIdle() && clients.stream().allMatch(SimClient::isIdle));
    }

    private void restore() throws IOException {
        second.runFor(5 * SECOND);
        Backups.restore(new Access(second), second.cluster.dfs().at(second.tool), folder);
        SimClient reader = second.client(READER);
        for (String table : first.workload.tables()) {
            scan(reader, table);
        }
        for (Operation operation : List.copyOf(second.workload.history().operations())) {
            if (operation instanceof Page page) {
                first.workload.record(new Page(
                        new Call(READER, began, ended),
                        SCANS_FROM + page.scan(),
                        page.from(),
                        page.until(),
                        page.rows()));
            }
        }
        var result = HistoryChecker.check(first.workload.history());
        result.violations().forEach(violation -> violations.add("history: " + violation));
        List<String> churned = first.workload.history().operations().stream()
                .flatMap(operation -> operation instanceof Change change ? change.writes().stream() : Stream.empty())
                .map(write -> write.key().table())
                .filter(table -> table.startsWith("churn"))
                .map(table -> table.substring(0, table.indexOf('#') < 0 ? table.length() : table.indexOf('#')))
                .distinct()
                .toList();
        for (String table : churned) {
            usable(reader, table);
        }
    }

    private void scan(SimClient reader, String table) {
        boolean[] whole = new boolean[1];
        for (int tries = 0; !whole[0] && tries < 20 && second.world.violations().isEmpty(); tries++) {
            boolean[] over = new boolean[1];
            reader.scan(second.workload.walkOf(table), isWhole -> {
                whole[0] = isWhole;
                over[0] = true;
            });
            second.world.runUntil(second.world.now() + PATIENCE_NANOS, () -> over[0]);
        }
        if (!whole[0]) {
            violations.add("unread: table " + table);
        }
    }

    /** A table that came and went has the rows of one life only, one that had not ended when the backup began; and its name is usable. */
    private void usable(SimClient reader, String table) {
        boolean[] usable = new boolean[1];
        long deadline = second.world.now() + PATIENCE_NANOS;
        while (!usable[0]
                && second.world.now() < deadline
                && second.world.violations().isEmpty()) {
            boolean[] over = new boolean[1];
            reader.send(second.workload.requests().createTable(table), (answer, sent) -> {
                over[0] = true;
                usable[0] = answer != null
                        && (answer.isSuccess() || answer.errorCode().equals("TableAlreadyExists"));
            });
            second.world.runUntil(second.world.now() + 20 * SECOND, () -> over[0]);
            second.runFor(200 * MILLI);
        }
        if (!usable[0]) {
            violations.add("table " + table + ": its name is lost: it can neither be used nor be created");
            return;
        }
        int before = second.workload.history().size();
        scan(reader, table);
        List<SortedSet<String>> livesOfRows =
                second
                        .workload
                        .history()
                        .operations()
                        .subList(before, second.workload.history().size())
                        .stream()
                        .filter(Page.class::isInstance)
                        .flatMap(page -> ((Page) page).rows().stream())
                        .map(row -> livesOf(table, row))
                        .toList();
        TreeSet<String> lives = new TreeSet<>();
        livesOfRows.forEach(lives::addAll);
        livesOfRows.forEach(lives::retainAll);
        if (lives.isEmpty() && !livesOfRows.isEmpty()) {
            violations.add("table " + table + " has rows of several lives: " + livesOfRows);
        } else if (!lives.isEmpty() && lives.stream().allMatch(life -> endedBefore(table, life))) {
            violations.add("table " + table + " was dropped before the backup and has rows of " + lives);
        }
    }

    /**
     * The lives in which an entity may have been written with these values: one, for values are written once, unless the write was in
     * doubt and may have taken effect in the next life.
     */
    private SortedSet<String> livesOf(String table, Page.Row row) {
        TreeSet<String> lives = new TreeSet<>();
        for (Operation operation : first.workload.history().operations()) {
            if (operation instanceof Change change) {
                for (Write write : change.writes()) {
                    boolean isOfTable = write.key().table().startsWith(table + "#");
                    boolean isOfEntity = write.key().row().equals(row.key().row());
                    if (isOfTable
                            && isOfEntity
                            && !write.properties().isEmpty()
                            && row.result()
                                    .properties()
                                    .entrySet()
                                    .containsAll(write.properties().entrySet())) {
                        lives.add(write.key().table());
                    }
                }
            }
        }
        return lives;
    }

    /** A later life was written to before the backup began. */
    private boolean endedBefore(String table, String life) {
        int number = Integer.parseInt(life.substring(life.indexOf('#') + 1));
        return first.workload.history().operations().stream()
                .filter(operation ->
                        operation instanceof Change && operation.call().invoked() < began)
                .flatMap(operation -> ((Change) operation).writes().stream())
                .map(Write::key)
                .map(EntityKey::table)
                .filter(other -> other.startsWith(table + "#"))
                .anyMatch(other -> Integer.parseInt(other.substring(other.indexOf('#') + 1)) > number);
    }

    private static Access accessWith(Mistake mistake, Side side) {
        return switch (mistake) {
            case NONE, TAIL_LEFT_OUT -> new Access(side);
            case OLD_MAP -> new LateAccess(side);
            case DROPS_FORGOTTEN ->
                new Access(side) {
                    /** Without drops of tables, neither those under way nor those that have ended. */
                    @Override
                    public StatusReply status() {
                        return super.status().toBuilder()
                                .clearDrops()
                                .setDropsMark(1)
                                .build();
                    }
                };
        };
    }

    /** Asks a leader that was deposed before the last handoff, for its first two answers: those around the first pass. */
    private static final class LateAccess extends Access {
        private final StatusReply old;
        private int late = 2;

        LateAccess(Side side) {
            super(side);
            old = super.status();
            for (int tries = 0; tries < 50 && nothingWasHandedOver(); tries++) {
                pause();
            }
        }

        private boolean nothingWasHandedOver() {
            return super.status().getMap().getRowsList().equals(old.getMap().getRowsList());
        }

        @Override
        public StatusReply status() {
            late--;
            return late < 0 ? super.status() : old;
        }
    }

    /** A DFS that shows less of an open file than was acknowledged. */
    private static Dfs withoutTails(Dfs dfs) {
        return withAnswers(
                dfs,
                "stat",
                (Dfs.FileInfo file) ->
                        file.sealed() ? file : new Dfs.FileInfo(file.path(), Math.max(0, file.length() - 300), false));
    }
}
