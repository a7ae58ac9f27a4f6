/** The export of traces to a collector, in the OpenTelemetry protocol over HTTP. An adapter: what is exported is decided by the core. */
@NullMarked
package cleave.frontend.export;

import org.jspecify.annotations.NullMarked;
