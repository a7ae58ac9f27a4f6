package cleave.chaos.lab.script;

import cleave.chaos.lab.LabEntity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** The employees of the table design guide's company, Contoso. The same ones on every machine. */
final class Employees {
    private static final List<String> FIRST_NAMES = List.of(
            "Anna", "Ben", "Carla", "Don", "Eva", "Frank", "Grace", "Hugo", "Ines", "Jun", "Ken", "Lena", "Marc",
            "Nora", "Omar", "Paula");
    private static final List<String> LAST_NAMES = List.of(
            "Abbas", "Adams", "Brown", "Cao", "Diaz", "Evans", "Fischer", "Garcia", "Hall", "Ito", "Jones", "Kwok",
            "Lopez", "Moreau", "Novak", "Olsen", "Park", "Quinn", "Rossi", "Smith", "Tanaka", "Umar", "Vega", "Weber",
            "Young", "Zhang");

    private Employees() {}

    /** Employees 000001 and following of one department. 000223 of Sales is the guide's: jonesj@contoso.com. */
    static List<LabEntity> of(String department, int count) {
        Random random = new Random(department.hashCode());
        Set<String> addresses = new HashSet<>(Set.of("jonesj@contoso.com"));
        List<LabEntity> employees = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            LabEntity drawn = drawn(department, number, random, addresses);
            employees.add(
                    department.equals("Sales") && number == 223
                            ? drawn.with("FirstName", "Jun")
                                    .with("LastName", "Jones")
                                    .with("Age", 34)
                                    .with("EmailAddress", "jonesj@contoso.com")
                            : drawn);
        }
        return employees;
    }

    /** Under the department, and the id of six digits; its address is unique. */
    private static LabEntity drawn(String department, int number, Random random, Set<String> addresses) {
        String first = FIRST_NAMES.get(random.nextInt(FIRST_NAMES.size()));
        String last = LAST_NAMES.get(random.nextInt(LAST_NAMES.size()));
        String name = (last + first.charAt(0)).toLowerCase(Locale.ROOT);
        String address = name + "@contoso.com";
        for (int twin = 2; !addresses.add(address); twin++) {
            address = name + twin + "@contoso.com";
        }
        return LabEntity.of(department, String.format(Locale.ROOT, "%06d", number))
                .with("FirstName", first)
                .with("LastName", last)
                .with("Age", 20 + random.nextInt(45))
                .with("EmailAddress", address);
    }
}
