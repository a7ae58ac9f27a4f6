package cleave.chaos.lab;

/**
 * One change of an entity, alone or in a transaction. Immutable.
 *
 * @param method of HTTP
 * @param ifMatch the ETag that must still hold, {@code *} for any, empty for an insert or upsert
 */
public record LabWrite(String method, LabEntity entity, String ifMatch) {
    /** Fails with 409 if it exists. */
    public static LabWrite insert(LabEntity entity) {
        return new LabWrite("POST", entity, "");
    }

    /** Insert or replace: can be repeated without harm. */
    public static LabWrite upsert(LabEntity entity) {
        return new LabWrite("PUT", entity, "");
    }

    /** Replaces what was read; fails with 412 if it changed since. An entity that was not read is replaced whatever it is. */
    public static LabWrite replace(LabEntity entity) {
        return new LabWrite("PUT", entity, condition(entity));
    }

    /** Merges into what was read, as {@link #replace} does. */
    public static LabWrite merge(LabEntity entity) {
        return new LabWrite("PATCH", entity, condition(entity));
    }

    /** Deletes what was read, as {@link #replace} does; fails with 404 if it does not exist. */
    public static LabWrite delete(LabEntity entity) {
        return new LabWrite("DELETE", entity, condition(entity));
    }

    private static String condition(LabEntity entity) {
        return entity.etag().isEmpty() ? "*" : entity.etag();
    }
}
