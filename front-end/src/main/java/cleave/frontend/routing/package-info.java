/**
 * Routing and stitching: from a table name and keys to ranges, and from ranges back to one page. {@link
 * cleave.frontend.routing.TableDirectory} looks tables up in the registry, {@link cleave.frontend.routing.QueryPlan} computes the keys that
 * a query must examine, {@link cleave.frontend.routing.PageScan} stitches a page from the ranges that hold them, and {@link
 * cleave.frontend.routing.EntityStore} is what handlers call. {@code cleave.route} delivers requests to the owners of ranges.
 *
 * <p>Of the protocol it uses the errors that clients get, the grant of a caller, continuation tokens, and the names of keys and tables. It
 * depends neither on HTTP and JSON nor on requests.
 */
@NullMarked
package cleave.frontend.routing;

import org.jspecify.annotations.NullMarked;
