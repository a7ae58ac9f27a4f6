package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class BallastTest {
    private static final int BYTES = 3 << 20;
    private static final long LOW = 10 << 20;

    private final ForgetfulDisk disk = new ForgetfulDisk();

    private void write(int bytes) throws IOException {
        try (Disk.File file = disk.open("journal/1")) {
            file.write(file.size(), ByteBuffer.allocate(bytes));
        }
    }

    @Test
    void reservedSpaceIsThereForTheJournal() throws IOException {
        disk.leaveFree(100 << 20);
        Ballast ballast = new Ballast(disk, BYTES);
        ballast.take(disk.freeBytes(), LOW);
        disk.leaveFree(0);
        assertThatThrownBy(() -> write(1)).isInstanceOf(ForgetfulDisk.FullException.class);

        assertThat(ballast.giveUp()).isTrue();

        write(BYTES);
        assertThat(ballast.giveUp()).isFalse();
    }

    @Test
    void itIsTakenAgainWhenThereIsPlentyAndFoundAgainAfterARestart() throws IOException {
        disk.leaveFree(LOW + BYTES);
        Ballast ballast = new Ballast(disk, BYTES);
        ballast.take(disk.freeBytes(), LOW);
        assertThat(disk.list("")).isEmpty();

        disk.leaveFree(LOW + 2 * BYTES);
        ballast.take(disk.freeBytes(), LOW);
        assertThat(disk.list("")).hasSize(1);

        Ballast again = new Ballast(disk, BYTES);
        assertThat(again.giveUp()).isTrue();
        assertThat(disk.list("")).isEmpty();
    }
}
