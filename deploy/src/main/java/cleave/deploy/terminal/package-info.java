/** What commands write for people and for programs: tables, progress, JSON; and how they wait for something to come true. */
@NullMarked
package cleave.deploy.terminal;

import org.jspecify.annotations.NullMarked;
