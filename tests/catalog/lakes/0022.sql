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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9/metadata/00002-4a525ace-ce92-45c9-8928-eaee3d8715c9.metadata.json','{lake}/warehouse/events-82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9/metadata/00001-cc46c58c-13d6-4e42-a22e-ac3f73dab252.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-0ad2cce5-2c44-485f-956e-8e9eb83f1bf4/metadata/00000-ae1bb616-a2ad-46cf-b32c-70074b54a03a.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-17f56a67-1f7f-4770-ae6c-70c294c0fe98/metadata/00000-6f323487-9f62-442e-91c2-e782d330fdfc.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-ec13e80e-f3f6-414a-b349-deadf8969ed3/metadata/00000-aefe1577-ba92-4721-8c9a-9d8fbced6567.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-3316546d-7e44-416b-aca0-6f1040a320fc/metadata/00000-b559b427-8803-41a8-a632-9219ff65a66e.metadata.json','{lake}/warehouse/model-3316546d-7e44-416b-aca0-6f1040a320fc/metadata/00000-aebc325b-efac-4004-82ff-b51f0867264f.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-15f57dad-0d2a-4d76-af42-2d07ac8c5326/metadata/00000-e3c926ef-671d-460a-94c0-82f090acf2d0.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('07437551-64c4-4e9d-b732-33a9ff43225d','ec13e80e-f3f6-414a-b349-deadf8969ed3','first','writer',1795934306112,1795934306112,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('0ff86ecd-4524-4c71-9b18-361831f5941a','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('3682643b-5e93-4d4d-a14b-d06202d57e62','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('a37ae9dd-1afa-46d3-ba7d-ed8fed0aab82','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "ec13e80e-f3f6-414a-b349-deadf8969ed3", "stage": ["main", "other", "landing"], "stage_id": "3682643b-5e93-4d4d-a14b-d06202d57e62", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('b6db6f84-9bef-4167-a586-161e0253a42b','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null, "written_by": "writer"}');
INSERT INTO "icemelt_definitions" VALUES('3b8f085f-bf20-426f-b594-2cd97aebe081','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null, "written_by": "writer"}');
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
INSERT INTO "icemelt_dependencies" VALUES('c8022fb3-337e-49dd-99e6-d9b391b4e1f8',0,'BY_ID','0ad2cce5-2c44-485f-956e-8e9eb83f1bf4',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('17f56a67-1f7f-4770-ae6c-70c294c0fe98',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('79723074-946a-48f3-a6ca-43b0ea4a4906',0,'BY_ID','0ad2cce5-2c44-485f-956e-8e9eb83f1bf4',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('c8022fb3-337e-49dd-99e6-d9b391b4e1f8',0,'0ad2cce5-2c44-485f-956e-8e9eb83f1bf4','table','1@7',0,8,1795934305733);
INSERT INTO "icemelt_frontiers" VALUES('79723074-946a-48f3-a6ca-43b0ea4a4906',0,'0ad2cce5-2c44-485f-956e-8e9eb83f1bf4','table','1@11',0,12,1795934305809);
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
INSERT INTO "icemelt_lake" VALUES(1,'b553d1d2-cdc7-47b9-b3c6-51bd6a0547c3','icemelt','{lake}/warehouse',21,1795934306106,0);
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
INSERT INTO "icemelt_migrations" VALUES('0022');
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
INSERT INTO "icemelt_objects" VALUES('57882340-51f3-45e6-bc89-28e244c1a820','database',NULL,'main','main','',NULL,1795934288231,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('82ba02d8-1621-4e33-a1f0-3bd2efe5fdd4','schema','57882340-51f3-45e6-bc89-28e244c1a820','public','public','',NULL,1795934288231,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9','table','82ba02d8-1621-4e33-a1f0-3bd2efe5fdd4','events','events','writer','with a history',1795934297042,NULL,NULL,NULL,NULL,NULL,'main.public','events','cde8f12e-24cd-4ed8-8614-98357184fec4','{lake}/warehouse/events-82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9/metadata/00002-4a525ace-ce92-45c9-8928-eaee3d8715c9.metadata.json',3,8405933221982511898,'');
INSERT INTO "icemelt_objects" VALUES('0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','schema','57882340-51f3-45e6-bc89-28e244c1a820','other','other','writer',NULL,1795934305401,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('0ad2cce5-2c44-485f-956e-8e9eb83f1bf4','table','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','empty','empty','writer',NULL,1795934305698,NULL,NULL,NULL,NULL,NULL,'main.other','empty','9da01bce-84e5-453c-afa3-1ec4b2f41319','{lake}/warehouse/empty-0ad2cce5-2c44-485f-956e-8e9eb83f1bf4/metadata/00000-ae1bb616-a2ad-46cf-b32c-70074b54a03a.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('c8022fb3-337e-49dd-99e6-d9b391b4e1f8','stream','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','watched','watched','writer',NULL,1795934305733,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('17f56a67-1f7f-4770-ae6c-70c294c0fe98','view','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','shown','shown','writer',NULL,1795934305788,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-17f56a67-1f7f-4770-ae6c-70c294c0fe98/metadata/00000-6f323487-9f62-442e-91c2-e782d330fdfc.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('0ff86ecd-4524-4c71-9b18-361831f5941a','file format','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','semicolons','semicolons','writer',NULL,1795934305796,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('3682643b-5e93-4d4d-a14b-d06202d57e62','stage','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','landing','landing','writer','where files arrive',1795934305804,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('79723074-946a-48f3-a6ca-43b0ea4a4906','stream','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','rows','rows','writer',NULL,1795934305809,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('ec13e80e-f3f6-414a-b349-deadf8969ed3','table','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','kept','kept','writer',NULL,1795934305827,NULL,NULL,NULL,NULL,NULL,'main.other','kept','7537f87b-6c75-4664-98a2-fc0dae50771c','{lake}/warehouse/kept-ec13e80e-f3f6-414a-b349-deadf8969ed3/metadata/00000-aefe1577-ba92-4721-8c9a-9d8fbced6567.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('a37ae9dd-1afa-46d3-ba7d-ed8fed0aab82','pipe','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','arriving','arriving','writer','every file once',1795934305862,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('b6db6f84-9bef-4167-a586-161e0253a42b','task','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','nightly','nightly','writer',NULL,1795934305901,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('3b8f085f-bf20-426f-b594-2cd97aebe081','task','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','model','model','writer',NULL,1795934305949,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('3316546d-7e44-416b-aca0-6f1040a320fc','table','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','model','model','writer',NULL,1795934306023,NULL,NULL,NULL,NULL,NULL,'main.other','model','2466a6a8-0a34-433e-8935-017beb9f4376','{lake}/warehouse/model-3316546d-7e44-416b-aca0-6f1040a320fc/metadata/00000-b559b427-8803-41a8-a632-9219ff65a66e.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('15f57dad-0d2a-4d76-af42-2d07ac8c5326','table','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','twin','twin','writer',NULL,1795934306053,NULL,NULL,NULL,NULL,NULL,'main.other','twin','13b4690c-eab2-4243-bc7d-229410fa2cb2','{lake}/warehouse/twin-15f57dad-0d2a-4d76-af42-2d07ac8c5326/metadata/00000-e3c926ef-671d-460a-94c0-82f090acf2d0.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('24b808ea-0a9c-49e9-b938-e0c3ce32d24b','table','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4','gone','gone','writer',NULL,1795934306092,1795934306106,'d8e52c5a-69d3-4204-aa9f-3b013fb1b740',NULL,NULL,NULL,'main.other','gone','c1ae9c8f-63fa-498b-8166-f209fa068ca7','{lake}/warehouse/gone-24b808ea-0a9c-49e9-b938-e0c3ce32d24b/metadata/00000-6cc22bc4-8975-47ea-9d4d-57fd4fa7e9d0.metadata.json',1,NULL,'');
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
INSERT INTO "icemelt_sequences" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9',2,1,1795934302003);
INSERT INTO "icemelt_sequences" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9',3,2,1795934305356);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('3316546d-7e44-416b-aca0-6f1040a320fc','3316546d-7e44-416b-aca0-6f1040a320fc','{lake}/warehouse/model-3316546d-7e44-416b-aca0-6f1040a320fc',NULL);
INSERT INTO "icemelt_sharing" VALUES('15f57dad-0d2a-4d76-af42-2d07ac8c5326','3316546d-7e44-416b-aca0-6f1040a320fc','{lake}/warehouse/twin-15f57dad-0d2a-4d76-af42-2d07ac8c5326',NULL);
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
INSERT INTO "icemelt_statements" VALUES('39695c47-7870-45c7-82b9-d810eaa978b3','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','800b914f-dc3f-455d-9d91-ebf295a9def5','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795934296691,1795934297041,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('e9cbc99c-2d4a-46da-b072-7005145d2e9c','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','e7780ae5-6d33-46e8-80c9-77b13c264d56','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795934297082,1795934302003,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('502fbe8f-417c-4b8d-951d-18296d142af1','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','f03ce04e-f63f-4712-b20d-97bc1ec92119','writer','DELETE FROM events WHERE id = 1','DELETE',1795934302022,1795934305355,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('3c30e3b4-5a24-43e3-ab32-9d9b7d0c5f10','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','779c1e72-2794-40c1-9e1e-a54f213ae07c','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795934305393,1795934305399,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('0e690b74-0adf-40e9-89e2-68d74ac19fcb','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','fad1a661-da37-41cc-84bc-58e426dccf09','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795934305470,1795934305697,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('0a258d10-487e-4eb0-a934-bd5fc750d1b1','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','51922bb9-5cef-4b98-98da-f184d0b11e4d','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795934305703,1795934305717,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9e79eda5-c859-43cb-9e0c-a9864b3f6a5f','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','079b1702-3fe6-4308-b9fc-44c1e2c3b308','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795934305719,1795934305725,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('7452130b-81f4-4b83-9f4e-b8b22e7356e1','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','eb55dab7-db52-4710-8e81-9f0268944d52','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795934305727,1795934305732,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9e650751-b1cb-4d14-99f1-df8e4cf96188','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','92ccd1cb-df1f-4f87-84cb-ce0148d60457','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795934305737,1795934305788,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('807f89ad-4faa-426c-be97-4a8b83217331','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','5eb5900f-c4bb-4c12-bc19-82439afce3d0','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795934305793,1795934305796,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('35df7758-8fd2-4f92-bae9-4c0851e7cdec','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','c699dcd7-c5ab-438b-a073-56fec844515d','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795934305801,1795934305804,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('f791bdc0-b02e-4698-9cf4-e7ad22ea6ebb','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','230e50a6-5e9a-4846-b442-ea1cf2f6f393','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795934305806,1795934305809,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('a0907f7d-efb4-4402-bdab-9e115c68332b','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','eb088fb1-619a-4a92-b699-02a578f52ffe','writer','CREATE TABLE kept (id INT)','CREATE',1795934305811,1795934305825,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('7bc33a9b-023f-47fe-a7f8-a6e9dd9aef0f','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','bb5d2f57-c4db-4d9b-9ec6-fc864db437b5','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795934305836,1795934305861,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('036b5888-d226-4248-a953-d6a78581278e','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','9d670907-735e-4351-8431-8bb5b7bf3bd3','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795934305865,1795934305900,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('a516bb9c-b050-45cf-be1f-ea38e096496c','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','06425476-0add-45db-8f68-bc83a46e6455','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795934305929,1795934305948,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2a597753-1250-4d48-a645-dc99bf1df32a','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','ac4f580d-66a1-4bdb-9162-b2554dc07b09','writer','EXECUTE TASK nightly USING CONFIG = ''{"at": "night"}''','EXECUTE',1795934305974,1795934305987,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('041374fa-3639-4e39-84bb-bc9cceb4beb4','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','c1ddd361-38e5-4b96-b6ea-0be4e01affa1','writer','CREATE TABLE model (id INT)','CREATE',1795934305994,1795934306023,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('4a2de89a-9873-42e0-a19e-7577681e2c47','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','59084258-933b-455c-988d-95885cff9402','writer','CREATE TABLE twin CLONE model','CREATE',1795934306035,1795934306053,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('6731d35f-8875-48bb-a7ad-4c7bcdb562f3','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','bd83572d-d671-42fa-b33e-6db26a2f7b4a','writer','CREATE TABLE gone (id INT)','CREATE',1795934306070,1795934306092,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2e2eec2f-fd08-427b-be0a-0f3b71d2f657','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','963de25b-e70b-4c32-9f5f-f968e2b3a6b9','writer','DROP TABLE gone','DROP',1795934306100,1795934306104,'succeeded',21,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('c8022fb3-337e-49dd-99e6-d9b391b4e1f8','table','0ad2cce5-2c44-485f-956e-8e9eb83f1bf4','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('79723074-946a-48f3-a6ca-43b0ea4a4906','table','0ad2cce5-2c44-485f-956e-8e9eb83f1bf4','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_task_graph_versions (
	root_id VARCHAR(36) NOT NULL, 
	number BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	tasks JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graph_versions PRIMARY KEY (root_id, number), 
	CONSTRAINT fk_icemelt_task_graph_versions_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graph_versions" VALUES('b6db6f84-9bef-4167-a586-161e0253a42b',2,'abc7fad6ef4868f1fb5c48db70c2149381265acd7f9a21cc1a7aec39d86c7284','[{"name": "nightly", "schema": "main.other", "schedule": ["0 3 * * *", "UTC"], "object_id": "b6db6f84-9bef-4167-a586-161e0253a42b", "owner": "writer", "body": "INSERT INTO kept VALUES (1)", "written_by": "writer"}, {"name": "model", "schema": "main.other", "predecessors": ["nightly"], "object_id": "3b8f085f-bf20-426f-b594-2cd97aebe081", "owner": "writer", "body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "written_by": "writer"}]');
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
INSERT INTO "icemelt_task_graphs" VALUES('b6db6f84-9bef-4167-a586-161e0253a42b','0b51cd2e-c1d0-47ab-9d78-5edf52514ad4',3,1795934305988,NULL,NULL,0,NULL,2,'abc7fad6ef4868f1fb5c48db70c2149381265acd7f9a21cc1a7aec39d86c7284','{"graph": 2, "anchor": 1795934305919000, "handled_until": 1795934305919000, "active": [{"id": 1, "version": 2, "origin": "EXECUTE TASK", "scheduled_at": 1795934305988000, "attempt": 1, "config": "{\"at\": \"night\"}", "task_runs": [["nightly", 1, "SCHEDULED", 1795934305988000, null, null, null, null, null, null]]}], "queued": null, "last_ended": null, "last_success": null, "failures": 0, "news": 1, "seen_news": 0, "last_look": null, "next_run_id": 2, "next_token": 1}');
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
	config TEXT, client TEXT, 
	CONSTRAINT pk_icemelt_task_runs PRIMARY KEY (root_id, run_id, task, attempt)
);
INSERT INTO "icemelt_task_runs" VALUES('b6db6f84-9bef-4167-a586-161e0253a42b',1,'nightly',1,'b6db6f84-9bef-4167-a586-161e0253a42b','nightly','nightly','nightly','main','other',2,'EXECUTE TASK','SCHEDULED',1795934305988,1795934305988,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'INSERT INTO kept VALUES (1)',NULL,'{"at": "night"}',NULL);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('0ad2cce5-2c44-485f-956e-8e9eb83f1bf4',5,6);
INSERT INTO "icemelt_tracking" VALUES('0ad2cce5-2c44-485f-956e-8e9eb83f1bf4',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('ec13e80e-f3f6-414a-b349-deadf8969ed3',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('3316546d-7e44-416b-aca0-6f1040a320fc',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('15f57dad-0d2a-4d76-af42-2d07ac8c5326',19,NULL);
INSERT INTO "icemelt_tracking" VALUES('24b808ea-0a9c-49e9-b938-e0c3ce32d24b',20,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('800b914f-dc3f-455d-9d91-ebf295a9def5','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',1,1795934297042);
INSERT INTO "icemelt_transactions" VALUES('e7780ae5-6d33-46e8-80c9-77b13c264d56','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',2,1795934302003);
INSERT INTO "icemelt_transactions" VALUES('f03ce04e-f63f-4712-b20d-97bc1ec92119','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',3,1795934305356);
INSERT INTO "icemelt_transactions" VALUES('779c1e72-2794-40c1-9e1e-a54f213ae07c','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',4,1795934305401);
INSERT INTO "icemelt_transactions" VALUES('fad1a661-da37-41cc-84bc-58e426dccf09','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',5,1795934305698);
INSERT INTO "icemelt_transactions" VALUES('51922bb9-5cef-4b98-98da-f184d0b11e4d','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',6,1795934305717);
INSERT INTO "icemelt_transactions" VALUES('079b1702-3fe6-4308-b9fc-44c1e2c3b308','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',7,1795934305726);
INSERT INTO "icemelt_transactions" VALUES('eb55dab7-db52-4710-8e81-9f0268944d52','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',8,1795934305733);
INSERT INTO "icemelt_transactions" VALUES('92ccd1cb-df1f-4f87-84cb-ce0148d60457','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',9,1795934305788);
INSERT INTO "icemelt_transactions" VALUES('5eb5900f-c4bb-4c12-bc19-82439afce3d0','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',10,1795934305796);
INSERT INTO "icemelt_transactions" VALUES('c699dcd7-c5ab-438b-a073-56fec844515d','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',11,1795934305804);
INSERT INTO "icemelt_transactions" VALUES('230e50a6-5e9a-4846-b442-ea1cf2f6f393','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',12,1795934305809);
INSERT INTO "icemelt_transactions" VALUES('eb088fb1-619a-4a92-b699-02a578f52ffe','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',13,1795934305827);
INSERT INTO "icemelt_transactions" VALUES('bb5d2f57-c4db-4d9b-9ec6-fc864db437b5','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',14,1795934305862);
INSERT INTO "icemelt_transactions" VALUES('9d670907-735e-4351-8431-8bb5b7bf3bd3','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',15,1795934305901);
INSERT INTO "icemelt_transactions" VALUES('06425476-0add-45db-8f68-bc83a46e6455','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',16,1795934305949);
INSERT INTO "icemelt_transactions" VALUES('ac4f580d-66a1-4bdb-9162-b2554dc07b09','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',17,1795934305988);
INSERT INTO "icemelt_transactions" VALUES('c1ddd361-38e5-4b96-b6ea-0be4e01affa1','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',18,1795934306023);
INSERT INTO "icemelt_transactions" VALUES('59084258-933b-455c-988d-95885cff9402','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',19,1795934306053);
INSERT INTO "icemelt_transactions" VALUES('bd83572d-d671-42fa-b33e-6db26a2f7b4a','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',20,1795934306092);
INSERT INTO "icemelt_transactions" VALUES('963de25b-e70b-4c32-9f5f-f968e2b3a6b9','b4ab08c3-124b-42c9-8c1d-a77fdc2aa3e1','writer',21,1795934306106);
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
INSERT INTO "icemelt_versions" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9',1,1,1795934297042,NULL,'CREATE','[]','writer','39695c47-7870-45c7-82b9-d810eaa978b3','800b914f-dc3f-455d-9d91-ebf295a9def5',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9/metadata/00000-993c16f5-b8c9-40e7-9bad-dcd3616cc136.metadata.json');
INSERT INTO "icemelt_versions" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9',2,2,1795934302003,8161848495979758475,'INSERT','[[8161848495979758475, 1, "append", 0, 2]]','writer','e9cbc99c-2d4a-46da-b072-7005145d2e9c','e7780ae5-6d33-46e8-80c9-77b13c264d56',0,2,640,2,0,0,'{lake}/warehouse/events-82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9/metadata/00001-cc46c58c-13d6-4e42-a22e-ac3f73dab252.metadata.json');
INSERT INTO "icemelt_versions" VALUES('82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9',3,3,1795934305356,8405933221982511898,'DELETE','[[8405933221982511898, 2, "delete", 2, 0]]','writer','502fbe8f-417c-4b8d-951d-18296d142af1','f03ce04e-f63f-4712-b20d-97bc1ec92119',0,1,682,0,0,1,'{lake}/warehouse/events-82c0e4d2-6fb5-4600-8ba4-eb453c0ab0c9/metadata/00002-4a525ace-ce92-45c9-8928-eaee3d8715c9.metadata.json');
INSERT INTO "icemelt_versions" VALUES('0ad2cce5-2c44-485f-956e-8e9eb83f1bf4',1,5,1795934305698,NULL,'CREATE','[]','writer','0e690b74-0adf-40e9-89e2-68d74ac19fcb','fad1a661-da37-41cc-84bc-58e426dccf09',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-0ad2cce5-2c44-485f-956e-8e9eb83f1bf4/metadata/00000-ae1bb616-a2ad-46cf-b32c-70074b54a03a.metadata.json');
INSERT INTO "icemelt_versions" VALUES('ec13e80e-f3f6-414a-b349-deadf8969ed3',1,13,1795934305827,NULL,'CREATE','[]','writer','a0907f7d-efb4-4402-bdab-9e115c68332b','eb088fb1-619a-4a92-b699-02a578f52ffe',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-ec13e80e-f3f6-414a-b349-deadf8969ed3/metadata/00000-aefe1577-ba92-4721-8c9a-9d8fbced6567.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3316546d-7e44-416b-aca0-6f1040a320fc',1,18,1795934306023,NULL,'CREATE','[]','writer','041374fa-3639-4e39-84bb-bc9cceb4beb4','c1ddd361-38e5-4b96-b6ea-0be4e01affa1',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-3316546d-7e44-416b-aca0-6f1040a320fc/metadata/00000-b559b427-8803-41a8-a632-9219ff65a66e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('15f57dad-0d2a-4d76-af42-2d07ac8c5326',1,19,1795934306053,NULL,'CLONE','[]','writer','4a2de89a-9873-42e0-a19e-7577681e2c47','59084258-933b-455c-988d-95885cff9402',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-15f57dad-0d2a-4d76-af42-2d07ac8c5326/metadata/00000-e3c926ef-671d-460a-94c0-82f090acf2d0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('24b808ea-0a9c-49e9-b938-e0c3ce32d24b',1,20,1795934306092,NULL,'CREATE','[]','writer','6731d35f-8875-48bb-a7ad-4c7bcdb562f3','bd83572d-d671-42fa-b33e-6db26a2f7b4a',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-24b808ea-0a9c-49e9-b938-e0c3ce32d24b/metadata/00000-6cc22bc4-8975-47ea-9d4d-57fd4fa7e9d0.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('17f56a67-1f7f-4770-ae6c-70c294c0fe98','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
