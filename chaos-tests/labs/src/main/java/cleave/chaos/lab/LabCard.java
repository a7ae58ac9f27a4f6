package cleave.chaos.lab;

import java.util.List;
import java.util.Locale;

/**
 * The texts of a lab, from its {@link LabPage}: its question, which a reader knows before the run, and the explanation after it. Immutable.
 *
 * @param page the whole text of its page
 * @param file the page's name, without its folder
 * @param name as in {@code cleave lab run NAME}: lower case, words joined by hyphens
 * @param title one line, without a full stop
 * @param course the part of the course that it belongs to
 * @param needs what it runs on
 * @param minutes at most, on two cores
 * @param question what the reader is asked to predict
 * @param choices the possible answers, two to four of them
 * @param answer the index of the right one in {@code choices}
 * @param why the explanation, in paragraphs
 * @param code the classes to read, the most important first
 * @param breakIt what to change in order to see it go wrong
 * @param source the public document that says it, with its section
 * @param atLength the question of its full form; empty if there is none
 */
public record LabCard(
        String page,
        String file,
        String name,
        String title,
        Course course,
        Needs needs,
        int minutes,
        String question,
        List<String> choices,
        int answer,
        List<String> why,
        List<String> code,
        String breakIt,
        String source,
        String atLength) {
    /** The parts of the course, in order, as pages name them. */
    public enum Course {
        PARTITIONING,
        PATTERNS,
        FAULT_TOLERANCE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** The kinds of system that a lab may run on, as pages name them. */
    public enum Needs {
        /** Any endpoint of the service; a lab of this kind never asks for {@link LabRun#cluster}. */
        ENDPOINT("an endpoint"),
        /** A cluster of processes with several partition servers, which the lab leaves as it found it: ready, nobody drained or dead. */
        CLUSTER("a cluster"),
        /** A process whose partitions deliver no more than {@link LabSystem#PARTITION_ENTITIES_PER_SECOND}; its masters can be asked. */
        THROTTLED("throttled partitions"),
        /** A process that knows {@link LabSystem#NEIGHBOUR}, too. */
        TWO_ACCOUNTS("a process with two accounts"),
        /** A cluster of its own with three masters and three servers, which it may break. */
        OWN_CLUSTER("a cluster of its own"),
        /** A cluster of its own as {@link FullForm} describes it; no page names it. */
        FULL_CLUSTER("a cluster of its own at full speed");

        private final String text;

        Needs(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public LabCard {
        choices = List.copyOf(choices);
        why = List.copyOf(why);
        code = List.copyOf(code);
    }

    /** The right one of the choices. */
    public String right() {
        return choices.get(answer);
    }
}
