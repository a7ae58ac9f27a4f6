package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BookKeeperUriTest {
    @Test
    void hostsAndPathAreRead() {
        BookKeeperUri uri = BookKeeperUri.parse("bookkeeper://zk1:2181,[::1]:2182/clusters/blue");

        assertThat(uri)
                .isEqualTo(new BookKeeperUri(List.of("zk1:2181", "[::1]:2182"), "/clusters/blue", "/ledgers", false));
        assertThat(uri.connectString()).isEqualTo("zk1:2181,[::1]:2182");
        assertThat(uri.metadataServiceUri()).isEqualTo("zk+longhierarchical://zk1:2181;[::1]:2182/ledgers");
    }

    @Test
    void bookiesMayKeepTheirMetadataElsewhere() {
        BookKeeperUri uri = BookKeeperUri.parse("bookkeeper://zk1:2181/cleave?ledgers=/bk/ledgers");

        assertThat(uri.path()).isEqualTo("/cleave");
        assertThat(uri.metadataServiceUri()).isEqualTo("zk+longhierarchical://zk1:2181/bk/ledgers");
    }

    @Test
    void theUriCanSayThatItsConnectionsAreClear() {
        assertThat(BookKeeperUri.parse("bookkeeper://zk1:2181/cleave").isClear())
                .isFalse();
        assertThat(BookKeeperUri.parse("bookkeeper://zk1:2181/cleave?clear=true")
                        .isClear())
                .isTrue();
        assertThat(BookKeeperUri.parse("bookkeeper://zk1:2181/cleave?ledgers=/bk&clear=true")
                        .isClear())
                .isTrue();
    }

    @Test
    void whatIsWrongIsTold() {
        Map.of(
                        "bookkeeper:zk1:2181/cleave", "not of the form",
                        "bookkeeper://zk1:2181", "path is missing",
                        "bookkeeper://zk1:2181/", "path is missing",
                        "bookkeeper:///cleave", "needs its port",
                        "bookkeeper://zk1/cleave", "needs its port",
                        "bookkeeper://zk1:99999/cleave", "needs its port",
                        "bookkeeper://zk1:2181,/cleave", "needs its port",
                        "bookkeeper://zk1:2181/a b", "must be segments",
                        "bookkeeper://zk1:2181/../x", "must be segments",
                        "bookkeeper://zk1:2181/cleave?clear=no", "not of the form")
                .forEach(BookKeeperUriTest::assertRefused);
        Map.of(
                        "bookkeeper://zk1:2181/zookeeper/cleave", "belongs to ZooKeeper",
                        "bookkeeper://zk1:2181/ledgers", "must lie apart",
                        "bookkeeper://zk1:2181/ledgers/cleave", "must lie apart",
                        "bookkeeper://zk1:2181/cleave?ledgers=/cleave/l", "must lie apart",
                        "bookkeeper://zk1:2181/cleave?ledgers=", "must be segments",
                        "bookkeeper://inproc:zk/cleave", "not host:port")
                .forEach(BookKeeperUriTest::assertRefused);
    }

    private static void assertRefused(String uri, String why) {
        assertThatThrownBy(() -> BookKeeperUri.parse(uri))
                .isInstanceOfSatisfying(
                        DfsException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.INVALID))
                .hasMessageContaining(uri)
                .hasMessageContaining(why);
    }
}
