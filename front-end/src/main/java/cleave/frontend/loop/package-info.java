/**
 * What a front end does with a request: admit it, find its table, ask the ranges for it, stitch pages, put the answer together.
 * The core of this role: plain values in and out, on an event loop that is handed in. The protocol's texts are read and written
 * by {@code odata}, {@code auth}, {@code batch} and {@code service}; sockets are the business of {@code http}.
 */
@NullMarked
package cleave.frontend.loop;

import org.jspecify.annotations.NullMarked;
