/**
 * One role in one process: settings from a file and the command line, the log, the admin port, and an orderly end.
 * The only package, with {@code standalone}, that makes the roles.
 */
@NullMarked
package cleave.deploy.role;

import org.jspecify.annotations.NullMarked;
