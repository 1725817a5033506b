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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-cff3976b-45b4-4f22-8fa0-d6848c47e0ca/metadata/00002-697c04a0-758e-44b4-9f4d-3bdcf02af9bb.metadata.json','{lake}/warehouse/events-cff3976b-45b4-4f22-8fa0-d6848c47e0ca/metadata/00001-48d6d0d3-e506-455a-8825-ae04c9537851.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf/metadata/00000-38d094a7-ee15-49be-b696-e5cd152645fd.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-a8431b69-3004-4f8c-987e-54723c252ddb/metadata/00000-dc40d5a2-7d22-4ccf-ba00-77bd835cc84b.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-1252b147-c2fc-4f4b-b725-5964d797b630/metadata/00000-81815607-5e86-4ec8-9a22-7118303e2a2c.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-f161474a-e17c-4446-a90b-aec5c91f005c/metadata/00000-47659fa2-1df2-47ba-aa77-c9beb7af30d7.metadata.json','{lake}/warehouse/model-f161474a-e17c-4446-a90b-aec5c91f005c/metadata/00000-c52e278c-fd60-4b86-8936-77feca1b6814.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-185dbbd6-a1f0-4d03-9ddb-19174e24c524/metadata/00000-b698ef83-d969-4f68-9193-c3cd0f54a296.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('a2d5aeee-5903-41b9-b3aa-3233e544fc25','1252b147-c2fc-4f4b-b725-5964d797b630','first','writer',1795909952855,1795909952855,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('02c77443-0d1e-4e6b-abcc-e692eaa90b9f','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('1497b6ea-c6cc-42dc-9b54-9ea1ab8af977','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('59019c56-8c42-4d98-a870-d9ffef28de50','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "1252b147-c2fc-4f4b-b725-5964d797b630", "stage": ["main", "other", "landing"], "stage_id": "1497b6ea-c6cc-42dc-9b54-9ea1ab8af977", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('91475007-8b8e-4548-85dc-29d29d5b6cbc','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
INSERT INTO "icemelt_definitions" VALUES('d0b09e89-e2dd-4e31-9882-3c42658a997c','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('d32e2e9a-b872-4d00-ac39-4f9f92424394',0,'BY_ID','f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('a8431b69-3004-4f8c-987e-54723c252ddb',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('d4719bbd-4573-4bc2-baf9-2242bda66e6c',0,'BY_ID','f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE icemelt_former_loads (
	table_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	ended_in BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	rows_loaded BIGINT NOT NULL, 
	errors BIGINT NOT NULL, 
	status VARCHAR(32) NOT NULL, 
	loaded_at BIGINT NOT NULL, 
	statement_id VARCHAR(36) NOT NULL, 
	rows_parsed BIGINT, 
	pipe_id VARCHAR(36), 
	first_error TEXT, 
	first_line BIGINT, 
	first_column TEXT, 
	CONSTRAINT pk_icemelt_former_loads PRIMARY KEY (table_id, path, ended_in), 
	CONSTRAINT fk_icemelt_former_loads_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
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
INSERT INTO "icemelt_frontiers" VALUES('d32e2e9a-b872-4d00-ac39-4f9f92424394',0,'f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf','table','1@7',0,8,1795909952723);
INSERT INTO "icemelt_frontiers" VALUES('d4719bbd-4573-4bc2-baf9-2242bda66e6c',0,'f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf','table','1@11',0,12,1795909952775);
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
INSERT INTO "icemelt_lake" VALUES(1,'1528dd38-8f60-4a9d-8155-921131498755','icemelt','{lake}/warehouse',21,1795909952850,0);
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
INSERT INTO "icemelt_migrations" VALUES('0020');
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
INSERT INTO "icemelt_objects" VALUES('e69a8f24-d18a-4c14-99be-5ce186d3de4c','database',NULL,'main','main','',NULL,1795909945390,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('eb54d27f-5744-40cc-9ebd-f84e72e98e41','schema','e69a8f24-d18a-4c14-99be-5ce186d3de4c','public','public','',NULL,1795909945390,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca','table','eb54d27f-5744-40cc-9ebd-f84e72e98e41','events','events','writer','with a history',1795909949715,NULL,NULL,NULL,NULL,NULL,'main.public','events','b2cfaec5-868d-48e4-8335-7c861deecda2','{lake}/warehouse/events-cff3976b-45b4-4f22-8fa0-d6848c47e0ca/metadata/00002-697c04a0-758e-44b4-9f4d-3bdcf02af9bb.metadata.json',3,8343047397070837434,'');
INSERT INTO "icemelt_objects" VALUES('135a9355-9cd9-4be2-9315-5a3f2e0a51db','schema','e69a8f24-d18a-4c14-99be-5ce186d3de4c','other','other','writer',NULL,1795909952552,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf','table','135a9355-9cd9-4be2-9315-5a3f2e0a51db','empty','empty','writer',NULL,1795909952697,NULL,NULL,NULL,NULL,NULL,'main.other','empty','eeb2da48-407d-4b7e-acd6-c2794a38d8e9','{lake}/warehouse/empty-f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf/metadata/00000-38d094a7-ee15-49be-b696-e5cd152645fd.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('d32e2e9a-b872-4d00-ac39-4f9f92424394','stream','135a9355-9cd9-4be2-9315-5a3f2e0a51db','watched','watched','writer',NULL,1795909952723,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('a8431b69-3004-4f8c-987e-54723c252ddb','view','135a9355-9cd9-4be2-9315-5a3f2e0a51db','shown','shown','writer',NULL,1795909952760,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-a8431b69-3004-4f8c-987e-54723c252ddb/metadata/00000-dc40d5a2-7d22-4ccf-ba00-77bd835cc84b.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('02c77443-0d1e-4e6b-abcc-e692eaa90b9f','file format','135a9355-9cd9-4be2-9315-5a3f2e0a51db','semicolons','semicolons','writer',NULL,1795909952767,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('1497b6ea-c6cc-42dc-9b54-9ea1ab8af977','stage','135a9355-9cd9-4be2-9315-5a3f2e0a51db','landing','landing','writer','where files arrive',1795909952773,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('d4719bbd-4573-4bc2-baf9-2242bda66e6c','stream','135a9355-9cd9-4be2-9315-5a3f2e0a51db','rows','rows','writer',NULL,1795909952775,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('1252b147-c2fc-4f4b-b725-5964d797b630','table','135a9355-9cd9-4be2-9315-5a3f2e0a51db','kept','kept','writer',NULL,1795909952783,NULL,NULL,NULL,NULL,NULL,'main.other','kept','98df4514-0d8e-4970-8967-45f3e43e1a7e','{lake}/warehouse/kept-1252b147-c2fc-4f4b-b725-5964d797b630/metadata/00000-81815607-5e86-4ec8-9a22-7118303e2a2c.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('59019c56-8c42-4d98-a870-d9ffef28de50','pipe','135a9355-9cd9-4be2-9315-5a3f2e0a51db','arriving','arriving','writer','every file once',1795909952794,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('91475007-8b8e-4548-85dc-29d29d5b6cbc','task','135a9355-9cd9-4be2-9315-5a3f2e0a51db','nightly','nightly','writer',NULL,1795909952801,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('d0b09e89-e2dd-4e31-9882-3c42658a997c','task','135a9355-9cd9-4be2-9315-5a3f2e0a51db','model','model','writer',NULL,1795909952812,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('f161474a-e17c-4446-a90b-aec5c91f005c','table','135a9355-9cd9-4be2-9315-5a3f2e0a51db','model','model','writer',NULL,1795909952829,NULL,NULL,NULL,NULL,NULL,'main.other','model','307f6000-a80d-4bee-948e-16c3aac1c52f','{lake}/warehouse/model-f161474a-e17c-4446-a90b-aec5c91f005c/metadata/00000-47659fa2-1df2-47ba-aa77-c9beb7af30d7.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('185dbbd6-a1f0-4d03-9ddb-19174e24c524','table','135a9355-9cd9-4be2-9315-5a3f2e0a51db','twin','twin','writer',NULL,1795909952835,NULL,NULL,NULL,NULL,NULL,'main.other','twin','61059fa6-b440-4b2d-86a2-600afb4d2c61','{lake}/warehouse/twin-185dbbd6-a1f0-4d03-9ddb-19174e24c524/metadata/00000-b698ef83-d969-4f68-9193-c3cd0f54a296.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('e63de73e-0bb3-44c2-885e-090e066d327e','table','135a9355-9cd9-4be2-9315-5a3f2e0a51db','gone','gone','writer',NULL,1795909952844,1795909952850,'7fc804f8-8476-4cf0-955e-96348eb7b630',NULL,NULL,NULL,'main.other','gone','6ec7bfd2-0fec-4a89-bace-469c744dc640','{lake}/warehouse/gone-e63de73e-0bb3-44c2-885e-090e066d327e/metadata/00000-47bf7370-21ae-4298-a8d3-43894a916db5.metadata.json',1,NULL,'');
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
CREATE TABLE icemelt_schedulers (
	scheduler_id VARCHAR(36) NOT NULL, 
	name TEXT NOT NULL, 
	host TEXT NOT NULL, 
	process_id BIGINT NOT NULL, 
	started_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	life BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_schedulers PRIMARY KEY (scheduler_id)
);
CREATE TABLE icemelt_sequences (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_sequences PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_sequences_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_sequences" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca',2,1,1795909951531);
INSERT INTO "icemelt_sequences" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca',3,2,1795909952545);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('f161474a-e17c-4446-a90b-aec5c91f005c','f161474a-e17c-4446-a90b-aec5c91f005c','{lake}/warehouse/model-f161474a-e17c-4446-a90b-aec5c91f005c',NULL);
INSERT INTO "icemelt_sharing" VALUES('185dbbd6-a1f0-4d03-9ddb-19174e24c524','f161474a-e17c-4446-a90b-aec5c91f005c','{lake}/warehouse/twin-185dbbd6-a1f0-4d03-9ddb-19174e24c524',NULL);
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
INSERT INTO "icemelt_statements" VALUES('cd3ad229-c5a6-4ff5-93e1-9673fd7f7dd9','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','cbccecd4-5c76-4818-b5ea-7455fe848e52','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795909949554,1795909949713,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('a6d287bd-00c7-45c7-8f55-b3123e55e5ee','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','b24722dc-a3bb-42eb-b1aa-362bd4bdc40a','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795909949725,1795909951530,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('efc864b8-29ab-43eb-a2e0-6318cc1228de','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','6259078e-32dc-4754-bfa0-82868e76e810','writer','DELETE FROM events WHERE id = 1','DELETE',1795909951536,1795909952544,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('3e382b11-7728-4897-b748-3a3f441951d9','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','3024eafa-bced-4adb-9d54-16084007d493','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795909952551,1795909952553,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('30f35edc-36f4-46b6-ac76-b6814d3a7143','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','ae30ed01-1386-4124-8795-26455010315e','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795909952557,1795909952697,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('4944bb79-32ee-4efd-8c21-b62301f1062b','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','84d49162-0cb6-41ad-9351-1922643b7660','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795909952699,1795909952710,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('ffb234ec-979d-43a1-bd8b-d2e6154258f3','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','91d3977b-989f-4e95-a7bb-a82d2c78b97b','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795909952713,1795909952717,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('f663827c-507a-420b-a581-db5b354cb7f5','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','2cdac88a-a20f-4edd-a829-dc79c94ca7a0','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795909952719,1795909952722,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('642b256b-0741-48d1-8af4-3e1f6a268ffe','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','bc9f7f0e-edb9-41cc-9b6b-a3a4d33be3a0','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795909952726,1795909952760,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('36a311e7-a984-48c2-848b-acfdc90f92d4','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','dc1e8eb0-5984-4559-afca-664ab772dca2','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795909952765,1795909952767,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('fe4b8236-28a0-46ab-a749-12a3106676c6','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','2f33fc54-3d7a-4af7-91e6-82567a333902','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795909952769,1795909952771,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('e600f3b6-f695-40e2-aa00-a3d7357c20ed','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','79d24190-a340-414b-8074-1a230cd20c83','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795909952773,1795909952775,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('67cee3b4-d968-4806-850f-e48fe0f540d3','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','0806a837-25a3-47ef-af08-626bade77b00','writer','CREATE TABLE kept (id INT)','CREATE',1795909952776,1795909952782,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('580af121-650b-418b-ab60-1227625f4daf','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','2e991496-9389-4c8a-8a37-e73277c34f7e','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795909952786,1795909952793,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('f4207931-d780-48bd-bc95-662b08745449','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','035562dc-6083-4900-ae43-71da3b9f854a','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795909952795,1795909952800,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2df10826-34bb-488b-81d8-1a88d9ee91ac','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','09c8d0ae-b8aa-4bac-b1c3-dc717403b6c4','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795909952806,1795909952811,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('5c6dd2f9-3b02-40b2-a223-f8f601731b84','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','a554e8df-d0df-408b-8275-be6a6231ea4d','writer','EXECUTE TASK nightly USING CONFIG = ''{"at": "night"}''','EXECUTE',1795909952815,1795909952818,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('1f11348d-aaf9-4985-91eb-a2653fa1da4e','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','c095e103-6404-4482-b5ee-052f11efaad4','writer','CREATE TABLE model (id INT)','CREATE',1795909952822,1795909952827,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('8e3ff840-2df5-4dcd-9cae-d834b404312e','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','9c34da11-a500-4e63-91fb-af970990cefb','writer','CREATE TABLE twin CLONE model','CREATE',1795909952830,1795909952833,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('3517b000-7e8c-4ba2-b013-05aa0792f6ae','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','925ac68f-187b-4ea1-8753-279be8d5ca03','writer','CREATE TABLE gone (id INT)','CREATE',1795909952837,1795909952843,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('cbc11973-e447-4add-81a2-e3232c8fea3d','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','cb270700-3bb7-439f-944d-fb99cb288478','writer','DROP TABLE gone','DROP',1795909952848,1795909952851,'succeeded',21,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('d32e2e9a-b872-4d00-ac39-4f9f92424394','table','f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('d4719bbd-4573-4bc2-baf9-2242bda66e6c','table','f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_task_graph_versions (
	root_id VARCHAR(36) NOT NULL, 
	number BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	tasks JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graph_versions PRIMARY KEY (root_id, number), 
	CONSTRAINT fk_icemelt_task_graph_versions_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graph_versions" VALUES('91475007-8b8e-4548-85dc-29d29d5b6cbc',2,'5fda5a29105fad3acf36c7c0644a7f1e2bf002baeff7e85f4923d73e459b904b','[{"name": "nightly", "schema": "main.other", "schedule": ["0 3 * * *", "UTC"], "object_id": "91475007-8b8e-4548-85dc-29d29d5b6cbc", "owner": "writer", "body": "INSERT INTO kept VALUES (1)"}, {"name": "model", "schema": "main.other", "predecessors": ["nightly"], "object_id": "d0b09e89-e2dd-4e31-9882-3c42658a997c", "owner": "writer", "body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END"}]');
CREATE TABLE icemelt_task_graphs (
	root_id VARCHAR(36) NOT NULL, 
	schema_id VARCHAR(36) NOT NULL, 
	revision BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	next_wake BIGINT, 
	next_scheduled_at BIGINT, 
	wants_look BOOLEAN NOT NULL, 
	queued_run_id BIGINT, 
	graph_version BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	state JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graphs PRIMARY KEY (root_id), 
	CONSTRAINT fk_icemelt_task_graphs_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_task_graphs_schema_id FOREIGN KEY(schema_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graphs" VALUES('91475007-8b8e-4548-85dc-29d29d5b6cbc','135a9355-9cd9-4be2-9315-5a3f2e0a51db',3,1795909952819,NULL,NULL,0,NULL,2,'5fda5a29105fad3acf36c7c0644a7f1e2bf002baeff7e85f4923d73e459b904b','{"graph": 2, "anchor": 1795909952803000, "handled_until": 1795909952803000, "active": [{"id": 1, "version": 2, "origin": "EXECUTE TASK", "scheduled_at": 1795909952819000, "attempt": 1, "config": "{\"at\": \"night\"}", "task_runs": [["nightly", 1, "SCHEDULED", 1795909952819000, null, null, null, null, null, null]]}], "queued": null, "last_ended": null, "failures": 0, "has_news": true, "last_look": null, "next_run_id": 2, "next_token": 1}');
CREATE TABLE icemelt_task_runs (
	root_id VARCHAR(36) NOT NULL, 
	run_id BIGINT NOT NULL, 
	task VARCHAR(255) NOT NULL, 
	attempt INTEGER NOT NULL, 
	task_id VARCHAR(36) NOT NULL, 
	folded VARCHAR(1024) NOT NULL, 
	root_name VARCHAR(255) NOT NULL, 
	folded_root VARCHAR(1024) NOT NULL, 
	database_name VARCHAR(255) NOT NULL, 
	schema_name VARCHAR(255) NOT NULL, 
	graph_version BIGINT NOT NULL, 
	origin VARCHAR(16) NOT NULL, 
	state VARCHAR(32) NOT NULL, 
	run_scheduled_at BIGINT NOT NULL, 
	scheduled_at BIGINT NOT NULL, 
	started_at BIGINT, 
	completed_at BIGINT, 
	holder TEXT, 
	token BIGINT, 
	error_code TEXT, 
	error_message TEXT, 
	return_value TEXT, 
	query_id VARCHAR(36), 
	query_text TEXT NOT NULL, 
	condition_text TEXT, 
	config TEXT, 
	CONSTRAINT pk_icemelt_task_runs PRIMARY KEY (root_id, run_id, task, attempt)
);
INSERT INTO "icemelt_task_runs" VALUES('91475007-8b8e-4548-85dc-29d29d5b6cbc',1,'nightly',1,'91475007-8b8e-4548-85dc-29d29d5b6cbc','nightly','nightly','nightly','main','other',2,'EXECUTE TASK','SCHEDULED',1795909952819,1795909952819,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'INSERT INTO kept VALUES (1)',NULL,'{"at": "night"}');
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf',5,6);
INSERT INTO "icemelt_tracking" VALUES('f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('1252b147-c2fc-4f4b-b725-5964d797b630',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('f161474a-e17c-4446-a90b-aec5c91f005c',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('185dbbd6-a1f0-4d03-9ddb-19174e24c524',19,NULL);
INSERT INTO "icemelt_tracking" VALUES('e63de73e-0bb3-44c2-885e-090e066d327e',20,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('cbccecd4-5c76-4818-b5ea-7455fe848e52','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',1,1795909949715);
INSERT INTO "icemelt_transactions" VALUES('b24722dc-a3bb-42eb-b1aa-362bd4bdc40a','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',2,1795909951531);
INSERT INTO "icemelt_transactions" VALUES('6259078e-32dc-4754-bfa0-82868e76e810','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',3,1795909952545);
INSERT INTO "icemelt_transactions" VALUES('3024eafa-bced-4adb-9d54-16084007d493','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',4,1795909952552);
INSERT INTO "icemelt_transactions" VALUES('ae30ed01-1386-4124-8795-26455010315e','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',5,1795909952697);
INSERT INTO "icemelt_transactions" VALUES('84d49162-0cb6-41ad-9351-1922643b7660','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',6,1795909952711);
INSERT INTO "icemelt_transactions" VALUES('91d3977b-989f-4e95-a7bb-a82d2c78b97b','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',7,1795909952718);
INSERT INTO "icemelt_transactions" VALUES('2cdac88a-a20f-4edd-a829-dc79c94ca7a0','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',8,1795909952723);
INSERT INTO "icemelt_transactions" VALUES('bc9f7f0e-edb9-41cc-9b6b-a3a4d33be3a0','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',9,1795909952760);
INSERT INTO "icemelt_transactions" VALUES('dc1e8eb0-5984-4559-afca-664ab772dca2','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',10,1795909952767);
INSERT INTO "icemelt_transactions" VALUES('2f33fc54-3d7a-4af7-91e6-82567a333902','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',11,1795909952773);
INSERT INTO "icemelt_transactions" VALUES('79d24190-a340-414b-8074-1a230cd20c83','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',12,1795909952775);
INSERT INTO "icemelt_transactions" VALUES('0806a837-25a3-47ef-af08-626bade77b00','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',13,1795909952783);
INSERT INTO "icemelt_transactions" VALUES('2e991496-9389-4c8a-8a37-e73277c34f7e','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',14,1795909952794);
INSERT INTO "icemelt_transactions" VALUES('035562dc-6083-4900-ae43-71da3b9f854a','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',15,1795909952801);
INSERT INTO "icemelt_transactions" VALUES('09c8d0ae-b8aa-4bac-b1c3-dc717403b6c4','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',16,1795909952812);
INSERT INTO "icemelt_transactions" VALUES('a554e8df-d0df-408b-8275-be6a6231ea4d','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',17,1795909952819);
INSERT INTO "icemelt_transactions" VALUES('c095e103-6404-4482-b5ee-052f11efaad4','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',18,1795909952829);
INSERT INTO "icemelt_transactions" VALUES('9c34da11-a500-4e63-91fb-af970990cefb','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',19,1795909952835);
INSERT INTO "icemelt_transactions" VALUES('925ac68f-187b-4ea1-8753-279be8d5ca03','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',20,1795909952844);
INSERT INTO "icemelt_transactions" VALUES('cb270700-3bb7-439f-944d-fb99cb288478','e2d8b6f1-92cc-4737-879d-3c140a6a1f6c','writer',21,1795909952850);
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
INSERT INTO "icemelt_versions" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca',1,1,1795909949715,NULL,'CREATE','[]','writer','cd3ad229-c5a6-4ff5-93e1-9673fd7f7dd9','cbccecd4-5c76-4818-b5ea-7455fe848e52',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-cff3976b-45b4-4f22-8fa0-d6848c47e0ca/metadata/00000-dd704bac-4502-4594-a374-e06fe3ae0242.metadata.json');
INSERT INTO "icemelt_versions" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca',2,2,1795909951531,2785179441797490114,'INSERT','[[2785179441797490114, 1, "append", 0, 2]]','writer','a6d287bd-00c7-45c7-8f55-b3123e55e5ee','b24722dc-a3bb-42eb-b1aa-362bd4bdc40a',0,2,640,2,0,0,'{lake}/warehouse/events-cff3976b-45b4-4f22-8fa0-d6848c47e0ca/metadata/00001-48d6d0d3-e506-455a-8825-ae04c9537851.metadata.json');
INSERT INTO "icemelt_versions" VALUES('cff3976b-45b4-4f22-8fa0-d6848c47e0ca',3,3,1795909952545,8343047397070837434,'DELETE','[[8343047397070837434, 2, "delete", 2, 0]]','writer','efc864b8-29ab-43eb-a2e0-6318cc1228de','6259078e-32dc-4754-bfa0-82868e76e810',0,1,682,0,0,1,'{lake}/warehouse/events-cff3976b-45b4-4f22-8fa0-d6848c47e0ca/metadata/00002-697c04a0-758e-44b4-9f4d-3bdcf02af9bb.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf',1,5,1795909952697,NULL,'CREATE','[]','writer','30f35edc-36f4-46b6-ac76-b6814d3a7143','ae30ed01-1386-4124-8795-26455010315e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-f4c94bf1-3c39-4c5b-97ea-7900ecf2fddf/metadata/00000-38d094a7-ee15-49be-b696-e5cd152645fd.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1252b147-c2fc-4f4b-b725-5964d797b630',1,13,1795909952783,NULL,'CREATE','[]','writer','67cee3b4-d968-4806-850f-e48fe0f540d3','0806a837-25a3-47ef-af08-626bade77b00',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-1252b147-c2fc-4f4b-b725-5964d797b630/metadata/00000-81815607-5e86-4ec8-9a22-7118303e2a2c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f161474a-e17c-4446-a90b-aec5c91f005c',1,18,1795909952829,NULL,'CREATE','[]','writer','1f11348d-aaf9-4985-91eb-a2653fa1da4e','c095e103-6404-4482-b5ee-052f11efaad4',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-f161474a-e17c-4446-a90b-aec5c91f005c/metadata/00000-47659fa2-1df2-47ba-aa77-c9beb7af30d7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('185dbbd6-a1f0-4d03-9ddb-19174e24c524',1,19,1795909952835,NULL,'CLONE','[]','writer','8e3ff840-2df5-4dcd-9cae-d834b404312e','9c34da11-a500-4e63-91fb-af970990cefb',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-185dbbd6-a1f0-4d03-9ddb-19174e24c524/metadata/00000-b698ef83-d969-4f68-9193-c3cd0f54a296.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e63de73e-0bb3-44c2-885e-090e066d327e',1,20,1795909952844,NULL,'CREATE','[]','writer','3517b000-7e8c-4ba2-b013-05aa0792f6ae','925ac68f-187b-4ea1-8753-279be8d5ca03',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-e63de73e-0bb3-44c2-885e-090e066d327e/metadata/00000-47bf7370-21ae-4298-a8d3-43894a916db5.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('a8431b69-3004-4f8c-987e-54723c252ddb','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
CREATE INDEX ix_icemelt_task_graphs_schema_id ON icemelt_task_graphs (schema_id);
CREATE INDEX ix_icemelt_task_graphs_next_wake ON icemelt_task_graphs (next_wake);
CREATE INDEX ix_icemelt_task_runs_folded_scheduled_at ON icemelt_task_runs (folded, scheduled_at);
CREATE INDEX ix_icemelt_task_runs_scheduled_at ON icemelt_task_runs (scheduled_at);
CREATE INDEX ix_icemelt_task_runs_completed_at ON icemelt_task_runs (completed_at);
CREATE INDEX ix_icemelt_task_runs_open ON icemelt_task_runs (root_id, scheduled_at) WHERE completed_at IS NULL;
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
