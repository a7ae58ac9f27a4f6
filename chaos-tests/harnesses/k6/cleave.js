// Operations of the Table protocol for k6, on a table that was filled by 'cleave load --fill-only --table NAME'.
//
//   k6 run -e TABLE=NAME -e RATE=500 -e SECONDS=30 -e MIX=get:95,insert:5 cleave.js
//
// The service and the account come from a connection string, with an account key or a shared access signature, or from the URL of a shared access
// signature: in the file that CLEAVE_CONNECTION_FILE names, or in CLEAVE_CONNECTION_STRING. Without either it is the development account at
// http://127.0.0.1:10002. Set these two in the environment and not by -e: a command line is visible to everyone on the machine.
//
//   TABLE       the table
//   RATE        operations per second, started whether or not others have ended (default: 100)
//   SECONDS     duration (default: 30)
//   VUS         the most operations at a time; k6 counts what it cannot start as dropped_iterations (default: 64)
//   MIX         operations and their weights: get, insert, merge, query (default: get:1)
//   PARTITIONS  partitions that were filled (default: 100)
//   ROWS        entities in each of them (default: 100)
//   BYTES       approximate size of an inserted entity (default: 500)
//   PAGE        entities of a query (default: 10)
//
// k6 exits with 99 if an answer was not the right one.
import { check } from "k6";
import crypto from "k6/crypto";
import encoding from "k6/encoding";
import exec from "k6/execution";
import http from "k6/http";

const DEVELOPMENT =
  "AccountName=devstoreaccount1;" +
  "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;" +
  "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1";

const number = (name, otherwise) => {
  const text = __ENV[name] === undefined ? String(otherwise) : __ENV[name];
  if (!/^[1-9][0-9]*$/.test(text)) {
    throw new Error(`${name}=${text} is wrong; it must be a whole number above 0`);
  }
  return Number(text);
};

const required = (name) => {
  if (!__ENV[name]) {
    throw new Error(`${name} is missing; give -e ${name}=...`);
  }
  return __ENV[name];
};

const table = required("TABLE");
const partitions = number("PARTITIONS", 100);
const rows = number("ROWS", 100);
const page = number("PAGE", 10);
const text = "x".repeat(Math.max(1, number("BYTES", 500) - 70));

// {base, path} of the service, and {account, key} or {sas}.
const parseConnection = (given) => {
  const line = given.trim();
  let base;
  let account = "";
  let key = "";
  let sas = "";
  if (/^https?:/.test(line)) {
    [base, sas] = line.split("?", 2);
  } else {
    const parts = {};
    for (const part of line.split(";")) {
      const equals = part.indexOf("=");
      parts[part.slice(0, equals).trim().toLowerCase()] = part.slice(equals + 1).trim();
    }
    account = parts.accountname || "";
    key = parts.accountkey || "";
    sas = parts.sharedaccesssignature || "";
    const protocol = parts.defaultendpointsprotocol || "https";
    base = parts.tableendpoint || `${protocol}://${account}.table.${parts.endpointsuffix || "core.windows.net"}`;
  }
  const found = /^(https?:\/\/[^/]+)(\/[^?]*)?$/.exec(base || "");
  if (!found || !(sas || (account && key))) {
    throw new Error(
      "the connection string must be AccountName=NAME;AccountKey=KEY;TableEndpoint=http://HOST:PORT/NAME," +
        " the same with SharedAccessSignature, or the URL of a shared access signature",
    );
  }
  return {
    origin: found[1],
    // The URL of a table's signature ends with the table.
    path: (found[2] || "").replace(/\/$/, "").replace(sas ? new RegExp(`/${table}$`) : /$^/, ""),
    account,
    key: sas ? null : encoding.b64decode(key),
    sas: sas ? sas.replace(/^\?/, "") : null,
  };
};

const connection = parseConnection(
  __ENV.CLEAVE_CONNECTION_FILE ? open(__ENV.CLEAVE_CONNECTION_FILE) : __ENV.CLEAVE_CONNECTION_STRING || DEVELOPMENT,
);

// Sends one request with the proof that the account requires: the signature in its query, or a Shared Key Lite signature of its date and path.
const send = (operation, method, path, query, body, more = {}) => {
  const headers = Object.assign({ Accept: "application/json;odata=minimalmetadata", "x-ms-version": "2019-02-02" }, more);
  if (body !== null) {
    headers["Content-Type"] = "application/json";
  }
  const wholePath = connection.path + path;
  const parameters = query ? [query] : [];
  if (connection.sas !== null) {
    parameters.push(connection.sas);
  } else {
    const date = new Date().toUTCString();
    const signature = crypto.hmac("sha256", connection.key, `${date}\n/${connection.account}${wholePath}`, "base64");
    headers["x-ms-date"] = date;
    headers.Authorization = `SharedKeyLite ${connection.account}:${signature}`;
  }
  const url = connection.origin + wholePath + (parameters.length > 0 ? `?${parameters.join("&")}` : "");
  // All requests of an operation are one name in the report, although each has a URL of its own.
  return http.request(method, url, body, { headers, tags: { name: operation } });
};

const below = (bound) => Math.floor(Math.random() * bound);
const padded = (prefix, value) => prefix + String(value).padStart(6, "0");
const somePartition = () => padded("p", below(partitions));
const someRow = () => padded("r", below(rows));
const address = () => `/${table}(PartitionKey='${somePartition()}',RowKey='${someRow()}')`;

const operations = {
  get: () => {
    const answer = send("get", "GET", address(), "", null);
    check(answer, { "get is answered 200": (each) => each.status === 200 });
  },
  insert: (run) => {
    // No other run inserts the same.
    const RowKey = `${someRow()}-${run}-${exec.scenario.iterationInTest}`;
    const entity = JSON.stringify({ PartitionKey: somePartition(), RowKey, Text: text });
    const answer = send("insert", "POST", `/${table}`, "", entity, { Prefer: "return-no-content" });
    check(answer, { "insert is answered 204": (each) => each.status === 204 });
  },
  merge: () => {
    const change = JSON.stringify({ Merged: below(1000000) });
    const answer = send("merge", "PATCH", address(), "", change, { "If-Match": "*" });
    check(answer, { "merge is answered 204": (each) => each.status === 204 });
  },
  query: () => {
    const filter = encodeURIComponent(`PartitionKey eq '${somePartition()}' and RowKey ge '${someRow()}'`);
    const answer = send("query", "GET", `/${table}()`, `$filter=${filter}&$top=${page}`, null);
    check(answer, { "query is answered 200": (each) => each.status === 200 });
  },
};

const readMix = (mix) => {
  let total = 0;
  const choices = mix.split(",").map((part) => {
    const found = /^(get|insert|merge|query):([0-9]+)$/.exec(part.trim());
    if (!found) {
      throw new Error(`MIX=${mix} is wrong; write get:95,insert:5 with operations get, insert, merge and query`);
    }
    total += Number(found[2]);
    return { below: total, operation: operations[found[1]] };
  });
  if (total === 0) {
    throw new Error(`MIX=${mix} has no weight above 0`);
  }
  return { choices, total };
};

const mix = readMix(__ENV.MIX || "get:1");
const vus = number("VUS", 64);

export const options = {
  scenarios: {
    load: {
      executor: "constant-arrival-rate",
      rate: number("RATE", 100),
      timeUnit: "1s",
      duration: `${number("SECONDS", 30)}s`,
      preAllocatedVUs: vus,
      maxVUs: vus,
    },
  },
  thresholds: { checks: ["rate==1"] },
  summaryTrendStats: ["avg", "min", "med", "p(90)", "p(99)", "max"],
};

export function setup() {
  return { run: Date.now().toString(36) };
}

export default function (data) {
  const chosen = below(mix.total);
  mix.choices.find((each) => chosen < each.below).operation(data.run);
}
