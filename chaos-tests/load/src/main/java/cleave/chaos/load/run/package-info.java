/** Carries a workload out: when each operation is due, who sends it, what is sent again, what is measured, and what must be found at the end. */
@NullMarked
package cleave.chaos.load.run;

import org.jspecify.annotations.NullMarked;
