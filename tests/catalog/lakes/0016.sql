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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-870b7089-40f8-4a21-bd44-db14611ff9f0/metadata/00002-21bf061e-c8c4-4806-8f2d-c532d9bdd711.metadata.json','{lake}/warehouse/events-870b7089-40f8-4a21-bd44-db14611ff9f0/metadata/00001-534c3c2f-24b3-4c17-a478-55beeb8d02f6.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-6a5d6772-6f6d-4439-9688-a3aea3c71045/metadata/00000-7152cf64-b6ce-426f-aa95-db8693a0aeaf.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-5bde49d1-c391-4d23-bdc4-cf22160386bf/metadata/00000-791eac53-756b-4af9-930c-84fc457240ec.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-86b053a1-aa4d-427f-ad78-a9dce034cecf/metadata/00000-c19d0cf5-0e18-490c-8267-73dc2481db0d.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('802e1070-a3fa-4076-be9a-a2e5276fc2ee','86b053a1-aa4d-427f-ad78-a9dce034cecf','first','writer',1795879538025,1795879538025,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('921a69c9-7993-42dd-93fa-680ce4c17388','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('ffab0ab2-ea53-4ff6-b731-bb7d0a0cdf14','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('a51a94bf-2d0b-4413-a599-9497a11aca6c',0,'BY_ID','6a5d6772-6f6d-4439-9688-a3aea3c71045',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('5bde49d1-c391-4d23-bdc4-cf22160386bf',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('a411eb1a-75bf-4be7-ae9f-52e46ff02fb1',0,'BY_ID','6a5d6772-6f6d-4439-9688-a3aea3c71045',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('a51a94bf-2d0b-4413-a599-9497a11aca6c',0,'6a5d6772-6f6d-4439-9688-a3aea3c71045','table','1@7',0,8,1795879537955);
INSERT INTO "icemelt_frontiers" VALUES('a411eb1a-75bf-4be7-ae9f-52e46ff02fb1',0,'6a5d6772-6f6d-4439-9688-a3aea3c71045','table','1@11',0,12,1795879538004);
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
INSERT INTO "icemelt_lake" VALUES(1,'bae5c057-a890-42a0-9f69-62950eb1d225','icemelt','{lake}/warehouse',15,1795879538021,0);
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
INSERT INTO "icemelt_migrations" VALUES('0016');
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
INSERT INTO "icemelt_objects" VALUES('5b301989-ff97-4ede-a6c2-5672d1a98557','database',NULL,'main','main','',NULL,1795879531095,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ffb9c7ff-89d5-4c73-8127-faab25571c32','schema','5b301989-ff97-4ede-a6c2-5672d1a98557','public','public','',NULL,1795879531095,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0','table','ffb9c7ff-89d5-4c73-8127-faab25571c32','events','events','writer','with a history',1795879535081,NULL,NULL,NULL,NULL,NULL,'main.public','events','4a7c0f68-cded-40a3-b6d9-a052a07fa7ac','{lake}/warehouse/events-870b7089-40f8-4a21-bd44-db14611ff9f0/metadata/00002-21bf061e-c8c4-4806-8f2d-c532d9bdd711.metadata.json',3,4691407194030180326);
INSERT INTO "icemelt_objects" VALUES('6e0650ed-9b71-4322-b843-93909e0c251c','schema','5b301989-ff97-4ede-a6c2-5672d1a98557','other','other','writer',NULL,1795879537786,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('6a5d6772-6f6d-4439-9688-a3aea3c71045','table','6e0650ed-9b71-4322-b843-93909e0c251c','empty','empty','writer',NULL,1795879537922,NULL,NULL,NULL,NULL,NULL,'main.other','empty','de112c67-e95c-4a8b-ab74-fbc941fd94db','{lake}/warehouse/empty-6a5d6772-6f6d-4439-9688-a3aea3c71045/metadata/00000-7152cf64-b6ce-426f-aa95-db8693a0aeaf.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('a51a94bf-2d0b-4413-a599-9497a11aca6c','stream','6e0650ed-9b71-4322-b843-93909e0c251c','watched','watched','writer',NULL,1795879537955,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5bde49d1-c391-4d23-bdc4-cf22160386bf','view','6e0650ed-9b71-4322-b843-93909e0c251c','shown','shown','writer',NULL,1795879537990,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-5bde49d1-c391-4d23-bdc4-cf22160386bf/metadata/00000-791eac53-756b-4af9-930c-84fc457240ec.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('921a69c9-7993-42dd-93fa-680ce4c17388','file format','6e0650ed-9b71-4322-b843-93909e0c251c','semicolons','semicolons','writer',NULL,1795879537996,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ffab0ab2-ea53-4ff6-b731-bb7d0a0cdf14','stage','6e0650ed-9b71-4322-b843-93909e0c251c','landing','landing','writer','where files arrive',1795879537999,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('a411eb1a-75bf-4be7-ae9f-52e46ff02fb1','stream','6e0650ed-9b71-4322-b843-93909e0c251c','rows','rows','writer',NULL,1795879538004,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('86b053a1-aa4d-427f-ad78-a9dce034cecf','table','6e0650ed-9b71-4322-b843-93909e0c251c','kept','kept','writer',NULL,1795879538011,NULL,NULL,NULL,NULL,NULL,'main.other','kept','d65901af-1816-487b-8d31-3bcb286c1d4f','{lake}/warehouse/kept-86b053a1-aa4d-427f-ad78-a9dce034cecf/metadata/00000-c19d0cf5-0e18-490c-8267-73dc2481db0d.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('1656cf3f-6b2a-4303-ba2d-fa1d3265e9fb','table','6e0650ed-9b71-4322-b843-93909e0c251c','gone','gone','writer',NULL,1795879538018,1795879538021,'b9abc869-7c31-41b9-9760-74103581f0a8',NULL,NULL,NULL,'main.other','gone','9ac95a53-488a-44e5-9922-440ddb9c0119','{lake}/warehouse/gone-1656cf3f-6b2a-4303-ba2d-fa1d3265e9fb/metadata/00000-2d7c684b-8563-4b71-b23d-8e4258b2ec22.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0',2,1,1795879536790);
INSERT INTO "icemelt_sequences" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0',3,2,1795879537782);
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
	error_message TEXT, key_id VARCHAR(36), database_name VARCHAR(255), schema_name VARCHAR(255), 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('af00c7e6-5b5c-4e6c-ac71-0d57e4934b79','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','2f31d482-b86a-45a3-809e-d751dcb8b4a2','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795879534938,1795879535081,'succeeded',1,1,0,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('659888fe-3cf8-4141-862d-8165222f145c','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','26d9e430-7a17-46c8-a4f0-b31795eb4de2','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795879535094,1795879536789,'succeeded',2,1,2,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('a29f2d0d-dce0-4950-ab87-2fbae08cadc1','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','74fccc3a-8bf5-4147-a49d-a9da7f57ca60','writer','DELETE FROM events WHERE id = 1','DELETE',1795879536795,1795879537778,'succeeded',3,1,1,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('7881bf02-b05b-4c6c-8dff-6f1bc6e0d606','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','ab4721eb-cd2a-4325-8922-a1567fc4d401','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795879537784,1795879537786,'succeeded',4,1,0,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('e5f4b151-07fe-4695-99e8-9c37cce82166','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','2705024c-986b-4c66-93fa-438b7539004a','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795879537789,1795879537922,'succeeded',5,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('57bdb09b-1a47-429f-870c-0b413f7ea447','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','a202d1c3-4838-4e77-a606-b93998203b7c','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795879537927,1795879537940,'succeeded',6,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('840cf264-7c0d-46bf-92ae-876581f78dc8','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','2830277f-0db1-47ca-a327-bfc9e5f7ab92','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795879537942,1795879537950,'succeeded',7,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('832e6659-4eee-4d0e-8f7c-2ec784c84bf7','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','2d3b4083-c51a-4e4d-860e-cb8e18577696','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795879537951,1795879537954,'succeeded',8,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('50ed6f9a-6e7c-432d-b9d5-303836c7048a','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','3650b3a0-98fd-4b2a-8a06-2c6b567e25bf','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795879537957,1795879537988,'succeeded',9,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('5c3cc123-5d92-4cd2-addb-41ee661bafb5','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','3d9598dc-a318-4cd0-aa01-5cb554aa07f1','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795879537992,1795879537994,'succeeded',10,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('6efbc6ae-66c1-405f-bc81-2e52b23caece','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','309dd942-02ec-4b6c-b9df-7d9b3d9954c6','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795879537997,1795879537999,'succeeded',11,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('a8882235-3273-4525-81ef-e9d58c776bd2','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','110eeb02-f8ef-45dd-92d5-ffe70c3029ec','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795879538000,1795879538002,'succeeded',12,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('e924271d-bb24-4e86-b2b7-b1983f9ce712','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','0f7b963e-72c4-49fc-ae37-881bbc656d18','writer','CREATE TABLE kept (id INT)','CREATE',1795879538005,1795879538010,'succeeded',13,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('c11fb177-de74-4157-93bb-1869b3799a1b','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','630c1f70-1988-4927-b576-457a7df27c59','writer','CREATE TABLE gone (id INT)','CREATE',1795879538012,1795879538016,'succeeded',14,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('2c189116-bff9-4640-851c-a88893ed78e3','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','94136f9c-9840-409f-bfc3-a39cf98ff5a2','writer','DROP TABLE gone','DROP',1795879538019,1795879538020,'succeeded',15,1,0,NULL,NULL,NULL,'main','other');
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, source_version BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('a51a94bf-2d0b-4413-a599-9497a11aca6c','table','6a5d6772-6f6d-4439-9688-a3aea3c71045','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('a411eb1a-75bf-4be7-ae9f-52e46ff02fb1','table','6a5d6772-6f6d-4439-9688-a3aea3c71045','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('6a5d6772-6f6d-4439-9688-a3aea3c71045',5,6);
INSERT INTO "icemelt_tracking" VALUES('6a5d6772-6f6d-4439-9688-a3aea3c71045',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('86b053a1-aa4d-427f-ad78-a9dce034cecf',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('1656cf3f-6b2a-4303-ba2d-fa1d3265e9fb',14,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('2f31d482-b86a-45a3-809e-d751dcb8b4a2','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',1,1795879535081);
INSERT INTO "icemelt_transactions" VALUES('26d9e430-7a17-46c8-a4f0-b31795eb4de2','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',2,1795879536790);
INSERT INTO "icemelt_transactions" VALUES('74fccc3a-8bf5-4147-a49d-a9da7f57ca60','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',3,1795879537782);
INSERT INTO "icemelt_transactions" VALUES('ab4721eb-cd2a-4325-8922-a1567fc4d401','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',4,1795879537786);
INSERT INTO "icemelt_transactions" VALUES('2705024c-986b-4c66-93fa-438b7539004a','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',5,1795879537922);
INSERT INTO "icemelt_transactions" VALUES('a202d1c3-4838-4e77-a606-b93998203b7c','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',6,1795879537939);
INSERT INTO "icemelt_transactions" VALUES('2830277f-0db1-47ca-a327-bfc9e5f7ab92','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',7,1795879537950);
INSERT INTO "icemelt_transactions" VALUES('2d3b4083-c51a-4e4d-860e-cb8e18577696','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',8,1795879537955);
INSERT INTO "icemelt_transactions" VALUES('3650b3a0-98fd-4b2a-8a06-2c6b567e25bf','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',9,1795879537990);
INSERT INTO "icemelt_transactions" VALUES('3d9598dc-a318-4cd0-aa01-5cb554aa07f1','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',10,1795879537996);
INSERT INTO "icemelt_transactions" VALUES('309dd942-02ec-4b6c-b9df-7d9b3d9954c6','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',11,1795879537999);
INSERT INTO "icemelt_transactions" VALUES('110eeb02-f8ef-45dd-92d5-ffe70c3029ec','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',12,1795879538004);
INSERT INTO "icemelt_transactions" VALUES('0f7b963e-72c4-49fc-ae37-881bbc656d18','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',13,1795879538011);
INSERT INTO "icemelt_transactions" VALUES('630c1f70-1988-4927-b576-457a7df27c59','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',14,1795879538018);
INSERT INTO "icemelt_transactions" VALUES('94136f9c-9840-409f-bfc3-a39cf98ff5a2','b2ef6b8c-1df5-4170-abfb-caf85eeed9bd','writer',15,1795879538021);
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
INSERT INTO "icemelt_versions" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0',1,1,1795879535081,NULL,'CREATE','[]','writer','af00c7e6-5b5c-4e6c-ac71-0d57e4934b79','2f31d482-b86a-45a3-809e-d751dcb8b4a2',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-870b7089-40f8-4a21-bd44-db14611ff9f0/metadata/00000-e1b5f7b7-748d-478c-982f-699d5edd8d7e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0',2,2,1795879536790,7647798586154953494,'INSERT','[[7647798586154953494, 1, "append", 0, 2]]','writer','659888fe-3cf8-4141-862d-8165222f145c','26d9e430-7a17-46c8-a4f0-b31795eb4de2',0,2,640,2,0,0,'{lake}/warehouse/events-870b7089-40f8-4a21-bd44-db14611ff9f0/metadata/00001-534c3c2f-24b3-4c17-a478-55beeb8d02f6.metadata.json');
INSERT INTO "icemelt_versions" VALUES('870b7089-40f8-4a21-bd44-db14611ff9f0',3,3,1795879537782,4691407194030180326,'DELETE','[[4691407194030180326, 2, "delete", 2, 0]]','writer','a29f2d0d-dce0-4950-ab87-2fbae08cadc1','74fccc3a-8bf5-4147-a49d-a9da7f57ca60',0,1,682,0,0,1,'{lake}/warehouse/events-870b7089-40f8-4a21-bd44-db14611ff9f0/metadata/00002-21bf061e-c8c4-4806-8f2d-c532d9bdd711.metadata.json');
INSERT INTO "icemelt_versions" VALUES('6a5d6772-6f6d-4439-9688-a3aea3c71045',1,5,1795879537922,NULL,'CREATE','[]','writer','e5f4b151-07fe-4695-99e8-9c37cce82166','2705024c-986b-4c66-93fa-438b7539004a',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-6a5d6772-6f6d-4439-9688-a3aea3c71045/metadata/00000-7152cf64-b6ce-426f-aa95-db8693a0aeaf.metadata.json');
INSERT INTO "icemelt_versions" VALUES('86b053a1-aa4d-427f-ad78-a9dce034cecf',1,13,1795879538011,NULL,'CREATE','[]','writer','e924271d-bb24-4e86-b2b7-b1983f9ce712','0f7b963e-72c4-49fc-ae37-881bbc656d18',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-86b053a1-aa4d-427f-ad78-a9dce034cecf/metadata/00000-c19d0cf5-0e18-490c-8267-73dc2481db0d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1656cf3f-6b2a-4303-ba2d-fa1d3265e9fb',1,14,1795879538018,NULL,'CREATE','[]','writer','c11fb177-de74-4157-93bb-1869b3799a1b','630c1f70-1988-4927-b576-457a7df27c59',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-1656cf3f-6b2a-4303-ba2d-fa1d3265e9fb/metadata/00000-2d7c684b-8563-4b71-b23d-8e4258b2ec22.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('5bde49d1-c391-4d23-bdc4-cf22160386bf','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
CREATE INDEX ix_icemelt_statements_ended_at ON icemelt_statements (ended_at);
CREATE INDEX ix_icemelt_statements_key_id ON icemelt_statements (key_id, ended_at);
COMMIT;
