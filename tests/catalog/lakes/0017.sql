BEGIN TRANSACTION;
CREATE TABLE iceberg_namespace_properties (
	catalog_name VARCHAR(255) NOT NULL, 
	namespace VARCHAR(255) NOT NULL, 
	property_key VARCHAR(255) NOT NULL, 
	property_value VARCHAR(1000), 
	PRIMARY KEY (catalog_name, namespace, property_key)
);
INSERT INTO "iceberg_namespace_properties" VALUES('icemelt','main','exists','true');
INSERT INTO "iceberg_namespace_properties" VALUES('icemelt','main.public','exists','true');
INSERT INTO "iceberg_namespace_properties" VALUES('icemelt','main.other','exists','true');
CREATE TABLE iceberg_tables (
	catalog_name VARCHAR(255) NOT NULL, 
	table_namespace VARCHAR(255) NOT NULL, 
	table_name VARCHAR(255) NOT NULL, 
	metadata_location VARCHAR(1000), 
	previous_metadata_location VARCHAR(1000), 
	iceberg_type VARCHAR(5), 
	PRIMARY KEY (catalog_name, table_namespace, table_name)
);
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-8824bf5b-73d8-4e77-995f-36c9ee1e3be3/metadata/00002-dbc542cf-02f2-4e53-8f8e-9a111ffe36d8.metadata.json','{lake}/warehouse/events-8824bf5b-73d8-4e77-995f-36c9ee1e3be3/metadata/00001-c2a9da74-ab59-42da-a1ed-ee460eaf2c67.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-dbf60b17-4c74-4b79-99b3-f37d06917572/metadata/00000-19754a18-eb3d-4d7d-9885-c2d9e461e59b.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-8e9e6561-32e3-4879-bb73-99dcd214dba0/metadata/00000-5c02a91d-3397-4cd1-bcf4-1b3a9b716695.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-425964b5-8870-4bca-b31e-3fa8ca251333/metadata/00000-da783ba0-99f4-45e8-b2ae-a27823976325.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-58e00406-9a0f-4098-9199-cf70cac1c457/metadata/00000-463db01f-ea8c-4839-99c8-d5dfa41487eb.metadata.json','{lake}/warehouse/model-58e00406-9a0f-4098-9199-cf70cac1c457/metadata/00000-f6a3418a-a8ad-4407-b56a-8d9952a45b33.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-d24a7d93-42ab-43c4-95dc-80d6eaef3d52/metadata/00000-26eed10b-f30d-4896-b5b6-c3fff34c3ca5.metadata.json',NULL,'TABLE');
CREATE TABLE icemelt_channels (
	channel_id VARCHAR(36) NOT NULL, 
	table_id VARCHAR(36) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	created_at BIGINT NOT NULL, 
	active_at BIGINT NOT NULL, 
	client_sequencer BIGINT NOT NULL, 
	row_sequencer BIGINT NOT NULL, 
	offset_token TEXT, 
	CONSTRAINT pk_icemelt_channels PRIMARY KEY (channel_id), 
	CONSTRAINT fk_icemelt_channels_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT uq_icemelt_channels_table_id_name UNIQUE (table_id, name)
);
INSERT INTO "icemelt_channels" VALUES('036f2212-ab0c-4613-8700-aae26049ab4f','425964b5-8870-4bca-b31e-3fa8ca251333','first','writer',1795891070997,1795891070997,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('0b21b489-14ca-44fd-ba42-9af3b22a1be3','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('edf25e57-2d35-4a4e-bc5a-c71880b9114f','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('cafec2e8-3b47-42f4-ade0-4fb6e072fe9a','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "425964b5-8870-4bca-b31e-3fa8ca251333", "stage": ["main", "other", "landing"], "stage_id": "edf25e57-2d35-4a4e-bc5a-c71880b9114f", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
CREATE TABLE icemelt_dependencies (
	dependent_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	binding VARCHAR(16) NOT NULL, 
	object_id VARCHAR(36), 
	database_name VARCHAR(255), 
	schema_name VARCHAR(255), 
	name VARCHAR(255), 
	folded_database VARCHAR(1024), 
	folded_schema VARCHAR(1024), 
	folded_name VARCHAR(1024), 
	columns JSON, 
	used JSON, 
	CONSTRAINT pk_icemelt_dependencies PRIMARY KEY (dependent_id, position), 
	CONSTRAINT fk_icemelt_dependencies_dependent_id FOREIGN KEY(dependent_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_dependencies" VALUES('41822886-6e53-4ff5-a311-f382f7c0eb13',0,'BY_ID','dbf60b17-4c74-4b79-99b3-f37d06917572',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('8e9e6561-32e3-4879-bb73-99dcd214dba0',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('a52517b2-fc77-4495-a010-c52db8dbf40a',0,'BY_ID','dbf60b17-4c74-4b79-99b3-f37d06917572',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE icemelt_frontiers (
	stream_id VARCHAR(36) NOT NULL, 
	move BIGINT NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	position VARCHAR(1024) NOT NULL, 
	initial BOOLEAN NOT NULL, 
	moved_in BIGINT NOT NULL, 
	moved_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_frontiers PRIMARY KEY (stream_id, move, source_id), 
	CONSTRAINT fk_icemelt_frontiers_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_streams (stream_id)
);
INSERT INTO "icemelt_frontiers" VALUES('41822886-6e53-4ff5-a311-f382f7c0eb13',0,'dbf60b17-4c74-4b79-99b3-f37d06917572','table','1@7',0,8,1795891070885);
INSERT INTO "icemelt_frontiers" VALUES('a52517b2-fc77-4495-a010-c52db8dbf40a',0,'dbf60b17-4c74-4b79-99b3-f37d06917572','table','1@11',0,12,1795891070944);
CREATE TABLE icemelt_keys (
	key_id VARCHAR(36) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created_at BIGINT NOT NULL, 
	revoked_at BIGINT, statement_timeout FLOAT, 
	CONSTRAINT pk_icemelt_keys PRIMARY KEY (key_id)
);
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, lease_token BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'e5f23412-bd0b-46a9-8d39-bec33e9b8323','icemelt','{lake}/warehouse',18,1795891070992,0);
CREATE TABLE icemelt_leases (
	kind VARCHAR(16) NOT NULL, 
	resource_id VARCHAR(36) NOT NULL, 
	holder VARCHAR(36) NOT NULL, 
	token BIGINT NOT NULL, 
	acquired_at BIGINT NOT NULL, 
	life BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_leases PRIMARY KEY (kind, resource_id)
);
CREATE TABLE icemelt_listed_files (
	owner_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	added_in BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	etag VARCHAR(255) NOT NULL, 
	CONSTRAINT pk_icemelt_listed_files PRIMARY KEY (owner_id, path, since_commit), 
	CONSTRAINT fk_icemelt_listed_files_owner_id FOREIGN KEY(owner_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_listings (
	owner_id VARCHAR(36) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	statement_id VARCHAR(36), 
	transaction_id VARCHAR(36) NOT NULL, 
	added BIGINT NOT NULL, 
	changed BIGINT NOT NULL, 
	removed BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_listings PRIMARY KEY (owner_id, commit_number), 
	CONSTRAINT fk_icemelt_listings_owner_id FOREIGN KEY(owner_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_loads (
	table_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	rows_loaded BIGINT NOT NULL, 
	errors BIGINT NOT NULL, 
	status VARCHAR(32) NOT NULL, 
	loaded_at BIGINT NOT NULL, 
	statement_id VARCHAR(36) NOT NULL, rows_parsed BIGINT, pipe_id VARCHAR(36), first_error TEXT, first_line BIGINT, first_column TEXT, 
	CONSTRAINT pk_icemelt_loads PRIMARY KEY (table_id, path), 
	CONSTRAINT fk_icemelt_loads_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_migrations (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT icemelt_migrations_pkc PRIMARY KEY (version_num)
);
INSERT INTO "icemelt_migrations" VALUES('0017');
CREATE TABLE icemelt_objects (
	object_id VARCHAR(36) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	parent_id VARCHAR(36), 
	name VARCHAR(255) NOT NULL, 
	folded VARCHAR(1024) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	comment TEXT, 
	created_at BIGINT NOT NULL, 
	dropped_at BIGINT, 
	drop_id VARCHAR(36), 
	retention_days INTEGER, 
	extension_days INTEGER, 
	session_id VARCHAR(36), 
	namespace VARCHAR(255), 
	catalog_table_name VARCHAR(255), 
	table_uuid VARCHAR(36), 
	known_location TEXT, 
	version BIGINT, 
	snapshot_id BIGINT, 
	CONSTRAINT pk_icemelt_objects PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_objects_parent_id FOREIGN KEY(parent_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_objects" VALUES('35d73aba-529c-4d97-a6f1-78b519889696','database',NULL,'main','main','',NULL,1795891063344,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('b755a9cd-5dac-4256-a888-097c1c81919d','schema','35d73aba-529c-4d97-a6f1-78b519889696','public','public','',NULL,1795891063344,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3','table','b755a9cd-5dac-4256-a888-097c1c81919d','events','events','writer','with a history',1795891067709,NULL,NULL,NULL,NULL,NULL,'main.public','events','13fa0849-341e-4149-81fe-5d4c33dfd3cc','{lake}/warehouse/events-8824bf5b-73d8-4e77-995f-36c9ee1e3be3/metadata/00002-dbc542cf-02f2-4e53-8f8e-9a111ffe36d8.metadata.json',3,4286687575082645074);
INSERT INTO "icemelt_objects" VALUES('ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','schema','35d73aba-529c-4d97-a6f1-78b519889696','other','other','writer',NULL,1795891070686,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('dbf60b17-4c74-4b79-99b3-f37d06917572','table','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','empty','empty','writer',NULL,1795891070840,NULL,NULL,NULL,NULL,NULL,'main.other','empty','1c9db6f0-d4ab-4000-a3e8-bd760e50ba4a','{lake}/warehouse/empty-dbf60b17-4c74-4b79-99b3-f37d06917572/metadata/00000-19754a18-eb3d-4d7d-9885-c2d9e461e59b.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('41822886-6e53-4ff5-a311-f382f7c0eb13','stream','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','watched','watched','writer',NULL,1795891070885,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8e9e6561-32e3-4879-bb73-99dcd214dba0','view','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','shown','shown','writer',NULL,1795891070930,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-8e9e6561-32e3-4879-bb73-99dcd214dba0/metadata/00000-5c02a91d-3397-4cd1-bcf4-1b3a9b716695.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('0b21b489-14ca-44fd-ba42-9af3b22a1be3','file format','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','semicolons','semicolons','writer',NULL,1795891070937,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('edf25e57-2d35-4a4e-bc5a-c71880b9114f','stage','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','landing','landing','writer','where files arrive',1795891070942,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('a52517b2-fc77-4495-a010-c52db8dbf40a','stream','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','rows','rows','writer',NULL,1795891070944,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('425964b5-8870-4bca-b31e-3fa8ca251333','table','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','kept','kept','writer',NULL,1795891070953,NULL,NULL,NULL,NULL,NULL,'main.other','kept','0df95b64-11c1-4dc7-8fea-8039c7ccd864','{lake}/warehouse/kept-425964b5-8870-4bca-b31e-3fa8ca251333/metadata/00000-da783ba0-99f4-45e8-b2ae-a27823976325.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('cafec2e8-3b47-42f4-ade0-4fb6e072fe9a','pipe','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','arriving','arriving','writer','every file once',1795891070963,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('58e00406-9a0f-4098-9199-cf70cac1c457','table','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','model','model','writer',NULL,1795891070970,NULL,NULL,NULL,NULL,NULL,'main.other','model','8aab849f-5850-4696-b41e-4575e52db906','{lake}/warehouse/model-58e00406-9a0f-4098-9199-cf70cac1c457/metadata/00000-463db01f-ea8c-4839-99c8-d5dfa41487eb.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('d24a7d93-42ab-43c4-95dc-80d6eaef3d52','table','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','twin','twin','writer',NULL,1795891070976,NULL,NULL,NULL,NULL,NULL,'main.other','twin','b7ff93e2-6beb-46e2-b786-ad469098d409','{lake}/warehouse/twin-d24a7d93-42ab-43c4-95dc-80d6eaef3d52/metadata/00000-26eed10b-f30d-4896-b5b6-c3fff34c3ca5.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('f099bfbb-cbdc-4523-94df-6fac3a57d44d','table','ca32d9e8-9dc2-44bf-812e-e25c2d6c4f47','gone','gone','writer',NULL,1795891070989,1795891070992,'3a02efc7-09ad-4f09-99f4-fd48b69300bc',NULL,NULL,NULL,'main.other','gone','40b36d2e-4aa8-40b6-a064-ca36344dbd4b','{lake}/warehouse/gone-f099bfbb-cbdc-4523-94df-6fac3a57d44d/metadata/00000-b835fcb4-1236-427a-abea-f617042aa048.metadata.json',1,NULL);
CREATE TABLE icemelt_open_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	name VARCHAR(255), 
	started_at BIGINT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	waits_for VARCHAR(36), 
	aborted_by VARCHAR(255), 
	CONSTRAINT pk_icemelt_open_transactions PRIMARY KEY (transaction_id)
);
CREATE TABLE icemelt_pipes (
	pipe_id VARCHAR(36) NOT NULL, 
	ingested_at BIGINT, 
	ingested_name VARCHAR(2048), 
	error TEXT, 
	error_at BIGINT, 
	CONSTRAINT pk_icemelt_pipes PRIMARY KEY (pipe_id), 
	CONSTRAINT fk_icemelt_pipes_pipe_id FOREIGN KEY(pipe_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_queued_files (
	pipe_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	name VARCHAR(2048) NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	queued_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_queued_files PRIMARY KEY (pipe_id, path), 
	CONSTRAINT fk_icemelt_queued_files_pipe_id FOREIGN KEY(pipe_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_running (
	statement_id VARCHAR(36) NOT NULL, 
	server_id VARCHAR(36) NOT NULL, 
	key_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	text TEXT NOT NULL, 
	submitted_at BIGINT NOT NULL, 
	started_at BIGINT, 
	is_cancelled BOOLEAN NOT NULL, 
	CONSTRAINT pk_icemelt_running PRIMARY KEY (statement_id, server_id)
);
CREATE TABLE icemelt_sequences (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_sequences PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_sequences_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_sequences" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3',2,1,1795891069720);
INSERT INTO "icemelt_sequences" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3',3,2,1795891070671);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('58e00406-9a0f-4098-9199-cf70cac1c457','58e00406-9a0f-4098-9199-cf70cac1c457','{lake}/warehouse/model-58e00406-9a0f-4098-9199-cf70cac1c457',NULL);
INSERT INTO "icemelt_sharing" VALUES('d24a7d93-42ab-43c4-95dc-80d6eaef3d52','58e00406-9a0f-4098-9199-cf70cac1c457','{lake}/warehouse/twin-d24a7d93-42ab-43c4-95dc-80d6eaef3d52',NULL);
CREATE TABLE icemelt_statements (
	statement_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	transaction_id VARCHAR(36), 
	user VARCHAR(255) NOT NULL, 
	text TEXT NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	commit_number BIGINT, 
	wrote BOOLEAN NOT NULL, 
	rowcount BIGINT, 
	error_code VARCHAR(64), 
	error_message TEXT, key_id VARCHAR(36), database_name VARCHAR(255), schema_name VARCHAR(255), files_skipped BIGINT, 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('22315c89-2f6a-471b-ab0c-b78371d67637','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','9499804d-d23b-42cd-9f32-4d2c7cf62803','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795891067527,1795891067707,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('117fb356-6ea6-4df4-8abe-5b09676be99a','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','66687c79-1d89-44a3-9e3b-5f95544e5d1b','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795891067829,1795891069718,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('e4d8c084-dac9-42b8-b209-c994f905bbf4','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','af483eb8-ab19-47f9-a2f2-3fa5a3ba45d6','writer','DELETE FROM events WHERE id = 1','DELETE',1795891069723,1795891070669,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('318794ff-20ac-4346-a309-5c30114b9183','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','db5a359d-f355-476b-bf0d-d0682046f308','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795891070679,1795891070681,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('794ab0b4-ea5d-43c8-aeef-34eb709f8334','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','0223b0a5-b7b8-4efd-a9d9-0c5d279a1c01','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795891070688,1795891070839,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9b83204c-7d5e-4638-9f10-db407f51c690','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','0851ab58-430c-431c-a604-bdf5e75d29c8','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795891070845,1795891070866,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9c0da285-84cc-4c47-a08a-a4dfe7f80b61','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','8701d3ea-09c5-4d7e-a019-3acbb12705e4','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795891070868,1795891070878,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('7bf7cfc2-52b9-47fc-80ac-f8aed567b104','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','cfa04cee-f388-4051-8012-2c7243112364','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795891070880,1795891070883,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('570ca7cc-ef44-494d-9e7d-c0ef9da5302d','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','375bdf81-a95b-46aa-b732-5c1c693a5794','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795891070891,1795891070931,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('79c34a0f-0848-4c8f-8e37-9c45d6d81ee4','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','464fdd83-c1d7-4f33-8fcf-e01c5587b8a1','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795891070935,1795891070937,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('41955632-1331-493d-b35b-c08e85aeeb17','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','60b707bf-a994-45a6-af01-a3cb7b0d7575','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795891070939,1795891070941,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('18b3223d-bc0b-4b75-bde7-dd7d687b7b2f','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','6f322df4-2d6e-4f81-b688-84f40706da22','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795891070942,1795891070944,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('f920c231-1d53-44c2-b4ce-bd29c557e7bd','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','2933c5a1-85f9-4885-a913-10231eb3a962','writer','CREATE TABLE kept (id INT)','CREATE',1795891070947,1795891070953,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('6abd6369-3dc9-49b6-af5e-8602a680a8f4','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','26140911-a802-4add-b4a4-6975e2c5a31c','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795891070955,1795891070962,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('0789e7cd-5e5d-4d8f-8601-969f84ec79e5','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','40f5de6f-a06f-41ea-bd57-7074ca390792','writer','CREATE TABLE model (id INT)','CREATE',1795891070964,1795891070970,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('afa2acc8-03af-41b2-9f67-9db5da2b7692','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','9fc93c94-65a0-4327-aa75-b21d94c1abd3','writer','CREATE TABLE twin CLONE model','CREATE',1795891070974,1795891070977,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('28119440-8b94-4af7-82ef-3e2c24e781ce','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','538da67f-ce3d-42c8-91f1-b7f8e3225dda','writer','CREATE TABLE gone (id INT)','CREATE',1795891070982,1795891070988,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('75126652-ba83-48f1-aa1b-5dcf463a891c','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','e56c08e3-6909-4b64-b668-033488b25c0f','writer','DROP TABLE gone','DROP',1795891070990,1795891070991,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, source_version BIGINT DEFAULT '0' NOT NULL, on_missing VARCHAR(16) DEFAULT 'ERROR' NOT NULL, files_skipped BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('41822886-6e53-4ff5-a311-f382f7c0eb13','table','dbf60b17-4c74-4b79-99b3-f37d06917572','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('a52517b2-fc77-4495-a010-c52db8dbf40a','table','dbf60b17-4c74-4b79-99b3-f37d06917572','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('dbf60b17-4c74-4b79-99b3-f37d06917572',5,6);
INSERT INTO "icemelt_tracking" VALUES('dbf60b17-4c74-4b79-99b3-f37d06917572',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('425964b5-8870-4bca-b31e-3fa8ca251333',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('58e00406-9a0f-4098-9199-cf70cac1c457',15,NULL);
INSERT INTO "icemelt_tracking" VALUES('d24a7d93-42ab-43c4-95dc-80d6eaef3d52',16,NULL);
INSERT INTO "icemelt_tracking" VALUES('f099bfbb-cbdc-4523-94df-6fac3a57d44d',17,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('9499804d-d23b-42cd-9f32-4d2c7cf62803','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',1,1795891067709);
INSERT INTO "icemelt_transactions" VALUES('66687c79-1d89-44a3-9e3b-5f95544e5d1b','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',2,1795891069720);
INSERT INTO "icemelt_transactions" VALUES('af483eb8-ab19-47f9-a2f2-3fa5a3ba45d6','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',3,1795891070671);
INSERT INTO "icemelt_transactions" VALUES('db5a359d-f355-476b-bf0d-d0682046f308','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',4,1795891070686);
INSERT INTO "icemelt_transactions" VALUES('0223b0a5-b7b8-4efd-a9d9-0c5d279a1c01','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',5,1795891070840);
INSERT INTO "icemelt_transactions" VALUES('0851ab58-430c-431c-a604-bdf5e75d29c8','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',6,1795891070866);
INSERT INTO "icemelt_transactions" VALUES('8701d3ea-09c5-4d7e-a019-3acbb12705e4','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',7,1795891070879);
INSERT INTO "icemelt_transactions" VALUES('cfa04cee-f388-4051-8012-2c7243112364','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',8,1795891070885);
INSERT INTO "icemelt_transactions" VALUES('375bdf81-a95b-46aa-b732-5c1c693a5794','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',9,1795891070930);
INSERT INTO "icemelt_transactions" VALUES('464fdd83-c1d7-4f33-8fcf-e01c5587b8a1','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',10,1795891070937);
INSERT INTO "icemelt_transactions" VALUES('60b707bf-a994-45a6-af01-a3cb7b0d7575','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',11,1795891070942);
INSERT INTO "icemelt_transactions" VALUES('6f322df4-2d6e-4f81-b688-84f40706da22','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',12,1795891070944);
INSERT INTO "icemelt_transactions" VALUES('2933c5a1-85f9-4885-a913-10231eb3a962','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',13,1795891070953);
INSERT INTO "icemelt_transactions" VALUES('26140911-a802-4add-b4a4-6975e2c5a31c','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',14,1795891070963);
INSERT INTO "icemelt_transactions" VALUES('40f5de6f-a06f-41ea-bd57-7074ca390792','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',15,1795891070970);
INSERT INTO "icemelt_transactions" VALUES('9fc93c94-65a0-4327-aa75-b21d94c1abd3','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',16,1795891070976);
INSERT INTO "icemelt_transactions" VALUES('538da67f-ce3d-42c8-91f1-b7f8e3225dda','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',17,1795891070989);
INSERT INTO "icemelt_transactions" VALUES('e56c08e3-6909-4b64-b668-033488b25c0f','cc865c6f-9d41-4f13-a32e-7fd2aa705a30','writer',18,1795891070992);
CREATE TABLE icemelt_versions (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	snapshot_id BIGINT, 
	operation VARCHAR(32) NOT NULL, 
	snapshots JSON NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	statement_id VARCHAR(36), 
	transaction_id VARCHAR(36), 
	from_foreign BOOLEAN NOT NULL, 
	total_rows BIGINT, 
	total_bytes BIGINT, 
	inserted BIGINT, 
	updated BIGINT, 
	deleted BIGINT, location TEXT, 
	CONSTRAINT pk_icemelt_versions PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_versions_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_versions" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3',1,1,1795891067709,NULL,'CREATE','[]','writer','22315c89-2f6a-471b-ab0c-b78371d67637','9499804d-d23b-42cd-9f32-4d2c7cf62803',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-8824bf5b-73d8-4e77-995f-36c9ee1e3be3/metadata/00000-22c50139-f2fe-41c5-9167-00da1a21f45a.metadata.json');
INSERT INTO "icemelt_versions" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3',2,2,1795891069720,6417412488683610261,'INSERT','[[6417412488683610261, 1, "append", 0, 2]]','writer','117fb356-6ea6-4df4-8abe-5b09676be99a','66687c79-1d89-44a3-9e3b-5f95544e5d1b',0,2,640,2,0,0,'{lake}/warehouse/events-8824bf5b-73d8-4e77-995f-36c9ee1e3be3/metadata/00001-c2a9da74-ab59-42da-a1ed-ee460eaf2c67.metadata.json');
INSERT INTO "icemelt_versions" VALUES('8824bf5b-73d8-4e77-995f-36c9ee1e3be3',3,3,1795891070671,4286687575082645074,'DELETE','[[4286687575082645074, 2, "delete", 2, 0]]','writer','e4d8c084-dac9-42b8-b209-c994f905bbf4','af483eb8-ab19-47f9-a2f2-3fa5a3ba45d6',0,1,682,0,0,1,'{lake}/warehouse/events-8824bf5b-73d8-4e77-995f-36c9ee1e3be3/metadata/00002-dbc542cf-02f2-4e53-8f8e-9a111ffe36d8.metadata.json');
INSERT INTO "icemelt_versions" VALUES('dbf60b17-4c74-4b79-99b3-f37d06917572',1,5,1795891070840,NULL,'CREATE','[]','writer','794ab0b4-ea5d-43c8-aeef-34eb709f8334','0223b0a5-b7b8-4efd-a9d9-0c5d279a1c01',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-dbf60b17-4c74-4b79-99b3-f37d06917572/metadata/00000-19754a18-eb3d-4d7d-9885-c2d9e461e59b.metadata.json');
INSERT INTO "icemelt_versions" VALUES('425964b5-8870-4bca-b31e-3fa8ca251333',1,13,1795891070953,NULL,'CREATE','[]','writer','f920c231-1d53-44c2-b4ce-bd29c557e7bd','2933c5a1-85f9-4885-a913-10231eb3a962',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-425964b5-8870-4bca-b31e-3fa8ca251333/metadata/00000-da783ba0-99f4-45e8-b2ae-a27823976325.metadata.json');
INSERT INTO "icemelt_versions" VALUES('58e00406-9a0f-4098-9199-cf70cac1c457',1,15,1795891070970,NULL,'CREATE','[]','writer','0789e7cd-5e5d-4d8f-8601-969f84ec79e5','40f5de6f-a06f-41ea-bd57-7074ca390792',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-58e00406-9a0f-4098-9199-cf70cac1c457/metadata/00000-463db01f-ea8c-4839-99c8-d5dfa41487eb.metadata.json');
INSERT INTO "icemelt_versions" VALUES('d24a7d93-42ab-43c4-95dc-80d6eaef3d52',1,16,1795891070976,NULL,'CLONE','[]','writer','afa2acc8-03af-41b2-9f67-9db5da2b7692','9fc93c94-65a0-4327-aa75-b21d94c1abd3',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-d24a7d93-42ab-43c4-95dc-80d6eaef3d52/metadata/00000-26eed10b-f30d-4896-b5b6-c3fff34c3ca5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f099bfbb-cbdc-4523-94df-6fac3a57d44d',1,17,1795891070989,NULL,'CREATE','[]','writer','28119440-8b94-4af7-82ef-3e2c24e781ce','538da67f-ce3d-42c8-91f1-b7f8e3225dda',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-f099bfbb-cbdc-4523-94df-6fac3a57d44d/metadata/00000-b835fcb4-1236-427a-abea-f617042aa048.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('8e9e6561-32e3-4879-bb73-99dcd214dba0','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
CREATE INDEX ix_icemelt_dependencies_object_id ON icemelt_dependencies (object_id);
CREATE INDEX ix_icemelt_dependencies_folded_name ON icemelt_dependencies (folded_name);
CREATE INDEX ix_icemelt_objects_folded ON icemelt_objects (folded);
CREATE INDEX ix_icemelt_leases_holder ON icemelt_leases (holder);
CREATE INDEX ix_icemelt_objects_drop_id ON icemelt_objects (drop_id) WHERE drop_id IS NOT NULL;
CREATE INDEX ix_icemelt_listed_files_since_commit ON icemelt_listed_files (owner_id, since_commit);
CREATE INDEX ix_icemelt_listed_files_until_commit ON icemelt_listed_files (owner_id, until_commit);
CREATE INDEX ix_icemelt_listings_commit_number ON icemelt_listings (commit_number);
CREATE INDEX ix_icemelt_listings_committed_at ON icemelt_listings (committed_at);
CREATE INDEX ix_icemelt_sharing_family_id ON icemelt_sharing (family_id);
CREATE INDEX ix_icemelt_objects_catalog_table_name ON icemelt_objects (catalog_table_name);
CREATE INDEX ix_icemelt_statements_ended_at ON icemelt_statements (ended_at);
CREATE INDEX ix_icemelt_statements_key_id ON icemelt_statements (key_id, ended_at);
CREATE TRIGGER icemelt_keep_shared BEFORE DELETE ON iceberg_tables
    WHEN EXISTS (
    SELECT 1 FROM icemelt_objects o JOIN icemelt_sharing s ON s.table_id = o.object_id
    WHERE o.catalog_table_name = OLD.table_name AND o.namespace = OLD.table_namespace
    AND o.kind = 'table' AND o.dropped_at IS NULL AND o.session_id IS NULL
    AND OLD.catalog_name IN (SELECT catalog_name FROM icemelt_lake)
    AND EXISTS (
        SELECT 1 FROM icemelt_sharing p JOIN icemelt_objects q ON q.object_id = p.table_id
        WHERE p.family_id = s.family_id AND p.table_id <> s.table_id
    )) BEGIN SELECT RAISE(ABORT, 'this table shares files with a clone: use DROP TABLE or ALTER TABLE of icemelt'); END;
CREATE TRIGGER icemelt_keep_shared_name
    BEFORE UPDATE OF catalog_name, table_namespace, table_name ON iceberg_tables
    WHEN (NEW.table_name <> OLD.table_name OR NEW.table_namespace <> OLD.table_namespace
    OR NEW.catalog_name <> OLD.catalog_name) AND EXISTS (
    SELECT 1 FROM icemelt_objects o JOIN icemelt_sharing s ON s.table_id = o.object_id
    WHERE o.catalog_table_name = OLD.table_name AND o.namespace = OLD.table_namespace
    AND o.kind = 'table' AND o.dropped_at IS NULL AND o.session_id IS NULL
    AND OLD.catalog_name IN (SELECT catalog_name FROM icemelt_lake)
    AND EXISTS (
        SELECT 1 FROM icemelt_sharing p JOIN icemelt_objects q ON q.object_id = p.table_id
        WHERE p.family_id = s.family_id AND p.table_id <> s.table_id
    )) BEGIN SELECT RAISE(ABORT, 'this table shares files with a clone: use DROP TABLE or ALTER TABLE of icemelt'); END;
COMMIT;
