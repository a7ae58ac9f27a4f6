package cleave.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.backup.place.BackupPlace;
import cleave.runtime.loop.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a place in an object store does, on a server of each kind. */
abstract class PlaceContract {
    private static final ObjectLock.Times TIMES = new ObjectLock.Times(Duration.ofMillis(100), Duration.ofSeconds(2));
    private static final int LARGE = (20 << 20) + 7;

    /** The server's bucket. */
    abstract ObjectStore store() throws Exception;

    private ObjectPlace place(String prefix) throws Exception {
        return new ObjectPlace("place://" + prefix, prefix, store(), Duration.ofSeconds(20), TIMES);
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static int add(BackupPlace place, String name, @Nullable Integer expected, byte[] bytes)
            throws IOException {
        return place.add(name, bytes.length, expected, out -> out.write(bytes));
    }

    private static byte[] read(BackupPlace place, String name) throws IOException {
        try (InputStream in = place.open(name)) {
            return in.readAllBytes();
        }
    }

    @Test
    void filesAreReadAsTheyWereWrittenWhateverTheirSize() throws Exception {
        try (ObjectPlace place = place("sizes/a b")) {
            place.take();
            for (int length : new int[] {0, 1, 8 << 20, (8 << 20) + 1, LARGE}) {
                byte[] bytes = bytes(length);
                String name = BackupPlace.named("data/ranges/1.0/f@0+" + length, checksum(bytes));
                assertThat(add(place, "data/ranges/1.0/f@0+" + length, null, bytes))
                        .isEqualTo(checksum(bytes));
                assertThat(place.length(name)).isEqualTo(length);
                assertThat(read(place, name)).isEqualTo(bytes);
            }
            place.put("index-1", bytes(5));
            place.put("index-1", bytes(6));
            assertThat(read(place, "index-1")).isEqualTo(bytes(6));
            assertThat(place.top()).containsExactly("data", "index-1");
            assertThat(place.below("data/")).hasSize(5).containsValue((long) LARGE);
            place.delete("index-1");
            place.delete("index-1");
            assertThat(place.length("index-1")).isEqualTo(-1);
            assertThatThrownBy(() -> place.open("index-1")).isInstanceOf(NoSuchFileException.class);
        }
        try (ObjectPlace other = place("sizes")) {
            assertThat(other.top()).containsExactly("a b");
        }
        try (ObjectPlace none = place("none")) {
            assertThat(none.top()).isEmpty();
        }
    }

    @Test
    void aFileWithAnotherChecksumThanExpectedIsNotAdded() throws Exception {
        try (ObjectPlace place = place("expected")) {
            for (byte[] bytes : List.of(bytes(100), bytes(LARGE))) {
                assertThat(add(place, "data/f", 1, bytes)).isEqualTo(checksum(bytes));
                assertThat(place.below("data/")).isEmpty();
                assertThat(add(place, "data/f", checksum(bytes), bytes)).isEqualTo(checksum(bytes));
                assertThat(place.below("data/")).hasSize(1);
                place.delete(BackupPlace.named("data/f", checksum(bytes)));
            }
            byte[] good = bytes(LARGE);
            AtomicInteger reads = new AtomicInteger();
            assertThatThrownBy(() -> place.add("data/f", LARGE, null, out -> {
                        out.write(good, 0, LARGE - 1);
                        out.write(good[LARGE - 1] + reads.getAndIncrement());
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("was read twice, with different content");
            assertThat(place.below("data/")).isEmpty();
        }
    }

    @Test
    void whatWasInterruptedIsNoFileAndLeavesNothing() throws Exception {
        byte[] bytes = bytes(LARGE);
        try (ObjectPlace place = place("interrupted")) {
            assertThatThrownBy(() -> place.add("data/f", LARGE, checksum(bytes), out -> {
                        out.write(bytes, 0, 17 << 20);
                        throw new IOException("the DFS is gone");
                    }))
                    .hasMessage("the DFS is gone");
            assertThatThrownBy(() -> place.add("data/f", LARGE, checksum(bytes), out -> out.write(bytes, 0, 9 << 20)))
                    .hasMessageContaining("has " + (9 << 20) + " bytes");
            assertThat(place.below("data/")).isEmpty();
        }
        try (ObjectStore store = store()) {
            String upload = store.begin("interrupted/data/g"); // And then it was killed.
            store.part("interrupted/data/g", upload, 1, bytes, 5 << 20);
        }
        try (ObjectPlace place = place("interrupted");
                ObjectStore store = store()) {
            place.removeHalfWritten();
            assertThat(store.unfinished("interrupted/")).isEmpty();
            assertThat(add(place, "data/g", null, bytes)).isEqualTo(checksum(bytes));
            assertThat(read(place, BackupPlace.named("data/g", checksum(bytes))))
                    .isEqualTo(bytes);
        }
    }

    @Test
    void twoBackupsAtOnceDoNotMeetInOnePlace() throws Exception {
        try (ObjectPlace held = place("held");
                ObjectPlace other = place("held")) {
            held.take();
            assertThatThrownBy(other::take)
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            taken -> assertThat(taken.exitCode()).isEqualTo(ExitCode.TAKEN))
                    .hasMessageContaining("is in use by another backup (pid ");
            assertThat(held.top()).isEmpty();
        }
        try (ObjectPlace next = place("held")) {
            next.take();
            next.put("index-1", bytes(1));
        }
    }

    @Test
    @SuppressWarnings("try") // It is closed before the end to see what that leaves.
    void thePlaceOfAKilledBackupIsTakenByTheNextOneAndItsOwnerLearnsOfIt() throws Exception {
        try (ObjectStore store = store();
                ObjectPlace next = place("left")) {
            assertThat(store.create("left/lock", "pid 1 on some machine\n".getBytes(StandardCharsets.UTF_8)))
                    .isTrue();
            next.take();
            assertThat(store.length("left/lock")).isGreaterThan("pid 1 on some machine\n".length());
        }
        try (ObjectStore store = store();
                ObjectPlace lost = place("lost")) {
            lost.take();
            byte[] other = "pid 1 on some machine\n".getBytes(StandardCharsets.UTF_8);
            Await.until("the lost place is noticed", () -> {
                store.put("lost/lock", other); // A renewal that was on its way may come after it.
                try {
                    lost.delete("index-1");
                    return false;
                } catch (CommandFailure taken) {
                    assertThat(taken).hasMessageContaining("another backup has taken place://lost");
                    return true;
                }
            });
            lost.close();
            assertThat(store.length("lost/lock")).isEqualTo(other.length);
        }
    }
}
