package cleave.deploy.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineDiskTest {
    private static final String BOOKIE = "bookie-2";

    @TempDir
    private Path dir;

    private EngineDisk disk() {
        return EngineDisk.ofBookie(List.of(dir.resolve("data")));
    }

    @Test
    void keepsItsIdOverRestarts() {
        assertThat(disk().id()).isEmpty();
        String id = disk().settle(BOOKIE);

        assertThat(id).matches("bookie-2-[0-9a-f]{8}");
        assertThat(disk().settle(BOOKIE)).isEqualTo(id);
        assertThat(disk().id()).contains(id);
    }

    @Test
    void anEmptiedOneGetsAnotherId() throws IOException {
        String before = disk().settle(BOOKIE);
        Files.delete(dir.resolve("data/id"));
        Files.delete(dir.resolve("data"));

        assertThat(disk().settle(BOOKIE)).isNotEqualTo(before);
    }

    @Test
    void aStartThatWasCutShortLeavesNoHalfId() throws IOException {
        Files.createDirectories(dir.resolve("data"));
        Files.writeString(dir.resolve("data/id"), "");

        assertThat(disk().settle(BOOKIE)).startsWith("bookie-2-");
    }

    @Test
    void anIdIsOneOfItsOwnBookieAlone() {
        assertThat(EngineDisk.isNamed(disk().settle("a"), "a")).isTrue();
        assertThat(EngineDisk.isNamed("a-b-0123abcd", "a-b")).isTrue();
        assertThat(EngineDisk.isNamed("a-b-0123abcd", "a")).isFalse();
        assertThat(EngineDisk.isNamed("bookie-10-0123abcd", "bookie-1")).isFalse();
        assertThat(EngineDisk.isNamed("a-0123abcde", "a")).isFalse();
        assertThat(EngineDisk.isNamed("a", "a")).isFalse();
        assertThat(EngineDisk.isNamed("a.zone.eu-west-1a-0123abcd", "a")).isTrue();
        assertThat(EngineDisk.isNamed("a-b.zone.x-0123abcd", "a")).isFalse();
    }

    @Test
    void aZoneIsThatOfTheDisksFirstUse() {
        String id = disk().settle(BookieZone.name(BOOKIE, "eu-west-1a"));

        assertThat(id).matches("bookie-2\\.zone\\.eu-west-1a-[0-9a-f]{8}");
        assertThat(BookieZone.of(id)).contains("eu-west-1a");
        assertThat(disk().settle(BookieZone.name(BOOKIE, "other"))).isEqualTo(id);
        assertThat(BookieZone.of("bookie-2-0123abcd")).isEmpty();
        assertThat(BookieZone.name(BOOKIE, "")).isEqualTo(BOOKIE);
    }

    @Test
    void aZoneThatNobodyCouldCallSoStopsTheStart() {
        for (String wrong : List.of("a/b", "-a", "a b", "$(ZONE)", "a".repeat(64))) {
            EngineConfig config = new EngineConfig(Map.of("zone", wrong));
            assertThatThrownBy(config::zone)
                    .isInstanceOf(BadSetting.class)
                    .hasMessageContaining("setting zone is '" + wrong + "'");
        }
        assertThat(new EngineConfig(Map.of("zone", "")).zone()).isEmpty();
        assertThat(new EngineConfig(Map.of()).zone()).isEmpty();
        assertThat(new EngineConfig(Map.of("zone", "zone-1.b_c")).zone()).isEqualTo("zone-1.b_c");
    }

    @Test
    void ledgersWithoutAnIdAreNotTakenForAnEmptyDisk() throws IOException {
        Files.createDirectories(dir.resolve("data/ledgers"));

        assertThatThrownBy(() -> disk().settle(BOOKIE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the bookie's id is missing");
    }

    private EngineDisk twoVolumes() {
        return EngineDisk.ofBookie(List.of(dir.resolve("journal"), dir.resolve("ledgers")));
    }

    @Test
    void volumesOfOneDiskHaveOneId() {
        String id = twoVolumes().settle(BOOKIE);

        assertThat(dir.resolve("journal/id")).hasContent(id);
        assertThat(dir.resolve("ledgers/id")).hasContent(id);
    }

    @Test
    void aStartThatWasCutShortBetweenTheVolumesIsContinued() throws IOException {
        String id = twoVolumes().settle(BOOKIE);
        Files.delete(dir.resolve("ledgers/id"));

        assertThat(twoVolumes().settle(BOOKIE)).isEqualTo(id);
        assertThat(dir.resolve("ledgers/id")).hasContent(id);
    }

    @Test
    void aDiskOfWhichOneVolumeIsLostIsRefused() throws IOException {
        twoVolumes().settle(BOOKIE);
        Files.createDirectories(dir.resolve("ledgers/current"));
        Files.delete(dir.resolve("journal/id"));

        assertThatThrownBy(() -> twoVolumes().settle(BOOKIE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("a part of the bookie's disk is lost: " + dir.resolve("journal") + " is empty");
    }

    @Test
    void volumesOfDifferentDisksAreRefused() throws IOException {
        twoVolumes().settle(BOOKIE);
        Files.writeString(dir.resolve("journal/id"), "bookie-7-00000000");

        assertThatThrownBy(() -> twoVolumes().settle(BOOKIE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("parts of different disks");
    }
}
