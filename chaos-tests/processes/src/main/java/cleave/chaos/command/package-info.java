/** Options that several commands of this module share, as picocli mixins. */
@NullMarked
package cleave.chaos.command;

import org.jspecify.annotations.NullMarked;
