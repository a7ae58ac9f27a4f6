/**
 * YCSB's binding for the Table service, on the client of {@code cleave.client}, and the command that runs YCSB with it. YCSB chooses the
 * operations, paces and measures them; the binding sends each of them once.
 */
@NullMarked
package cleave.chaos.ycsb;

import org.jspecify.annotations.NullMarked;
