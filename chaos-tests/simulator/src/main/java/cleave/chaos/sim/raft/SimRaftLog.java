package cleave.chaos.sim.raft;

import cleave.master.state.MasterState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The masters' log: commands and configurations, each with its term and the state and members after it. Each member
 * holds a prefix. If a majority has forgotten its end, another log continues from the common prefix.
 */
final class SimRaftLog {
    private final List<Entry> entries = new ArrayList<>();

    /** An entry. Immutable. Entries with equal commands are distinct. */
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

    /** The configuration after the first {@code held} entries. */
    SimMembers members(long held) {
        return held == 0 ? SimMembers.NONE : entries.get((int) held - 1).members();
    }

    /** Another log, which begins with the first {@code held} entries of this one. */
    SimRaftLog fork(long held) {
        SimRaftLog forked = new SimRaftLog();
        forked.entries.addAll(entries.subList(0, (int) held));
        return forked;
    }

    /** The length of the common prefix of two logs. */
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
