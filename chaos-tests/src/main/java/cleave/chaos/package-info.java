/**
 * Tools that judge a running Cleave from outside: a client that hides nothing, a record of what clients saw and the check of
 * it, processes that are killed and paused on purpose, load, and the commands that join the {@code cleave} command line.
 */
@NullMarked
package cleave.chaos;

import org.jspecify.annotations.NullMarked;
