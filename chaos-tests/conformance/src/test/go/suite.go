// The table client of the Go SDK from before aztables, which Debian packages. Run as: go run suite.go CONNECTION_STRING
// It prints one line of JSON a test: {"name": ..., "ok": ..., "error": ...}.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/storage"
	"github.com/gofrs/uuid"
)

const timeout = 30

var number = 0

type failed struct{ error }

func check(err error) {
	if err != nil {
		panic(failed{err})
	}
}

func equal(what string, found, expected interface{}) {
	if !reflect.DeepEqual(found, expected) {
		panic(failed{fmt.Errorf("%s: found %#v, expected %#v", what, found, expected)})
	}
}

func refused(err error, status int, code string) {
	var told storage.AzureStorageServiceError
	if !errors.As(err, &told) {
		panic(failed{fmt.Errorf("expected %d %s, found %v", status, code, err)})
	}
	equal("refusal", fmt.Sprint(told.StatusCode, " ", told.Code), fmt.Sprint(status, " ", code))
}

func setting(name string) string {
	for _, part := range strings.Split(os.Args[1], ";") {
		if strings.HasPrefix(part, name+"=") {
			return part[len(name)+1:]
		}
	}
	panic("the connection string has no " + name)
}

// It knows the emulator at its own port alone, so connections are led to the endpoint.
func service(key string) storage.TableServiceClient {
	client, err := storage.NewClient(setting("AccountName"), key, storage.DefaultBaseURL, storage.DefaultAPIVersion, false)
	check(err)
	endpoint, err := url.Parse(setting("TableEndpoint"))
	check(err)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, endpoint.Host)
	}
	client.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: dial}}
	return client.GetTableService()
}

func name() string {
	number++
	return fmt.Sprintf("go%dn%d", time.Now().UnixNano(), number)
}

func newTable() *storage.Table {
	tables := service(setting("AccountKey"))
	table := tables.GetTableReference(name())
	check(table.Create(timeout, storage.EmptyPayload, nil))
	return table
}

func insert(table *storage.Table, rowKey string, properties map[string]interface{}) *storage.Entity {
	entity := table.GetEntityReference("p", rowKey)
	entity.Properties = properties
	check(entity.Insert(storage.EmptyPayload, nil))
	return entity
}

func read(table *storage.Table, rowKey string) *storage.Entity {
	entity := table.GetEntityReference("p", rowKey)
	check(entity.Get(timeout, storage.FullMetadata, nil))
	return entity
}

func rowKeys(entities []*storage.Entity) []string {
	found := []string{}
	for _, entity := range entities {
		found = append(found, entity.RowKey)
	}
	return found
}

func tables() {
	table := newTable()
	refused(table.Create(timeout, storage.EmptyPayload, nil), 409, "TableAlreadyExists")
	check(table.Get(timeout, storage.FullMetadata))
	service := service(setting("AccountKey"))
	prefix := name() + "x"
	for _, end := range []string{"a", "b", "c"} {
		check(service.GetTableReference(prefix+end).Create(timeout, storage.FullMetadata, nil))
	}
	filter := fmt.Sprintf("TableName ge '%s' and TableName lt '%sz'", prefix, prefix)
	page, err := service.QueryTables(storage.MinimalMetadata, &storage.QueryTablesOptions{Top: 2, Filter: filter})
	check(err)
	found := []string{}
	for {
		for _, listed := range page.Tables {
			found = append(found, listed.Name)
		}
		if page.NextLink == nil {
			break
		}
		page, err = page.NextResults(nil)
		check(err)
	}
	equal("tables", found, []string{prefix + "a", prefix + "b", prefix + "c"})
	check(table.Delete(timeout, nil))
	refused(table.GetEntityReference("p", "r").Get(timeout, storage.FullMetadata, nil), 404, "TableNotFound")
}

func types() {
	table := newTable()
	sent := map[string]interface{}{
		"text":   "zwölf 名前 \U0001F600 \"quoted\"",
		"yes":    true,
		"int":    float64(-5), // An int32 comes back as the number that JSON has.
		"big":    int64(1234567890123456789),
		"at":     time.Date(2024, 5, 1, 8, 0, 0, 123456700, time.UTC),
		"guid":   uuid.FromStringOrNil("a455c695-df98-5678-aaaa-81d3367e5a34"),
		"binary": []byte{0, 1, 255},
	}
	inserted := insert(table, "r", map[string]interface{}{})
	inserted.Properties = sent
	inserted.Properties["int"] = -5
	check(inserted.InsertOrReplace(nil))
	found := read(table, "r").Properties
	sent["int"] = float64(-5)
	for key, value := range sent {
		equal(key, found[key], value)
	}
	for _, level := range []storage.MetadataLevel{storage.NoMetadata, storage.MinimalMetadata} {
		check(table.GetEntityReference("p", "r").Get(timeout, level, nil))
	}
}

func writes() {
	table := newTable()
	insert(table, "r", map[string]interface{}{"a": "1", "b": "1"})
	refused(table.GetEntityReference("p", "r").Insert(storage.EmptyPayload, nil), 409, "EntityAlreadyExists")
	refused(table.GetEntityReference("p", "none").Update(true, nil), 404, "ResourceNotFound")
	stale, entity := read(table, "r"), read(table, "r")
	entity.Properties = map[string]interface{}{"a": "2"}
	check(entity.Merge(false, nil))
	equal("merged", read(table, "r").Properties["b"], "1")
	stale.Properties = map[string]interface{}{"a": "3"}
	err := stale.Update(false, nil)
	equal("stale", err != nil && strings.Contains(err.Error(), "StatusCode=412"), true)
	check(stale.Update(true, nil))
	_, kept := read(table, "r").Properties["b"]
	equal("kept after a replacement", kept, false)
	other := table.GetEntityReference("p", "s")
	other.Properties = map[string]interface{}{"c": "1"}
	check(other.InsertOrMerge(nil))
	other.Properties = map[string]interface{}{"d": "1"}
	check(other.InsertOrMerge(nil))
	equal("merged", read(table, "s").Properties["c"], "1")
	check(other.Delete(true, nil))
	refused(other.Get(timeout, storage.FullMetadata, nil), 404, "ResourceNotFound")
}

func queries() {
	table := newTable()
	for i := 0; i < 5; i++ {
		insert(table, fmt.Sprint("r", i), map[string]interface{}{"n": i, "m": i})
	}
	options := &storage.QueryOptions{Filter: "n ge 3", Select: []string{"RowKey", "n"}}
	found, err := table.QueryEntities(timeout, storage.NoMetadata, options)
	check(err)
	equal("filtered", rowKeys(found.Entities), []string{"r3", "r4"})
	equal("selected", found.Entities[0].Properties, map[string]interface{}{"n": float64(3)})
	page, err := table.QueryEntities(timeout, storage.FullMetadata, &storage.QueryOptions{Top: 2})
	check(err)
	all := rowKeys(page.Entities)
	for page.NextLink != nil {
		page, err = page.NextResults(nil)
		check(err)
		all = append(all, rowKeys(page.Entities)...)
	}
	equal("pages", all, []string{"r0", "r1", "r2", "r3", "r4"})
}

func batches() {
	table := newTable()
	old := insert(table, "old", map[string]interface{}{"a": "1"})
	fresh := table.GetEntityReference("p", "new")
	fresh.Properties = map[string]interface{}{"a": "1"}
	either := table.GetEntityReference("p", "either")
	either.Properties = map[string]interface{}{"a": "1"}
	old.Properties = map[string]interface{}{"a": "2"}
	batch := table.NewBatch()
	batch.InsertEntity(fresh)
	batch.MergeEntity(old)
	batch.InsertOrReplaceEntityByForce(either)
	check(batch.ExecuteBatch())
	equal("merged", read(table, "old").Properties["a"], "2")
	other := table.GetEntityReference("p", "other")
	batch = table.NewBatch()
	batch.InsertEntity(other)
	batch.InsertEntity(fresh)
	refused(batch.ExecuteBatch(), 409, "EntityAlreadyExists")
	refused(other.Get(timeout, storage.FullMetadata, nil), 404, "ResourceNotFound")
}

func policies() {
	table := newTable()
	start := time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)
	sent := storage.TableAccessPolicy{ID: "readers", StartTime: start, ExpiryTime: start.AddDate(1, 0, 0), CanRead: true}
	check(table.SetPermissions([]storage.TableAccessPolicy{sent}, timeout, nil))
	found, err := table.GetPermissions(timeout, nil)
	check(err)
	equal("policies", found, []storage.TableAccessPolicy{sent})
}

func properties() {
	tables := service(setting("AccountKey"))
	found, err := tables.GetServiceProperties()
	check(err)
	equal("version", found.Logging.Version, "1.0")
	check(tables.SetServiceProperties(*found))
}

func wrongKey() {
	tables := service("d3Jvbmc=")
	refused(tables.GetTableReference(name()).Create(timeout, storage.EmptyPayload, nil), 403, "AuthenticationFailed")
}

func main() {
	tests := []struct {
		name string
		body func()
	}{
		{"tables are made, listed by pages and deleted", tables},
		{"every type comes back as it went in", types},
		{"every write, with and without an etag", writes},
		{"queries by filter, selection and pages", queries},
		{"a batch is done as a whole, or not at all", batches},
		{"access policies come back", policies},
		{"properties of the service come back", properties},
		{"a wrong key is refused", wrongKey},
	}
	for _, test := range tests {
		result := map[string]interface{}{"name": test.name, "ok": true, "error": ""}
		func() {
			defer func() {
				if thrown := recover(); thrown != nil {
					result["ok"], result["error"] = false, fmt.Sprint(thrown)
				}
			}()
			test.body()
		}()
		line, _ := json.Marshal(result)
		fmt.Println(string(line))
	}
}
