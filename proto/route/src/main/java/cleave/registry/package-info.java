/** Reading the registry of tables as a whole, which is the only way from the ids of tables to their names. Pure: its owner sends the scans. */
@NullMarked
package cleave.registry;

import org.jspecify.annotations.NullMarked;
