/** The manifest of a range: the checkpoints and commit logs from which it can be opened, and the tables dropped in it. */
@NullMarked
package cleave.model.manifest;

import org.jspecify.annotations.NullMarked;
