package cleave.server.policy;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.Effect;
import cleave.server.state.Ownership;
import cleave.server.state.WriteOp;
import cleave.wire.ScanReply;
import cleave.wire.ScanRow;
import cleave.wire.WriteKind;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Measures what the meter costs a request: nanoseconds a read, an insert and a scan of a hundred entities, at so many requests a
 * second of the meter's own time. To be run by hand.
 */
public final class LoadMeterMeasurement {
    private static final int ROUNDS = 7;
    private static final int REQUESTS = 2_000_000;

    private LoadMeterMeasurement() {}

    public static void main(String[] arguments) {
        Random random = new Random(1);
        Key[] keys = new Key[4096];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Key.of(7, "partition" + random.nextInt(100_000), "row" + random.nextInt());
        }
        byte[] entity = new byte[1000];
        ScanReply.Builder rows = ScanReply.newBuilder().setExamined(100);
        for (int i = 0; i < 100; i++) {
            rows.addRows(ScanRow.newBuilder().setKey(keys[i].toWire()).setEntity(ByteString.copyFrom(entity)));
        }
        ScanReply reply = rows.build();
        for (int perSecond : new int[] {1_000, 10_000, 50_000}) {
            print("read", perSecond, REQUESTS, (meter, i) -> meter.read(keys[i & 4095], 1000));
            List<List<WriteOp>> operations = new java.util.ArrayList<>();
            List<List<Effect>> effects = new java.util.ArrayList<>();
            for (Key key : keys) {
                operations.add(List.of(new WriteOp(WriteKind.INSERT, key, entity, null)));
                effects.add(List.of(new Effect.Put(key, entity)));
            }
            print(
                    "insert",
                    perSecond,
                    REQUESTS,
                    (meter, i) -> meter.wrote(operations.get(i & 4095), effects.get(i & 4095)));
            print("scan of 100", perSecond, REQUESTS / 20, (meter, i) -> meter.scanned(keys[i & 4095], reply));
        }
    }

    private interface Request {
        void count(LoadMeter meter, int number);
    }

    private static void print(String name, int perSecond, int requests, Request request) {
        double least = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            LoadMeter meter = new LoadMeter(new Ownership(1, 1, KeyRange.ALL), 0);
            int perBeat = perSecond / 5;
            long now = 0;
            long began = System.nanoTime();
            for (int i = 0; i < requests; i++) {
                request.count(meter, i);
                if (i % perBeat == 0) {
                    now += 200_000_000;
                    meter.measure(null, now);
                }
            }
            least = Math.min(least, (System.nanoTime() - began) / (double) requests);
        }
        System.out.println(String.format(Locale.ROOT, "%s at %d/s: %.1f ns", name, perSecond, least));
    }
}
