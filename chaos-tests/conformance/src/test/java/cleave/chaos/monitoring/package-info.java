/** The dashboard and the alerts, evaluated by Prometheus on clusters that run. */
@NullMarked
package cleave.chaos.monitoring;

import org.jspecify.annotations.NullMarked;
