package cleave.model.entity;

/**
 * One named, typed value of an entity. Immutable (a binary value's array is given away by its maker).
 *
 * @param value of the Java class that {@link EdmType} names
 */
public record Property(String name, EdmType type, Object value) {}
