/**
 * The master's loop, which owns the leader's soft state and drives all parts of the core: each tick compares the
 * replicated state with the servers' reports, and repeats orders until they agree. The parts are the packages beside
 * it: {@code servers}, {@code takeover}, {@code handoff}, {@code tables}, {@code sweep}, {@code membership}. All soft
 * state can be lost.
 */
@NullMarked
package cleave.master.core;

import org.jspecify.annotations.NullMarked;
