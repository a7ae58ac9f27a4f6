package cleave.chaos.sim;

import cleave.master.state.MasterState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The masters' log: commands and configurations, each with its term, the state after it and who the members are then. Members hold a part of it from its beginning. Where a
 * majority has forgotten its end, another log goes on from there. Confined to the simulation.
 */
final class SimRaftLog {
    private final List<Entry> entries = new ArrayList<>();

    /** Immutable. An entry is itself only: another one with the same command is another entry. */
    @SuppressWarnings("ArrayRecordComponent") // Its bytes are never changed.
    record Entry(long term, byte @Nullable [] command, MasterState state, SimMembers members) {}

    void add(Entry entry) {
        entries.add(entry);
    }

    int size() {
        return entries.size();
    }

    /** Null for a configuration. */
    byte @Nullable [] command(long index) {
        return entries.get((int) index).command();
    }

    /** The term of the last of the first {@code held} entries; 0 if there are none. */
    long lastTerm(long held) {
        return held == 0 ? 0 : entries.get((int) held - 1).term();
    }

    /** The state after the first {@code held} entries. */
    MasterState state(long held) {
        return held == 0 ? MasterState.EMPTY : entries.get((int) held - 1).state();
    }

    /** The configuration by the first {@code held} entries. */
    SimMembers members(long held) {
        return held == 0 ? SimMembers.NONE : entries.get((int) held - 1).members();
    }

    /** Another log, which begins with the first {@code held} entries of this one. */
    SimRaftLog fork(long held) {
        SimRaftLog forked = new SimRaftLog();
        forked.entries.addAll(entries.subList(0, (int) held));
        return forked;
    }

    /** How many entries two logs have in common. */
    @SuppressWarnings("ReferenceEquality")
    long common(SimRaftLog other) {
        int most = Math.min(entries.size(), other.entries.size());
        int same = 0;
        while (same < most && entries.get(same) == other.entries.get(same)) {
            same++;
        }
        return same;
    }
}
