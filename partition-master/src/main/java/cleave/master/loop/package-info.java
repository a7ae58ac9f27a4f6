/**
 * The master's loop, which owns the leader's soft state and lets all parts of the core act in turn: each tick compares what the
 * replicated state wants with what the servers report, and asks again until they agree. The parts are the packages beside it:
 * {@code servers}, {@code takeover}, {@code handoff}, {@code tables}, {@code sweep}, {@code membership}. All soft state can be lost.
 */
@NullMarked
package cleave.master.loop;

import org.jspecify.annotations.NullMarked;
