package cleave.chaos.load;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "cleave.chaos", importOptions = DoNotIncludeTests.class)
class LayeringTest {
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
}
