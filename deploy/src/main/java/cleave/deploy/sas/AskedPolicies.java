package cleave.deploy.sas;

import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Tables;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.service.SignedIdentifiers;
import cleave.model.table.AccessPolicy;
import java.util.List;

/** The stored access policies of a table, read from the service. */
final class AskedPolicies {
    private static final int NOT_FOUND = 404;

    private AskedPolicies() {}

    static List<AccessPolicy> of(Endpoint account, String table) {
        Answer answer = asked(account, table);
        if (answer.status() == NOT_FOUND) {
            throw CommandFailure.failed("there is no table " + table + " at " + account.url());
        }
        Tables.expect(answer, "reading the stored access policies of table " + table);
        try {
            return SignedIdentifiers.read(Body.of(answer.body()));
        } catch (ServiceError malformed) {
            throw CommandFailure.failed("the stored access policies of table " + table + " at " + account.url()
                    + " cannot be read: " + answer.text());
        }
    }

    private static Answer asked(Endpoint account, String table) {
        String target = account.prefix() + "/" + table + "?comp=acl";
        try (Tables tables = new Tables(account)) {
            return tables.send(to -> to.sign(Request.json("GET", target)));
        }
    }
}
