/** Tests of a core as text: commands and their output. */
@NullMarked
package cleave.transcripts;

import org.jspecify.annotations.NullMarked;
