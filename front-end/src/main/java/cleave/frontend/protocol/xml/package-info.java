/** How XML documents of clients are opened, safely and alike for Atom and for the documents of the service. Depends on {@code odata} alone. */
@NullMarked
package cleave.frontend.protocol.xml;

import org.jspecify.annotations.NullMarked;
