CREATE TABLE public.seller_work (
    number bigint NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    owner text NOT NULL,
    group_id text NOT NULL,
    sent_at double precision NOT NULL,
    added_at double precision NOT NULL,
    data text NOT NULL,
    state text NOT NULL,
    turn double precision,
    due_at double precision,
    token text,
    failures integer DEFAULT 0 NOT NULL,
    stalls integer DEFAULT 0 NOT NULL,
    failure text,
    notes text,
    ended_at double precision
);
CREATE TABLE public.seller_work_ledger (
    key text NOT NULL,
    value text NOT NULL,
    until double precision NOT NULL
);
CREATE SEQUENCE public.seller_work_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.seller_work_number_seq OWNED BY public.seller_work.number;
CREATE TABLE public.seller_work_version (
    version integer
);
ALTER TABLE ONLY public.seller_work ALTER COLUMN number SET DEFAULT nextval('public.seller_work_number_seq'::regclass);
INSERT INTO public.seller_work VALUES (2, 'job accepted', 'job', '7', 'job accepted', 1795892309341, 1795892309446.479, '{"key":"accepted","user_id":7,"pack_id":2000000000001,"steps":[{"endpoint":"messages.send","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"Thank you!"}}]}', 'accepted', NULL, 'Infinity', NULL, 0, 0, NULL, '{"outputs":[{"output":{"id":"00000002b548ea75c1c36d92a5f0e023","site_id":"MLA","client_id":500,"from":{"user_id":7},"to":{"user_id":31},"status":"available","subject":null,"text":"Thank you!","message_date":{"received":"2026-11-28T18:58:29.469Z","available":"2026-11-28T18:58:29.469Z","notified":"2026-11-28T18:58:29.469Z","created":"2026-11-28T18:58:29.469Z","read":null},"message_moderation":{"status":"clean","reason":null,"source":"online","moderation_date":"2026-11-28T18:58:29.469Z"},"message_attachments":null,"message_resources":[{"id":"2000000000001","name":"packs"},{"id":"7","name":"sellers"}],"conversation_first_message":false},"at":1795892309474}]}', 1795892309475.075);
INSERT INTO public.seller_work VALUES (4, 'job rejected', 'job', '7', 'job rejected', 1795892309484, 1795892309528.1538, '{"key":"rejected","user_id":7,"pack_id":2000000000001,"steps":[{"endpoint":"messages.send","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"Call me at +54 11 4321-5678"}}]}', 'rejected', NULL, 'Infinity', NULL, 0, 0, 'PERSONAL_DATA', '{"writes":[{"id":"ccbe146e-cd61-4662-80b4-6b42fb10b708","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"Call me at +54 11 4321-5678"},"sentAt":1795892309543,"state":"done","output":{"id":"00000003b071c7724831b7ce5b4a8d80","site_id":"MLA","client_id":500,"from":{"user_id":7},"to":{"user_id":31},"status":"moderated","subject":null,"text":"Call me at +54 11 4321-5678","message_date":{"received":"2026-11-28T18:58:29.557Z","available":null,"notified":null,"created":"2026-11-28T18:58:29.557Z","read":null},"message_moderation":{"status":"rejected","reason":"PERSONAL_DATA","source":"online","moderation_date":"2026-11-28T18:58:29.557Z"},"message_attachments":null,"message_resources":[{"id":"2000000000001","name":"packs"},{"id":"7","name":"sellers"}],"conversation_first_message":false},"entry":"message 00000003b071c7724831b7ce5b4a8d80"}]}', 1795892309559.984);
INSERT INTO public.seller_work VALUES (7, '1e2fcc94aa725f5338d13449f82921d4', 'questions', '7', '[7,"questions","1"]', 1893492000000, 1795892309596.439, '{}', 'done', NULL, 1795978709606.041, NULL, 0, 0, NULL, NULL, 1795892309606.041);
INSERT INTO public.seller_work VALUES (6, 'job dead', 'job', '7', 'job dead', 1795892309567, 1795892309567.765, '{"key":"dead","user_id":7,"pack_id":2000000000001,"steps":[{"endpoint":"messages.send","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"It leaves today."}}]}', 'dead', NULL, NULL, NULL, 1, 0, 'ForbiddenError: POST /messages/packs/{pack_id}/sellers/{user_id} failed with 403: the service gave no reason', '{"writes":[{"id":"4a2b37f2-c5e5-45b0-bb47-75dda7794f96","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"It leaves today."},"sentAt":1795892309583,"state":"rejected"}]}', 1795892309594.024);
INSERT INTO public.seller_work VALUES (9, '60201f0e3e3ede91b1c7e1f141b0f223', 'questions', '7', '[7,"questions","2"]', 1893492000000, 1795892309598.622, '{"key":"60201f0e3e3ede91b1c7e1f141b0f223","groupId":"[7,\"questions\",\"2\"]","sentAt":1893492000000,"notification":{"user_id":7,"resource":"/questions/2","topic":"questions","id":"two","sent":"2030-01-01T10:00:00.000Z","known":true,"question_id":2},"arrivedAt":1795892309598}', 'dead', NULL, NULL, NULL, 1, 0, 'Error: it failed', NULL, 1795892309606.041);
INSERT INTO public.seller_work VALUES (10, '80026ee2a4e664681fff15f1ebc4670a', 'questions', '7', '[7,"questions","3"]', 1893492000000, 1795892309623.21, '{"key":"80026ee2a4e664681fff15f1ebc4670a","groupId":"[7,\"questions\",\"3\"]","sentAt":1893492000000,"notification":{"user_id":7,"resource":"/questions/3","topic":"questions","id":"three","sent":"2030-01-01T10:00:00.000Z","known":true,"question_id":3},"arrivedAt":1795892309622}', 'open', 1, 1795892309623.21, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO public.seller_work VALUES (11, 'job waiting', 'job', '7', 'job waiting', 1795892309624, 1795892309624.759, '{"key":"waiting","user_id":7,"pack_id":2000000000001,"steps":[{"endpoint":"messages.send","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"Tomorrow."}}]}', 'open', 1, 1795892309624.759, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO public.seller_work_ledger VALUES ('proof message 00000002b548ea75c1c36d92a5f0e023', '{"id":"121c8351-70de-4d0d-a324-f5d2c292f988","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}"}', 1795978709471.791);
INSERT INTO public.seller_work_ledger VALUES ('proof message 00000003b071c7724831b7ce5b4a8d80', '{"id":"ccbe146e-cd61-4662-80b4-6b42fb10b708","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}"}', 1795978709558.158);
INSERT INTO public.seller_work_ledger VALUES ('writes messages.send 7 {"pack_id":"2000000000001","user_id":"7"}', '[{"id":"121c8351-70de-4d0d-a324-f5d2c292f988","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"Thank you!"},"sentAt":1795892309463,"state":"done","entry":"message 00000002b548ea75c1c36d92a5f0e023"},{"id":"ccbe146e-cd61-4662-80b4-6b42fb10b708","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"Call me at +54 11 4321-5678"},"sentAt":1795892309543,"state":"done","entry":"message 00000003b071c7724831b7ce5b4a8d80"},{"id":"4a2b37f2-c5e5-45b0-bb47-75dda7794f96","target":"messages.send 7 {\"pack_id\":\"2000000000001\",\"user_id\":\"7\"}","input":{"pack_id":2000000000001,"user_id":7,"to":{"user_id":31},"text":"It leaves today."},"sentAt":1795892309583,"state":"rejected"}]', 1795978709592.293);
INSERT INTO public.seller_work_ledger VALUES ('fact [7,"questions","1"]', 'handled', 1795978709606.041);
INSERT INTO public.seller_work_ledger VALUES ('fact [7,"questions","2"]', 'given up 60201f0e3e3ede91b1c7e1f141b0f223', 1797101909606.041);
INSERT INTO public.seller_work_version VALUES (1);
ALTER TABLE ONLY public.seller_work
    ADD CONSTRAINT seller_work_key_key UNIQUE (key);
ALTER TABLE ONLY public.seller_work_ledger
    ADD CONSTRAINT seller_work_ledger_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.seller_work
    ADD CONSTRAINT seller_work_pkey PRIMARY KEY (number);
CREATE INDEX seller_work_due ON public.seller_work USING btree (kind, turn, number) WHERE (turn IS NOT NULL);
CREATE INDEX seller_work_ended ON public.seller_work USING btree (due_at) WHERE (state = ANY (ARRAY['done'::text, 'accepted'::text, 'rejected'::text]));
CREATE INDEX seller_work_group ON public.seller_work USING btree (group_id, sent_at, number) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX seller_work_head ON public.seller_work USING btree (group_id) WHERE ((state = 'open'::text) AND (due_at IS NOT NULL));
CREATE INDEX seller_work_later ON public.seller_work USING btree (kind, due_at) WHERE ((state = 'open'::text) AND (due_at IS NOT NULL) AND (turn IS NULL));
CREATE INDEX seller_work_ledger_until ON public.seller_work_ledger USING btree (until);
CREATE INDEX seller_work_listed ON public.seller_work USING btree (kind, state, number) WHERE (state <> 'done'::text);
CREATE INDEX seller_work_owner ON public.seller_work USING btree (kind, owner, state, number);
CREATE INDEX seller_work_turn ON public.seller_work USING btree (kind, owner, turn) WHERE (turn IS NOT NULL);
SELECT setval('public.seller_work_number_seq', 11, true);
