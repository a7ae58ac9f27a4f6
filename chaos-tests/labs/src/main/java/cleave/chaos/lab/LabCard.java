package cleave.chaos.lab;

import java.util.List;

/**
 * What a reader knows of a lab before its run, and what is said after it.
 *
 * @param course the part of the course that it belongs to
 * @param name as in {@code cleave lab run NAME}: lower case, words joined by hyphens
 * @param title one line, without a full stop
 * @param needs what it runs on
 * @param minutes at most, on two cores
 * @param question what the reader is asked to predict
 * @param choices the possible answers, two to four of them
 * @param answer the index of the right one in {@code choices}
 * @param why the explanation, in paragraphs
 * @param code the classes to read, the most important first; they are named here, and nothing of them is used
 * @param breakIt what to change in order to see it go wrong
 * @param source the public document that says it, with its section
 */
public record LabCard(
        Course course,
        String name,
        String title,
        Needs needs,
        int minutes,
        String question,
        List<String> choices,
        int answer,
        List<String> why,
        List<Class<?>> code,
        String breakIt,
        String source) {
    /** The parts of the course, in order. */
    public enum Course {
        PARTITIONING,
        PATTERNS,
        FAULT_TOLERANCE
    }

    /** What a lab runs on. */
    public enum Needs {
        /** Any endpoint of the service; a lab of this kind never asks for {@link LabRun#cluster}. */
        ENDPOINT,
        /** A cluster of processes with several partition servers, which the lab leaves as it found it: ready, nobody drained or dead. */
        CLUSTER,
        /** A process whose partitions deliver no more than {@link LabSystem#PARTITION_ENTITIES_PER_SECOND}; its masters can be asked. */
        THROTTLED,
        /** A cluster of its own with three masters and three servers, which it may break. */
        OWN_CLUSTER,
        /** A cluster of its own as {@link FullForm} describes it. */
        FULL_CLUSTER
    }

    /** The right one of the choices. */
    public String right() {
        return choices.get(answer);
    }

    /** The card of its full form. */
    public LabCard full(String fullQuestion) {
        return new LabCard(
                course,
                name,
                title,
                Needs.FULL_CLUSTER,
                minutes,
                fullQuestion,
                choices,
                answer,
                why,
                code,
                breakIt,
                source);
    }

    public LabCard {
        choices = List.copyOf(choices);
        why = List.copyOf(why);
        code = List.copyOf(code);
        if (answer < 0 || answer >= choices.size()) {
            throw new IllegalArgumentException(name + ": there is no choice " + answer);
        }
    }
}
