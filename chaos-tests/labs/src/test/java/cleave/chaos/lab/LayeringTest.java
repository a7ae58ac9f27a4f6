package cleave.chaos.lab;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "cleave.chaos", importOptions = DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule labsCallNoRole = noClasses()
            .that()
            .resideInAPackage("cleave.chaos.lab..")
            .should()
            .accessClassesThat()
            .resideInAnyPackage("cleave.master..", "cleave.server..", "cleave.frontend..", "cleave.dfs..");
}
