-- Operations of the Table protocol for wrk and wrk2, on a table that was filled by 'cleave load --fill-only --table NAME'.
--
--   CLEAVE_SAS_FILE=sas.txt wrk -t2 -c32 -d20s --latency -s cleave.lua http://127.0.0.1:10002/devstoreaccount1 -- table=NAME mix=get:95,insert:5
--
-- The URL is that of the Table service, with the account. CLEAVE_SAS_FILE names a file with a shared access signature as 'cleave sas --print' writes
-- it: a token, a URL or a connection string. (An account key would need an HMAC, which wrk's Lua does not have.) Arguments after '--':
--
--   table=NAME       the table
--   mix=OP:N,OP:N    operations and their weights: get, insert, merge, query (default: get:1)
--   partitions=N     partitions that were filled (default: 100)
--   rows=N           entities in each of them (default: 100)
--   bytes=N          approximate size of an inserted entity (default: 500)
--   page=N           entities of a query (default: 10)
--   errors=show      show the first answer of each thread that is an error. This costs some of the rate
--
-- The exit status is 1 if an answer was an error, or a connection broke.

local options = { mix = "get:1", partitions = "100", rows = "100", bytes = "500", page = "10", errors = "count", table = "" }
local numbers = { "partitions", "rows", "bytes", "page" }
local threads = 0
local operations = {}
local weights = {}
local total = 0
local read_headers, insert_headers, merge_headers
local prefix, signature, text, started
local inserted = 0
local shown = false

local function fail(message)
  io.stderr:write("cleave.lua: " .. message .. "\n")
  os.exit(2)
end

-- Runs in an environment of its own, before the threads' init.
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

local function read_signature()
  local name = os.getenv("CLEAVE_SAS_FILE")
  if not name then fail("CLEAVE_SAS_FILE must name a file with a shared access signature; make one with 'cleave sas'") end
  local file = io.open(name)
  local content = file and file:read("*a"):gsub("%s+$", "")
  if file then file:close() end
  if not content then fail("CLEAVE_SAS_FILE=" .. name .. " cannot be read") end
  local token = content:match("SharedAccessSignature=([^;]*)") or content:match("%?(.*)") or content
  if not token:find("sig=", 1, true) then fail("there is no shared access signature in " .. name) end
  return token
end

local function read_options(args)
  for _, argument in ipairs(args) do
    local name, value = argument:match("^(%w+)=(.*)$")
    if not name or not options[name] then
      fail("'" .. argument .. "' is no option; there are table=, mix=, partitions=, rows=, bytes=, page= and errors=show")
    end
    options[name] = value
  end
  if options.table == "" then fail("table=NAME is missing") end
  for _, name in ipairs(numbers) do
    local number = tonumber(options[name])
    if not number or number < 1 or number % 1 ~= 0 then
      fail(name .. "=" .. options[name] .. " is wrong; it must be a whole number above 0")
    end
    options[name] = number
  end
end

local function partition() return string.format("p%06d", math.random(0, options.partitions - 1)) end
local function row() return string.format("r%06d", math.random(0, options.rows - 1)) end

local function address()
  return prefix .. "(PartitionKey='" .. partition() .. "',RowKey='" .. row() .. "')?" .. signature
end

function operations.get()
  return wrk.format("GET", address(), read_headers)
end

function operations.insert()
  inserted = inserted + 1
  -- No other thread or run inserts the same.
  local key = string.format("%s-%s-%d-%d", row(), started, number, inserted)
  local body = '{"PartitionKey":"' .. partition() .. '","RowKey":"' .. key .. '","Text":"' .. text .. '"}'
  return wrk.format("POST", prefix .. "?" .. signature, insert_headers, body)
end

function operations.merge()
  return wrk.format("PATCH", address(), merge_headers, '{"Merged":' .. math.random(0, 999999) .. "}")
end

function operations.query()
  local filter = "PartitionKey%20eq%20'" .. partition() .. "'%20and%20RowKey%20ge%20'" .. row() .. "'"
  return wrk.format("GET", prefix .. "()?$filter=" .. filter .. "&$top=" .. options.page .. "&" .. signature, read_headers)
end

local function read_mix()
  for part in options.mix:gmatch("[^,]+") do
    local name, weight = part:match("^(%a+):(%d+)$")
    if not name or not operations[name] then
      fail("mix=" .. options.mix .. " is wrong; write get:95,insert:5 with operations get, insert, merge and query")
    end
    total = total + tonumber(weight)
    weights[#weights + 1] = { upto = total, operation = operations[name] }
  end
  if total == 0 then fail("mix=" .. options.mix .. " has no weight above 0") end
end

-- Shows the first error.
local function show(status, _, body)
  if status >= 400 and not shown then
    io.stderr:write("cleave.lua: " .. status .. " " .. body .. "\n")
    shown = true
  end
end

local function with(some, more)
  local all = {}
  for name, value in pairs(some) do all[name] = value end
  for name, value in pairs(more) do all[name] = value end
  return all
end

function init(args)
  read_options(args)
  read_mix()
  signature = read_signature()
  prefix = wrk.path:gsub("/$", "") .. "/" .. options.table
  text = string.rep("The quick brown fox jumps over the lazy dog. ", math.ceil(options.bytes / 45)):sub(1, math.max(1, options.bytes - 70))
  math.randomseed(os.time() + number)
  started = string.format("%x%04x", os.time(), math.random(0, 65535))
  read_headers = { ["Accept"] = "application/json;odata=minimalmetadata", ["x-ms-version"] = "2019-02-02" }
  insert_headers = with(read_headers, { ["Content-Type"] = "application/json", ["Prefer"] = "return-no-content" })
  merge_headers = with(read_headers, { ["Content-Type"] = "application/json", ["If-Match"] = "*" })
  if options.errors == "show" then
    response = show
  elseif options.errors ~= "count" then
    fail("errors=" .. options.errors .. " is wrong; it must be show or count")
  end
end

function request()
  local chosen = math.random(1, total)
  for _, each in ipairs(weights) do
    if chosen <= each.upto then return each.operation() end
  end
end

function done(summary)
  local errors = summary.errors
  if errors.status + errors.connect + errors.read + errors.write + errors.timeout > 0 then os.exit(1) end
end
