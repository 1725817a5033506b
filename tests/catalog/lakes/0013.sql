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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-1492badd-e457-49c3-b409-9118f7e212be/metadata/00002-2ec0d876-da03-4376-b07d-2c2541003ce8.metadata.json','{lake}/warehouse/events-1492badd-e457-49c3-b409-9118f7e212be/metadata/00001-e36874dd-6d16-4964-acb7-6e61e03b0a34.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-11b55125-9b8c-4d3b-ae72-9f1a63c3517d/metadata/00000-de86ab6d-276b-4dcd-a384-aadf05521b24.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-1cd7173b-434b-4574-944e-1b4aad6b3545/metadata/00000-60172e89-f198-4447-813c-4630b4b1fa1e.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-039885dd-96e5-4589-a65c-05906b9a2eac/metadata/00000-dc7b667f-3c60-4e6d-9cc4-0b56d3e92681.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('c8d32567-7883-41d4-be40-be40c6c8bb25','039885dd-96e5-4589-a65c-05906b9a2eac','first','writer',1795881426643,1795881426643,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('360bd25e-491b-47d8-b381-a67eb0f6684d','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('8044bc62-21e2-4b78-9ae7-ac41e12ace8a','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('4dbde94d-224d-4039-9bf2-59c2c5b089cb',0,'BY_ID','11b55125-9b8c-4d3b-ae72-9f1a63c3517d',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('1cd7173b-434b-4574-944e-1b4aad6b3545',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('60cba49f-9c1e-4f2f-a256-8d2aa696ec77',0,'BY_ID','11b55125-9b8c-4d3b-ae72-9f1a63c3517d',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('4dbde94d-224d-4039-9bf2-59c2c5b089cb',0,'11b55125-9b8c-4d3b-ae72-9f1a63c3517d','table','1@7',0,8,1795881426562);
INSERT INTO "icemelt_frontiers" VALUES('60cba49f-9c1e-4f2f-a256-8d2aa696ec77',0,'11b55125-9b8c-4d3b-ae72-9f1a63c3517d','table','1@11',0,12,1795881426618);
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
INSERT INTO "icemelt_lake" VALUES(1,'44d5c9a3-f6cd-4d8a-84e6-d4652ad54ab6','icemelt','{lake}/warehouse',15,1795881426637,0);
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
	statement_id VARCHAR(36) NOT NULL, 
	CONSTRAINT pk_icemelt_loads PRIMARY KEY (table_id, path), 
	CONSTRAINT fk_icemelt_loads_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_migrations (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT icemelt_migrations_pkc PRIMARY KEY (version_num)
);
INSERT INTO "icemelt_migrations" VALUES('0013');
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
INSERT INTO "icemelt_objects" VALUES('eebea876-0bab-4383-907d-0b4f9002a305','database',NULL,'main','main','',NULL,1795881417505,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('021199ea-8e29-4e3c-86d2-44aa57c8e47a','schema','eebea876-0bab-4383-907d-0b4f9002a305','public','public','',NULL,1795881417505,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1492badd-e457-49c3-b409-9118f7e212be','table','021199ea-8e29-4e3c-86d2-44aa57c8e47a','events','events','writer','with a history',1795881421695,NULL,NULL,NULL,NULL,NULL,'main.public','events','2ec11bdf-be1a-4fb0-ab45-f028944347e8','{lake}/warehouse/events-1492badd-e457-49c3-b409-9118f7e212be/metadata/00002-2ec0d876-da03-4376-b07d-2c2541003ce8.metadata.json',3,505705514755463389);
INSERT INTO "icemelt_objects" VALUES('37035c49-772a-4a6d-b0b9-2963a9f1773c','schema','eebea876-0bab-4383-907d-0b4f9002a305','other','other','writer',NULL,1795881426312,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('11b55125-9b8c-4d3b-ae72-9f1a63c3517d','table','37035c49-772a-4a6d-b0b9-2963a9f1773c','empty','empty','writer',NULL,1795881426536,NULL,NULL,NULL,NULL,NULL,'main.other','empty','9a8f55b1-2742-4e7c-b513-584e5fbfde28','{lake}/warehouse/empty-11b55125-9b8c-4d3b-ae72-9f1a63c3517d/metadata/00000-de86ab6d-276b-4dcd-a384-aadf05521b24.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('4dbde94d-224d-4039-9bf2-59c2c5b089cb','stream','37035c49-772a-4a6d-b0b9-2963a9f1773c','watched','watched','writer',NULL,1795881426562,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1cd7173b-434b-4574-944e-1b4aad6b3545','view','37035c49-772a-4a6d-b0b9-2963a9f1773c','shown','shown','writer',NULL,1795881426604,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-1cd7173b-434b-4574-944e-1b4aad6b3545/metadata/00000-60172e89-f198-4447-813c-4630b4b1fa1e.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('360bd25e-491b-47d8-b381-a67eb0f6684d','file format','37035c49-772a-4a6d-b0b9-2963a9f1773c','semicolons','semicolons','writer',NULL,1795881426610,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8044bc62-21e2-4b78-9ae7-ac41e12ace8a','stage','37035c49-772a-4a6d-b0b9-2963a9f1773c','landing','landing','writer','where files arrive',1795881426615,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('60cba49f-9c1e-4f2f-a256-8d2aa696ec77','stream','37035c49-772a-4a6d-b0b9-2963a9f1773c','rows','rows','writer',NULL,1795881426618,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('039885dd-96e5-4589-a65c-05906b9a2eac','table','37035c49-772a-4a6d-b0b9-2963a9f1773c','kept','kept','writer',NULL,1795881426625,NULL,NULL,NULL,NULL,NULL,'main.other','kept','1a8d1810-17db-4973-9ea3-6c790e7bd38a','{lake}/warehouse/kept-039885dd-96e5-4589-a65c-05906b9a2eac/metadata/00000-dc7b667f-3c60-4e6d-9cc4-0b56d3e92681.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('1212aff8-3c54-48e9-8f36-d64875bd965e','table','37035c49-772a-4a6d-b0b9-2963a9f1773c','gone','gone','writer',NULL,1795881426633,1795881426637,'66d4a0aa-9684-42a0-afac-c5323065ac4f',NULL,NULL,NULL,'main.other','gone','da023841-a0e2-4b44-a248-76ac0e2d321e','{lake}/warehouse/gone-1212aff8-3c54-48e9-8f36-d64875bd965e/metadata/00000-eb98fc76-97e0-4122-85c1-944d708ad587.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('1492badd-e457-49c3-b409-9118f7e212be',2,1,1795881423937);
INSERT INTO "icemelt_sequences" VALUES('1492badd-e457-49c3-b409-9118f7e212be',3,2,1795881426305);
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
	error_message TEXT, key_id VARCHAR(36), 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('fb364f28-ee1b-466e-b58f-1d9c9af4cec6','b30b5158-7d9b-4632-9464-797809825d45','6ed6b7b0-7b7f-4e6f-af06-096ddad15694','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795881421544,1795881421694,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6a4e00cb-bff5-4f87-bf61-d1592d930aff','b30b5158-7d9b-4632-9464-797809825d45','6c506b54-a477-4d02-b3ce-4a33ca927493','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795881421704,1795881423935,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('addaca49-5750-4ce8-83d8-669aa049c9b1','b30b5158-7d9b-4632-9464-797809825d45','22d72b0e-8824-40ca-a9e6-5b0f44eb6d79','writer','DELETE FROM events WHERE id = 1','DELETE',1795881423952,1795881426303,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ac59f8c9-d450-4169-9a98-c483d833e433','b30b5158-7d9b-4632-9464-797809825d45','165138c7-ab1b-4faf-9890-bfcc7ad68d1a','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795881426308,1795881426310,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('442501e6-61e3-4b1d-bd7f-17d7071265e5','b30b5158-7d9b-4632-9464-797809825d45','742e8443-a263-485f-bbad-f51de7090e9b','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795881426314,1795881426535,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c4981a65-97ae-409d-ace1-14f8ac503a6e','b30b5158-7d9b-4632-9464-797809825d45','421aa99c-7bf8-43b7-b076-5be048a4cadf','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795881426540,1795881426551,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f7defff1-8ff7-4fce-8bf7-e6d3db515b5d','b30b5158-7d9b-4632-9464-797809825d45','69021dae-2368-4566-b268-85646e502f34','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795881426553,1795881426557,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('343ea4cf-4987-4d02-a5c5-f23012afe4f1','b30b5158-7d9b-4632-9464-797809825d45','cb2e0cde-d65e-4243-bcbe-bd5be3454679','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795881426559,1795881426562,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('0224d4ca-2a6c-44b3-a80a-506da9f0ff9b','b30b5158-7d9b-4632-9464-797809825d45','b69b364d-7553-42c6-a814-aec8d5d686fa','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795881426566,1795881426604,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b680638e-0ae4-4a19-9d28-94e41a3ebba5','b30b5158-7d9b-4632-9464-797809825d45','ffebe5b7-40c3-494c-93d4-9455c4ec4a20','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795881426608,1795881426610,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('16deb93f-aef9-4bc9-91e3-deeed71d5679','b30b5158-7d9b-4632-9464-797809825d45','81edc113-5611-41cd-9377-b867b5d227ea','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795881426611,1795881426613,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2fcca6f6-429a-4950-94b4-0165fd6255b9','b30b5158-7d9b-4632-9464-797809825d45','52e963b6-fd7d-4d1b-b913-849de14de41d','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795881426616,1795881426618,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('135d97e1-4f84-42f9-abbd-87ef5c452d22','b30b5158-7d9b-4632-9464-797809825d45','69576106-ee7a-4d46-93ba-b02d4e2e5d84','writer','CREATE TABLE kept (id INT)','CREATE',1795881426619,1795881426624,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9d22ab2b-7ea6-4ef9-8c94-6bb67f399850','b30b5158-7d9b-4632-9464-797809825d45','53bb53f5-7fd9-4222-9a6d-7cc71cca3fea','writer','CREATE TABLE gone (id INT)','CREATE',1795881426628,1795881426633,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('3f25920f-6130-44f3-93c9-dafd358533b8','b30b5158-7d9b-4632-9464-797809825d45','74ecc8f3-4015-4dc8-918e-556f7720943f','writer','DROP TABLE gone','DROP',1795881426636,1795881426638,'succeeded',15,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('4dbde94d-224d-4039-9bf2-59c2c5b089cb','table','11b55125-9b8c-4d3b-ae72-9f1a63c3517d','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('60cba49f-9c1e-4f2f-a256-8d2aa696ec77','table','11b55125-9b8c-4d3b-ae72-9f1a63c3517d','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('1492badd-e457-49c3-b409-9118f7e212be',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('11b55125-9b8c-4d3b-ae72-9f1a63c3517d',5,6);
INSERT INTO "icemelt_tracking" VALUES('11b55125-9b8c-4d3b-ae72-9f1a63c3517d',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('039885dd-96e5-4589-a65c-05906b9a2eac',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('1212aff8-3c54-48e9-8f36-d64875bd965e',14,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('6ed6b7b0-7b7f-4e6f-af06-096ddad15694','b30b5158-7d9b-4632-9464-797809825d45','writer',1,1795881421695);
INSERT INTO "icemelt_transactions" VALUES('6c506b54-a477-4d02-b3ce-4a33ca927493','b30b5158-7d9b-4632-9464-797809825d45','writer',2,1795881423937);
INSERT INTO "icemelt_transactions" VALUES('22d72b0e-8824-40ca-a9e6-5b0f44eb6d79','b30b5158-7d9b-4632-9464-797809825d45','writer',3,1795881426305);
INSERT INTO "icemelt_transactions" VALUES('165138c7-ab1b-4faf-9890-bfcc7ad68d1a','b30b5158-7d9b-4632-9464-797809825d45','writer',4,1795881426312);
INSERT INTO "icemelt_transactions" VALUES('742e8443-a263-485f-bbad-f51de7090e9b','b30b5158-7d9b-4632-9464-797809825d45','writer',5,1795881426536);
INSERT INTO "icemelt_transactions" VALUES('421aa99c-7bf8-43b7-b076-5be048a4cadf','b30b5158-7d9b-4632-9464-797809825d45','writer',6,1795881426552);
INSERT INTO "icemelt_transactions" VALUES('69021dae-2368-4566-b268-85646e502f34','b30b5158-7d9b-4632-9464-797809825d45','writer',7,1795881426557);
INSERT INTO "icemelt_transactions" VALUES('cb2e0cde-d65e-4243-bcbe-bd5be3454679','b30b5158-7d9b-4632-9464-797809825d45','writer',8,1795881426562);
INSERT INTO "icemelt_transactions" VALUES('b69b364d-7553-42c6-a814-aec8d5d686fa','b30b5158-7d9b-4632-9464-797809825d45','writer',9,1795881426604);
INSERT INTO "icemelt_transactions" VALUES('ffebe5b7-40c3-494c-93d4-9455c4ec4a20','b30b5158-7d9b-4632-9464-797809825d45','writer',10,1795881426610);
INSERT INTO "icemelt_transactions" VALUES('81edc113-5611-41cd-9377-b867b5d227ea','b30b5158-7d9b-4632-9464-797809825d45','writer',11,1795881426615);
INSERT INTO "icemelt_transactions" VALUES('52e963b6-fd7d-4d1b-b913-849de14de41d','b30b5158-7d9b-4632-9464-797809825d45','writer',12,1795881426618);
INSERT INTO "icemelt_transactions" VALUES('69576106-ee7a-4d46-93ba-b02d4e2e5d84','b30b5158-7d9b-4632-9464-797809825d45','writer',13,1795881426625);
INSERT INTO "icemelt_transactions" VALUES('53bb53f5-7fd9-4222-9a6d-7cc71cca3fea','b30b5158-7d9b-4632-9464-797809825d45','writer',14,1795881426633);
INSERT INTO "icemelt_transactions" VALUES('74ecc8f3-4015-4dc8-918e-556f7720943f','b30b5158-7d9b-4632-9464-797809825d45','writer',15,1795881426637);
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
INSERT INTO "icemelt_versions" VALUES('1492badd-e457-49c3-b409-9118f7e212be',1,1,1795881421695,NULL,'CREATE','[]','writer','fb364f28-ee1b-466e-b58f-1d9c9af4cec6','6ed6b7b0-7b7f-4e6f-af06-096ddad15694',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-1492badd-e457-49c3-b409-9118f7e212be/metadata/00000-645686fc-570f-4af5-9bb4-17ccf0fa7ea4.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1492badd-e457-49c3-b409-9118f7e212be',2,2,1795881423937,1691990457266576501,'INSERT','[[1691990457266576501, 1, "append", 0, 2]]','writer','6a4e00cb-bff5-4f87-bf61-d1592d930aff','6c506b54-a477-4d02-b3ce-4a33ca927493',0,2,640,2,0,0,'{lake}/warehouse/events-1492badd-e457-49c3-b409-9118f7e212be/metadata/00001-e36874dd-6d16-4964-acb7-6e61e03b0a34.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1492badd-e457-49c3-b409-9118f7e212be',3,3,1795881426305,505705514755463389,'DELETE','[[505705514755463389, 2, "delete", 2, 0]]','writer','addaca49-5750-4ce8-83d8-669aa049c9b1','22d72b0e-8824-40ca-a9e6-5b0f44eb6d79',0,1,682,0,0,1,'{lake}/warehouse/events-1492badd-e457-49c3-b409-9118f7e212be/metadata/00002-2ec0d876-da03-4376-b07d-2c2541003ce8.metadata.json');
INSERT INTO "icemelt_versions" VALUES('11b55125-9b8c-4d3b-ae72-9f1a63c3517d',1,5,1795881426536,NULL,'CREATE','[]','writer','442501e6-61e3-4b1d-bd7f-17d7071265e5','742e8443-a263-485f-bbad-f51de7090e9b',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-11b55125-9b8c-4d3b-ae72-9f1a63c3517d/metadata/00000-de86ab6d-276b-4dcd-a384-aadf05521b24.metadata.json');
INSERT INTO "icemelt_versions" VALUES('039885dd-96e5-4589-a65c-05906b9a2eac',1,13,1795881426625,NULL,'CREATE','[]','writer','135d97e1-4f84-42f9-abbd-87ef5c452d22','69576106-ee7a-4d46-93ba-b02d4e2e5d84',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-039885dd-96e5-4589-a65c-05906b9a2eac/metadata/00000-dc7b667f-3c60-4e6d-9cc4-0b56d3e92681.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1212aff8-3c54-48e9-8f36-d64875bd965e',1,14,1795881426633,NULL,'CREATE','[]','writer','9d22ab2b-7ea6-4ef9-8c94-6bb67f399850','53bb53f5-7fd9-4222-9a6d-7cc71cca3fea',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-1212aff8-3c54-48e9-8f36-d64875bd965e/metadata/00000-eb98fc76-97e0-4122-85c1-944d708ad587.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('1cd7173b-434b-4574-944e-1b4aad6b3545','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
COMMIT;
