/** Tests of a core as text: commands, and what came of them. */
@NullMarked
package cleave.transcripts;

import org.jspecify.annotations.NullMarked;
