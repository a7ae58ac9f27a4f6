/**
 * Which libraries of a bill of materials (CycloneDX) advisories in the form of OSV are about. A tool of releases: no role and no
 * command knows it.
 */
@NullMarked
package cleave.advisories;

import org.jspecify.annotations.NullMarked;
