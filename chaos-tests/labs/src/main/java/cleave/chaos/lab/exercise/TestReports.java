package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** What Maven's reports of a test run say. Immutable. */
record TestReports(int run, int failed, List<String> failures) {
    private static final int MESSAGE_MAX = 160;

    TestReports {
        failures = List.copyOf(failures);
    }

    /** Cases of one test method that failed, and the message of the first. */
    private record Failure(int cases, String message) {}

    /** Reads all reports in a folder; none if it is absent. */
    static TestReports read(Path folder) throws IOException {
        int run = 0;
        int failed = 0;
        Map<String, Failure> failures = new TreeMap<>();
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> all = Files.list(folder)) {
                all.filter(each -> each.getFileName().toString().matches("TEST-.*\\.xml"))
                        .sorted()
                        .forEach(files::add);
            }
        }
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
                XMLInputFactory factory = XMLInputFactory.newFactory();
                factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
                XMLStreamReader xml = factory.createXMLStreamReader(in);
                String test = "";
                while (xml.hasNext()) {
                    if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                        continue;
                    }
                    String element = xml.getLocalName();
                    if (element.equals("testcase")) {
                        run++;
                        test = simple(attribute(xml, "classname")) + ": " + sentence(attribute(xml, "name"));
                    } else if (element.equals("failure") || element.equals("error")) {
                        failed++;
                        String message = shortened(attribute(xml, "type"), attribute(xml, "message"));
                        failures.merge(
                                test,
                                new Failure(1, message),
                                (first, next) -> new Failure(first.cases() + 1, first.message()));
                    }
                }
            } catch (XMLStreamException damaged) {
                throw new IOException(file + " is no report: " + damaged.getMessage(), damaged);
            }
        }
        List<String> lines = new ArrayList<>();
        failures.forEach((test, failure) -> {
            lines.add("- " + test + (failure.cases() == 1 ? "" : " (" + failure.cases() + " cases)"));
            lines.add("    " + failure.message());
        });
        return new TestReports(run, failed, lines);
    }

    private static String attribute(XMLStreamReader xml, String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** The name of a test as the sentence that it is. */
    static String sentence(String name) {
        String bare = name.replaceAll("[(\\[{].*", "");
        return bare.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .toLowerCase(java.util.Locale.ROOT);
    }

    private static String shortened(String type, String message) {
        String line = message.strip().replaceAll("\\s+", " ");
        String whole = line.isEmpty() ? simple(type) : line;
        return whole.length() <= MESSAGE_MAX ? whole : whole.substring(0, MESSAGE_MAX) + " ...";
    }
}
