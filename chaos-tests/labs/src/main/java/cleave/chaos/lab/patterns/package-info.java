/**
 * The course of design patterns: each lab builds one pattern of the public table design guide, with the guide's own data
 * and filters, next to the design that it replaces, and counts what both cost.
 */
@NullMarked
package cleave.chaos.lab.patterns;

import org.jspecify.annotations.NullMarked;
