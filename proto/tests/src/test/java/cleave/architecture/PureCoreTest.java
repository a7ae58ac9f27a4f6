package cleave.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.grpc.Status;
import java.io.File;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The rule works: each violation that is planted here is reported. */
@SuppressWarnings({"WaitNotInLoop", "UnusedMethod"})
class PureCoreTest {
    private static List<String> impurities(Class<?> planted, boolean isSilent) {
        return PureCore.impurities(new ClassFileImporter().importClass(planted), isSilent);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReadsTheClock.class,
                ReadsTheClockByReference.class,
                ReadsTheTime.class,
                DrawsWithoutASeed.class,
                Shuffles.class,
                MakesAUuid.class,
                StartsAThread.class,
                Locks.class,
                Synchronizes.class,
                Waits.class,
                Blocks.class,
                HasAnExecutor.class,
                CompletesElsewhere.class,
                ReadsAFile.class,
                NamesAFile.class,
                OpensASocket.class,
                KnowsGrpc.class,
                ReadsTheEnvironment.class
            })
    void whatIsNotPureIsTold(Class<?> planted) {
        assertThat(impurities(planted, false)).isNotEmpty().allMatch(what -> what.startsWith("A core may not"));
    }

    @ParameterizedTest
    @ValueSource(classes = {UsesWhatItIsGiven.class})
    void whatIsPureIsNot(Class<?> planted) {
        assertThat(impurities(planted, true)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {Logs.class})
    void handlersMayLogAndValuesMayNot(Class<?> planted) {
        assertThat(impurities(planted, false)).isEmpty();
        assertThat(impurities(planted, true)).isNotEmpty();
    }

    private static final class ReadsTheClock {
        long now() {
            return System.nanoTime();
        }
    }

    private static final class ReadsTheClockByReference {
        LongSupplier now() {
            return System::currentTimeMillis;
        }
    }

    private static final class ReadsTheTime {
        Instant now() {
            return Instant.now();
        }
    }

    private static final class DrawsWithoutASeed {
        int draw() {
            return new Random().nextInt();
        }
    }

    private static final class Shuffles {
        void shuffle(List<String> all) {
            Collections.shuffle(all);
        }
    }

    private static final class MakesAUuid {
        UUID made() {
            return UUID.randomUUID();
        }
    }

    private static final class StartsAThread {
        void start(Runnable work) {
            new Thread(work).start();
        }
    }

    private static final class Locks {
        private final ReentrantLock lock = new ReentrantLock();

        void work() {
            lock.lock();
        }
    }

    private static final class Synchronizes {
        synchronized void work() {}
    }

    private static final class Waits {
        void await(Object lock) throws InterruptedException {
            lock.wait();
        }
    }

    private static final class Blocks {
        String result(CompletableFuture<String> future) {
            return future.join();
        }
    }

    private static final class HasAnExecutor {
        void run(Executor executor, Runnable work) {
            executor.execute(work);
        }
    }

    private static final class CompletesElsewhere {
        CompletableFuture<String> made(Supplier<String> work) {
            return CompletableFuture.supplyAsync(work);
        }
    }

    private static final class ReadsAFile {
        String read(String path) throws java.io.IOException {
            return Files.readString(Path.of(path));
        }
    }

    private static final class NamesAFile {
        Object file(String path) {
            return new File(path);
        }
    }

    private static final class OpensASocket {
        Object open() {
            return new Socket();
        }
    }

    private static final class KnowsGrpc {
        Object status() {
            return Status.OK;
        }
    }

    private static final class ReadsTheEnvironment {
        String home() {
            return System.getenv("HOME");
        }
    }

    private static final class Logs {
        void log() {
            LoggerFactory.getLogger(Logs.class).info("something happened");
        }
    }

    private static final class UsesWhatItIsGiven {
        private final Random random;
        private final AtomicLong count = new AtomicLong();
        private final List<CompletableFuture<Long>> waiting = new ArrayList<>();

        UsesWhatItIsGiven(long seed) {
            this.random = new Random(seed);
        }

        CompletableFuture<Long> ask() {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            waiting.add(answer);
            return answer.thenApply(draw -> draw + count.incrementAndGet());
        }

        void on(Instant now) {
            waiting.forEach(each -> each.complete(now.getEpochSecond() + random.nextInt()));
            waiting.clear();
        }

        long nanos() {
            return TimeUnit.SECONDS.toNanos(3);
        }
    }
}
