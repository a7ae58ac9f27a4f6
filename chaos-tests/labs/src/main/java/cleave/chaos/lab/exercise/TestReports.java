package cleave.chaos.lab.exercise;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A summary of Maven's reports of a test run. Immutable. */
record TestReports(int run, int failed, List<String> failures) {
    private static final int MESSAGE_MAX = 160;

    /** Reads all reports in a folder; none if it is absent. */
    static TestReports read(Path folder) throws IOException {
        int run = 0;
        int failed = 0;
        Map<String, List<String>> messages = new TreeMap<>();
        File[] files = folder.toFile().listFiles((in, name) -> name.matches("TEST-.*\\.xml"));
        for (File file : Objects.requireNonNullElse(files, new File[0])) {
            NodeList cases = cases(file);
            run += cases.getLength();
            for (int i = 0; i < cases.getLength(); i++) {
                Element test = (Element) cases.item(i);
                for (Node each = test.getFirstChild(); each != null; each = each.getNextSibling()) {
                    if (each instanceof Element failure
                            && List.of("failure", "error").contains(failure.getTagName())) {
                        failed++;
                        String name =
                                simple(test.getAttribute("classname")) + ": " + sentence(test.getAttribute("name"));
                        messages.computeIfAbsent(name, any -> new ArrayList<>()).add(message(failure));
                    }
                }
            }
        }
        List<String> lines = new ArrayList<>();
        messages.forEach((test, its) -> {
            lines.add("- " + test + (its.size() == 1 ? "" : " (" + its.size() + " cases)"));
            lines.add("    " + its.get(0));
        });
        return new TestReports(run, failed, lines);
    }

    private static NodeList cases(File file) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(file).getElementsByTagName("testcase");
        } catch (ParserConfigurationException | SAXException damaged) {
            throw new IOException(file + " is no report: " + damaged.getMessage(), damaged);
        }
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** The name of a test as the sentence that it is. */
    private static String sentence(String name) {
        return String.join(
                        " ",
                        Arrays.asList(name.replaceAll("[(\\[{].*", "")
                                .split("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")))
                .toLowerCase(Locale.ROOT);
    }

    private static String message(Element failure) {
        String line = failure.getAttribute("message").strip().replaceAll("\\s+", " ");
        String whole = line.isEmpty() ? simple(failure.getAttribute("type")) : line;
        return whole.length() <= MESSAGE_MAX ? whole : whole.substring(0, MESSAGE_MAX) + " ...";
    }
}
