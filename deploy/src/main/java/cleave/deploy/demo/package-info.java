/**
 * A real data set at work: loads cities of the world as entities over the Table protocol, runs the four classes of queries,
 * and tells what each cost. Knows the service only from outside, as any client does, but for the admin call that splits ranges.
 */
@NullMarked
package cleave.deploy.demo;

import org.jspecify.annotations.NullMarked;
