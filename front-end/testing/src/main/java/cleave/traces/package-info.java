/** A collector of traces for tests, which reads what a front end exports by the OpenTelemetry protocol. */
@NullMarked
package cleave.traces;

import org.jspecify.annotations.NullMarked;
