/**
 * The core of a front end: {@link cleave.frontend.core.FrontEndCore} wires its parts, admits a request, has its handler answer it, and
 * accounts for its cost. Plain values in and out, on an event loop that it is given; the process, the simulator and the tests use the same
 * wiring. Dependencies point right: {@code core -> handlers -> request, routing -> fairness -> protocol}.
 */
@NullMarked
package cleave.frontend.core;

import org.jspecify.annotations.NullMarked;
