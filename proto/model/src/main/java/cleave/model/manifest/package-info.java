/** The manifest of a range: the checkpoints and commit logs from which a server opens it, and the tables dropped in it. */
@NullMarked
package cleave.model.manifest;

import org.jspecify.annotations.NullMarked;
