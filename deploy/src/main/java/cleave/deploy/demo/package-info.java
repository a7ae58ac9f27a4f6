/**
 * The demo: loads cities of the world as entities over the Table protocol, runs the four query classes, and prints the
 * cost of each. It uses the service as any client does, except for the admin call that splits ranges.
 */
@NullMarked
package cleave.deploy.demo;

import org.jspecify.annotations.NullMarked;
