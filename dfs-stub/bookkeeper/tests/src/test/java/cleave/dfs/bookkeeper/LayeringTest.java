package cleave.dfs.bookkeeper;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "cleave.dfs.bookkeeper", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule onlyTheContractOfTheDfsIsKnown = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.dfs.node..",
                    "cleave.dfs.client..",
                    "cleave.dfs.link..",
                    "cleave.dfs.rpc..",
                    "cleave.dfs.store..",
                    "cleave.dfs.settings..");

    @ArchTest
    static final ArchRule nobodyWaitsOrSleeps = noClasses()
            .should()
            .callMethod(Object.class, "wait")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class);
}
