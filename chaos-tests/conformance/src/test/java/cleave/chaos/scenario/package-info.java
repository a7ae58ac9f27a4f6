/** Promises of the whole system beyond single requests: scans over many ranges, group commit, truthful readiness. */
@NullMarked
package cleave.chaos.scenario;

import org.jspecify.annotations.NullMarked;
