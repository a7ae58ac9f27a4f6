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
}
