package cleave.chaos.history;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

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
}
