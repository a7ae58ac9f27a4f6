/** Where processes spend their processor time: recordings of Java Flight Recorder, summed by method and by part of the stack. */
@NullMarked
package cleave.chaos.bench.profile;

import org.jspecify.annotations.NullMarked;
