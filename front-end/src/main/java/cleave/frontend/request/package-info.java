/**
 * What a request is, and whether it is admitted: its head, what it asks for, who sent it, what they may do, and the answer to one that
 * is refused. Pure. It knows the protocol, and nothing of tables, ranges and how they are reached.
 */
@NullMarked
package cleave.frontend.request;

import org.jspecify.annotations.NullMarked;
