/**
 * Atom, the payload format of the versions before 2015-12-11: the entries and feeds of tables and entities, the entries in bodies of
 * writes, and errors. The layout of documents is that of the service's recorded answers. Pure. Depends on {@code odata} and {@code xml} alone.
 */
@NullMarked
package cleave.frontend.protocol.atom;

import org.jspecify.annotations.NullMarked;
