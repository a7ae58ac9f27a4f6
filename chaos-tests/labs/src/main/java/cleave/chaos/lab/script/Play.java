package cleave.chaos.lab.script;

import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.partitioning.Ranges;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A script that is being played: its names and their values. Confined to the lab's thread. */
final class Play implements Closeable {
    private final LabRun run;
    private final Map<String, Object> values = new HashMap<>();
    private @Nullable LabClient client;
    private @Nullable Ranges ranges;
    /** Of the batch or transaction that is being gathered. */
    private @Nullable List<LabWrite> gathered;

    Play(LabRun run) {
        this.run = run;
    }

    LabRun run() {
        return run;
    }

    boolean isSmall() {
        return run.isSmall();
    }

    LabClient client() throws IOException {
        if (client == null) {
            client = LabClient.open(run.endpoint());
        }
        return client;
    }

    /** With the balancer off, from here to the end of the run. */
    Ranges ranges() {
        if (ranges == null) {
            ranges = Ranges.atRest(run);
        }
        return ranges;
    }

    List<String> servers() {
        return ranges().servers();
    }

    Object value(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' has no value yet");
        }
        return value;
    }

    String table(String name) {
        return Values.text(value(name));
    }

    void set(String name, Object value) {
        values.put(name, value);
    }

    /** Appends to the list of that name. */
    void add(String name, Object value) {
        List<Object> longer = new ArrayList<>(Values.list(values.getOrDefault(name, List.of())));
        longer.add(value);
        values.put(name, longer);
    }

    /** Does something for each value of a list under that name. */
    <E extends Exception> void each(String name, Object list, Doing<E> doing) throws E {
        Object before = values.get(name);
        for (Object value : Values.list(list)) {
            values.put(name, value);
            doing.run();
        }
        if (before == null) {
            values.remove(name);
        } else {
            values.put(name, before);
        }
    }

    /** What may fail. */
    interface Doing<E extends Exception> {
        void run() throws E;
    }

    /** What these steps would write, instead of writing it. */
    List<LabWrite> gathered(List<Step> steps) throws IOException {
        List<LabWrite> writes = new ArrayList<>();
        gathered = writes;
        try {
            for (Step step : steps) {
                step.play(this);
            }
        } finally {
            gathered = null;
        }
        return writes;
    }

    void gather(LabWrite write) {
        Objects.requireNonNull(gathered).add(write);
    }

    @Override
    public void close() throws IOException {
        if (client != null) {
            client.close();
        }
    }
}
