/**
 * The core of a front end, put together: {@link cleave.frontend.core.FrontEndCore} admits a request, has its handler answer it, and counts
 * what it cost. Plain values in and out, on an event loop that is handed in; the process, the simulator and the tests use the same.
 * Reads from right to left: {@code core -> handlers -> request, routing -> fairness -> protocol}.
 */
@NullMarked
package cleave.frontend.core;

import org.jspecify.annotations.NullMarked;
