/**
 * What an operator sees of a process, and changes in it, while it runs: levels of its log, its threads, recordings, its status, and who may
 * do that. The admin port of {@code cleave.deploy.role} serves it.
 */
@NullMarked
package cleave.deploy.inspect;

import org.jspecify.annotations.NullMarked;
