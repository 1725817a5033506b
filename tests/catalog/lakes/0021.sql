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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-f61a87dc-e137-4fda-be87-fd19e59ba7dc/metadata/00002-0689d958-6226-417c-bccf-63606bd664d3.metadata.json','{lake}/warehouse/events-f61a87dc-e137-4fda-be87-fd19e59ba7dc/metadata/00001-6d6de998-b40a-436b-950d-a33b74f4f6d4.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-5bc524f0-1bc9-436c-bc04-6d3430d614e4/metadata/00000-24865bc7-b899-45fc-b3d0-3dcd13781ba2.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-c169edcf-979e-44f6-a741-eccf1cb2aa15/metadata/00000-1cc950ae-a73b-43b1-9631-748a2f839b88.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-ec1fd89f-6ccc-4f09-974f-a69f1bf686b1/metadata/00000-c43dab5d-6056-43fa-a0ae-4beedc8752b5.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-065ffac9-8eea-424e-9026-f81998746193/metadata/00000-7bed3102-e47c-4dfe-bfa6-d7300a49adc2.metadata.json','{lake}/warehouse/model-065ffac9-8eea-424e-9026-f81998746193/metadata/00000-43ef43ac-c952-4065-b167-59c6a24b671c.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-4c0a810a-09c5-490a-846f-0339c46dc186/metadata/00000-127b41d0-28ad-48ca-a352-3343da930a4f.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('151c3abb-fc44-4493-bf75-ffd431a62695','ec1fd89f-6ccc-4f09-974f-a69f1bf686b1','first','writer',1795918746322,1795918746322,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('e821ffdd-579d-44f3-aa5a-552ce9517120','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('b9c719eb-1c5f-4cb1-91a3-669a5e7f02a9','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('40d3afda-74e6-4de9-bf1b-893d201a3732','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "ec1fd89f-6ccc-4f09-974f-a69f1bf686b1", "stage": ["main", "other", "landing"], "stage_id": "b9c719eb-1c5f-4cb1-91a3-669a5e7f02a9", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('3c419b8c-f7e7-4ba5-abb1-3ead758905b2','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
INSERT INTO "icemelt_definitions" VALUES('e11c5241-42b8-4dfe-b1cd-d956d30608ab','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('64a7ba53-39fc-4d7a-859d-6a41e5931cd2',0,'BY_ID','5bc524f0-1bc9-436c-bc04-6d3430d614e4',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('c169edcf-979e-44f6-a741-eccf1cb2aa15',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('f61c09e6-f18e-4701-9080-3f0413ef0be3',0,'BY_ID','5bc524f0-1bc9-436c-bc04-6d3430d614e4',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('64a7ba53-39fc-4d7a-859d-6a41e5931cd2',0,'5bc524f0-1bc9-436c-bc04-6d3430d614e4','table','1@7',0,8,1795918746114);
INSERT INTO "icemelt_frontiers" VALUES('f61c09e6-f18e-4701-9080-3f0413ef0be3',0,'5bc524f0-1bc9-436c-bc04-6d3430d614e4','table','1@11',0,12,1795918746231);
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
INSERT INTO "icemelt_lake" VALUES(1,'fa995c87-bfc6-41c3-aa3f-f90d8a96716a','icemelt','{lake}/warehouse',21,1795918746319,0);
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
INSERT INTO "icemelt_migrations" VALUES('0021');
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
INSERT INTO "icemelt_objects" VALUES('18250de3-397c-47f6-8d54-5bb4dc884eba','database',NULL,'main','main','',NULL,1795918723280,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('a5aae7b8-a553-460c-bc3e-deaeeacaa1b9','schema','18250de3-397c-47f6-8d54-5bb4dc884eba','public','public','',NULL,1795918723280,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc','table','a5aae7b8-a553-460c-bc3e-deaeeacaa1b9','events','events','writer','with a history',1795918739014,NULL,NULL,NULL,NULL,NULL,'main.public','events','b091f696-4e11-4395-89ea-7b8c62c5bff4','{lake}/warehouse/events-f61a87dc-e137-4fda-be87-fd19e59ba7dc/metadata/00002-0689d958-6226-417c-bccf-63606bd664d3.metadata.json',3,3184973031211472228,'');
INSERT INTO "icemelt_objects" VALUES('8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','schema','18250de3-397c-47f6-8d54-5bb4dc884eba','other','other','writer',NULL,1795918745229,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('5bc524f0-1bc9-436c-bc04-6d3430d614e4','table','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','empty','empty','writer',NULL,1795918746069,NULL,NULL,NULL,NULL,NULL,'main.other','empty','c3872566-63ba-4c27-86cb-21f241d16b44','{lake}/warehouse/empty-5bc524f0-1bc9-436c-bc04-6d3430d614e4/metadata/00000-24865bc7-b899-45fc-b3d0-3dcd13781ba2.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('64a7ba53-39fc-4d7a-859d-6a41e5931cd2','stream','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','watched','watched','writer',NULL,1795918746114,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('c169edcf-979e-44f6-a741-eccf1cb2aa15','view','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','shown','shown','writer',NULL,1795918746216,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-c169edcf-979e-44f6-a741-eccf1cb2aa15/metadata/00000-1cc950ae-a73b-43b1-9631-748a2f839b88.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('e821ffdd-579d-44f3-aa5a-552ce9517120','file format','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','semicolons','semicolons','writer',NULL,1795918746223,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('b9c719eb-1c5f-4cb1-91a3-669a5e7f02a9','stage','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','landing','landing','writer','where files arrive',1795918746226,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('f61c09e6-f18e-4701-9080-3f0413ef0be3','stream','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','rows','rows','writer',NULL,1795918746231,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('ec1fd89f-6ccc-4f09-974f-a69f1bf686b1','table','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','kept','kept','writer',NULL,1795918746241,NULL,NULL,NULL,NULL,NULL,'main.other','kept','80570cb9-a831-403f-bab6-5804befaf99f','{lake}/warehouse/kept-ec1fd89f-6ccc-4f09-974f-a69f1bf686b1/metadata/00000-c43dab5d-6056-43fa-a0ae-4beedc8752b5.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('40d3afda-74e6-4de9-bf1b-893d201a3732','pipe','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','arriving','arriving','writer','every file once',1795918746253,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('3c419b8c-f7e7-4ba5-abb1-3ead758905b2','task','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','nightly','nightly','writer',NULL,1795918746260,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('e11c5241-42b8-4dfe-b1cd-d956d30608ab','task','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','model','model','writer',NULL,1795918746268,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('065ffac9-8eea-424e-9026-f81998746193','table','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','model','model','writer',NULL,1795918746288,NULL,NULL,NULL,NULL,NULL,'main.other','model','cba248c2-e984-4459-9feb-8b90407f1d23','{lake}/warehouse/model-065ffac9-8eea-424e-9026-f81998746193/metadata/00000-7bed3102-e47c-4dfe-bfa6-d7300a49adc2.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('4c0a810a-09c5-490a-846f-0339c46dc186','table','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','twin','twin','writer',NULL,1795918746294,NULL,NULL,NULL,NULL,NULL,'main.other','twin','5c8ef9b0-d265-4bf6-8279-cd3e1df7167a','{lake}/warehouse/twin-4c0a810a-09c5-490a-846f-0339c46dc186/metadata/00000-127b41d0-28ad-48ca-a352-3343da930a4f.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('e7386703-344b-4ffe-b037-bb52803739b7','table','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8','gone','gone','writer',NULL,1795918746310,1795918746319,'b75172e6-5ffe-455f-93b2-0ef00a63f2a0',NULL,NULL,NULL,'main.other','gone','60323347-ce60-4bca-89e4-e12034d43e7e','{lake}/warehouse/gone-e7386703-344b-4ffe-b037-bb52803739b7/metadata/00000-469bc4e5-045e-4cab-bd19-e8bbbb935226.metadata.json',1,NULL,'');
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
INSERT INTO "icemelt_sequences" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc',2,1,1795918743063);
INSERT INTO "icemelt_sequences" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc',3,2,1795918745224);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('065ffac9-8eea-424e-9026-f81998746193','065ffac9-8eea-424e-9026-f81998746193','{lake}/warehouse/model-065ffac9-8eea-424e-9026-f81998746193',NULL);
INSERT INTO "icemelt_sharing" VALUES('4c0a810a-09c5-490a-846f-0339c46dc186','065ffac9-8eea-424e-9026-f81998746193','{lake}/warehouse/twin-4c0a810a-09c5-490a-846f-0339c46dc186',NULL);
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
INSERT INTO "icemelt_statements" VALUES('579daa66-3a98-4a50-9f58-8916c15e5dfc','4a1f748d-4294-4e38-9cc0-788f8ebf8465','bdee7138-f63f-4ae9-a7eb-77304fe90758','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795918738549,1795918739014,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('7ad01d3a-36d3-49bf-b3b0-a3f207a80ada','4a1f748d-4294-4e38-9cc0-788f8ebf8465','fd3993e7-7f6e-437a-8b99-22dff18c86c3','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795918739026,1795918743061,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('435f2366-0e18-4e12-8055-3c172d83ddae','4a1f748d-4294-4e38-9cc0-788f8ebf8465','33ec0815-6e96-4077-af7d-1d41eb4000e0','writer','DELETE FROM events WHERE id = 1','DELETE',1795918743084,1795918745223,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('dd24c96e-58b5-43fd-a1ae-f05f85c1c70d','4a1f748d-4294-4e38-9cc0-788f8ebf8465','60fd0642-5358-4193-98a6-823604a9e18d','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795918745225,1795918745227,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('ff7574df-2ee0-487d-a45d-269e09196a58','4a1f748d-4294-4e38-9cc0-788f8ebf8465','f78ca0e5-1b01-444d-9ce9-34e04a6fed6c','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795918745235,1795918746069,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('b5dbb36d-c78e-41be-a4eb-7a088dafc65b','4a1f748d-4294-4e38-9cc0-788f8ebf8465','5c30072a-45ee-444b-b00e-78dd7ac6e6b5','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795918746075,1795918746093,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('b61ef878-7664-4ae3-ba9d-9dee67e2cf22','4a1f748d-4294-4e38-9cc0-788f8ebf8465','46f8a5e3-2f78-49da-9863-6d55eeee0fa4','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795918746096,1795918746108,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('53b18615-523c-433e-bee4-091664709db4','4a1f748d-4294-4e38-9cc0-788f8ebf8465','24ca49c7-1e18-4139-9ce0-01ea78fdd3b5','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795918746110,1795918746113,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('3b705a0f-357a-4de3-b90a-9f83bf7600d1','4a1f748d-4294-4e38-9cc0-788f8ebf8465','db8186c7-f71e-4808-add9-21f51aaf146e','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795918746116,1795918746214,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('3a07ce69-0a8f-40f3-abae-86ff5599f366','4a1f748d-4294-4e38-9cc0-788f8ebf8465','dfbb213e-68a4-4641-828f-933ca547dc51','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795918746218,1795918746220,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('29121537-2b60-407a-ada9-566237211384','4a1f748d-4294-4e38-9cc0-788f8ebf8465','915891e8-3116-450d-bdfb-2f04082b54fc','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795918746224,1795918746226,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('e81432f3-1684-4451-97a8-f8295c7050e0','4a1f748d-4294-4e38-9cc0-788f8ebf8465','d7ebe1bd-ba6f-4f44-a0a1-394c6401c0b7','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795918746227,1795918746229,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('b57a6e9d-b8ed-411e-ad4b-3efa05864734','4a1f748d-4294-4e38-9cc0-788f8ebf8465','5c004309-791a-4266-95a0-4d088b5e66e9','writer','CREATE TABLE kept (id INT)','CREATE',1795918746232,1795918746241,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('604ad40c-6b8d-481d-b3f7-b938957b763c','4a1f748d-4294-4e38-9cc0-788f8ebf8465','033a93e1-2e2e-4346-b585-a0691a964195','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795918746246,1795918746254,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('1fa4e94b-0793-4297-a18f-3db07c1e6b6e','4a1f748d-4294-4e38-9cc0-788f8ebf8465','9f441152-dde1-4b95-b9e1-3da6ca6c0444','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795918746255,1795918746260,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('c6e4f904-01fc-4bc7-9a15-6be2110a7bae','4a1f748d-4294-4e38-9cc0-788f8ebf8465','b86204a2-1a12-4b7c-90bc-6ca8bde1175e','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795918746265,1795918746268,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('528ac747-4aa4-45cc-839c-d65584dc3172','4a1f748d-4294-4e38-9cc0-788f8ebf8465','51e835f8-9792-4312-b277-4b29f6e324f4','writer','EXECUTE TASK nightly USING CONFIG = ''{"at": "night"}''','EXECUTE',1795918746273,1795918746276,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('b72a95eb-0cc2-4ecf-a97b-6b6e3c39b02a','4a1f748d-4294-4e38-9cc0-788f8ebf8465','fe27ddee-a2f1-48fa-ba42-7de4170e930a','writer','CREATE TABLE model (id INT)','CREATE',1795918746279,1795918746288,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('22134d2c-d03a-4bba-9699-434c360c9f98','4a1f748d-4294-4e38-9cc0-788f8ebf8465','5a27cfa7-4ad9-480c-b9fa-43701338a81f','writer','CREATE TABLE twin CLONE model','CREATE',1795918746292,1795918746295,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('d4dabfd1-96f5-46a3-a372-24b6b1b8b789','4a1f748d-4294-4e38-9cc0-788f8ebf8465','c1d49c87-c200-49e5-85aa-db9a94846dce','writer','CREATE TABLE gone (id INT)','CREATE',1795918746299,1795918746310,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('6ea58a02-83c7-4b14-b6ed-21b2345db9a3','4a1f748d-4294-4e38-9cc0-788f8ebf8465','310a7d93-94fb-4d2e-a872-0937646b647a','writer','DROP TABLE gone','DROP',1795918746315,1795918746318,'succeeded',21,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('64a7ba53-39fc-4d7a-859d-6a41e5931cd2','table','5bc524f0-1bc9-436c-bc04-6d3430d614e4','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('f61c09e6-f18e-4701-9080-3f0413ef0be3','table','5bc524f0-1bc9-436c-bc04-6d3430d614e4','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_task_graph_versions (
	root_id VARCHAR(36) NOT NULL, 
	number BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	tasks JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graph_versions PRIMARY KEY (root_id, number), 
	CONSTRAINT fk_icemelt_task_graph_versions_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graph_versions" VALUES('3c419b8c-f7e7-4ba5-abb1-3ead758905b2',2,'b5c6bbf808634fed22c1a7e1e27d806d58f63d32f51fc169cfd4a559844af21f','[{"name": "nightly", "schema": "main.other", "schedule": ["0 3 * * *", "UTC"], "object_id": "3c419b8c-f7e7-4ba5-abb1-3ead758905b2", "owner": "writer", "body": "INSERT INTO kept VALUES (1)"}, {"name": "model", "schema": "main.other", "predecessors": ["nightly"], "object_id": "e11c5241-42b8-4dfe-b1cd-d956d30608ab", "owner": "writer", "body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END"}]');
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
INSERT INTO "icemelt_task_graphs" VALUES('3c419b8c-f7e7-4ba5-abb1-3ead758905b2','8a7b946d-d3a3-4512-b5ad-1c463c4cc0d8',3,1795918746275,NULL,NULL,0,NULL,2,'b5c6bbf808634fed22c1a7e1e27d806d58f63d32f51fc169cfd4a559844af21f','{"graph": 2, "anchor": 1795918746264000, "handled_until": 1795918746264000, "active": [{"id": 1, "version": 2, "origin": "EXECUTE TASK", "scheduled_at": 1795918746275000, "attempt": 1, "config": "{\"at\": \"night\"}", "task_runs": [["nightly", 1, "SCHEDULED", 1795918746275000, null, null, null, null, null, null]]}], "queued": null, "last_ended": null, "last_success": null, "failures": 0, "news": 1, "seen_news": 0, "last_look": null, "next_run_id": 2, "next_token": 1}');
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
INSERT INTO "icemelt_task_runs" VALUES('3c419b8c-f7e7-4ba5-abb1-3ead758905b2',1,'nightly',1,'3c419b8c-f7e7-4ba5-abb1-3ead758905b2','nightly','nightly','nightly','main','other',2,'EXECUTE TASK','SCHEDULED',1795918746275,1795918746275,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'INSERT INTO kept VALUES (1)',NULL,'{"at": "night"}');
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('5bc524f0-1bc9-436c-bc04-6d3430d614e4',5,6);
INSERT INTO "icemelt_tracking" VALUES('5bc524f0-1bc9-436c-bc04-6d3430d614e4',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('ec1fd89f-6ccc-4f09-974f-a69f1bf686b1',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('065ffac9-8eea-424e-9026-f81998746193',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('4c0a810a-09c5-490a-846f-0339c46dc186',19,NULL);
INSERT INTO "icemelt_tracking" VALUES('e7386703-344b-4ffe-b037-bb52803739b7',20,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('bdee7138-f63f-4ae9-a7eb-77304fe90758','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',1,1795918739014);
INSERT INTO "icemelt_transactions" VALUES('fd3993e7-7f6e-437a-8b99-22dff18c86c3','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',2,1795918743063);
INSERT INTO "icemelt_transactions" VALUES('33ec0815-6e96-4077-af7d-1d41eb4000e0','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',3,1795918745224);
INSERT INTO "icemelt_transactions" VALUES('60fd0642-5358-4193-98a6-823604a9e18d','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',4,1795918745229);
INSERT INTO "icemelt_transactions" VALUES('f78ca0e5-1b01-444d-9ce9-34e04a6fed6c','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',5,1795918746069);
INSERT INTO "icemelt_transactions" VALUES('5c30072a-45ee-444b-b00e-78dd7ac6e6b5','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',6,1795918746094);
INSERT INTO "icemelt_transactions" VALUES('46f8a5e3-2f78-49da-9863-6d55eeee0fa4','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',7,1795918746108);
INSERT INTO "icemelt_transactions" VALUES('24ca49c7-1e18-4139-9ce0-01ea78fdd3b5','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',8,1795918746114);
INSERT INTO "icemelt_transactions" VALUES('db8186c7-f71e-4808-add9-21f51aaf146e','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',9,1795918746216);
INSERT INTO "icemelt_transactions" VALUES('dfbb213e-68a4-4641-828f-933ca547dc51','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',10,1795918746223);
INSERT INTO "icemelt_transactions" VALUES('915891e8-3116-450d-bdfb-2f04082b54fc','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',11,1795918746226);
INSERT INTO "icemelt_transactions" VALUES('d7ebe1bd-ba6f-4f44-a0a1-394c6401c0b7','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',12,1795918746231);
INSERT INTO "icemelt_transactions" VALUES('5c004309-791a-4266-95a0-4d088b5e66e9','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',13,1795918746241);
INSERT INTO "icemelt_transactions" VALUES('033a93e1-2e2e-4346-b585-a0691a964195','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',14,1795918746253);
INSERT INTO "icemelt_transactions" VALUES('9f441152-dde1-4b95-b9e1-3da6ca6c0444','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',15,1795918746260);
INSERT INTO "icemelt_transactions" VALUES('b86204a2-1a12-4b7c-90bc-6ca8bde1175e','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',16,1795918746268);
INSERT INTO "icemelt_transactions" VALUES('51e835f8-9792-4312-b277-4b29f6e324f4','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',17,1795918746275);
INSERT INTO "icemelt_transactions" VALUES('fe27ddee-a2f1-48fa-ba42-7de4170e930a','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',18,1795918746288);
INSERT INTO "icemelt_transactions" VALUES('5a27cfa7-4ad9-480c-b9fa-43701338a81f','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',19,1795918746294);
INSERT INTO "icemelt_transactions" VALUES('c1d49c87-c200-49e5-85aa-db9a94846dce','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',20,1795918746310);
INSERT INTO "icemelt_transactions" VALUES('310a7d93-94fb-4d2e-a872-0937646b647a','4a1f748d-4294-4e38-9cc0-788f8ebf8465','writer',21,1795918746319);
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
INSERT INTO "icemelt_versions" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc',1,1,1795918739014,NULL,'CREATE','[]','writer','579daa66-3a98-4a50-9f58-8916c15e5dfc','bdee7138-f63f-4ae9-a7eb-77304fe90758',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-f61a87dc-e137-4fda-be87-fd19e59ba7dc/metadata/00000-b91f953c-e487-47fd-b118-965470b74ace.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc',2,2,1795918743063,8908668539194647400,'INSERT','[[8908668539194647400, 1, "append", 0, 2]]','writer','7ad01d3a-36d3-49bf-b3b0-a3f207a80ada','fd3993e7-7f6e-437a-8b99-22dff18c86c3',0,2,640,2,0,0,'{lake}/warehouse/events-f61a87dc-e137-4fda-be87-fd19e59ba7dc/metadata/00001-6d6de998-b40a-436b-950d-a33b74f4f6d4.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f61a87dc-e137-4fda-be87-fd19e59ba7dc',3,3,1795918745224,3184973031211472228,'DELETE','[[3184973031211472228, 2, "delete", 2, 0]]','writer','435f2366-0e18-4e12-8055-3c172d83ddae','33ec0815-6e96-4077-af7d-1d41eb4000e0',0,1,682,0,0,1,'{lake}/warehouse/events-f61a87dc-e137-4fda-be87-fd19e59ba7dc/metadata/00002-0689d958-6226-417c-bccf-63606bd664d3.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5bc524f0-1bc9-436c-bc04-6d3430d614e4',1,5,1795918746069,NULL,'CREATE','[]','writer','ff7574df-2ee0-487d-a45d-269e09196a58','f78ca0e5-1b01-444d-9ce9-34e04a6fed6c',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-5bc524f0-1bc9-436c-bc04-6d3430d614e4/metadata/00000-24865bc7-b899-45fc-b3d0-3dcd13781ba2.metadata.json');
INSERT INTO "icemelt_versions" VALUES('ec1fd89f-6ccc-4f09-974f-a69f1bf686b1',1,13,1795918746241,NULL,'CREATE','[]','writer','b57a6e9d-b8ed-411e-ad4b-3efa05864734','5c004309-791a-4266-95a0-4d088b5e66e9',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-ec1fd89f-6ccc-4f09-974f-a69f1bf686b1/metadata/00000-c43dab5d-6056-43fa-a0ae-4beedc8752b5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('065ffac9-8eea-424e-9026-f81998746193',1,18,1795918746288,NULL,'CREATE','[]','writer','b72a95eb-0cc2-4ecf-a97b-6b6e3c39b02a','fe27ddee-a2f1-48fa-ba42-7de4170e930a',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-065ffac9-8eea-424e-9026-f81998746193/metadata/00000-7bed3102-e47c-4dfe-bfa6-d7300a49adc2.metadata.json');
INSERT INTO "icemelt_versions" VALUES('4c0a810a-09c5-490a-846f-0339c46dc186',1,19,1795918746294,NULL,'CLONE','[]','writer','22134d2c-d03a-4bba-9699-434c360c9f98','5a27cfa7-4ad9-480c-b9fa-43701338a81f',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-4c0a810a-09c5-490a-846f-0339c46dc186/metadata/00000-127b41d0-28ad-48ca-a352-3343da930a4f.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e7386703-344b-4ffe-b037-bb52803739b7',1,20,1795918746310,NULL,'CREATE','[]','writer','d4dabfd1-96f5-46a3-a372-24b6b1b8b789','c1d49c87-c200-49e5-85aa-db9a94846dce',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-e7386703-344b-4ffe-b037-bb52803739b7/metadata/00000-469bc4e5-045e-4cab-bd19-e8bbbb935226.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('c169edcf-979e-44f6-a741-eccf1cb2aa15','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
CREATE TABLE icemelt_webhooks (
	webhook_id VARCHAR(36) NOT NULL, 
	task TEXT NOT NULL, 
	message_type VARCHAR(32) NOT NULL, 
	url TEXT NOT NULL, 
	body TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	next_at BIGINT, 
	tries INTEGER NOT NULL, 
	ended_at BIGINT, 
	last_error TEXT, 
	CONSTRAINT pk_icemelt_webhooks PRIMARY KEY (webhook_id)
);
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
CREATE INDEX ix_icemelt_webhooks_next_at ON icemelt_webhooks (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX ix_icemelt_webhooks_ended_at ON icemelt_webhooks (ended_at);
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
