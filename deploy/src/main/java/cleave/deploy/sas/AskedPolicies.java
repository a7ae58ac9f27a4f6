package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.SignedHttp;
import cleave.deploy.access.TableAccount;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.service.SignedIdentifiers;
import cleave.model.table.AccessPolicy;
import java.net.http.HttpResponse;
import java.util.List;

/** The stored access policies of a table, read from the service. */
final class AskedPolicies {
    private static final int NOT_FOUND = 404;

    private AskedPolicies() {}

    static List<AccessPolicy> of(TableAccount account, String table) {
        SignedHttp http = new SignedHttp(account);
        HttpResponse<byte[]> answer =
                http.send(() -> http.request("/" + table, "?comp=acl").GET());
        if (answer.statusCode() == NOT_FOUND) {
            throw CommandFailure.failed("there is no table " + table + " at " + account.base());
        }
        SignedHttp.expect(answer, 200, "reading the stored access policies of table " + table);
        try {
            return SignedIdentifiers.read(Body.of(answer.body()));
        } catch (ServiceError malformed) {
            throw CommandFailure.failed("the stored access policies of table " + table + " at " + account.base()
                    + " cannot be read: " + SignedHttp.text(answer));
        }
    }
}
