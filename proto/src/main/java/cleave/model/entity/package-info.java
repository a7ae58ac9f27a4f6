/** Entities and what is asked of them: their properties and stored bytes, filters and their bytes, and how a filter judges an entity. */
@NullMarked
package cleave.model.entity;

import org.jspecify.annotations.NullMarked;
