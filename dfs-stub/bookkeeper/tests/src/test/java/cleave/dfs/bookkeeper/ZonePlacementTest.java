package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.bookkeeper.state.Bookies;
import io.netty.util.HashedWheelTimer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.bookkeeper.client.BKException.BKNotEnoughBookiesException;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.feature.SettableFeatureProvider;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.net.BookieSocketAddress;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Placements with the settings of our client, on bookies that are only named. */
class ZonePlacementTest {
    private static final int PLACEMENTS = 200;
    private static final BookKeeperUri URI = BookKeeperUri.parse("bookkeeper://zk:2181/cleave");

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final ZonePlacement placement = new ZonePlacement();

    @AfterEach
    void stop() {
        timer.stop();
        placement.uninitalize();
    }

    private static BookieId bookie(int number, String zone) {
        return BookieId.parse(
                "cleave-bookie-" + number + (zone.isEmpty() ? "" : ".zone." + zone) + "-0123abc" + number);
    }

    private void bookies(BookieId... bookies) {
        placement.initialize(
                BookKeeperLedgers.settings(URI, 1_000, true),
                Optional.empty(),
                timer,
                SettableFeatureProvider.DISABLE_ALL,
                NullStatsLogger.INSTANCE,
                id -> new BookieSocketAddress("127.0.0.1", 3181));
        placement.onClusterChanged(Set.of(bookies), Set.of());
    }

    private List<BookieId> place() throws BKNotEnoughBookiesException {
        return placement
                .newEnsemble(Bookies.COPIES, Bookies.COPIES, Bookies.ACKNOWLEDGED, Map.of(), new HashSet<>())
                .getResult();
    }

    private static Set<String> zones(List<BookieId> bookies) {
        Set<String> zones = new TreeSet<>();
        bookies.forEach(bookie -> zones.add(ZonePlacement.zoneOf(bookie.getId())));
        return zones;
    }

    @Test
    void itIsThePolicyOfTheClient() throws Exception {
        ClientConfiguration settings = BookKeeperLedgers.settings(URI, 1_000, false);

        assertThat(settings.getEnsemblePlacementPolicy()).isEqualTo(ZonePlacement.class);
        assertThat(settings.getMinNumRacksPerWriteQuorum()).isEqualTo(3);
    }

    @Test
    void aZoneIsAPartOfAnId() {
        assertThat(ZonePlacement.zoneOf("cleave-bookie-0.zone.eu-west-1a-0123abcd"))
                .isEqualTo("eu-west-1a");
        assertThat(ZonePlacement.zoneOf("cleave-bookie-0-0123abcd")).isEmpty();
        assertThat(ZonePlacement.zoneOf("bk.example.com-0123abcd")).isEmpty();
    }

    @Test
    void eachCopyIsInAZoneOfItsOwn() throws Exception {
        bookies(bookie(0, "a"), bookie(1, "b"), bookie(2, "c"), bookie(3, "a"), bookie(4, "a"), bookie(5, "b"));
        for (int i = 0; i < PLACEMENTS; i++) {
            assertThat(zones(place())).containsExactly("a", "b", "c");
        }
    }

    @Test
    void ofTwoZonesBothHaveACopy() throws Exception {
        bookies(bookie(0, "a"), bookie(1, "a"), bookie(2, "a"), bookie(3, "b"));
        for (int i = 0; i < PLACEMENTS; i++) {
            assertThat(zones(place())).containsExactly("a", "b");
        }
    }

    @Test
    void withoutZonesAnyThreeWillDo() throws Exception {
        bookies(bookie(0, ""), bookie(1, ""), bookie(2, ""), bookie(3, ""));
        Set<BookieId> used = new HashSet<>();
        for (int i = 0; i < PLACEMENTS; i++) {
            List<BookieId> placed = place();
            assertThat(placed).doesNotHaveDuplicates().hasSize(3);
            used.addAll(placed);
        }
        assertThat(used).hasSize(4);
    }

    /** The zone that is left alone must take all copies: less spread is better than no writes. */
    @Test
    void aZoneThatIsLostStopsNothing() throws Exception {
        bookies(bookie(0, "a"), bookie(1, "a"), bookie(2, "a"), bookie(3, "b"), bookie(4, "c"));
        placement.onClusterChanged(Set.of(bookie(0, "a"), bookie(1, "a"), bookie(2, "a")), Set.of());

        assertThat(zones(place())).containsExactly("a");
    }

    @Test
    void aFailedBookieIsReplacedInAZoneThatHasNoCopy() throws Exception {
        BookieId failed = bookie(2, "c");
        bookies(bookie(0, "a"), bookie(1, "b"), failed, bookie(3, "a"), bookie(4, "b"), bookie(5, "c"));
        List<BookieId> ensemble = new ArrayList<>(List.of(bookie(0, "a"), bookie(1, "b"), failed));

        BookieId instead = placement
                .replaceBookie(3, 3, 2, Map.of(), ensemble, failed, new HashSet<>(Set.of(failed)))
                .getResult();

        assertThat(instead).isEqualTo(bookie(5, "c"));
    }
}
