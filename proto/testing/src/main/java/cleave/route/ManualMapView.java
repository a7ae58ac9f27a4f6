package cleave.route;

import cleave.model.Incarnation;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.wire.MapUpdate;
import cleave.wire.ServerInfo;
import java.util.ArrayList;
import java.util.List;

/** A {@link MapView} whose map is set by hand: for tests. Confined to the test's thread. */
public final class ManualMapView implements MapView {
    private final List<Runnable> listeners = new ArrayList<>();
    private PartitionMap current = PartitionMap.EMPTY;

    @Override
    public PartitionMap current() {
        return current;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The map consists of these rows; each owner is reached at the address that {@link #address} gives. */
    public void set(long version, Row... rows) {
        MapUpdate.Builder update = MapUpdate.newBuilder().setVersion(version).setWhole(true);
        for (Row row : rows) {
            update.addRows(row.toWire());
            Incarnation owner = row.owner();
            if (owner != null) {
                update.addServers(
                        ServerInfo.newBuilder().setIncarnation(owner.toWire()).setAddress(address(owner)));
            }
        }
        apply(update.build());
    }

    public void apply(MapUpdate update) {
        current = current.with(update);
        listeners.forEach(Runnable::run);
    }

    public static String address(Incarnation incarnation) {
        return incarnation + ":1";
    }
}
