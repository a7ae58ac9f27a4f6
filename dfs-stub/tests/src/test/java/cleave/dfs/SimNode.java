package cleave.dfs;

import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.CoreLink;
import cleave.dfs.node.ExtentWork;
import cleave.dfs.node.JournalGroup;
import cleave.dfs.node.NodeCore;
import cleave.dfs.node.NodeIo;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.store.ExtentFiles;
import cleave.dfs.store.ForgetfulDisk;
import cleave.dfs.store.JournalFiles;
import cleave.dfs.store.NodeRecovery;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node on a virtual clock, over a disk that forgets: crashes and restarts as told. Its link loses calls and answers when it
 * crashes, and now and then by chance.
 */
final class SimNode {
    private static final String ID = "sim-node";

    private final SimTime time;
    private final Random random;
    private final NodeLimits limits;
    private final ForgetfulDisk disk = new ForgetfulDisk();
    private final DfsMetrics metrics = new DfsMetrics(new CollectorRegistry());
    private final SimTime.Loop network;
    private final List<NodeLink.Events> sessions = new ArrayList<>();
    private boolean calm;
    private @Nullable Life life;

    /** One run of the node's process, which a crash ends. */
    private static final class Life {
        final SimTime.Loop loop;
        final CoreLink link;

        Life(SimTime.Loop loop, CoreLink link) {
            this.loop = loop;
            this.link = link;
        }
    }

    SimNode(SimTime time, Random random, NodeLimits limits) {
        this.time = time;
        this.random = random;
        this.limits = limits;
        this.network = time.loop();
        start();
    }

    /** Sometimes the power fails again while the node is being read back. */
    void start() {
        while (!calm && random.nextInt(6) == 0) {
            disk.powerFailsAfter(random.nextInt(20));
            try {
                NodeRecovery.recover(disk, new ExtentFiles(disk));
            } catch (ForgetfulDisk.PowerFailure | ForgetfulDisk.FullException again) {
                disk.crash(random);
            } catch (UncheckedIOException again) {
                disk.crash(random);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        disk.powerStays();
        recover();
    }

    private void recover() {
        emptyDisk(); // A node does not start on a disk without any room.
        try {
            ExtentFiles extents = new ExtentFiles(disk);
            NodeRecovery.Recovered recovered = NodeRecovery.recover(disk, extents);
            SimTime.Loop loop = time.loop();
            Io io = new Io(new JournalFiles(disk), extents);
            NodeCore.Outside outside = new NodeCore.Outside(loop, io, plan -> read(extents, plan), metrics);
            NodeCore.Self self = new NodeCore.Self(ID, limits, random.nextLong());
            Life begun = new Life(loop, recovered.start(self, outside));
            io.life = begun;
            life = begun;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static CompletableFuture<ByteString> read(ExtentFiles extents, cleave.dfs.node.ReadPlan plan) {
        try {
            return CompletableFuture.completedFuture(extents.read(plan));
        } catch (DfsException damaged) {
            return CompletableFuture.failedFuture(damaged);
        }
    }

    /** Ends the process; with it the disk loses power, or not. */
    void crash() {
        Life ended = life;
        if (ended != null) {
            ended.loop.kill();
        }
        life = null;
        disk.powerStays();
        if (random.nextInt(3) > 0) {
            disk.crash(random);
        }
        List<NodeLink.Events> broken = List.copyOf(sessions);
        sessions.clear();
        broken.forEach(events -> events.broken("the node crashed"));
    }

    /** Breaks all connections, but the node lives, and what was sent through them may still arrive. */
    void cut() {
        List<NodeLink.Events> broken = List.copyOf(sessions);
        sessions.clear();
        broken.forEach(events -> events.broken("the connection was cut"));
    }

    /** From now on nothing goes wrong by chance. */
    void calmDown() {
        calm = true;
        emptyDisk();
    }

    /** Sets the bytes of the disk that others leave free. */
    void fillDisk(long free) {
        disk.leaveFree(free);
    }

    void emptyDisk() {
        disk.leaveFree(1L << 40);
    }

    boolean isUp() {
        return life != null;
    }

    /** The disk work of one life: each piece takes a while, and a crash may come between any two of its steps. */
    private final class Io implements NodeIo {
        private final JournalFiles journal;
        private final ExtentFiles extents;
        private final SimTime.Loop journalThread = time.loop();
        private final SimTime.Loop extentThread = time.loop();
        private @Nullable Life life;
        private final ArrayDeque<BooleanSupplier> waiting = new ArrayDeque<>();
        private long extentsBusyUntil;

        Io(JournalFiles journal, ExtentFiles extents) {
            this.journal = journal;
            this.extents = extents;
        }

        @Override
        public void commit(JournalGroup group, Runnable done) {
            journalThread.schedule(random.nextInt(200_000), () -> {
                if (isAlive()) {
                    untilDone(() -> journal.commit(group), done);
                }
            });
        }

        @Override
        public void execute(ExtentWork work, Runnable done) {
            extentsBusyUntil = Math.max(extentsBusyUntil, time.now()) + 1 + random.nextInt(300_000);
            extentThread.schedule(extentsBusyUntil - time.now(), () -> {
                if (isAlive()) {
                    inOrder(() -> extents.execute(work), done);
                }
            });
        }

        @Override
        public void measure(java.util.function.LongConsumer free) {
            free.accept(disk.freeBytes());
        }

        private boolean isAlive() {
            return life == SimNode.this.life;
        }

        /** In order: what finds no room holds up what comes after it, until there is some. */
        private void inOrder(IoWork work, Runnable done) {
            waiting.add(() -> attempt(work, done));
            if (waiting.size() == 1) {
                runWaiting();
            }
        }

        private void runWaiting() {
            while (isAlive() && !waiting.isEmpty()) {
                if (!waiting.element().getAsBoolean()) {
                    extentThread.schedule(5_000_000, this::runWaiting);
                    return;
                }
                waiting.poll();
            }
        }

        private void untilDone(IoWork work, Runnable done) {
            if (isAlive() && !attempt(work, done)) {
                journalThread.schedule(5_000_000, () -> untilDone(work, done));
            }
        }

        /** False if there is no room now. */
        private boolean attempt(IoWork work, Runnable done) {
            try {
                int point = random.nextInt(40);
                if (point < 3 && !calm) {
                    disk.powerFailsAfter(point);
                }
                work.run();
                disk.powerStays();
                done.run();
            } catch (ForgetfulDisk.PowerFailure failed) {
                crash();
            } catch (ForgetfulDisk.FullException full) {
                disk.powerStays();
                return false;
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            return true;
        }
    }

    private interface IoWork {
        void run() throws IOException;
    }

    /** A client's way to the node. */
    NodeLink link() {
        return proxy(NodeLink.class, (self, method, arguments) -> switch (method.getName()) {
            case "connect" -> connect((NodeLink.Events) arguments[0]);
            case "close", "findAgain" -> null;
            default -> call(link -> (CompletableFuture<?>) method.invoke(link, arguments));
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object connect(NodeLink.Events events) {
        Life at = life;
        if (at == null) {
            network.schedule(random.nextInt(1_000_000), () -> events.broken("nobody is there"));
            return null;
        }
        sessions.add(events);
        at.link.connect(proxy(NodeLink.Events.class, (self, method, arguments) -> {
            if (method.getName().equals("connected")) {
                arguments[1] = late((NodeLink.Session) arguments[1]);
            }
            return method.invoke(events, arguments);
        }));
        return null;
    }

    /** A session whose client's messages arrive in order, now and then late. */
    private NodeLink.Session late(NodeLink.Session session) {
        SimTime.Loop wire = time.loop();
        long[] arrives = {0};
        return proxy(NodeLink.Session.class, (self, method, arguments) -> {
            int delay = calm || random.nextInt(40) > 0 ? 0 : random.nextInt(50_000_000);
            arrives[0] = Math.max(arrives[0], time.now() + delay);
            wire.schedule(arrives[0] - time.now(), () -> arrive(session, method, arguments));
            return null;
        });
    }

    private static void arrive(NodeLink.Session session, Method method, Object[] arguments) {
        try {
            method.invoke(session, arguments);
        } catch (ReflectiveOperationException failed) {
            throw new LinkageError(failed.getMessage(), failed);
        }
    }

    private interface Call {
        CompletableFuture<?> at(CoreLink link) throws ReflectiveOperationException;
    }

    /** A call that may be lost, or its answer. */
    private CompletableFuture<Object> call(Call call) throws ReflectiveOperationException {
        CompletableFuture<Object> result = new CompletableFuture<>();
        Life at = life;
        Runnable lose = () -> result.completeExceptionally(new DfsException(DfsException.Reason.UNAVAILABLE, "lost"));
        if (at == null || (!calm && random.nextInt(50) == 0)) {
            network.schedule(random.nextInt(1_000_000), lose);
            return result;
        }
        boolean answerIsLost = !calm && random.nextInt(50) == 0;
        network.schedule(20_000_000, lose);
        call.at(at.link).whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!answerIsLost) {
                result.complete(value);
            }
        });
        return result;
    }
}
