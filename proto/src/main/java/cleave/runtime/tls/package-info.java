/**
 * Who a process is and whom it believes: keys and certificates from a folder of PEM files, read again when they change. Knows
 * neither HTTP nor gRPC; both take its key and trust managers.
 */
@NullMarked
package cleave.runtime.tls;

import org.jspecify.annotations.NullMarked;
