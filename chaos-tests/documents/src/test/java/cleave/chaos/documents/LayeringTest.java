package cleave.chaos.documents;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "cleave.chaos", importOptions = DoNotIncludeTests.class)
class LayeringTest {
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

    /** The packages of the simulator know each other one way: world, bugs, raft and dfs, cluster, faults, stories. */
    @ArchTest
    static final ArchRule thePackagesOfTheSimulatorHaveNoCycle =
            slices().matching("cleave.chaos.sim.(*)..").should().beFreeOfCycles();
}
