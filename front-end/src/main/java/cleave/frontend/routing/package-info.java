/**
 * From a table name and keys to ranges, and from ranges back to one page: what Cleave has a front end for. {@link
 * cleave.frontend.routing.TableDirectory} finds tables in the registry, {@link cleave.frontend.routing.QueryPlan} tells which keys a
 * query must examine, {@link cleave.frontend.routing.PageScan} stitches a page from the ranges that hold these keys, and {@link
 * cleave.frontend.routing.EntityStore} is what handlers call. Requests reach the owners of ranges by {@code cleave.route}.
 *
 * <p>Of the protocol it knows only the errors that clients get, the rights of a caller, and the names of keys and tables. It knows no HTTP,
 * no JSON and no request.
 */
@NullMarked
package cleave.frontend.routing;

import org.jspecify.annotations.NullMarked;
