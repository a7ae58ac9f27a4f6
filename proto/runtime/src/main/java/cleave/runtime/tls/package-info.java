/**
 * The identity of a process and the authorities it trusts: keys and certificates from a folder of PEM files, reloaded when they change.
 * Independent of HTTP and gRPC, which use its key and trust managers.
 */
@NullMarked
package cleave.runtime.tls;

import org.jspecify.annotations.NullMarked;
