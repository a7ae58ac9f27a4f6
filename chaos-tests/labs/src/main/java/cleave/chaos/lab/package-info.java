/**
 * The labs: each shows one idea of range partitioning by a run, with a question, figures, a picture, and why it is so. A lab is a page of
 * docs/labs, whose script measures and reports through its {@link cleave.chaos.lab.LabRun}; what starts systems, prints, draws and
 * asserts is around it.
 */
@NullMarked
package cleave.chaos.lab;

import org.jspecify.annotations.NullMarked;
