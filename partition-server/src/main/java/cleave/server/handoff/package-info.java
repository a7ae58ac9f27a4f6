/**
 * Planned handoffs: split, merge and move. {@link cleave.server.handoff.Handoff} runs at the owner of the sources,
 * {@link cleave.server.handoff.PreparedTargets} at the owner of each target. Confined to the membership's loop.
 */
@NullMarked
package cleave.server.handoff;

import org.jspecify.annotations.NullMarked;
