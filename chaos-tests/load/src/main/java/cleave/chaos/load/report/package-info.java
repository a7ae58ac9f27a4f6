/** The reports of a load: progress, text, JSON, histogram logs, and a page for browsers; and how those of several processes become one. */
@NullMarked
package cleave.chaos.load.report;

import org.jspecify.annotations.NullMarked;
