package cleave.chaos.lab;

import cleave.chaos.picture.Drawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where labs write their pages and pictures. Immutable. */
record Folder(Path path) {
    static final String INDEX = "index.html";

    /** The name of one of a lab's pictures, counted from 0. */
    static String picture(LabCard card, int number) {
        return card.name() + (number == 0 ? "" : "-" + (number + 1)) + ".svg";
    }

    /** Writes NAME.html, NAME.svg (and NAME-2.svg and so on), and returns the page's path. */
    Path write(Report report) throws IOException {
        Files.createDirectories(path);
        List<Drawing> drawings = report.drawings();
        for (int i = 0; i < drawings.size(); i++) {
            Files.writeString(
                    path.resolve(picture(report.card(), i)), drawings.get(i).svg());
        }
        Path page = path.resolve(report.card().name() + ".html");
        Files.writeString(page, Page.of(report));
        return page;
    }

    /** Writes the page with what the run showed, as it is in docs/labs. */
    void writeMarkdown(Report report) throws IOException {
        Files.writeString(path.resolve(report.card().file()), LabPage.with(report));
    }

    /** Writes the index of all pages, and returns its path. */
    Path writeIndex(List<Report> reports) throws IOException {
        return Files.writeString(Files.createDirectories(path).resolve(INDEX), Page.index(reports));
    }
}
