package cleave.chaos.lab.data;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** The employees of the guide's company, Contoso. */
public final class Employees {
    /** The departments that the guide names, and two more. */
    public static final List<String> DEPARTMENTS = List.of("Accounting", "Engineering", "Marketing", "Sales");

    private static final List<String> FIRST_NAMES = List.of(
            "Anna", "Ben", "Carla", "Don", "Eva", "Frank", "Grace", "Hugo", "Ines", "Jun", "Ken", "Lena", "Marc",
            "Nora", "Omar", "Paula");
    private static final List<String> LAST_NAMES = List.of(
            "Abbas", "Adams", "Brown", "Cao", "Diaz", "Evans", "Fischer", "Garcia", "Hall", "Ito", "Jones", "Kwok",
            "Lopez", "Moreau", "Novak", "Olsen", "Park", "Quinn", "Rossi", "Smith", "Tanaka", "Umar", "Vega", "Weber",
            "Young", "Zhang");

    private Employees() {}

    /** Employees 000001 and following of one department. 000223 of Sales is the guide's: jonesj@contoso.com. */
    public static List<Employee> of(String department, int count) {
        Random random = new Random(department.hashCode());
        Set<String> addresses = new HashSet<>(Set.of("jonesj@contoso.com"));
        List<Employee> employees = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            Employee drawn = drawn(department, number, random, addresses);
            employees.add(
                    department.equals("Sales") && number == 223
                            ? new Employee(department, drawn.id(), "Jun", "Jones", 34, "jonesj@contoso.com")
                            : drawn);
        }
        return employees;
    }

    private static Employee drawn(String department, int number, Random random, Set<String> addresses) {
        String first = FIRST_NAMES.get(random.nextInt(FIRST_NAMES.size()));
        String last = LAST_NAMES.get(random.nextInt(LAST_NAMES.size()));
        String name = (last + first.charAt(0)).toLowerCase(Locale.ROOT);
        String address = name + "@contoso.com";
        for (int twin = 2; !addresses.add(address); twin++) {
            address = name + twin + "@contoso.com";
        }
        return new Employee(department, id(number), first, last, 20 + random.nextInt(45), address);
    }

    /** An id padded with zeros, so that ids sort as numbers do. */
    public static String id(int number) {
        return String.format(Locale.ROOT, "%06d", number);
    }
}
