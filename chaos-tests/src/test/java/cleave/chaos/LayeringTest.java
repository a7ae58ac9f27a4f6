package cleave.chaos;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "cleave.chaos", importOptions = DoNotIncludeTests.class)
class LayeringTest {
    /** A simulator is to use it too, so it is as pure as a core. */
    @ArchTest
    static final ArchRule historiesAndTheirCheckArePure = classes()
            .that()
            .resideInAPackage("cleave.chaos.history")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.chaos.history",
                    "java.lang..",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "org.jspecify..");

    /** The same seed chooses the same operations everywhere. */
    @ArchTest
    static final ArchRule workloadsArePure = classes()
            .that()
            .resideInAPackage("cleave.chaos.load.workload")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.chaos.load.workload",
                    "java.io",
                    "java.lang..",
                    "java.util",
                    "java.util.concurrent..",
                    "java.util.function",
                    "java.util.stream",
                    "org.jspecify..");

    /**
     * Roles are met as processes and by their wire contract, never by their classes; a simulator alone runs their cores, and labs name classes to
     * read.
     */
    @ArchTest
    static final ArchRule noRoleIsUsedAsALibrary = noClasses()
            .that()
            .resideOutsideOfPackages("cleave.chaos.sim..", "cleave.chaos.lab..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.master..", "cleave.server..", "cleave.frontend..", "cleave.dfs..");

    @ArchTest
    static final ArchRule labsCallNoRole = noClasses()
            .that()
            .resideInAPackage("cleave.chaos.lab..")
            .should()
            .accessClassesThat()
            .resideInAnyPackage("cleave.master..", "cleave.server..", "cleave.frontend..", "cleave.dfs..");

    @ArchTest
    static final ArchRule faultsAndLoadAreApart = noClasses()
            .that()
            .resideInAPackage("cleave.chaos.load..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("cleave.chaos.fault");
}
