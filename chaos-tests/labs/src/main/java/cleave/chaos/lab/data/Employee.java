package cleave.chaos.lab.data;

import cleave.chaos.lab.LabEntity;

/**
 * An employee of the table design guide. Immutable.
 *
 * @param id six digits
 * @param email unique
 */
public record Employee(String department, String id, String firstName, String lastName, int age, String email) {
    /** The entity as the guide first stores it: the department, then the id. */
    public LabEntity entity() {
        return at(department, id);
    }

    /** The same properties under other keys. */
    public LabEntity at(String partition, String row) {
        return LabEntity.of(partition, row)
                .with("FirstName", firstName)
                .with("LastName", lastName)
                .with("Age", age)
                .with("EmailAddress", email);
    }
}
