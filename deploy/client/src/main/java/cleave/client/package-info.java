/**
 * The client of the Table protocol that all tools share: commands, load, checkers, labs and harnesses. It works on plain sockets and hides
 * nothing: {@link cleave.client.Connection} sends what it is given, hostile requests too, and returns what it reads.
 * {@link cleave.client.RetryingClient} adds repetition, under a {@link cleave.client.RetryPolicy}. The client shares no code with the service, which it
 * judges: it knows the JDK and a JSON parser alone.
 */
@NullMarked
package cleave.client;

import org.jspecify.annotations.NullMarked;
