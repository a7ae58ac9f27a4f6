/** What the whole system promises beyond single requests: scans over many ranges, group commit, readiness that tells the truth. */
@NullMarked
package cleave.chaos.scenario;

import org.jspecify.annotations.NullMarked;
