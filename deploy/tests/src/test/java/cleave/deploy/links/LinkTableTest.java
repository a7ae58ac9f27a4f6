package cleave.deploy.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LinkTableTest {
    private static final LinkTable WHOLE = LinkTable.of(Map.of(
            "127.0.0.1:7001", "master-1",
            "127.0.0.1:7002", "master-1",
            "127.0.0.1:7003", "master-2",
            "127.0.0.1:7004", "server-1",
            "127.0.0.1:7005", "server-2"));

    @Test
    void aLinkIsTheSameFromEitherEnd() {
        LinkTable table = WHOLE.cutting("server-1", List.of("master-1"));

        assertThat(table.isCut("server-1", "master-1")).isTrue();
        assertThat(table.isCut("master-1", "server-1")).isTrue();
        assertThat(table.isCut("server-1", "master-2")).isFalse();
        assertThat(table.isCut("server-2", "master-1")).isFalse();
        assertThat(table.healing("master-1", List.of("server-1"))).isEqualTo(WHOLE);
    }

    @Test
    void linksAreCutOneAfterTheOtherAndHealedAtOnce() {
        LinkTable table = WHOLE.cutting("server-1", List.of("master-1", "master-2"))
                .cutting("server-2", List.of("master-1"))
                .cutting("server-1", List.of("master-1"));

        assertThat(table.cut())
                .containsExactly(
                        new Link("master-1", "server-1"),
                        new Link("master-1", "server-2"),
                        new Link("master-2", "server-1"));
        assertThat(table.healing("server-1", List.of("master-1", "master-2")).cut())
                .containsExactly(new Link("master-1", "server-2"));
        assertThat(table.healed()).isEqualTo(WHOLE);
    }

    @Test
    void aProcessHasNoLinkToItselfNorToAStranger() {
        assertThat(WHOLE.isCut("master-1", "master-1")).isFalse();
        assertThatThrownBy(() -> WHOLE.cutting("master-1", List.of("master-1")))
                .hasMessage("master-1 has no link to itself");
        assertThatThrownBy(() -> WHOLE.cutting("master-1", List.of("server-9")))
                .hasMessage("no process is called 'server-9'");
    }

    @Test
    void aProcessServesAtSeveralAddresses() {
        assertThat(WHOLE.at("127.0.0.1:7001")).hasValue("master-1");
        assertThat(WHOLE.at("127.0.0.1:7002")).hasValue("master-1");
        assertThat(WHOLE.at("127.0.0.1:9")).isEmpty();
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        LinkTable table = WHOLE.cutting("server-1", List.of("master-1", "master-2"));

        assertThat(LinkTable.parse(table.text())).isEqualTo(table);
        assertThat(table.text()).contains("node 127.0.0.1:7003 master-2\n", "cut master-1 server-1\n");
        assertThat(LinkTable.parse("").nodes()).isEmpty();
    }

    @Test
    void aFileThatIsNoTableIsRefusedWithItsLine() {
        for (String line : List.of("cut server-1", "wire a b", "node 127.0.0.1:1 master-1 2", "cut a b")) {
            assertThatThrownBy(() -> LinkTable.parse("node 127.0.0.1:7001 master-1\n" + line + "\n"))
                    .as(line)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(line.equals("cut a b") ? "'a'" : "'" + line + "'");
        }
    }
}
