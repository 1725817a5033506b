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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-0beb6df8-8253-4f45-9f11-f1c48f7f1eab/metadata/00002-a3d690c0-80da-41da-905b-4eb14bd99f40.metadata.json','{lake}/warehouse/events-0beb6df8-8253-4f45-9f11-f1c48f7f1eab/metadata/00001-055447c8-f986-43a0-9314-c1f957726de5.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-69102f8e-c03c-4181-8e8a-529d73e5fde1/metadata/00000-936456fa-fa7c-4044-9698-e2bb0ddb826d.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-6615e2ef-420d-465b-bb32-6acc895ddd12/metadata/00000-3bc15b8f-6ce5-411f-acec-1058b3f7ce5b.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-b88f8bda-af7a-426d-b445-88f5fd6b0c5d/metadata/00000-42dc3f14-33f8-4c4a-8abb-1779620926b9.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-88123219-440f-4076-9ed8-aa74063dfcec/metadata/00000-aeb9ee6d-7e46-44fc-ad76-e0722e58aba9.metadata.json','{lake}/warehouse/model-88123219-440f-4076-9ed8-aa74063dfcec/metadata/00000-66578a7f-13a2-44bc-8bcd-e6aea7dcbfe7.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-bd084b8b-6262-46c3-ae97-885e11bca4b2/metadata/00000-ff0c21f0-102a-4e2f-a31c-c51d8198c98d.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('14dd896a-0957-410b-84a9-0c1b203454ec','b88f8bda-af7a-426d-b445-88f5fd6b0c5d','first','writer',1795898004140,1795898004140,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('5a72a0aa-3880-46ee-9917-7cddf51c5756','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('80eb4e1e-e331-4884-b1bb-9889ea96dfee','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('68941c02-0b25-419d-b196-74c52d6f9ea0','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "b88f8bda-af7a-426d-b445-88f5fd6b0c5d", "stage": ["main", "other", "landing"], "stage_id": "80eb4e1e-e331-4884-b1bb-9889ea96dfee", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('cb440cc4-7db3-45c7-980e-244884c09c9a','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
INSERT INTO "icemelt_definitions" VALUES('14885c63-18e0-49ec-a0da-ee1b842ff364','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('6e505ef5-4e1a-49a7-b194-1308a8d8d786',0,'BY_ID','69102f8e-c03c-4181-8e8a-529d73e5fde1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('6615e2ef-420d-465b-bb32-6acc895ddd12',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('619922e1-c027-4efb-a0b4-6111483346ff',0,'BY_ID','69102f8e-c03c-4181-8e8a-529d73e5fde1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('6e505ef5-4e1a-49a7-b194-1308a8d8d786',0,'69102f8e-c03c-4181-8e8a-529d73e5fde1','table','1@7',0,8,1795898004034);
INSERT INTO "icemelt_frontiers" VALUES('619922e1-c027-4efb-a0b4-6111483346ff',0,'69102f8e-c03c-4181-8e8a-529d73e5fde1','table','1@11',0,12,1795898004082);
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
INSERT INTO "icemelt_lake" VALUES(1,'3ee9c4c3-227f-4254-bdd3-1a5782bea545','icemelt','{lake}/warehouse',20,1795898004138,0);
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
INSERT INTO "icemelt_migrations" VALUES('0018');
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
	snapshot_id BIGINT, space VARCHAR(16) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_icemelt_objects PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_objects_parent_id FOREIGN KEY(parent_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_objects" VALUES('fd01672d-132f-4b65-9891-7fef2004b4f7','database',NULL,'main','main','',NULL,1795897994664,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('d8159a11-03cc-4f6d-9d29-eb8d412a9a22','schema','fd01672d-132f-4b65-9891-7fef2004b4f7','public','public','',NULL,1795897994664,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab','table','d8159a11-03cc-4f6d-9d29-eb8d412a9a22','events','events','writer','with a history',1795897999676,NULL,NULL,NULL,NULL,NULL,'main.public','events','32bbd2af-e8b3-4a20-826f-fd83e86935c5','{lake}/warehouse/events-0beb6df8-8253-4f45-9f11-f1c48f7f1eab/metadata/00002-a3d690c0-80da-41da-905b-4eb14bd99f40.metadata.json',3,3244546573637496867,'');
INSERT INTO "icemelt_objects" VALUES('3695d066-59f0-48ef-a7f3-1ee2d06da3f5','schema','fd01672d-132f-4b65-9891-7fef2004b4f7','other','other','writer',NULL,1795898003879,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('69102f8e-c03c-4181-8e8a-529d73e5fde1','table','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','empty','empty','writer',NULL,1795898004006,NULL,NULL,NULL,NULL,NULL,'main.other','empty','4fa658a8-3530-4580-893a-02bc2db90bb2','{lake}/warehouse/empty-69102f8e-c03c-4181-8e8a-529d73e5fde1/metadata/00000-936456fa-fa7c-4044-9698-e2bb0ddb826d.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('6e505ef5-4e1a-49a7-b194-1308a8d8d786','stream','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','watched','watched','writer',NULL,1795898004034,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('6615e2ef-420d-465b-bb32-6acc895ddd12','view','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','shown','shown','writer',NULL,1795898004068,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-6615e2ef-420d-465b-bb32-6acc895ddd12/metadata/00000-3bc15b8f-6ce5-411f-acec-1058b3f7ce5b.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('5a72a0aa-3880-46ee-9917-7cddf51c5756','file format','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','semicolons','semicolons','writer',NULL,1795898004073,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('80eb4e1e-e331-4884-b1bb-9889ea96dfee','stage','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','landing','landing','writer','where files arrive',1795898004078,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('619922e1-c027-4efb-a0b4-6111483346ff','stream','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','rows','rows','writer',NULL,1795898004082,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('b88f8bda-af7a-426d-b445-88f5fd6b0c5d','table','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','kept','kept','writer',NULL,1795898004089,NULL,NULL,NULL,NULL,NULL,'main.other','kept','38f67e49-b5e6-4b59-969e-cf03a67c7b66','{lake}/warehouse/kept-b88f8bda-af7a-426d-b445-88f5fd6b0c5d/metadata/00000-42dc3f14-33f8-4c4a-8abb-1779620926b9.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('68941c02-0b25-419d-b196-74c52d6f9ea0','pipe','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','arriving','arriving','writer','every file once',1795898004098,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('cb440cc4-7db3-45c7-980e-244884c09c9a','task','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','nightly','nightly','writer',NULL,1795898004104,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('14885c63-18e0-49ec-a0da-ee1b842ff364','task','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','model','model','writer',NULL,1795898004108,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('88123219-440f-4076-9ed8-aa74063dfcec','table','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','model','model','writer',NULL,1795898004115,NULL,NULL,NULL,NULL,NULL,'main.other','model','95d1eef6-fd73-47f3-8388-f4320cecd1b9','{lake}/warehouse/model-88123219-440f-4076-9ed8-aa74063dfcec/metadata/00000-aeb9ee6d-7e46-44fc-ad76-e0722e58aba9.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('bd084b8b-6262-46c3-ae97-885e11bca4b2','table','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','twin','twin','writer',NULL,1795898004122,NULL,NULL,NULL,NULL,NULL,'main.other','twin','e2e4baff-566a-4d1f-ab51-7d09df01145b','{lake}/warehouse/twin-bd084b8b-6262-46c3-ae97-885e11bca4b2/metadata/00000-ff0c21f0-102a-4e2f-a31c-c51d8198c98d.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('a61da39a-6697-42fa-939e-546d3bf968eb','table','3695d066-59f0-48ef-a7f3-1ee2d06da3f5','gone','gone','writer',NULL,1795898004133,1795898004138,'60334c41-7248-48f2-8ff1-25d5c70be065',NULL,NULL,NULL,'main.other','gone','24ec2183-c188-4f11-95a0-90835d6faa8d','{lake}/warehouse/gone-a61da39a-6697-42fa-939e-546d3bf968eb/metadata/00000-adea8a40-1580-4949-ada3-be4d696dbaa7.metadata.json',1,NULL,'');
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
INSERT INTO "icemelt_sequences" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab',2,1,1795898002812);
INSERT INTO "icemelt_sequences" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab',3,2,1795898003876);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('88123219-440f-4076-9ed8-aa74063dfcec','88123219-440f-4076-9ed8-aa74063dfcec','{lake}/warehouse/model-88123219-440f-4076-9ed8-aa74063dfcec',NULL);
INSERT INTO "icemelt_sharing" VALUES('bd084b8b-6262-46c3-ae97-885e11bca4b2','88123219-440f-4076-9ed8-aa74063dfcec','{lake}/warehouse/twin-bd084b8b-6262-46c3-ae97-885e11bca4b2',NULL);
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
INSERT INTO "icemelt_statements" VALUES('9f94a820-8b85-47d0-8907-ecea1368ac55','bb049b8c-ce76-437a-8a94-a992b2291dd3','0837bbf4-e75e-4e1d-8ba0-65d4a7686e3c','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795897999299,1795897999676,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('2e7ff6af-a020-4d0a-bd5e-5e142518fb07','bb049b8c-ce76-437a-8a94-a992b2291dd3','12fe4902-ba38-4343-97a9-9a23df8c7816','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795897999686,1795898002811,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('84bd52fb-181a-4348-9553-df88c02b52ac','bb049b8c-ce76-437a-8a94-a992b2291dd3','69aa8807-2b6d-452b-aed8-cdd3d94a9c54','writer','DELETE FROM events WHERE id = 1','DELETE',1795898002815,1795898003875,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('281c5a02-c5f2-43a2-9cd8-a1c41311ac4c','bb049b8c-ce76-437a-8a94-a992b2291dd3','8f4fda2f-dcd6-4572-a00c-a8f82ebe5c01','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795898003878,1795898003880,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('f1f3a69f-ef5b-4bc4-863a-8207fc385b10','bb049b8c-ce76-437a-8a94-a992b2291dd3','27b5eb2e-5393-4c32-9987-0b14ab854b97','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795898003883,1795898004005,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('bb1b3238-4b6a-4804-9e2a-811f6518cc58','bb049b8c-ce76-437a-8a94-a992b2291dd3','4a5b4ca5-6b4b-4eca-ac14-9cbc0bb79d21','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795898004009,1795898004021,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('d713525c-e4a9-4229-b690-23daf47b7d9b','bb049b8c-ce76-437a-8a94-a992b2291dd3','3e0dbf84-28b2-4144-9fbb-9f1ef3386825','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795898004024,1795898004027,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('a713c92c-f7a8-4a21-96d8-4e49fef7a80d','bb049b8c-ce76-437a-8a94-a992b2291dd3','4ff2fa7c-722c-4463-b2a7-5b191a77ecd9','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795898004030,1795898004033,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('b244487e-3639-41d2-a657-1b49b1d92222','bb049b8c-ce76-437a-8a94-a992b2291dd3','6d01efab-4e88-4969-9230-4dc05957b220','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795898004036,1795898004067,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('860ab093-1c8b-4680-844a-bfe8d9c0f6c9','bb049b8c-ce76-437a-8a94-a992b2291dd3','55334429-4c72-4c0c-9380-1f52e54e873a','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795898004071,1795898004073,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('7c40b432-520f-41f8-b995-921f332515f8','bb049b8c-ce76-437a-8a94-a992b2291dd3','270a6a32-a2d1-4a63-955d-8f9bada99a75','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795898004076,1795898004078,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('8d7d92b6-2013-411f-bd34-fc795d915ca2','bb049b8c-ce76-437a-8a94-a992b2291dd3','df0dfa59-2577-436a-ae6b-41b5303bfa92','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795898004078,1795898004080,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('e26ed0f6-f08b-4fc3-97ea-3823a74692de','bb049b8c-ce76-437a-8a94-a992b2291dd3','5a300b0d-717d-4e3f-8a04-51706b53b54b','writer','CREATE TABLE kept (id INT)','CREATE',1795898004083,1795898004089,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('bb47354b-9500-4047-b1e7-7e91e913dcf7','bb049b8c-ce76-437a-8a94-a992b2291dd3','b100713c-1731-45c8-af07-4f65e3561d45','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795898004091,1795898004097,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('4e9b049d-622a-4686-a391-3da6b29cc341','bb049b8c-ce76-437a-8a94-a992b2291dd3','d4240895-3f62-48f6-ba97-9f55d420851b','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795898004098,1795898004102,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('001766ae-abd3-41e3-8241-72eebb2ae199','bb049b8c-ce76-437a-8a94-a992b2291dd3','73fbd428-8244-4c67-9da8-ef14a667291a','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795898004105,1795898004108,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('c0f86515-2d1f-4482-b752-57f837ca2989','bb049b8c-ce76-437a-8a94-a992b2291dd3','86e852f1-550d-4b21-a0bc-e9050552ee47','writer','CREATE TABLE model (id INT)','CREATE',1795898004110,1795898004115,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('97d91ba7-2c73-4c44-a8b9-b8c6cf056f5d','bb049b8c-ce76-437a-8a94-a992b2291dd3','0c9173f2-272b-4937-a7e4-70fdff84d109','writer','CREATE TABLE twin CLONE model','CREATE',1795898004118,1795898004122,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9d201100-238f-4027-98cc-d4ec685cdc79','bb049b8c-ce76-437a-8a94-a992b2291dd3','507a36bb-9fc2-4205-bc1d-391661102821','writer','CREATE TABLE gone (id INT)','CREATE',1795898004126,1795898004132,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('0df0006f-f41d-4c49-afb9-e5f1f8b8b176','bb049b8c-ce76-437a-8a94-a992b2291dd3','7e959ba9-9938-43f3-8381-1cfc14f8d82b','writer','DROP TABLE gone','DROP',1795898004135,1795898004136,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('6e505ef5-4e1a-49a7-b194-1308a8d8d786','table','69102f8e-c03c-4181-8e8a-529d73e5fde1','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('619922e1-c027-4efb-a0b4-6111483346ff','table','69102f8e-c03c-4181-8e8a-529d73e5fde1','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('69102f8e-c03c-4181-8e8a-529d73e5fde1',5,6);
INSERT INTO "icemelt_tracking" VALUES('69102f8e-c03c-4181-8e8a-529d73e5fde1',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('b88f8bda-af7a-426d-b445-88f5fd6b0c5d',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('88123219-440f-4076-9ed8-aa74063dfcec',17,NULL);
INSERT INTO "icemelt_tracking" VALUES('bd084b8b-6262-46c3-ae97-885e11bca4b2',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('a61da39a-6697-42fa-939e-546d3bf968eb',19,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('0837bbf4-e75e-4e1d-8ba0-65d4a7686e3c','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',1,1795897999676);
INSERT INTO "icemelt_transactions" VALUES('12fe4902-ba38-4343-97a9-9a23df8c7816','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',2,1795898002812);
INSERT INTO "icemelt_transactions" VALUES('69aa8807-2b6d-452b-aed8-cdd3d94a9c54','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',3,1795898003876);
INSERT INTO "icemelt_transactions" VALUES('8f4fda2f-dcd6-4572-a00c-a8f82ebe5c01','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',4,1795898003879);
INSERT INTO "icemelt_transactions" VALUES('27b5eb2e-5393-4c32-9987-0b14ab854b97','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',5,1795898004006);
INSERT INTO "icemelt_transactions" VALUES('4a5b4ca5-6b4b-4eca-ac14-9cbc0bb79d21','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',6,1795898004022);
INSERT INTO "icemelt_transactions" VALUES('3e0dbf84-28b2-4144-9fbb-9f1ef3386825','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',7,1795898004029);
INSERT INTO "icemelt_transactions" VALUES('4ff2fa7c-722c-4463-b2a7-5b191a77ecd9','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',8,1795898004034);
INSERT INTO "icemelt_transactions" VALUES('6d01efab-4e88-4969-9230-4dc05957b220','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',9,1795898004068);
INSERT INTO "icemelt_transactions" VALUES('55334429-4c72-4c0c-9380-1f52e54e873a','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',10,1795898004073);
INSERT INTO "icemelt_transactions" VALUES('270a6a32-a2d1-4a63-955d-8f9bada99a75','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',11,1795898004078);
INSERT INTO "icemelt_transactions" VALUES('df0dfa59-2577-436a-ae6b-41b5303bfa92','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',12,1795898004082);
INSERT INTO "icemelt_transactions" VALUES('5a300b0d-717d-4e3f-8a04-51706b53b54b','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',13,1795898004089);
INSERT INTO "icemelt_transactions" VALUES('b100713c-1731-45c8-af07-4f65e3561d45','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',14,1795898004098);
INSERT INTO "icemelt_transactions" VALUES('d4240895-3f62-48f6-ba97-9f55d420851b','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',15,1795898004104);
INSERT INTO "icemelt_transactions" VALUES('73fbd428-8244-4c67-9da8-ef14a667291a','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',16,1795898004108);
INSERT INTO "icemelt_transactions" VALUES('86e852f1-550d-4b21-a0bc-e9050552ee47','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',17,1795898004115);
INSERT INTO "icemelt_transactions" VALUES('0c9173f2-272b-4937-a7e4-70fdff84d109','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',18,1795898004122);
INSERT INTO "icemelt_transactions" VALUES('507a36bb-9fc2-4205-bc1d-391661102821','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',19,1795898004133);
INSERT INTO "icemelt_transactions" VALUES('7e959ba9-9938-43f3-8381-1cfc14f8d82b','bb049b8c-ce76-437a-8a94-a992b2291dd3','writer',20,1795898004138);
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
INSERT INTO "icemelt_versions" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab',1,1,1795897999676,NULL,'CREATE','[]','writer','9f94a820-8b85-47d0-8907-ecea1368ac55','0837bbf4-e75e-4e1d-8ba0-65d4a7686e3c',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-0beb6df8-8253-4f45-9f11-f1c48f7f1eab/metadata/00000-ca7ff0fe-e3a5-4b15-bcf9-51efb14daed6.metadata.json');
INSERT INTO "icemelt_versions" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab',2,2,1795898002812,6860805395887253088,'INSERT','[[6860805395887253088, 1, "append", 0, 2]]','writer','2e7ff6af-a020-4d0a-bd5e-5e142518fb07','12fe4902-ba38-4343-97a9-9a23df8c7816',0,2,640,2,0,0,'{lake}/warehouse/events-0beb6df8-8253-4f45-9f11-f1c48f7f1eab/metadata/00001-055447c8-f986-43a0-9314-c1f957726de5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('0beb6df8-8253-4f45-9f11-f1c48f7f1eab',3,3,1795898003876,3244546573637496867,'DELETE','[[3244546573637496867, 2, "delete", 2, 0]]','writer','84bd52fb-181a-4348-9553-df88c02b52ac','69aa8807-2b6d-452b-aed8-cdd3d94a9c54',0,1,682,0,0,1,'{lake}/warehouse/events-0beb6df8-8253-4f45-9f11-f1c48f7f1eab/metadata/00002-a3d690c0-80da-41da-905b-4eb14bd99f40.metadata.json');
INSERT INTO "icemelt_versions" VALUES('69102f8e-c03c-4181-8e8a-529d73e5fde1',1,5,1795898004006,NULL,'CREATE','[]','writer','f1f3a69f-ef5b-4bc4-863a-8207fc385b10','27b5eb2e-5393-4c32-9987-0b14ab854b97',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-69102f8e-c03c-4181-8e8a-529d73e5fde1/metadata/00000-936456fa-fa7c-4044-9698-e2bb0ddb826d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('b88f8bda-af7a-426d-b445-88f5fd6b0c5d',1,13,1795898004089,NULL,'CREATE','[]','writer','e26ed0f6-f08b-4fc3-97ea-3823a74692de','5a300b0d-717d-4e3f-8a04-51706b53b54b',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-b88f8bda-af7a-426d-b445-88f5fd6b0c5d/metadata/00000-42dc3f14-33f8-4c4a-8abb-1779620926b9.metadata.json');
INSERT INTO "icemelt_versions" VALUES('88123219-440f-4076-9ed8-aa74063dfcec',1,17,1795898004115,NULL,'CREATE','[]','writer','c0f86515-2d1f-4482-b752-57f837ca2989','86e852f1-550d-4b21-a0bc-e9050552ee47',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-88123219-440f-4076-9ed8-aa74063dfcec/metadata/00000-aeb9ee6d-7e46-44fc-ad76-e0722e58aba9.metadata.json');
INSERT INTO "icemelt_versions" VALUES('bd084b8b-6262-46c3-ae97-885e11bca4b2',1,18,1795898004122,NULL,'CLONE','[]','writer','97d91ba7-2c73-4c44-a8b9-b8c6cf056f5d','0c9173f2-272b-4937-a7e4-70fdff84d109',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-bd084b8b-6262-46c3-ae97-885e11bca4b2/metadata/00000-ff0c21f0-102a-4e2f-a31c-c51d8198c98d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('a61da39a-6697-42fa-939e-546d3bf968eb',1,19,1795898004133,NULL,'CREATE','[]','writer','9d201100-238f-4027-98cc-d4ec685cdc79','507a36bb-9fc2-4205-bc1d-391661102821',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-a61da39a-6697-42fa-939e-546d3bf968eb/metadata/00000-adea8a40-1580-4949-ada3-be4d696dbaa7.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('6615e2ef-420d-465b-bb32-6acc895ddd12','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
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
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, ''), space) WHERE dropped_at IS NULL;
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
