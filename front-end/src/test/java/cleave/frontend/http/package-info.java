/** Tests of the parts of HTTP that need no server. */
@org.jspecify.annotations.NullMarked
package cleave.frontend.http;
