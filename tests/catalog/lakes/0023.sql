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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-7dd84305-8d82-4e86-8265-80e69273a62a/metadata/00002-51488b33-0fc7-44b4-9f9d-cfeb8eb3a345.metadata.json','{lake}/warehouse/events-7dd84305-8d82-4e86-8265-80e69273a62a/metadata/00001-f39fbc75-28d4-473d-902e-be7047bbf089.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-125f15c1-d8fb-4062-b55a-7fd671a04756/metadata/00000-eb346f03-79d8-4c35-a322-84d41d1c1561.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-49a3a8c7-941d-42e2-ae36-f1438a4bf0d7/metadata/00000-459439bb-f997-4281-b7ba-2b811623a7af.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-3cfaa922-00b5-4a8e-a870-2cd22b8cd077/metadata/00000-9a553da3-9fab-4fcc-8389-903829b330aa.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-29eafcd4-84ec-4be3-88f1-88849fa20e29/metadata/00000-0a7503aa-ca15-4ed5-8d50-0a659e03f589.metadata.json','{lake}/warehouse/model-29eafcd4-84ec-4be3-88f1-88849fa20e29/metadata/00000-6a43411b-e5f5-46f6-9f28-771c372ba23a.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-26068598-e790-4889-804b-969ae81c32a3/metadata/00000-1ce6934f-376e-46e3-9bc2-805a6941c599.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('1a080bd5-f20b-4222-a3d5-9c477e4196f4','3cfaa922-00b5-4a8e-a870-2cd22b8cd077','first','writer',1795954638326,1795954638326,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('5461b256-d3a9-481e-94f6-b6e7bf5403b5','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('fb94fc3e-8a2d-49b3-a636-e59b7a49d061','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('0a423188-52bd-4963-8159-47e44f37f66e','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "3cfaa922-00b5-4a8e-a870-2cd22b8cd077", "stage": ["main", "other", "landing"], "stage_id": "fb94fc3e-8a2d-49b3-a636-e59b7a49d061", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('de16452f-e94d-42a5-af16-a70af5b86028','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null, "written_by": "writer"}');
INSERT INTO "icemelt_definitions" VALUES('a2ab651b-6262-4ba7-85e8-196f0abf6c5b','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null, "written_by": "writer"}');
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
INSERT INTO "icemelt_dependencies" VALUES('7425fc1f-16b3-477b-be79-a6dfbfd89275',0,'BY_ID','125f15c1-d8fb-4062-b55a-7fd671a04756',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('49a3a8c7-941d-42e2-ae36-f1438a4bf0d7',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('794b901b-9b3e-482a-a7e6-e7de5ba599f7',0,'BY_ID','125f15c1-d8fb-4062-b55a-7fd671a04756',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('7425fc1f-16b3-477b-be79-a6dfbfd89275',0,'125f15c1-d8fb-4062-b55a-7fd671a04756','table','1@7',0,8,1795954638115);
INSERT INTO "icemelt_frontiers" VALUES('794b901b-9b3e-482a-a7e6-e7de5ba599f7',0,'125f15c1-d8fb-4062-b55a-7fd671a04756','table','1@11',0,12,1795954638200);
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
INSERT INTO "icemelt_lake" VALUES(1,'9ddfa3f5-0b09-42c6-9e80-291b400edfe7','icemelt','{lake}/warehouse',21,1795954638321,0);
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
INSERT INTO "icemelt_migrations" VALUES('0023');
CREATE TABLE icemelt_next_values (
	owner_id VARCHAR(36) NOT NULL, 
	field_id INTEGER NOT NULL, 
	next_value BIGINT, 
	CONSTRAINT pk_icemelt_next_values PRIMARY KEY (owner_id, field_id)
);
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
INSERT INTO "icemelt_objects" VALUES('77a31354-b5c4-4e10-8dbf-bd15dc08af15','database',NULL,'main','main','',NULL,1795954626633,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('005b44fe-f242-471e-98d5-e8fd2c2c4d8c','schema','77a31354-b5c4-4e10-8dbf-bd15dc08af15','public','public','',NULL,1795954626633,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a','table','005b44fe-f242-471e-98d5-e8fd2c2c4d8c','events','events','writer','with a history',1795954634363,NULL,NULL,NULL,NULL,NULL,'main.public','events','a55501e0-62e6-4ab9-b177-2d2edabc816b','{lake}/warehouse/events-7dd84305-8d82-4e86-8265-80e69273a62a/metadata/00002-51488b33-0fc7-44b4-9f9d-cfeb8eb3a345.metadata.json',3,7748790338608728097,'');
INSERT INTO "icemelt_objects" VALUES('9bf02d25-e669-4342-a570-e658a2766dec','schema','77a31354-b5c4-4e10-8dbf-bd15dc08af15','other','other','writer',NULL,1795954637864,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('125f15c1-d8fb-4062-b55a-7fd671a04756','table','9bf02d25-e669-4342-a570-e658a2766dec','empty','empty','writer',NULL,1795954638064,NULL,NULL,NULL,NULL,NULL,'main.other','empty','2d8a9cab-d9cc-4c35-a561-f1a788aad82a','{lake}/warehouse/empty-125f15c1-d8fb-4062-b55a-7fd671a04756/metadata/00000-eb346f03-79d8-4c35-a322-84d41d1c1561.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('7425fc1f-16b3-477b-be79-a6dfbfd89275','stream','9bf02d25-e669-4342-a570-e658a2766dec','watched','watched','writer',NULL,1795954638115,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('49a3a8c7-941d-42e2-ae36-f1438a4bf0d7','view','9bf02d25-e669-4342-a570-e658a2766dec','shown','shown','writer',NULL,1795954638181,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-49a3a8c7-941d-42e2-ae36-f1438a4bf0d7/metadata/00000-459439bb-f997-4281-b7ba-2b811623a7af.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('5461b256-d3a9-481e-94f6-b6e7bf5403b5','file format','9bf02d25-e669-4342-a570-e658a2766dec','semicolons','semicolons','writer',NULL,1795954638188,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('fb94fc3e-8a2d-49b3-a636-e59b7a49d061','stage','9bf02d25-e669-4342-a570-e658a2766dec','landing','landing','writer','where files arrive',1795954638195,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('794b901b-9b3e-482a-a7e6-e7de5ba599f7','stream','9bf02d25-e669-4342-a570-e658a2766dec','rows','rows','writer',NULL,1795954638200,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('3cfaa922-00b5-4a8e-a870-2cd22b8cd077','table','9bf02d25-e669-4342-a570-e658a2766dec','kept','kept','writer',NULL,1795954638216,NULL,NULL,NULL,NULL,NULL,'main.other','kept','2f354247-ec6d-42b1-9b71-7803761b17ca','{lake}/warehouse/kept-3cfaa922-00b5-4a8e-a870-2cd22b8cd077/metadata/00000-9a553da3-9fab-4fcc-8389-903829b330aa.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('0a423188-52bd-4963-8159-47e44f37f66e','pipe','9bf02d25-e669-4342-a570-e658a2766dec','arriving','arriving','writer','every file once',1795954638232,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('de16452f-e94d-42a5-af16-a70af5b86028','task','9bf02d25-e669-4342-a570-e658a2766dec','nightly','nightly','writer',NULL,1795954638243,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('a2ab651b-6262-4ba7-85e8-196f0abf6c5b','task','9bf02d25-e669-4342-a570-e658a2766dec','model','model','writer',NULL,1795954638253,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('29eafcd4-84ec-4be3-88f1-88849fa20e29','table','9bf02d25-e669-4342-a570-e658a2766dec','model','model','writer',NULL,1795954638280,NULL,NULL,NULL,NULL,NULL,'main.other','model','28a9b0f2-fbdc-4889-82a8-3d2b02ff94de','{lake}/warehouse/model-29eafcd4-84ec-4be3-88f1-88849fa20e29/metadata/00000-0a7503aa-ca15-4ed5-8d50-0a659e03f589.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('26068598-e790-4889-804b-969ae81c32a3','table','9bf02d25-e669-4342-a570-e658a2766dec','twin','twin','writer',NULL,1795954638292,NULL,NULL,NULL,NULL,NULL,'main.other','twin','a4a0b16b-bcbd-4898-bb3a-aaef6180a198','{lake}/warehouse/twin-26068598-e790-4889-804b-969ae81c32a3/metadata/00000-1ce6934f-376e-46e3-9bc2-805a6941c599.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('886e1f09-b987-48a0-8df4-18aaa03da98b','table','9bf02d25-e669-4342-a570-e658a2766dec','gone','gone','writer',NULL,1795954638313,1795954638321,'df822383-6c78-489b-9706-b3f44975b326',NULL,NULL,NULL,'main.other','gone','3f7f7f0e-eb30-435d-bf6f-9fc662ce6923','{lake}/warehouse/gone-886e1f09-b987-48a0-8df4-18aaa03da98b/metadata/00000-a2e7123e-1b3d-42f1-a281-cbb74f627a29.metadata.json',1,NULL,'');
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
INSERT INTO "icemelt_sequences" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a',2,1,1795954636645);
INSERT INTO "icemelt_sequences" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a',3,2,1795954637857);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('29eafcd4-84ec-4be3-88f1-88849fa20e29','29eafcd4-84ec-4be3-88f1-88849fa20e29','{lake}/warehouse/model-29eafcd4-84ec-4be3-88f1-88849fa20e29',NULL);
INSERT INTO "icemelt_sharing" VALUES('26068598-e790-4889-804b-969ae81c32a3','29eafcd4-84ec-4be3-88f1-88849fa20e29','{lake}/warehouse/twin-26068598-e790-4889-804b-969ae81c32a3',NULL);
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
INSERT INTO "icemelt_statements" VALUES('314fc378-6ed3-40ad-b197-b91952619ab2','e6a532b0-b9de-4175-9301-3f9a02d40ca0','9704bd57-6c27-49b7-9a04-c7c56fcc717b','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795954634165,1795954634361,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('0b3ad386-d490-4c11-81df-9009803ca900','e6a532b0-b9de-4175-9301-3f9a02d40ca0','35cb840a-ba12-4d9f-9814-b44748295d4d','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795954634378,1795954636645,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('7eb3e550-1233-4466-9867-08db7573c334','e6a532b0-b9de-4175-9301-3f9a02d40ca0','8fd5e79f-3dfb-4c9d-bc26-17f0f734b86a','writer','DELETE FROM events WHERE id = 1','DELETE',1795954636650,1795954637855,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('48a3b1ce-d477-4779-8ad6-9801265848a4','e6a532b0-b9de-4175-9301-3f9a02d40ca0','7bbf8542-eaca-42ee-86bf-3f443a011b38','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795954637859,1795954637862,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('60be097d-a17a-4776-a68a-a2f4ee0b5997','e6a532b0-b9de-4175-9301-3f9a02d40ca0','e8aa9bf3-be39-4ca7-9b25-8f253a8c6852','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795954637865,1795954638062,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('fe85d074-3be2-4c9a-8afe-4c566019bfa8','e6a532b0-b9de-4175-9301-3f9a02d40ca0','6f67f6b3-853c-4952-8036-76aa7a37903e','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795954638067,1795954638093,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('62071f60-bf0f-464e-84cf-454083780268','e6a532b0-b9de-4175-9301-3f9a02d40ca0','d24a4c76-36a2-45a1-80cb-4df0c12a3a07','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795954638098,1795954638108,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('ff71b72d-bb73-4f7e-9a5b-86ef621a8c98','e6a532b0-b9de-4175-9301-3f9a02d40ca0','0c2dace9-c5c1-4c9b-84cc-4d8964fb7624','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795954638111,1795954638116,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2c0a22cb-ac01-43ae-be28-ce04edc9318e','e6a532b0-b9de-4175-9301-3f9a02d40ca0','2765a6ac-0ba0-4df6-be3a-bfa036494fb4','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795954638120,1795954638179,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('fcb58737-732f-42b8-abec-c887001d2f8e','e6a532b0-b9de-4175-9301-3f9a02d40ca0','bfe6a5a5-a372-4e99-90f7-5c4c0db6819d','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795954638184,1795954638187,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('cfad6440-4915-49e1-a15b-d1cdb8283d66','e6a532b0-b9de-4175-9301-3f9a02d40ca0','901459ab-2357-4f2e-a637-4c5aa4ab0d0c','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795954638190,1795954638194,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9c5afec1-ce97-45c5-8912-ceb07d28dda6','e6a532b0-b9de-4175-9301-3f9a02d40ca0','bfe4bcde-f94e-47d0-84c0-3b1c68dc9f9d','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795954638196,1795954638199,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('27f491b2-f70a-45b5-a341-4d7bb6baad1e','e6a532b0-b9de-4175-9301-3f9a02d40ca0','c398074d-6760-4166-b1ee-34b3927fddb6','writer','CREATE TABLE kept (id INT)','CREATE',1795954638201,1795954638214,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('12f3e889-c279-4228-b58d-bfdd5e431707','e6a532b0-b9de-4175-9301-3f9a02d40ca0','86ee4f53-9598-4d8b-af78-2c8db4501e27','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795954638221,1795954638233,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('79af0ac6-d421-4a53-82a1-4d4e5bfa21c9','e6a532b0-b9de-4175-9301-3f9a02d40ca0','b7f9dc5e-bc7f-4fc4-b5fc-a9fc2c95df4a','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795954638235,1795954638242,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('a8955b41-f468-494d-be4c-4fe2014a3fcc','e6a532b0-b9de-4175-9301-3f9a02d40ca0','44ebc2f4-251b-4e54-a0a1-e051a7604c4b','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795954638247,1795954638252,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('6f78f596-96bb-4984-8701-6a870943efc6','e6a532b0-b9de-4175-9301-3f9a02d40ca0','59ad4bf6-b14b-4add-8d48-2c5419754857','writer','EXECUTE TASK nightly USING CONFIG = ''{"at": "night"}''','EXECUTE',1795954638258,1795954638262,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('aaaa917a-3658-472c-a0bd-e60b1589918f','e6a532b0-b9de-4175-9301-3f9a02d40ca0','08e9c5c7-8206-4452-806d-94af73a560d6','writer','CREATE TABLE model (id INT)','CREATE',1795954638267,1795954638279,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('18e75bb1-b16b-4743-b9e2-967f7abc1b4c','e6a532b0-b9de-4175-9301-3f9a02d40ca0','236cd432-4234-48cf-9599-c4bcdea45fef','writer','CREATE TABLE twin CLONE model','CREATE',1795954638285,1795954638291,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('02fccaae-3956-4219-b19c-6bc8d1285fdd','e6a532b0-b9de-4175-9301-3f9a02d40ca0','63b9cea2-f9b6-45c1-8c24-a6a454796944','writer','CREATE TABLE gone (id INT)','CREATE',1795954638298,1795954638312,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('76117e38-1f10-40b5-a6fc-da2016425a1f','e6a532b0-b9de-4175-9301-3f9a02d40ca0','705d6d10-2c19-4311-838d-94022db241c6','writer','DROP TABLE gone','DROP',1795954638318,1795954638321,'succeeded',21,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('7425fc1f-16b3-477b-be79-a6dfbfd89275','table','125f15c1-d8fb-4062-b55a-7fd671a04756','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('794b901b-9b3e-482a-a7e6-e7de5ba599f7','table','125f15c1-d8fb-4062-b55a-7fd671a04756','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_task_graph_versions (
	root_id VARCHAR(36) NOT NULL, 
	number BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	tasks JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graph_versions PRIMARY KEY (root_id, number), 
	CONSTRAINT fk_icemelt_task_graph_versions_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graph_versions" VALUES('de16452f-e94d-42a5-af16-a70af5b86028',2,'d80ced64afb2df112adc72f01d96e1cb4c43654f7fa762b4e200d674ab93d006','[{"name": "nightly", "schema": "main.other", "schedule": ["0 3 * * *", "UTC"], "object_id": "de16452f-e94d-42a5-af16-a70af5b86028", "owner": "writer", "body": "INSERT INTO kept VALUES (1)", "written_by": "writer"}, {"name": "model", "schema": "main.other", "predecessors": ["nightly"], "object_id": "a2ab651b-6262-4ba7-85e8-196f0abf6c5b", "owner": "writer", "body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "written_by": "writer"}]');
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
INSERT INTO "icemelt_task_graphs" VALUES('de16452f-e94d-42a5-af16-a70af5b86028','9bf02d25-e669-4342-a570-e658a2766dec',3,1795954638265,NULL,NULL,0,NULL,2,'d80ced64afb2df112adc72f01d96e1cb4c43654f7fa762b4e200d674ab93d006','{"graph": 2, "anchor": 1795954638245000, "handled_until": 1795954638245000, "active": [{"id": 1, "version": 2, "origin": "EXECUTE TASK", "scheduled_at": 1795954638265000, "attempt": 1, "config": "{\"at\": \"night\"}", "task_runs": [["nightly", 1, "SCHEDULED", 1795954638265000, null, null, null, null, null, null]]}], "queued": null, "last_ended": null, "last_success": null, "failures": 0, "news": 1, "seen_news": 0, "last_look": null, "next_run_id": 2, "next_token": 1}');
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
INSERT INTO "icemelt_task_runs" VALUES('de16452f-e94d-42a5-af16-a70af5b86028',1,'nightly',1,'de16452f-e94d-42a5-af16-a70af5b86028','nightly','nightly','nightly','main','other',2,'EXECUTE TASK','SCHEDULED',1795954638265,1795954638265,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'INSERT INTO kept VALUES (1)',NULL,'{"at": "night"}',NULL);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('125f15c1-d8fb-4062-b55a-7fd671a04756',5,6);
INSERT INTO "icemelt_tracking" VALUES('125f15c1-d8fb-4062-b55a-7fd671a04756',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('3cfaa922-00b5-4a8e-a870-2cd22b8cd077',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('29eafcd4-84ec-4be3-88f1-88849fa20e29',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('26068598-e790-4889-804b-969ae81c32a3',19,NULL);
INSERT INTO "icemelt_tracking" VALUES('886e1f09-b987-48a0-8df4-18aaa03da98b',20,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('9704bd57-6c27-49b7-9a04-c7c56fcc717b','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',1,1795954634363);
INSERT INTO "icemelt_transactions" VALUES('35cb840a-ba12-4d9f-9814-b44748295d4d','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',2,1795954636645);
INSERT INTO "icemelt_transactions" VALUES('8fd5e79f-3dfb-4c9d-bc26-17f0f734b86a','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',3,1795954637857);
INSERT INTO "icemelt_transactions" VALUES('7bbf8542-eaca-42ee-86bf-3f443a011b38','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',4,1795954637864);
INSERT INTO "icemelt_transactions" VALUES('e8aa9bf3-be39-4ca7-9b25-8f253a8c6852','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',5,1795954638064);
INSERT INTO "icemelt_transactions" VALUES('6f67f6b3-853c-4952-8036-76aa7a37903e','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',6,1795954638094);
INSERT INTO "icemelt_transactions" VALUES('d24a4c76-36a2-45a1-80cb-4df0c12a3a07','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',7,1795954638108);
INSERT INTO "icemelt_transactions" VALUES('0c2dace9-c5c1-4c9b-84cc-4d8964fb7624','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',8,1795954638115);
INSERT INTO "icemelt_transactions" VALUES('2765a6ac-0ba0-4df6-be3a-bfa036494fb4','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',9,1795954638181);
INSERT INTO "icemelt_transactions" VALUES('bfe6a5a5-a372-4e99-90f7-5c4c0db6819d','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',10,1795954638188);
INSERT INTO "icemelt_transactions" VALUES('901459ab-2357-4f2e-a637-4c5aa4ab0d0c','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',11,1795954638195);
INSERT INTO "icemelt_transactions" VALUES('bfe4bcde-f94e-47d0-84c0-3b1c68dc9f9d','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',12,1795954638200);
INSERT INTO "icemelt_transactions" VALUES('c398074d-6760-4166-b1ee-34b3927fddb6','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',13,1795954638216);
INSERT INTO "icemelt_transactions" VALUES('86ee4f53-9598-4d8b-af78-2c8db4501e27','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',14,1795954638232);
INSERT INTO "icemelt_transactions" VALUES('b7f9dc5e-bc7f-4fc4-b5fc-a9fc2c95df4a','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',15,1795954638243);
INSERT INTO "icemelt_transactions" VALUES('44ebc2f4-251b-4e54-a0a1-e051a7604c4b','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',16,1795954638253);
INSERT INTO "icemelt_transactions" VALUES('59ad4bf6-b14b-4add-8d48-2c5419754857','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',17,1795954638264);
INSERT INTO "icemelt_transactions" VALUES('08e9c5c7-8206-4452-806d-94af73a560d6','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',18,1795954638280);
INSERT INTO "icemelt_transactions" VALUES('236cd432-4234-48cf-9599-c4bcdea45fef','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',19,1795954638292);
INSERT INTO "icemelt_transactions" VALUES('63b9cea2-f9b6-45c1-8c24-a6a454796944','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',20,1795954638313);
INSERT INTO "icemelt_transactions" VALUES('705d6d10-2c19-4311-838d-94022db241c6','e6a532b0-b9de-4175-9301-3f9a02d40ca0','writer',21,1795954638321);
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
INSERT INTO "icemelt_versions" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a',1,1,1795954634363,NULL,'CREATE','[]','writer','314fc378-6ed3-40ad-b197-b91952619ab2','9704bd57-6c27-49b7-9a04-c7c56fcc717b',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-7dd84305-8d82-4e86-8265-80e69273a62a/metadata/00000-bec2509b-7291-47fa-b8c8-317d44f187b7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a',2,2,1795954636645,2234413114313359538,'INSERT','[[2234413114313359538, 1, "append", 0, 2]]','writer','0b3ad386-d490-4c11-81df-9009803ca900','35cb840a-ba12-4d9f-9814-b44748295d4d',0,2,640,2,0,0,'{lake}/warehouse/events-7dd84305-8d82-4e86-8265-80e69273a62a/metadata/00001-f39fbc75-28d4-473d-902e-be7047bbf089.metadata.json');
INSERT INTO "icemelt_versions" VALUES('7dd84305-8d82-4e86-8265-80e69273a62a',3,3,1795954637857,7748790338608728097,'DELETE','[[7748790338608728097, 2, "delete", 2, 0]]','writer','7eb3e550-1233-4466-9867-08db7573c334','8fd5e79f-3dfb-4c9d-bc26-17f0f734b86a',0,1,682,0,0,1,'{lake}/warehouse/events-7dd84305-8d82-4e86-8265-80e69273a62a/metadata/00002-51488b33-0fc7-44b4-9f9d-cfeb8eb3a345.metadata.json');
INSERT INTO "icemelt_versions" VALUES('125f15c1-d8fb-4062-b55a-7fd671a04756',1,5,1795954638064,NULL,'CREATE','[]','writer','60be097d-a17a-4776-a68a-a2f4ee0b5997','e8aa9bf3-be39-4ca7-9b25-8f253a8c6852',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-125f15c1-d8fb-4062-b55a-7fd671a04756/metadata/00000-eb346f03-79d8-4c35-a322-84d41d1c1561.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3cfaa922-00b5-4a8e-a870-2cd22b8cd077',1,13,1795954638216,NULL,'CREATE','[]','writer','27f491b2-f70a-45b5-a341-4d7bb6baad1e','c398074d-6760-4166-b1ee-34b3927fddb6',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-3cfaa922-00b5-4a8e-a870-2cd22b8cd077/metadata/00000-9a553da3-9fab-4fcc-8389-903829b330aa.metadata.json');
INSERT INTO "icemelt_versions" VALUES('29eafcd4-84ec-4be3-88f1-88849fa20e29',1,18,1795954638280,NULL,'CREATE','[]','writer','aaaa917a-3658-472c-a0bd-e60b1589918f','08e9c5c7-8206-4452-806d-94af73a560d6',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-29eafcd4-84ec-4be3-88f1-88849fa20e29/metadata/00000-0a7503aa-ca15-4ed5-8d50-0a659e03f589.metadata.json');
INSERT INTO "icemelt_versions" VALUES('26068598-e790-4889-804b-969ae81c32a3',1,19,1795954638292,NULL,'CLONE','[]','writer','18e75bb1-b16b-4743-b9e2-967f7abc1b4c','236cd432-4234-48cf-9599-c4bcdea45fef',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-26068598-e790-4889-804b-969ae81c32a3/metadata/00000-1ce6934f-376e-46e3-9bc2-805a6941c599.metadata.json');
INSERT INTO "icemelt_versions" VALUES('886e1f09-b987-48a0-8df4-18aaa03da98b',1,20,1795954638313,NULL,'CREATE','[]','writer','02fccaae-3956-4219-b19c-6bc8d1285fdd','63b9cea2-f9b6-45c1-8c24-a6a454796944',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-886e1f09-b987-48a0-8df4-18aaa03da98b/metadata/00000-a2e7123e-1b3d-42f1-a281-cbb74f627a29.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('49a3a8c7-941d-42e2-ae36-f1438a4bf0d7','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
