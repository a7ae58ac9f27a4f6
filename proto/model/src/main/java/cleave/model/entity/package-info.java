/** Entities: their properties, stored form and codec, and the filters that select them. */
@NullMarked
package cleave.model.entity;

import org.jspecify.annotations.NullMarked;
