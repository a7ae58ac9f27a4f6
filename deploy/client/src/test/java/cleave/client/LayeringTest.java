package cleave.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "cleave.client", importOptions = DoNotIncludeTests.class)
class LayeringTest {
    /** The service must not judge itself: the client shares no code with the front end or the SDKs. */
    @ArchTest
    static final ArchRule theClientStandsAlone = classes()
            .that()
            .resideInAPackage("cleave.client")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.client",
                    "java..",
                    "javax.crypto..",
                    "javax.net.ssl..",
                    "com.fasterxml.jackson.core..",
                    "org.jspecify..");
}
