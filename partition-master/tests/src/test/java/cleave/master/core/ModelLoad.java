package cleave.master.core;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.transcripts.Command;
import cleave.wire.HotPartition;
import cleave.wire.Middle;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.List;
import java.util.stream.IntStream;

/** The measurements of servers under a load that is spread over a hundred partitions of table 3. */
final class ModelLoad {
    private static final int PARTITIONS = 100;
    private static final long TABLE = 3;
    private double entities = -1;
    private double popular;
    private long bytes;
    private boolean nonsense;

    void be(Command command) {
        entities = Double.parseDouble(command.named("entities", "0"));
        popular = Double.parseDouble(command.named("popular", "0"));
        bytes = Long.parseLong(command.named("mebibytes", "0")) << 20;
        nonsense = command.has("nonsense");
    }

    private static final List<Key> KEYS = IntStream.range(0, PARTITIONS)
            .mapToObj(i -> Key.beforePartition(TABLE, String.format("p%02d", i)))
            .toList();

    /** All partitions are asked for alike, but the popular one. */
    private double share(int ordinal) {
        return (1 - popular) / PARTITIONS + (ordinal == PARTITIONS / 2 ? popular : 0);
    }

    private double share(KeyRange range) {
        double sum = 0;
        for (int i = 0; i < PARTITIONS; i++) {
            sum += range.contains(KEYS.get(i)) ? share(i) : 0;
        }
        return sum;
    }

    double of(Iterable<Row> rows) {
        double sum = 0;
        for (Row row : rows) {
            sum += Math.max(0, entities) * share(row.range());
        }
        return sum;
    }

    void measure(Row row, RangeLoad.Builder load) {
        if (entities < 0) {
            return;
        }
        double here = share(row.range());
        double rate = entities * here;
        load.setEntitiesPerSecond(rate).setEntitiesPerSecond30S(rate).setBytes((long) (bytes * here));
        load.setMiddle(
                Middle.newBuilder().setAt(KEYS.get(PARTITIONS / 2).toWire()).setLeft(0.5));
        if (nonsense) {
            load.setEntitiesPerSecond(Double.NaN)
                    .setEntitiesPerSecond30S(Double.NEGATIVE_INFINITY)
                    .setBytes(-1)
                    .setMiddle(Middle.newBuilder()
                            .setAt(Key.of(TABLE, "p", "r").toWire())
                            .setLeft(Double.NaN));
        }
        double left = 0;
        for (int i = 0; i < PARTITIONS && rate > 0; i++) {
            Key at = KEYS.get(i);
            if (!row.range().contains(at)) {
                continue;
            }
            if (i % 5 == 0) {
                load.addCandidates(SplitCandidate.newBuilder()
                        .setAt(at.toWire())
                        .setLeft((int) (1_000 * left / here))
                        .setRight((int) (1_000 * (1 - left / here)))
                        .setHits(1_000));
            }
            left += share(i);
            if (i == PARTITIONS / 2 && popular > 0) {
                load.setHottest(HotPartition.newBuilder()
                        .setFirst(at.toWire())
                        .setPart(popular / here)
                        .setSamples(1_000));
            }
        }
    }
}
