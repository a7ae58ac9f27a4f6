package cleave.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;

/** Rules about which packages know which, as ArchUnit names packages. Several packages in one argument are parted by blanks. */
public final class Layers {
    private Layers() {}

    public static ArchRule knowsNone(String who, String... whom) {
        return noClasses()
                .that()
                .resideInAnyPackage(who.split(" "))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(all(whom));
    }

    public static ArchRule nobodyKnows(String... whom) {
        return noClasses().should().dependOnClassesThat().resideInAnyPackage(all(whom));
    }

    /** @param whom of these the package itself, and all that it needs of the JDK */
    public static ArchRule knowsOnly(String who, String... whom) {
        return classes()
                .that()
                .resideInAnyPackage(who.split(" "))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(all(whom));
    }

    public static ArchRule isKnownOnlyTo(String whom, String... who) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(all(who))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(whom.split(" "));
    }

    /** Threads are awaited by conditions, with bounds, and loops never. */
    public static ArchRule nobodyWaitsOrSleeps() {
        return noClasses()
                .should()
                .callMethod(Object.class, "wait")
                .orShould()
                .callMethod(Object.class, "notifyAll")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class);
    }

    private static String[] all(String... packages) {
        return String.join(" ", packages).split(" ");
    }
}
