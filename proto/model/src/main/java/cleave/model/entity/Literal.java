package cleave.model.entity;

/**
 * A constant in a filter. Immutable.
 *
 * @param value of the Java class that {@link EdmType} names
 */
public record Literal(EdmType type, Object value) {}
