/** Running systems for tests: one of each kind for all tests of a run. */
@NullMarked
package cleave.chaos.system;

import org.jspecify.annotations.NullMarked;
