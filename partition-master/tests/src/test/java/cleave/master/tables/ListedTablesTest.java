package cleave.master.tables;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.Bench;
import cleave.master.core.FakeServer;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.model.Key;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.RangeState;
import cleave.wire.StatusRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A case with ten thousand tables, which a transcript would not show well; transcripts show the rest. */
class ListedTablesTest {
    private static final int TABLES = ListedTables.NAMED_MAX + 3;

    @Test
    void tablesPastTheBoundAreShownByTheirIds() {
        Bench bench = new Bench();
        FakeServer server = bench.server("s1", bench.leader("m1"));
        bench.pass(700);
        bench.obey(server);
        for (long id = 1; id <= TABLES; id++) {
            bench.ranges.create("account", "table%06d".formatted(TABLES - id), id);
        }
        for (long id = 1; id <= TABLES; id += 1_000) {
            Row last = requireNonNull(bench.log.state().rows().at(Key.beforeTable(id)));
            List<Key> tables = LongStream.rangeClosed(id, Math.min(TABLES, id + 999))
                    .mapToObj(Key::beforeTable)
                    .toList();
            bench.log.apply(Script.split(last, tables, List.of(server.incarnation())));
        }
        MasterState state = bench.log.state();
        ManualLoop loop = new ManualLoop();
        ListedTables listed = new ListedTables(loop, bench.ranges);
        Set<Long> unnamed = new HashSet<>();

        loop.run(() -> listed.list(StatusRequest.getDefaultInstance(), state, new CompletableFuture<>()));
        loop.advanceMillis(3_000);
        loop.run(() -> state.rows()
                .all()
                .forEach(row -> listed.describe(RangeState.newBuilder(), row.range(), state, unnamed)));

        assertThat(unnamed).containsExactlyInAnyOrder(10_001L, 10_002L, 10_003L);
        assertThat(listed.whyMissing(unnamed))
                .isEqualTo("3 tables are shown by id: the leader keeps no more than 10000 names");
    }
}
