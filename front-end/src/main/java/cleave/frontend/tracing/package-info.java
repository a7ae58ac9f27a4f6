/**
 * Traces of requests: what a request's head says of its trace, where the time of the request goes, and whether that is exported. Part of the
 * core; the export itself is in {@code cleave.frontend.export}.
 */
@NullMarked
package cleave.frontend.tracing;

import org.jspecify.annotations.NullMarked;
