package cleave.chaos.monitoring;

import java.util.List;
import java.util.regex.Pattern;

/**
 * An expression of PromQL and where it stands. Immutable.
 *
 * @param place of the panel, the annotation, the variable or the rule
 */
record Expression(String place, String text) {
    /** A metric of Cleave, its libraries, Prometheus itself or Kubernetes, with its matchers. */
    private static final Pattern SELECTOR = Pattern.compile(
            "\\b(?:(?:cleave|bookie|bookkeeper|zookeeper|jvm|process|kube)[_:][A-Za-z0-9_:]+|up|ALERTS)\\b(?:\\{[^}]*\\})?");

    private static final Pattern COMPARISON = Pattern.compile("(?<=\\s)(==|!=|>=|<=|>|<)(?=\\s)");
    private static final Pattern UNLESS = Pattern.compile("\\bunless\\b");

    /** The parts that select series. */
    List<String> selectors() {
        return SELECTOR.matcher(text).results().map(found -> found.group()).toList();
    }

    /**
     * The same without what its result depends on in a cluster that is well: comparisons answer 0 or 1 and filter nothing, and what there should be
     * none of has to be there. What remains is empty only if a name is wrong, or labels that are to be equal never are.
     */
    String loosened() {
        return UNLESS.matcher(COMPARISON.matcher(text).replaceAll("$1 bool")).replaceAll("and");
    }
}
