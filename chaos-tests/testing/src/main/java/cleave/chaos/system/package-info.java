/** Running systems for tests: one of each kind for all tests of a JVM. Surefire launches JUnit once for each class, so they belong to its session. */
@NullMarked
package cleave.chaos.system;

import org.jspecify.annotations.NullMarked;
