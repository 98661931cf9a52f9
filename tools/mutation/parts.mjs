/**
 * The parts of `src` that are tested for faults, and the tests that are to notice a fault in each: quick ones that aim at the
 * part and run in one process. A test that starts programs, a browser or Redis takes too long to run for each of thousands of
 * faults.
 *
 * @type {Record<string, string[]>}
 */
export const parts = {
  'core/auth': ['tests/core/{token-provider,token-refresh,tokens}.test.ts', 'tests/promises/requests.test.ts'],
  'core/errors': [
    'tests/core/{api-errors,conventions,documented-errors,error-classes,masking,redaction,schema,secrets}.test.ts',
    'tests/resources/known-variants.test.ts',
  ],
  'core/files': [
    'tests/core/{portable-platform,secrets}.test.ts',
    'tests/resilience/odd-responses.test.ts',
    'tests/resources/{attachments,downloads,files,saved-files,upload-sources}.test.ts',
  ],
  'core/ignore-errors.ts': ['tests/core/{observability,rate-limiter}.test.ts'],
  'core/node-module.ts': ['tests/core/{observability,portable-platform}.test.ts'],
  'core/observability': [
    'tests/client.test.ts',
    'tests/core/{debug-logger,masking,observability,rate-limiter}.test.ts',
  ],
  'core/options': [
    'tests/client.test.ts',
    'tests/core/{choose-transport,observability,option-rules,rate-limiter}.test.ts',
  ],
  'core/options/check-endpoint.ts': ['tests/core/misuse.test.ts'],
  'core/pagination': ['tests/core/pagination.test.ts'],
  'core/rate-limit': ['tests/core/{rate-limiter,rate-limiter-rules}.test.ts', 'tests/resilience/slots.test.ts'],
  'core/confirm': [
    'tests/core/{api-errors,confirm,confirm-proof,time-and-retry,unknown-outcomes}.test.ts',
    'tests/promises/{lost-writes,requests}.test.ts',
    'tests/resilience/{deadlines,never-sent}.test.ts',
  ],
  'core/retry': [
    'tests/core/next-step.test.ts',
    'tests/core/{api-errors,confirm,confirm-proof,time-and-retry,unknown-outcomes}.test.ts',
    'tests/promises/{lost-writes,requests}.test.ts',
    'tests/resilience/{deadlines,never-sent,slots}.test.ts',
    'tests/retry-classes.test.ts',
  ],
  'core/scope': ['tests/core/time-and-retry.test.ts', 'tests/resilience/{deadlines,never-sent,slots}.test.ts'],
  'core/schema/attributes.ts': ['tests/core/conventions.test.ts', 'tests/resources/known-variants.test.ts'],
  'core/schema/sliced-array.ts': ['tests/core/validation-messages.test.ts', 'tests/resilience/wrong-entries.test.ts'],
  'core/schema/date-time.ts': ['tests/core/dates.test.ts'],
  'core/schema/fields.ts': ['tests/core/validation-messages.test.ts'],
  'core/schema/format-issues.ts': ['tests/core/validation-messages.test.ts'],
  'core/schema/read-leniently.ts': ['tests/core/drift.test.ts'],
  'core/schema/set-aside.ts': ['tests/core/drift.test.ts'],
  'core/schema/word.ts': ['tests/resources/{flex,known-variants,messages}.test.ts'],
  'core/schema': ['tests/core/{schema,validation-messages}.test.ts'],
  'core/serialization/jsonp.ts': ['tests/resources/reference.test.ts'],
  'core/serialization/json.ts': ['tests/core/json.test.ts'],
  'core/serialization/path-template.ts': ['tests/core/paths.test.ts'],
  'core/serialization/json-body.ts': ['tests/core/requests.test.ts'],
  'core/serialization/query.ts': ['tests/core/{conventions,requests}.test.ts'],
  'core/serialization/request.ts': ['tests/core/{conventions,requests}.test.ts'],
  'core/transport': [
    'tests/core/{transport-failures,transports}.test.ts',
    'tests/resilience/{connections,never-sent,odd-responses}.test.ts',
  ],
  'core/transport/fetch.ts': [
    'tests/core/{misuse,portable-platform,transports,user-agent}.test.ts',
    'tests/resilience/{never-sent,odd-responses}.test.ts',
    'tests/resources/{downloads,upload-sources}.test.ts',
  ],
  core: [
    'tests/client.test.ts',
    'tests/core/{conventions,option-rules}.test.ts',
    'tests/resources/reference.test.ts',
    'tests/retry-classes.test.ts',
  ],
  'core/http-client.ts': [
    'tests/client.test.ts',
    'tests/core/{api-errors,confirm-proof,observability,rate-limiter,time-and-retry,tokens,unknown-outcomes}.test.ts',
    'tests/promises/{lost-writes,requests}.test.ts',
    'tests/resilience/{deadlines,never-sent,slots}.test.ts',
    'tests/resources/{downloads,files}.test.ts',
  ],
  'core/pipeline': [
    'tests/client.test.ts',
    'tests/core/{api-errors,confirm,confirm-proof,conventions,documented-errors,masking,time-and-retry,unknown-outcomes,user-agent}.test.ts',
    'tests/{golden-requests,resources/contacts,resources/messages}.test.ts',
    'tests/promises/{lost-writes,requests}.test.ts',
    'tests/resilience/{deadlines,never-sent,odd-responses}.test.ts',
    'tests/resources/{known-variants,reference}.test.ts',
  ],
  'core/pipeline/acquire-attempt.ts': [
    'tests/core/{observability,rate-limiter,rate-limiter-rules}.test.ts',
    'tests/resilience/{known-failures,slots}.test.ts',
  ],
  'core/pipeline/file-transfer.ts': ['tests/resources/{attachments,downloads,files,upload-sources}.test.ts'],
  'core/pipeline/parse-response.ts': [
    'tests/core/{api-errors,conventions,documented-errors}.test.ts',
    'tests/resilience/wrong-entries.test.ts',
  ],
  'core/pipeline/client-runtime.ts': [
    'tests/client.test.ts',
    'tests/core/{rate-limiter,tokens}.test.ts',
    'tests/{golden-requests,resources/contacts,resources/messages}.test.ts',
  ],
  'core/pipeline/attempt.ts': [
    'tests/core/{time-and-retry,unknown-outcomes,user-agent}.test.ts',
    'tests/{golden-requests,resources/contacts,resources/messages}.test.ts',
    'tests/resilience/{deadlines,never-sent,odd-responses}.test.ts',
    'tests/resources/{downloads,files,upload-sources}.test.ts',
  ],
  'core/platform': [
    'tests/core/{choose-transport,debug-logger,network-errors,node-fetch,portable-platform}.test.ts',
    'tests/resilience/never-sent.test.ts',
  ],
  'notifications/stores/sqlite-database.ts': ['tests/notifications/sqlite.test.ts'],
  'notifications/stores/sqlite-transaction.ts': ['tests/notifications/sqlite.test.ts'],
  'notifications/http': ['tests/notifications/{bodies,fetch,node,receiver}.test.ts', 'tests/promises/inbox.test.ts'],
  'notifications/stores': [
    'tests/notifications/{receiver,store-properties,stores}.test.ts',
    'tests/promises/inbox.test.ts',
  ],
  'notifications/queues': ['tests/notifications/{bullmq,failures,observed,queue-runs,receiver}.test.ts'],
  notifications: [
    'tests/notifications/{failures,notification,observed,queued-notification,read-notification,receiver,stalls,worker}.test.ts',
    'tests/promises/inbox.test.ts',
  ],
  cli: ['tests/cli/{check,program,tape}.test.ts'],
  oauth: ['tests/oauth/*.test.ts'],
  otel: ['tests/core/{misuse,observability}.test.ts', 'tests/notifications/tracing.test.ts'],
  resources: [
    'tests/core/{confirm,confirm-and-retry,confirm-proof,documented-errors,echoes,input-messages,misuse,unknown-outcomes}.test.ts',
    'tests/promises/*.test.ts',
    'tests/resources/*.test.ts',
    'tests/{contract,golden-requests,retry-classes}.test.ts',
  ],
  testing: [
    'tests/resources/{action-guide,contacts,counterparts,flex,flows,items,messages,questions,reference}.test.ts',
    'tests/testing/{arrange,clock,conventions,endpoint-rules,faults,field-rules,ids,local-time,long-conversation,notifications,notifications-by-hand,request-log,response-time,rules}.test.ts',
    'tests/{client,contract}.test.ts',
  ],
};

/**
 * The parts that keep what they create on first use. Each test file loads the modules of these again: otherwise a fault in the
 * creation would be noticed only by the first test of a thread, and would reach the tests of the faults after it.
 */
export const keepsWhatItCreates = new Set(['core/schema', 'core/serialization/path-template.ts']);
