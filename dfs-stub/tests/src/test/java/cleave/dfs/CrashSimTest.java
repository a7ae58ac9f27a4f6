package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.client.ClientLimits;
import cleave.dfs.client.StreamClient;
import cleave.dfs.link.Failures;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients write, seal, read and delete by chance while the node crashes on a disk that forgets whatever was not synced, and connections break. Nothing
 * acknowledged is ever lost, nothing comes behind a fence, and a sealed length never changes.
 */
final class CrashSimTest {
    private static final int SEEDS = Integer.getInteger("sim.seeds", 60);
    private static final @Nullable Long SEED = Long.getLong("sim.seed");
    private static final long MILLI = 1_000_000L;
    private static final ClientLimits PATIENCE =
            new ClientLimits(400 * MILLI, MILLI, 20 * MILLI, Long.MAX_VALUE, 3_000);

    /** Who dies with the node. */
    private enum Form {
        /** The client is in the node's process. */
        EMBEDDED,
        /** The client lives on, and its open files with it. */
        NETWORKED
    }

    @ParameterizedTest
    @EnumSource
    void nothingAcknowledgedIsLost(Form form) {
        long first = SEED == null ? 1 : SEED;
        long last = SEED == null ? SEEDS : SEED;
        for (long seed = first; seed <= last; seed++) {
            try {
                new Run(seed, form).run();
            } catch (Throwable failed) {
                throw new AssertionError("fails with -Dsim.seed=" + seed + " " + form, failed);
            }
        }
    }

    /** One file, as far as it is known. */
    private static final class Known {
        final String path;

        @Nullable
        DfsFile handle;

        ByteString asked = ByteString.EMPTY;
        long acknowledged;
        long sealed = -1;
        boolean created;
        boolean sealAsked;
        boolean deleteAsked;
        boolean deleted;
        boolean failed;

        Known(String path) {
            this.path = path;
        }
    }

    private static final class Run {
        private final Random random;
        private final SimTime time;
        private final SimNode node;
        private final Form form;
        private final TreeMap<String, Known> files = new TreeMap<>();
        private final List<AssertionError> wrong = new ArrayList<>();
        private StreamClient client;
        private SimTime.Loop clientLoop;
        private int names;
        private int incarnation = 5;

        Run(long seed, Form form) {
            this.random = new Random(seed * 31 + (form == Form.EMBEDDED ? 0 : 1));
            this.form = form;
            this.time = new SimTime(random);
            long segment = 2_000L + random.nextInt(100_000);
            int bulk = 300 + random.nextInt(1_700);
            int group = Math.max(2 * bulk, 2_000 + random.nextInt(20_000)); // Small: groups fill, and queue.
            long unwritten = 20_000; // As small: groups wait for the files.
            this.node = new SimNode(
                    time, random, new NodeLimits(segment, bulk, group, unwritten, new SpaceMarks(400_000, 200_000)));
            startClient();
        }

        @SuppressWarnings("NullAway.Init")
        private void startClient() {
            clientLoop = time.loop();
            client = StreamClient.of(
                    PATIENCE,
                    new StreamClient.Outside(clientLoop, node.link(), random, DfsContract.metrics(), () -> {}));
        }

        void run() {
            for (int step = 0; step < 150; step++) {
                act();
                if (random.nextInt(20) == 0) {
                    node.fillDisk(random.nextInt(3) == 0 ? random.nextInt(5_000) : random.nextInt(500_000));
                } else if (random.nextInt(4) == 0) {
                    node.emptyDisk();
                }
                time.runFor(random.nextInt(2_000_000));
                if (!node.isUp()) {
                    afterCrash();
                } else if (random.nextInt(25) == 0) {
                    node.crash();
                    afterCrash();
                } else if (form == Form.NETWORKED && random.nextInt(15) == 0) {
                    node.cut();
                }
                assertThat(wrong).isEmpty();
            }
            settle();
            checkEverything();
        }

        private void afterCrash() {
            if (form == Form.EMBEDDED) {
                clientLoop.kill();
                files.values().forEach(file -> file.handle = null);
                node.start();
                startClient();
                time.runFor(5 * MILLI);
                if (random.nextInt(3) == 0) {
                    checkEverything();
                }
            } else {
                time.runFor(random.nextInt(5) == 0 ? 700 * MILLI : random.nextInt((int) (10 * MILLI)));
                node.start();
            }
        }

        private void act() {
            Known file = random.nextInt(4) == 0 ? null : any();
            if (file == null) {
                create();
                return;
            }
            switch (random.nextInt(20)) {
                case 0, 1 -> seal(file);
                case 2 -> delete(file);
                case 3, 4 -> barrier(file);
                case 5 -> readOpen(file);
                default -> append(file);
            }
        }

        private @Nullable Known any() {
            if (files.isEmpty()) {
                return null;
            }
            List<Known> all = new ArrayList<>(files.values());
            return all.get(random.nextInt(all.size()));
        }

        private void create() {
            names++;
            incarnation += random.nextInt(20) == 0 ? 3 : 0; // The server of some files is another process now.
            Known file = new Known(names % 5 == 0 ? "f/" + names : "ranges/1.0/7-s1." + incarnation + "-log-" + names);
            files.put(file.path, file);
            client.create(file.path).whenComplete((handle, failure) -> {
                if (failure == null) {
                    file.handle = handle;
                    file.created = true;
                }
            });
        }

        private void append(Known file) {
            DfsFile handle = file.handle;
            if (handle == null) {
                return;
            }
            for (int i = random.nextInt(12); i >= 0; i--) {
                byte[] bytes = new byte[1 + (random.nextInt(5) == 0 ? random.nextInt(40_000) : random.nextInt(400))];
                random.nextBytes(bytes);
                file.asked = file.asked.concat(ByteString.copyFrom(bytes));
                long end = file.asked.size();
                handle.append(ByteString.copyFrom(bytes))
                        .whenComplete((length, failure) -> check(() -> {
                            if (failure == null) {
                                assertThat(file.failed)
                                        .as("acknowledged behind a failure")
                                        .isFalse();
                                assertThat(length).isEqualTo(end).isGreaterThan(file.acknowledged);
                                assertThat(file.sealed < 0 || length <= file.sealed)
                                        .isTrue();
                                file.acknowledged = length;
                            } else {
                                file.failed = true;
                                assertEnded(file, failure);
                            }
                        }));
            }
        }

        private void assertEnded(Known file, Throwable failure) {
            Reason reason = Failures.reason(failure);
            assertThat(reason).as(failure.toString()).isIn(Reason.SEALED, Reason.DELETED);
            assertThat(reason == Reason.SEALED ? file.sealAsked : file.deleteAsked)
                    .isTrue();
        }

        private void barrier(Known file) {
            DfsFile handle = file.handle;
            if (handle == null) {
                return;
            }
            boolean mustFail = file.sealed >= 0 || file.deleted;
            handle.barrier()
                    .whenComplete((nothing, failure) -> check(() -> {
                        if (failure == null) {
                            assertThat(mustFail)
                                    .as("a barrier passed after the end of " + file.path)
                                    .isFalse();
                        } else {
                            assertEnded(file, failure);
                        }
                    }));
        }

        private void seal(Known file) {
            file.sealAsked = true;
            client.seal(file.path)
                    .whenComplete((length, failure) -> check(() -> {
                        if (failure == null) {
                            assertSealedLength(file, length);
                        } else if (Failures.reason(failure) == Reason.DELETED) {
                            assertThat(file.deleteAsked || !file.created).isTrue();
                        } else {
                            assertThat(Failures.reason(failure)).isEqualTo(Reason.UNAVAILABLE);
                        }
                    }));
        }

        private static void assertSealedLength(Known file, long length) {
            assertThat(length).as("sealed length of " + file.path).isGreaterThanOrEqualTo(file.acknowledged);
            assertThat(file.sealed < 0 || file.sealed == length).isTrue();
            assertThat(length).isLessThanOrEqualTo(file.asked.size());
            file.sealed = length;
        }

        private void delete(Known file) {
            if (random.nextInt(3) > 0) {
                return;
            }
            file.deleteAsked = true;
            client.delete(file.path)
                    .whenComplete((nothing, failure) -> check(() -> {
                        if (failure == null) {
                            file.deleted = true;
                        } else {
                            assertThat(Failures.reason(failure)).isEqualTo(Reason.UNAVAILABLE);
                        }
                    }));
        }

        /** A reader sees no more of an open file than any seal of it will keep. */
        private void readOpen(Known file) {
            client.read(file.path, 0, 1 << 20)
                    .whenComplete((bytes, failure) -> check(() -> {
                        if (failure == null) {
                            assertThat(file.asked.startsWith(bytes)).isTrue();
                            assertThat(file.sealed < 0 || bytes.size() <= file.sealed)
                                    .isTrue();
                            file.acknowledged = Math.max(file.acknowledged, 0);
                            seen(file, bytes.size());
                        } else {
                            assertThat(Failures.reason(failure))
                                    .isIn(Reason.UNAVAILABLE, Reason.NOT_FOUND, Reason.DELETED);
                        }
                    }));
        }

        private final TreeMap<String, Integer> seen = new TreeMap<>();

        private void seen(Known file, int bytes) {
            seen.merge(file.path, bytes, Math::max);
        }

        private void check(Runnable assertions) {
            try {
                assertions.run();
            } catch (AssertionError failed) {
                wrong.add(failed);
            }
        }

        /** Whatever waits comes to its end when the node stays up. */
        private void settle() {
            node.calmDown();
            int left = 50;
            do {
                time.runFor(1_000 * MILLI);
                if (!node.isUp()) {
                    afterCrash();
                }
                left--;
            } while (left > 0 && !isSettled());
            assertThat(wrong).isEmpty();
            assertThat(isSettled()).as("appends still wait").isTrue();
        }

        private boolean isSettled() {
            return files.values().stream()
                    .allMatch(file -> file.handle == null || file.failed || file.acknowledged == file.asked.size());
        }

        private void checkEverything() {
            for (Known file : files.values()) {
                if (file.deleted || file.deleteAsked) {
                    if (file.deleted) {
                        assertThat(reasonOf(() -> client.seal(file.path))).isEqualTo(Reason.DELETED);
                        assertThat(reasonOf(() -> client.create(file.path))).isEqualTo(Reason.EXISTS);
                    }
                    continue;
                }
                file.sealAsked = true;
                if (!file.created && isOver(file)) {
                    continue;
                }
                long sealed = await(() -> client.seal(file.path));
                assertSealedLength(file, sealed);
                assertThat(sealed).isGreaterThanOrEqualTo(seen.getOrDefault(file.path, 0));
                ByteString bytes = await(() -> client.read(file.path, 0, 10 << 20));
                assertThat(bytes.size()).isEqualTo((int) sealed);
                assertThat(file.asked.startsWith(bytes))
                        .as("bytes of " + file.path)
                        .isTrue();
            }
        }

        /** A file whose create was not answered, and of whose server a later incarnation has made another. */
        private boolean isOver(Known file) {
            try {
                await(() -> client.seal(file.path));
                return false;
            } catch (DfsException refused) {
                assertThat(refused.reason()).isEqualTo(Reason.DELETED);
                assertThat(file.path).startsWith("ranges/").doesNotContain("-s1." + incarnation + "-");
                return true;
            }
        }

        private Reason reasonOf(java.util.function.Supplier<CompletableFuture<?>> call) {
            try {
                Object value = await(call);
                throw new AssertionError("answered " + value);
            } catch (DfsException refused) {
                return refused.reason();
            }
        }

        private <T> T await(java.util.function.Supplier<? extends CompletableFuture<? extends T>> call) {
            for (int attempt = 0; attempt < 100; attempt++) {
                CompletableFuture<? extends T> future = call.get();
                for (int i = 0; i < 1_000 && !future.isDone(); i++) {
                    time.runFor(MILLI);
                    if (!node.isUp()) {
                        node.start();
                    }
                }
                try {
                    return future.getNow(null);
                } catch (java.util.concurrent.CompletionException failed) {
                    if (Failures.reason(failed) != Reason.UNAVAILABLE) {
                        throw (DfsException) Failures.cause(failed);
                    }
                }
            }
            throw new AssertionError("never answered");
        }
    }
}
