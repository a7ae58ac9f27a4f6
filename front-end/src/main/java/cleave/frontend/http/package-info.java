/**
 * HTTP/1.1 and HTTP/2 on Vert.x: connections, bodies, limits and time-outs. Translates between the wire and the values of {@code request};
 * decides nothing about tables.
 */
@NullMarked
package cleave.frontend.http;

import org.jspecify.annotations.NullMarked;
