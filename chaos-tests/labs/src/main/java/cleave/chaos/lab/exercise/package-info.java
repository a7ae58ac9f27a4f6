/**
 * The exercises of a course: each takes one rule out of a copy of the sources, tells the task, and grades what the student makes of it by
 * the tests, stories and seeds that hold for the original. An exercise is a text and a patch among the resources ({@link
 * cleave.chaos.lab.exercise.Exercise}); everything else here is the same for all of them.
 */
@NullMarked
package cleave.chaos.lab.exercise;

import org.jspecify.annotations.NullMarked;
