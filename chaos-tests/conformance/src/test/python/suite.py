"""Tables, entities, queries and transactions by the unmodified Python SDK. Run as: python3 suite.py CONNECTION_STRING

It prints one line of JSON a test: {"name": ..., "ok": ..., "error": ...}.
"""
import json
import sys
import traceback
import uuid
from datetime import datetime, timedelta, timezone

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.data.tables import (
    EdmType,
    EntityProperty,
    TableAccessPolicy,
    TableClient,
    TableSasPermissions,
    TableServiceClient,
    TableTransactionError,
    UpdateMode,
    generate_table_sas,
)
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential

settings = dict(part.split("=", 1) for part in sys.argv[1].split(";") if part)
endpoint = settings["TableEndpoint"]
credential = AzureNamedKeyCredential(settings["AccountName"], settings["AccountKey"])
service = TableServiceClient.from_connection_string(sys.argv[1])
tests = []


def test(body):
    tests.append(body)


def new_table():
    return service.create_table("py" + uuid.uuid4().hex)


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def refused(call, status, code):
    try:
        call()
    except HttpResponseError as error:
        equal(error.status_code, status)
        assert f'"code":"{code}"' in str(error), str(error)
        return
    raise AssertionError("the call succeeded but must fail")


@test
def tables_are_made_listed_by_pages_and_deleted():
    prefix = "py" + uuid.uuid4().hex[:20]
    for end in "abc":
        service.create_table(prefix + end)
    refused(lambda: service.create_table(prefix + "a"), 409, "TableAlreadyExists")
    service.create_table_if_not_exists(prefix + "a")
    bounds = {"from": prefix, "to": prefix + "z"}
    pages = service.query_tables("TableName ge @from and TableName lt @to", parameters=bounds, results_per_page=2).by_page()
    equal([[table.name for table in page] for page in pages], [[prefix + "a", prefix + "b"], [prefix + "c"]])
    service.delete_table(prefix + "a")
    refused(lambda: service.get_table_client(prefix + "a").get_entity("p", "r"), 404, "TableNotFound")


@test
def every_type_comes_back_as_it_went_in():
    table = new_table()
    values = {
        "text": "zwölf 名前 \U0001F600 \"quoted\" \\",
        "yes": True,
        "int": -5,
        "big": EntityProperty(1234567890123456789, EdmType.INT64),
        "real": 1.5e-300,
        "at": datetime(2024, 5, 1, 8, 0, 0, 123456, tzinfo=timezone.utc),
        "guid": uuid.UUID("a455c695-df98-5678-aaaa-81d3367e5a34"),
        "binary": b"\x00\x01\xff",
    }
    table.create_entity({"PartitionKey": "it's", "RowKey": "100% a+b", **values})
    read = table.get_entity("it's", "100% a+b")
    for name, value in values.items():
        equal(read[name], value)


@test
def every_write_with_and_without_an_etag():
    table = new_table()
    table.create_entity({"PartitionKey": "p", "RowKey": "r", "a": 1, "b": 1})
    refused(lambda: table.create_entity({"PartitionKey": "p", "RowKey": "r"}), 409, "EntityAlreadyExists")
    old = table.get_entity("p", "r")
    table.update_entity({"PartitionKey": "p", "RowKey": "r", "a": 2})
    equal(table.get_entity("p", "r")["b"], 1)
    condition = {"etag": old.metadata["etag"], "match_condition": MatchConditions.IfNotModified}
    refused(lambda: table.update_entity(old, **condition), 412, "UpdateConditionNotSatisfied")
    table.update_entity({"PartitionKey": "p", "RowKey": "r", "a": 3}, mode=UpdateMode.REPLACE)
    assert "b" not in table.get_entity("p", "r")
    table.upsert_entity({"PartitionKey": "p", "RowKey": "s", "c": 1})
    table.upsert_entity({"PartitionKey": "p", "RowKey": "s", "d": 1}, mode=UpdateMode.REPLACE)
    assert "c" not in table.get_entity("p", "s")
    refused(lambda: table.update_entity({"PartitionKey": "p", "RowKey": "none"}), 404, "ResourceNotFound")
    table.delete_entity("p", "r")
    table.delete_entity("p", "r")  # The SDK takes what is not there for deleted.
    refused(lambda: table.get_entity("p", "r"), 404, "ResourceNotFound")


@test
def queries_by_parameters_selection_and_pages():
    table = new_table()
    for i in range(5):
        table.create_entity({"PartitionKey": "p", "RowKey": f"r{i}", "n": i, "m": i})
    found = list(table.query_entities("PartitionKey eq @p and n ge @n", parameters={"p": "p", "n": 3}, select=["RowKey", "n"]))
    equal([dict(entity) for entity in found], [{"RowKey": "r3", "n": 3}, {"RowKey": "r4", "n": 4}])
    pages = [[entity["RowKey"] for entity in page] for page in table.list_entities(results_per_page=2).by_page()]
    equal(pages, [["r0", "r1"], ["r2", "r3"], ["r4"]])


@test
def a_transaction_is_done_as_a_whole_or_not_at_all():
    table = new_table()
    entity = lambda row, **values: {"PartitionKey": "p", "RowKey": row, **values}
    table.create_entity(entity("old", a=1))
    answers = table.submit_transaction(
        [("create", entity("new")), ("update", entity("old", a=2)), ("upsert", entity("either"), {"mode": "replace"})]
    )
    equal(len(answers), 3)
    equal(table.get_entity("p", "old")["a"], 2)
    try:
        table.submit_transaction([("delete", entity("old")), ("create", entity("new"))])
        raise AssertionError("the transaction succeeded but must fail")
    except TableTransactionError as error:
        equal((error.status_code, error.index), (409, 1))
    equal(table.get_entity("p", "old")["a"], 2)


@test
def policies_and_signatures():
    table = new_table()
    table.create_entity({"PartitionKey": "p", "RowKey": "r"})
    start = datetime(2024, 5, 1, 8, tzinfo=timezone.utc)
    table.set_table_access_policy({"readers": TableAccessPolicy(start=start, expiry=start + timedelta(days=9999), permission="r")})
    equal(table.get_table_access_policy()["readers"].permission, "r")
    token = generate_table_sas(
        credential,
        table.table_name,
        permission=TableSasPermissions(read=True),
        expiry=datetime.now(timezone.utc) + timedelta(hours=1),
    )
    reader = TableClient(endpoint, table.table_name, credential=AzureSasCredential(token))
    equal(reader.get_entity("p", "r")["RowKey"], "r")
    refused(lambda: reader.delete_entity("p", "r"), 403, "AuthorizationPermissionMismatch")


@test
def a_wrong_key_is_refused():
    wrong = TableServiceClient(endpoint, credential=AzureNamedKeyCredential(credential.named_key.name, "d3Jvbmc="))
    refused(lambda: wrong.create_table("never"), 403, "AuthenticationFailed")


for body in tests:
    error = ""
    try:
        body()
    except Exception:
        error = traceback.format_exc()
    print(json.dumps({"name": body.__name__.replace("_", " "), "ok": not error, "error": error}))
