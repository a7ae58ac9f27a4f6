/**
 * Authentication and authorization: accounts and their keys, Shared Key, shared access signatures, bearer tokens, and the grant that each
 * credential permits. Pure: the time is a parameter.
 */
@NullMarked
package cleave.frontend.protocol.auth;

import org.jspecify.annotations.NullMarked;
