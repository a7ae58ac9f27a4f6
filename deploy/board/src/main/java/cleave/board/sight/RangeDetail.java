package cleave.board.sight;

import cleave.board.axis.Bounds;
import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameWriter;
import cleave.board.frame.Measure;
import cleave.board.frame.Told.Event;
import cleave.board.frame.Told.Hot;
import cleave.board.frame.Told.HotKey;
import cleave.board.frame.Told.Why;
import cleave.board.sight.Ranges.Range;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.RangeLoad;
import cleave.wire.StatusReply;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What is known of one range, as a JSON object. Pure. */
public final class RangeDetail {
    private RangeDetail() {}

    /** The id of the range in which a partition lies; 0: the frame does not tell it apart. */
    public static long idAt(Frame frame, long table, String key, boolean hashed) {
        Cut at = new Cut(table, key);
        List<Cut> cuts = frame.axis().cuts();
        int bucket = 0;
        if (hashed) {
            bucket = cuts.indexOf(at) + 1;
        } else {
            while (bucket < cuts.size() && cuts.get(bucket).compareTo(at) <= 0) {
                bucket++;
            }
        }
        return frame.cells().buckets() == 0 ? 0 : frame.cells().range(bucket);
    }

    /** The id of the range of a status in which a partition lies; 0: there is none. */
    public static long idAt(StatusReply status, long table, String key) {
        Key at = Key.beforePartition(table, key);
        return new Ranges(status)
                .all().stream()
                        .filter(range -> range.row().range().contains(at))
                        .mapToLong(Range::id)
                        .findFirst()
                        .orElse(0);
    }

    /** From a frame alone; empty if it does not tell the range apart. */
    public static Optional<byte[]> of(Frame frame, long id, List<Event> events) {
        int[] buckets = IntStream.range(0, frame.cells().buckets())
                .filter(bucket -> frame.cells().range(bucket) == id)
                .toArray();
        if (buckets.length == 0) {
            return Optional.empty();
        }
        int first = buckets[0];
        int last = buckets[buckets.length - 1];
        Hot hot = frame.told().hottest().stream()
                .filter(each -> each.range() == id)
                .findFirst()
                .orElse(null);
        return Optional.of(FrameWriter.object(json -> {
            json.writeNumberField("id", id);
            json.writeStringField("name", Row.idText(id));
            json.writeBooleanField("live", false);
            FrameWriter.writeCut(
                    json, "from", first == 0 ? null : frame.axis().cuts().get(first - 1));
            FrameWriter.writeCut(
                    json,
                    "to",
                    last == frame.axis().cuts().size()
                            ? null
                            : frame.axis().cuts().get(last));
            json.writeStringField("owner", owner(frame, first));
            json.writeNumberField("state", state(frame.cells(), buckets));
            json.writeObjectFieldStart("load");
            for (Measure measure : Measure.values()) {
                json.writeNumberField(measure.word(), value(frame.cells(), buckets, measure));
            }
            json.writeEndObject();
            writePartition(json, hot == null ? null : hot.partition());
            List<Why> why = hot == null ? List.of() : hot.why();
            FrameWriter.writeWhy(json, why);
            FrameWriter.writeEvents(json, of(id, events));
        }));
    }

    /**
     * From what the leader says of it now; empty if there is no such range.
     *
     * @param status with its load and why it is left alone
     */
    public static Optional<byte[]> of(StatusReply status, long id, List<Event> events, Names names) {
        Range range = new Ranges(status)
                .all().stream().filter(each -> each.id() == id).findFirst().orElse(null);
        if (range == null) {
            return Optional.empty();
        }
        RangeLoad load = range.load();
        Key end = range.row().range().end();
        return Optional.of(FrameWriter.object(json -> {
            json.writeNumberField("id", id);
            json.writeStringField("name", Row.idText(id));
            json.writeBooleanField("live", true);
            FrameWriter.writeCut(
                    json,
                    "from",
                    range.row().range().start().equals(Key.MIN)
                            ? null
                            : names.cut(range.row().range().start()));
            FrameWriter.writeCut(json, "to", end == null ? null : names.cut(end));
            json.writeStringField(
                    "owner",
                    range.row().owner() == null ? "" : range.row().owner().server());
            json.writeStringField("serves", range.state().getState());
            json.writeStringField("handoff", range.state().getHandoff());
            json.writeStringField("trouble", range.state().getTrouble());
            json.writeNumberField("epoch", range.row().epoch());
            json.writeNumberField("version", range.row().version());
            writeLoad(json, load);
            writeBounds(json, load, names);
            HotKey partition = Sight.partition(load, names);
            writePartition(json, partition);
            FrameWriter.writeWhy(json, Sight.why(range.state().getWhyNotList(), names));
            FrameWriter.writeEvents(json, of(id, events));
        }));
    }

    private static void writeLoad(JsonGenerator json, RangeLoad load) throws IOException {
        json.writeObjectFieldStart("load");
        json.writeNumberField(Measure.ENTITIES.word(), Math.round(load.getEntitiesPerSecond()));
        json.writeNumberField("entities30s", Math.round(load.getEntitiesPerSecond30S()));
        json.writeNumberField("entities5m", Math.round(load.getEntitiesPerSecond5M()));
        json.writeNumberField(Measure.WRITTEN.word(), Math.round(load.getWritten()));
        json.writeNumberField(Measure.READ.word(), Math.round(load.getRead()));
        json.writeNumberField(Measure.SCANNED.word(), Math.round(load.getScanned()));
        json.writeNumberField("requests", Math.round(load.getRequests()));
        json.writeNumberField("bytesMoved", Math.round(load.getBytesMoved()));
        json.writeNumberField(Measure.CPU.word(), Math.round(load.getCpu() * 1000));
        json.writeNumberField(Measure.QUEUE.word(), Math.round(load.getQueueWaitMillis() * 1000));
        json.writeNumberField(Measure.BYTES.word(), load.getBytes());
        FrameWriter.real(json, "insertedBehind", load.getInsertedBehind());
        FrameWriter.real(json, "insertedBefore", load.getInsertedBefore());
        json.writeEndObject();
    }

    /** Sampled bounds: table, key, and the part of the load below. */
    private static void writeBounds(JsonGenerator json, RangeLoad load, Names names) throws IOException {
        Bounds bounds = Bounds.of(load);
        json.writeArrayFieldStart("bounds");
        for (Key key : bounds.keys()) {
            Cut cut = names.cut(key);
            json.writeStartArray();
            json.writeNumber(cut.table());
            json.writeString(cut.key());
            FrameWriter.number(json, bounds.below(key));
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private static String owner(Frame frame, int bucket) {
        int owner = frame.cells().owner(bucket);
        return owner < 0 || owner >= frame.parties().servers().size()
                ? ""
                : frame.parties().servers().get(owner).id();
    }

    private static int state(Cells cells, int[] buckets) {
        return IntStream.of(buckets).map(cells::state).reduce(0, (one, other) -> one | other);
    }

    private static long value(Cells cells, int[] buckets, Measure measure) {
        IntStream all = IntStream.of(buckets);
        return measure.isAdditive()
                ? all.mapToLong(bucket -> cells.value(measure, bucket)).sum()
                : all.mapToLong(bucket -> cells.value(measure, bucket)).max().orElse(0);
    }

    private static void writePartition(JsonGenerator json, @Nullable HotKey partition) throws IOException {
        if (partition != null) {
            json.writeObjectFieldStart("partition");
            FrameWriter.writeCut(json, "key", partition.key());
            FrameWriter.real(json, "part", partition.part());
            json.writeEndObject();
        }
    }

    /** The events about a range. */
    static List<Event> of(long id, List<Event> events) {
        String name = Row.idText(id);
        return events.stream().filter(event -> event.ranges().contains(name)).toList();
    }
}
