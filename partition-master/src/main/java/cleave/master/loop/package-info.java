/**
 * The leader's soft state and the one loop that owns it: who was heard, which takeovers, drops and splits are under way. All of
 * it can be lost; every tick compares what the replicated state wants with what is reported, and asks again until they agree.
 * What a master needs from outside ({@link cleave.master.loop.Replication}, {@link cleave.master.loop.RangeCalls}) is an
 * interface here; {@code raft} and {@code rpc} implement them, and so can a simulator.
 */
@NullMarked
package cleave.master.loop;

import org.jspecify.annotations.NullMarked;
