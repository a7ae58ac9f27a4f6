/**
 * A range before it is served: manifests are read, a store is opened from checkpoints, logs are sealed and replayed. A takeover and
 * the target of a planned handoff share this procedure. Confined to the loop of the range that is being opened.
 */
@NullMarked
package cleave.server.opening;

import org.jspecify.annotations.NullMarked;
